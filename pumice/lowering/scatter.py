"""Writes at computed positions, deterministic on every device.

Axes of the source that go straight to an axis of the result never collide, so they run in
parallel; all others run in row-major order, so the last write wins and sums have one order.
"""

from math import prod

from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Let,
    Loop,
    LoopKind,
    Parameter,
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
from pumice.lowering.steps import Step
from pumice.lowering.update import CopyLowering
from pumice.ops import reduction, structure
from pumice.ops.structure import ScatterMode
from pumice.ops.view import View
from pumice.schedule import sources
from pumice.schedule.items import Group, Space
from pumice.target import Target

COLUMN_BLOCK = 256

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
        expressions = Expressions(builder, self._stored, {})
        grid, loops, frame = self._axes(builder)
        body = self._write_one(builder, expressions, frame)
        for variable, size, _ in reversed(loops):
            body = (Loop(variable, index(0), size, LoopKind.SERIAL, body),)
        count = prod(self.view.shape[self.rank :])
        return self._finish(builder, grid, body, 4 * count)

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
        place, mask = expressions.indexed_position(node.shape, argument, coordinates)
        value = expressions.value(self.source, self.view, frame)
        if share is None:
            output = builder.writable(node, node.dtype)
        else:
            output, place = share[0], share[1] + place
        if argument.mode is ScatterMode.SET:
            return (Store(output, place, value, mask),)
        before = load(output, place, mask)
        carried = self._carried()
        merged = COMBINE[argument.mode].combine(before.cast(carried), value.cast(carried))
        # The load must happen in this iteration, before the store.
        return (Let(before), Store(output, place, merged.cast(output.dtype), mask))

    def _carried(self) -> DType:
        """Return the dtype in which values are combined."""
        dtype = self.node.dtype
        return dtype if dtype.is_integral else COMBINE[self.node.argument.mode].accumulator(dtype)
