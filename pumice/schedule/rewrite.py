"""Graph rewriting before fusion: what autograd alone needs disappears, thin products become sums.

Before::

    leaf(buffer) -> contract[m=1]

After::

    buffer -> mul(view, view) -> sum
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from pumice import dtypes
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.graph.walk import topological
from pumice.ops import reduction, structure
from pumice.ops.attention import ATTENTION
from pumice.ops.definition import Elementwise, Reduction, Scan
from pumice.ops.view import View
from pumice.schedule import sources
from pumice.schedule.attention import OPERATIONS, Expansion, is_kept
from pumice.target import Target

THIN, FEW, TINY = 2, 64, 16
LONG = 1 << 13
SHORT = 32
"""Factors up to which a thin product is a sum on any target: less is computed than stored."""
_BYTES = frozenset((dtypes.int8, dtypes.uint8))
_SHARED = frozenset((structure.VIEW, structure.CAST, structure.BITCAST, structure.GATHER))


def rewrite(
    order: Sequence[Node], wanted: Sequence[Node], target: Target
) -> tuple[list[Node], list[Node]]:
    """Return an equivalent graph in topological order, and its wanted nodes.

    Products of few elements become sums; so do those of few rows or columns whose other operand
    runs along k, unless the target runs grid items one after the other and so has tiles of any
    number of rows.
    Evaluated nodes and constants are kept as the objects they are.
    """
    token = gradient_mode.set(False)
    try:
        replaced: dict[Node, Node] = {}
        expansion = Expansion()
        known: dict[tuple[object, ...], Node] = {}
        kept = set(wanted)
        for node in order:
            if node.op in OPERATIONS and not sources.is_available(node):
                replaced[node] = _rewrite_attention(node, replaced, expansion, target)
            else:
                result = _rewrite_node(node, replaced, target.local_tiles)
                replaced[node] = result if node in kept else _first_equal(result, known)
        results = _results(wanted, replaced)
        return topological(results), results
    finally:
        gradient_mode.reset(token)


def _first_equal(node: Node, known: dict[tuple[object, ...], Node]) -> Node:
    """Return the first node that computes the same from the same sources."""
    if sources.is_available(node) or not node.sources:
        return node
    if not isinstance(node.op, Elementwise | Reduction) and node.op not in _SHARED:
        return node
    key = (node.op, node.dtype, node.shape, node.sources, node.argument)
    return known.setdefault(key, node)


def _results(wanted: Sequence[Node], replaced: dict[Node, Node]) -> list[Node]:
    """Return what each wanted node became; a copy still has memory of its own."""
    results = [_without_reshape(replaced[node]) for node in wanted]
    is_copy = [node.op is structure.COPY and node.value is None for node in wanted]
    taken = {result for result, copy in zip(results, is_copy, strict=True) if not copy}
    for place, copy in enumerate(is_copy):
        if not copy:
            continue
        result = results[place]
        if result in taken:
            results[place] = _like(wanted[place], (result,))
        taken.add(results[place])
    return results


def _copies_nothing(source: Node) -> bool:
    """Tell whether a copy of a node is the node: it is computed in row-major order anyway."""
    return (
        isinstance(source.op, (Elementwise, Reduction, Scan)) or source.op is structure.CONTRACT
    ) and source.value is None


def _like(node: Node, operands: tuple[Node, ...]) -> Node:
    """Return the same operation on other operands."""
    result = Node(node.op, node.dtype, node.shape, operands, node.argument, node.device)
    result.stand_for(node)
    return result


def _without_reshape(node: Node) -> Node:
    """Return the node whose elements in order are those of a result: reshaping moves nothing."""
    while (
        node.op is structure.VIEW
        and node.value is None
        and node.sources[0].value is None
        and node.sources[0].sources
        and node.numel == node.sources[0].numel
        and node.argument.offset == 0
        and node.argument.is_contiguous()
    ):
        node = node.sources[0]
    return node


def _rewrite_attention(
    node: Node, replaced: dict[Node, Node], expansion: Expansion, target: Target
) -> Node:
    """Return an attention without the norm it keeps alive, whole or in smaller operations."""
    operands = tuple(replaced[source] for source in node.sources)
    argument = node.argument
    if node.op is ATTENTION and argument.with_norm:
        operands, argument = operands[:-1], replace(argument, with_norm=False)
    if not is_kept(node, target):
        return expansion.expanded(node, operands)
    if operands == node.sources:
        return node
    result = Node(node.op, node.dtype, node.shape, operands, argument, node.device)
    result.stand_for(node)
    return result


def _rewrite_node(node: Node, replaced: dict[Node, Node], has_tiles: bool) -> Node:
    if sources.is_available(node) or not node.sources:
        return node
    operands = tuple(replaced[source] for source in node.sources)
    if node.op in sources.IDENTITIES:
        return operands[0]  # an `AFTER` stays until no common subexpressions are sought
    if node.op is structure.COPY and _copies_nothing(_without_reshape(operands[0])):
        return operands[0]
    if node.op is structure.CONTRACT:
        operands = _narrow(node, operands)
        if _is_thin(node, has_tiles):
            return _as_sum(node, *operands)
    return node if operands == node.sources else _like(node, operands)


def _narrow(node: Node, operands: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the bytes that a product of widened bytes multiplies: it widens them itself."""
    if node.argument.accumulator is not dtypes.int32:
        return operands
    found = tuple(_before_widening(each) for each in operands)
    return operands if None in found else found  # type: ignore[return-value]


