"""The ``pumice`` command.

Stage: outside the pipeline.
Takes: command line arguments.
Gives: text on the terminal, files, and an exit status.
"""
