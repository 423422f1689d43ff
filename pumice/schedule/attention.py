"""Attention in smaller operations, where it is not kept whole.

Before::

    attention[causal](q, k, v, scale)

After, for a target whose grid items have too little memory of their own::

    contract(contract(q, k) * scale -> where -> softmax, v)

The weights are shared by all nodes of one attention in a graph.
"""

from typing import Any

from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.attention import (
    ATTENTION,
    ATTENTION_GRADIENT,
    ATTENTION_NORM,
    Attention,
    composed_scores,
    composed_weights,
    kept,
    operands_of,
    product,
    score_gradients,
    swapped,
)
from pumice.ops.definition import OpDef
from pumice.schedule.shared_blocks import (
    key_gradient_need,
    query_gradient_need,
    row_fits,
    shared_blocks,
)
from pumice.target import Target

OPERATIONS: frozenset[OpDef] = frozenset((ATTENTION, ATTENTION_NORM, ATTENTION_GRADIENT))
MOST_FEATURES = 1024
"""What features of keys and values together may be kept for tiles: more would not fit the cache."""


def is_kept(node: Node, target: Target) -> bool:
    """Tell whether a target runs an attention in one kernel."""
    spec = _spec(node)
    if spec.accumulator.name not in target.tiles:
        return False
    if not target.local_tiles:
        return _fits_shared_memory(node, target)
    return node.sources[1].shape[-1] + node.sources[2].shape[-1] <= MOST_FEATURES


def _fits_shared_memory(node: Node, target: Target) -> bool:
    """Tell whether workgroups can hold what they own of an attention."""
    features, width = node.sources[1].shape[-1], node.sources[2].shape[-1]
    itemsize = _spec(node).accumulator.itemsize
    if features + width > MOST_FEATURES:
        return False
    if node.op is not ATTENTION_GRADIENT:
        return row_fits(features, width, itemsize, target)
    needs = (query_gradient_need, key_gradient_need)
    return all(
        shared_blocks(need(features, width, itemsize), 1, target) is not None for need in needs
    )


def _spec(node: Node) -> Attention:
    spec: Attention = node.argument.attention if node.op is ATTENTION_GRADIENT else node.argument
    return spec


class Expansion:
    """Expands the attentions of one graph."""

    def __init__(self) -> None:
        self._weights: dict[Any, tuple[Node, Node]] = {}

    def expanded(self, node: Node, sources: tuple[Node, ...]) -> Node:
        """Return the value of an attention, its norm or its gradient."""
        spec = _spec(node)
        o = operands_of(sources, spec)
        key = (*o[:2], o.scale, o.mask, spec.causal)
        if key not in self._weights:
            scores = composed_scores(build, spec, o)
            self._weights[key] = composed_weights(build, spec, scores)
        weights, norm = self._weights[key]
        if node.op is ATTENTION_NORM:
            return norm
        if node.op is ATTENTION:
            weights = kept(o, weights)
            mixed: Node = product(build, weights, swapped(build, o.value), spec.accumulator)
            return build.cast(mixed, node.dtype)
        g, _, delta = sources[-3:]
        to_weights = kept(o, product(build, g, o.value, spec.accumulator))
        to_scores = weights * (to_weights - build.expand(delta, weights.shape))
        operand: int = node.argument.operand
        three: tuple[Node, ...] = score_gradients(build, spec, o, weights, to_scores, g)
        return three[operand]
