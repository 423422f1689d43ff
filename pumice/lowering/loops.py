"""Loop groups: elementwise results, reductions, and row programs that mix both.

A group runs its outer axes in the grid. For each outer item it runs one loop nest per stage of
fused reductions (softmax: the maximum, then the sum), then the loop nest that stores the result.
Vector lanes run along the innermost axis of the rows, or along the last outer axis when rows are
short or memory lies that way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import (
    INDEX,
    Instruction,
    Loop,
    LoopKind,
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
from pumice.lowering.folds import (
    Folding,
    LoopAxis,
    accumulator_dtypes,
    fold_nest,
    result_value,
)
from pumice.lowering.steps import Scratch, Step
from pumice.ops.definition import Reduction
from pumice.ops.view import Shape, View, contiguous_strides
from pumice.schedule import sources
from pumice.schedule.items import Group
from pumice.target import Target

SHORT_ROW = 16
SPLIT_OUTER = 64
SPLIT_ELEMENTS = 1 << 16
CHUNK_ELEMENTS = 1 << 15
COLUMN_BLOCK = 64
SHORT_AXIS = 8
TILE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A loop nest of a group: what it evaluates over (outer axes, inner axes)."""

    nodes: tuple[Node, ...]  # reductions it folds; empty for the nest that stores
    shape: Shape
    readings: tuple[tuple[Node, View], ...]
    inner: tuple[tuple[int, ...], ...] = ()  # merged inner axes


def variable_value(variable: Variable) -> Value:
    """Return the value of a loop variable."""
    return Value(Instruction.VARIABLE, INDEX, (), variable)


def minimum(first: Value, second: Value) -> Value:
    """Return the smaller of two sizes."""
    return (first < second).select(first, second)


