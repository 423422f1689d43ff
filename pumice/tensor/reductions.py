"""Folds over axes: sums, products, extremes, positions of extremes."""

from __future__ import annotations

import builtins
from math import prod as product
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import (
    DTypeError,
    IndexOutOfRange,
    InvalidArgument,
    ShapeError,
    describe,
)
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.definition import Reduction
from pumice.ops.structure import Indexing
from pumice.ops.view import Shape
from pumice.tensor.axes import Dims, axes_of, shape_argument
from pumice.tensor.core import wrap
from pumice.tensor.marks import method
from pumice.tensor.operands import tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def dims_argument(dim: Dims, axis: Dims) -> Dims:
    """Return the axes given by either of two keywords."""
    return axis if dim is None else dim


def dropped(node: Node, axes: Shape, keepdim: bool) -> Node:
    """Remove reduced axes unless they are kept."""
    if keepdim:
        return node
    kept = tuple(extent for axis, extent in enumerate(node.shape) if axis not in axes)
    return build.reshape(node, kept)


def fold(op: Reduction, node: Node, dims: Dims, keepdim: bool, operator: str = "") -> Node:
    """Fold over axes, all by default."""
    axes = axes_of(operator or op.name, dims, len(node.shape))
    if not axes:
        return _folded_scalar(op, node)
    return dropped(build.reduce(op, node, axes), axes, keepdim)


def _folded_scalar(op: Reduction, node: Node) -> Node:
    """Fold a 0-d tensor: over one axis of extent 1."""
    return build.reshape(build.reduce(op, build.reshape(node, (1,)), (0,)), ())


def check_not_empty(operator: str, shape: Shape, axes: Shape) -> None:
    """Refuse folds that have no value for nothing."""
    if 0 in [shape[axis] for axis in axes]:
        raise IndexOutOfRange(
            describe(
                operator,
                f"cannot fold over an axis without elements: shape {list(shape)}",
                "every reduced axis must have at least one element",
            )
        )


def _sum_input(operator: str, input: Any, dtype: DType | None) -> Node:
    node = tensor_node(operator, input)
    return node if dtype is None else build.cast(node, dtype)


@method
def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Add elements along axes.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim, axis : int, sequence of int or None
        The axes; all by default.
    keepdim, keepdims : bool
        Keep reduced axes with extent 1.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor
        int64 for integers and bool, else the input's dtype; 16-bit floats are summed in float32.

    Notes
    -----
    Gradient: g for every element.

    Examples
    --------
    >>> import pumice
    >>> pumice.sum(pumice.tensor([[1, 2], [3, 4]]), 0)
    tensor([4, 6])
    """
    node = _sum_input("sum", input, dtype)
    result = fold(reduction.SUM, node, dims_argument(dim, axis), keepdim or keepdims)
    return wrap(result if dtype is None else build.cast(result, dtype))


@method
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Add up axes until the tensor has a shape that broadcasts to its own.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    size : int or sequence of int
        The shape: each axis is the input's or 1, axes in front may be missing.

    Returns
    -------
    Tensor
        int64 for added integers and bool, else the input's dtype.

    Raises
    ------
    ShapeError
        When the shape does not broadcast to the input's.

    Examples
    --------
    >>> import pumice
    >>> pumice.sum_to_size(pumice.ones(2, 3), 1, 3)
    tensor([[2., 2., 2.]])
    """
    node, wanted = tensor_node("sum_to_size", input), shape_argument("sum_to_size", size)
    lead = len(node.shape) - len(wanted)
    pairs = zip(reversed(wanted), reversed(node.shape), strict=False)
    if lead < 0 or builtins.any(extent not in (1, own) for extent, own in pairs):
        raise ShapeError(
            describe(
                "sum_to_size",
                f"shape {list(wanted)} does not broadcast to {list(node.shape)}",
                "each axis must be the tensor's or 1",
            )
        )
    axes = tuple(
        axis
        for axis, own in enumerate(node.shape)
        if axis < lead or (wanted[axis - lead] == 1 and own != 1)
    )
    if not wanted:
        return wrap(fold(reduction.SUM, node, None, False))
    total = build.reduce(reduction.SUM, node, axes) if axes else node
    return wrap(build.reshape(total, wanted))


