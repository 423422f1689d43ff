"""Operations that wait for others, once nothing merges equal operations any more.

Before::

    %3 = after(%1, %2)
    %4 = exp(%3)

After::

    %4 = exp(%1)        waits for %2
"""

from collections.abc import Mapping, Sequence

from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.ops import structure

Waits = Mapping[Node, tuple[Node, ...]]
"""For nodes that read through an `AFTER`, what must be computed before them."""


def without_waiting(
    order: Sequence[Node], wanted: Sequence[Node]
) -> tuple[list[Node], list[Node], Waits]:
    """Return the graph without `AFTER`, in an order that respects them, and what waits for what."""
    if all(node.op is not structure.AFTER for node in order):
        return list(order), list(wanted), {}
    replaced: dict[Node, Node] = {}
    awaited: dict[Node, dict[Node, None]] = {}  # by operations of the graph as it was
    waits: dict[Node, tuple[Node, ...]] = {}
    result: list[Node] = []
    for node in order:
        if node.value is not None or not node.sources:
            replaced[node] = node
            result.append(node)
            continue
        operands = tuple([replaced[source] for source in node.sources])
        through: dict[Node, None] = {}
        for source in node.sources:
            through |= awaited.get(source, {})
        if node.op is structure.AFTER:
            replaced[node] = operands[0]
            awaited[node] = through | dict.fromkeys(operands[1:])
            continue
        made = node
        if operands != node.sources:
            made = Node(node.op, node.dtype, node.shape, operands, node.argument, node.device)
            made.stand_for(node)
        replaced[node] = made
        result.append(made)
        if through:
            waits[made] = tuple(through)
    results = [replaced[node] for node in wanted]
    alive = set(topological(results))
    return [node for node in result if node in alive], results, waits
