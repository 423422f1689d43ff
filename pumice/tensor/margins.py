"""Losses of rankings, embeddings and distributions."""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import Scalar
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.activations import logsigmoid_node
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional, public
from pumice.tensor.norms import cosine_similarity, norm_node
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.reductions import dropped
from pumice.tensor.regression import reduced
from pumice.tensor.statistics import mean_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _positive(node: Node) -> Node:
    return call("clamp_min", node, 0)


@functional
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the p-norm of ``x1 - x2 + eps`` along the last axis.

    Examples
    --------
    >>> pumice.nn.functional.pairwise_distance(pumice.tensor([[3., 0.]]), pumice.tensor([[0., 4.]]))
    tensor([5.])
    """
    nodes = tensor_node("pairwise_distance", x1, "x1"), tensor_node("pairwise_distance", x2, "x2")
    difference = call("sub", *map(widened, nodes)) + eps
    axis = (len(difference.shape) - 1,)
    distance = dropped(norm_node(difference, axis, p), axis, keepdim)
    kind = build.result_type(*nodes)
    return wrap(build.cast(distance, kind) if kind.is_small_float else distance)


@public
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "") -> Tensor:
    """Return the p-norm distance of every row of one matrix to every row of another.

    Parameters
    ----------
    x1, x2 : Tensor
        (..., P, M) and (..., R, M); leading axes broadcast.
    p : float
        Order of the norm.
    compute_mode : str
        Accepted and ignored: differences are always taken exactly.

    Returns
    -------
    Tensor
        (..., P, R); the gradient at distance 0 is 0.

    Examples
    --------
    >>> pumice.cdist(pumice.tensor([[0., 0.]]), pumice.tensor([[3., 4.], [0., 1.]]))
    tensor([[5., 1.]])
    """
    first, second = tensor_node("cdist", x1), tensor_node("cdist", x2)
    rows = build.reshape(first, (*first.shape[:-1], 1, first.shape[-1]))
    columns = build.reshape(second, (*second.shape[:-2], 1, *second.shape[-2:]))
    difference = call("sub", rows, columns)
    axis = (len(difference.shape) - 1,)
    return wrap(dropped(norm_node(difference, axis, p), axis, False))


@functional
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return ``max(0, -target * (input1 - input2) + margin)``.

    Examples
    --------
    >>> x, y = pumice.tensor([1., 3.]), pumice.tensor([2., 1.])
    >>> pumice.nn.functional.margin_ranking_loss(x, y, pumice.ones(2))
    tensor(0.5000)
    """
    difference = call("sub", input1.node, input2.node)
    loss = _positive(call("add", call("mul", -target.node, difference), margin))
    return reduced("margin_ranking_loss", loss, reduction)


@functional
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """Return x where the target is 1 and ``max(0, margin - x)`` where it is -1.

    Examples
    --------
    >>> x, target = pumice.tensor([0.5, 0.25]), pumice.tensor([1., -1.])
    >>> pumice.nn.functional.hinge_embedding_loss(x, target)
    tensor(0.6250)
    """
    x, y = input.node, target.node
    zero = build.constant(0, x.dtype, (), x.device)
    near = call("where", y.ne(-1), x, zero)
    far = call("where", y.ne(1), _positive(margin - x), zero)
    return reduced("hinge_embedding_loss", near + far, reduction)


def _check_margin(operator: str, margin: float) -> None:
    if not margin > 0:
        raise InvalidArgument(describe(operator, f"got margin={margin}", "it must be positive"))


def _counted(value: Tensor) -> Tensor:
    """Return bool as numbers."""
    node = value.node
    return wrap(build.cast(node, dtypes.float32)) if node.dtype is dtypes.bool_ else value


