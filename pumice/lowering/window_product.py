"""Products with sliding windows (convolutions), without the windows ever being written out.

A grid item packs the part of the input it needs into local memory, each element once, and
multiplies weights with it tap by tap: a tap reads the same packed memory, shifted::

    for block of channels:
      for channel, row: for x in lanes: packed[channel, row, x] = input[...]
      for tile: for tap: result[tile] += weights[tap] x packed[.. + shift of the tap]
    for row of results: for x in lanes: output[...] = epilogue(result[...])
"""

from pumice.choices import chosen
from pumice.kernel.ir import (
    If,
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
from pumice.lowering.expression import Expressions, Frame, IsStored, merge_axes
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_axes import WindowedOperand
from pumice.lowering.window_blocks import PACKED, RESULTS, SLACK, Blocks, choose_blocks
from pumice.lowering.window_packing import Block, Loops, PackedBlock, nest
from pumice.lowering.window_plan import Groups, WindowPlan, result_view
from pumice.lowering.window_weights import pack_weights
from pumice.schedule.items import Group
from pumice.target import Target, Tile


class WindowProduct(WindowPlan):
    """A product summed over taps and channels, with a result for each window."""

    b: Blocks

    def __init__(
        self, group: Group, is_stored: IsStored, target: Target, windows: WindowedOperand
    ) -> None:
        super().__init__(group, is_stored, target, windows)
        self.panels = -(-self.m // self.tile.rows)
        # As few rows as fill the panels: 64 rows are five panels of 13, not of 14.
        self.tile = Tile(-(-self.m // self.panels), self.tile.columns)

    def cut(self) -> bool:
        """Decide how the product is cut; tell whether any block of it fits."""
        lines, batches = self.windows.lines, self.batch_count
        found = chosen(choose_blocks, lines, batches, self.m, self.channel_count, self.tile)
        if found is None:
            return False
        self.cost, self.b = found
        return self.can_pack()

    def lower(self) -> list[Step]:
        """Return the launches: weights in the order they are met, then the product."""
        weights, first = pack_weights(self, self.b.channels, self.panels, self.tile.rows, True)
        return [first, _Writer(self, weights).step()]


class _Writer:
    """Writes the kernel of one product."""

    def __init__(self, plan: WindowProduct, weights: Scratch) -> None:
        self.plan, self.b, self.tile = plan, plan.b, plan.tile
        self.builder = builder = KernelBuilder()
        dtype = plan.spec.accumulator
        self.weights = builder.readable(weights, dtype)
        self.packed = builder.local(dtype, PACKED + SLACK, "packed")
        self.results = builder.local(dtype, RESULTS, "results")
        self.batch, self.part = Variable("batch"), Variable("part")
        self.outside = [Variable("outside") for _ in self.b.outside]
        numbers = [variable_value(variable) for variable in self.outside]
        self.block = PackedBlock(plan, builder, numbers)

    def step(self) -> Step:
        """Return the launch."""
        plan, b, builder = self.plan, self.b, self.builder
        passes = -(-plan.channel_count // b.channels)
        number = Variable("pass")
        channels = Block(builder, variable_value(number), b.channels, plan.channel_count)
        body = (
            self.block.pack(self.packed, variable_value(self.batch), channels),
            *self._multiplications(number, channels),
        )
        count = builder.size(passes, "passes")
        statements = (
            Loop(number, index(0), count, LoopKind.SERIAL, body),
            self._epilogue(),
        )
        numbers = (
            (self.batch, plan.batch_count),
            *zip(self.outside, b.outside, strict=True),
            (self.part, -(-plan.panels // b.panels)),
        )
        grid = tuple((variable, builder.size(size, "extent"), size) for variable, size in numbers)
        arithmetic = plan.taps * plan.channel_count * b.plane * b.panels * self.tile.rows
        return builder.finish(grid, statements, arithmetic // 64 + 1, plan.product)

    def _multiplications(self, number: Variable, channels: Block) -> tuple[Statement, ...]:
        """Return the products of whole tiles, and of one half as wide where that is enough."""
        width = self.tile.columns
        half = width // 2
        column = Variable("column")
        positions = self.block.positions()
        whole = (positions + index(half - 1)).quotient(index(width))
        first = variable_value(column) * index(width)
        tiles = self._column(number, channels, first, width)
        loop = Loop(column, index(0), whole, LoopKind.SERIAL, (tiles,))
        rest = whole * index(width)
        return loop, If(rest < positions, (self._column(number, channels, rest, half),))

    def _column(self, number: Variable, channels: Block, first: Value, width: int) -> Statement:
        """Return the products of the tiles below each other from a position on."""
        plan, b, builder, tile = self.plan, self.b, self.builder, self.tile
        panel = Variable("panel")
        taps = self.block.taps(repeated=True)
        fresh = variable_value(number).eq(index(0))
        for test in taps.is_first:
            fresh = fresh & test
        inner = builder.size(plan.inner_taps, "inner") if plan.inner_taps > 1 else index(1)
        depth = channels.count * inner
        part = variable_value(self.part) * builder.size(b.panels, "panels")
        whole = builder.size(plan.panels, "panels")
        count = minimum(builder.size(b.panels, "panels"), whole - part)
        left = variable_value(self.batch) * whole + part + variable_value(panel)
        left = left * builder.size(plan.taps * plan.channel_count, "depth")
        left = left + channels.start * builder.size(plan.taps, "taps") + taps.number * depth
        repeats: tuple[Value, ...] = ()
        behind = depth * index(tile.rows)
        for size, shift in reversed(taps.repeats):
            repeats = (size, behind, shift, *repeats)
            behind = behind * size
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
            right_at=taps.copy * depth * self.block.plane + taps.shift + first,
            right_step=self.block.plane,
            depth=depth,
            rows=tile.rows,
            columns=width,
            repeats=repeats,
        )
        return nest([(panel, count), *taps.loops], (multiply,), lanes=False)

    def _epilogue(self) -> Statement:
        plan, b, builder = self.plan, self.b, self.builder
        root, spec, shape = plan.group.root, plan.spec, plan.product.shape
        view, views = result_view(plan.group, plan.product), plan.epilogue_views()
        row = Variable("row")
        most = builder.size(b.panels * self.tile.rows, "rows")
        start = variable_value(self.part) * most
        loops: Loops = [(row, minimum(most, builder.size(plan.m, "m") - start))]
        batch_axes = merge_axes(shape, range(spec.batch), views)
        row_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)
        split = Positions(builder, shape).split
        groups: Groups = [*batch_axes, *row_axes]
        variables: list[Value] = [
            *split(variable_value(self.batch), batch_axes),
            *split(start + variable_value(row), row_axes),
        ]
        place = variable_value(row) * index(b.pitch)
        for number, axis in enumerate(b.axes):
            groups.append(tuple(each + spec.m for each in axis.axis.axes))
            if number < b.cut:
                variables.append(self.block.start(number))
                continue
            here = Variable("x")
            loops.append((here, self.block.count(number)))
            variables.append(self.block.start(number) + variable_value(here))
            place = place + variable_value(here) * self.block.pitches[number]
        element = load(self.results, place).cast(plan.product.dtype)
        frame = Frame(tuple(groups), tuple(variables))
        expressions = Expressions(builder, plan.is_stored, {plan.product: element})
        value = element if root is plan.product else expressions.value(root, view, frame)
        output = builder.writable(root, root.dtype, view.offset)
        return nest(loops, (Store(output, expressions.position(view, frame), value),))