@method
def prod(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Multiply elements along axes; parameters as in `sum`.

    Notes
    -----
    Gradient: g times the product of the other elements, finite at zeros.

    Examples
    --------
    >>> import pumice
    >>> pumice.prod(pumice.tensor([2., 3.]))
    tensor(6.)
    """
    node = _sum_input("prod", input, dtype)
    result = fold(reduction.PROD, node, dims_argument(dim, axis), keepdim or keepdims)
    return wrap(result if dtype is None else build.cast(result, dtype))


def _amount(op: Reduction, input: Tensor, dims: Dims, keepdim: bool) -> Tensor:
    node = tensor_node(op.name, input)
    check_not_empty(op.name, node.shape, axes_of(op.name, dims, len(node.shape)))
    return wrap(fold(op, node, dims, keepdim))


@method
def amax(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the largest element along axes; NaN wins.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim, axis : int, sequence of int or None
        The axes; all by default.
    keepdim, keepdims : bool
        Keep reduced axes with extent 1.

    Returns
    -------
    Tensor
        The input's dtype.

    Raises
    ------
    IndexOutOfRange
        When a reduced axis is empty.

    Notes
    -----
    Gradient: shared evenly among equal largest elements.

    Examples
    --------
    >>> import pumice
    >>> pumice.amax(pumice.tensor([[1, 5], [3, 4]]), 1)
    tensor([5, 4])
    """
    return _amount(reduction.AMAX, input, dims_argument(dim, axis), keepdim or keepdims)


@method
def amin(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the smallest element along axes; NaN wins. Parameters as in `amax`.

    Examples
    --------
    >>> import pumice
    >>> pumice.amin(pumice.tensor([[1, 5], [3, 4]]), 1)
    tensor([1, 3])
    """
    return _amount(reduction.AMIN, input, dims_argument(dim, axis), keepdim or keepdims)


def _truth(op: Reduction, node: Node, dims: Dims, keepdim: bool) -> Node:
    """Fold to bool; uint8 stays uint8, as in PyTorch."""
    result = fold(op, node, dims, keepdim)
    return build.cast(result, dtypes.uint8) if node.dtype is dtypes.uint8 else result


@method
def any(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Tell whether some element along axes is not zero (NaN is not).

    Returns
    -------
    Tensor
        bool; uint8 for uint8.

    Examples
    --------
    >>> import pumice
    >>> pumice.any(pumice.tensor([0, 2]))
    tensor(True)
    """
    node = tensor_node("any", input)
    return wrap(_truth(reduction.ANY, node, dims_argument(dim, axis), keepdim or keepdims))


@method
def all(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Tell whether every element along axes is not zero.

    Returns
    -------
    Tensor
        bool; uint8 for uint8.

    Examples
    --------
    >>> import pumice
    >>> pumice.all(pumice.tensor([0, 2]))
    tensor(False)
    """
    node = tensor_node("all", input)
    return wrap(_truth(reduction.ALL, node, dims_argument(dim, axis), keepdim or keepdims))


def pick_along(node: Node, index: Node, axis: int) -> Node:
    """Read one element per index along an axis; index has the operand's rank."""
    axes = tuple(0 if each == axis else -1 - each for each in range(len(node.shape)))
    return build.gather(node, (index,), Indexing(axes), index.shape)


@method
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """Count elements that are not zero along axes.

    Returns
    -------
    Tensor
        int64

    Examples
    --------
    >>> import pumice
    >>> pumice.count_nonzero(pumice.tensor([0, 2, 3]))
    tensor(2)
    """
    return wrap(fold(reduction.SUM, input.node.ne(0), dim, False, "count_nonzero"))


def float_node(operator: str, node: Node, dtype: DType | None = None) -> Node:
    """Return a node of a floating dtype; integers and bool become the default float."""
    if dtype is not None:
        if not dtype.is_floating_point:
            raise DTypeError(describe(operator, f"got dtype {dtype.name}", "a floating type"))
        return build.cast(node, dtype)
    return node if node.dtype.is_floating_point else build.cast(node, dtypes.default_float())


def extent_of(shape: Shape, axes: Shape) -> int:
    """Return how many elements one result is folded from."""
    return product(shape[axis] for axis in axes)


def check_string(operator: str, name: str, value: str, allowed: builtins.tuple[str, ...]) -> None:
    """Refuse strings that are none of the allowed ones."""
    if value not in allowed:
        listed = ", ".join(repr(each) for each in allowed)
        raise InvalidArgument(describe(operator, f"got {name}={value!r}", f"allowed are {listed}"))
