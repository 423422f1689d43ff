"""The CPU as a device: memory, worker threads, loading of object code.

Stage: 7 of 7, for the CPU.
Takes: `Artifact` holding an object file, argument words.
Gives: results in memory.
"""
