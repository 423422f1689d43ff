"""Running folds along an axis, and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import scan
from pumice.ops.definition import Scan
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.joining import cat
from pumice.tensor.marks import inplace_method, method
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.reductions import float_node, pick_along
from pumice.tensor.results import Located, located

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _scanned(op: Scan, node: Node, axis: int) -> Node:
    """Fold along an axis; a 0-d tensor has one of extent 1."""
    if node.shape:
        return build.scan(op, node, axis)
    return build.reshape(build.scan(op, build.reshape(node, (1,)), 0), ())


def _running(op: Scan, input: Any, dim: int, dtype: DType | None) -> Tensor:
    node = tensor_node(op.name, input)
    node = node if dtype is None else build.cast(node, dtype)
    result = _scanned(op, node, axis_of(op.name, dim, len(node.shape)))
    return wrap(result if dtype is None else build.cast(result, dtype))


@inplace_method
def cumsum(
    input: Tensor, dim: int = 0, *, dtype: DType | None = None, axis: int | None = None
) -> Tensor:
    """Return running sums along an axis.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim, axis : int
        The axis, the first by default.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor
        int64 for integers and bool, else the input's dtype.

    Notes
    -----
    Gradient: running sums of g from the other end.

    Examples
    --------
    >>> import pumice
    >>> pumice.cumsum(pumice.tensor([1, 2, 3]), 0)
    tensor([1, 3, 6])
    """
    return _running(scan.CUMSUM, input, dim if axis is None else axis, dtype)


@inplace_method
def cumprod(
    input: Tensor, dim: int = 0, *, dtype: DType | None = None, axis: int | None = None
) -> Tensor:
    """Return running products along an axis; parameters as in `cumsum`.

    Notes
    -----
    The gradient is finite at zeros.

    Examples
    --------
    >>> import pumice
    >>> pumice.cumprod(pumice.tensor([1, 2, 3]), 0)
    tensor([1, 2, 6])
    """
    return _running(scan.CUMPROD, input, dim if axis is None else axis, dtype)


@method
def logcumsumexp(input: Tensor, dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Return logarithms of running sums of exponentials along an axis.

    Parameters
    ----------
    input : Tensor
        Any shape; integers become the default float.
    dim, axis : int
        The axis, the first by default.

    Returns
    -------
    Tensor
        -inf while all elements so far are -inf.

    Examples
    --------
    >>> import pumice
    >>> pumice.logcumsumexp(pumice.tensor([0., 0.]), 0)
    tensor([0.0000, 0.6931])
    """
    node = float_node("logcumsumexp", tensor_node("logcumsumexp", input))
    place = axis_of("logcumsumexp", dim if axis is None else axis, len(node.shape))
    return wrap(_scanned(scan.LOGCUMSUMEXP, node, place))


def _extremes(op: Scan, input: Any, dim: int) -> Located:
    """Return running extremes and the last position of each."""
    node = tensor_node(op.name, input)
    axis = axis_of(op.name, dim, len(node.shape))
    if not node.shape:
        return located(op.name, wrap(node), wrap(build.constant(0, dtypes.int64, (), node.device)))
    best = build.scan(op, build.detach(node), axis)
    attains = node.eq(best)
    if node.dtype.is_floating_point:
        attains = attains | call("isnan", node)
    extent = node.shape[axis]
    thin = tuple(extent if each == axis else 1 for each in range(len(node.shape)))
    place = build.expand(build.reshape(build.iota((extent,), node.device), thin), node.shape)
    if extent < 1 << 31:
        place = build.cast(place, dtypes.int32)
    indices = build.scan(scan.LAST_PLACE, attains.select(place, 0), axis)
    values = pick_along(node, indices, axis) if node.requires_grad else best
    return located(op.name, wrap(values), wrap(indices))


@method
def cummax(input: Tensor, dim: int = 0, *, axis: int | None = None) -> Located:
    """Return running maxima along an axis and where they stand.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim, axis : int
        The axis, the first by default.

    Returns
    -------
    (values, indices)
        The index of the last equal element; NaN wins.

    Examples
    --------
    >>> import pumice
    >>> pumice.cummax(pumice.tensor([1, 3, 2, 3]), 0).indices
    tensor([0, 1, 1, 3])
    """
    return _extremes(scan.CUMMAX, input, dim if axis is None else axis)


@method
def cummin(input: Tensor, dim: int = 0, *, axis: int | None = None) -> Located:
    """Return running minima along an axis and where they stand; see `cummax`.

    Examples
    --------
    >>> import pumice
    >>> pumice.cummin(pumice.tensor([3, 1, 2, 1]), 0).indices
    tensor([0, 1, 1, 3])
    """
    return _extremes(scan.CUMMIN, input, dim if axis is None else axis)


@method
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return differences of neighbours along an axis, ``n`` times.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    n, dim : int
        How often, and the axis.
    prepend, append : Tensor, optional
        Joined to the axis first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.diff(pumice.tensor([1, 4, 9]))
    tensor([3, 5])
    """
    if n < 0:
        raise InvalidArgument(describe("diff", f"got n={n}", "it must not be negative"))
    if n == 0:
        return wrap(build.copy(tensor_node("diff", input)))
    parts = [part for part in (prepend, input, append) if part is not None]
    node = tensor_node("diff", cat(parts, dim) if len(parts) > 1 else input)
    axis = axis_of("diff", dim, len(node.shape))
    for _ in range(n):
        extent = node.shape[axis]
        if not extent:
            break
        later = build.slice_axis(node, axis, 1, extent - 1)
        earlier = build.slice_axis(node, axis, 0, extent - 1)
        name = "logical_xor" if node.dtype is dtypes.bool_ else "sub"
        node = call(name, later, earlier)
    return wrap(node)
