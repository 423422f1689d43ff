"""The tensor graph: what the user asked for, before any decision on how.

Stage: 2 of 7.
Takes: operator entries and operands.
Gives: immutable `Node` objects with checked shapes, dtypes and devices.
"""
