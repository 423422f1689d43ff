"""Groups that are one elementwise operator: kernels that all shapes share.

They have the form of `kernel.operators`. The axes of a result are merged where every operand steps
through them as one, and what is left goes into the numbers of the launch.
"""

from math import prod

from pumice.graph.node import Node
from pumice.kernel.operator import Operator
from pumice.kernel.operators import (
    BLOCK,
    MOST_AXES,
    can_fail,
    operand_dtypes,
    operator_kernel,
    stands_alone,
)
from pumice.lowering.expression import IsStored, merge_axes
from pumice.lowering.steps import Binding, FaultRecord, Memory, Number, Step
from pumice.ops import structure
from pumice.ops.definition import Elementwise
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target

LARGE = 1 << 10
"""Elements from which on devices that run both sides of a branch have kernels for each layout."""


def lower_operator(group: Group, is_stored: IsStored, target: Target) -> list[Step] | None:
    """Return the launch of a group that is one operator on tensors and numbers, None for others."""
    root = group.root
    op, sources = root.op, root.sources
    if not isinstance(op, Elementwise) or group.extra or group.side or group.reductions:
        return None
    dtype = sources[-1].dtype
    types = operand_dtypes(op, dtype)
    given = tuple([source.dtype for source in sources])
    if group.main.inner or given != types or not stands_alone(op, dtype):
        return None
    operands = [_operand(source, is_stored) for source in sources]
    known = [each for each in operands if each is not None]
    if len(known) < len(operands):
        return None
    numel = prod(root.shape)
    if target.branches_cost and numel >= LARGE:
        return None
    if numel == 0:
        return []
    views = [view for _, view in known if view is not None]
    axes = merge_axes(root.shape, range(len(root.shape)), [*views, View.contiguous(root.shape)])
    if len(axes) > MOST_AXES:
        return None
    extents = [prod([root.shape[axis] for axis in members]) for members in reversed(axes)]
    strides = [
        [0 if view is None else view.strides[members[-1]] for _, view in known]
        for members in reversed(axes)
    ]
    for _ in range(len(axes), MOST_AXES):
        extents.append(1)
        strides.append([0] * len(known))
    length = extents[0]
    extents[0] = -(-length // BLOCK)
    numbers = tuple([view is None for _, view in known])
    operator = Operator(op, dtype, numbers)
    bindings: list[Binding] = [
        Number(node) if view is None else Memory(node, view.offset * node.dtype.itemsize)
        for node, view in known
    ]
    bindings += [Memory(root), length]
    for extent, steps in zip(extents, strides, strict=True):
        bindings += [extent, *steps]
    faults = can_fail(op, types)
    if faults:
        bindings.append(FaultRecord())
    cost = len(known) + 1
    suspects = (root,) if faults else ()
    kernel, grid = operator_kernel(operator), tuple(reversed(extents))
    return [Step(kernel, tuple(bindings), grid, (root,), cost, root, suspects)]


def _operand(node: Node, is_stored: IsStored) -> tuple[Node, View | None] | None:
    """Return where an operand lies and how it is read, no view for a number; None for others."""
    view = View.contiguous(node.shape)
    while not is_stored(node):
        if node.op is structure.CONSTANT:
            return node, None
        if node.op is not structure.VIEW:
            return None
        composed = node.argument.compose(view)
        if composed is None:
            return None
        node, view = node.sources[0], composed
    return node, view
