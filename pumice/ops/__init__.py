"""What an operator is: one entry per operator, and nothing else lists operators by name.

Stage: beside stage 2, used by all later ones.
Takes: nothing.
Gives: operator entries (`OpDef`), looked up in `registry`.
"""
