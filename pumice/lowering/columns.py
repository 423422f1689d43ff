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

from pumice.dtypes import int32
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Instruction,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame
from pumice.lowering.folds import accumulator_dtypes, combine, identities
from pumice.lowering.loops import LoopLowering, minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.ops.definition import Reduction
from pumice.ops.view import View
from pumice.schedule import sources

FEWEST_ROWS = 32
SHORTEST_BLOCK = 64
LONGEST_BLOCK = 1024
WANTED_BLOCKS = 8


class ColumnLowering(LoopLowering):
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

    def _row_by_row(self) -> Step:
        (stage,) = self.stages
        builder = KernelBuilder()
        expressions = Expressions(builder, self._is_stored, {})
        axes = self._outer_axes(builder)
        variable, extent, count = axes.pop()
        others = prod(number for _, _, number in axes)
        length = min(LONGEST_BLOCK, max(SHORTEST_BLOCK, count * others // WANTED_BLOCKS))
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

        def clear(at: Value) -> tuple[Statement, ...]:
            starts = [
                _narrowed(identities(_reduction(node), node.sources[0].dtype), own)
                for node, own in zip(stage.nodes, running, strict=True)
            ]
            return _stores(running, starts, at)

        frame, inner = self._inner_frame(builder, stage, (*outer, variable_value(variable)))
        foldings = self._foldings(expressions, stage, frame)

        def take_in(at: Value) -> tuple[Statement, ...]:
            before = [tuple(load(buffer, at) for buffer in own) for own in running]
            after = [
                combine(folding.op)(old, _narrowed(folding.elements, own))
                for folding, old, own in zip(foldings, before, running, strict=True)
            ]
            lets = [Let(value) for old in before for value in old]
            return (*lets, *_stores(running, after, at))

        body = over_columns(variable, take_in)
        for axis in reversed(inner):
            body = Loop(axis.variable, axis.start, axis.stop, LoopKind.SERIAL, (body,))
        statements = [over_columns(Variable("o"), clear), body]
        for node, own in zip(stage.nodes, running, strict=True):
            if _reduction(node).with_index:
                output = builder.writable(node, node.dtype)
                statements.append(over_columns(Variable("o"), partial(_place, output, own[1])))
        blocks = -(-count // length)
        grid = (*axes, (block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(grid, tuple(statements), self._work() * length, self.root)


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
    value, place = accumulator_dtypes(op, node.sources[0].dtype)
    if sources.reduced_extent(node) < 1 << 31:
        place = int32
    count = node.numel
    return [builder.writable(Scratch(count * dtype.itemsize), dtype) for dtype in (value, place)]


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


def _narrowed(values: tuple[Value, ...], running: list[Parameter]) -> tuple[Value, ...]:
    """Return values in the dtypes they are kept in; no place is beyond those."""
    limit = (1 << 31) - 1
    return tuple(
        constant(min(value.attribute, limit), buffer.dtype)
        if value.instruction is Instruction.CONSTANT and buffer.dtype is int32
        else value.cast(buffer.dtype)
        for value, buffer in zip(values, running, strict=True)
    )
