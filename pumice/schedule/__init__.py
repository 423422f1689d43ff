"""Deciding what becomes one kernel.

Stage: 4 of 7.
Takes: `Node` objects in topological order.
Gives: `Schedule`: ordered groups, and which nodes get memory.
"""
