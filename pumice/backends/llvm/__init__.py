"""Machine code for the CPU, written as LLVM IR text.

Stage: 6 of 7, for the CPU.
Takes: `Kernel`, `Target`.
Gives: `Artifact` holding an object file.

machine.py reads the target, types.py names types and constants, emitter.py holds scopes and
operands, arithmetic.py, convert.py and memory.py emit one instruction each, loops.py the loops,
contract.py and micro.py matrix products, function.py a whole kernel; assembler.py turns text into
an object file and backend.py does it for many kernels.
"""
