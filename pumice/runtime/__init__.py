"""Memory and launch. Knows no IR: takes bytes and launch sizes.

Stage: 7 of 7.
Takes: `Artifact`, argument words.
Gives: results in device memory.
"""
