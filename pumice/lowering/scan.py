"""Running folds: along the axis in order, everything else in parallel.

Where memory lies across the axis, lanes run across columns and one row after the other is taken
in. Otherwise lanes hold the prefixes of a piece of a row, four rows at a time, so that one row's
addition need not wait for the last one; where an addition is long code (logarithms), lanes
run across rows. Few and long rows are cut into chunks: the chunks are folded, what they gave is
scanned, and each chunk is scanned from there, which also keeps sums of floats accurate.
"""

from math import prod

from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
    Let,
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.walk import postorder
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import STREAMED_BYTES, minimum, variable_value
from pumice.lowering.statements import carried, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.tile_scan import EXTENT as TILE
from pumice.lowering.tile_scan import STEPS as TILE_STEPS
from pumice.lowering.tile_scan import TileScan, scan_range
from pumice.ops.definition import Scan
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target

COLUMN_BLOCK = 64
LONGEST_BLOCK = 1024
WANTED_BLOCKS = 8
ROW_BLOCK = 32
SHORTEST_RUN = 12
"""Elements of a row from which vectors of prefixes pay."""
TOGETHER = 4
MANY_ROWS = 64
FEW_ROWS = 16
LONG_ROW = 1 << 16
CHUNK = 1 << 14
DEVICE_ROWS = 1 << 12
DEVICE_ROW = 1 << 12
DEVICE_CHUNK = 1 << 10
"""The same for devices that run thousands of rows at once, and need as many chunks."""
HEAVY = 24
SHORTEST_TILE = 128

Axis = tuple[Variable, Value, int]


