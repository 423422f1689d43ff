"""Orders over the graph, without recursion: graphs may be thousands of nodes deep."""

from collections.abc import Iterable

from pumice.graph.node import Node


def topological(roots: Iterable[Node]) -> list[Node]:
    """Return every node that must be evaluated for the roots, sources first.

    Evaluated nodes and buffers appear, but nothing below them does.
    """
    order: list[Node] = []
    entered: set[Node] = set()
    finished: set[Node] = set()
    stack = list(roots)
    stack.reverse()
    while stack:
        node = stack[-1]
        if node in entered:
            stack.pop()
            if node not in finished:
                finished.add(node)
                order.append(node)
            continue
        entered.add(node)
        if node.value is None:
            stack.extend([source for source in reversed(node.sources) if source not in entered])
    return order
