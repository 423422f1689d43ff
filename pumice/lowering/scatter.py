"""Writes at computed positions, deterministic on every device.

Axes of the source that go straight to an axis of the result never collide, so they run in
parallel; all others run in row-major order, so the last write wins and sums have one order. On the
CPU, where nothing else is parallel, the places of a block of writes are computed in vector lanes
before the block is written in order.
"""

from math import prod

from pumice import dtypes
from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    INDEX,
    Instruction,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Prefetch,
    Statement,
    Store,
    Value,
    Variable,
    index,
    load,
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
from pumice.lowering.statements import lanes, serial
from pumice.lowering.steps import Step
from pumice.lowering.update import CopyLowering
from pumice.ops import reduction, structure
from pumice.ops.structure import ScatterMode
from pumice.ops.view import View
from pumice.schedule import sources
from pumice.schedule.items import Group, Space
from pumice.target import Target

COLUMN_BLOCK = 256
WRITE_BLOCK = 256
"""Writes whose places are computed together."""
PREFETCHED_BYTES = 1 << 20
"""Size of a result from which the lines of a block are asked for before it is written."""
_AT_HAND = (Instruction.LOAD, Instruction.CONSTANT, Instruction.PARAMETER)

COMBINE = {
    ScatterMode.ADD: reduction.SUM,
    ScatterMode.MULTIPLY: reduction.PROD,
    ScatterMode.MAXIMUM: reduction.AMAX,
    ScatterMode.MINIMUM: reduction.AMIN,
}


