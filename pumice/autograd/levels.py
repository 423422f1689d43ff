"""Levels of differentiation: what a transform differentiates by, apart from everything else.

A transform of a function (`func.grad`, `func.jvp` ...) gives it tensors over *markers*: identities
of the arguments at which its own derivatives end. A transform inside another one marks a marker
again, and the derivative of the outer one passes through. When a transform returns, its level is
closed: what it computed requires a gradient only if something outside does.
"""

from collections.abc import Sequence

from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.ops import structure


class Level:
    """One running transform. All levels are equal, so plans do not depend on them.

    Attributes
    ----------
    closed : bool
        Whether the transform has returned.
    """

    # It knows no markers: they know it, and graphs must not wait for a garbage collection.
    __slots__ = ("closed", "recorded")

    def __init__(self) -> None:
        self.closed = False
        self.recorded = gradient_mode.get()

    def reference(self) -> None:
        """Return the tensor whose ``grad`` is fed: none."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level)

    def __hash__(self) -> int:
        return 0x6C766C

    def mark(self, node: Node) -> Node:
        """Return an identity of a node that this level differentiates by."""
        if node.requires_grad:
            marker = Node(structure.CUSTOM, node.dtype, node.shape, (node,), passed)
            marker.requires_grad = True
        else:
            marker = build.leaf(node)
            marker.argument = self
        return marker

    def outlives(self, nodes: Sequence[Node]) -> bool:
        """Tell whether somebody outside may differentiate what was computed from nodes."""
        return self.recorded and any(reaches_open_leaf(node) for node in nodes)

    def leave(self, node: Node) -> Node:
        """Return a node as it is seen after the transform has returned."""
        if node.requires_grad and not self.outlives((node,)):
            return build.detach(node)
        return node


def passed(g: Node, node: Node) -> tuple[Node | None, ...]:
    """Send a gradient on: the rule of a marker over what requires a gradient itself."""
    return (g,)


def reaches_open_leaf(root: Node) -> bool:
    """Tell whether a gradient flows from a node to a leaf that no closed level made."""
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node in seen or not node.requires_grad:
            continue
        seen.add(node)
        if node.op is structure.AFTER:
            stack.append(node.sources[0])
        elif node.op is not structure.LEAF:
            stack.extend(node.sources)
        elif not (isinstance(node.argument, Level) and node.argument.closed):
            return True
    return False
