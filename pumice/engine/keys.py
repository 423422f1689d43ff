"""Walking a graph once: its order, and what decides its code."""

from collections.abc import Iterable, Sequence
from typing import Any

from pumice.graph.node import Node
from pumice.ops import structure


class Walk:
    """A graph in the order of `graph.walk.topological`.

    Attributes
    ----------
    order : list of Node
        Sources first.
    position : dict of Node to int
        The place of each in the order.
    entries : list
        For each, what decides the code: everything but addresses and numbers.
    """

    __slots__ = ("entries", "order", "position")

    def __init__(self, roots: Iterable[Node]) -> None:
        self.order: list[Node] = []
        self.position: dict[Node, int] = {}
        self.entries: list[Any] = []
        self._visit(list(roots))

    def _visit(self, stack: list[Node]) -> None:
        order, position, entries = self.order, self.position, self.entries
        stack.reverse()
        while stack:
            node = stack[-1]
            if node in position:
                stack.pop()
                continue
            if node.value is not None:
                entries.append((node.dtype, node.shape))
            else:
                sources = node.sources
                operands = tuple([position.get(source) for source in sources])
                if None in operands:
                    stack += [source for source in sources[::-1] if source not in position]
                    continue
                op = node.op
                if op is structure.CONSTANT:
                    entries.append((None, node.dtype, node.shape))
                else:
                    argument = None if op is structure.CUSTOM else node.argument
                    entries.append((op, node.dtype, node.shape, argument, operands))
            stack.pop()
            position[node] = len(order)
            order.append(node)

    def key(self, wanted: Sequence[Node]) -> Any:
        """Return what decides the code of the graph when these nodes are wanted."""
        position = self.position
        return (tuple(self.entries), tuple([position[node] for node in wanted]))
