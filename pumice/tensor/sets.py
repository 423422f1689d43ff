"""Functions whose result's size depends on values: they evaluate their input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import Indexing, ScatterMode
from pumice.tensor.axes import axis_of
from pumice.tensor.conversion import host_view
from pumice.tensor.convert import from_bits, upload
from pumice.tensor.core import wrap
from pumice.tensor.marks import method, public
from pumice.tensor.operands import call, operand, tensor_node
from pumice.tensor.reductions import fold
from pumice.tensor.sorting import sort

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _uploaded(array: Any, like: Tensor) -> Tensor:
    """Return a host array of the tensor's own type on its device."""
    plain = np.ascontiguousarray(array)
    if like.device.kind.value == "cpu":
        return from_bits(plain.reshape(-1).view(np.uint8), like.dtype, plain.shape)
    return upload(plain, like.dtype, like.device)


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


def _unique_elements(input: Tensor, return_inverse: bool, return_counts: bool) -> Any:
    """Sort on the device; what differs from its predecessor is a value."""
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
    largest = -1
    if node.numel:
        host = host_view(input)
        largest = int(host.max())
        if int(host.min()) < 0:
            raise InvalidArgument(describe("bincount", "got a negative element", "0 and more"))
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
