"""Reading and writing elements at computed positions along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.structure import Indexing, ScatterMode
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.joining import taken_by
from pumice.tensor.marks import functional, method, public
from pumice.tensor.operands import tensor_node
from pumice.tensor.reductions import check_string

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def index_node(operator: str, index: Any, name: str = "index") -> Node:
    """Return an integer tensor argument as int64."""
    node = tensor_node(operator, index, name)
    if not node.dtype.is_integral:
        raise DTypeError(
            describe(operator, f"{name} is {node.dtype.name}", "it must be an integer tensor")
        )
    return build.cast(node, dtypes.int64)


def strict(index: Node, extent: int) -> Node:
    """Put negative positions out of range: these functions do not count from the end."""
    return (index < 0).select(extent, index)


def fills(operator: str, mode: str) -> bool:
    """Return whether positions out of range read 0 and drop writes."""
    check_string(operator, "mode", mode, ("raise", "fill"))
    return mode == "fill"


def along(axis: int, rank: int, fill: bool, mode: ScatterMode = ScatterMode.SET) -> Indexing:
    """Return how one axis is indexed and the others follow the position."""
    axes = tuple(0 if each == axis else -1 - each for each in range(rank))
    return Indexing(axes, fill, mode)


def _check_index(operator: str, index: Node, node: Node, axis: int, what: str) -> None:
    fits = len(index.shape) == len(node.shape) and all(
        extent <= whole or position == axis
        for position, (extent, whole) in enumerate(zip(index.shape, node.shape, strict=False))
    )
    if not fits:
        raise ShapeError(
            describe(
                operator,
                f"index has shape {list(index.shape)}, {what} {list(node.shape)}",
                f"index must have the same rank and be no larger outside axis {axis}",
            )
        )


def _lifted(node: Node) -> Node:
    """Return a node with at least one axis."""
    return node if node.shape else build.reshape(node, (1,))


@method
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, mode: str = "raise"
) -> Tensor:
    """Read one element per index along an axis.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    dim : int
        The axis.
    index : Tensor
        Integer, of the input's rank and no larger outside the axis.
    sparse_grad : bool
        Accepted and ignored.
    mode : str
        ``"raise"``, or ``"fill"``: positions out of range read 0.

    Returns
    -------
    Tensor
        Of the index's shape.

    Raises
    ------
    ShapeError
        When ranks differ or the index is larger.
    IndexOutOfRange
        When a position does not exist (at evaluation).

    Notes
    -----
    ``result[i][j] = input[index[i][j]][j]`` for axis 0. Gradient: added up at the positions read.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([[1, 2], [3, 4]])
    >>> pumice.gather(x, 1, pumice.tensor([[1], [0]])).tolist()
    [[2], [3]]
    """
    node = tensor_node("gather", input)
    axis = axis_of("gather", dim, len(node.shape))
    place = index_node("gather", index)
    shape = place.shape
    if not place.numel:
        none = build.slice_axis(build.reshape(node, (node.numel,)), 0, 0, 0)
        return wrap(build.reshape(none, shape))
    node, place = _lifted(node), _lifted(place)
    _check_index("gather", place, node, axis, "input")
    place = strict(place, node.shape[axis])
    argument = along(axis, len(node.shape), fills("gather", mode))
    return wrap(build.reshape(build.gather(node, (place,), argument, place.shape), shape))


@method
def index_select(input: Tensor, dim: int, index: Tensor, *, mode: str = "raise") -> Tensor:
    """Read whole slices at positions of an axis.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    dim : int
        The axis.
    index : Tensor
        1-D or 0-d, integer.
    mode : str
        ``"raise"``, or ``"fill"``: positions out of range read 0.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the index has more than one axis.

    Examples
    --------
    >>> import pumice
    >>> pumice.index_select(pumice.tensor([5, 6, 7]), 0, pumice.tensor([2, 0]))
    tensor([7, 5])
    """
    node = tensor_node("index_select", input)
    axis = axis_of("index_select", dim, len(node.shape))
    place = _vector("index_select", index)
    lifted = _lifted(node)
    place = strict(place, lifted.shape[axis])
    result = taken_by(lifted, axis, place, fills("index_select", mode))
    return wrap(result if node.shape else build.reshape(result, ()))


def _vector(operator: str, index: Any) -> Node:
    place = index_node(operator, index)
    if len(place.shape) > 1:
        raise ShapeError(
            describe(operator, f"index has shape {list(place.shape)}", "it must be 1-D")
        )
    return _lifted(place)


@method
def take(input: Tensor, index: Tensor, *, mode: str = "raise") -> Tensor:
    """Read elements at positions of the flattened input.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    index : Tensor
        Integer, any shape; negative counts from the end.
    mode : str
        ``"raise"``, or ``"fill"``: positions out of range read 0.

    Returns
    -------
    Tensor
        Of the index's shape.

    Examples
    --------
    >>> import pumice
    >>> pumice.take(pumice.tensor([[1, 2], [3, 4]]), pumice.tensor([3, 0]))
    tensor([4, 1])
    """
    node = tensor_node("take", input)
    place = index_node("take", index)
    flat = build.reshape(node, (node.numel,))
    return wrap(build.gather(flat, (place,), Indexing((0,), fills("take", mode)), place.shape))


@method
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Read one element per index along an axis; the other axes broadcast.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([[3, 1], [2, 4]])
    >>> pumice.take_along_dim(x, pumice.argsort(x, 1), 1).tolist()
    [[1, 3], [2, 4]]
    """
    node = tensor_node("take_along_dim", input)
    place = index_node("take_along_dim", indices, "indices")
    if dim is None:
        node, place = build.reshape(node, (node.numel,)), build.reshape(place, (place.numel,))
        return wrap(build.gather(node, (place,), Indexing((0,)), place.shape))
    axis = axis_of("take_along_dim", dim, len(node.shape))
    if len(node.shape) != len(place.shape):
        raise ShapeError(
            describe(
                "take_along_dim",
                f"shapes {list(node.shape)} and {list(place.shape)} differ in rank",
            )
        )
    thin = (*node.shape[:axis], 1, *node.shape[axis + 1 :])
    shape = list(build.broadcast_shapes("take_along_dim", thin, _without(place, axis)))
    shape[axis] = place.shape[axis]
    place = build.expand(place, tuple(shape))
    shape[axis] = node.shape[axis]
    node = build.expand(node, tuple(shape))
    return wrap(build.gather(node, (place,), along(axis, len(shape), False), place.shape))


