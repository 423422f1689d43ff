"""The kernel IR: loops, loads, stores and scalar expressions.

Stage: 5 of 7, the language that lowering writes and backends read.
Takes: nothing.
Gives: `Kernel`, its printer, verifier, interpreter and passes.
"""
