"""Running folds: the axis in order, everything else in parallel."""

from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
    Loop,
    LoopKind,
    Statement,
    Store,
    Variable,
    constant,
    index,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Step
from pumice.ops.definition import Scan
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target

COLUMN_BLOCK = 64


def lower_scan(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launch of a scan, with whatever computes its operand fused into it."""
    node = group.root
    op = node.op
    assert isinstance(op, Scan)
    if node.numel == 0:
        return []
    source = node.sources[0]
    axis = node.argument
    order = (*(each for each in range(len(node.shape)) if each != axis), axis)
    view = View.contiguous(node.shape).permute(order)
    rank = len(order) - 1

    def stored(each: Node) -> bool:
        return each is not node and is_stored(each)

    views = [*affine_views(reading_order([(source, view)], stored), stored), view]
    outer = merge_axes(view.shape, range(rank), views)
    builder = KernelBuilder()
    expressions = Expressions(builder, stored, {})
    grid = []
    for members in outer:
        extent = prod(view.shape[each] for each in members)
        grid.append((Variable("o"), builder.size(extent, "extent"), extent))
    step_variable = Variable("i")
    loops = (*outer, (rank,))
    variables = (*(variable_value(each) for each, _, _ in grid), variable_value(step_variable))
    frame = Frame(loops, variables)
    carried = op.accumulator(source.dtype)
    carry = Carry("running", carried, constant(op.identity(carried), carried))
    element = expressions.value(source, view, frame).cast(carried)
    following = op.combine(carry.now, element)
    output = builder.writable(node, node.dtype)
    store = Store(output, expressions.position(view, frame), following.cast(node.dtype))
    length = view.shape[-1]
    loop = Loop(
        step_variable,
        index(0),
        builder.size(length, "length"),
        LoopKind.SERIAL,
        (store,),
        (Fold((carry,), (following,)),),
    )
    body: tuple[Statement, ...] = (loop,)
    cost = length * 2
    along_lanes = bool(outer) and view.strides[outer[-1][-1]] == 1 and axis != len(order) - 1
    if along_lanes and not target.grid_lanes:
        variable, extent_value, extent = grid.pop()
        block = Variable("block")
        size = builder.size(COLUMN_BLOCK, "block")
        start = variable_value(block) * size
        stop = minimum(start + size, extent_value)
        body = (Loop(variable, start, stop, LoopKind.LANES, body),)
        blocks = -(-extent // COLUMN_BLOCK)
        grid.append((block, builder.size(blocks, "blocks"), blocks))
        cost *= COLUMN_BLOCK // 8
    return [builder.finish(tuple(grid), body, cost, node)]
