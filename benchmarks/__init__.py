"""Times pieces of work in pumice and its peers, each framework in a process of its own, in turn.

Run with ``python -m benchmarks``. A row is one entry in a module of `rows`; everything else is
independent of what the rows are.
"""
