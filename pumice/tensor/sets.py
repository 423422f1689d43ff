"""Functions whose result's size depends on values: they evaluate their input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.engine import memory
from pumice.engine.realize import realize
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.numpy_types import to_numpy
from pumice.ops import reduction
from pumice.ops.structure import Indexing, ScatterMode
from pumice.target import DeviceKind
from pumice.tensor.axes import axis_of
from pumice.tensor.conversion import host_view
from pumice.tensor.convert import upload
from pumice.tensor.core import wrap
from pumice.tensor.counting import FEW
from pumice.tensor.marks import method, public
from pumice.tensor.operands import call, operand, tensor_node
from pumice.tensor.reductions import fold
from pumice.tensor.sorting import sort

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


PER_NUMBER = 16
"""Elements per number of a range from which counting is quicker than sorting."""
ENDS = (reduction.AMIN, reduction.AMAX)


def _uploaded(array: Any, like: Tensor) -> Tensor:
    """Return a host array of the tensor's own type on its device."""
    if like.device.kind is DeviceKind.CPU:
        return wrap(build.buffer(memory.adopt(array, like.device), like.dtype, array.shape))
    return upload(array, like.dtype, like.device)


def _counts(array: Any, like: Tensor) -> Tensor:
    """Return whole numbers of the host's on a tensor's device."""
    whole = np.ascontiguousarray(array, np.int64)
    return wrap(build.buffer(memory.adopt(whole, like.device), dtypes.int64, whole.shape))


