"""Transposed convolution layers."""

from collections.abc import Sequence
from typing import Any

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.nn.convolution import Extents, WindowedLayer, spread
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor


class TransposedConvolution(WindowedLayer):
    """The adjoint of a convolution over `rank` spatial axes."""

    rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extents,
        stride: Extents = 1,
        padding: Extents = 0,
        output_padding: Extents = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Extents = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = spread(kernel_size, self.rank)
        self.stride = spread(stride, self.rank)
        self.padding = spread(padding, self.rank)
        self.output_padding = spread(output_padding, self.rank)
        self.groups = groups
        self.dilation = spread(dilation, self.rank)
        self.padding_mode = padding_mode
        self._check()
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        self._make_parameters(shape, bias, dtype, device)

    def _check(self) -> None:
        self._check_groups()
        name = type(self).__name__
        if self.padding_mode != "zeros":
            raise InvalidArgument(
                describe(
                    name,
                    f"padding_mode {self.padding_mode!r}",
                    'Only "zeros" padding mode is supported',
                )
            )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Apply the layer.

        Parameters
        ----------
        input : Tensor
            (N, in, ...) or (in, ...).
        output_size : sequence of int, optional
            Extents wanted, which choose the output padding; leading axes may be given too.

        Returns
        -------
        Tensor
            (N, out, ...) or (out, ...).
        """
        convolve: Any = getattr(functional, f"conv_transpose{self.rank}d")
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra(tuple(input.shape[-self.rank :]), tuple(output_size))
        result: Tensor = convolve(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )
        return result

    def _extra(self, extents: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
        """Return the output padding that gives the extents wanted."""
        name = type(self).__name__
        if len(wanted) == self.rank + 2:
            wanted = wanted[2:]
        if len(wanted) != self.rank:
            raise InvalidArgument(
                describe(
                    name,
                    f"output_size has {len(wanted)} numbers",
                    f"{self.rank} or {self.rank + 2}",
                )
            )
        least = [
            (extent - 1) * step - 2 * pad + gap * (reach - 1) + 1
            for extent, step, pad, gap, reach in zip(
                extents, self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        for size, low, high in zip(wanted, least, most, strict=True):
            if not low <= size <= high:
                raise ShapeError(
                    describe(name, f"output_size is {list(wanted)}", f"from {least} to {most}")
                )
        return tuple(size - low for size, low in zip(wanted, least, strict=True))

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
        if self.output_padding != (0,) * self.rank:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class ConvTranspose1d(TransposedConvolution):
    """Transposed convolution over (N, C, L); arguments as ``torch.nn.ConvTranspose1d``.

    Examples
    --------
    >>> pumice.nn.ConvTranspose1d(3, 2, 4, stride=2)(pumice.zeros(1, 3, 5)).shape
    (1, 2, 12)
    """

    rank = 1


class ConvTranspose2d(TransposedConvolution):
    """Transposed convolution over (N, C, H, W); arguments as ``torch.nn.ConvTranspose2d``.

    Examples
    --------
    >>> layer = pumice.nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1)
    >>> layer(pumice.zeros(1, 3, 5, 5), output_size=(10, 10)).shape
    (1, 2, 10, 10)
    """

    rank = 2


class ConvTranspose3d(TransposedConvolution):
    """Transposed convolution over (N, C, D, H, W); arguments as ``torch.nn.ConvTranspose3d``.

    Examples
    --------
    >>> pumice.nn.ConvTranspose3d(3, 2, 2)(pumice.zeros(1, 3, 4, 4, 4)).shape
    (1, 2, 5, 5, 5)
    """

    rank = 3
