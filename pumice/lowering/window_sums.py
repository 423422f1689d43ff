"""Products summed over the positions of windows: the gradient of a convolution's weight.

    result[row, channel, tap] = sum over positions of left[row, position] * window[position, tap]

A grid item takes some rows and channels and goes through a run of blocks of positions. For each it
packs windows as `window_product` does, and turns the left operand so that rows lie next to each
other; then positions are the depth of its multiplications. Runs are fixed by the shapes, and their
results are added in order, so nothing depends on the number of threads.
"""

from math import prod

from pumice.choices import chosen
from pumice.kernel.ir import (
    Carry,
    Fold,
    Loop,
    LoopKind,
    Multiply,
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
from pumice.lowering.window_blocks import PACKED, RESULTS, SLACK, PackedAxis
from pumice.lowering.window_packing import Block, Loops, PackedBlock, nest
from pumice.lowering.window_plan import Groups, WindowPlan, result_view
from pumice.lowering.window_sum_blocks import LONGEST, TURNED, SumBlocks, choose_blocks
from pumice.lowering.window_sum_results import Run, TurnedResults, in_order
from pumice.ops.view import View, contiguous_strides


class WindowSums(WindowPlan):
    """A product summed over positions, with a result for each channel and tap."""

    b: SumBlocks

    def cut(self) -> bool:
        """Decide how the product is cut; tell whether any block of it fits."""
        lines, batches = self.windows.lines, self.batch_count
        found = chosen(choose_blocks, lines, batches, self.m, self.channel_count, self.tile)
        if found is None:
            return False
        self.b = found
        return self.can_pack()

    def lower(self) -> list[Step]:
        """Return the launch, and one that adds the results of its runs."""
        if self.b.runs == 1:
            return [_Writer(self, None).step()]
        size = self.product.numel * self.spec.accumulator.itemsize
        partial = Scratch(size * self.b.runs)
        return [_Writer(self, partial).step(), self._add_runs(partial)]

    def _add_runs(self, partial: Scratch) -> Step:
        builder = KernelBuilder()
        shape, dtype = self.product.shape, self.spec.accumulator
        whole = View.contiguous(shape)
        groups = merge_axes(shape, range(len(shape)), [whole, *self.epilogue_views()])
        variables = [Variable("o") for _ in groups]
        frame = Frame(tuple(groups), tuple(variable_value(each) for each in variables))
        run = Variable("run")
        expressions = Expressions(builder, self.is_stored, {})
        place = variable_value(run) * builder.size(self.product.numel, "size")
        place = place + expressions.position(whole, frame)
        carry = Carry("total", dtype, constant(0, dtype))
        total = carry.now + load(builder.readable(partial, dtype), place)
        runs = builder.size(self.b.runs, "runs")
        fold = Loop(run, index(0), runs, LoopKind.SERIAL, (), (Fold((carry,), (total,)),))
        store = self.store(builder, frame, carry.result)
        counts = [prod(shape[axis] for axis in members) for members in groups]
        sizes = [builder.size(count, "extent") for count in counts]
        grid = list(zip(variables, sizes, counts, strict=True))
        body: tuple[Statement, ...] = (fold, store)
        cost = self.b.runs
        if grid:
            variable, size, count = grid.pop()
            body = (Loop(variable, index(0), size, LoopKind.LANES, body),)
            cost *= count
        return builder.finish(tuple(grid), body, cost // 4 + 1, self.product)

    def store(self, builder: KernelBuilder, frame: Frame, element: Value) -> Store:
        """Return the epilogue of one element."""
        root, view = self.group.root, result_view(self.group, self.product)
        finished = element.cast(self.product.dtype)
        expressions = Expressions(builder, self.is_stored, {self.product: finished})
        value = finished if root is self.product else expressions.value(root, view, frame)
        output = builder.writable(root, root.dtype, view.offset)
        return Store(output, expressions.position(view, frame), value)


class _Writer:
    """Writes the kernel of one product."""

    def __init__(self, plan: WindowSums, partial: Scratch | None) -> None:
        self.plan, self.b, self.tile = plan, plan.b, plan.tile
        self.partial = partial
        self.builder = builder = KernelBuilder()
        dtype = plan.spec.accumulator
        self.packed = builder.local(dtype, PACKED + SLACK, "packed")
        self.turned = builder.local(dtype, TURNED, "turned")
        self.results = builder.local(dtype, RESULTS, "results")
        names = ("batch", "channels", "rows", "run")
        self.batch, self.part, self.row, self.run = (Variable(name) for name in names)
        b = self.b
        self.channels = Block(builder, variable_value(self.part), b.channels, plan.channel_count)
        self.rows = Block(builder, variable_value(self.row), b.columns, plan.m)
        self.number = Variable("block")

    def step(self) -> Step:
        """Return the launch."""
        plan, b, builder = self.plan, self.b, self.builder
        blocks = prod(b.outside)
        length = -(-blocks // b.runs)
        start = variable_value(self.run) * builder.size(length, "length")
        stop = minimum(start + builder.size(length, "length"), builder.size(blocks, "blocks"))
        block = PackedBlock(plan, builder, self._outside())
        body = (
            block.pack(self.packed, variable_value(self.batch), self.channels),
            self._turn(block),
            self._multiplications(block, start),
        )
        statements = (
            Loop(self.number, start, stop, LoopKind.SERIAL, body),
            self._finish(),
        )
        numbers = (
            (self.batch, plan.batch_count),
            (self.part, -(-plan.channel_count // b.channels)),
            (self.row, -(-plan.m // b.columns)),
            (self.run, b.runs),
        )
        grid = tuple((variable, builder.size(size, "extent"), size) for variable, size in numbers)
        work = b.positions * length * plan.taps * b.channels * b.columns
        return builder.finish(grid, statements, work // 64 + 1, plan.product)

    def _outside(self) -> list[Value]:
        """Return the block's number along each axis up to the one that is cut."""
        values: list[Value] = []
        rest = variable_value(self.number)
        for count in reversed(self.b.outside[1:]):
            size = self.builder.size(count, "blocks")
            values.append(rest.modulus(size))
            rest = rest.quotient(size)
        return [rest, *reversed(values)]

    def _turn(self, block: PackedBlock) -> Statement:
        """Copy the left operand of the block's positions so that rows lie next to each other."""
        column = Variable("column")
        columns = index(self.tile.columns)
        first = variable_value(column) * columns
        count = (self.rows.count + columns - index(1)).quotient(columns)
        width = minimum(columns, self.rows.count - first)
        found = self._in_place(block, column, width)
        body = self._staged(block, column, width) if found is None else (found,)
        return Loop(column, index(0), count, LoopKind.SERIAL, body)

    def _staged(self, block: PackedBlock, column: Variable, width: Value) -> tuple[Statement, ...]:
        """Compute some rows of the left operand, then turn them."""
        plan, builder, spec = self.plan, self.builder, self.plan.spec
        left, shape = plan.left, plan.left.shape
        view = View.contiguous(shape)
        views = affine_views(reading_order([(left, view)], plan.is_stored), plan.is_stored)
        batch_axes = merge_axes(shape, range(spec.batch), views)
        row_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)
        row = Variable("row")
        line = variable_value(column) * index(self.tile.columns) + variable_value(row)
        split = Positions(builder, shape).split
        groups: Groups = [*batch_axes, *row_axes]
        variables = [
            *split(variable_value(self.batch), batch_axes),
            *split(self.rows.start + line, row_axes),
        ]
        loops: Loops = [(row, width)]
        place: Value = index(0)
        depth: Value = index(1)
        for number, axis in enumerate(self.b.axes):
            groups.append(tuple(each + spec.m - spec.n for each in axis.axis.axes))
            if number < self.b.cut:
                variables.append(block.start(number))
                continue
            here = Variable("x")
            loops.append((here, block.count(number)))
            variables.append(block.start(number) + variable_value(here))
            place = place * block.count(number) + variable_value(here)
            depth = depth * block.count(number)
        expressions = Expressions(builder, plan.is_stored, {})
        element = expressions.value(left, view, Frame(tuple(groups), tuple(variables)))
        size = builder.size(self.b.positions, "positions")
        staged = builder.local(spec.accumulator, self.tile.columns * LONGEST, "staged")
        store = Store(staged, variable_value(row) * size + place, element.cast(spec.accumulator))
        transpose = Transpose(
            target=self.turned,
            target_at=self._turned_place(column, index(0)),
            pitch=self.tile.columns,
            source=staged,
            source_at=index(0),
            source_row=size,
            depth=depth,
            columns=self.tile.columns,
            width=width,
        )
        return nest(loops, (store,)), transpose

    def _in_place(self, block: PackedBlock, column: Variable, width: Value) -> Statement | None:
        """Turn the left operand where it lies in memory with positions next to each other."""
        plan, builder, spec = self.plan, self.builder, self.plan.spec
        found = base_of(plan.left, plan.is_stored)
        if found is None or not plan.is_stored(found[0]):
            return None
        base, view = found
        row_axes = merge_axes(view.shape, range(spec.batch, spec.batch + spec.m), [view])
        places = [axis.axis.axes[-1] + spec.m - spec.n for axis in self.b.axes]
        if len(row_axes) != 1 or view.strides[places[-1]] != 1:
            return None
        run = len(places) - 1
        while run > self.b.cut and (
            view.strides[places[run - 1]]
            == view.strides[places[run]] * self.b.axes[run].axis.extent
        ):
            run -= 1
        first = variable_value(column) * index(self.tile.columns)
        batch_axes = merge_axes(view.shape, range(spec.batch), [view])
        groups: Groups = [*batch_axes, *row_axes]
        batch = Positions(builder, view.shape).split(variable_value(self.batch), batch_axes)
        variables = [*batch, self.rows.start + first]
        loops: Loops = []
        place: Value = index(0)
        depth: Value = index(1)
        for number, axis in enumerate(places):
            groups.append((axis,))
            start = block.start(number)
            if self.b.cut <= number < run:
                here = Variable("x")
                loops.append((here, block.count(number)))
                start = start + variable_value(here)
                place = place * block.count(number) + variable_value(here)
            elif number >= run:
                place = place * block.count(number)
                depth = depth * block.count(number)
            variables.append(start)
        expressions = Expressions(builder, plan.is_stored, {})
        transpose = Transpose(
            target=self.turned,
            target_at=self._turned_place(column, place),
            pitch=self.tile.columns,
            source=builder.readable(base, base.dtype, view.offset),
            source_at=expressions.position(view, Frame(tuple(groups), tuple(variables))),
            source_row=builder.size(view.strides[row_axes[0][-1]], "stride"),
            depth=depth,
            columns=self.tile.columns,
            width=width,
        )
        return nest(loops, (transpose,), lanes=False) if loops else transpose

    def _turned_place(self, column: Variable, place: Value) -> Value:
        """Return where the rows of a position lie: those of one tile's columns together."""
        size = self.builder.size(self.b.positions, "positions")
        return (variable_value(column) * size + place) * index(self.tile.columns)

    def _multiplications(self, block: PackedBlock, start: Value) -> Statement:
        b, builder, tile = self.b, self.builder, self.tile
        taps = block.taps()
        panel, column = Variable("panel"), Variable("column")
        fresh = variable_value(self.number).eq(start)
        repeats: tuple[Value, ...] = ()
        depth: Value = index(1)
        behind = index(tile.columns)
        for number in reversed(range(b.cut, len(b.axes))):
            count = block.count(number)
            if number >= b.dense:
                depth = depth * count
            else:
                pitch = block.pitches[number] * block.steps[number]
                repeats = (count, pitch, behind, *repeats)
            behind = behind * count
        held = self.channels.count * self._inner()
        panels = (held + index(b.rows - 1)).quotient(index(b.rows))
        tap_panel = taps.number * builder.size(b.panels, "panels") + variable_value(panel)
        first = variable_value(column) * index(tile.columns)
        packed_row = taps.copy * held + variable_value(panel) * index(b.rows)
        multiply = Multiply(
            tile=self.results,
            tile_at=tap_panel * index(b.rows * b.columns) + first,
            pitch=b.columns,
            fresh=fresh,
            left=self.packed,
            left_at=packed_row * block.plane + taps.shift,
            left_row=block.plane,
            left_step=block.steps[-1],
            right=self.turned,
            right_at=self._turned_place(column, index(0)),
            right_step=index(tile.columns),
            depth=depth,
            rows=b.rows,
            columns=tile.columns,
            repeats=repeats,
        )
        columns = (self.rows.count + index(tile.columns - 1)).quotient(index(tile.columns))
        nested = [*taps.loops, (panel, panels), (column, columns)]
        return nest(nested, (multiply,), lanes=False)

    def _inner(self) -> Value:
        inner = self.plan.inner_taps
        return self.builder.size(inner, "inner") if inner > 1 else index(1)

    def _finish(self) -> Statement:
        """Write the results of the run, or finish them when it is the only one."""
        return self._finish_turned() if in_order(self.plan) else self._finish_in_place()

    def _finish_turned(self) -> Statement:
        """Turn results of some rows and channels, then write runs of channels and taps."""
        plan, b, builder, spec = self.plan, self.b, self.builder, self.plan.spec
        shape = plan.product.shape
        turned = TurnedResults(plan, builder, self.results)
        whole = View(shape, contiguous_strides(shape))
        views = [whole] if self.partial is not None else [whole, *plan.epilogue_views()]
        split = Positions(builder, shape).split
        batch_axes = merge_axes(shape, range(spec.batch), views)
        row_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)
        run_axes = merge_axes(shape, range(spec.batch + spec.m, len(shape)), views)
        column, number, row, here = (Variable(name) for name in ("column", "part", "row", "x"))
        columns = index(self.tile.columns)
        first = variable_value(column) * columns
        width = minimum(columns, self.rows.count - first)
        size = builder.size(turned.channels, "block")
        start = variable_value(number) * size
        chosen = Run(start, minimum(size, self.channels.count - start), self.channels.count)
        turn = turned.turn(
            first, width, chosen, builder.size(b.panels * b.rows, "lines"), b.columns
        )
        line = self.rows.start + first + variable_value(row)
        place = (self.channels.start + start) * turned.taps + variable_value(here)
        groups: Groups = [*batch_axes, *row_axes, *run_axes]
        variables = (
            *split(variable_value(self.batch), batch_axes),
            *split(line, row_axes),
            *split(place, run_axes),
        )
        at = variable_value(row) * index(turned.pitch) + variable_value(here)
        store = self._store(Frame(tuple(groups), variables), load(turned.turned, at))
        write = nest([(row, width), (here, chosen.count * turned.taps)], (store,))
        parts = (self.channels.count + size - index(1)).quotient(size)
        count = (self.rows.count + columns - index(1)).quotient(columns)
        return nest([(column, count), (number, parts)], (turn, write), lanes=False)

    def _store(self, frame: Frame, element: Value) -> Store:
        """Write one result of the run."""
        plan, builder = self.plan, self.builder
        if self.partial is None:
            return plan.store(builder, frame, element)
        shape = plan.product.shape
        whole = View(shape, contiguous_strides(shape))
        at = Expressions(builder, plan.is_stored, {}).position(whole, frame)
        at = at + variable_value(self.run) * builder.size(plan.product.numel, "size")
        return Store(builder.writable(self.partial, plan.spec.accumulator), at, element)

    def _finish_in_place(self) -> Statement:
        """Write results in the order in which local memory has them."""
        plan, b, builder, spec = self.plan, self.b, self.builder, self.plan.spec
        shape = plan.product.shape
        views = [View.contiguous(shape), *plan.epilogue_views()]
        row, channel = Variable("row"), Variable("channel")
        loops: Loops = []
        groups: Groups = []
        variables: list[Value] = []

        def tap_of(axis: PackedAxis) -> tuple[Value, Value]:
            tap, size = Variable("tap"), builder.size(axis.axis.taps, "taps")
            loops.append((tap, size))
            assert axis.axis.tap_axis is not None
            groups.append((axis.axis.tap_axis + spec.m,))
            variables.append(variable_value(tap))
            return variable_value(tap), size

        shift: Value = index(0)
        for axis in plan.shifted:
            tap, size = tap_of(axis)
            shift = shift * size + tap
        copy: Value = index(0)
        for axis in plan.expanded:
            tap, size = tap_of(axis)
            copy = copy * size + tap
        split = Positions(builder, shape).split
        batch_axes = merge_axes(shape, range(spec.batch), views)
        row_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)
        channel_axes = merge_axes(shape, [each + spec.m for each in plan.windows.channels], views)
        groups += [*batch_axes, *row_axes, *channel_axes]
        variables += split(variable_value(self.batch), batch_axes)
        variables += split(self.rows.start + variable_value(row), row_axes)
        variables += split(self.channels.start + variable_value(channel), channel_axes)
        loops += [(channel, self.channels.count), (row, self.rows.count)]
        line = shift * builder.size(b.panels * b.rows, "lines")
        line = line + copy * self.channels.count + variable_value(channel)
        element = load(self.results, line * index(b.columns) + variable_value(row))
        frame = Frame(tuple(groups), tuple(variables))
        return nest(loops, (self._store(frame, element),))