@method
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return each different element (or slice of an axis) once, in ascending order.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    sorted : bool
        Accepted; the result is always in order.
    return_inverse, return_counts : bool
        Also return where each element went, and how often each occurs.
    dim : int, optional
        Compare whole slices of this axis.

    Returns
    -------
    Tensor, or a tuple of Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.unique(pumice.tensor([3, 1, 3]))
    tensor([1, 3])
    """
    axis = None if dim is None else axis_of("unique", dim, len(input.shape))
    if axis is None and input.numel() > 1:
        return _unique_elements(input, return_inverse, return_counts)
    values, inverse, counts = np.unique(
        host_view(input), return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    results = [_uploaded(values, input)]
    shape = input.shape if axis is None else (input.shape[axis],)
    if return_inverse:
        results.append(upload(inverse.reshape(shape), dtypes.int64, input.device))
    if return_counts:
        results.append(upload(counts, dtypes.int64, input.device))
    return results[0] if len(results) == 1 else tuple(results)


def _unique_numbers(input: Tensor, return_inverse: bool, return_counts: bool) -> Any:
    """Count each whole number of a range, or return None where that is not worth it."""
    node = build.detach(input.node)
    many = node.numel > FEW and input.device.kind is DeviceKind.CPU
    if not many or not node.dtype.is_integral or node.dtype is dtypes.uint64:
        return None
    ends = [build.reduce(op, node, tuple(range(len(node.shape)))) for op in ENDS]
    realize(tuple(ends))
    low, high = (int(host_view(wrap(each)).reshape(-1)[0]) for each in ends)
    if (high - low + 1) * PER_NUMBER > node.numel:
        return None
    place = build.reshape(build.cast(node, dtypes.int64) - low, (node.numel,))
    base = build.constant(0, dtypes.int64, (high - low + 1,), node.device)
    one = build.constant(1, dtypes.int64, place.shape, node.device)
    adding = Indexing((0,), mode=ScatterMode.ADD)
    counts = host_view(wrap(build.scatter(base, one, (place,), adding)))
    found = np.flatnonzero(counts)
    results = [_uploaded((found + low).astype(to_numpy(node.dtype)), input)]
    if return_inverse:
        ranks = _counts(np.cumsum(counts > 0) - 1, input).node
        inverse = build.gather(ranks, (place,), Indexing((0,)), place.shape)
        results.append(wrap(build.reshape(inverse, node.shape)))
    if return_counts:
        results.append(_counts(counts[found], input))
    return results[0] if len(results) == 1 else tuple(results)


def _unique_elements(input: Tensor, return_inverse: bool, return_counts: bool) -> Any:
    """Sort on the device; what differs from its predecessor is a value."""
    counted = _unique_numbers(input, return_inverse, return_counts)
    if counted is not None:
        return counted
    ordered = sort(input.reshape(-1))
    line = host_view(ordered.values)
    starts = np.ones(len(line), bool)
    np.not_equal(line[1:], line[:-1], out=starts[1:])
    results = [_uploaded(line[starts], input)]
    if return_inverse:
        inverse = np.empty(len(line), np.int64)
        inverse[host_view(ordered.indices)] = np.cumsum(starts) - 1
        results.append(upload(inverse.reshape(input.shape), dtypes.int64, input.device))
    if return_counts:
        counts = np.diff(np.append(np.flatnonzero(starts), len(line)))
        results.append(upload(counts, dtypes.int64, input.device))
    return results[0] if len(results) == 1 else tuple(results)


@method
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Drop elements (or slices of an axis) equal to the one before them.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    return_inverse, return_counts : bool
        Also return where each element went, and how long each run is.
    dim : int, optional
        Compare whole slices of this axis; without it elements in row-major order.

    Returns
    -------
    Tensor, or a tuple of Tensor

    Examples
    --------
    >>> pumice.unique_consecutive(pumice.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    array = host_view(input)
    axis = 0 if dim is None else axis_of("unique_consecutive", dim, len(input.shape))
    lines = np.moveaxis(array.reshape(-1) if dim is None else array, axis, 0)
    starts = np.ones(len(lines), bool)
    changed = lines[1:] != lines[:-1]
    starts[1:] = changed.any(axis=tuple(range(1, changed.ndim)))
    results = [_uploaded(np.moveaxis(lines[starts], 0, axis), input)]
    if return_inverse:
        shape = input.shape if dim is None else (len(lines),)
        inverse = (np.cumsum(starts) - 1).reshape(shape)
        results.append(upload(inverse, dtypes.int64, input.device))
    if return_counts:
        places = np.flatnonzero(starts)
        counts = np.diff(np.append(places, len(lines)))
        results.append(upload(counts, dtypes.int64, input.device))
    return results[0] if len(results) == 1 else tuple(results)


def _negative() -> InvalidArgument:
    return InvalidArgument(describe("bincount", "got a negative element", "0 and more"))


def _largest(array: Any) -> int:
    """Return the largest element, -1 of none; no element may be negative."""
    if not array.size:
        return -1
    signed = array.dtype.kind == "i"
    # Without a sign a negative number is larger than all others.
    largest = int((array.view(f"u{array.itemsize}") if signed else array).max())
    if largest >> (8 * array.itemsize - 1 if signed else 63):
        raise _negative()
    return largest


def _few_counted(input: Tensor, minlength: int) -> Tensor:
    """Let the host count so few elements that calling a kernel takes longer."""
    array = host_view(input)
    if array.dtype == np.uint64:
        array = array.astype(np.int64)
    try:
        return _counts(np.bincount(array, minlength=max(int(minlength), 0)), input)
    except ValueError:
        raise _negative() from None


@method
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each non-negative integer occurs, or add weights.

    Parameters
    ----------
    input : Tensor
        1-D, integer, not negative.
    weights : Tensor, optional
        Added instead of 1.
    minlength : int
        Shortest result.

    Returns
    -------
    Tensor
        int64, or the weights' dtype.

    Raises
    ------
    InvalidArgument
        When an element is negative.

    Examples
    --------
    >>> import pumice
    >>> pumice.bincount(pumice.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    node = tensor_node("bincount", input)
    if not node.dtype.is_integral or len(node.shape) != 1:
        raise DTypeError(
            describe("bincount", f"got {node.dtype.name} of {len(node.shape)} axes", "1-D, integer")
        )
    if weights is None and node.numel <= FEW and input.device.kind is DeviceKind.CPU:
        return _few_counted(input, minlength)
    largest = _largest(host_view(input))
    count = max(largest + 1, minlength)
    if weights is None:
        added = build.constant(1, dtypes.int64, node.shape, node.device)
    else:
        added = tensor_node("bincount", weights, "weights")
        if not added.dtype.is_floating_point:
            added = build.cast(added, dtypes.float64)
    base = build.constant(0, added.dtype, (count,), node.device)
    if not node.numel:
        return wrap(base)
    place = build.cast(node, dtypes.int64)
    return wrap(build.scatter(base, added, (place,), Indexing((0,), mode=ScatterMode.ADD)))


@public
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Tell which elements occur among others.

    Parameters
    ----------
    elements, test_elements : Tensor or number
        At least one is a tensor.
    assume_unique : bool
        Accepted and ignored.
    invert : bool
        Tell which do not occur.

    Returns
    -------
    Tensor
        bool, the shape of ``elements``.

    Examples
    --------
    >>> pumice.isin(pumice.tensor([1, 2, 3]), pumice.tensor([2, 4]))
    tensor([False,  True, False])
    """
    values, tests = operand("isin", elements), operand("isin", test_elements)
    if not isinstance(values, Node):
        like = tensor_node("isin", test_elements, "test_elements")
        values = build.constant(values, like.dtype, (), like.device)
    if not isinstance(tests, Node):
        same = call("equal", values, tests)
        return wrap(~same if invert else same)
    wide = build.reshape(values, (*values.shape, 1))
    line = build.reshape(tests, (tests.numel,))
    found = fold(reduction.ANY, call("equal", wide, line), -1, False)
    return wrap(~found if invert else found)
