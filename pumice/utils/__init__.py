"""Helpers with the names of `torch.utils`.

Stage: above `nn` and `func`.
Takes: functions and modules.
Gives: `checkpoint`.
"""

from pumice.utils import checkpoint

__all__ = ["checkpoint"]