class ScatterLowering:
    """Lowers one scatter: a copy of the base, then the writes."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        self.group = group
        self.node = group.root
        self.source = self.node.sources[1]
        self.indices = self.node.sources[2:]
        self.target = target
        self._is_stored = is_stored
        shape = self.source.shape
        argument: structure.Indexing = self.node.argument
        free = sorted(-1 - axis for axis in argument.axes if axis < 0)
        serial = [axis for axis in range(len(shape)) if axis not in free]
        self.rank = len(free)
        self.view = View.contiguous(shape).permute((*free, *serial))

    def _stored(self, node: Node) -> bool:
        return node is not self.node and self._is_stored(node)

    def lower(self) -> list[Step]:
        """Return the launches."""
        node = self.node
        whole = Group(node, self.group.kind, Space(node.shape, ()), settled=True)
        steps = CopyLowering(whole, self._is_stored, self.target).lower()
        if self.source.numel == 0 or node.numel == 0:
            return steps
        return [*steps, *self._write_steps()]

    def _write_steps(self) -> list[Step]:
        return [self._writes()]

    def _axes(
        self, builder: KernelBuilder
    ) -> tuple[list[tuple[Variable, Value, int]], list[tuple[Variable, Value, int]], Frame]:
        """Return the loops that never collide, those that run in order, and their frame."""
        roots = [(self.source, self.view), *((each, self.view) for each in self.indices)]
        views = affine_views(reading_order(roots, self._stored), self._stored)
        shape = self.source.shape
        for axis in self.node.argument.axes:
            if axis < 0:
                place = sources.coordinate(shape, -1 - axis, self.view)
                assert place is not None
                views.append(place)
        outer = merge_axes(self.view.shape, range(self.rank), views)
        inner = merge_axes(self.view.shape, range(self.rank, len(self.view.shape)), views)
        found = []
        for name, merged in (("o", outer), ("i", inner)):
            loops = []
            for members in merged:
                extent = prod(self.view.shape[axis] for axis in members)
                loops.append((Variable(name), builder.size(extent, "extent"), extent))
            found.append(loops)
        variables = tuple(variable_value(each) for loops in found for each, _, _ in loops)
        return found[0], found[1], Frame((*outer, *inner), variables)

    def _writes(self) -> Step:
        builder = KernelBuilder()
        grid, loops, frame = self._axes(builder)
        body = self._in_order(builder, bool(grid), loops, frame)
        count = prod(self.view.shape[self.rank :])
        return self._finish(builder, grid, body, 4 * count if grid else 2 * count)

    def _in_order(
        self,
        builder: KernelBuilder,
        within_lanes: bool,
        loops: list[tuple[Variable, Value, int]],
        frame: Frame,
        share: tuple[Parameter, Value] | None = None,
        bounds: tuple[Value, Value] | None = None,
    ) -> tuple[Statement, ...]:
        """Return the loops over the writes; the outermost one has ``bounds`` if they are given."""
        ranges = [(variable, index(0), size) for variable, size, _ in loops]
        if bounds is not None:
            ranges[0] = (ranges[0][0], *bounds)
        body: tuple[Statement, ...]
        if loops and not within_lanes and not self.target.grid_lanes:
            _, start, stop = ranges.pop()
            body = self._write_blocks(builder, frame, (start, stop), share)
        else:
            body = self._write_one(builder, Expressions(builder, self._stored, {}), frame, share)
        for variable, start, stop in reversed(ranges):
            body = (Loop(variable, start, stop, LoopKind.SERIAL, body),)
        return body

    def _write_blocks(
        self,
        builder: KernelBuilder,
        frame: Frame,
        bounds: tuple[Value, Value],
        share: tuple[Parameter, Value] | None,
    ) -> tuple[Statement, ...]:
        """Return the innermost loop: places of a block in lanes, then its writes in order."""
        start, stop = bounds
        places = builder.local(dtypes.int64, WRITE_BLOCK, "places")
        expressions = Expressions(builder, self._stored, {})
        node = self.node
        output, base = share if share is not None else (builder.writable(node, node.dtype), None)
        asks = share is None and node.numel * node.dtype.itemsize >= PREFETCHED_BYTES

        def write_block(block: Value) -> tuple[Statement, ...]:
            first = start + block * index(WRITE_BLOCK)
            count = minimum(stop - first, index(WRITE_BLOCK))
            kept: list[Parameter] = []

            def at_place(at: Value) -> Frame:
                return Frame(frame.members, (*frame.variables[:-1], first + at))

            def find(at: Value) -> tuple[Statement, ...]:
                own = at_place(at)
                place, mask = self._place(builder, expressions, own)
                if mask is not None:
                    # A write that raises may go anywhere.
                    place = mask.select(place, index(-1 if node.argument.fill else 0))
                found: list[Statement] = [Store(places, at, place.cast(dtypes.int64))]
                value = expressions.value(self.source, self.view, own)
                if value.instruction not in _AT_HAND:
                    kept.append(builder.local(value.dtype, WRITE_BLOCK, "values"))
                    found.append(Store(kept[0], at, value))
                return tuple(found)

            def address(at: Value) -> Value:
                place = load(places, at).cast(INDEX)
                return place if base is None else base + place

            def write(at: Value) -> tuple[Statement, ...]:
                value = (
                    load(kept[0], at)
                    if kept
                    else expressions.value(self.source, self.view, at_place(at))
                )
                mask = load(places, at) >= 0 if node.argument.fill else None
                return self._merge(output, address(at), value, mask)

            finding = lanes("p", count, find)
            asking = [serial("a", count, lambda at: (Prefetch(output, address(at)),))] * asks
            return (finding, *asking, serial("w", count, write))

        blocks = (stop - start + (WRITE_BLOCK - 1)).quotient(index(WRITE_BLOCK))
        return (serial("block", blocks, write_block),)

    def _finish(
        self,
        builder: KernelBuilder,
        grid: list[tuple[Variable, Value, int]],
        body: tuple[Statement, ...],
        cost: int,
    ) -> Step:
        if grid and not self.target.grid_lanes:
            variable, size, extent = grid.pop()
            block = Variable("block")
            length = builder.size(COLUMN_BLOCK, "block")
            start = variable_value(block) * length
            stop = minimum(start + length, size)
            body = (Loop(variable, start, stop, LoopKind.LANES, body),)
            blocks = -(-extent // COLUMN_BLOCK)
            grid.append((block, builder.size(blocks, "blocks"), blocks))
            cost *= COLUMN_BLOCK // 8
        return builder.finish(tuple(grid), body, cost, self.node)

    def _write_one(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        frame: Frame,
        share: tuple[Parameter, Value] | None = None,
    ) -> tuple[Statement, ...]:
        """Return one write: into the node's memory, or a share of its shape and where it begins."""
        node = self.node
        place, mask = self._place(builder, expressions, frame)
        value = expressions.value(self.source, self.view, frame)
        if share is None:
            return self._merge(builder.writable(node, node.dtype), place, value, mask)
        return self._merge(share[0], share[1] + place, value, mask)

    def _place(
        self, builder: KernelBuilder, expressions: Expressions, frame: Frame
    ) -> tuple[Value, Value | None]:
        """Return the element that is written, and where it may be."""
        node = self.node
        argument: structure.Indexing = node.argument
        shape = self.source.shape
        coordinates = [
            expressions.coordinate(shape, -1 - axis, self.view, frame)
            if axis < 0
            else expressions.value(self.indices[axis], self.view, frame)
            for axis in argument.axes
        ]
        if not argument.fill:
            builder.suspects[node] = None
        return expressions.indexed_position(node.shape, argument, coordinates)

    def _merge(
        self, output: Parameter, place: Value, value: Value, mask: Value | None
    ) -> tuple[Statement, ...]:
        """Return the statements that write a value, or fold it into what is there."""
        mode = self.node.argument.mode
        if mode is ScatterMode.SET:
            return (Store(output, place, value, mask),)
        before = load(output, place, mask)
        carried = self._carried()
        merged = COMBINE[mode].combine(before.cast(carried), value.cast(carried))
        # The load must happen in this iteration, before the store.
        return (Let(before), Store(output, place, merged.cast(output.dtype), mask))

    def _carried(self) -> DType:
        """Return the dtype in which values are combined."""
        dtype = self.node.dtype
        return dtype if dtype.is_integral else COMBINE[self.node.argument.mode].accumulator(dtype)
