"""Loop groups: elementwise results, reductions, and row programs that mix both.

A group runs its outer axes in the grid. For each outer item it runs one loop nest per stage of
fused reductions (softmax: the maximum, then the sum), then the loop nest that stores the result.
Vector lanes run along the innermost axis of the rows, or along the last outer axis when rows are
short or memory lies that way.
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import (
    INDEX,
    Instruction,
    Loop,
    LoopKind,
    Prefetch,
    Statement,
    Store,
    Value,
    Variable,
    index,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import (
    Expressions,
    Frame,
    reading_order,
)
from pumice.lowering.folds import (
    Folding,
    LoopAxis,
    accumulator_dtypes,
    fold_nest,
    result_value,
)
from pumice.lowering.kept import kept_values
from pumice.lowering.stages import LoopAnalysis, Stage
from pumice.lowering.steps import Step
from pumice.lowering.turned import Tile, crossing_readings, turn
from pumice.ops.definition import Reduction
from pumice.ops.view import View, contiguous_strides
from pumice.sizes import at_least, called
from pumice.target import Target

COLUMN_BLOCK = 64
STREAMED_BYTES = 8 << 20
MOST_AHEAD = 256 << 10
"""Bytes of a row that may be asked for while another one is worked on."""
WINDOW = 32
"""Elements up to which a reduction over several axes is written out."""


def variable_value(variable: Variable) -> Value:
    """Return the value of a loop variable."""
    return Value(Instruction.VARIABLE, INDEX, (), variable)


def multiply_added(left: Value, right: Value, total: Value) -> Value:
    """Return a sum with one more product; of floats it is rounded once."""
    if left.dtype.is_floating_point:
        return left.multiply_add(right, total)
    return left * right + total


def minimum(first: Value, second: Value) -> Value:
    """Return the smaller of two sizes."""
    return (first < second).select(first, second)


class LoopLowering(LoopAnalysis):
    """Lowers one loop group."""

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        if prod(self.outer_shape) == 0:
            return []
        builder = KernelBuilder()
        expressions = Expressions(builder, self._is_stored, {})
        if self._lanes_inside():
            return [self._rows(builder, expressions)]
        return [self._columns(builder, expressions)]

    def _streams(self, node: Node) -> bool:
        """Tell whether what is stored would only push other data out of the caches."""
        return not self.target.grid_lanes and node.numel * node.dtype.itemsize >= STREAMED_BYTES

    def _work(self) -> int:
        """Return a rough number of nanoseconds for one outer item."""
        total = 0
        for stage in self.stages:
            order = reading_order(stage.readings, self._is_leaf)
            total += prod(stage.shape[self.rank :]) * (len(order) + 1)
        return at_least(1, total // 4)

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

    def _tiles(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        axes: list[tuple[Variable, Value, int]],
        crossing: int,
    ) -> Step:
        """Go over two axes in square tiles that stay in the cache (a transposed copy)."""
        variables = tuple(variable_value(variable) for variable, _, _ in axes)
        grid = list(axes)
        bounds: dict[int, tuple[Value, Value]] = {}
        last = len(axes) - 1
        depth, columns = self._tile_extents()
        for place, length in ((crossing, depth), (last, columns)):
            _, extent, count = axes[place]
            block, size = Variable("block"), builder.size(length, "tile")
            start = variable_value(block) * size
            bounds[place] = (start, minimum(start + size, extent))
            blocks = -(-count // length)
            grid[place] = (block, builder.size(blocks, "blocks"), blocks)
        before: list[Statement] = []

        def provide(stage: Stage, frame: Frame) -> None:
            tile = Tile(
                depth,
                columns,
                crossing,
                last,
                starts=(bounds[crossing][0], bounds[last][0]),
                counts=(
                    bounds[crossing][1] - bounds[crossing][0],
                    bounds[last][1] - bounds[last][0],
                ),
                whole=axes[last][2] % columns == 0,
            )
            stored = [
                each
                for each in reading_order(stage.readings, self._is_leaf)
                if self._is_stored(each[0])
            ]
            crossed = crossing_readings(stored, tile, frame)
            before.extend(turn(builder, expressions, crossed, tile, frame))

        body = tuple(self._stages(builder, expressions, variables, False, provide))
        for place, kind in ((last, LoopKind.LANES), (crossing, LoopKind.SERIAL)):
            body = (Loop(axes[place][0], *bounds[place], kind, body),)
        return builder.finish(
            tuple(grid), (*before, *body), self._work() * depth * columns, self.root
        )

    def _stages(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        variables: tuple[Value, ...],
        lanes: bool,
        provide: Callable[[Stage, Frame], None] = lambda stage, frame: None,
    ) -> list[Statement]:
        body: list[Statement] = []
        keeps = lanes and not self.target.grid_lanes
        kept = kept_values(self.stages if keeps else (), self.rank, self._is_leaf)
        for number, stage in enumerate(self.stages):
            frame, axes = self._inner_frame(builder, stage, variables)
            kept.load_known(expressions, stage, frame)
            provide(stage, frame)
            ahead: tuple[Statement, ...] = ()
            if keeps and number == 1:
                ahead = tuple(self._ahead(builder, expressions, frame))
            if stage.nodes:
                stores = (*ahead, *kept.stores(builder, expressions, stage, frame))
                body += self._fold_stage(expressions, stage, frame, axes, lanes, stores)
            else:
                body += self._store_stage(builder, expressions, stage, frame, axes, lanes, ahead)
        frame = Frame(tuple(self.outer), variables)
        for node, place in self.side_results().items():
            output = builder.writable(node, node.dtype, place.offset)
            at = expressions.position(place, frame)
            body.append(Store(output, at, expressions.results[node]))
        return body

    def _ahead(
        self, builder: KernelBuilder, expressions: Expressions, frame: Frame
    ) -> Iterator[Prefetch]:
        """Ask for the next row while a row, which the first stage has read, is computed with."""
        first, second, *_ = self.stages
        if not self.outer or first.shape != second.shape or not first.inner:
            return
        last, inner = len(self.outer) - 1, first.inner[-1][-1]
        following = list(frame.variables)
        following[last] = following[last] + 1
        below = Frame(frame.members, tuple(following))
        axis = self.outer[last][-1]
        for node, view in reading_order(first.readings, self._is_leaf):
            if not self._is_stored(node) or view.shape != first.shape:
                continue
            nbytes = prod(first.shape[self.rank :]) * node.dtype.itemsize
            if not self._streams(node) or nbytes > MOST_AHEAD:
                continue
            if view.strides[inner] == 1 and view.strides[axis]:
                buffer = builder.readable(node, node.dtype, view.offset)
                yield Prefetch(buffer, expressions.position(view, below))

    def _inner_frame(
        self, builder: KernelBuilder, stage: Stage, variables: tuple[Value, ...]
    ) -> tuple[Frame, list[LoopAxis]]:
        axes = []
        extents = [self._extent(stage.shape, members) for members in stage.inner]
        window = not self.target.grid_lanes and len(extents) > 1 and prod(extents) <= WINDOW
        for extent in extents:
            # The loops over a small window are written out, so its size is part of the kernel.
            stop = index(extent) if window else builder.size(extent, "extent")
            axes.append(LoopAxis(Variable("i"), index(0), stop))
        inner = tuple(variable_value(axis.variable) for axis in axes)
        return Frame((*self.outer, *stage.inner), variables + inner), axes

    def _foldings(self, expressions: Expressions, stage: Stage, frame: Frame) -> list[Folding]:
        foldings = []
        for node, (source, view) in zip(stage.nodes, stage.readings, strict=True):
            op = node.op
            assert isinstance(op, Reduction)
            count = prod(stage.shape[self.rank :])
            carried = accumulator_dtypes(op, source.dtype, count)
            elements = [expressions.value(source, view, frame).cast(carried[0])]
            if op.with_index:
                inner = stage.shape[self.rank :]
                strides = (0,) * self.rank + contiguous_strides(inner)
                place = expressions.position(View(stage.shape, strides), frame)
                elements.append(place.cast(carried[1]))
            foldings.append(Folding(op, tuple(elements)))
        return foldings

    def _fold_stage(
        self,
        expressions: Expressions,
        stage: Stage,
        frame: Frame,
        axes: Sequence[LoopAxis],
        lanes: bool,
        stores: tuple[Statement, ...],
    ) -> list[Statement]:
        foldings = self._foldings(expressions, stage, frame)
        statements, results = fold_nest(foldings, axes, lanes, stores)
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
        ahead: tuple[Statement, ...],
    ) -> list[Statement]:
        value = expressions.value(self.value_node, self.main_view, frame)
        extra = []
        for node in self.group.extra:
            memory = builder.writable(node, node.dtype)
            place = expressions.position(self.main_view, frame)
            each = expressions.value(node, self.main_view, frame)
            extra.append(Store(memory, place, each, streamed=self._streams(node)))
        output = builder.writable(self.root, self.root.dtype, self.store_view.offset)
        at = expressions.position(self.store_view, frame)
        store = Store(output, at, value, streamed=self._streams(self.value_node))
        body: tuple[Statement, ...] = (*ahead, *extra, store)
        kind = LoopKind.LANES if lanes else LoopKind.SERIAL
        for axis in reversed(axes):
            body = (Loop(axis.variable, axis.start, axis.stop, kind, body),)
            kind = LoopKind.SERIAL
        return list(body)


def _block_length(target: Target, count: int, others: Sequence[tuple[Variable, Value, int]]) -> int:
    """Return how many elements one grid item takes: fewer when there are few items in all."""
    return called(_shortened, target.block, count * prod(extent for _, _, extent in others))


def _shortened(length: int, total: int) -> int:
    while length > 256 and total < 8 * length:
        length //= 2
    return length
