"""Products with sliding windows whose register tiles have a row for each position.

A grid item packs the part of the input it needs into local memory, each element once. Each tile
takes some neighbouring positions of one row of the image, for each of them a few results, and sums
all channels and taps before it is stored. Results are turned before they are written::

    for block of channels:
      for channel, row: for x in lanes: packed[channel, row, x] = input[...]
      for columns of results: for tile of positions:
        result[positions, columns] += packed[.. + positions] x weights[columns]
    for columns of results: turned = transpose of result
      for column: for x in lanes: output[...] = epilogue(turned[...])
"""

from dataclasses import dataclass
from math import prod

from pumice.choices import chosen
from pumice.kernel.ir import (
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
    index,
    load,
)
from pumice.lowering.asking import WORTHWHILE, Hint, Wanted, asking, following, share
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import Expressions, Frame, IsStored, merge_axes
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_axes import WindowedOperand
from pumice.lowering.window_blocks import PACKED, RESULTS, SLACK
from pumice.lowering.window_packing import Block, Loops, PackedBlock, nest
from pumice.lowering.window_plan import Groups, WindowPlan, result_view
from pumice.lowering.window_row_blocks import SIDE, RowBlocks, channels_inside, shared_blocks
from pumice.lowering.window_weights import LyingWeights, lying_weights, pack_weights
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.sizes import called
from pumice.target import Target

ITEMS_PER_THREAD = 2
MOST_TURNS = 2
"""Blocks of positions that turn the same weights, rather than a launch of its own."""


