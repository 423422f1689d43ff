"""Pooling: largest and average elements of sliding windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction, structure
from pumice.ops.structure import Indexing, ScatterMode
from pumice.ops.view import Shape, contiguous_strides
from pumice.tensor.axes import pair
from pumice.tensor.convert import upload
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.reductions import float_node
from pumice.tensor.window_adjoint import WindowAdjoint
from pumice.tensor.windows import Sliding, batched, check_fits, sliding_of, windows

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

Sizes = int | Sequence[int]


def _kernel_axes(sliding: Sliding) -> Shape:
    return tuple(range(2 + sliding.count, 2 + 2 * sliding.count))


def _folded(op: Any, x: Node, sliding: Sliding) -> Node:
    """Fold every window of (N, C, spatial...)."""
    found = build.reduce(op, windows(x, sliding), _kernel_axes(sliding))
    return build.reshape(found, found.shape[: 2 + sliding.count])


def _window_origin(shape: Shape, sliding: Sliding, axis: int, device: Any) -> Node:
    """Return where windows begin along a spatial axis."""
    place = build.iota((shape[2 + axis],), device) * sliding.stride[axis]
    thin = tuple(shape[2 + axis] if each == 2 + axis else 1 for each in range(len(shape)))
    return build.expand(build.reshape(place, thin), shape)


def _places(inside: Node, sliding: Sliding, extents: Shape, shift: Shape, device: Any) -> Node:
    """Turn positions within windows into row-major positions of the spatial axes."""
    strides = contiguous_strides(sliding.kernel)
    spans = contiguous_strides(extents)
    total = build.constant(0, dtypes.int64, inside.shape, device)
    for axis in range(sliding.count):
        digit = call("floor_divide", inside, strides[axis])
        inside = call("remainder", inside, strides[axis])
        where = digit * sliding.dilation[axis] - shift[axis]
        where = where + _window_origin(inside.shape, sliding, axis, device)
        total = total + where * spans[axis]
    return total


def _first_equal(x: Node, value: Node, sliding: Sliding) -> Node:
    """Return which element of its window, numbered in row-major order, is its largest, or NaN."""
    patches = windows(x, sliding)
    shape = patches.shape
    thin = (*value.shape, *(1,) * sliding.count)
    largest = build.expand(build.reshape(value, thin), shape)
    count = prod(sliding.kernel)
    number = build.reshape(build.iota((count,), x.device), sliding.kernel)
    number = build.cast(build.expand(number, shape), dtypes.int32)
    found = patches.eq(largest) | patches.ne(patches)
    first = build.reduce(reduction.AMIN, found.select(number, count), _kernel_axes(sliding))
    first = build.reshape(first, value.shape)
    return build.cast(first, dtypes.int8 if count < 128 else dtypes.int32)


@dataclass(frozen=True, slots=True)
class MaxPool:
    """Gradient rule of max pooling: to the first largest element of each window."""

    sliding: Sliding
    pads: Shape
    behind: Shape

    def __call__(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        value, x = (build.detach(source) for source in node.sources)
        extents = x.shape[2:]
        adjoint = WindowAdjoint(self.sliding, self.pads, extents)
        padded = build.pad(x, (0, 0, *self.pads), (0, 0, *self.behind), reduction.lowest(x.dtype))
        if adjoint.is_affine:
            return None, adjoint.sum(g, _first_equal(padded, value, self.sliding))
        inside = _folded(reduction.ARGMAX, padded, self.sliding)
        place = _places(inside, self.sliding, extents, self.pads, g.device)
        batch, channels = x.shape[:2]
        base = build.constant(0, g.dtype, (batch, channels, prod(extents)), g.device)
        flat = (batch, channels, prod(g.shape[2:]))
        argument = Indexing((-1, -2, 0), fill=True, mode=ScatterMode.ADD)
        spread = build.scatter(
            base, build.reshape(g, flat), (build.reshape(place, flat),), argument
        )
        return None, build.reshape(spread, x.shape)


@dataclass(frozen=True, slots=True)
class WindowSum:
    """Gradient rule of the sum of each window: to all of its elements."""

    sliding: Sliding
    pads: Shape

    def __call__(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        return None, WindowAdjoint(self.sliding, self.pads, node.sources[1].shape[2:]).sum(g)


def _output_extents(
    operator: str, extents: Shape, sliding: Sliding, pads: Shape, ceil_mode: bool
) -> tuple[Shape, Shape]:
    """Return places per axis and the padding behind that they need."""
    places, behind = [], []
    for extent, reach, step, margin in zip(
        extents, sliding.reach(), sliding.stride, pads, strict=True
    ):
        room = extent + 2 * margin - reach
        count = (room + step - 1 if ceil_mode else room) // step + 1
        if ceil_mode and (count - 1) * step >= extent + margin:
            count -= 1
        places.append(count)
        behind.append(max((count - 1) * step + reach - extent - margin, 0))
    if any(count < 1 for count in places):
        padded = tuple(extent + 2 * margin for extent, margin in zip(extents, pads, strict=True))
        check_fits(operator, sliding, padded)
    return tuple(places), tuple(behind)


def _check_padding(operator: str, sliding: Sliding, pads: Shape) -> None:
    for margin, reach in zip(pads, sliding.reach(), strict=True):
        if margin < 0 or margin * 2 > reach:
            raise InvalidArgument(
                describe(
                    operator,
                    f"padding is {list(pads)} for windows that span {list(sliding.reach())}",
                    "padding should be at most half of the effective kernel size",
                )
            )


def _check_windows_touch(
    operator: str, extents: Shape, sliding: Sliding, pads: Shape, places: Shape
) -> None:
    """Refuse windows that hold padding only: they have no largest element."""
    for axis, (extent, margin, count) in enumerate(zip(extents, pads, places, strict=True)):
        kernel, step, dilation = (
            each[axis] for each in (sliding.kernel, sliding.stride, sliding.dilation)
        )
        # Far from the ends a window touches an element as soon as it spans the dilation.
        for place in {*range(min(count, margin + 1)), *range(max(count - margin - 1, 0), count)}:
            first = place * step - margin
            if not any(0 <= first + each * dilation < extent for each in range(kernel)):
                raise ShapeError(
                    describe(
                        operator,
                        f"window {place} of spatial axis {axis} holds padding only (extent "
                        f"{extent}, padding {margin}, kernel {kernel}, dilation {dilation})",
                        "every window must hold at least one element",
                    )
                )


def _max_pool(
    operator: str,
    count: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    given = tensor_node(operator, input)
    x = batched(operator, given, count)
    sliding = sliding_of(operator, kernel_size, stride, dilation, count)
    pads = pair(operator, padding, count, "padding")
    _check_padding(operator, sliding, pads)
    extents = x.shape[2:]
    places, behind = _output_extents(operator, extents, sliding, pads, ceil_mode)
    _check_windows_touch(operator, extents, sliding, pads, places)
    lowest = reduction.lowest(x.dtype)
    padded = build.pad(build.detach(x), (0, 0, *pads), (0, 0, *behind), lowest)
    value = _folded(reduction.AMAX, padded, sliding)
    if x.requires_grad:
        rule = MaxPool(sliding, pads, behind)
        value = Node(structure.CUSTOM, value.dtype, value.shape, (value, x), rule)
    single = len(given.shape) == count + 1
    result = wrap(build.reshape(value, value.shape[1:]) if single else value)
    if not return_indices:
        return result
    inside = _folded(reduction.ARGMAX, padded, sliding)
    place = _places(inside, sliding, extents, pads, x.device)
    return result, wrap(build.reshape(place, place.shape[1:]) if single else place)


@functional
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of windows along one axis; parameters as in `max_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.max_pool1d(pumice.tensor([[1., 3., 2., 5.]]), 2)
    tensor([[3., 5.]])
    """
    return _max_pool(
        "max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


@functional
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of windows over two axes.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W), or without N.
    kernel_size, stride, padding, dilation : int or pair of int
        The stride defaults to the kernel; padding never wins.
    ceil_mode : bool
        Whether a last, incomplete window counts.
    return_indices : bool
        Also return where each element stands in its plane.

    Returns
    -------
    Tensor, or (values, indices)

    Raises
    ------
    InvalidArgument
        When padding is more than half of the window.

    Notes
    -----
    NaN wins. Gradient: to the first largest element of each window.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.arange(16.).reshape(1, 1, 4, 4)
    >>> pumice.nn.functional.max_pool2d(x, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return _max_pool(
        "max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


@functional
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of windows over three axes; parameters as in `max_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.max_pool3d(pumice.arange(8.0).reshape(1, 2, 2, 2), 2).tolist()
    [[[[7.0]]]]
    """
    return _max_pool(
        "max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def _avg_pool(
    operator: str,
    count: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    given = float_node(operator, tensor_node(operator, input))
    # A sum of 16-bit floats may not fit them: it is divided before it is rounded.
    x = batched(operator, widened(given), count)
    sliding = sliding_of(operator, kernel_size, stride, 1, count)
    pads = pair(operator, padding, count, "padding")
    _check_padding(operator, sliding, pads)
    if divisor_override == 0:
        raise InvalidArgument(describe(operator, "divisor must be not zero"))
    extents = x.shape[2:]
    places, behind = _output_extents(operator, extents, sliding, pads, ceil_mode)
    padded = build.pad(build.detach(x), (0, 0, *pads), (0, 0, *behind))
    total = _folded(reduction.SUM, padded, sliding)
    if x.requires_grad:
        rule = WindowSum(sliding, pads)
        total = Node(structure.CUSTOM, total.dtype, total.shape, (total, x), rule)
    if divisor_override is not None:
        result = total / float(divisor_override)
    else:
        result = _averaged(total, sliding, extents, places, pads, count_include_pad)
    result = build.cast(result, given.dtype)
    return wrap(
        result if len(given.shape) == count + 2 else build.reshape(result, result.shape[1:])
    )


def _averaged(
    total: Node, sliding: Sliding, extents: Shape, places: Shape, pads: Shape, include_pad: bool
) -> Node:
    """Divide every window's sum by the elements it counts."""
    divisors: Any = np.ones((1,) * len(places))
    for axis, (extent, count, margin) in enumerate(zip(extents, places, pads, strict=True)):
        start = np.arange(count) * sliding.stride[axis] - margin
        end = np.minimum(start + sliding.kernel[axis], extent + margin)
        if not include_pad:
            start, end = np.maximum(start, 0), np.minimum(end, extent)
        shape = [1] * len(places)
        shape[axis] = count
        divisors = divisors * (end - start).reshape(shape)
    if (divisors == divisors.flat[0]).all():
        return total / float(divisors.flat[0])
    device = wrap(total).device
    return call("div", total, upload(divisors, total.dtype, device).node)


@functional
def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of windows along one axis; parameters as in `avg_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.avg_pool1d(pumice.tensor([[1., 3., 2., 5.]]), 2)
    tensor([[2.0000, 3.5000]])
    """
    return _avg_pool(
        "avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None
    )


@functional
def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of windows over two axes.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W), or without N.
    kernel_size, stride, padding : int or pair of int
        The stride defaults to the kernel.
    ceil_mode : bool
        Whether a last, incomplete window counts.
    count_include_pad : bool
        Whether padding counts in the mean.
    divisor_override : int, optional
        Divide by this instead.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> x = pumice.arange(4.).reshape(1, 1, 2, 2)
    >>> pumice.nn.functional.avg_pool2d(x, 2).tolist()
    [[[[1.5]]]]
    """
    return _avg_pool(
        "avg_pool2d",
        2,
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@functional
def avg_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of windows over three axes; parameters as in `avg_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.avg_pool3d(pumice.arange(8.0).reshape(1, 2, 2, 2), 2).tolist()
    [[[[3.5]]]]
    """
    return _avg_pool(
        "avg_pool3d",
        3,
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


# -- pooling to a given size ----------------------------------------------------------------------
