"""Layers that take planes apart into windows, and put them together."""

from typing import Any

from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class Unfold(Module):
    """Windows of (N, C, H, W) as columns (N, C * kernel, windows).

    Parameters
    ----------
    kernel_size, dilation, padding, stride : int or pair of int
        Which elements a window holds and where the windows lie.

    Examples
    --------
    >>> pumice.nn.Unfold(2)(pumice.zeros(1, 3, 4, 5)).shape
    (1, 12, 12)
    """

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Fold(Module):
    """The sum of windows, given as columns (N, C * kernel, windows), where they overlap.

    Parameters
    ----------
    output_size : int or pair of int
        Height and width of the result.
    kernel_size, dilation, padding, stride : int or pair of int
        As in `Unfold`.

    Examples
    --------
    >>> pumice.nn.Fold((4, 5), 2)(pumice.zeros(1, 12, 12)).shape
    (1, 3, 4, 5)
    """

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        size = self.output_size
        return functional.fold(
            input,
            (size, size) if isinstance(size, int) else size,
            self.kernel_size,
            self.dilation,
            self.padding,
            self.stride,
        )

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )
