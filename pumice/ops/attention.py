"""Attention: values mixed by the softmax of scaled products of queries and keys.

`ATTENTION` and the logarithm of its denominators, `ATTENTION_NORM`, take the same sources:
queries (..., L, E), keys (..., S, E), values (..., S, V) with equal leading axes, the factor of the
scores (0-d, of the accumulator's type), and a mask (..., L, S) if there is one. A bool mask says
True where a query attends, a floating one is added to the scores. After it may come factors of the
weights (..., L, S), which drop some of them: they are no operand in memory but an expression that
each kernel computes again. `ATTENTION` may carry its norm as
one more source, so that an evaluation which a backward may follow keeps it.

`ATTENTION_GRADIENT` computes the probabilities again from the norm, so that no pass holds a matrix
of scores. Where neither the memory of a thread nor that of a workgroup holds what it takes, the
same values come from smaller operations: see `composed_weights`. So do gradients of gradients.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pumice import dtypes
from pumice.dtypes import DType
from pumice.ops import reduction
from pumice.ops.definition import Structural, register
from pumice.ops.exponential import exp, log
from pumice.ops.structure import Contraction

QUERY, KEY, VALUE = range(3)


@dataclass(frozen=True, slots=True)
class Attention:
    """The static part of an attention.

    Attributes
    ----------
    causal : bool
        Query i attends to keys up to i.
    masked : bool
        There is a mask.
    dropped : bool
        There are factors of the weights.
    accumulator : DType
        Type scores and sums are computed in.
    with_norm : bool
        The last source is the norm.
    """

    causal: bool
    masked: bool
    accumulator: DType
    dropped: bool = False
    with_norm: bool = False


@dataclass(frozen=True, slots=True)
class AttentionGradient:
    """Which gradient of which attention.

    Sources follow those of the attention: the gradient of its result, its norm, and the sum of the
    products of result and gradient for each query.
    """

    attention: Attention
    operand: int


class Operands(NamedTuple):
    """The sources of an attention by name."""

    query: Any
    key: Any
    value: Any
    scale: Any
    mask: Any
    keep: Any


def operands_of(sources: tuple[Any, ...], spec: Attention) -> Operands:
    """Return the sources of an attention, or of its gradient, by name."""
    query, key, value, scale, *rest = sources
    mask = rest.pop(0) if spec.masked else None
    return Operands(query, key, value, scale, mask, rest[0] if spec.dropped else None)


def kept(o: Operands, values: Any) -> Any:
    """Return what dropping leaves of weights, or of their gradients."""
    return values if o.keep is None else values * o.keep


# -- references -----------------------------------------------------------------------------------


def _scores(np: Any, spec: Attention, sources: tuple[Any, ...]) -> tuple[Operands, Any]:
    """Return the operands in double precision, and the scores."""
    o = operands_of(sources, spec)
    query, key, value = (part.astype(np.float64) for part in (o.query, o.key, o.value))
    scores = query @ np.swapaxes(key, -1, -2) * o.scale
    if spec.causal:
        below = np.arange(scores.shape[-1]) <= np.arange(scores.shape[-2])[:, None]
        scores = np.where(below, scores, -np.inf)
    if o.mask is not None and o.mask.dtype == bool:
        scores = np.where(o.mask, scores, -np.inf)
    elif o.mask is not None:
        scores = scores + o.mask
    return Operands(query, key, value, o.scale, o.mask, o.keep), scores


def _weights(np: Any, spec: Attention, scores: Any) -> tuple[Any, Any]:
    """Return the softmax of the rows and the logarithms of its denominators."""
    top = scores.max(axis=-1, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    shares = np.exp(scores - top)
    total = shares.sum(axis=-1, keepdims=True)
    if not (spec.causal or spec.masked):
        return shares / total, np.log(total) + top
    empty = total == 0
    total = np.where(empty, 1, total)
    return shares / total, np.where(empty, np.inf, np.log(total) + top)


def _reference(np: Any, node: Any, *sources: Any) -> Any:
    o, scores = _scores(np, node.argument, sources)
    return kept(o, _weights(np, node.argument, scores)[0]) @ o.value


def _norm_reference(np: Any, node: Any, *sources: Any) -> Any:
    _, scores = _scores(np, node.argument, sources)
    return _weights(np, node.argument, scores)[1]


def _gradient_reference(np: Any, node: Any, *sources: Any) -> Any:
    spec, operand = node.argument.attention, node.argument.operand
    *rest, g, norm, delta = sources
    o, scores = _scores(np, spec, tuple(rest))
    weights = np.exp(scores - norm)
    if operand == VALUE:
        return np.swapaxes(kept(o, weights), -1, -2) @ g
    slopes = weights * (kept(o, g @ np.swapaxes(o.value, -1, -2)) - delta) * o.scale
    return slopes @ o.key if operand == QUERY else np.swapaxes(slopes, -1, -2) @ o.query


# -- in smaller operations ------------------------------------------------------------------------


def product(build: Any, left: Any, right: Any, accumulator: DType) -> Any:
    """Return the sums over the last axis of products of rows of left and right."""
    spec = Contraction(len(left.shape) - 2, 1, 1, 1, accumulator)
    return build.contract(build.cast(left, accumulator), build.cast(right, accumulator), spec)


def swapped(build: Any, node: Any) -> Any:
    """Return a node with its last two axes exchanged."""
    rank = len(node.shape)
    return build.permute(node, (*range(rank - 2), rank - 1, rank - 2))


def composed_scores(build: Any, spec: Attention, o: Operands) -> Any:
    """Return the masked scores as a graph of smaller operations."""
    scores = product(build, o.query, o.key, spec.accumulator) * o.scale
    outside = scores.const(float("-inf"))
    if spec.causal:
        rows, columns = scores.shape[-2:]
        below = build.iota((1, columns)) <= build.iota((rows, 1))
        scores = build.expand(below, scores.shape).select(scores, outside)
    if o.mask is not None and o.mask.dtype is dtypes.bool_:
        scores = o.mask.select(scores, outside)
    elif o.mask is not None:
        scores = scores + build.cast(o.mask, spec.accumulator)
    return scores


def composed_weights(build: Any, spec: Attention, scores: Any) -> tuple[Any, Any]:
    """Return the softmax of rows of scores and the norm; a row that masks empty gives zeros."""
    last = (len(scores.shape) - 1,)
    top = build.detach(build.reduce(reduction.AMAX, scores, last))
    top = top.eq(float("-inf")).select(0, top)
    shares = exp(scores - build.expand(top, scores.shape))
    total = build.reduce(reduction.SUM, shares, last)
    if not (spec.causal or spec.masked):
        return shares / build.expand(total, scores.shape), log(total) + top
    empty = total.eq(0)
    total = empty.select(1, total)
    norm = empty.select(float("inf"), log(total) + top)
    return shares / build.expand(total, scores.shape), norm


def composed_gradients(
    build: Any, spec: Attention, o: Operands, weights: Any, g: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients of query, key, value and mask from the weights."""
    wide = spec.accumulator
    to_weights = kept(o, product(build, g, o.value, wide))
    inner = build.reduce(reduction.SUM, to_weights * weights, (len(weights.shape) - 1,))
    to_scores = weights * (to_weights - build.expand(inner, weights.shape))
    return (*score_gradients(build, spec, o, weights, to_scores, g), to_scores)


