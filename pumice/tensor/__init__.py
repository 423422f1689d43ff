"""What users write with: the Tensor, creation, and functions composed of operators.

Stage: 1 of 7.
Takes: user calls.
Gives: `Node` objects, evaluated when a value is looked at.
"""
