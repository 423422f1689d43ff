"""Loss functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import accumulation_dtype
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.tensor.activations import logsigmoid_node
from pumice.tensor.core import wrap
from pumice.tensor.dropout import check_probability
from pumice.tensor.gathering import along, strict
from pumice.tensor.joining import taken_by
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.reductions import check_string, fold
from pumice.tensor.regression import REDUCTIONS, reduced
from pumice.tensor.statistics import log_softmax_node, row_scale

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


# -- classes --------------------------------------------------------------------------------------


def _class_axis(operator: str, node: Node) -> int:
    if not node.shape:
        raise ShapeError(describe(operator, "got a 0-d input", "(C), (N, C) or (N, C, d...)"))
    return 1 if len(node.shape) > 1 else 0


def _class_weight(operator: str, weight: Tensor | None, count: int) -> Node | None:
    if weight is None:
        return None
    node = tensor_node(operator, weight, "weight")
    if node.shape != (count,):
        raise ShapeError(
            describe(operator, f"weight has shape {list(node.shape)}", f"it must be [{count}]")
        )
    return node


def _check_target(operator: str, node: Node, target: Node, axis: int) -> None:
    wanted = (*node.shape[:axis], *node.shape[axis + 1 :])
    if not target.dtype.is_integral:
        raise DTypeError(
            describe(
                operator,
                f"target is {target.dtype.name}",
                "class numbers must be integers: convert them with .long()",
            )
        )
    if target.shape != wanted:
        raise ShapeError(
            describe(
                operator,
                f"input has shape {list(node.shape)}, target {list(target.shape)}",
                f"target must have shape {list(wanted)}",
            )
        )


def _picked(
    operator: str,
    values: Node,
    target: Node,
    axis: int,
    weight: Node | None,
    ignore: int,
    scores: bool = False,
) -> tuple[Node, Node]:
    """Return weighted losses and the weights, both without the class axis.

    Of `scores` only those picked become logarithms: nobody needs the others.
    """
    _check_target(operator, values, target, axis)
    place = build.cast(target, dtypes.int64)
    used = place.ne(ignore)
    place = strict(used.select(place, 0), values.shape[axis])
    thin = (*target.shape[:axis], 1, *target.shape[axis:])
    index = build.reshape(place, thin)
    chosen = build.gather(values, (index,), along(axis, len(values.shape), False), thin)
    if scores:
        largest, log_total = row_scale(build.cast(values, accumulation_dtype(values.dtype)), axis)
        wide = build.cast(chosen, largest.dtype)
        chosen = build.cast(wide - largest - log_total, values.dtype)
    loss = -build.reshape(chosen, target.shape)
    share = build.cast(used, values.dtype)
    if weight is not None:
        flat = build.reshape(place, (place.numel,))
        share = share * build.reshape(taken_by(weight, 0, flat), target.shape)
    return used.select(loss if weight is None else loss * share, 0), share


def _weighted_mean(loss: Node, share: Node) -> Node:
    """Divide sums, which 16-bit floats may not hold, before anything is rounded to them."""
    wide = accumulation_dtype(loss.dtype)
    total, weight = (
        fold(reduction.SUM, build.cast(each, wide), None, False) for each in (loss, share)
    )
    return build.cast(total / weight, loss.dtype)


@functional
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    ignore_index: int = -100,
    reduce: None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative of each target class's log-probability.

    Parameters
    ----------
    input : Tensor
        Log-probabilities, (C), (N, C) or (N, C, d...).
    target : Tensor
        Integer classes, the input's shape without C.
    weight : Tensor, optional
        (C)
    size_average, reduce : None
        Accepted for compatibility and ignored.
    ignore_index : int
        A class that contributes nothing.
    reduction : str
        ``"none"``, ``"mean"`` (over the weights) or ``"sum"``.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the target does not fit.

    Examples
    --------
    >>> x = pumice.tensor([[-1., -2.], [-3., -4.]])
    >>> pumice.nn.functional.nll_loss(x, pumice.tensor([0, 1]))
    tensor(2.5000)
    """
    check_string("nll_loss", "reduction", reduction, REDUCTIONS)
    values = tensor_node("nll_loss", input)
    axis = _class_axis("nll_loss", values)
    weights = _class_weight("nll_loss", weight, values.shape[axis])
    target_node = tensor_node("nll_loss", target, "target")
    loss, share = _picked("nll_loss", values, target_node, axis, weights, ignore_index)
    if reduction == "mean":
        return wrap(_weighted_mean(loss, share))
    return reduced("nll_loss", loss, reduction)