@functional
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return ``1 - cos`` where the target is 1 and ``max(0, cos - margin)`` where it is -1.

    Examples
    --------
    >>> x, y = pumice.tensor([[1., 0.]]), pumice.tensor([[0., 1.]])
    >>> pumice.nn.functional.cosine_embedding_loss(x, y, pumice.tensor([1.]))
    tensor(1.)
    """
    first, second = (_counted(each) for each in (input1, input2))
    cosine = cosine_similarity(first, second, -1).node
    loss = call("where", target.node.eq(1), 1 - cosine, _positive(cosine - margin))
    return reduced("cosine_embedding_loss", loss, reduction)


@functional
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``.

    Examples
    --------
    >>> anchor, near, far = pumice.tensor([[0.]]), pumice.tensor([[1.]]), pumice.tensor([[3.]])
    >>> pumice.nn.functional.triplet_margin_loss(anchor, near, far, margin=3.0)
    tensor(1.)
    """
    _check_margin("triplet_margin_loss", margin)
    near = pairwise_distance(anchor, positive, p, eps).node
    far = pairwise_distance(anchor, negative, p, eps).node
    if swap:
        far = call("minimum", far, pairwise_distance(positive, negative, p, eps).node)
    return reduced("triplet_margin_loss", _positive(near - far + margin), reduction)