class LoopLowering:
    """Lowers one loop group."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        self.group = group
        self.target = target
        self.root = group.root
        inside = frozenset(group.stored)

        def stored_elsewhere(node: Node) -> bool:
            return node not in inside and is_stored(node)

        self._is_stored: IsStored = stored_elsewhere
        self.root_reduces = sources.is_reduction(self.root)
        main = group.main
        self.outer_shape = main.outer_shape
        self.rank = len(self.outer_shape)
        order = (*main.outer, *main.inner)
        natural = View.contiguous(main.shape)
        self.main_view = natural.permute(order)
        self.value_node = self.root
        self.store_view = self.main_view
        self.reductions = dict(group.reductions)
        if self.root_reduces:
            self.reductions[self.root] = self.main_view
        self.choose_target_of_store()
        self.stages = self._make_stages()
        self.outer = self._merge()

    def choose_target_of_store(self) -> None:
        """Let a subclass store something else than the root's elements in order."""

    # -- analysis ---------------------------------------------------------------------------------

    def _is_leaf(self, node: Node) -> bool:
        return self._is_stored(node) or node in self.reductions

    def _make_stages(self) -> list[Stage]:
        """Order the fused reductions: those that need nothing from one another share loops."""
        level: dict[Node, int] = {}
        pending = dict(self.reductions)
        while pending:
            for node, view in list(pending.items()):
                order = reading_order([(node.sources[0], view)], self._is_leaf)
                needed = [each for each, _ in order if each in self.reductions]
                if all(each in level for each in needed):
                    level[node] = max((level[each] + 1 for each in needed), default=0)
                    del pending[node]
        batches: dict[tuple[int, Shape], list[Node]] = {}
        for node in self.reductions:
            shape = self.reductions[node].shape
            batches.setdefault((level[node], shape), []).append(node)
        stages = [
            Stage(
                tuple(nodes),
                shape,
                tuple((node.sources[0], self.reductions[node]) for node in nodes),
            )
            for (_, shape), nodes in sorted(batches.items(), key=lambda item: item[0][0])
        ]
        if not self.root_reduces:
            stored = (*self.group.extra, self.value_node)
            readings = tuple((node, self.main_view) for node in stored)
            stages.append(Stage((), self.main_view.shape, readings))
        return stages

    def _views(self, stage: Stage) -> list[View]:
        views = affine_views(reading_order(stage.readings, self._is_leaf), self._is_stored)
        if stage.nodes:
            inner = stage.shape[self.rank :]
            positions = (0,) * self.rank + contiguous_strides(inner)
            views += [
                View(stage.shape, positions)
                for node in stage.nodes
                if isinstance(node.op, Reduction) and node.op.with_index
            ]
        return views

    def _merge(self) -> list[tuple[int, ...]]:
        """Merge axes and fill in the inner axes of every stage; return the outer ones."""
        outer_views = []
        stages = []
        for stage in self.stages:
            views = self._views(stage)
            if not stage.nodes:
                views.append(self.store_view)
            outer_views += views
            inner = merge_axes(stage.shape, range(self.rank, len(stage.shape)), views)
            stages.append(Stage(stage.nodes, stage.shape, stage.readings, tuple(inner)))
        if self.root_reduces:
            outer_views.append(View.contiguous(self.outer_shape))
        self.stages = stages
        self._all_views = outer_views
        outer = merge_axes(self.outer_shape, range(self.rank), outer_views)
        return outer if self.target.grid_lanes else self._long_axis_last(outer)

    def _long_axis_last(self, outer: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Give vector lanes the longest axis when the last one is too short to fill a vector."""
        lengths = [self._extent(self.outer_shape, members) for members in outer]
        if not outer or lengths[-1] >= SHORT_AXIS or max(lengths) < 2 * SHORT_AXIS:
            return outer
        longest = lengths.index(max(lengths))
        return [*outer[:longest], *outer[longest + 1 :], outer[longest]]

    def _lanes_inside(self) -> bool:
        """Tell whether lanes run along rows (True) or across outer items."""
        lengths = [
            self._extent(stage.shape, stage.inner[-1]) for stage in self.stages if stage.inner
        ]
        if not lengths:
            return False
        longest = max(lengths)
        if not self.outer:
            return True
        across = self._extent(self.outer_shape, self.outer[-1])
        inside = outside = 0
        for view in self._all_views:
            if len(view.shape) == self.rank:
                continue
            inside += any(
                stage.inner and stage.shape == view.shape and view.strides[stage.inner[-1][-1]] == 1
                for stage in self.stages
            )
            outside += view.strides[self.outer[-1][-1]] == 1
        if self.target.grid_lanes:
            return longest >= self.target.lanes and inside >= outside
        if longest < SHORT_ROW <= across:
            return False
        return inside >= outside

    @staticmethod
    def _extent(shape: Shape, members: tuple[int, ...]) -> int:
        return prod(shape[axis] for axis in members)

    # -- writing ----------------------------------------------------------------------------------

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        if prod(self.outer_shape) == 0:
            return []
        if self._should_split():
            return self._split()
        builder = KernelBuilder()
        expressions = Expressions(builder, self._is_stored, {})
        if self._lanes_inside():
            return [self._rows(builder, expressions)]
        return [self._columns(builder, expressions)]

    def _work(self) -> int:
        """Return a rough number of nanoseconds for one outer item."""
        total = 0
        for stage in self.stages:
            order = reading_order(stage.readings, self._is_leaf)
            total += prod(stage.shape[self.rank :]) * (len(order) + 1)
        return max(total // 4, 1)

    def _outer_axes(self, builder: KernelBuilder) -> list[tuple[Variable, Value, int]]:
        axes = []
        for members in self.outer:
            extent = self._extent(self.outer_shape, members)
            axes.append((Variable("o"), builder.size(extent, "extent"), extent))
        return axes

    def _rows(self, builder: KernelBuilder, expressions: Expressions) -> Step:
        """Lanes along rows: every outer axis is in the grid."""
        axes = self._outer_axes(builder)
        variables = tuple(variable_value(variable) for variable, _, _ in axes)
        body = self._stages(builder, expressions, variables, lanes=True)
        return builder.finish(tuple(axes), tuple(body), self._work(), self.root)

    def _columns(self, builder: KernelBuilder, expressions: Expressions) -> Step:
        """Lanes across outer items; on a GPU every item is an invocation of its own."""
        axes = self._outer_axes(builder)
        if self.target.grid_lanes or not axes:
            variables = tuple(variable_value(variable) for variable, _, _ in axes)
            body = self._stages(builder, expressions, variables, lanes=False)
            return builder.finish(tuple(axes), tuple(body), self._work(), self.root)
        has_rows = any(stage.inner for stage in self.stages)
        crossing = None if has_rows else self._crossing_axis()
        if crossing is not None:
            return self._tiles(builder, expressions, axes, crossing)
        variable, extent, count = axes.pop()
        length = COLUMN_BLOCK if has_rows else _block_length(self.target, count, axes)
        block = Variable("block")
        size = builder.size(length, "block")
        start = variable_value(block) * size
        blocks = -(-count // length)
        variables = tuple(variable_value(each) for each, _, _ in axes) + (variable_value(variable),)
        body = self._stages(builder, expressions, variables, lanes=False)
        lanes = Loop(variable, start, minimum(start + size, extent), LoopKind.LANES, tuple(body))
        grid = (*axes, (block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(grid, (lanes,), self._work() * length, self.root)

    def _crossing_axis(self) -> int | None:
        """Return the outer axis some operand runs along where the others run along the last one.

        Reading it for a whole row of the last axis would touch a new cache line per element.
        """
        last = self.outer[-1][-1]
        for place, members in enumerate(self.outer[:-1]):
            axis = members[-1]
            if self._extent(self.outer_shape, members) < SHORT_AXIS:
                continue
            if any(
                view.strides[axis] == 1 and abs(view.strides[last]) > TILE
                for view in self._all_views
            ):
                return place
        return None

    def _tiles(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        axes: list[tuple[Variable, Value, int]],
        crossing: int,
    ) -> Step:
        """Go over two axes in square tiles that stay in the cache (a transposed copy)."""
        variables = tuple(variable_value(variable) for variable, _, _ in axes)
        body = tuple(self._stages(builder, expressions, variables, lanes=False))
        size = builder.size(TILE, "tile")
        grid = list(axes)
        for place, kind in ((crossing, LoopKind.SERIAL), (len(axes) - 1, LoopKind.LANES)):
            variable, extent, count = axes[place]
            block = Variable("block")
            start = variable_value(block) * size
            body = (Loop(variable, start, minimum(start + size, extent), kind, body),)
            blocks = -(-count // TILE)
            grid[place] = (block, builder.size(blocks, "blocks"), blocks)
        return builder.finish(tuple(grid), body, self._work() * TILE * TILE, self.root)

    def _stages(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        variables: tuple[Value, ...],
        lanes: bool,
    ) -> list[Statement]:
        body: list[Statement] = []
        for stage in self.stages:
            frame, axes = self._inner_frame(builder, stage, variables)
            if stage.nodes:
                body += self._fold_stage(expressions, stage, frame, axes, lanes)
            else:
                body += self._store_stage(builder, expressions, stage, frame, axes, lanes)
        if self.root_reduces:
            place = View.contiguous(self.outer_shape)
            frame = Frame(tuple(self.outer), variables)
            output = builder.writable(self.root, self.root.dtype)
            at = expressions.position(place, frame)
            body.append(Store(output, at, expressions.results[self.root]))
        return body

    def _inner_frame(
        self, builder: KernelBuilder, stage: Stage, variables: tuple[Value, ...]
    ) -> tuple[Frame, list[LoopAxis]]:
        axes = []
        for members in stage.inner:
            extent = self._extent(stage.shape, members)
            axes.append(LoopAxis(Variable("i"), index(0), builder.size(extent, "extent")))
        inner = tuple(variable_value(axis.variable) for axis in axes)
        return Frame((*self.outer, *stage.inner), variables + inner), axes

    def _foldings(self, expressions: Expressions, stage: Stage, frame: Frame) -> list[Folding]:
        foldings = []
        for node, (source, view) in zip(stage.nodes, stage.readings, strict=True):
            op = node.op
            assert isinstance(op, Reduction)
            carried = accumulator_dtypes(op, source.dtype)
            elements = [expressions.value(source, view, frame).cast(carried[0])]
            if op.with_index:
                inner = stage.shape[self.rank :]
                strides = (0,) * self.rank + contiguous_strides(inner)
                place = expressions.position(View(stage.shape, strides), frame)
                elements.append(place.cast(carried[1]))
            foldings.append(Folding(op, source.dtype, tuple(elements)))
        return foldings

    def _fold_stage(
        self,
        expressions: Expressions,
        stage: Stage,
        frame: Frame,
        axes: Sequence[LoopAxis],
        lanes: bool,
    ) -> list[Statement]:
        foldings = self._foldings(expressions, stage, frame)
        statements, results = fold_nest(foldings, axes, lanes)
        for node, carried in zip(stage.nodes, results, strict=True):
            expressions.results[node] = result_value(node, carried)
        return statements

    def _store_stage(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        stage: Stage,
        frame: Frame,
        axes: Sequence[LoopAxis],
        lanes: bool,
    ) -> list[Statement]:
        value = expressions.value(self.value_node, self.main_view, frame)
        extra = []
        for node in self.group.extra:
            memory = builder.writable(node, node.dtype)
            place = expressions.position(self.main_view, frame)
            each = expressions.value(node, self.main_view, frame)
            extra.append(Store(memory, place, each))
        output = builder.writable(self.root, self.root.dtype, self.store_view.offset)
        at = expressions.position(self.store_view, frame)
        body: tuple[Statement, ...] = (*extra, Store(output, at, value))
        kind = LoopKind.LANES if lanes else LoopKind.SERIAL
        for axis in reversed(axes):
            body = (Loop(axis.variable, axis.start, axis.stop, kind, body),)
            kind = LoopKind.SERIAL
        return list(body)

    # -- long rows --------------------------------------------------------------------------------

    def _should_split(self) -> bool:
        return (
            self.root_reduces
            and len(self.reductions) == 1
            and prod(self.outer_shape) < SPLIT_OUTER
            and sources.reduced_extent(self.root) >= SPLIT_ELEMENTS
        )

    def _split(self) -> list[Step]:
        """Fold chunks of long rows to partial results first, then those to the result.

        The chunk length depends on the shape only, so the result does not depend on the device's
        number of threads.
        """
        stage = self.stages[0]
        op = self.root.op
        assert isinstance(op, Reduction)
        first = self._extent(stage.shape, stage.inner[0])
        rest = sources.reduced_extent(self.root) // first
        length = max(1, -(-CHUNK_ELEMENTS // rest))
        chunks = -(-first // length)
        rows = prod(self.outer_shape)
        types = accumulator_dtypes(op, stage.readings[0][0].dtype)
        partial = [Scratch(rows * chunks * dtype.itemsize) for dtype in types]

        builder = KernelBuilder()
        expressions = Expressions(builder, self._is_stored, {})
        axes = self._outer_axes(builder)
        chunk = Variable("chunk")
        size = builder.size(length, "chunk")
        variables = tuple(variable_value(variable) for variable, _, _ in axes)
        frame, inner = self._inner_frame(builder, stage, variables)
        start = variable_value(chunk) * size
        inner[0] = LoopAxis(inner[0].variable, start, minimum(start + size, inner[0].stop))
        foldings = self._foldings(expressions, stage, frame)
        body, results = fold_nest(foldings, inner, lanes=True)
        place = View.contiguous(self.outer_shape)
        row = expressions.position(place, Frame(tuple(self.outer), variables))
        count = builder.size(chunks, "chunks")
        at = row * count + variable_value(chunk)
        for scratch, value in zip(partial, results[0], strict=True):
            body.append(Store(builder.writable(scratch, value.dtype), at, value))
        grid = (*axes, (chunk, count, chunks))
        cost = max(self._work() // chunks, 1)
        first_step = builder.finish(grid, tuple(body), cost, self.root)
        return [first_step, self._fold_partials(partial, rows, chunks)]

    def _fold_partials(self, partial: list[Scratch], rows: int, chunks: int) -> Step:
        op = self.root.op
        assert isinstance(op, Reduction)
        source_dtype = self.root.sources[0].dtype
        builder = KernelBuilder()
        row, column = Variable("row"), Variable("chunk")
        count = builder.size(chunks, "chunks")
        at = variable_value(row) * count + variable_value(column)
        elements = tuple(
            load(builder.readable(scratch, dtype), at)
            for scratch, dtype in zip(partial, accumulator_dtypes(op, source_dtype), strict=True)
        )
        axis = LoopAxis(column, index(0), count)
        body, results = fold_nest([Folding(op, source_dtype, elements)], [axis], lanes=True)
        output = builder.writable(self.root, self.root.dtype)
        body.append(Store(output, variable_value(row), result_value(self.root, results[0])))
        grid = ((row, builder.size(rows, "rows"), rows),)
        return builder.finish(grid, tuple(body), chunks, self.root)


def _block_length(target: Target, count: int, others: Sequence[tuple[Variable, Value, int]]) -> int:
    """Return how many elements one grid item takes: fewer when there are few items in all."""
    total = count * prod(extent for _, _, extent in others)
    length = target.block
    while length > 256 and total < 8 * length:
        length //= 2
    return length


def lower_loop(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a loop group."""
    return LoopLowering(group, is_stored, target).lower()
