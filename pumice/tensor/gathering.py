"""Reading and writing elements at computed positions along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import Scalar
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import Indexing, ScatterMode
from pumice.tensor.axes import axis_of
from pumice.tensor.core import call, operand, tensor_node, wrap
from pumice.tensor.joining import taken_by
from pumice.tensor.marks import functional, inplace_method, method
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
    node, place = _lifted(node), _lifted(place)
    _check_index("gather", place, node, axis, "input")
    place = strict(place, node.shape[axis])
    argument = along(axis, len(node.shape), fills("gather", mode))
    return wrap(build.reshape(build.gather(node, (place,), argument, place.shape), shape))


def _source(operator: str, node: Node, place: Node, src: Any) -> Node:
    """Return what is scattered, cut to the index's shape."""
    value = operand(operator, src)
    if not isinstance(value, Node):
        return build.constant(value, node.dtype, place.shape, node.device)
    value = _lifted(value)
    if value.dtype is not node.dtype:
        raise DTypeError(
            describe(
                operator,
                f"src is {value.dtype.name}, input {node.dtype.name}",
                "they must have one dtype",
            )
        )
    _check_index(operator, place, value, -1, "src")
    for axis, extent in enumerate(place.shape):
        if value.shape[axis] != extent:
            value = build.slice_axis(value, axis, 0, extent)
    return value


def _scattered(
    operator: str, input: Tensor, dim: int, index: Tensor, src: Any, kind: ScatterMode, mode: str
) -> Node:
    node = tensor_node(operator, input)
    axis = axis_of(operator, dim, len(node.shape))
    shape = node.shape
    node, place = _lifted(node), _lifted(index_node(operator, index))
    if not place.numel:
        return build.reshape(node, shape)
    _check_index(operator, place, node, axis, "input")
    value = _source(operator, node, place, src)
    argument = along(axis, len(node.shape), fills(operator, mode), kind)
    place = strict(place, node.shape[axis])
    return build.reshape(build.scatter(node, value, (place,), argument), shape)


@inplace_method
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any,
    *,
    reduce: str | None = None,
    mode: str = "raise",
) -> Tensor:
    """Return a copy with elements along an axis replaced; the last write to a place wins.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    dim : int
        The axis.
    index : Tensor
        Integer, of the input's rank.
    src : Tensor or number
        Of the input's dtype, at least as large as the index.
    reduce : str, optional
        ``"add"`` or ``"multiply"`` instead of replacing.
    mode : str
        ``"raise"``, or ``"fill"``: writes out of range are dropped.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When ranks differ or the index is larger.

    Notes
    -----
    Gradient: 0 to replaced elements of the input, and to writes that were overwritten.

    Examples
    --------
    >>> import pumice
    >>> pumice.scatter(pumice.zeros(3), 0, pumice.tensor([1, 1]), pumice.tensor([5., 6.])).tolist()
    [0.0, 6.0, 0.0]
    """
    kind = ScatterMode.SET
    if reduce is not None:
        check_string("scatter", "reduce", reduce, ("add", "multiply"))
        kind = ScatterMode.ADD if reduce == "add" else ScatterMode.MULTIPLY
    return wrap(_scattered("scatter", input, dim, index, src, kind, mode))


@inplace_method
def scatter_add(
    input: Tensor, dim: int, index: Tensor, src: Tensor, *, mode: str = "raise"
) -> Tensor:
    """Return a copy with values added along an axis; parameters as in `scatter`.

    Examples
    --------
    >>> import pumice
    >>> index, src = pumice.tensor([1, 1]), pumice.tensor([5., 6.])
    >>> pumice.scatter_add(pumice.zeros(3), 0, index, src).tolist()
    [0.0, 11.0, 0.0]
    """
    return wrap(_scattered("scatter_add", input, dim, index, src, ScatterMode.ADD, mode))


_MODES = {
    "sum": ScatterMode.ADD,
    "mean": ScatterMode.ADD,
    "prod": ScatterMode.MULTIPLY,
    "amax": ScatterMode.MAXIMUM,
    "amin": ScatterMode.MINIMUM,
}


