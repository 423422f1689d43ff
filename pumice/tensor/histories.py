"""Where gradients go once the elements of a tensor have been written to."""

from __future__ import annotations

from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import structure


class Strand:
    """What the aliases of one ``detach()`` record of their own.

    They share elements with the tensor they came from, but no history: a gradient that is written
    through one of them reaches them alone, and the others keep theirs.

    Attributes
    ----------
    node : Node or None
        The buffer as these aliases see it, once a gradient was written.
    seen : Node or None
        The cell's node it was made for; later ones only change its numbers.
    silent : bool
        Whether this is no detached tensor but a view made under no_grad, which may not be written
        to where gradients are recorded.
    """

    __slots__ = ("node", "seen", "silent")

    def __init__(self, silent: bool = False) -> None:
        self.node: Node | None = None
        self.seen: Node | None = None
        self.silent = silent

    def current(self, base: Node) -> Node:
        """Return the whole buffer as the aliases see it."""
        if self.node is None:
            return build.detach(base)
        if self.seen is not base:
            self.node, self.seen = with_history(build.detach(base), self.node), base
        return self.node

    def write(self, base: Node, new: Node) -> Node:
        """Keep what was written with a gradient; return what the cell holds from now on."""
        plain = build.detach(new)
        self.node = new
        self.seen = with_history(plain, base) if base.requires_grad else plain
        return self.seen


def with_history(value: Node, base: Node) -> Node:
    """Return new values that keep the gradient of the old ones.

    A write under no_grad or through a detached alias changes numbers only, as in PyTorch.
    """
    if base.argument is _to_history and base.sources:
        base = base.sources[1]
    node = Node(structure.CUSTOM, value.dtype, value.shape, (value, base), _to_history)
    node.requires_grad = True
    return node


def overwritten(value: Node, base: Node) -> Node:
    """Return new values from which zeros flow to where the old ones came from."""
    if base.argument is _to_nothing and base.sources:
        base = base.sources[1]
    return Node(structure.CUSTOM, value.dtype, value.shape, (value, base), _to_nothing)


def _to_nothing(g: Node, node: Node) -> tuple[Node | None, ...]:
    base = node.sources[1]
    return g, build.constant(0, base.dtype, base.shape, base.device)


def _to_history(g: Node, node: Node) -> tuple[Node | None, ...]:
    return None, g