@functional
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    ignore_index: int = -100,
    reduce: None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of class scores and targets.

    Parameters
    ----------
    input : Tensor
        Scores (not probabilities), (C), (N, C) or (N, C, d...).
    target : Tensor
        Integer classes, the input's shape without C; or probabilities of the input's shape.
    weight : Tensor, optional
        (C)
    size_average, reduce : None
        Accepted for compatibility and ignored.
    ignore_index : int
        A class that contributes nothing (integer targets only).
    reduction : str
        ``"none"``, ``"mean"`` or ``"sum"``.
    label_smoothing : float
        Share of the target given evenly to all classes, 0 to 1.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError, InvalidArgument
        When the target does not fit or smoothing is outside 0 to 1.

    Examples
    --------
    >>> import pumice
    >>> scores = pumice.tensor([[0., 0.]])
    >>> pumice.nn.functional.cross_entropy(scores, pumice.tensor([1]))
    tensor(0.6931)
    """
    operator = "cross_entropy"
    check_string(operator, "reduction", reduction, REDUCTIONS)
    check_probability(operator, label_smoothing, "label_smoothing")
    scores, wanted = tensor_node(operator, input), tensor_node(operator, target, "target")
    axis = _class_axis(operator, scores)
    logs = log_softmax_node(scores, axis)
    weights = _class_weight(operator, weight, scores.shape[axis])
    if wanted.dtype.is_floating_point:
        return _soft_cross_entropy(logs, wanted, axis, weights, reduction, label_smoothing)
    loss, share = _picked(operator, scores, wanted, axis, weights, ignore_index, scores=True)
    if label_smoothing:
        even = _over_classes(-_times_weight(logs, weights, axis), axis)
        even = wanted.ne(ignore_index).select(even, 0.0)
        loss = loss * (1 - label_smoothing) + even * (label_smoothing / scores.shape[axis])
    if reduction == "mean":
        return wrap(_weighted_mean(loss, share))
    return reduced(operator, loss, reduction)


def _times_weight(values: Node, weight: Node | None, axis: int) -> Node:
    if weight is None:
        return values
    tail = (1,) * (len(values.shape) - axis - 1)
    return call("mul", values, build.reshape(weight, (*weight.shape, *tail)))


def _over_classes(values: Node, axis: int) -> Node:
    return fold(reduction.SUM, values, axis, False)


def _soft_cross_entropy(
    logs: Node, target: Node, axis: int, weight: Node | None, reduction: str, smoothing: float
) -> Tensor:
    if target.shape != logs.shape:
        raise ShapeError(
            describe(
                "cross_entropy",
                f"target is {target.dtype.name} of shape {list(target.shape)}, input has shape "
                f"{list(logs.shape)}",
                "a floating target holds the probabilities of all classes and has the input's "
                "shape; class numbers must be integers: convert them with .long()",
            )
        )
    count = logs.shape[axis]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / count
    loss = _over_classes(-_times_weight(call("mul", logs, target), weight, axis), axis)
    return reduced("cross_entropy", loss, reduction)


# -- two classes ----------------------------------------------------------------------------------


def _same_shapes(operator: str, left: Node, right: Node) -> None:
    if left.shape != right.shape:
        raise ShapeError(
            describe(
                operator,
                f"input has shape {list(left.shape)}, target {list(right.shape)}",
                "they must be equal",
            )
        )
    if not left.dtype.is_floating_point:
        raise DTypeError(describe(operator, f"input is {left.dtype.name}", "a floating type"))


@functional
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return ``-(t * log(x) + (1 - t) * log(1 - x))`` for probabilities x.

    Logarithms are limited to -100, so that the loss stays finite.

    Parameters
    ----------
    input, target : Tensor
        Floating, equal shapes, the input within 0 to 1.
    weight : Tensor, optional
        Multiplies every loss.
    size_average, reduce : None
        Accepted for compatibility and ignored.
    reduction : str
        ``"none"``, ``"mean"`` or ``"sum"``.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When an element of the input is not between 0 and 1 (at evaluation).

    Examples
    --------
    >>> x, target = pumice.tensor([0.5, 0.5]), pumice.tensor([1., 0.])
    >>> pumice.nn.functional.binary_cross_entropy(x, target)
    tensor(0.6931)
    """
    operator = "binary_cross_entropy"
    x, t = tensor_node(operator, input), tensor_node(operator, target, "target")
    _same_shapes(operator, x, t)
    kind, x, t = x.dtype, widened(x), widened(t)
    x = call("probability", x)
    x.called = operator
    first = call("clamp_min", call("log", x), -100)
    second = call("clamp_min", call("log1p", -x), -100)
    loss = (t - 1) * second - t * first
    if weight is not None:
        loss = call("mul", loss, weight.node)
    return reduced(operator, loss, reduction, kind)


@functional
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return `binary_cross_entropy` of ``sigmoid(input)``, without overflow.

    Parameters
    ----------
    input, target : Tensor
        Floating, equal shapes.
    weight : Tensor, optional
        Multiplies every loss.
    size_average, reduce : None
        Accepted for compatibility and ignored.
    reduction : str
        ``"none"``, ``"mean"`` or ``"sum"``.
    pos_weight : Tensor, optional
        Multiplies the loss of positive targets.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> zero = pumice.zeros(1)
    >>> pumice.nn.functional.binary_cross_entropy_with_logits(zero, zero)
    tensor(0.6931)
    """
    operator = "binary_cross_entropy_with_logits"
    x, t = tensor_node(operator, input), tensor_node(operator, target, "target")
    _same_shapes(operator, x, t)
    kind, x, t = x.dtype, widened(x), widened(t)
    log_share = logsigmoid_node(x)
    if pos_weight is not None:
        log_share = call("mul", log_share, call("mul", pos_weight.node - 1, t) + 1)
    loss = (1 - t) * x - log_share
    if weight is not None:
        loss = call("mul", loss, weight.node)
    return reduced(operator, loss, reduction, kind)
