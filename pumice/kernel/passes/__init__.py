"""Passes over the kernel IR, one file each, and the order they run in.

Stage: 5 of 7, between lowering and the backends.
Takes: Kernel.
Gives: an equivalent, cheaper Kernel.
"""
