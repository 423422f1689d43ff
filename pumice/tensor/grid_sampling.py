"""Reading images at positions given by a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import accumulation_dtype
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.tensor.creation import ones
from pumice.tensor.joining import stack
from pumice.tensor.marks import functional
from pumice.tensor.ranges import linspace
from pumice.tensor.selection import where

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
CUBIC = -0.75
"""The free coefficient of cubic convolution (Keys, 1981), as in PyTorch and OpenCV."""


@dataclass(frozen=True, slots=True)
class _Border:
    """What happens to positions outside of the image."""

    padding: str
    align_corners: bool

    def position(self, given: Tensor, extent: int) -> Any:
        """Return the position in elements of a grid value from -1 to 1."""
        if self.align_corners:
            return (given + 1) * ((extent - 1) / 2)
        return ((given + 1) * extent - 1) / 2

    def inside(self, place: Any, extent: int) -> Any:
        """Return a position moved into the image; ``zeros`` leaves it."""
        if self.padding == "border":
            return place.clamp(0, extent - 1)
        if self.padding == "reflection":
            low, span = (0.0, extent - 1.0) if self.align_corners else (-0.5, float(extent))
            if span == 0:
                return place * 0
            distance = (place - low).abs()
            turns = (distance / span).floor()
            rest = distance - turns * span
            even = (turns % 2) == 0
            return (where(even, rest, span - rest) + low).clamp(0, extent - 1)
        return place


def _read(input: Any, places: list[Any], zeros: bool) -> Any:
    """Return the elements at whole positions, (N, P) for each axis; 0 outside if ``zeros``."""
    extents = input.shape[2:]
    flat: Any = 0
    valid: Any = None
    for place, extent in zip(places, extents, strict=True):
        # A NaN reads some element; its weight, or that it lies outside, decides.
        limited = where(place.isnan(), 0.0, place.clamp(0, extent - 1))
        if zeros:
            within = (place >= 0) & (place <= extent - 1)
            valid = within if valid is None else valid & within
        flat = flat * extent + limited.to(dtypes.int64)
    batch, channels = input.shape[:2]
    index = flat.unsqueeze(1).expand(batch, channels, flat.shape[-1])
    values = input.reshape(batch, channels, -1).gather(2, index)
    return values if valid is None else where(valid.unsqueeze(1), values, 0.0)


def _linear(input: Any, places: list[Any], zeros: bool) -> Any:
    below = [place.floor() for place in places]
    shares = [place - floor for place, floor in zip(places, below, strict=True)]
    total: Any = 0
    for corner in product((0, 1), repeat=len(places)):
        weight: Any = 1
        for step, share in zip(corner, shares, strict=True):
            weight = weight * (share if step else 1 - share)
        taken = [floor + step for floor, step in zip(below, corner, strict=True)]
        total = total + _read(input, taken, zeros) * weight.unsqueeze(1)
    return total


def _cubic_weights(share: Any) -> list[Any]:
    """Return the weights of the four elements around a position."""

    def near(x: Any) -> Any:
        return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((x - 5) * x + 8) * x * CUBIC - 4 * CUBIC

    return [far(share + 1), near(share), near(1 - share), far(2 - share)]


def _cubic(input: Any, places: list[Any], border: _Border) -> Any:
    below = [place.floor() for place in places]
    weights = [_cubic_weights(place - floor) for place, floor in zip(places, below, strict=True)]
    total: Any = 0
    for row, column in product(range(4), repeat=2):
        taken = [
            border.inside(floor + (step - 1), extent)
            for floor, step, extent in zip(below, (row, column), input.shape[2:], strict=True)
        ]
        weight = weights[0][row] * weights[1][column]
        total = total + _read(input, taken, border.padding == "zeros") * weight.unsqueeze(1)
    return total


def _check(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> int:
    """Return the number of image axes."""
    name = "grid_sample"
    if mode not in MODES:
        raise InvalidArgument(describe(name, f"mode is {mode!r}", f"one of {', '.join(MODES)}"))
    if padding_mode not in PADDINGS:
        raise InvalidArgument(
            describe(name, f"padding_mode is {padding_mode!r}", f"one of {', '.join(PADDINGS)}")
        )
    count = input.ndim - 2
    fits = (
        count in (2, 3)
        and grid.ndim == input.ndim
        and grid.shape[0] == input.shape[0]
        and grid.shape[-1] == count
        and all(input.shape[2:])
    )
    if not fits:
        raise ShapeError(
            describe(
                name,
                f"got input {list(input.shape)} and grid {list(grid.shape)}",
                "(N, C, H, W) with (N, H', W', 2), or (N, C, D, H, W) with (N, D', H', W', 3)",
            )
        )
    if mode == "bicubic" and count != 2:
        raise InvalidArgument(describe(name, "bicubic of a 5-D input", "a 4-D input"))
    return count


@functional
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """Read images at the positions of a grid, between elements by interpolation.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (N, C, D, H, W), floating.
    grid : Tensor
        (N, H', W', 2) or (N, D', H', W', 3); positions from -1 to 1, the last image axis first.
    mode : {"bilinear", "nearest", "bicubic"}
        Bilinear is trilinear for volumes; bicubic is for images only.
    padding_mode : {"zeros", "border", "reflection"}
        What is read outside.
    align_corners : bool
        Whether -1 and 1 are the centres of the corner elements, or their outer edges.

    Returns
    -------
    Tensor
        (N, C, H', W') or (N, C, D', H', W'); differentiable in input and grid.

    Raises
    ------
    ShapeError, InvalidArgument
        When the two do not fit, or a mode does not exist.

    Examples
    --------
    >>> import pumice
    >>> image = pumice.tensor([[[[1., 2.], [3., 4.]]]])
    >>> middle = pumice.zeros(1, 1, 1, 2)
    >>> pumice.nn.functional.grid_sample(image, middle).tolist()
    [[[[2.5]]]]
    """
    count = _check(input, grid, mode, padding_mode)
    border = _Border(padding_mode, align_corners)
    batch = grid.shape[0]
    # Positions need more bits than 16: 299 is no bfloat16.
    grid = grid.to(accumulation_dtype(grid.dtype))
    places = []
    for axis in range(count):
        extent = input.shape[2 + axis]
        place = border.position(grid[..., count - 1 - axis].reshape(batch, -1), extent)
        places.append(place if mode == "bicubic" else border.inside(place, extent))
    zeros = padding_mode == "zeros"
    if mode == "bicubic":
        values = _cubic(input, places, border)
    elif mode == "nearest":
        values = _read(input, [place.round() for place in places], zeros)
    else:
        values = _linear(input, places, zeros)
    result: Tensor = values.reshape(*input.shape[:2], *grid.shape[1:-1]).to(input.dtype)
    return result


@functional
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool = False) -> Tensor:
    """Return the positions that an affine map reads an image of a given size from.

    Parameters
    ----------
    theta : Tensor
        (N, 2, 3) or (N, 3, 4), floating; the maps.
    size : tuple of int
        (N, C, H, W) or (N, C, D, H, W) of the result of `grid_sample`.
    align_corners : bool
        As in `grid_sample`.

    Returns
    -------
    Tensor
        (N, H, W, 2) or (N, D, H, W, 3).

    Raises
    ------
    ShapeError
        When theta does not fit the size.

    Examples
    --------
    >>> import pumice
    >>> identity = pumice.tensor([[[1., 0., 0.], [0., 1., 0.]]])
    >>> pumice.nn.functional.affine_grid(identity, (1, 1, 1, 2)).tolist()
    [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    count = len(size) - 2
    if count not in (2, 3) or theta.shape != (size[0], count, count + 1):
        raise ShapeError(
            describe(
                "affine_grid",
                f"got theta {list(theta.shape)} and size {list(size)}",
                "(N, 2, 3) for four extents, (N, 3, 4) for five",
            )
        )
    extents = tuple(size[2:])
    axes = []
    for axis in reversed(range(count)):
        extent = extents[axis]
        edge = 0.0
        if extent > 1:
            edge = 1.0 if align_corners else (extent - 1) / extent
        line = linspace(-edge, edge, extent, dtype=theta.dtype, device=theta.device)
        shape = [extent if each == axis else 1 for each in range(count)]
        axes.append(line.reshape(shape).expand(extents))
    axes.append(ones(extents, dtype=theta.dtype, device=theta.device))
    base = stack(axes, -1).reshape(1, -1, count + 1)
    result: Tensor = (base @ theta.transpose(1, 2)).reshape(size[0], *extents, count)
    return result
