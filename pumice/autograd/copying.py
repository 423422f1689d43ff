"""Copies of part of a graph over other nodes."""

from collections.abc import Collection, Mapping, Sequence

from pumice.graph.node import Node, gradient_mode
from pumice.ops import structure


def boundary_of(roots: Sequence[Node], known: Collection[Node]) -> list[Node]:
    """Return where the graph of the roots ends: at known nodes, leaves and evaluated nodes."""
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in known or node.op is structure.LEAF or node.value is not None or not node.sources:
            found[node] = None
        else:
            stack.extend(reversed(node.sources))
    return list(found)


def copied(roots: Sequence[Node], replaced: Mapping[Node, Node], recorded: bool) -> list[Node]:
    """Return the same operations over other nodes.

    ``recorded`` says whether those that required a gradient do so again.
    """
    made: dict[Node, Node] = dict(replaced)
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        if node in made:
            stack.pop()
            continue
        sources = () if node.value is not None else node.sources
        missing = [source for source in sources if source not in made]
        if missing:
            stack += reversed(missing)
            continue
        stack.pop()
        operands = tuple([made[source] for source in sources])
        made[node] = node if operands == sources else _like(node, operands, recorded)
    return [made[root] for root in roots]


def _like(node: Node, operands: tuple[Node, ...], recorded: bool) -> Node:
    token = gradient_mode.set(recorded and node.requires_grad)
    try:
        result = Node(node.op, node.dtype, node.shape, operands, node.argument, node.device)
    finally:
        gradient_mode.reset(token)
    result.stand_for(node)
    if hasattr(node, "hooks") and recorded:
        result.hooks = node.hooks
    return result
