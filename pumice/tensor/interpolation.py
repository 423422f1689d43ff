"""Resizing spatial axes, and rearranging channels into space."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, UnsupportedOperation, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import View, contiguous_strides
from pumice.tensor.adaptive_pooling import adaptive_mean
from pumice.tensor.axes import pair
from pumice.tensor.convert import upload
from pumice.tensor.core import wrap
from pumice.tensor.joining import taken_by
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.reductions import check_string, float_node
from pumice.tensor.windows import Sliding, check_fits, sliding_of, windows

if TYPE_CHECKING:
    from pumice.tensor.convolution import Sizes
    from pumice.tensor.tensor import Tensor

LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}
MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area")
CUBIC = -0.75


def _positions(extent: int, size: int, scale: float | None, align: bool) -> Any:
    """Return where result elements lie on the input's axis."""
    place = np.arange(size, dtype=np.float64)
    if align:
        return place * ((extent - 1) / (size - 1) if size > 1 else 0.0)
    step = extent / size if scale is None else 1.0 / scale
    return (place + 0.5) * step - 0.5


def _taken(node: Node, axis: int, places: Any) -> Node:
    index = upload(np.asarray(places, np.int64), dtypes.int64, wrap(node).device)
    return taken_by(node, axis, index.node)


def _weighted(node: Node, axis: int, places: Any, weights: Any) -> Node:
    shape = [1] * len(node.shape)
    shape[axis] = len(weights)
    device = wrap(node).device
    factor = upload(np.asarray(weights, np.float64).reshape(shape), node.dtype, device)
    return call("mul", _taken(node, axis, places), factor.node)


def _nearest(node: Node, axis: int, size: int, scale: float | None, exact: bool) -> Node:
    extent = node.shape[axis]
    step = np.float32(extent / size if scale is None else 1.0 / scale)
    place = np.arange(size, dtype=np.float32) + np.float32(0.5 if exact else 0.0)
    return _taken(node, axis, np.minimum(np.floor(place * step), extent - 1))


def _linear(node: Node, axis: int, size: int, scale: float | None, align: bool) -> Node:
    extent = node.shape[axis]
    place = np.maximum(_positions(extent, size, scale, align), 0.0)
    low = np.minimum(np.floor(place), extent - 1)
    high = np.minimum(low + 1, extent - 1)
    share = place - low
    return _weighted(node, axis, low, 1 - share) + _weighted(node, axis, high, share)


def _cubic(node: Node, axis: int, size: int, scale: float | None, align: bool) -> Node:
    extent = node.shape[axis]
    place = _positions(extent, size, scale, align)
    low = np.floor(place)
    share = place - low
    total: Node | None = None
    for tap in (-1, 0, 1, 2):
        distance = np.abs(share - tap)
        near = ((CUBIC + 2) * distance - (CUBIC + 3)) * distance * distance + 1
        far = ((distance - 5) * distance + 8) * distance * CUBIC - 4 * CUBIC
        weight = np.where(distance <= 1, near, far)
        part = _weighted(node, axis, np.clip(low + tap, 0, extent - 1), weight)
        total = part if total is None else total + part
    assert total is not None
    return total