def score_gradients(
    build: Any, spec: Attention, o: Operands, weights: Any, to_scores: Any, g: Any
) -> tuple[Any, Any, Any]:
    """Return the gradients of query, key and value from that of the scores."""
    wide = spec.accumulator
    slopes = to_scores * o.scale
    to_query = product(build, slopes, swapped(build, o.key), wide)
    to_key = product(build, swapped(build, slopes), swapped(build, o.query), wide)
    mixing = swapped(build, kept(o, weights))
    return to_query, to_key, product(build, mixing, swapped(build, g), wide)


# -- gradients ------------------------------------------------------------------------------------


def _gradient(g: Any, node: Any, build: Any) -> Any:
    """Return gradients from kernels that hold no scores, or of smaller operations.

    The latter where gradients of gradients may be asked for, and where the mask wants one, which
    is as large as the scores anyway.
    """
    spec: Attention = node.argument
    o = operands_of(node.sources, spec)
    wide = spec.accumulator
    last = (len(node.shape) - 1,)
    delta = build.reduce(reduction.SUM, build.cast(g, wide) * build.cast(node, wide), last)
    mask_gradient = o.mask is not None and o.mask.requires_grad
    if delta.requires_grad or mask_gradient:
        weights, _ = composed_weights(build, spec, composed_scores(build, spec, o))
        *three, to_mask = composed_gradients(build, spec, o, weights, g)
        fourth = (to_mask if mask_gradient else None,) if spec.masked else ()
        return (*three, None, *fourth, *[None] * (len(node.sources) - 4 - len(fourth)))
    plain = node.sources[:-1] if spec.with_norm else node.sources
    spec = replace(spec, with_norm=False)
    norm = node.sources[-1] if node.argument.with_norm else build.attention_norm(plain, spec)
    sources = (*plain, g, norm, delta)
    found = [
        build.attention_gradient(sources, AttentionGradient(spec, operand))
        if plain[operand].requires_grad
        else None
        for operand in (QUERY, KEY, VALUE)
    ]
    return (*found, *[None] * (len(node.sources) - 3))


def _norm_gradient(g: Any, node: Any, build: Any) -> Any:
    spec: Attention = node.argument
    o = operands_of(node.sources, spec)
    weights, _ = composed_weights(build, spec, composed_scores(build, spec, o))
    to_scores = weights * build.expand(g, weights.shape)
    to_query, to_key, _ = score_gradients(build, spec, o, weights, to_scores, o.query)
    fourth = (to_scores,) if spec.masked else ()
    return (to_query, to_key, None, None, *fourth, *([None] if spec.dropped else []))


ATTENTION = register(Structural(name="attention", reference=_reference, gradient=_gradient))
ATTENTION_NORM = register(
    Structural(name="attention_norm", reference=_norm_reference, gradient=_norm_gradient)
)
ATTENTION_GRADIENT = register(
    Structural(
        name="attention_gradient",
        reference=_gradient_reference,
        no_gradient="where gradients of gradients are wanted it is made of smaller operations",
    )
)
