"""Pooling layers."""

from typing import Any

from pumice.nn.convolution import spread
from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor

Extents = int | tuple[int, ...]
Partial = int | None | tuple[int | None, ...]


class _MaxPool(Module):
    """Largest element of each window."""

    rank = 0

    def __init__(
        self,
        kernel_size: Extents,
        stride: Extents | None = None,
        padding: Extents = 0,
        dilation: Extents = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        pool: Any = getattr(functional, f"max_pool{self.rank}d")
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """Max pooling of (N, C, L); arguments as ``torch.nn.MaxPool1d``."""

    rank = 1


class MaxPool2d(_MaxPool):
    """Max pooling of (N, C, H, W); arguments as ``torch.nn.MaxPool2d``."""

    rank = 2


class MaxPool3d(_MaxPool):
    """Max pooling of (N, C, D, H, W); arguments as ``torch.nn.MaxPool3d``."""

    rank = 3


class _AvgPool(Module):
    """Mean of each window."""

    rank = 0

    def __init__(
        self,
        kernel_size: Extents,
        stride: Extents | None = None,
        padding: Extents = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        pool: Any = getattr(functional, f"avg_pool{self.rank}d")
        options: list[Any] = [self.kernel_size, self.stride, self.padding]
        options += [self.ceil_mode, self.count_include_pad]
        if self.divisor_override is not None:
            options.append(self.divisor_override)
        result: Tensor = pool(input, *options)
        return result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """Average pooling of (N, C, L); arguments as ``torch.nn.AvgPool1d``."""

    rank = 1

    def __init__(
        self,
        kernel_size: Extents,
        stride: Extents | None = None,
        padding: Extents = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        # Its repr shows tuples, as PyTorch's does for this class alone.
        super().__init__(
            spread(kernel_size, 1),
            None if stride is None else spread(stride, 1),
            spread(padding, 1),
            ceil_mode,
            count_include_pad,
        )


class AvgPool2d(_AvgPool):
    """Average pooling of (N, C, H, W); arguments as ``torch.nn.AvgPool2d``."""

    rank = 2


class AvgPool3d(_AvgPool):
    """Average pooling of (N, C, D, H, W); arguments as ``torch.nn.AvgPool3d``."""

    rank = 3


class _AdaptivePool(Module):
    """A fold over windows chosen so that the output has a given size."""

    rank = 0
    fold = ""

    def __init__(self, output_size: Partial) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        pool: Any = getattr(functional, f"adaptive_{self.fold}_pool{self.rank}d")
        return pool(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"output_size={self.output_size}"


class _AdaptiveAvgPool(_AdaptivePool):
    fold = "avg"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Average pooling of (N, C, L) to a given size."""

    rank = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Average pooling of (N, C, H, W) to a given size."""

    rank = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Average pooling of (N, C, D, H, W) to a given size."""

    rank = 3


class _AdaptiveMaxPool(_AdaptivePool):
    fold = "max"

    def __init__(self, output_size: Partial, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        pool: Any = getattr(functional, f"adaptive_max_pool{self.rank}d")
        return pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Max pooling of (N, C, L) to a given size."""

    rank = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Max pooling of (N, C, H, W) to a given size."""

    rank = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Max pooling of (N, C, D, H, W) to a given size."""

    rank = 3


class _MaxUnpool(Module):
    """Puts elements back where max pooling found them, and zeros elsewhere."""

    rank = 0

    def __init__(
        self, kernel_size: Extents, stride: Extents | None = None, padding: Extents = 0
    ) -> None:
        super().__init__()
        self.kernel_size = spread(kernel_size, self.rank)
        self.stride = self.kernel_size if stride is None else spread(stride, self.rank)
        self.padding = spread(padding, self.rank)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        """Apply the layer to what the pooling returned."""
        unpool: Any = getattr(functional, f"max_unpool{self.rank}d")
        result: Tensor = unpool(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )
        return result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """The partial inverse of `MaxPool1d`."""

    rank = 1


class MaxUnpool2d(_MaxUnpool):
    """The partial inverse of `MaxPool2d`."""

    rank = 2


class MaxUnpool3d(_MaxUnpool):
    """The partial inverse of `MaxPool3d`."""

    rank = 3


class _LPPool(Module):
    """The p-norm of each window."""

    rank = 0

    def __init__(
        self,
        norm_type: float,
        kernel_size: Extents,
        stride: Extents | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        pool: Any = getattr(functional, f"lp_pool{self.rank}d")
        result: Tensor = pool(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )
        return result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The p-norm of each window of (N, C, L)."""

    rank = 1


class LPPool2d(_LPPool):
    """The p-norm of each window of (N, C, H, W)."""

    rank = 2


class LPPool3d(_LPPool):
    """The p-norm of each window of (N, C, D, H, W)."""

    rank = 3