def _sizes(
    shape: tuple[int, ...], size: Any, scale_factor: Any
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    spatial = shape[2:]
    count = len(spatial)
    if (size is None) == (scale_factor is None):
        raise InvalidArgument(
            describe("interpolate", "size and scale_factor", "exactly one must be given")
        )
    given = scale_factor if size is None else size
    given = given.tolist() if hasattr(given, "tolist") else given
    values = tuple(given) if isinstance(given, (tuple, list)) else (given,) * count
    if len(values) != count:
        raise ShapeError(
            describe("interpolate", f"{len(values)} numbers for {count} spatial axes", "one each")
        )
    if size is not None:
        return tuple(int(value) for value in values), (None,) * count
    extents = tuple(floor(extent * value) for extent, value in zip(spatial, values, strict=True))
    return extents, tuple(float(value) for value in values)


def _check_mode(rank: int, mode: str, antialias: bool) -> None:
    if not 3 <= rank <= 5:
        raise ShapeError(describe("interpolate", f"got {rank} axes", "allowed are 3 to 5"))
    if antialias:
        raise UnsupportedOperation(describe("interpolate", "antialias=True", "it must be False"))
    if mode in LINEAR.values() and LINEAR[rank] != mode or mode == "bicubic" and rank != 4:
        raise InvalidArgument(
            describe("interpolate", f"mode {mode!r} for {rank} axes", f"{LINEAR[rank]!r} fits")
        )


@functional
def interpolate(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize the spatial axes.

    Parameters
    ----------
    input : Tensor
        (N, C, spatial...) with one to three spatial axes.
    size, scale_factor : number or sequence of numbers
        New extents, or factors of the old ones; exactly one is given.
    mode : str
        ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``, ``"trilinear"``,
        ``"bicubic"`` or ``"area"``.
    align_corners : bool, optional
        Whether the outermost elements stay at the ends (linear and cubic modes).
    recompute_scale_factor : bool, optional
        Whether positions follow from the rounded extents instead of the factors.
    antialias : bool
        Must be False.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        For another mode, or a mode of another number of axes.

    Examples
    --------
    >>> pumice.nn.functional.interpolate(pumice.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    check_string("interpolate", "mode", mode, MODES)
    node = tensor_node("interpolate", input)
    _check_mode(len(node.shape), mode, antialias)
    extents, scales = _sizes(node.shape, size, scale_factor)
    if min(*node.shape[2:], *extents) < 1:
        raise ShapeError(
            describe(
                "interpolate",
                f"the spatial axes are {list(node.shape[2:])}, the result's {list(extents)}",
                "input and output sizes must be greater than 0",
            )
        )
    if recompute_scale_factor:
        scales = (None,) * len(scales)
    resized = node if mode.startswith("nearest") else widened(float_node("interpolate", node))
    for axis, (extent, scale) in enumerate(zip(extents, scales, strict=True), start=2):
        resized = _resized(resized, axis, extent, scale, mode, bool(align_corners))
    if node.dtype is dtypes.uint8 and resized.dtype is not dtypes.uint8:
        resized = build.cast(call("clamp", call("floor", resized + 0.5), 0, 255), dtypes.uint8)
    return wrap(build.cast(resized, node.dtype) if node.dtype.is_small_float else resized)


def _resized(
    node: Node, axis: int, extent: int, scale: float | None, mode: str, align_corners: bool
) -> Node:
    """Resize one axis."""
    if mode.startswith("nearest"):
        return _nearest(node, axis, extent, scale, mode.endswith("exact"))
    if mode == "area":
        return adaptive_mean(node, axis, extent)
    if mode == "bicubic":
        return _cubic(node, axis, extent, scale, align_corners)
    return _linear(node, axis, extent, scale, align_corners)


def _image(operator: str, input: Tensor) -> Node:
    node = tensor_node(operator, input)
    if len(node.shape) < 3:
        raise ShapeError(
            describe(operator, f"input has shape {list(node.shape)}", "at least three axes")
        )
    return node


@functional
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Turn (..., C * r * r, H, W) into (..., C, H * r, W * r).

    Examples
    --------
    >>> pumice.nn.functional.pixel_shuffle(pumice.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    node, r = _image("pixel_shuffle", input), upscale_factor
    *lead, channels, height, width = node.shape
    if channels % (r * r):
        raise ShapeError(describe("pixel_shuffle", f"{channels} channels", f"divisible by {r * r}"))
    split = build.reshape(node, (*lead, channels // (r * r), r, r, height, width))
    n = len(lead)
    order = (*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    shape = (*lead, channels // (r * r), height * r, width * r)
    return wrap(build.reshape(build.permute(split, order), shape))


@functional
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Turn (..., C, H * r, W * r) into (..., C * r * r, H, W).

    Examples
    --------
    >>> pumice.nn.functional.pixel_unshuffle(pumice.arange(4.0).reshape(1, 2, 2), 2).shape
    (4, 1, 1)
    """
    node, r = _image("pixel_unshuffle", input), downscale_factor
    *lead, channels, height, width = node.shape
    if height % r or width % r:
        raise ShapeError(describe("pixel_unshuffle", f"{height} x {width}", f"divisible by {r}"))
    split = build.reshape(node, (*lead, channels, height // r, r, width // r, r))
    n = len(lead)
    order = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    shape = (*lead, channels * r * r, height // r, width // r)
    return wrap(build.reshape(build.permute(split, order), shape))


@functional
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Exchange groups of channels: (N, g * c, ...) read as (N, c, g, ...).

    Examples
    --------
    >>> pumice.nn.functional.channel_shuffle(pumice.arange(4).reshape(1, 4, 1), 2).ravel()
    tensor([0, 2, 1, 3])
    """
    node = tensor_node("channel_shuffle", input)
    batch, channels, *rest = node.shape
    if channels % groups:
        raise ShapeError(describe("channel_shuffle", f"{channels} channels", f"by {groups}"))
    split = build.reshape(node, (batch, groups, channels // groups, *rest))
    order = (0, 2, 1, *range(3, 3 + len(rest)))
    return wrap(build.reshape(build.permute(split, order), node.shape))


# -- windows as columns ---------------------------------------------------------------------------


def _frame(
    operator: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any, extents: Any
) -> tuple[Sliding, tuple[int, ...], tuple[int, ...]]:
    sliding = sliding_of(operator, kernel_size, stride, dilation, 2)
    pads = pair(operator, padding, 2, "padding")
    if len(extents) != 2:
        raise ShapeError(describe(operator, f"got {len(extents)} spatial axes", "two"))
    padded = tuple(extent + 2 * pad for extent, pad in zip(extents, pads, strict=True))
    check_fits(operator, sliding, padded)
    return sliding, tuple(pads), padded


@functional
def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """Return windows of (N, C, H, W) as columns: (N, C * kernel, windows).

    Examples
    --------
    >>> pumice.nn.functional.unfold(pumice.arange(9.0).reshape(1, 1, 3, 3), 2)[0, :, 0]
    tensor([0., 1., 3., 4.])
    """
    node = tensor_node("unfold", input)
    x = node if len(node.shape) == 4 else build.reshape(node, (1, *node.shape))
    sliding, pads, _ = _frame("unfold", kernel_size, dilation, padding, stride, x.shape[2:])
    patches = windows(build.pad(x, (0, 0, *pads), (0, 0, *pads)), sliding)
    columns = build.permute(patches, (0, 1, 4, 5, 2, 3))
    shape = (x.shape[0], x.shape[1] * prod(sliding.kernel), prod(patches.shape[2:4]))
    result = build.reshape(columns, shape)
    return wrap(result if x is node else build.reshape(result, shape[1:]))


@functional
def fold(
    input: Tensor,
    output_size: Sequence[int],
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Add columns back into windows of a plane: the adjoint of `unfold`.

    Examples
    --------
    >>> pumice.nn.functional.fold(pumice.ones(1, 4, 4), (3, 3), 2).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    node = tensor_node("fold", input)
    x = node if len(node.shape) == 3 else build.reshape(node, (1, *node.shape))
    extents = tuple(output_size)
    sliding, pads, padded = _frame("fold", kernel_size, dilation, padding, stride, extents)
    places = sliding.places(padded)
    area = prod(sliding.kernel)
    if x.shape[1] % area or x.shape[2] != prod(places):
        raise ShapeError(
            describe(
                "fold",
                f"columns of shape {list(x.shape)} for {list(places)} windows of {area}",
                "(N, C * kernel, windows)",
            )
        )
    shape = (x.shape[0], x.shape[1] // area, *padded)
    strides = contiguous_strides(shape)
    box = View(
        (*shape[:2], *sliding.kernel, *places),
        (
            *strides[:2],
            *(each * step for each, step in zip(strides[2:], sliding.dilation, strict=True)),
            *(each * step for each, step in zip(strides[2:], sliding.stride, strict=True)),
        ),
    )
    result = build.view_adjoint(build.reshape(x, box.shape), box, shape)
    for axis, (pad, extent) in enumerate(zip(pads, extents, strict=True), start=2):
        result = build.slice_axis(result, axis, pad, extent) if pad else result
    return wrap(result if x is node else build.reshape(result, result.shape[1:]))
