"""Weights in the order a product with windows meets them."""

from collections.abc import Callable
from dataclasses import dataclass

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Loop,
    LoopKind,
    Parameter,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import Expressions, Frame, affine_views, merge_axes, reading_order
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_axes import base_of
from pumice.lowering.window_packing import Block, Loops, nest
from pumice.lowering.window_plan import Groups, WindowPlan
from pumice.ops.view import View

SIDE = 16
"""Rows that are turned at once."""
CHUNK = 512
"""Weights of one row that are turned at once."""


@dataclass(frozen=True, slots=True)
class LyingWeights:
    """Weights of which the channels and taps of a row lie next to each other in memory."""

    plan: WindowPlan
    base: Node
    view: View
    batch: Groups
    row: tuple[int, ...]
    run: tuple[int, ...]

    def turn(
        self,
        builder: KernelBuilder,
        target: Parameter,
        pitch: int,
        batch: Value,
        line: Value,
        rows: int,
    ) -> Callable[[Value, Value], Transpose]:
        """Return what makes ``[channel][tap][row]`` of some channels, ``rows`` from a line on."""
        plan, view = self.plan, self.view
        taps = builder.size(plan.taps, "taps")
        numbers = Positions(builder, view.shape).split(batch, self.batch)
        width = minimum(index(rows), builder.size(plan.m, "m") - line)
        row = builder.size(view.strides[self.row[-1]], "stride")
        source = builder.readable(self.base, self.base.dtype, view.offset)

        def turned(channel: Value, count: Value) -> Transpose:
            frame = Frame((*self.batch, self.row, self.run), (*numbers, line, channel * taps))
            return Transpose(
                target=target,
                target_at=index(0),
                pitch=pitch,
                source=source,
                source_at=Expressions(builder, plan.is_stored, {}).position(view, frame),
                source_row=row,
                depth=count * taps,
                columns=pitch,
                width=width,
            )

        return turned


def lying_weights(plan: WindowPlan) -> LyingWeights | None:
    """Return the weights as they lie in memory, None where they cannot be turned."""
    spec, accumulator = plan.spec, plan.spec.accumulator
    found = base_of(plan.left, plan.is_stored)
    if found is None or not plan.is_stored(found[0]):
        return None
    base, view = found
    first = spec.batch + spec.m
    batch = merge_axes(view.shape, range(spec.batch), [view])
    rows = merge_axes(view.shape, range(spec.batch, first), [view])
    run = merge_axes(view.shape, range(first, len(view.shape)), [view])
    taps = [axis.axis.tap_axis for axis in (*plan.shifted, *plan.expanded)]
    order = [*plan.windows.channels, *(each for each in taps if each is not None)]
    if (
        len(rows) != 1
        or len(run) != 1
        or view.strides[run[0][-1]] != 1
        or order != sorted(order)
        or base.dtype.kind is not accumulator.kind
        or base.dtype.itemsize > accumulator.itemsize
    ):
        return None
    return LyingWeights(plan, base, view, batch, rows[0], run[0])


def pack_weights(
    plan: WindowPlan, channels: int, panels: int, rows: int, channels_inside: bool
) -> tuple[Scratch, Step]:
    """Pack ``[batch][panel][pass][shifted taps][expanded taps][channel][row]``.

    Channels come before taps when they are not inside. ``channels`` are taken per pass.
    """
    count = plan.batch_count * panels * rows * plan.taps * plan.channel_count
    scratch = Scratch(count * plan.spec.accumulator.itemsize)
    return scratch, _Writer(plan, scratch, channels, panels, rows, channels_inside).step()