def _before_widening(node: Node) -> Node | None:
    """Return a node of 8-bit integers as it was before a cast to a wider type."""
    if node.dtype in _BYTES:
        return node
    views = []
    while node.op is structure.VIEW and not sources.is_available(node):
        views.append(node.argument)
        node = node.sources[0]
    if node.op is not structure.CAST or sources.is_available(node):
        return None
    node = node.sources[0]
    if node.dtype not in _BYTES:
        return None
    for view in reversed(views):
        node = _read(node, view)
    return node


def _is_thin(node: Node, has_tiles: bool) -> bool:
    """Tell whether a product has too few rows or columns for tiles to pay.

    Where tiles may have any number of rows those are products of a few elements, and those of some
    more elements whose long sums are worth sharing between cores.
    """
    spec = node.argument
    left, right = node.sources
    m = prod(left.shape[spec.batch : spec.batch + spec.m])
    n = prod(right.shape[spec.batch : spec.batch + spec.n])
    k = prod(left.shape[spec.batch + spec.m :])
    if (m <= THIN or n <= THIN) and k <= SHORT:
        return True
    if not has_tiles:
        if m * n <= FEW:
            return True
        # Lanes of a sum run along k: memory should, too.
        return (m <= THIN and _follows_k(right)) or (n <= THIN and _follows_k(left))
    return m * n <= TINY or (m * n <= FEW and k >= LONG)


def _follows_k(node: Node) -> bool:
    """Tell whether neighbours along the last axis, one of k, are neighbours in memory."""
    view = View.contiguous(node.shape)
    while not sources.is_available(node) and node.op in (structure.VIEW, structure.CAST):
        if node.op is structure.VIEW:
            composed = node.argument.compose(view)
            if composed is None:
                break
            view = composed
        node = node.sources[0]
    long = [axis for axis, extent in enumerate(view.shape) if extent > 1]
    return not long or view.strides[long[-1]] in (0, 1)


def _as_sum(node: Node, left: Node, right: Node) -> Node:
    """Return the product as elementwise products summed over the k axes."""
    spec = node.argument
    batch = left.shape[: spec.batch]
    m = left.shape[spec.batch : spec.batch + spec.m]
    k = left.shape[spec.batch + spec.m :]
    n = right.shape[spec.batch : spec.batch + spec.n]
    full = (*batch, *m, *n, *k)
    left_view = View.contiguous((*batch, *m, *(1,) * len(n), *k)).expand(full)
    right_view = View.contiguous((*batch, *(1,) * len(m), *n, *k)).expand(full)
    first = build.cast(_read(left, left_view), spec.accumulator)
    second = build.cast(_read(right, right_view), spec.accumulator)
    axes = tuple(range(len(full) - len(k), len(full)))
    if not axes:
        return build.cast(first * second, node.dtype)
    total = build.reduce(reduction.SUM, first * second, axes)
    return build.cast(build.view(total, View.contiguous(node.shape)), node.dtype)


def _read(node: Node, view: View) -> Node:
    """Return a view of a node.

    `build.view` makes a new CONSTANT of a constant; here it must stay the node whose number a plan
    takes anew in every run.
    """
    if node.op is structure.CONSTANT:
        return Node(structure.VIEW, node.dtype, view.shape, (node,), view)
    return build.view(node, view)