def _without(node: Node, axis: int) -> tuple[int, ...]:
    return (*node.shape[:axis], 1, *node.shape[axis + 1 :])


@public
def one_hot(index: Tensor, num_classes: int = -1, *, mode: str = "raise") -> Tensor:
    """Return rows with a single 1 at each index, along a new last axis.

    Parameters
    ----------
    index : Tensor
        Integer.
    num_classes : int
        Length of the rows; -1 takes the largest index plus one (evaluated first).
    mode : str
        ``"raise"``, or ``"fill"``: an index out of range gives a row of zeros.

    Returns
    -------
    Tensor
        int64

    Raises
    ------
    DTypeError
        When the index is not integer.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.one_hot(pumice.tensor([1, 0]), 3).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    place = index_node("one_hot", index)
    count = num_classes
    if count == -1:
        if not place.numel:
            raise InvalidArgument(
                describe("one_hot", "cannot infer num_classes from nothing", "give num_classes")
            )
        count = int(wrap(place).max().item()) + 1
    if count < 1:
        raise InvalidArgument(
            describe("one_hot", f"got num_classes={num_classes}", "a positive number, or -1")
        )
    shape = (*place.shape, count)
    if not fills("one_hot", mode):
        classes = build.iota((count,), place.device)
        place = build.gather(classes, (strict(place, count),), Indexing((0,)), place.shape)
    columns = build.expand(build.iota((count,), place.device), shape)
    rows = build.expand(build.reshape(place, (*place.shape, 1)), shape)
    return wrap(build.cast(rows.eq(columns), dtypes.int64))


@functional
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Read rows of a table.

    Parameters
    ----------
    input : Tensor
        Integer, any shape.
    weight : Tensor
        (rows, features)
    padding_idx : int, optional
        A row that receives no gradient.
    max_norm, norm_type, scale_grad_by_freq, sparse
        Must keep their defaults.

    Returns
    -------
    Tensor
        The input's shape with the features appended.

    Raises
    ------
    IndexOutOfRange
        When a row does not exist (at evaluation).

    Examples
    --------
    >>> import pumice
    >>> table = pumice.tensor([[1., 2.], [3., 4.]])
    >>> pumice.nn.functional.embedding(pumice.tensor([1]), table).tolist()
    [[3.0, 4.0]]
    """
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise InvalidArgument(
            describe(
                "embedding",
                "max_norm, scale_grad_by_freq and sparse have no effect here",
                "leave them at their defaults",
            )
        )
    place = index_node("embedding", input, "input")
    table = tensor_node("embedding", weight, "weight")
    if len(table.shape) != 2:
        raise ShapeError(describe("embedding", f"weight has shape {list(table.shape)}", "2-D"))
    shape = (*place.shape, table.shape[1])
    where = build.expand(build.reshape(strict(place, table.shape[0]), (*place.shape, 1)), shape)
    rows = build.gather(table, (where,), Indexing((0, -len(shape))), shape)
    if padding_idx is not None and rows.requires_grad:
        ignored = where.eq(padding_idx % table.shape[0])
        rows = ignored.select(build.detach(rows), rows)
    return wrap(rows)
