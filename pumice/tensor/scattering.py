"""Writing elements at computed positions along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import Scalar
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import ScatterMode
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.gathering import _check_index, _lifted, _vector, along, fills, index_node, strict
from pumice.tensor.marks import inplace_method
from pumice.tensor.operands import call, operand, tensor_node
from pumice.tensor.reductions import check_string

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _check_dtype(operator: str, value: Node, node: Node) -> None:
    if value.dtype is not node.dtype:
        raise DTypeError(
            describe(
                operator,
                f"src is {value.dtype.name}, input {node.dtype.name}",
                "they must have one dtype",
            )
        )


def _source(operator: str, node: Node, place: Node, src: Any) -> Node:
    """Return what is scattered, cut to the index's shape."""
    value = operand(operator, src)
    if not isinstance(value, Node):
        return build.constant(value, node.dtype, place.shape, node.device)
    value = _lifted(value)
    _check_dtype(operator, value, node)
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
        base = build.cast(counts.ne(0).select(_identity(kind, node), node), node.dtype)
    if reduce == "mean":
        return wrap(_mean("scatter_reduce", base, dim, index, src, mode, counts))
    return wrap(_scattered("scatter_reduce", wrap(base), dim, index, src, kind, mode))


def _mean(
    operator: str, base: Node, dim: int, index: Tensor, src: Any, mode: str, counts: Node
) -> Node:
    """Return sums over counts, in a dtype that holds both."""
    floating = base.dtype.is_floating_point
    wide = base.dtype
    if wide.itemsize < 4:
        wide = dtypes.float32 if floating else dtypes.int64
    given = tensor_node(operator, src, "src")
    _check_dtype(operator, given, base)
    value = wrap(build.cast(given, wide))
    total = _scattered(
        operator, wrap(build.cast(base, wide)), dim, index, value, ScatterMode.ADD, mode
    )
    divisor = build.cast((counts < 1).select(1, counts), wide)
    result = call("div" if floating else "floor_divide", total, divisor)
    return build.cast(result, base.dtype)


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
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Return a copy with slices of ``source`` folded into those at positions of an axis.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    dim : int
        The axis.
    index : Tensor
        1-D, integer: where along the axis each slice goes.
    source : Tensor
        Of the input's dtype and shape, but as long as the index along the axis.
    reduce : str
        ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; `index_add` sums.
    include_self : bool
        Whether the elements already there take part.

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
    >>> index, source = pumice.tensor([1, 1]), pumice.tensor([5., 6.])
    >>> pumice.index_reduce(pumice.ones(3), 0, index, source, "prod").tolist()
    [1.0, 30.0, 1.0]
    """
    check_string("index_reduce", "reduce", reduce, ("prod", "mean", "amax", "amin"))
    node = tensor_node("index_reduce", input)
    axis = axis_of("index_reduce", dim, len(node.shape))
    base, place = _lifted(node), _vector("index_reduce", index)
    value = _slices("index_reduce", source, base, axis, place.shape[0])
    column = build.reshape(place, (place.shape[0], *(1 for _ in base.shape[axis + 1 :])))
    places = wrap(build.expand(column, value.shape))
    result = scatter_reduce(
        wrap(base), axis, places, wrap(value), reduce, include_self=include_self
    )
    return wrap(build.reshape(result.node, node.shape))


def _slices(operator: str, source: Any, base: Node, axis: int, count: int) -> Node:
    """Return a source that holds as many slices of an axis as are written."""
    value = tensor_node(operator, source, "source")
    _check_dtype(operator, value, base)
    shape = (*base.shape[:axis], count, *base.shape[axis + 1 :])
    if _lifted(value).shape != shape:
        raise ShapeError(
            describe(
                operator,
                f"source has shape {list(value.shape)}",
                f"it must have shape {list(shape)}",
            )
        )
    return _lifted(value)


@inplace_method
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return a copy with slices of ``source`` in place of those at positions of an axis.

    Examples
    --------
    >>> pumice.index_copy(pumice.zeros(3), 0, pumice.tensor([2, 0]), pumice.tensor([5., 6.]))
    tensor([6., 0., 5.])
    """
    return _written("index_copy", input, dim, index, source, ScatterMode.SET)


@inplace_method
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return a copy with slices at positions of an axis filled with one number.

    Examples
    --------
    >>> pumice.index_fill(pumice.zeros(3), 0, pumice.tensor([2, 0]), 7)
    tensor([7., 0., 7.])
    """
    number = operand("index_fill", value)
    if isinstance(number, Node) and number.shape:
        raise ShapeError(
            describe("index_fill", f"value has shape {list(number.shape)}", "it must be 0-d")
        )
    return _written("index_fill", input, dim, index, value, ScatterMode.SET)
