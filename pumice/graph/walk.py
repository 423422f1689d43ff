"""Orders over the graph, without recursion: graphs may be thousands of nodes deep."""

from collections.abc import Iterable

from pumice.graph.node import Node


def topological(roots: Iterable[Node]) -> list[Node]:
    """Return every node that must be evaluated for the roots, sources first.

    Evaluated nodes and buffers appear, but nothing below them does.
    """
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.value is not None or not node.sources:
            order.append(node)
            continue
        stack.append((node, True))
        for source in reversed(node.sources):
            if id(source) not in seen:
                stack.append((source, False))
    return order
