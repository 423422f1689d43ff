"""Means, variances and the stable exponentials of rows."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from pumice.dtypes import DType, accumulation_dtype
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import Shape
from pumice.tensor.axes import Dims, axes_of, axis_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional, method, public
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.reductions import dims_argument, dropped, extent_of, float_node, fold

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def mean_node(node: Node, axes: Shape) -> Node:
    """Return the mean over axes, kept with extent 1; an empty mean is NaN.

    The sum of 16-bit floats may not fit them: it is divided before it is rounded.
    """
    count = extent_of(node.shape, axes)
    wide = build.cast(node, accumulation_dtype(node.dtype))
    total = build.reduce(reduction.SUM, wide, axes) if axes else wide
    mean_value = total * (1.0 / count) if _is_power_of_two(count) else total / count
    return build.cast(mean_value, node.dtype)


def _is_power_of_two(count: int) -> bool:
    return count > 0 and count & (count - 1) == 0


def variance_node(node: Node, axes: Shape, correction: float) -> tuple[Node, Node]:
    """Return variance and mean over axes, kept; the mean is subtracted first."""
    mean_value = mean_node(node, axes)
    count = extent_of(node.shape, axes)
    centred = node - build.expand(mean_value, node.shape)
    squares = centred * centred
    total = build.reduce(reduction.SUM, squares, axes) if axes else squares
    # Without a degree of freedom nothing is known: NaN; with a negative number of them inf.
    freedom = nan if count == correction else float(max(count - correction, 0))
    return total / freedom, mean_value


@method
def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Average elements along axes.

    Parameters
    ----------
    input : Tensor
        Any shape; integers and bool become the default float.
    dim, axis : int, sequence of int or None
        The axes; all by default.
    keepdim, keepdims : bool
        Keep reduced axes with extent 1.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Floating; the mean of nothing is NaN.

    Notes
    -----
    Gradient: g / n for every element.

    Examples
    --------
    >>> import pumice
    >>> pumice.mean(pumice.tensor([1, 2]))
    tensor(1.5000)
    """
    node = float_node("mean", tensor_node("mean", input), dtype)
    axes = axes_of("mean", dims_argument(dim, axis), len(node.shape))
    return wrap(dropped(mean_node(node, axes), axes, keepdim or keepdims))


def _spread(
    operator: str,
    input: Tensor,
    dims: Dims,
    correction: float,
    keepdim: bool,
    root: bool,
) -> tuple[Node, Node]:
    node = float_node(operator, tensor_node(operator, input))
    kind = node.dtype
    wide = build.cast(node, accumulation_dtype(kind))
    axes = axes_of(operator, dims, len(node.shape))
    variance, average = variance_node(wide, axes, correction)
    if root:
        # Where nothing varies the root has no slope; its gradient is 0 there.
        flat = variance.eq(0)
        variance = flat.select(build.detach(variance), call("sqrt", flat.select(1, variance)))
    return (
        build.cast(dropped(variance, axes, keepdim), kind),
        build.cast(dropped(average, axes, keepdim), kind),
    )


