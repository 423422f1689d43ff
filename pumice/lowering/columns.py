"""Folds down the columns of a row-major tensor (the gradient of a bias, ``sum(0)``).

Folding one group of columns after the other would jump a whole row for each vector it reads.
Instead a block of results stays in the cache and takes in one row after the other, so memory is
read in the order it lies::

    for column in block: out[column] = 0
    for row in rows:
      for column in block: out[column] = out[column] + x[row, column]
"""

from math import prod

from pumice.kernel.ir import Let, Loop, LoopKind, Statement, Store, Variable, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame
from pumice.lowering.folds import combine, identities
from pumice.lowering.loops import LoopLowering, minimum, variable_value
from pumice.lowering.steps import Step
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
        op = self.root.op
        if self.target.grid_lanes or not self.root_reduces or len(self.reductions) != 1:
            return False
        assert isinstance(op, Reduction)
        source = self.root.sources[0]
        if op.with_index or op.accumulator(source.dtype) is not self.root.dtype:
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
        op = self.root.op
        assert isinstance(op, Reduction)
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
        output = builder.writable(self.root, self.root.dtype)
        place = View.contiguous(self.outer_shape)

        cleared = Variable("o")
        at = expressions.position(
            place, Frame(tuple(self.outer), (*outer, variable_value(cleared)))
        )
        (identity,) = identities(op, self.root.sources[0].dtype)
        clear = Loop(cleared, start, stop, LoopKind.LANES, (Store(output, at, identity),))

        variables = (*outer, variable_value(variable))
        frame, inner = self._inner_frame(builder, stage, variables)
        (folding,) = self._foldings(expressions, stage, frame)
        at = expressions.position(place, Frame(tuple(self.outer), variables))
        before = load(output, at)
        (after,) = combine(op)((before,), folding.elements)
        body: tuple[Statement, ...] = (Let(before), Store(output, at, after))
        body = (Loop(variable, start, stop, LoopKind.LANES, body),)
        for axis in reversed(inner):
            body = (Loop(axis.variable, axis.start, axis.stop, LoopKind.SERIAL, body),)
        blocks = -(-count // length)
        grid = (*axes, (block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(grid, (clear, *body), self._work() * length, self.root)
