"""Convolution layers."""

import math
from typing import Any

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.nn import init
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor import functional
from pumice.tensor.creation import empty
from pumice.tensor.tensor import Tensor

Extents = int | tuple[int, ...]

_MODES = ("zeros", "reflect", "replicate", "circular")


def spread(value: Extents, rank: int) -> tuple[int, ...]:
    """Return one number per spatial axis."""
    return (value,) * rank if isinstance(value, int) else tuple(value)


class WindowedLayer(Module):
    """Channels, groups, weight and bias: what a convolution and its adjoint have in common."""

    in_channels: int
    out_channels: int
    groups: int

    def _make_parameters(
        self, shape: tuple[int, ...], bias: bool, dtype: DType | None, device: Any
    ) -> None:
        self.weight = Parameter(empty(shape, dtype=dtype, device=device))
        if bias:
            self.bias = Parameter(empty((self.out_channels,), dtype=dtype, device=device))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check_groups(self) -> None:
        name = type(self).__name__
        if self.groups <= 0:
            raise InvalidArgument(describe(name, f"groups is {self.groups}", "1 or more"))
        if self.in_channels % self.groups or self.out_channels % self.groups:
            raise InvalidArgument(
                describe(
                    name,
                    f"channels {self.in_channels} and {self.out_channels} are not divisible by "
                    f"groups {self.groups}",
                )
            )

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.default_bias_(self.bias, self.weight)


class _Convolution(WindowedLayer):
    """A convolution over `rank` spatial axes."""

    rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extents,
        stride: Extents = 1,
        padding: str | Extents = 0,
        dilation: Extents = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = spread(kernel_size, self.rank)
        self.stride = spread(stride, self.rank)
        self.padding = padding if isinstance(padding, str) else spread(padding, self.rank)
        self.dilation = spread(dilation, self.rank)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self._make_parameters(shape, bias, dtype, device)

    def _check(self) -> None:
        self._check_groups()
        name = type(self).__name__
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise InvalidArgument(
                    describe(name, f"padding {self.padding!r}", "'same', 'valid' or numbers")
                )
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise InvalidArgument(
                    describe(name, "padding='same' is not supported for strided convolutions")
                )
        if self.padding_mode not in _MODES:
            raise InvalidArgument(
                describe(name, f"padding_mode {self.padding_mode!r}", f"one of {_MODES}")
            )

    def _padding_pairs(self) -> list[int]:
        """Return the padding as `functional.pad` takes it: last axis first, both ends."""
        pairs: list[int] = []
        for axis in reversed(range(self.rank)):
            if self.padding == "valid":
                pairs += [0, 0]
            elif self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                pairs += [total // 2, total - total // 2]
            else:
                assert not isinstance(self.padding, str)
                pairs += [self.padding[axis]] * 2
        return pairs

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        convolve: Any = getattr(functional, f"conv{self.rank}d")
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._padding_pairs(), mode=self.padding_mode)
            padding = 0
        result: Tensor = convolve(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
        return result

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        if self.padding != (0,) * self.rank:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.rank:
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class Conv1d(_Convolution):
    """Convolution over (N, C, L); arguments as ``torch.nn.Conv1d``."""

    rank = 1


class Conv2d(_Convolution):
    """Convolution over (N, C, H, W); arguments as ``torch.nn.Conv2d``."""

    rank = 2


class Conv3d(_Convolution):
    """Convolution over (N, C, D, H, W); arguments as ``torch.nn.Conv3d``."""

    rank = 3
