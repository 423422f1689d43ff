"""Reductions of few, long rows: chunks first, then what they gave."""

from collections.abc import Sequence
from math import prod

from pumice.kernel.ir import Store, Variable, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame, IsStored
from pumice.lowering.folds import LoopAxis, accumulator_dtypes
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_parts import WindowPartLowering
from pumice.ops.definition import Reduction
from pumice.ops.view import View
from pumice.schedule import sources
from pumice.schedule.items import Group
from pumice.target import Target

SPLIT_OUTER = 64
SPLIT_ELEMENTS = 1 << 16
CHUNK_ELEMENTS = 1 << 15


class LongRowLowering(WindowPartLowering):
    """Lowers a reduction group, in two passes when its rows are long and few."""

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        if prod(self.outer_shape) and self._should_split():
            return self._split()
        return super().lower()

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
        types = accumulator_dtypes(op, stage.readings[0][0].dtype, first * rest)
        partial = [Scratch(rows * chunks * dtype.itemsize) for dtype in types]
        together = self.rows_together(first // length)
        groups = chunks if together == 1 else first // length // together
        steps = [self._fold_chunks(partial, length, chunks, (0, groups), together)]
        if groups * together < chunks:
            left = (groups * together, chunks - groups * together)
            steps.append(self._fold_chunks(partial, length, chunks, left, 1))
        return [*steps, self.fold_partials(partial, types, rows, chunks)]

    def _fold_chunks(
        self,
        partial: Sequence[Scratch],
        length: int,
        chunks: int,
        items: tuple[int, int],
        together: int,
    ) -> Step:
        """Fold some chunks at a time, as many times; the first is given. All but one are whole."""
        (stage,) = self.stages
        first_item, number = items
        builder = KernelBuilder()
        axes = self._outer_axes(builder)
        group = Variable("chunk")
        size = builder.size(length, "chunk")
        variables = tuple(variable_value(variable) for variable, _, _ in axes)
        frame, inner = self._inner_frame(builder, stage, variables)
        chunk = variable_value(group) * index(together)
        if first_item:
            chunk = chunk + builder.size(first_item, "first")
        places = [chunk + offset if offset else chunk for offset in range(together)]
        position = variable_value(inner[0].variable)
        after = frame.variables[len(variables) + 1 :]
        table = [
            (
                Expressions(builder, self._is_stored, {}),
                Frame(frame.members, (*variables, place * size + position, *after)),
            )
            for place in places
        ]
        stop = size if together > 1 else minimum(size, inner[0].stop - chunk * size)
        inner[0] = LoopAxis(inner[0].variable, index(0), stop)
        body, results = self.fold_rows(stage, table, inner)
        outer = View.contiguous(self.outer_shape)
        row = table[0][0].position(outer, Frame(tuple(self.outer), variables))
        count = builder.size(chunks, "chunks")
        outputs = [
            builder.writable(scratch, value.dtype)
            for scratch, value in zip(partial, results[0][0], strict=True)
        ]
        for place, own in zip(places, results, strict=True):
            for output, value in zip(outputs, own[0], strict=True):
                body.append(Store(output, row * count + place, value))
        grid = (*axes, (group, builder.size(number, "chunks"), number))
        cost = max(self._work() // chunks, 1) * together
        return builder.finish(grid, tuple(body), cost, self.root)


def lower_loop(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a loop group."""
    return LongRowLowering(group, is_stored, target).lower()