class WindowRows(WindowPlan):
    """A product summed over taps and channels, with a result for each window."""

    b: RowBlocks

    def __init__(
        self, group: Group, is_stored: IsStored, target: Target, windows: WindowedOperand
    ) -> None:
        super().__init__(group, is_stored, target, windows)
        self.items = ITEMS_PER_THREAD * target.limits.get("threads", 1)
        self.lying: LyingWeights | None = None

    def cut(self) -> bool:
        """Decide how the product is cut; tell whether any block of it fits."""
        lines, batches = self.windows.lines, self.batch_count
        found = chosen(
            shared_blocks, lines, batches, self.m, self.channel_count, self.tile, self.items
        )
        if found is None:
            return False
        self.cost, self.b = found
        return self.can_pack()

    @property
    def panels(self) -> int:
        return -(-self.m // self.b.columns)

    @property
    def channels_inside(self) -> bool:
        return channels_inside(self.b)

    def lower(self) -> list[Step]:
        """Return the launches: weights in the order they are met, then the product."""
        if prod(self.b.outside) <= MOST_TURNS:
            self.lying = lying_weights(self)
        if self.lying is not None:
            return [_Writer(self, None).step()]
        weights, first = pack_weights(
            self, self.b.chunk, self.panels, self.b.columns, self.channels_inside
        )
        return [first, _Writer(self, weights).step()]


@dataclass(frozen=True, slots=True)
class _Summed:
    """Loops over taps and channels: counts, and strides of the input and of the weights.

    The `first` is around all tiles, `repeats` and the innermost run are inside of a multiplication.
    """

    first: tuple[Value, Value, Value] | None
    repeats: tuple[Value, ...]
    depth: Value
    left_step: Value
    right_step: Value


class _Writer:
    """Writes the kernel of one product."""

    def __init__(self, plan: WindowRows, weights: Scratch | None) -> None:
        self.plan, self.b = plan, plan.b
        self.builder = builder = KernelBuilder()
        dtype = plan.spec.accumulator
        if weights is not None:
            self.weights = builder.readable(weights, dtype)
        else:
            size = plan.b.chunk * plan.taps * plan.b.columns
            self.weights = builder.local(dtype, 1 << (size - 1).bit_length(), "weights")
        self.packed = builder.local(dtype, PACKED + SLACK, "packed")
        self.results = builder.local(dtype, RESULTS, "results")
        self.turned = builder.local(dtype, self.b.columns * self.b.pitch, "turned")
        self.output: Parameter | None = None
        self.batch, self.part = Variable("batch"), Variable("part")
        self.outside = [Variable("outside") for _ in self.b.outside]
        numbers = [variable_value(variable) for variable in self.outside]
        self.block = PackedBlock(plan, builder, numbers)
        self.places = builder.size(self.b.places, "places")
        self.line = builder.size(self.b.line, "line")

    def step(self) -> Step:
        """Return the launch."""
        plan, b, builder = self.plan, self.b, self.builder
        number = Variable("pass")
        channels = Block(builder, variable_value(number), b.channels, plan.channel_count)
        body = (
            self.block.pack(self.packed, variable_value(self.batch), channels),
            self._multiplications(number, channels),
        )
        passes = builder.size(-(-plan.channel_count // b.channels), "passes")
        statements = (
            Loop(number, index(0), passes, LoopKind.SERIAL, body),
            self._finish(),
        )
        numbers = (
            (self.batch, plan.batch_count),
            *zip(self.outside, b.outside, strict=True),
            (self.part, -(-plan.panels // b.panels)),
        )
        grid = tuple((variable, builder.size(size, "extent"), size) for variable, size in numbers)
        arithmetic = plan.taps * plan.channel_count * b.places * b.panels * b.columns
        return builder.finish(grid, statements, arithmetic // 64 + 1, plan.product)

    def _panels(self) -> tuple[Value, Value]:
        """Return the first panel of the item, and how many it has."""
        size = self.builder.size(self.b.panels, "panels")
        first = variable_value(self.part) * size
        return first, minimum(size, self.builder.size(self.plan.panels, "panels") - first)

    def _multiplications(self, number: Variable, channels: Block) -> Statement:
        """Return the products of all tiles with the channels of one pass."""
        b, block = self.b, self.block
        panel, chunk = Variable("panel"), Variable("chunk")
        first, panels = self._panels()
        size = self.builder.size(b.chunk, "chunk")
        chunks = (channels.count + size - index(1)).quotient(size)
        done = variable_value(chunk) * size
        count = minimum(size, channels.count - done)
        loops: Loops = []
        source = done * block.plane
        place: Value = index(0)
        for axis in range(b.cut, len(b.axes)):
            here = Variable("x")
            extent, step = block.count(axis), block.steps[axis]
            if axis == len(b.axes) - 1:
                extent = (extent + index(b.rows - 1)).quotient(index(b.rows))
                step = step * index(b.rows)
                place = place * self.line + variable_value(here) * index(b.rows)
            else:
                place = place * extent + variable_value(here)
            loops.append((here, extent))
            source = source + variable_value(here) * step * block.pitches[axis]
        summed = self._summed(count)
        before, weights = self._weights(first + variable_value(panel), channels.start + done, count)
        fresh = variable_value(number) + variable_value(chunk)
        if summed.first is not None:
            tap = Variable("tap")
            taps, left_stride, right_stride = summed.first
            loops.insert(0, (tap, taps))
            source = source + variable_value(tap) * left_stride
            weights = weights + variable_value(tap) * right_stride
            fresh = fresh + variable_value(tap)
        multiply = Multiply(
            tile=self.results,
            tile_at=(variable_value(panel) * self.places + place) * index(b.columns),
            pitch=b.columns,
            fresh=fresh.eq(index(0)),
            left=self.packed,
            left_at=source,
            left_row=block.steps[-1],
            left_step=summed.left_step,
            right=self.weights,
            right_at=weights,
            right_step=summed.right_step,
            depth=summed.depth,
            rows=b.rows,
            columns=b.columns,
            repeats=summed.repeats,
        )
        around: Loops = [(panel, panels), (chunk, chunks)]
        multiply = asking(multiply, self._hints([*around, *loops]))
        tiles = nest(loops, (multiply,), lanes=False)
        return nest(around, (*before, tiles), lanes=False)

    def _hints(self, loops: Loops) -> list[Hint]:
        """Return what each product asks for: results to be written, and what is packed next."""
        b, builder = self.b, self.builder
        inside = b.axes[1:] if self.plan.channels_inside else b.axes
        if b.chunk * prod(each.axis.taps for each in inside) < WORTHWHILE:
            return []
        number: Value = index(0)
        for variable, count in loops:
            number = number * count + variable_value(variable)
        products = b.panels * -(-b.channels // b.chunk) * prod(x.local for x in b.axes[:-1])
        products *= -(-b.axes[-1].local // b.rows)
        if self.plan.channels_inside:
            products *= b.axes[0].axis.taps
        wanted = (self._results_ahead(), self._packed_ahead())
        return [share(builder, each, products, number) for each in wanted if each is not None]

    def _results_ahead(self) -> Wanted | None:
        """Return the memory of the item's results, where positions follow each other in it."""
        b, first = self.b, self._panels()[0] * index(self.b.columns)

        def place(row: Value) -> Value:
            return self._stores(first, row, True)[1].at

        loops, store = self._stores(first, index(0), True)
        if len(loops) != 1:
            return None
        distance = place(index(1)) - store.at
        rows = called(min, b.panels * b.columns, self.plan.m)
        return Wanted(store.buffer, place, distance, rows, prod(x.local for x in b.axes))

    def _packed_ahead(self) -> Wanted | None:
        """Return the memory that the next item packs, where lines follow each other in it."""
        plan, b, builder = self.plan, self.b, self.builder
        if plan.panels > b.panels or b.axes[-1].stride != 1:
            return None
        counts = [plan.batch_count, *b.outside]
        variables = [self.batch, *self.outside]
        batch, *outside = following(
            [
                (variable_value(variable), builder.size(count, "count"))
                for variable, count in zip(variables, counts, strict=True)
            ]
        )
        block = PackedBlock(plan, builder, outside)
        first = block.load(batch, index(0))
        other = block.load(batch, index(1))
        if first is None or other is None:
            return None
        buffer = first[0]
        width = b.axes[b.cut].stride * b.axes[b.cut].local

        def place(channel: Value) -> Value:
            found = block.load(batch, channel)
            assert found is not None
            return found[1]

        return Wanted(
            buffer, place, other[1] - first[1], called(min, b.channels, plan.channel_count), width
        )

    def _weights(
        self, panel: Value, channel: Value, count: Value
    ) -> tuple[tuple[Statement, ...], Value]:
        """Return what puts the weights of a chunk of channels where they are read, and where."""
        plan, b, builder = self.plan, self.b, self.builder
        columns = index(b.columns)
        batch = variable_value(self.batch)
        if plan.lying is not None:
            turn = plan.lying.turn(
                builder, self.weights, b.columns, batch, panel * columns, b.columns
            )
            return (turn(channel, count),), index(0)
        place = batch * builder.size(plan.panels, "panels") + panel
        place = place * builder.size(plan.channel_count, "channels") + channel
        return (), place * builder.size(plan.taps, "taps") * columns

    def _summed(self, channels: Value) -> _Summed:
        """Return the loops over taps and channels.

        The taps of the first axis are met one after the other by all tiles, so that the weights of
        the others stay near.
        """
        builder, block = self.builder, self.block
        axes: list[tuple[Value, Value]] = []
        for number, axis in enumerate(self.b.axes):
            if axis.axis.taps > 1:
                gap = builder.size(axis.axis.gap, "gap") if axis.axis.gap > 1 else index(1)
                taps = builder.size(axis.axis.taps, "taps")
                axes.append((taps, gap * block.pitches[number]))
        inside = self.plan.channels_inside
        axes.insert(len(axes) if inside else 0, (channels, block.plane))
        # Weights lie in the order in which they are met, or with channels first.
        order = list(range(len(axes)))
        if inside and self.plan.lying is not None:
            order = [order[-1], *order[:-1]]
        behind: Value = index(self.b.columns)
        strides: dict[int, Value] = {}
        for number in reversed(order):
            strides[number] = behind
            behind = behind * axes[number][0]
        found = [(*axis, strides[number]) for number, axis in enumerate(axes)]
        first = found.pop(0) if inside and len(found) > 1 else None
        depth, left_step, right_step = found.pop()
        repeats = tuple(value for each in found for value in each)
        return _Summed(first, repeats, depth, left_step, right_step)

    # -- results ----------------------------------------------------------------------------------

    def _finish(self) -> Statement:
        """Turn the results of a panel, then write them."""
        b, builder = self.b, self.builder
        panel, group, row = Variable("panel"), Variable("group"), Variable("row")
        first, panels = self._panels()
        used = self.line
        for axis in range(b.cut, len(b.axes) - 1):
            used = used * self.block.count(axis)
        side = index(SIDE)
        transpose = Transpose(
            target=self.turned,
            target_at=variable_value(group) * side,
            pitch=b.pitch,
            source=self.results,
            source_at=(variable_value(panel) * self.places + variable_value(group) * side)
            * index(b.columns),
            source_row=index(b.columns),
            depth=index(b.columns),
            columns=SIDE,
        )
        groups = (used + index(SIDE - 1)).quotient(side)
        turn = Loop(group, index(0), groups, LoopKind.SERIAL, (transpose,))
        line = (first + variable_value(panel)) * index(b.columns)
        rows = minimum(index(b.columns), builder.size(self.plan.m, "m") - line)
        loops, store = self._stores(line, variable_value(row))
        return nest([(panel, panels)], (turn, nest([(row, rows), *loops], (store,))), lanes=False)

    def _stores(self, line: Value, row: Value, is_first: bool = False) -> tuple[Loops, Store]:
        """Return the loops over positions, and the statement that writes one result (the first)."""
        plan, builder, block = self.plan, self.builder, self.block
        root, spec, shape = plan.group.root, plan.spec, plan.product.shape
        view, views = result_view(plan.group, plan.product), plan.epilogue_views()
        batch_axes = merge_axes(shape, range(spec.batch), views)
        row_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)
        split = Positions(builder, shape).split
        groups: Groups = [*batch_axes, *row_axes]
        variables: list[Value] = [
            *split(variable_value(self.batch), batch_axes),
            *split(line + row, row_axes),
        ]
        loops: Loops = []
        place = row * index(self.b.pitch)
        for first, last in self._merged(views):
            groups.append(
                tuple(
                    each + spec.m
                    for axis in self.b.axes[first : last + 1]
                    for each in axis.axis.axes
                )
            )
            if last < self.b.cut:
                variables.append(block.start(last))
                continue
            here = Variable("x")
            count, start = block.count(first), block.start(first)
            for axis in range(first + 1, last + 1):
                count, start = count * block.count(axis), start * block.count(axis)
            loops.append((here, count))
            variables.append(start if is_first else start + variable_value(here))
            place = place + variable_value(here) * self._apart(last)
        element = load(self.turned, place).cast(plan.product.dtype)
        frame = Frame(tuple(groups), tuple(variables))
        expressions = Expressions(builder, plan.is_stored, {plan.product: element})
        value = element if root is plan.product else expressions.value(root, view, frame)
        if self.output is None:
            self.output = builder.writable(root, root.dtype, view.offset)
        return loops, Store(self.output, expressions.position(view, frame), value)

    def _apart(self, number: int) -> Value:
        """Return the places between positions of an axis."""
        distance: Value = index(1)
        for axis in range(number + 1, len(self.b.axes)):
            last = axis == len(self.b.axes) - 1
            distance = distance * (self.line if last else self.block.count(axis))
        return distance

    def _merged(self, views: list[View]) -> list[tuple[int, int]]:
        """Return runs of axes, first and last, whose positions are written by one loop."""
        b, offset = self.b, self.plan.spec.m
        runs: list[tuple[int, int]] = []
        for number, axis in enumerate(b.axes):
            before = b.axes[number - 1].axis.axes[-1] + offset if number else 0
            here = axis.axis.axes[-1] + offset
            even = number < len(b.axes) - 1 or b.line == axis.axis.extent
            if (
                number > b.cut
                and even
                and all(
                    each.strides[before] == each.strides[here] * axis.axis.extent for each in views
                )
            ):
                runs[-1] = (runs[-1][0], number)
            else:
                runs.append((number, number))
        return runs
