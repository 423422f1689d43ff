"""What the tests share: cases generated from operator entries, and tolerances.

Stage: beside all stages; imported by tests only.
Takes: operator entries.
Gives: sample operands, memory layouts and error bounds.
"""
