"""Joining tensors, repeating and rotating their elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.structure import Indexing
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import public
from pumice.tensor.movement import reshape, unsqueeze
from pumice.tensor.operands import tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def promoted(nodes: list[Node]) -> list[Node]:
    """Convert nodes to their common dtype."""
    dtype: DType = nodes[0].dtype
    for node in nodes[1:]:
        dtype = dtypes.promote_types(dtype, node.dtype)
    return [build.cast(node, dtype) for node in nodes]


def _nodes(operator: str, tensors: Sequence[Tensor]) -> list[Node]:
    nodes = [tensor_node(operator, tensor, "tensors") for tensor in tensors]
    if not nodes:
        raise InvalidArgument(describe(operator, "got no tensors", "at least one is needed"))
    return promoted(nodes)


@public
def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Join tensors along an existing axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Equal shapes but for the joined axis; 1-D empty tensors are skipped. Dtypes promote.
    dim, axis : int
        The axis.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When other axes differ.

    Notes
    -----
    Gradient: each tensor gets its part.

    Examples
    --------
    >>> import pumice
    >>> pumice.cat([pumice.tensor([1]), pumice.tensor([2, 3])])
    tensor([1, 2, 3])
    """
    nodes = _nodes("cat", tensors)
    kept = [node for node in nodes if node.shape != (0,)] or nodes
    rank = len(kept[0].shape)
    if rank == 0:
        raise ShapeError(describe("cat", "got a 0-d tensor", "at least one axis is needed"))
    place = axis_of("cat", dim if axis is None else axis, rank)
    first = kept[0].shape
    for node in kept[1:]:
        same = len(node.shape) == rank and all(
            left == right or position == place
            for position, (left, right) in enumerate(zip(first, node.shape, strict=True))
        )
        if not same:
            raise ShapeError(
                describe(
                    "cat",
                    f"shapes {list(first)} and {list(node.shape)} differ outside axis {place}",
                    "every other axis must be equal",
                )
            )
    return wrap(build.concatenate(kept, place))


@public
def concat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along an existing axis; another name of `cat`.

    Examples
    --------
    >>> pumice.concat((pumice.tensor([1, 2]), pumice.tensor([3])))
    tensor([1, 2, 3])
    """
    return cat(tensors, dim)


@public
def concatenate(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along an existing axis; the NumPy name of `cat`.

    Examples
    --------
    >>> pumice.concatenate((pumice.tensor([1, 2]), pumice.tensor([3])))
    tensor([1, 2, 3])
    """
    return cat(tensors, dim)


@public
def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Join tensors of equal shape along a new axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Equal shapes; dtypes promote.
    dim, axis : int
        Place of the new axis.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When shapes differ.

    Examples
    --------
    >>> import pumice
    >>> pumice.stack([pumice.tensor([1, 2]), pumice.tensor([3, 4])], 1)
    tensor([[1, 3],
            [2, 4]])
    """
    nodes = _nodes("stack", tensors)
    shape = nodes[0].shape
    place = axis_of("stack", dim if axis is None else axis, len(shape) + 1)
    for node in nodes:
        if node.shape != shape:
            raise ShapeError(
                describe(
                    "stack",
                    f"shapes {list(shape)} and {list(node.shape)} differ",
                    "all tensors must have one shape",
                )
            )
    wider = (*shape[:place], 1, *shape[place:])
    return wrap(build.concatenate([build.reshape(node, wider) for node in nodes], place))


def _each(lift: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    """Apply to one tensor, or to each of several."""
    listed = len(tensors) == 1 and isinstance(tensors[0], (tuple, list))
    given = tensors[0] if listed else tensors
    if len(tensors) == 1 and not listed:
        return lift(tensors[0])
    return tuple(lift(each) for each in given)


def _lifted_1d(input: Tensor) -> Tensor:
    return input if input.shape else reshape(input, (1,))


@public
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Return the tensor with at least one axis. Several give a tuple.

    Examples
    --------
    >>> pumice.atleast_1d(pumice.tensor(3))
    tensor([3])
    """
    return _each(_lifted_1d, tensors)


def _lifted_2d(input: Tensor) -> Tensor:
    return input if len(input.shape) > 1 else unsqueeze(_lifted_1d(input), 0)


@public
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Return the tensor with at least two axes, new ones in front. Several give a tuple.

    Examples
    --------
    >>> pumice.atleast_2d(pumice.tensor([3, 4]))
    tensor([[3, 4]])
    """
    return _each(_lifted_2d, tensors)


def _lifted_3d(input: Tensor) -> Tensor:
    return input if len(input.shape) > 2 else unsqueeze(_lifted_2d(input), -1)


@public
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Return the tensor with at least three axes, new ones around it. Several give a tuple.

    Examples
    --------
    >>> pumice.atleast_3d(pumice.tensor([3, 4])).shape
    (1, 2, 1)
    """
    return _each(_lifted_3d, tensors)


@public
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join along the second axis, 1-D tensors along their only one.

    Examples
    --------
    >>> pumice.hstack((pumice.tensor([1, 2]), pumice.tensor([3])))
    tensor([1, 2, 3])
    """
    wide = [_lifted_1d(tensor) for tensor in tensors]
    return cat(wide, 0 if wide and len(wide[0].shape) == 1 else 1)


@public
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join as rows, along the first axis.

    Examples
    --------
    >>> pumice.vstack((pumice.tensor([1, 2]), pumice.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([_lifted_2d(tensor) for tensor in tensors], 0)


@public
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Join as rows; another name of `vstack`.

    Examples
    --------
    >>> pumice.row_stack((pumice.tensor([1, 2]), pumice.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """
    return vstack(tensors)


@public
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join along the third axis.

    Examples
    --------
    >>> pumice.dstack((pumice.tensor([1, 2]), pumice.tensor([3, 4]))).tolist()
    [[[1, 3], [2, 4]]]
    """
    return cat([_lifted_3d(tensor) for tensor in tensors], 2)


@public
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Join as columns: 1-D tensors become columns of a matrix.

    Examples
    --------
    >>> pumice.column_stack((pumice.tensor([1, 2]), pumice.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """
    columns = [
        reshape(tensor, (prod(tensor.shape), 1)) if len(tensor.shape) < 2 else tensor
        for tensor in tensors
    ]
    return cat(columns, 1)


def taken_by(node: Node, axis: int, index: Node, fill: bool = False) -> Node:
    """Read elements of an axis at 1-D positions."""
    shape = (*node.shape[:axis], *index.shape, *node.shape[axis + 1 :])
    ones = (1,) * (len(node.shape) - axis - 1)
    spread = build.expand(build.reshape(index, (*index.shape, *ones)), shape)
    axes = tuple(0 if each == axis else -1 - each for each in range(len(node.shape)))
    return build.gather(node, (spread,), Indexing(axes, fill), shape)