class ScanLowering:
    """Lowers one scan, with whatever computes its operand fused into it."""

    def __init__(self, node: Node, is_stored: IsStored, target: Target) -> None:
        op = node.op
        assert isinstance(op, Scan)
        self.node, self.op, self.target = node, op, target
        self.source = node.sources[0]
        axis = node.argument
        order = (*(each for each in range(len(node.shape)) if each != axis), axis)
        self.view = View.contiguous(node.shape).permute(order)
        self.rank = len(order) - 1
        self.length = node.shape[axis]
        self._is_stored = is_stored
        readings = reading_order([(self.source, self.view)], self._stored)
        views = [*affine_views(readings, self._stored), self.view]
        self.outer = merge_axes(self.view.shape, range(self.rank), views)
        self.rows = prod(self.view.shape[: self.rank])
        self.carried: DType = op.accumulator(self.source.dtype)
        self.identity = constant(op.identity(self.carried), self.carried)
        self.across_columns = (
            not target.grid_lanes
            and bool(self.outer)
            and self.view.strides[self.outer[-1][-1]] == 1
            and axis != len(order) - 1
        )

    @property
    def in_tiles(self) -> bool:
        """Whether workgroups scan a tile of neighbours at a time.

        Processors that run shaders are quicker with an item per row, or chunk of one.
        """
        able = self.target.grid_lanes and not self.target.is_software
        neighbours = self.view.strides[self.rank] == 1 and not self._is_heavy()
        tiles = 1 if self.length >= DEVICE_ROW else -(-self.length // TILE)
        steps = self.target.most_steps
        return (
            able
            and neighbours
            and self.length >= SHORTEST_TILE
            and (not steps or tiles * TILE_STEPS <= steps)
        )

    def _stored(self, node: Node) -> bool:
        return node is not self.node and self._is_stored(node)

    def lower(self) -> list[Step]:
        """Return the launches."""
        if self.target.grid_lanes:
            if self.rows < DEVICE_ROWS and self.length >= DEVICE_ROW:
                return self._in_chunks()
            return [self._in_tiles() if self.in_tiles else self._one_by_one()]
        if self.rows < FEW_ROWS and self.length >= LONG_ROW:
            return self._in_chunks()
        if self.across_columns:
            return [self._row_by_row()]
        if self.outer and self._is_heavy() and self._last_extent() >= ROW_BLOCK // 2:
            return [self._in_lanes(ROW_BLOCK)]
        if self.rows >= MANY_ROWS and self._last_extent() >= TOGETHER:
            return [self._together()]
        return [self._one_by_one()]

    # -- what all ways share ----------------------------------------------------------------------

    def _last_extent(self) -> int:
        return prod(self.view.shape[axis] for axis in self.outer[-1]) if self.outer else 1

    def _is_heavy(self) -> bool:
        """Tell whether combining two elements is long code."""
        first = Carry("first", self.carried, self.identity)
        second = Carry("second", self.carried, self.identity)
        known: set[Value] = set()
        for value in postorder(self.op.combine(first.now, second.now), known):
            known.add(value)
        return len(known) > HEAVY

    def _axes(self, builder: KernelBuilder) -> list[Axis]:
        axes = []
        for members in self.outer:
            extent = prod(self.view.shape[axis] for axis in members)
            axes.append((Variable("o"), builder.size(extent, "extent"), extent))
        return axes

    def _frame(self, rows: tuple[Value, ...], at: Value) -> Frame:
        return Frame((*self.outer, (self.rank,)), (*rows, at))

    def _element(self, expressions: Expressions, frame: Frame) -> Value:
        return expressions.value(self.source, self.view, frame).cast(self.carried)

    def _running(
        self,
        builder: KernelBuilder,
        rows: list[tuple[Value, ...]],
        bounds: tuple[Value, Value],
        before: Value | None = None,
        across: bool = False,
    ) -> Loop:
        """Return the loop that scans some rows together, behind what came ``before`` them.

        Lanes run along the rows unless they run ``across`` them.
        """
        runs = not across and not self.target.grid_lanes and self.length >= SHORTEST_RUN
        expressions = Expressions(builder, self._stored, {})
        variable = Variable("i")
        folds, stores = [], []
        output = None
        for row in rows:
            frame = self._frame(row, variable_value(variable))
            heavy = self._is_heavy()
            initial = before if before is not None and heavy else self.identity
            carry = Carry("running", self.carried, initial)
            element = self._element(expressions, frame)
            following = carry.now if runs else self.op.combine(carry.now, element)
            # Small sums stay small, and so do their errors, when the rest is added at the end.
            result = following if before is None or heavy else self.op.combine(before, following)
            if output is None:
                output = builder.writable(self.node, self.node.dtype)
            place = expressions.position(self.view, frame)
            stored = result.cast(self.node.dtype)
            stores.append(Store(output, place, stored, streamed=self._streams()))
            folds.append(
                Fold((carry,), (element,), self._merge) if runs else Fold((carry,), (following,))
            )
        kind = LoopKind.RUNNING if runs else LoopKind.SERIAL
        return Loop(variable, *bounds, kind, tuple(stores), tuple(folds))

    def _streams(self) -> bool:
        return self.node.numel * self.node.dtype.itemsize >= STREAMED_BYTES

    def _merge(self, first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        return (self.op.combine(first[0], second[0]),)

    def _whole(self, builder: KernelBuilder) -> tuple[Value, Value]:
        return index(0), builder.size(self.length, "length")

    # -- whole rows -------------------------------------------------------------------------------

    def _one_by_one(self) -> Step:
        builder = KernelBuilder()
        axes = self._axes(builder)
        row = tuple(variable_value(each) for each, _, _ in axes)
        loop = self._running(builder, [row], self._whole(builder))
        return builder.finish(tuple(axes), (loop,), self.length * 2, self.node)

    def _in_tiles(self) -> Step:
        """Each row by a workgroup."""
        builder = KernelBuilder()
        axes = self._axes(builder)
        row = tuple(variable_value(each) for each, _, _ in axes)
        body = self._tiled(builder, row, self._whole(builder), None)
        return builder.finish(tuple(axes), body, self.length * 4, self.node)

    def _tiled(
        self,
        builder: KernelBuilder,
        row: tuple[Value, ...],
        bounds: tuple[Value, Value],
        before: Value | None,
    ) -> tuple[Statement, ...]:
        """Return what scans a range of a row in tiles, behind what came ``before`` it."""
        output = builder.writable(self.node, self.node.dtype)
        combine, identity = self.op.combine, self.identity
        tile = TileScan(builder, self.carried, identity, combine, self.target.lanes)

        def element(at: Value) -> Value:
            expressions = Expressions(builder, self._stored, {})
            return self._element(expressions, self._frame(row, at))

        def store(at: Value, value: Value) -> Store:
            expressions = Expressions(builder, self._stored, {})
            place = expressions.position(self.view, self._frame(row, at))
            result = value if before is None else combine(before, value)
            return Store(output, place, result.cast(self.node.dtype))

        return scan_range(tile, bounds, identity, combine, element, store)

    def _together(self) -> Step:
        """Some rows at once; the last few may be done twice by the same item."""
        builder = KernelBuilder()
        axes = self._axes(builder)
        _, extent_value, extent = axes.pop()
        block = Variable("block")
        first = variable_value(block) * index(TOGETHER)
        last = extent_value - 1
        outer = tuple(variable_value(each) for each, _, _ in axes)
        rows = [(*outer, minimum(first + number, last)) for number in range(TOGETHER)]
        loop = self._running(builder, rows, self._whole(builder))
        blocks = -(-extent // TOGETHER)
        axes.append((block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(tuple(axes), (loop,), self.length * TOGETHER, self.node)

    def _in_lanes(self, width: int) -> Step:
        """Lanes across the last outer axis."""
        builder = KernelBuilder()
        axes = self._axes(builder)
        row = tuple(variable_value(each) for each, _, _ in axes)
        loop = self._running(builder, [row], self._whole(builder), across=True)
        body = self._across(builder, axes, width, (loop,))
        cost = self.length * 2 * (width // 8)
        return builder.finish(tuple(axes), body, cost, self.node)

    def _across(
        self, builder: KernelBuilder, axes: list[Axis], width: int, body: tuple[Statement, ...]
    ) -> tuple[Statement, ...]:
        """Make the last axis lanes, and blocks of it grid items."""
        variable, extent_value, extent = axes.pop()
        block = Variable("block")
        size = builder.size(width, "block")
        start = variable_value(block) * size
        stop = minimum(start + size, extent_value)
        blocks = -(-extent // width)
        axes.append((block, builder.size(blocks, "blocks"), blocks))
        return (Loop(variable, start, stop, LoopKind.LANES, body),)

    def _row_by_row(self) -> Step:
        """Keep the running values of a block of columns; take in some rows at a time."""
        builder = KernelBuilder()
        axes = self._axes(builder)
        variable, extent_value, extent = axes.pop()
        others = prod(number for _, _, number in axes)
        length = min(LONGEST_BLOCK, max(COLUMN_BLOCK, extent * others // WANTED_BLOCKS))
        block = Variable("block")
        size = builder.size(length, "block")
        start = variable_value(block) * size
        width = minimum(size, extent_value - start)
        column = variable_value(variable)
        rows = (*(variable_value(each) for each, _, _ in axes), start + column)
        local = builder.local(self.carried, length, "running")
        output = builder.writable(self.node, self.node.dtype)
        expressions = Expressions(builder, self._stored, {})

        def take_in(first: Value, together: int) -> Loop:
            running = load(local, column)
            body: list[Statement] = [Let(running)]
            for number in range(together):
                frame = self._frame(rows, first + number if number else first)
                running = self.op.combine(running, self._element(expressions, frame))
                place = expressions.position(self.view, frame)
                stored = running.cast(self.node.dtype)
                body.append(Store(output, place, stored, streamed=self._streams()))
            body.append(Store(local, column, running))
            return Loop(variable, index(0), width, LoopKind.LANES, tuple(body))

        row, first_use = Variable("row"), Variable("o")
        start_value = Store(local, variable_value(first_use), self.identity)
        body = [Loop(first_use, index(0), width, LoopKind.LANES, (start_value,))]
        together = 1 if self._is_heavy() else TOGETHER
        at = variable_value(row)
        groups = builder.size(self.length // together, "groups")
        whole = take_in(at * index(together) if together > 1 else at, together)
        body.append(Loop(row, index(0), groups, LoopKind.SERIAL, (whole,)))
        if together > 1:
            stop = builder.size(self.length, "length")
            rest = take_in(at, 1)
            body.append(Loop(row, groups * index(together), stop, LoopKind.SERIAL, (rest,)))
        blocks = -(-extent // length)
        grid = (*axes, (block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(grid, tuple(body), self.length * length // 4, self.node)

    # -- chunks of few, long rows -----------------------------------------------------------------

    def _chunk_length(self) -> int:
        return DEVICE_CHUNK if self.target.grid_lanes else CHUNK

    def _in_chunks(self) -> list[Step]:
        chunks = -(-self.length // self._chunk_length())
        partial = Scratch(self.rows * chunks * self.carried.itemsize)
        return [
            self._fold_chunks(partial, chunks),
            self._scan_partials(partial, chunks),
            self._scan_chunks(partial, chunks),
        ]

    def _chunk(
        self, builder: KernelBuilder, chunks: int
    ) -> tuple[list[Axis], tuple[Value, ...], Axis, tuple[Value, Value], Value]:
        """Return outer axes and row, the chunk axis and bounds, and where its partial result is."""
        axes = self._axes(builder)
        row = tuple(variable_value(each) for each, _, _ in axes)
        chunk = (Variable("chunk"), builder.size(chunks, "chunks"), chunks)
        size = builder.size(self._chunk_length(), "chunk")
        start = variable_value(chunk[0]) * size
        stop = minimum(start + size, builder.size(self.length, "length"))
        expressions = Expressions(builder, self._stored, {})
        outer_view = View.contiguous(self.view.shape[: self.rank])
        number = expressions.position(outer_view, Frame(tuple(self.outer), row))
        return axes, row, chunk, (start, stop), number * chunk[1] + variable_value(chunk[0])

    def _finish_chunks(
        self, builder: KernelBuilder, axes: list[Axis], chunk: Axis, body: tuple[Statement, ...]
    ) -> Step:
        cost = 2 * self._chunk_length()
        if self.across_columns:
            body = self._across(builder, axes, COLUMN_BLOCK, body)
            cost *= COLUMN_BLOCK // 8
        return builder.finish((chunk, *axes), body, cost, self.node)

    def _fold_chunks(self, partial: Scratch, chunks: int) -> Step:
        builder = KernelBuilder()
        axes, row, chunk, (start, stop), place = self._chunk(builder, chunks)
        expressions = Expressions(builder, self._stored, {})
        variable = Variable("i")
        element = self._element(expressions, self._frame(row, variable_value(variable)))
        carry = Carry("fold", self.carried, self.identity)
        fold = Fold((carry,), self._merge((carry.now,), (element,)), self._merge)
        kind = LoopKind.SERIAL if self.across_columns else LoopKind.LANES
        loop = Loop(variable, start, stop, kind, (), (fold,))
        store = Store(builder.writable(partial, self.carried), place, carry.result)
        return self._finish_chunks(builder, axes, chunk, (loop, store))

    def _scan_partials(self, partial: Scratch, chunks: int) -> Step:
        """Replace what each chunk gave by what all chunks before it gave."""
        builder = KernelBuilder()
        row = Variable("row")
        count = builder.size(chunks, "chunks")
        memory = builder.writable(partial, self.carried)
        total = carried("total", self.identity)
        amounts: list[Value] = []

        def body(chunk: Value) -> tuple[Statement, ...]:
            place = variable_value(row) * count + chunk
            amounts[:] = [load(memory, place)]
            return (Let(amounts[0]), Store(memory, place, total.now))

        def fold(_: Value) -> tuple[Fold, ...]:
            return (Fold((total,), (self.op.combine(total.now, amounts[0]),)),)

        grid = ((row, builder.size(self.rows, "rows"), self.rows),)
        loop = serial("chunk", count, body, fold)
        return builder.finish(grid, (loop,), chunks * 4, self.node)

    def _scan_chunks(self, partial: Scratch, chunks: int) -> Step:
        builder = KernelBuilder()
        axes, row, chunk, bounds, place = self._chunk(builder, chunks)
        before = load(builder.readable(partial, self.carried), place)
        if self.in_tiles:
            body = (Let(before), *self._tiled(builder, row, bounds, before))
        else:
            body = (self._running(builder, [row], bounds, before, self.across_columns),)
        return self._finish_chunks(builder, axes, chunk, body)


def lower_scan(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a scan."""
    return ScanLowering(group.root, is_stored, target).lower() if group.root.numel else []
