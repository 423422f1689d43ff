"""Quantiles, covariance, histograms, integrals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, promote_types
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import Indexing, ScatterMode
from pumice.tensor.axes import axis_of
from pumice.tensor.convert import tensor as make_tensor
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.gathering import along
from pumice.tensor.marks import method, public
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.products import matmul_node
from pumice.tensor.reductions import check_string, float_node, fold
from pumice.tensor.scans import cumsum
from pumice.tensor.sorting import sort

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def _quantile(
    operator: str, input: Any, q: Any, dim: int | None, keepdim: bool, method_name: str, skip: bool
) -> Tensor:
    check_string(operator, "interpolation", method_name, METHODS)
    node = float_node(operator, tensor_node(operator, input))
    given = q if isinstance(q, TensorBase) else make_tensor(q, dtype=node.dtype, device=node.device)
    shares = given.node
    rank = len(node.shape)
    axis = 0 if dim is None else axis_of(operator, dim, rank)
    line = build.reshape(node, (node.numel,)) if dim is None or not rank else node
    order = [each for each in range(len(line.shape)) if each != axis] + [axis]
    ordered = sort(wrap(build.permute(line, tuple(order)))).values.node
    count = ordered.shape[-1]
    if not count:
        raise ShapeError(describe(operator, "got an empty axis", "at least one element"))
    missing = call("isnan", ordered)
    lead = ordered.shape[:-1]
    valid = build.reduce(reduction.SUM, ~missing, (len(lead),))
    wanted = build.reshape(shares, (*(1 for _ in lead), shares.numel))
    last = build.cast(valid - 1, node.dtype) if skip else float(count - 1)
    rank_of = call("mul", wanted, last)
    places = build.expand(call("clamp_min", rank_of, 0), (*lead, shares.numel))
    result = _between(ordered, places, method_name)
    unknown = valid.eq(0) if skip else valid.ne(count)
    result = build.expand(unknown, result.shape).select(float("nan"), result)
    front = build.permute(result, (len(lead), *range(len(lead))))
    kept = list(lead)
    if keepdim:
        kept = [1] * rank if dim is None or not rank else [*kept[:axis], 1, *kept[axis:]]
    return wrap(build.reshape(front, (*shares.shape, *kept)))


def _between(ordered: Node, places: Node, method_name: str) -> Node:
    """Read sorted elements at fractional positions."""
    rank = len(ordered.shape)

    def at(position: Node) -> Node:
        index = build.cast(position, dtypes.int64)
        return build.gather(ordered, (index,), along(rank - 1, rank, False), index.shape)

    low, high = call("floor", places), call("ceil", places)
    match method_name:
        case "lower":
            return at(low)
        case "higher":
            return at(high)
        case "nearest":
            return at(call("round", places))
        case "midpoint":
            return at(low) + (at(high) - at(low)) * 0.5
        case _:
            return at(low) + (at(high) - at(low)) * (places - low)


@method
def quantile(
    input: Tensor,
    q: Tensor | float | Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Return the elements below which given shares of an axis lie.

    Parameters
    ----------
    input : Tensor
        Floating.
    q : float or 1-D Tensor
        Shares, 0 to 1; several add a first axis to the result.
    dim : int, optional
        The axis; all elements by default.
    keepdim : bool
        Keep the axis with extent 1.
    interpolation : str
        Between neighbours: ``"linear"``, ``"lower"``, ``"higher"``, ``"nearest"`` or
        ``"midpoint"``.

    Returns
    -------
    Tensor
        NaN where the axis holds one.

    Examples
    --------
    >>> import pumice
    >>> pumice.quantile(pumice.tensor([1., 2., 4.]), 0.25)
    tensor(1.5000)
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@method
def nanquantile(
    input: Tensor,
    q: Tensor | float | Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Return `quantile` with NaN left out.

    Examples
    --------
    >>> pumice.nanquantile(pumice.tensor([1., float("nan"), 3.]), 0.5)
    tensor(2.)
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


@method
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariances of rows (variables) over columns (observations).

    Parameters
    ----------
    input : Tensor
        At most two axes.
    correction : int
        Subtracted from the count in the denominator.
    fweights, aweights : Tensor, optional
        How often each observation counts, and its importance.

    Returns
    -------
    Tensor
        A matrix; 0-d for one variable.

    Examples
    --------
    >>> pumice.cov(pumice.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    node = float_node("cov", tensor_node("cov", input))
    if len(node.shape) > 2:
        raise ShapeError(describe("cov", f"got shape {list(node.shape)}", "at most two axes"))
    rows = node if len(node.shape) == 2 else build.reshape(node, (1, node.numel))
    weight = build.constant(1, rows.dtype, (rows.shape[1],), rows.device)
    importance = weight
    if fweights is not None:
        weight = weight * build.cast(_weights(fweights, "fweights", rows, True), rows.dtype)
    if aweights is not None:
        importance = _weights(aweights, "aweights", rows, False)
        if not importance.dtype.is_floating_point:
            importance = build.cast(importance, rows.dtype)
        weight = call("mul", weight, importance)
        rows, importance = build.cast(rows, weight.dtype), build.cast(importance, weight.dtype)
    total = build.reduce(reduction.SUM, weight, (0,))
    average = build.reduce(reduction.SUM, call("mul", rows, weight), (1,))
    centred = call("sub", rows, call("div", average, total))
    product = matmul_node("cov", call("mul", centred, weight), build.permute(centred, (1, 0)))
    shared = build.reduce(reduction.SUM, weight * importance, (0,)) / total
    result = call("div", product, call("clamp_min", total - shared * correction, 0))
    return wrap(result if rows.shape[0] != 1 else build.reshape(result, ()))


def _weights(value: Any, name: str, rows: Node, whole: bool) -> Node:
    """Return the weights of observations: one each."""
    node = tensor_node("cov", value, name)
    if node.shape != rows.shape[1:]:
        raise ShapeError(
            describe("cov", f"{name} has shape {list(node.shape)}", f"it must be [{rows.shape[1]}]")
        )
    if whole and not node.dtype.is_integral:
        raise DTypeError(describe("cov", f"{name} is {node.dtype.name}", "it must be integer"))
    return node


@method
def corrcoef(input: Tensor) -> Tensor:
    """Return the correlations of rows (variables) over columns (observations).

    Examples
    --------
    >>> pumice.corrcoef(pumice.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    node = cov(input).node
    if not node.shape:
        return wrap(node / node)
    spread = call("sqrt", wrap(node).diagonal().node)
    size = spread.numel
    scaled = call("div", call("div", node, build.reshape(spread, (size, 1))), spread)
    return wrap(call("clamp", scaled, -1, 1))


@method
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Count elements in equal bins from ``min`` to ``max`` (evaluated when both are equal).

    Raises
    ------
    InvalidArgument
        When ``bins`` is not positive or the range is empty.

    Examples
    --------
    >>> pumice.histc(pumice.tensor([1., 2., 2., 4.]), bins=4, min=1, max=5)
    tensor([1., 2., 0., 1.])
    """
    node = float_node("histc", tensor_node("histc", input))
    low, high = float(min), float(max)
    if low == high and node.numel:
        low, high = float(input.min().item()), float(input.max().item())
    if low == high:
        low, high = low - 1, high + 1
    if bins < 1 or low > high:
        raise InvalidArgument(describe("histc", f"{bins} bins from {low} to {high}", "min < max"))
    flat = build.reshape(node, (node.numel,))
    place = build.cast(call("floor", (flat - low) * bins / (high - low)), dtypes.int64)
    place = call("clamp_max", place, bins - 1)
    inside = (flat >= low) & (flat <= high)
    place = inside.select(place, bins)
    base = build.constant(0, node.dtype, (bins,), node.device)
    ones = build.constant(1, node.dtype, flat.shape, node.device)
    argument = Indexing((0,), fill=True, mode=ScatterMode.ADD)
    return wrap(build.scatter(base, ones, (place,), argument) if node.numel else base)


def _areas(operator: str, y: Any, x: Any, dx: float, dim: int) -> tuple[Node, int, DType]:
    """Return the trapezoids between neighbours along an axis, unrounded, and their dtype."""
    node = float_node(operator, tensor_node(operator, y))
    kind, node = node.dtype, widened(node)
    axis = axis_of(operator, dim, len(node.shape))
    count = node.shape[axis] - 1 if node.shape[axis] else 0
    later = build.slice_axis(node, axis, 1 if count else 0, count)
    earlier = build.slice_axis(node, axis, 0, count)
    heights = (later + earlier) * 0.5
    if x is None:
        return heights * dx, axis, kind
    place = float_node(operator, tensor_node(operator, x, "x"))
    kind, place = promote_types(kind, place.dtype), widened(place)
    own = 0 if len(place.shape) == 1 else len(place.shape) - (len(node.shape) - axis)
    size = place.shape[own] - 1
    steps = build.slice_axis(place, own, 1, size) - build.slice_axis(place, own, 0, size)
    if len(place.shape) == 1:
        steps = build.reshape(steps, (size, *(1 for _ in node.shape[axis + 1 :])))
    return call("mul", heights, steps), axis, kind


@public
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """Integrate along an axis by trapezoids.

    Examples
    --------
    >>> import pumice
    >>> pumice.trapezoid(pumice.tensor([1., 2., 3.]))
    tensor(4.)
    """
    areas, axis, kind = _areas("trapezoid", y, x, dx, dim)
    return wrap(build.cast(fold(reduction.SUM, areas, axis, False), kind))


@public
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """Integrate along an axis; another name of `trapezoid`.

    Examples
    --------
    >>> pumice.trapz(pumice.tensor([1., 2., 3.]))
    tensor(4.)
    """
    return trapezoid(y, x, dx=dx, dim=dim)


@public
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1
) -> Tensor:
    """Return the running integrals along an axis.

    Examples
    --------
    >>> pumice.cumulative_trapezoid(pumice.tensor([1., 2., 3.]))
    tensor([1.5000, 4.0000])
    """
    areas, axis, kind = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(wrap(areas), axis).to(kind)