class _Writer:
    """Writes the kernel."""

    def __init__(
        self,
        plan: WindowPlan,
        scratch: Scratch,
        channels: int,
        panels: int,
        rows: int,
        channels_inside: bool,
    ) -> None:
        self.plan, self.channels, self.rows = plan, channels, rows
        self.pitch = -(-rows // SIDE) * SIDE
        self.channels_inside = channels_inside
        self.builder = builder = KernelBuilder()
        self.output = builder.writable(scratch, plan.spec.accumulator)
        self.batch, self.panel, self.block = (Variable(each) for each in ("batch", "panel", "pass"))
        passes = -(-plan.channel_count // channels)
        self.grid = (
            (self.batch, builder.size(plan.batch_count, "batch"), plan.batch_count),
            (self.panel, builder.size(panels, "panels"), panels),
            (self.block, builder.size(passes, "passes"), passes),
        )
        self.place = Block(builder, variable_value(self.block), channels, plan.channel_count)
        self.taps = builder.size(plan.taps, "taps")
        self.axes = [
            (axis, Variable("tap"), builder.size(axis.axis.taps, "taps"))
            for axis in (*plan.shifted, *plan.expanded)
        ]
        self.channel, self.lane = Variable("channel"), Variable("lane")

    def step(self) -> Step:
        """Return the launch."""
        body = self._turned() or (self._gathered(),)
        cost = self.plan.taps * self.channels * self.rows // 2 + 1
        return self.builder.finish(self.grid, body, cost, self.plan.left)

    def _store(self, channel: Value, element: Value) -> Store:
        """Write the weight of a channel of the pass, for the taps and the row of the loops."""
        depth = self.builder.size(self.plan.taps * self.plan.channel_count, "depth")
        at = variable_value(self.batch) * self.grid[1][1] + variable_value(self.panel)
        at = at * depth + self.place.start * self.taps
        position: Value = index(0)
        for _, variable, size in self.axes:
            position = position * size + variable_value(variable)
        if self.channels_inside:
            at = at + position * self.place.count + channel
        else:
            at = at + channel * self.taps + position
        return Store(self.output, at * index(self.rows) + variable_value(self.lane), element)

    def _gathered(self) -> Statement:
        """Read weights one by one, rows side by side."""
        plan, builder = self.plan, self.builder
        left, shape, spec = plan.left, plan.left.shape, plan.spec
        view = View.contiguous(shape)
        views = affine_views(reading_order([(left, view)], plan.is_stored), plan.is_stored)
        batch_axes = merge_axes(shape, range(spec.batch), views)
        line_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)
        expressions = Expressions(builder, plan.is_stored, {})
        line = variable_value(self.panel) * index(self.rows) + variable_value(self.lane)
        inside = line < builder.size(plan.m, "m")
        expressions.mask = inside
        split = Positions(builder, shape).split
        groups: Groups = [*batch_axes, *line_axes]
        variables = [*split(variable_value(self.batch), batch_axes), *split(line, line_axes)]
        offset = spec.m - spec.n  # from the right operand's summed axes to the left one's
        loops: Loops = []
        for axis, variable, size in self.axes:
            assert axis.axis.tap_axis is not None
            groups.append((axis.axis.tap_axis + offset,))
            variables.append(variable_value(variable))
            loops.append((variable, size))
        merged = merge_axes(shape, [each + offset for each in plan.windows.channels], views)
        groups += merged
        channel = variable_value(self.channel)
        variables += split(self.place.start + channel, merged)
        # What lies far apart in memory moves least often.
        first = 0 if self._channels_far_apart(merged) else len(loops)
        loops.insert(first, (self.channel, self.place.count))
        element = expressions.value(left, view, Frame(tuple(groups), tuple(variables)))
        element = inside.select(element.cast(spec.accumulator), constant(0, spec.accumulator))
        body = nest(loops, (self._store(channel, element),), lanes=False)
        return Loop(self.lane, index(0), index(self.rows), LoopKind.LANES, (body,))

    def _channels_far_apart(self, merged: list[tuple[int, ...]]) -> bool:
        found = base_of(self.plan.left, self.plan.is_stored)
        if found is None or not merged or not self.axes:
            return False
        return abs(found[1].strides[merged[-1][-1]]) > self.plan.taps

    def _turned(self) -> tuple[Statement, ...] | None:
        """Turn weights where channels and taps of a row lie next to each other in memory."""
        plan, builder = self.plan, self.builder
        lying = lying_weights(plan)
        if lying is None or plan.taps > CHUNK:
            return None
        chunk = Variable("chunk")
        size = builder.size(CHUNK // plan.taps, "size")
        start = variable_value(chunk) * size
        count = minimum(size, self.place.count - start)
        turned = builder.local(plan.spec.accumulator, CHUNK * self.pitch, "turned")
        line = variable_value(self.panel) * index(self.rows)
        transpose = lying.turn(
            builder, turned, self.pitch, variable_value(self.batch), line, self.rows
        )(self.place.start + start, count)
        copy = self._copied(turned, start, count)
        chunks = (self.place.count + size - index(1)).quotient(size)
        return (Loop(chunk, index(0), chunks, LoopKind.SERIAL, (transpose, copy)),)

    def _copied(self, turned: Parameter, start: Value, count: Value) -> Statement:
        """Move turned weights, a row of them at a time, to where they are met."""
        channel = variable_value(self.channel)
        at = channel * self.taps
        position: Value = index(0)
        for _, variable, size in self.axes:
            position = position * size + variable_value(variable)
        at = (at + position) * index(self.pitch) + variable_value(self.lane)
        loops: Loops = [(variable, size) for _, variable, size in self.axes]
        loops += [(self.channel, count), (self.lane, index(self.rows))]
        return nest(loops, (self._store(start + channel, load(turned, at)),))