def _correction(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None:
        return float(unbiased)
    return 1.0 if correction is None else correction


def _split_flag(dim: Dims | bool, unbiased: bool | None) -> tuple[Dims, bool | None]:
    """PyTorch also takes ``unbiased`` as the only positional argument."""
    return (None, dim) if isinstance(dim, bool) else (dim, unbiased)


@method
def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the variance along axes.

    Parameters
    ----------
    input : Tensor
        Any shape; integers and bool become the default float.
    dim, axis : int, sequence of int or None
        The axes; all by default.
    unbiased : bool, optional
        True means ``correction=1``, False 0.
    keepdim, keepdims : bool
        Keep reduced axes with extent 1.
    correction : number
        Subtracted from the count in the denominator; 0 is the biased variance.

    Returns
    -------
    Tensor
        Floating; NaN where no degree of freedom is left.

    Notes
    -----
    ``sum((x - mean)**2) / (n - correction)``; gradient ``g * 2 * (x - mean) / (n - correction)``.

    Examples
    --------
    >>> import pumice
    >>> pumice.var(pumice.tensor([1., 3.]))
    tensor(2.)
    """
    dim, unbiased = _split_flag(dims_argument(dim, axis), unbiased)
    amount = _correction(unbiased, correction)
    return wrap(_spread("var", input, dim, amount, keepdim or keepdims, False)[0])


@method
def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the square root of the variance; parameters as in `var`.

    Examples
    --------
    >>> import pumice
    >>> pumice.std(pumice.tensor([1., 5.]), correction=0)
    tensor(2.)
    """
    dim, unbiased = _split_flag(dims_argument(dim, axis), unbiased)
    amount = _correction(unbiased, correction)
    return wrap(_spread("std", input, dim, amount, keepdim or keepdims, True)[0])


@public
def var_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return variance and mean, computed together; parameters as in `var`.

    Examples
    --------
    >>> pumice.var_mean(pumice.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """
    dim, unbiased = _split_flag(dims_argument(dim, axis), unbiased)
    amount = _correction(unbiased, correction)
    spread, average = _spread("var_mean", input, dim, amount, keepdim or keepdims, False)
    return wrap(spread), wrap(average)


@public
def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return standard deviation and mean, computed together; parameters as in `var`.

    Examples
    --------
    >>> pumice.std_mean(pumice.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """
    dim, unbiased = _split_flag(dims_argument(dim, axis), unbiased)
    amount = _correction(unbiased, correction)
    spread, average = _spread("std_mean", input, dim, amount, keepdim or keepdims, True)
    return wrap(spread), wrap(average)


# -- exponentials of rows -------------------------------------------------------------------------


def softmax_node(node: Node, axis: int) -> Node:
    """Return exponentials divided by their sum, shifted by the largest element."""
    if not node.shape:
        return build.reshape(softmax_node(build.reshape(node, (1,)), 0), ())
    wide = build.cast(node, accumulation_dtype(node.dtype))
    largest = build.detach(build.reduce(reduction.AMAX, wide, (axis,)))
    weights = call("exp", wide - build.expand(largest, wide.shape))
    # One division per row; the sum is at least 1, so its inverse is harmless.
    share = call("reciprocal", build.reduce(reduction.SUM, weights, (axis,)))
    return build.cast(weights * build.expand(share, wide.shape), node.dtype)


def log_softmax_node(node: Node, axis: int) -> Node:
    """Return logarithms of `softmax_node` without computing it."""
    if not node.shape:
        return build.reshape(log_softmax_node(build.reshape(node, (1,)), 0), ())
    wide = build.cast(node, accumulation_dtype(node.dtype))
    largest, log_total = row_scale(wide, axis)
    shifted = wide - build.expand(largest, wide.shape)
    return build.cast(shifted - build.expand(log_total, wide.shape), node.dtype)


def row_scale(wide: Node, axis: int) -> tuple[Node, Node]:
    """Return what `log_softmax_node` takes off: the largest element, and the logarithm of a sum."""
    largest = build.detach(build.reduce(reduction.AMAX, wide, (axis,)))
    shifted = wide - build.expand(largest, wide.shape)
    total = build.reduce(reduction.SUM, call("exp", shifted), (axis,))
    return largest, call("log", total)


@method
def softmax(
    input: Tensor, dim: int = -1, dtype: DType | None = None, *, axis: int | None = None
) -> Tensor:
    """Turn elements along an axis into positive shares that sum to 1.

    Parameters
    ----------
    input : Tensor
        Any shape; integers become the default float.
    dim, axis : int
        The axis, the last by default.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The input's shape.

    Notes
    -----
    ``exp(x - max) / sum(exp(x - max))``; a row of -inf gives NaN.
    Gradient: ``y * (g - sum(g * y))``.

    Examples
    --------
    >>> import pumice
    >>> pumice.softmax(pumice.tensor([1000., 1000.]))
    tensor([0.5000, 0.5000])
    """
    node = float_node("softmax", tensor_node("softmax", input), dtype)
    place = axis_of("softmax", dim if axis is None else axis, len(node.shape))
    return wrap(softmax_node(node, place))


@method
def log_softmax(
    input: Tensor, dim: int = -1, dtype: DType | None = None, *, axis: int | None = None
) -> Tensor:
    """Return the logarithm of `softmax`, without underflow; parameters as there.

    Examples
    --------
    >>> import pumice
    >>> pumice.log_softmax(pumice.tensor([1000., 0.]))
    tensor([    0., -1000.])
    """
    node = float_node("log_softmax", tensor_node("log_softmax", input), dtype)
    place = axis_of("log_softmax", dim if axis is None else axis, len(node.shape))
    return wrap(log_softmax_node(node, place))


@functional
def softmin(input: Tensor, dim: int = -1, dtype: DType | None = None) -> Tensor:
    """Return `softmax` of the negated elements.

    Examples
    --------
    >>> pumice.nn.functional.softmin(pumice.tensor([1., 1.]))
    tensor([0.5000, 0.5000])
    """
    node = float_node("softmin", tensor_node("softmin", input), dtype)
    return wrap(softmax_node(-node, axis_of("softmin", dim, len(node.shape))))


def logsumexp_node(node: Node, axes: Shape) -> Node:
    """Return log(sum(exp(x))) over axes, kept; exact at infinities."""
    if not axes:
        return node
    wide = build.cast(node, accumulation_dtype(node.dtype))
    if extent_of(wide.shape, axes) == 0:
        return build.cast(call("log", build.reduce(reduction.SUM, wide, axes)), node.dtype)
    largest = build.detach(build.reduce(reduction.AMAX, wide, axes))
    # Shifting by an infinity would give NaN; without a shift the sum is right there.
    shift = call("isfinite", largest).select(largest, 0)
    total = build.reduce(reduction.SUM, call("exp", wide - build.expand(shift, wide.shape)), axes)
    # Where all elements are -inf nothing moves: the gradient is 0 there.
    none = total.eq(0)
    result = none.select(float("-inf"), call("log", none.select(1, total)) + shift)
    return build.cast(result, node.dtype)


@method
def logsumexp(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the logarithm of the sum of exponentials along axes.

    Parameters
    ----------
    input : Tensor
        Any shape; integers become the default float.
    dim, axis : int, sequence of int or None
        The axes; all by default.
    keepdim, keepdims : bool
        Keep reduced axes with extent 1.

    Returns
    -------
    Tensor
        -inf where all are -inf, inf where one is inf.

    Notes
    -----
    Gradient: ``g * softmax(x)``.

    Examples
    --------
    >>> import pumice
    >>> pumice.logsumexp(pumice.tensor([1000., 1000.]))
    tensor(1000.6932)
    """
    node = float_node("logsumexp", tensor_node("logsumexp", input))
    axes = axes_of("logsumexp", dims_argument(dim, axis), len(node.shape))
    return wrap(dropped(logsumexp_node(node, axes), axes, keepdim or keepdims))


@method
def nansum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """Add elements along axes, NaN left out; parameters as in `sum`.

    Examples
    --------
    >>> import pumice
    >>> pumice.nansum(pumice.tensor([1., float("nan")]))
    tensor(1.)
    """
    node = tensor_node("nansum", input)
    kept = call("isnan", node).select(0, node)
    kept = kept if dtype is None else build.cast(kept, dtype)
    return wrap(fold(reduction.SUM, kept, dim, keepdim, "nansum"))


@method
def nanmean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """Average elements along axes, NaN left out; parameters as in `mean`.

    Examples
    --------
    >>> import pumice
    >>> pumice.nanmean(pumice.tensor([1., float("nan"), 3.]))
    tensor(2.)
    """
    node = float_node("nanmean", tensor_node("nanmean", input), dtype)
    missing = call("isnan", node)
    total = fold(reduction.SUM, missing.select(0, node), dim, keepdim, "nanmean")
    count = fold(reduction.SUM, ~missing, dim, keepdim, "nanmean")
    return wrap(total / build.cast(count, node.dtype))
