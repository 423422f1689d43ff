"""Evaluation: calls schedule, lowering, backend and runtime in this order.

Stage: runs stages 4 to 7.
Takes: `Node` objects whose values are wanted.
Gives: their `value` filled in.
"""
