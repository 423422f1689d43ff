"""Exchange with files and other libraries.

Stage: outside the pipeline.
Takes: tensors, or files.
Gives: files, or tensors. Nothing in a file is ever executed.
"""

from pumice.interop.checkpoint import load, save

__all__ = ["load", "save"]
