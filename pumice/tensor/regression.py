"""Losses of differences: squared, absolute and between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.reductions import check_string, fold
from pumice.tensor.statistics import mean_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


REDUCTIONS = ("none", "mean", "sum")


def reduced(operator: str, node: Node, reduction_name: str, dtype: DType | None = None) -> Tensor:
    """Return all losses, their mean or their sum; rounded to a 16-bit ``dtype`` in the end."""
    check_string(operator, "reduction", reduction_name, REDUCTIONS)
    if reduction_name == "sum":
        node = fold(reduction.SUM, node, None, False)
    elif reduction_name == "mean":
        node = build.reshape(mean_node(node, tuple(range(len(node.shape)))), ())
    return wrap(build.cast(node, dtype) if dtype is not None and dtype.is_small_float else node)


def _pair(operator: str, input: Tensor, target: Tensor) -> tuple[Node, Node]:
    left, right = tensor_node(operator, input), tensor_node(operator, target, "target")
    build.broadcast_shapes(operator, left.shape, right.shape)
    return left, right


def _wide_pair(operator: str, input: Tensor, target: Tensor) -> tuple[Node, Node, DType]:
    """Return both in the type they are computed in, and the one the loss is rounded to."""
    left, right = _pair(operator, input, target)
    return widened(left), widened(right), build.result_type(left, right)


@functional
def mse_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """Return squared differences, averaged by default.

    Parameters
    ----------
    input, target : Tensor
        Shapes broadcast.
    reduction : str
        ``"none"``, ``"mean"`` or ``"sum"``.
    weight : Tensor, optional
        Multiplies every loss.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.mse_loss(pumice.tensor([1., 2.]), pumice.tensor([3., 2.]))
    tensor(2.)
    """
    difference = call("sub", *_pair("mse_loss", input, target))
    loss = difference * difference
    if weight is not None:
        loss = call("mul", loss, weight.node)
    return reduced("mse_loss", loss, reduction)


@functional
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return absolute differences, averaged by default; parameters as in `mse_loss`.

    Examples
    --------
    >>> pumice.nn.functional.l1_loss(pumice.tensor([1., 2.]), pumice.tensor([2., 4.]))
    tensor(1.5000)
    """
    difference = call("sub", *_pair("l1_loss", input, target))
    return reduced("l1_loss", call("abs", difference), reduction)


@functional
def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Return ``d**2 / (2 * beta)`` below beta and ``|d| - beta / 2`` above it.

    Examples
    --------
    >>> target = pumice.tensor([0.5, 3.])
    >>> pumice.nn.functional.smooth_l1_loss(pumice.zeros(2), target, reduction="none")
    tensor([0.1250, 2.5000])
    """
    if beta < 0:
        raise InvalidArgument(describe("smooth_l1_loss", f"got beta={beta}", "not negative"))
    if beta == 0:
        return l1_loss(input, target, reduction)
    left, right, kind = _wide_pair("smooth_l1_loss", input, target)
    distance = call("abs", call("sub", left, right))
    loss = (distance < beta).select(distance * distance * (0.5 / beta), distance - 0.5 * beta)
    return reduced("smooth_l1_loss", loss, reduction, kind)


@functional
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """Return ``d**2 / 2`` up to delta and ``delta * (|d| - delta / 2)`` above it.

    Examples
    --------
    >>> target = pumice.tensor([0.5, 3.])
    >>> pumice.nn.functional.huber_loss(pumice.zeros(2), target, reduction="none", delta=2.0)
    tensor([0.1250, 4.0000])
    """
    if delta <= 0:
        raise InvalidArgument(describe("huber_loss", f"got delta={delta}", "a positive number"))
    left, right, kind = _wide_pair("huber_loss", input, target)
    distance = call("abs", call("sub", left, right))
    outside = (distance - 0.5 * delta) * delta
    loss = (distance <= delta).select(distance * distance * 0.5, outside)
    return reduced("huber_loss", loss, reduction, kind)


@functional
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Return ``target * (log(target) - input)`` for log-probabilities ``input``.

    Parameters
    ----------
    input, target : Tensor
        Shapes broadcast; the target holds probabilities, or their logarithms.
    size_average, reduce : None
        Accepted for compatibility and ignored.
    reduction : str
        ``"none"``, ``"mean"``, ``"sum"`` or ``"batchmean"`` (sum over the first extent).
    log_target : bool
        Whether the target holds logarithms.

    Returns
    -------
    Tensor

    Notes
    -----
    A target of 0 contributes exactly 0.

    Examples
    --------
    >>> x, target = pumice.tensor([-1., -2.]), pumice.tensor([0.5, 0.])
    >>> pumice.nn.functional.kl_div(x, target, reduction="sum")
    tensor(0.1534)
    """
    check_string("kl_div", "reduction", reduction, (*REDUCTIONS, "batchmean"))
    x, t, kind = _wide_pair("kl_div", input, target)
    if log_target:
        loss = call("mul", call("exp", t), call("sub", t, x))
    else:
        absent = t.eq(0)
        safe = absent.select(1, t)
        difference = call("sub", call("log", safe), x)
        zero = build.constant(0, difference.dtype, (), difference.device)
        loss = call("where", absent, zero, call("mul", t, difference))
    if reduction == "batchmean":
        loss, reduction = loss / float(x.shape[0] if x.shape else 1), "sum"
    return reduced("kl_div", loss, reduction, kind)
