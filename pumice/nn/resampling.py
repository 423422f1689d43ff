"""Layers that trade channels for positions, or change the number of positions."""

from pumice.nn.module import Module
from pumice.tensor import functional
from pumice.tensor.tensor import Tensor

Size = int | tuple[int, ...] | None
Scale = float | tuple[float, ...] | None


class PixelShuffle(Module):
    """Turns (..., C * r * r, H, W) into (..., C, H * r, W * r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Turns (..., C, H * r, W * r) into (..., C * r * r, H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Deals the channels of each group out to all groups, keeping the shape."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"groups={self.groups}"


class Upsample(Module):
    """Resizes all axes after the first two.

    Parameters
    ----------
    size : int or tuple of int, optional
        The new extents.
    scale_factor : float or tuple of float, optional
        Or what the extents are multiplied by.
    mode : str
        As in `functional.interpolate`.
    align_corners : bool, optional
        Whether the corner elements keep their places.
    recompute_scale_factor : bool, optional
        Use the scale that the rounded extents give.
    """

    def __init__(
        self,
        size: Size = None,
        scale_factor: Scale = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = _as_floats(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        return functional.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        if self.scale_factor is None:
            return f"size={self.size}, mode={self.mode!r}"
        return f"scale_factor={self.scale_factor}, mode={self.mode!r}"


def _as_floats(scale: Scale) -> Scale:
    """Return the factors as `repr` shows them."""
    if scale is None:
        return None
    return tuple(map(float, scale)) if isinstance(scale, tuple) else float(scale)


class UpsamplingNearest2d(Upsample):
    """Resizes (N, C, H, W) by taking the nearest element."""

    def __init__(self, size: Size = None, scale_factor: Scale = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resizes (N, C, H, W) bilinearly; the corner elements keep their places."""

    def __init__(self, size: Size = None, scale_factor: Scale = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
