"""Scaled dot-product attention."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import accumulation_dtype
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.tensor.core import wrap
from pumice.tensor.dropout import dropped_out
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.products import matmul_node
from pumice.tensor.ranges import grid

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
    """
    q, k, v = (tensor_node(OPERATOR, each) for each in (query, key, value))
    if attn_mask is not None and is_causal:
        raise InvalidArgument(
            describe(OPERATOR, "both attn_mask and is_causal are given", "give one of them")
        )
    if min(len(q.shape), len(k.shape), len(v.shape)) < 2:
        raise ShapeError(describe(OPERATOR, "got an operand of fewer than two axes", "(..., L, E)"))
    if enable_gqa:
        k, v = _shared_heads(q, k), _shared_heads(q, v)
    wide = accumulation_dtype(q.dtype)
    factor = 1 / sqrt(max(q.shape[-1], 1)) if scale is None else scale
    swapped = (*range(len(k.shape) - 2), len(k.shape) - 1, len(k.shape) - 2)
    keys = build.permute(build.cast(k, wide), swapped)
    scores = matmul_node(OPERATOR, build.cast(q, wide), keys) * factor
    scores = _masked(scores, attn_mask, is_causal)
    weights = _weights(scores, masked=is_causal or attn_mask is not None)
    if dropout_p:
        weights = dropped_out(weights, dropout_p)
    return wrap(build.cast(matmul_node(OPERATOR, weights, build.cast(v, wide)), q.dtype))


def _masked(scores: Node, attn_mask: Tensor | None, is_causal: bool) -> Node:
    """Add a floating mask, or put -inf where a position does not attend."""
    if is_causal:
        rows, columns = grid(scores.shape[-2:], scores.device)
        allowed = columns <= rows
    elif attn_mask is None:
        return scores
    else:
        allowed = tensor_node(OPERATOR, attn_mask, "attn_mask")
        if allowed.dtype.is_floating_point:
            return call("add", scores, build.cast(allowed, scores.dtype))
        if allowed.dtype is not dtypes.bool_:
            raise DTypeError(
                describe(OPERATOR, f"attn_mask is {allowed.dtype.name}", "bool or floating")
            )
    outside = build.constant(float("-inf"), scores.dtype, (), scores.device)
    return call("where", allowed, scores, outside)


def _weights(scores: Node, masked: bool) -> Node:
    """Return the softmax of rows; a row of -inf, which only masks make, gives zeros."""
    axis = (len(scores.shape) - 1,)
    largest = build.detach(build.reduce(reduction.AMAX, scores, axis))
    if masked:
        largest = largest.eq(float("-inf")).select(0, largest)
    shares = call("exp", scores - build.expand(largest, scores.shape))
    total = build.reduce(reduction.SUM, shares, axis)
    if masked:
        total = total.eq(0).select(1, total)
    return shares / build.expand(total, scores.shape)


def _shared_heads(query: Node, node: Node) -> Node:
    heads, own = query.shape[-3], node.shape[-3]
    if own == 0 or heads % own:
        raise ShapeError(
            describe(OPERATOR, f"{heads} query heads and {own} key heads", "a multiple")
        )
    lead = node.shape[:-3]
    split = (*lead, own, 1, *node.shape[-2:])
    wide = (*lead, own, heads // own, *node.shape[-2:])
    spread = build.expand(build.reshape(node, split), wide)
    return build.reshape(spread, (*lead, heads, *node.shape[-2:]))
