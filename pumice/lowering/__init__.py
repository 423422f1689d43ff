"""From a group of nodes to kernels.

Stage: 5 of 7.
Takes: `Schedule`.
Gives: `Step` objects: a `Kernel` each, and what its arguments are bound to.
"""
