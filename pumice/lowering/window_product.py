"""Products with sliding windows (convolutions), without the windows ever being written out.

A grid item packs the part of the input it needs into local memory, each element once, and
multiplies weights with it tap by tap: a tap reads the same packed memory, shifted::

    for block of channels:
      for channel, row: for x in lanes: packed[channel, row, x] = input[...]
      for tile: for tap: result[tile] += weights[tap] x packed[.. + shift of the tap]
    for row of results: for x in lanes: output[...] = epilogue(result[...])
"""

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Loop,
    LoopKind,
    Multiply,
    Statement,
    Store,
    Value,
    Variable,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_axes import WindowedOperand, find_windows
from pumice.lowering.window_blocks import (
    PACKED,
    RESULTS,
    SLACK,
)
from pumice.lowering.window_plan import Block, Groups, WindowProduct, leaf_test, result_view
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target


class _Writer:
    """Writes the kernel of one product."""

    def __init__(self, plan: WindowProduct, builder: KernelBuilder, weights: Scratch) -> None:
        self.plan, self.builder = plan, builder
        self.b = plan.b
        self.tile = plan.tile
        dtype = plan.spec.accumulator
        self.weights = builder.readable(weights, dtype)
        self.packed = builder.local(dtype, PACKED + SLACK, "packed")
        self.results = builder.local(dtype, RESULTS, "results")
        axes = self.b.axes
        self.batch, self.block, self.part = Variable("batch"), Variable("block"), Variable("part")
        self.outside = [Variable("outside") for _ in axes[: self.b.cut]]
        cut = axes[self.b.cut]
        self.place = Block(builder, self.block, cut.local, cut.axis.extent)
        self.pitches = [builder.size(axis.pitch, "pitch") for axis in axes[:-1]] + [index(1)]
        self.plane = self._plane()

    # Extents of the block: only the axis that is cut can be shorter at the end.

    def _local(self, number: int) -> Value:
        """Return how many positions of an axis the item has."""
        axis = self.b.axes[number]
        if number == self.b.cut:
            return self.place.count
        return index(1) if number < self.b.cut else self.builder.size(axis.local, "extent")

    def _plane(self) -> Value:
        return self.builder.size(self.b.plane, "plane")

    def _positions(self) -> Value:
        """Return the positions up to the last one of the item."""
        behind = 1
        for axis in self.b.axes[self.b.cut + 1 :]:
            behind += (axis.local - 1) * axis.pitch
        pitch = self.pitches[self.b.cut]
        return (self.place.count - index(1)) * pitch + self.builder.size(behind, "behind")

    def step(self) -> Step:
        """Return the launch."""
        plan, b, builder = self.plan, self.b, self.builder
        passes = -(-plan.channel_count // b.channels)
        number = Variable("pass")
        channels = Block(builder, number, b.channels, plan.channel_count)
        body: tuple[Statement, ...] = (
            *self._pack(channels),
            self._multiplications(number, channels),
        )
        count = builder.size(passes, "passes")
        statements = (
            Loop(number, index(0), count, LoopKind.SERIAL, body),
            *self._epilogue(),
        )
        cut = b.axes[b.cut]
        blocks, parts = -(-cut.axis.extent // cut.local), -(-plan.panels // b.panels)
        numbers = (
            (self.batch, plan.batch_count),
            *zip(self.outside, (axis.axis.extent for axis in b.axes[: b.cut]), strict=True),
            (self.block, blocks),
            (self.part, parts),
        )
        grid = tuple((variable, builder.size(size, "extent"), size) for variable, size in numbers)
        arithmetic = plan.taps * plan.channel_count * b.plane * b.panels * self.tile.rows
        return builder.finish(grid, statements, arithmetic // 64 + 1, plan.product)

    # -- packing --------------------------------------------------------------------------------

    def _pack(self, channels: Block) -> tuple[Statement, ...]:
        plan, b, builder = self.plan, self.b, self.builder
        windows, spec = plan.windows, plan.spec
        view = plan.packing_view()
        is_stored = plan.is_stored
        expressions = Expressions(builder, is_stored, {})
        views = affine_views(reading_order([(windows.base, view)], is_stored), is_stored)
        lines = spec.batch + len(b.axes)
        copies = lines + len(windows.channels)
        batch_axes = merge_axes(view.shape, range(spec.batch), views)
        channel_axes = merge_axes(view.shape, range(lines, copies), views)
        groups: Groups = list(batch_axes)
        variables = list(
            Positions(builder, view.shape).split(variable_value(self.batch), batch_axes)
        )
        channel = Variable("channel")
        loops: list[tuple[Variable, Value]] = []
        place: Value = index(0)
        shifted = [each for each in enumerate(b.axes) if not each[1].expanded]
        expanded = [each for each in enumerate(b.axes) if each[1].expanded]
        for number, axis in (*shifted, *expanded):
            if axis.copies == 1:
                continue
            copy, size = Variable("copy"), builder.size(axis.copies, "copies")
            loops.append((copy, size))
            place = place * size + variable_value(copy)
            groups.append((copies + number,))
            variables.append(variable_value(copy))
        loops.append((channel, channels.count))
        place = (place * channels.count + variable_value(channel)) * self.plane
        groups += channel_axes
        variables += Positions(builder, view.shape).split(
            channels.start + variable_value(channel), channel_axes
        )
        for number, axis in enumerate(b.axes):
            groups.append((spec.batch + number,))
            start = self._start(number)
            if number < b.cut and not axis.halo:
                variables.append(start)
                continue
            here = Variable("x")
            extent = self._local(number)
            extent = extent + builder.size(axis.halo, "halo") if axis.halo else extent
            loops.append((here, extent))
            variables.append(start + variable_value(here))
            place = place + variable_value(here) * self.pitches[number]
        frame = Frame(tuple(groups), tuple(variables))
        element = expressions.value(windows.base, view, frame).cast(spec.accumulator)
        return (_nest(loops, (Store(self.packed, place, element),)),)

    def _start(self, number: int) -> Value:
        if number < self.b.cut:
            return variable_value(self.outside[number])
        return self.place.start if number == self.b.cut else index(0)

    # -- multiplying ----------------------------------------------------------------------------

    def _multiplications(self, number: Variable, channels: Block) -> Statement:
        plan, b, builder, tile = self.plan, self.b, self.builder, self.tile
        column, panel = Variable("column"), Variable("panel")
        first = variable_value(column) * index(tile.columns)
        fresh = variable_value(number).eq(index(0))
        shift: Value = index(0)
        copy: Value = index(0)
        tap_place: Value = index(0)
        taps: list[tuple[Variable, Value]] = []
        for position, axis in enumerate(b.axes):
            if axis.expanded or axis.axis.taps == 1:
                continue
            tap, size = Variable("tap"), builder.size(axis.axis.taps, "taps")
            taps.append((tap, size))
            tap_place = tap_place * size + variable_value(tap)
            fresh = fresh & variable_value(tap).eq(index(0))
            reach = variable_value(tap) * builder.size(axis.axis.gap, "gap")
            if axis.axis.step > 1:
                step = builder.size(axis.axis.step, "step")
                phase = reach.modulus(step)
                reach = reach.quotient(step)
                copies = builder.size(axis.copies, "copies")
                copy = copy * copies + phase if axis.copies > 1 else copy
            shift = shift + reach * self.pitches[position]
        inner = builder.size(plan.inner_taps, "inner") if plan.inner_taps > 1 else index(1)
        depth = channels.count * inner
        part = variable_value(self.part) * builder.size(b.panels, "panels")
        whole = builder.size(plan.panels, "panels")
        count = minimum(builder.size(b.panels, "panels"), whole - part)
        left = variable_value(self.batch) * whole + part + variable_value(panel)
        left = left * builder.size(plan.taps * plan.channel_count, "depth")
        left = left + channels.start * builder.size(plan.taps, "taps") + tap_place * depth
        multiply = Multiply(
            tile=self.results,
            tile_at=variable_value(panel) * index(tile.rows * b.pitch) + first,
            pitch=b.pitch,
            fresh=fresh,
            left=self.weights,
            left_at=left * index(tile.rows),
            left_row=index(1),
            left_step=index(tile.rows),
            right=self.packed,
            right_at=copy * depth * self.plane + shift + first,
            right_step=self.plane,
            depth=depth,
            rows=tile.rows,
            columns=tile.columns,
        )
        columns = (self._positions() + index(tile.columns - 1)).quotient(index(tile.columns))
        return _nest([(column, columns), (panel, count), *taps], (multiply,), lanes=False)

    # -- results --------------------------------------------------------------------------------

    def _epilogue(self) -> tuple[Statement, ...]:
        plan, b, builder = self.plan, self.b, self.builder
        group, spec, shape = plan.group, plan.spec, plan.product.shape
        root = group.root
        view = result_view(group, plan.product)
        first, second = spec.batch, spec.batch + spec.m
        views = plan.epilogue_views()
        row = Variable("row")
        start = variable_value(self.part) * builder.size(b.panels * self.tile.rows, "rows")
        rows = minimum(
            builder.size(b.panels * self.tile.rows, "rows"), builder.size(plan.m, "m") - start
        )
        batch_axes = merge_axes(shape, range(first), views)
        row_axes = merge_axes(shape, range(first, second), views)
        groups: Groups = [*batch_axes, *row_axes]
        variables = [
            *Positions(builder, shape).split(variable_value(self.batch), batch_axes),
            *Positions(builder, shape).split(start + variable_value(row), row_axes),
        ]
        loops: list[tuple[Variable, Value]] = [(row, rows)]
        place = variable_value(row) * index(b.pitch)
        for number, axis in enumerate(b.axes):
            groups.append(tuple(each + spec.m for each in axis.axis.axes))
            if number < b.cut:
                variables.append(self._start(number))
                continue
            here = Variable("x")
            loops.append((here, self._local(number)))
            variables.append(self._start(number) + variable_value(here))
            place = place + variable_value(here) * self.pitches[number]
        element = load(self.results, place).cast(plan.product.dtype)
        frame = Frame(tuple(groups), tuple(variables))
        expressions = Expressions(builder, plan.is_stored, {plan.product: element})
        value = element if root is plan.product else expressions.value(root, view, frame)
        output = builder.writable(root, root.dtype, view.offset)
        store = Store(output, expressions.position(view, frame), value)
        return (_nest(loops, (store,)),)


def _nest(
    loops: list[tuple[Variable, Value]], body: tuple[Statement, ...], lanes: bool = True
) -> Statement:
    """Return loops inside each other, the innermost over lanes."""
    kind = LoopKind.LANES if lanes else LoopKind.SERIAL
    for variable, extent in reversed(loops):
        body = (Loop(variable, index(0), extent, kind, body),)
        kind = LoopKind.SERIAL
    return body[0]


def lower_windows(group: Group, is_stored: IsStored, target: Target) -> list[Step] | None:
    """Return the launches of a product with sliding windows, None when there are none."""

    def stored_elsewhere(node: Node) -> bool:
        return node is not group.root and is_stored(node)

    product = group.contract if group.contract is not None else group.root
    if target.grid_lanes or product.numel == 0:
        return None
    windows = windows_of(group, product, stored_elsewhere)
    if windows is None:
        return None
    plan = WindowProduct(group, stored_elsewhere, target, windows)
    if not plan.cut():
        return None
    weights, first = plan.pack_weights()
    return [first, _Writer(plan, KernelBuilder(), weights).step()]


def windows_of(group: Group, product: Node, is_stored: IsStored) -> WindowedOperand | None:
    """Return the windows that the right operand of a product reads."""
    spec = product.argument
    view = result_view(group, product)
    order = reading_order([(group.root, view)], leaf_test(product, is_stored))
    kept = [*range(spec.batch), *range(spec.batch + spec.m, len(product.shape))]
    others = [
        View(
            tuple(each.shape[axis] for axis in kept),
            tuple(each.strides[axis] for axis in kept),
        )
        for each in (view, *affine_views(order, is_stored))
    ]
    return find_windows(product.sources[1], spec.batch, spec.n, is_stored, others)