def _identity(kind: ScatterMode, node: Node) -> Scalar:
    match kind:
        case ScatterMode.MULTIPLY:
            return 1
        case ScatterMode.MAXIMUM:
            return reduction.lowest(node.dtype)
        case ScatterMode.MINIMUM:
            return reduction.highest(node.dtype)
        case _:
            return 0


@inplace_method
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    mode: str = "raise",
) -> Tensor:
    """Return a copy with values folded into elements along an axis.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    dim : int
        The axis.
    index : Tensor
        Integer, of the input's rank.
    src : Tensor
        Of the input's dtype, at least as large as the index.
    reduce : str
        ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
    include_self : bool
        Whether the elements already there take part.
    mode : str
        ``"raise"``, or ``"fill"``: writes out of range are dropped.

    Returns
    -------
    Tensor
        Untouched elements keep their value.

    Raises
    ------
    InvalidArgument
        For another ``reduce``.

    Examples
    --------
    >>> import pumice
    >>> index, src = pumice.tensor([0, 0]), pumice.tensor([5., 7.])
    >>> pumice.scatter_reduce(pumice.ones(1), 0, index, src, "mean", include_self=False).tolist()
    [6.0]
    """
    check_string("scatter_reduce", "reduce", reduce, tuple(_MODES))
    kind = _MODES[reduce]
    node = tensor_node("scatter_reduce", input)
    ones = wrap(build.constant(1, dtypes.int64, node.shape, node.device))
    zeros = wrap(build.constant(0, dtypes.int64, node.shape, node.device))
    counts = _scattered(
        "scatter_reduce", ones if include_self else zeros, dim, index, 1, ScatterMode.ADD, mode
    )
    base = node
    if not include_self:
        base = counts.ne(0).select(_identity(kind, node), node)
    result = _scattered("scatter_reduce", wrap(base), dim, index, src, kind, mode)
    if reduce == "mean":
        divisor = build.cast((counts < 1).select(1, counts), node.dtype)
        name = "div" if node.dtype.is_floating_point else "floor_divide"
        result = call(name, result, divisor)
    return wrap(result)


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


def _written(
    operator: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Any,
    kind: ScatterMode,
    alpha: Scalar = 1,
) -> Tensor:
    """Write whole slices at positions of an axis."""
    node = tensor_node(operator, input)
    axis = axis_of(operator, dim, len(node.shape))
    place = _vector(operator, index)
    base = _lifted(node)
    shape = (*base.shape[:axis], place.shape[0], *base.shape[axis + 1 :])
    value = operand(operator, source)
    if not isinstance(value, Node) or not value.shape:
        number = value if isinstance(value, Node) else build.constant(value, node.dtype, ())
        value = build.expand(build.cast(number, node.dtype), shape)
    value = _lifted(value)
    if value.shape != shape or value.dtype is not node.dtype:
        raise ShapeError(
            describe(
                operator,
                f"source is {value.dtype.name} of shape {list(value.shape)}",
                f"it must be {node.dtype.name} of shape {list(shape)}",
            )
        )
    if alpha != 1:
        value = value * alpha
    ones = (1,) * (len(shape) - axis - 1)
    spread = build.expand(
        build.reshape(strict(place, base.shape[axis]), (place.shape[0], *ones)), shape
    )
    argument = along(axis, len(shape), False, kind)
    return wrap(build.reshape(build.scatter(base, value, (spread,), argument), node.shape))


@inplace_method
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1
) -> Tensor:
    """Return a copy with slices of ``source`` added at positions of an axis.

    Examples
    --------
    >>> import pumice
    >>> index, source = pumice.tensor([1, 1]), pumice.tensor([5., 6.])
    >>> pumice.index_add(pumice.zeros(3), 0, index, source).tolist()
    [0.0, 11.0, 0.0]
    """
    return _written("index_add", input, dim, index, source, ScatterMode.ADD, alpha)


@inplace_method
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return a copy with slices of ``source`` in place of those at positions of an axis."""
    return _written("index_copy", input, dim, index, source, ScatterMode.SET)


@inplace_method
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return a copy with slices at positions of an axis filled with one number."""
    number = operand("index_fill", value)
    if isinstance(number, Node) and number.shape:
        raise ShapeError(
            describe("index_fill", f"value has shape {list(number.shape)}", "it must be 0-d")
        )
    return _written("index_fill", input, dim, index, value, ScatterMode.SET)


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


@functional
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
