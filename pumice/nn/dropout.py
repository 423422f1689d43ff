"""Layers that drop elements in training."""

from typing import Any

from pumice.errors import InvalidArgument, describe
from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class _Dropout(Module):
    """Applies a function of `functional` with a probability, in training only."""

    function = ""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise InvalidArgument(
                describe(
                    type(self).__name__, f"dropout probability is {p}", "it must be from 0 to 1"
                )
            )
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        drop: Any = getattr(functional, self.function)
        result: Tensor = drop(input, self.p, self.training)
        return input.copy_(result) if self.inplace else result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeroes elements with probability ``p`` in training and scales the rest by 1 / (1 - p)."""

    function = "dropout"


class Dropout1d(_Dropout):
    """Zeroes whole channels of (N, C, L) or (C, L) with probability ``p`` in training."""

    function = "dropout1d"


class Dropout2d(_Dropout):
    """Zeroes whole channels of (N, C, H, W) or (C, H, W) with probability ``p`` in training."""

    function = "dropout2d"


class Dropout3d(_Dropout):
    """Zeroes whole channels of (N, C, D, H, W) with probability ``p`` in training."""

    function = "dropout3d"


class AlphaDropout(_Dropout):
    """Dropout that keeps mean and variance of `SELU`'s output.

    Source: Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515.
    """

    function = "alpha_dropout"
