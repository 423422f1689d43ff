"""Reductions with a few results that read the same elements: weight gradients of depthwise kernels.

Some short outer axes (the taps of a window) move one operand only. One pass then folds all of
their results, so that the other operand is read once, and lanes run along the rows while the loops
over rows are inside, so that lanes are added up only once::

    lanes x:
      for y: total0 += g[y, x] * image[y, x]; total1 += g[y, x] * image[y, x + 1]; ...
    out[0] = sum of lanes of total0; ...
"""

from itertools import product
from math import prod

from pumice.kernel.ir import Statement, Store, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.columns import ColumnLowering
from pumice.lowering.expression import Expressions, Frame
from pumice.lowering.folds import Folding, LoopAxis, fold_nest, result_value
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Step
from pumice.ops.definition import Reduction

MOST_TAPS = 25
MOST_TAPS_OF_AXIS = 9
FEWEST_ITEMS = 8
SHORTEST_ROW = 4


class SharedTapLowering(ColumnLowering):
    """Lowers a reduction group, the results of short axes together where they share operands."""

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        taps = [] if self.target.grid_lanes else self.shared_axes()
        return [self._together(taps)] if taps else super().lower()

    def shared_axes(self) -> list[int]:
        """Return the places of the outer axes whose results are folded together."""
        if not self.root_reduces or len(self.stages) != 1:
            return []
        (stage,) = self.stages
        ops = [node.op for node in stage.nodes]
        if not stage.inner or any(isinstance(op, Reduction) and op.with_index for op in ops):
            return []
        inner = [axis for members in stage.inner for axis in members]
        read = [view for view in self._all_views if len(view.shape) == len(stage.shape)]
        read = [view for view in read if any(view.strides[axis] for axis in inner)]
        last = stage.inner[-1][-1]
        if not read or any(view.strides[last] not in (0, 1, 2) for view in read):
            return []
        if self._extent(stage.shape, stage.inner[-1]) < SHORTEST_ROW:
            return []
        taps: list[int] = []
        count = 1
        for place, members in enumerate(self.outer):
            extent = self._extent(self.outer_shape, members)
            moves = [view.strides[members[-1]] != 0 for view in read]
            short = 1 < extent <= MOST_TAPS_OF_AXIS and count * extent <= MOST_TAPS
            if short and any(moves) and not all(moves):
                taps.append(place)
                count *= extent
        items = prod(self.outer_shape) // count
        return taps if items >= FEWEST_ITEMS else []

    def _together(self, taps: list[int]) -> Step:
        (stage,) = self.stages
        builder = KernelBuilder()
        axes = self._outer_axes(builder)
        extents = [axes[place][2] for place in taps]
        outer = [variable_value(variable) for variable, _, _ in axes]
        frame, inner = self._inner_frame(builder, stage, tuple(outer))
        position = frame.variables[len(outer) :]
        rows: list[tuple[Expressions, Frame]] = []
        foldings: list[Folding] = []
        for numbers in product(*map(range, extents)):
            for place, number in zip(taps, numbers, strict=True):
                outer[place] = index(number)
            row = Frame(frame.members, (*outer, *position))
            expressions = Expressions(builder, self._is_stored, {})
            rows.append((expressions, row))
            foldings += self._foldings(expressions, stage, row)
        statements, results = fold_nest(foldings, _lanes_first(inner), True, lanes_around=True)
        body: list[Statement] = [*statements]
        count = len(stage.nodes)
        for number, (own, _) in enumerate(rows):
            found = results[number * count : (number + 1) * count]
            for node, carried in zip(stage.nodes, found, strict=True):
                own.results[node] = result_value(node, carried)
        for node, view in self.side_results().items():
            output = builder.writable(node, node.dtype, view.offset)
            for own, row in rows:
                at = own.position(view, Frame(tuple(self.outer), row.variables[: len(outer)]))
                body.append(Store(output, at, own.results[node]))
        grid = tuple(axis for place, axis in enumerate(axes) if place not in taps)
        return builder.finish(grid, tuple(body), self._work() * prod(extents), self.root)


def _lanes_first(inner: list[LoopAxis]) -> list[LoopAxis]:
    return [inner[-1], *inner[:-1]]
