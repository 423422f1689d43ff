"""Layers that drop elements in training."""

from pumice.errors import InvalidArgument, describe
from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class Dropout(Module):
    """Zeroes elements with probability ``p`` in training and scales the rest by 1 / (1 - p)."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise InvalidArgument(
                describe("Dropout", f"dropout probability is {p}", "it must be from 0 to 1")
            )
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        result = functional.dropout(input, self.p, self.training)
        return input.copy_(result) if self.inplace else result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"p={self.p}, inplace={self.inplace}"