@functional
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return ``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` for a given d.

    Examples
    --------
    >>> near, far = pumice.zeros(1, 4), pumice.ones(1, 4)
    >>> pumice.nn.functional.triplet_margin_with_distance_loss(near, far, far, margin=2.0)
    tensor(2.)
    """
    _check_margin("triplet_margin_with_distance_loss", margin)
    distance = pairwise_distance if distance_function is None else distance_function
    near = distance(anchor, positive).node
    far = distance(anchor, negative).node
    if swap:
        far = call("minimum", far, distance(positive, negative).node)
    loss = _positive(call("sub", near, far) + margin)
    return reduced("triplet_margin_with_distance_loss", loss, reduction)


def _scores_and_classes(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return (N, C) and (N), or (C) and (), of which one score and one class may be short."""
    scores = input if input.ndim else input.reshape(1)
    if scores.ndim == 1 and target.shape == (1,):
        target = target.reshape(())
    if scores.ndim not in (1, 2) or target.shape != scores.shape[:-1]:
        raise ShapeError(
            describe(
                "multi_margin_loss",
                f"got input {list(input.shape)} and target {list(target.shape)}",
                "(N, C) and (N), or (C) and ()",
            )
        )
    return scores, target


@functional
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return how far other classes come within a margin of the target class.

    Parameters
    ----------
    input : Tensor
        (N, C) or (C); scores of the classes.
    target : Tensor
        (N) or 0-d, int64; the class of each sample.
    p : int
        The power, 1 or 2, of ``max(0, margin - input[target] + input[c])``.
    margin : float
        How far apart they should be.
    weight : Tensor, optional
        (C); the weight of each target class.
    reduction : str
        ``"mean"``, ``"sum"`` or ``"none"``.

    Returns
    -------
    Tensor
        The sum over the other classes, divided by C, reduced over samples.

    Raises
    ------
    InvalidArgument
        For another power.
    ShapeError
        When the target does not fit.
    IndexOutOfRange
        When a class does not exist (at evaluation).

    Examples
    --------
    >>> import pumice
    >>> scores = pumice.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> pumice.nn.functional.multi_margin_loss(scores, pumice.tensor([3]))
    tensor(0.3250)
    """
    if p not in (1, 2):
        raise InvalidArgument(describe("multi_margin_loss", f"p is {p}", "1 or 2"))
    input, target = _scores_and_classes(input, target)
    place = target.unsqueeze(-1)
    away = (input - input.gather(-1, place) + margin).clamp(min=0)
    if p == 2:
        away = away * away
    if weight is not None:
        away = away * weight[place]
    away = away.scatter(-1, place, 0.0)
    return reduced("multi_margin_loss", away.mean(-1).node, reduction)


@functional
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return how far other classes come within 1 of each target class.

    Parameters
    ----------
    input : Tensor
        (N, C) or (C); scores of the classes.
    target : Tensor
        The same shape, int64; the target classes of each sample first, then a negative number.
    reduction : str
        ``"mean"``, ``"sum"`` or ``"none"``.

    Returns
    -------
    Tensor
        The sum of ``max(0, 1 - input[t] + input[c])`` over targets t and other classes c,
        divided by C, reduced over samples.

    Raises
    ------
    ShapeError
        When the target does not fit.

    Examples
    --------
    >>> import pumice
    >>> scores = pumice.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> pumice.nn.functional.multilabel_margin_loss(scores, pumice.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)
    """
    if not input.ndim:
        input = input.reshape(1)
    if input.numel() == target.numel() == 1:
        target = target.reshape(input.shape)
    if input.ndim not in (1, 2) or target.shape != input.shape:
        raise ShapeError(
            describe(
                "multilabel_margin_loss",
                f"got input {list(input.shape)} and target {list(target.shape)}",
                "(N, C) or (C) twice",
            )
        )
    listed = (target < 0).cumsum(-1) == 0
    place = target.clamp(min=0)
    marks = listed.to(input.dtype)
    is_target = (marks * 0).scatter_reduce(-1, place, marks, "amax")
    away = (1 - input.gather(-1, place).unsqueeze(-1) + input.unsqueeze(-2)).clamp(min=0)
    away = away * marks.unsqueeze(-1) * (1 - is_target).unsqueeze(-2)
    return reduced("multilabel_margin_loss", (away.sum((-1, -2)) / input.shape[-1]).node, reduction)


@functional
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return ``log(1 + exp(-target * x))``.

    Examples
    --------
    >>> pumice.nn.functional.soft_margin_loss(pumice.zeros(3), pumice.ones(3))
    tensor(0.6931)
    """
    loss = -logsigmoid_node(call("mul", target.node, input.node))
    return reduced("soft_margin_loss", loss, reduction)


@functional
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean binary cross entropy over classes of independent labels.

    Examples
    --------
    >>> target = pumice.tensor([[1., 0., 1.]])
    >>> pumice.nn.functional.multilabel_soft_margin_loss(pumice.zeros(1, 3), target)
    tensor(0.6931)
    """
    x, y = input.node, target.node
    loss = -(call("mul", y, logsigmoid_node(x)) + call("mul", 1 - y, logsigmoid_node(-x)))
    if weight is not None:
        loss = call("mul", loss, weight.node)
    axis = (len(loss.shape) - 1,)
    averaged = dropped(mean_node(loss, axis), axis, False)
    return reduced("multilabel_soft_margin_loss", averaged, reduction)


@functional
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of counts, up to a constant unless ``full``.

    Examples
    --------
    >>> pumice.nn.functional.poisson_nll_loss(pumice.zeros(2), pumice.tensor([1., 2.]))
    tensor(1.)
    """
    x, y = input.node, target.node
    if log_input:
        loss = call("sub", call("exp", x), call("mul", y, x))
    else:
        loss = call("sub", x, call("mul", y, call("log", x + eps)))
    if full:
        safe = (y > 1).select(y, 1)
        stirling = call("mul", y, call("log", safe)) - y + call("log", safe * (2 * pi)) * 0.5
        loss = loss + (y > 1).select(stirling, 0)
    return reduced("poisson_nll_loss", loss, reduction)


@functional
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | Scalar,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of normal values, up to a constant unless ``full``.

    Examples
    --------
    >>> x, target = pumice.tensor([1., 2.]), pumice.tensor([1., 4.])
    >>> pumice.nn.functional.gaussian_nll_loss(x, target, pumice.ones(2))
    tensor(1.)
    """
    difference = call("sub", input.node, target.node)
    spread = (
        var.node
        if hasattr(var, "node")
        else build.constant(var, difference.dtype, (), difference.device)
    )
    if len(spread.shape) == len(difference.shape) - 1:
        spread = build.reshape(spread, (*spread.shape, 1))
    # The limit does not stop the gradient, as in PyTorch.
    limited = (spread < eps).select(spread + build.detach(eps - spread), spread)
    loss = (call("log", limited) + call("div", difference * difference, limited)) * 0.5
    return reduced("gaussian_nll_loss", loss + 0.5 * log(2 * pi) if full else loss, reduction)
