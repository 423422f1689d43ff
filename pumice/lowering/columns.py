"""Folds down the columns of a row-major tensor (the gradient of a bias, ``sum(0)``).

Folding one group of columns after the other would jump a whole row for each vector it reads.
Instead a block of results stays in the cache and takes in one row after the other, so memory is
read in the order it lies::

    for column in block: out[column] = 0
    for row in rows:
      for column in block: out[column] = out[column] + x[row, column]
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

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
from pumice.lowering.expression import Expressions, Frame, reading_order
from pumice.lowering.folds import Folding, LoopAxis, accumulator_dtypes, follow
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.stages import Stage
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.together import MOST_OPERATIONS, MOST_TOGETHER, TogetherLowering
from pumice.ops.definition import Reduction
from pumice.ops.view import View
from pumice.schedule import sources
from pumice.sizes import called

FEWEST_ROWS = 32
SHORTEST_BLOCK = 64
LONGEST_BLOCK = 1024
WANTED_BLOCKS = 8


class ColumnLowering(TogetherLowering):
    """Lowers a reduction group, row by row when that follows the memory."""

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        if self.root.numel and self._follows_rows():
            return [self._row_by_row()]
        return super().lower()

    def _follows_rows(self) -> bool:
        if self.target.grid_lanes or not self.root_reduces or len(self.stages) != 1:
            return False
        place, side = View.contiguous(self.outer_shape), self.side_results()
        if any(side.get(node) != place or not _fits_result(node) for node in self.reductions):
            return False
        if not self.outer or self._lanes_inside():
            return False
        last = self.outer[-1]
        return (
            self._extent(self.outer_shape, last) >= SHORTEST_BLOCK
            and sources.reduced_extent(self.root) >= FEWEST_ROWS
        )

    def columns_together(self, stage: Stage) -> int:
        """Return how many rows are taken in at a time: more streams of memory, fewer stores."""
        operations = len(reading_order(stage.readings, self._is_leaf)) + len(stage.nodes)
        together = MOST_TOGETHER
        while together > 1 and (
            together * operations > MOST_OPERATIONS
            or self._extent(stage.shape, stage.inner[-1]) < together
        ):
            together //= 2
        return together

    def _row_by_row(self) -> Step:
        (stage,) = self.stages
        builder = KernelBuilder()
        expressions = Expressions(builder, self._is_stored, {})
        axes = self._outer_axes(builder)
        variable, extent, count = axes.pop()
        others = prod(number for _, _, number in axes)
        length = called(_clipped, count * others // WANTED_BLOCKS, least=SHORTEST_BLOCK)
        block = Variable("block")
        size = builder.size(length, "block")
        start = variable_value(block) * size
        stop = minimum(start + size, extent)
        outer = tuple(variable_value(each) for each, _, _ in axes)
        running = [_running(builder, node) for node in stage.nodes]

        def over_columns(
            each: Variable, write: Callable[[Value], tuple[Statement, ...]]
        ) -> Statement:
            frame = Frame(tuple(self.outer), (*outer, variable_value(each)))
            at = expressions.position(View.contiguous(self.outer_shape), frame)
            return Loop(each, start, stop, LoopKind.LANES, write(at))

        frame, inner = self._inner_frame(builder, stage, (*outer, variable_value(variable)))
        foldings = self._foldings(expressions, stage, frame)

        def clear(at: Value) -> tuple[Statement, ...]:
            return _stores(running, [folding.starts for folding in foldings], at)

        def over_rows(axis: LoopAxis, together: int) -> Statement:
            """Take in rows one or some at a time, those of an axis that fill such groups."""
            at = variable_value(axis.variable)
            rows = []
            for number in range(together):
                position = at * index(together) + number if together > 1 else at
                own = Frame(frame.members, (*frame.variables[:-1], position))
                rows.append(self._foldings(expressions, stage, own))
            body = over_columns(variable, partial(_take_in, running, rows))
            return Loop(axis.variable, axis.start, axis.stop, LoopKind.SERIAL, (body,))

        body = self._all_rows(builder, stage, inner, over_rows)
        statements = [over_columns(Variable("o"), clear), *body]
        for node, own in zip(stage.nodes, running, strict=True):
            if _reduction(node).with_index:
                output = builder.writable(node, node.dtype)
                statements.append(over_columns(Variable("o"), partial(_place, output, own[1])))
        blocks = -(-count // length)
        grid = (*axes, (block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(grid, tuple(statements), self._work() * length, self.root)

    def _all_rows(
        self,
        builder: KernelBuilder,
        stage: Stage,
        inner: Sequence[LoopAxis],
        over_rows: Callable[[LoopAxis, int], Statement],
    ) -> tuple[Statement, ...]:
        """Return the loops over what is folded: groups of rows, then those left over."""
        *around, axis = inner
        together = self.columns_together(stage)
        body: tuple[Statement, ...] = ()
        if together > 1:
            groups = builder.size(self._extent(stage.shape, stage.inner[-1]) // together, "groups")
            body = (over_rows(LoopAxis(Variable("group"), index(0), groups), together),)
            axis = LoopAxis(axis.variable, groups * index(together), axis.stop)
        body = (*body, over_rows(axis, 1))
        for axis in reversed(around):
            body = (Loop(axis.variable, axis.start, axis.stop, LoopKind.SERIAL, body),)
        return body


def _take_in(
    running: Sequence[Sequence[Parameter]], rows: Sequence[Sequence[Folding]], at: Value
) -> tuple[Statement, ...]:
    """Combine running results with what some rows hold, one row after the other."""
    before = [tuple(load(buffer, at) for buffer in own) for own in running]
    after = before
    for row in rows:
        after = [
            follow(folding.op)(old, folding.elements)
            for folding, old in zip(row, after, strict=True)
        ]
    lets = [Let(value) for old in before for value in old]
    return (*lets, *_stores(running, after, at))


def _clipped(length: int) -> int:
    return min(LONGEST_BLOCK, max(SHORTEST_BLOCK, length))


def _reduction(node: Node) -> Reduction:
    assert isinstance(node.op, Reduction)
    return node.op


def _fits_result(node: Node) -> bool:
    """Tell whether the running value fits the memory of the result, or has its own."""
    op = _reduction(node)
    return op.with_index or op.accumulator(node.sources[0].dtype) is node.dtype


def _running(builder: KernelBuilder, node: Node) -> list[Parameter]:
    """Return the memory of running results: the output's own unless places are sought."""
    op = _reduction(node)
    if not op.with_index:
        return [builder.writable(node, node.dtype)]
    carried = accumulator_dtypes(op, node.sources[0].dtype, sources.reduced_extent(node))
    count = node.numel
    return [builder.writable(Scratch(count * dtype.itemsize), dtype) for dtype in carried]


def _stores(
    running: Sequence[Sequence[Parameter]], values: Sequence[tuple[Value, ...]], at: Value
) -> tuple[Statement, ...]:
    return tuple(
        Store(buffer, at, value)
        for own, new in zip(running, values, strict=True)
        for buffer, value in zip(own, new, strict=True)
    )


def _place(output: Parameter, found: Parameter, at: Value) -> tuple[Statement, ...]:
    return (Store(output, at, load(found, at).cast(output.dtype)),)
