"""Rows folded together, so that memory is read in several places at once.

One stream of loads leaves most of a core's requests to memory unused. A grid item folds a few
rows in one loop, each with carries of its own; the results are those of one row at a time::

    lanes i: total0 += x[row, i]; total1 += x[row + 1, i]; ...

The last item may fold its last row more than once.
"""

from collections.abc import Sequence
from math import prod

from pumice.kernel.ir import Statement, Store, Value, Variable, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame, reading_order
from pumice.lowering.folds import Folding, LoopAxis, accumulator_dtypes, fold_nest, result_value
from pumice.lowering.kept import kept_values
from pumice.lowering.loops import LoopLowering, minimum, variable_value
from pumice.lowering.stages import Stage
from pumice.lowering.steps import Step
from pumice.ops.definition import Reduction

MOST_TOGETHER = 8
CARRIED_BYTES = 1024
"""Registers that carries may take: half of those of a CPU with 512-bit vectors."""
MOST_OPERATIONS = 48
FEWEST_ITEMS = 8
FEWEST_ELEMENTS = 1 << 16
"""Less than this stays in the caches, and its code should be made quickly."""

Row = tuple[Expressions, Frame]


class TogetherLowering(LoopLowering):
    """Lowers loop groups, several rows of reductions at a time."""

    def _rows(self, builder: KernelBuilder, expressions: Expressions) -> Step:
        last = self._extent(self.outer_shape, self.outer[-1]) if self.outer else 1
        together = self.rows_together(last)
        if together == 1:
            return super()._rows(builder, expressions)
        axes = self._outer_axes(builder)
        _, extent_value, extent = axes.pop()
        block = Variable("block")
        first = variable_value(block) * index(together)
        outer = tuple(variable_value(variable) for variable, _, _ in axes)
        rows = [(*outer, minimum(first + number, extent_value - 1)) for number in range(together)]
        each = [Expressions(builder, self._is_stored, {}) for _ in rows]
        body: list[Statement] = []
        for stage in self.stages:
            frame, inner = self._inner_frame(builder, stage, rows[0])
            position = frame.variables[len(rows[0]) :]
            frames = [Frame(frame.members, (*row, *position)) for row in rows]
            statements, results = self.fold_rows(stage, list(zip(each, frames, strict=True)), inner)
            body += statements
            for own, found in zip(each, results, strict=True):
                for node, carried in zip(stage.nodes, found, strict=True):
                    own.results[node] = result_value(node, carried)
        for node, place in self.side_results().items():
            output = builder.writable(node, node.dtype, place.offset)
            for own, row in zip(each, rows, strict=True):
                at = own.position(place, Frame(tuple(self.outer), row))
                body.append(Store(output, at, own.results[node]))
        blocks = -(-extent // together)
        grid = (*axes, (block, builder.size(blocks, "blocks"), blocks))
        return builder.finish(grid, tuple(body), self._work() * together, self.root)

    def rows_together(self, extent: int) -> int:
        """Return how many rows an item folds, of those along an axis."""
        if self.target.grid_lanes or not self.root_reduces:
            return 1
        if not all(stage.nodes and stage.inner for stage in self.stages):
            return 1
        if sum(prod(stage.shape) for stage in self.stages) < FEWEST_ELEMENTS:
            return 1
        if kept_values(self.stages, self.rank, self._is_leaf).first:
            return 1
        carried = max(self._carried_bytes(stage) for stage in self.stages)
        operations = sum(len(reading_order(stage.readings, self._is_leaf)) for stage in self.stages)
        together = MOST_TOGETHER
        while together > 1 and (
            together * carried > CARRIED_BYTES
            or together * operations > MOST_OPERATIONS
            or extent < FEWEST_ITEMS * together
        ):
            together //= 2
        return together

    def fold_rows(
        self, stage: Stage, rows: Sequence[Row], inner: Sequence[LoopAxis]
    ) -> tuple[list[Statement], list[list[tuple[Value, ...]]]]:
        """Return the loops that fold a stage for some rows, and what each row gives."""
        foldings: list[Folding] = []
        for expressions, frame in rows:
            foldings += self._foldings(expressions, stage, frame)
        statements, results = fold_nest(foldings, inner, lanes=True)
        count = len(stage.nodes)
        each = [results[at : at + count] for at in range(0, len(results), count)]
        return statements, each

    def _carried_bytes(self, stage: Stage) -> int:
        size = 0
        for node in stage.nodes:
            op = node.op
            assert isinstance(op, Reduction)
            count = prod(stage.shape[self.rank :])
            carried = accumulator_dtypes(op, node.sources[0].dtype, count)
            size += sum(dtype.itemsize for dtype in carried)
        return self.target.lanes * size
