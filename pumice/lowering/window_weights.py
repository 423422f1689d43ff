"""Weights in the order a product with windows meets them."""

from pumice.kernel.ir import Loop, LoopKind, Statement, Store, Value, Variable, constant, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import Expressions, Frame, affine_views, merge_axes, reading_order
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_packing import Block
from pumice.lowering.window_plan import Groups, WindowPlan
from pumice.ops.view import View


def pack_weights(plan: WindowPlan, channels: int, panels: int) -> tuple[Scratch, Step]:
    """Pack ``[batch][panel][pass][shifted taps][expanded taps][channel][row]``."""
    left, rows = plan.left, plan.tile.rows
    shape, spec = left.shape, plan.spec
    depth = plan.taps * plan.channel_count
    count = plan.batch_count * panels * rows * depth
    scratch = Scratch(count * spec.accumulator.itemsize)
    view = View.contiguous(shape)
    views = affine_views(reading_order([(left, view)], plan.is_stored), plan.is_stored)
    batch_axes = merge_axes(shape, range(spec.batch), views)
    line_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)

    builder = KernelBuilder()
    expressions = Expressions(builder, plan.is_stored, {})
    output = builder.writable(scratch, spec.accumulator)
    batch, panel, block = Variable("batch"), Variable("panel"), Variable("pass")
    channel, lane = Variable("channel"), Variable("lane")
    passes = -(-plan.channel_count // channels)
    place = Block(builder, variable_value(block), channels, plan.channel_count)
    line = variable_value(panel) * index(rows) + variable_value(lane)
    inside = line < builder.size(plan.m, "m")
    expressions.mask = inside
    taps = [(axis, Variable("tap")) for axis in (*plan.shifted, *plan.expanded)]
    position: Value = index(0)
    groups: Groups = [*batch_axes, *line_axes]
    variables = [
        *Positions(builder, shape).split(variable_value(batch), batch_axes),
        *Positions(builder, shape).split(line, line_axes),
    ]
    offset = spec.m - spec.n  # from the right operand's summed axes to the left one's
    loops: list[tuple[Variable, Value]] = []
    for axis, variable in taps:
        size = builder.size(axis.axis.taps, "taps")
        position = position * size + variable_value(variable)
        assert axis.axis.tap_axis is not None
        groups.append((axis.axis.tap_axis + offset,))
        variables.append(variable_value(variable))
        loops.append((variable, size))
    merged = merge_axes(shape, [each + offset for each in plan.windows.channels], views)
    groups += merged
    variables += Positions(builder, shape).split(place.start + variable_value(channel), merged)
    loops.append((channel, place.count))
    element = expressions.value(left, view, Frame(tuple(groups), tuple(variables)))
    element = inside.select(element.cast(spec.accumulator), constant(0, spec.accumulator))
    panel_size = builder.size(panels, "panels")
    base = variable_value(batch) * panel_size + variable_value(panel)
    base = base * builder.size(depth, "depth")
    base = base + place.start * builder.size(plan.taps, "taps")
    base = base + position * place.count + variable_value(channel)
    at = base * index(rows) + variable_value(lane)
    body: tuple[Statement, ...] = (Store(output, at, element),)
    for variable, size in reversed(loops):
        body = (Loop(variable, index(0), size, LoopKind.SERIAL, body),)
    body = (Loop(lane, index(0), index(rows), LoopKind.LANES, body),)
    grid = (
        (batch, builder.size(plan.batch_count, "batch"), plan.batch_count),
        (panel, panel_size, panels),
        (block, builder.size(passes, "passes"), passes),
    )
    cost = plan.taps * channels * rows // 2 + 1
    return scratch, builder.finish(grid, body, cost, left)
