"""Networks as functions of a namespace, named parameters and inputs.

Each is written once for all frameworks; sizes are read from the parameters.
"""
