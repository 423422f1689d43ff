"""Scaled dot-product attention."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import accumulation_dtype
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.attention import (
    Attention,
    composed_scores,
    composed_weights,
    kept,
    operands_of,
    product,
    swapped,
)
from pumice.tensor.core import wrap
from pumice.tensor.dropout import dropped_out
from pumice.tensor.marks import functional
from pumice.tensor.operands import tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

OPERATOR = "scaled_dot_product_attention"


@functional
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Mix values by the softmax of scaled products of queries and keys.

    Parameters
    ----------
    query : Tensor
        (..., L, E)
    key, value : Tensor
        (..., S, E) and (..., S, V); leading axes broadcast.
    attn_mask : Tensor, optional
        Broadcasts to (..., L, S); bool: True attends; floating: added to the scores.
    dropout_p : float
        Share of weights dropped.
    is_causal : bool
        Position i attends to positions up to i (aligned at the top left).
    scale : float, optional
        Factor of the scores; ``1 / sqrt(E)`` by default.
    enable_gqa : bool
        Repeat key and value heads (third axis from the end) to the number of query heads.

    Returns
    -------
    Tensor
        (..., L, V); a fully masked row is zeros.

    Raises
    ------
    InvalidArgument
        When a mask is given together with ``is_causal``.
    ShapeError
        When shapes do not fit.

    Notes
    -----
    Scores are accumulated in at least float32.

    Examples
    --------
    >>> q, k, v = pumice.ones(1, 2), pumice.zeros(2, 2), pumice.tensor([[0.], [4.]])
    >>> pumice.nn.functional.scaled_dot_product_attention(q, k, v)
    tensor([[2.]])
    """
    q, k, v = (tensor_node(OPERATOR, each) for each in (query, key, value))
    if attn_mask is not None and is_causal:
        raise InvalidArgument(
            describe(OPERATOR, "both attn_mask and is_causal are given", "give one of them")
        )
    if min(len(q.shape), len(k.shape), len(v.shape)) < 2:
        raise ShapeError(describe(OPERATOR, "got an operand of fewer than two axes", "(..., L, E)"))
    mask = None if attn_mask is None else _mask(attn_mask)
    if not enable_gqa:
        return wrap(_mixed(q, k, v, mask, is_causal, scale, dropout_p))
    mixed = _mixed(*_grouped(q, k, v, mask), is_causal, scale, dropout_p)
    heads = (mixed.shape[-4] * mixed.shape[-3],)
    return wrap(build.reshape(mixed, mixed.shape[:-4] + heads + mixed.shape[-2:]))


def _mixed(
    q: Node,
    k: Node,
    v: Node,
    mask: Node | None,
    is_causal: bool,
    scale: float | None,
    dropout_p: float,
) -> Node:
    sources, spec = _operands(q, k, v, mask, is_causal, scale)
    if dropout_p:
        sources, spec = _with_dropping(sources, spec, dropout_p)
    if min(q.shape[-2:] + v.shape[-2:]) == 0:
        return _composed(sources, spec)
    return build.attention(sources, spec)


def _mask(attn_mask: Tensor) -> Node:
    mask = tensor_node(OPERATOR, attn_mask, "attn_mask")
    if mask.dtype is not dtypes.bool_ and not mask.dtype.is_floating_point:
        raise DTypeError(describe(OPERATOR, f"attn_mask is {mask.dtype.name}", "bool or floating"))
    return mask


def _operands(
    q: Node, k: Node, v: Node, mask: Node | None, is_causal: bool, scale: float | None
) -> tuple[tuple[Node, ...], Attention]:
    """Return the operands with equal leading axes, and the static part of the operation."""
    rows, keys = q.shape[-2], k.shape[-2]
    if q.shape[-1] != k.shape[-1] or keys != v.shape[-2]:
        shapes = ", ".join(str(list(node.shape)) for node in (q, k, v))
        raise ShapeError(
            describe(OPERATOR, f"got {shapes}", "(..., L, E), (..., S, E), (..., S, V)")
        )
    if not q.dtype.is_floating_point:
        q = build.cast(q, dtypes.default_float())
    parts = [q, k, v] if mask is None else [q, k, v, _at_least_matrix(mask)]
    lead = build.broadcast_shapes(OPERATOR, *(part.shape[:-2] for part in parts))
    q, k, v = (build.expand(part, (*lead, *part.shape[-2:])) for part in (q, k, v))
    wide = accumulation_dtype(q.dtype)
    factor = 1 / sqrt(max(q.shape[-1], 1)) if scale is None else scale
    sources: tuple[Node, ...] = (q, k, v, build.constant(factor, wide, (), q.device))
    if mask is not None:
        sources = (*sources, build.expand(parts[3], (*lead, rows, keys)))
    return sources, Attention(is_causal, mask is not None, wide)


def _at_least_matrix(mask: Node) -> Node:
    return build.reshape(mask, (1,) * (2 - len(mask.shape)) + mask.shape)


def _with_dropping(
    sources: tuple[Node, ...], spec: Attention, p: float
) -> tuple[tuple[Node, ...], Attention]:
    """Return the operands with factors that drop weights with a chance of p."""
    query, key = sources[:2]
    shape = (*query.shape[:-1], key.shape[-2])
    ones = build.constant(1, spec.accumulator, shape, query.device)
    return (*sources, dropped_out(ones, p)), replace(spec, dropped=True)


def _composed(sources: tuple[Node, ...], spec: Attention) -> Node:
    """Return attention in smaller operations."""
    o = operands_of(sources, spec)
    weights, _ = composed_weights(build, spec, composed_scores(build, spec, o))
    weights = kept(o, weights)
    mixed = product(build, weights, swapped(build, o.value), spec.accumulator)
    return build.cast(mixed, o.query.dtype)


def _grouped(q: Node, k: Node, v: Node, mask: Node | None) -> tuple[Node, Node, Node, Node | None]:
    """Split the axis of heads into those of keys and the queries that share one of them.

    Keys and values then broadcast along an axis of their own, so nothing is copied.
    """
    if min(len(node.shape) for node in (q, k, v)) < 3:
        raise ShapeError(describe(OPERATOR, "enable_gqa needs an axis of heads", "(..., H, L, E)"))
    heads, own = q.shape[-3], k.shape[-3]
    if own == 0 or heads % own or v.shape[-3] != own:
        got = f"{heads} query heads, {own} key heads and {v.shape[-3]} value heads"
        raise ShapeError(describe(OPERATOR, f"got {got}", "a multiple"))

    def split(node: Node, first: int, second: int) -> Node:
        return build.reshape(node, (*node.shape[:-3], first, second, *node.shape[-2:]))

    if mask is not None and len(mask.shape) > 2:
        shared = mask.shape[-3] != heads
        mask = split(mask, mask.shape[-3], 1) if shared else split(mask, own, heads // own)
    return split(q, own, heads // own), split(k, own, 1), split(v, own, 1), mask
