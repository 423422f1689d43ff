"""Views and writes that need less than they name.

    view(update(x, 0, here))     of elements elsewhere     view(x)
    update(update(x, 0, [0:4]), 0, [4:6])                  update(x, 0, [0:6])

The gradient of a loop is made of these: each step's output is taken from the gradient of a stack
whose later steps were set to zero, and that is only linear in the steps when no step looks at what
the others did. Nothing is left out of a graph that is being recorded for a gradient.
"""

from collections.abc import Sequence

from pumice.graph.node import Node, gradient_mode
from pumice.ops import structure
from pumice.ops.view import Shape, View


def around(node: Node, argument: View) -> tuple[Node, View] | None:
    """Return what to view, and how, instead of an update; None when there is nothing better."""
    if node.value is not None or not node.sources or _recorded(node):
        return None
    if node.sources[1].op is structure.CONSTANT and _apart(node.argument, argument):
        return node.sources[0], argument
    return None


def joined_write(base: Node, value: Node, argument: View) -> tuple[Node, View] | None:
    """Return base and box of one write of a constant that does this one and the one before."""
    if base.op is not structure.UPDATE or base.value is not None or _recorded(base):
        return None
    earlier = base.sources[1]
    if value.op is not structure.CONSTANT or earlier.op is not structure.CONSTANT:
        return None
    if repr(earlier.argument.value) != repr(value.argument.value):
        return None
    boxes = sorted((base.argument, argument), key=lambda box: box.offset)
    low, high = boxes
    if not (low.is_contiguous() and high.is_contiguous()):
        return None
    if low.offset + low.numel != high.offset or not low.numel or not high.numel:
        return None
    return base.sources[0], View((low.numel + high.numel,), (1,), low.offset)


def joined_nothing(nodes: Sequence[Node], shape: Shape) -> Node:
    """Return no elements, in a shape, through which gradients reach the nodes joined."""
    box = View.contiguous(shape)
    first, *others = [
        node if node.shape == shape else Node(structure.VIEW, node.dtype, shape, (node,), box)
        for node in nodes
    ]
    for node in others:
        if node.requires_grad:
            first = first + node
    return first


def _recorded(node: Node) -> bool:
    return node.requires_grad and gradient_mode.get()


def _apart(written: View, read: View) -> bool:
    """Tell whether two boxes share no element because one ends before the other starts."""
    if not written.numel or not read.numel:
        return False
    low, high = written.bounds()
    first, last = read.bounds()
    return high < first or last < low
