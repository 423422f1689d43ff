"""Weight gradients of depthwise kernels on GPUs: all taps in one pass, a few images at a time.

Some short outer axes (the taps of a window) move one operand only (`shared_taps`). A workgroup
folds
all of their results for one channel and some images, its lanes along the places of an image, so
that both operands are read once; a second launch adds up what the groups of images gave::

    for channel, group of images:
      lanes p: (y, x) = place p
        for n in group:
          total0 += g[n, y, x] * image[n, y, x]; total1 += g[n, y, x] * image[n, y, x + 1]; ...
      partial[0, group] = sum of lanes of total0; ...
    out[tap] = sum over groups of partial[tap, group]

Processors that run shaders have no use for so many lanes, and keep an item for each result.
"""

from collections.abc import Sequence
from itertools import product
from math import prod
from operator import index as as_number

from pumice.dtypes import DType
from pumice.kernel.ir import Statement, Store, Value, Variable, index, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.folds import Folding, LoopAxis, accumulator_dtypes, fold_nest, result_value
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_items import TapExpressions, TapFrame, WindowItemLowering
from pumice.ops.definition import Reduction
from pumice.ops.view import View

PLACES = 4096
"""Places that a workgroup takes at least, if there are so many: 64 for each of its lanes."""
CARRY_BYTES = 8
"""What a carry of a lane is counted as in shared memory."""


class WindowPartLowering(WindowItemLowering):
    """Lowers a reduction group on a GPU, the results of short axes together."""

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        taps = self.shared_axes() if self._has_parts() else []
        if not taps:
            return super().lower()
        stage = self.stages[0]
        images, *places = (self._extent(stage.shape, members) for members in stage.inner)
        together = -(-PLACES // prod(places))
        groups = -(-images // together)
        op = self.root.op
        assert isinstance(op, Reduction)
        rows = prod(self.outer_shape)
        types = accumulator_dtypes(op, stage.readings[0][0].dtype, images * prod(places))
        partial = [Scratch(rows * groups * dtype.itemsize) for dtype in types]
        parts = self._fold_parts(partial, taps, together, groups)
        return [parts, self.fold_partials(partial, types, rows, groups)]

    def _has_parts(self) -> bool:
        """Tell whether there is one reduction over several axes, worth sharing among lanes."""
        if not self.target.grid_lanes or self.target.is_software:
            return False
        if len(self.reductions) != 1 or not self.root_reduces or len(self.stages) != 1:
            return False
        stage = self.stages[0]
        return len(stage.inner) > 1 and prod(stage.shape) > 0 and not _has_place(self.root.op)

    def shared_axes(self) -> list[int]:
        """Return the places of the outer axes whose results are folded together."""
        taps = super().shared_axes()
        count = prod(self._extent(self.outer_shape, self.outer[place]) for place in taps)
        room = self.target.shared_bytes // (self.target.lanes * CARRY_BYTES)
        return taps if not self.target.grid_lanes or count <= room else []

    def _fold_parts(
        self, partial: Sequence[Scratch], taps: Sequence[int], together: int, groups: int
    ) -> Step:
        """Return the launch that folds groups of images, all taps of a channel at a time."""
        (stage,) = self.stages
        builder = KernelBuilder()
        axes = self._outer_axes(builder)
        extents = [as_number(axes[place][2]) for place in taps]
        group, count = Variable("group"), builder.size(together, "together")
        image, place = Variable("image"), Variable("place")
        number = self._extent(stage.shape, stage.inner[0])
        begin = variable_value(group) * count
        left = builder.size(number, "images") - begin
        sizes = [self._extent(stage.shape, members) for members in stage.inner[1:]]
        inner = [begin + variable_value(image), *_unravelled(builder, variable_value(place), sizes)]
        loops = [
            LoopAxis(place, index(0), builder.size(prod(sizes), "places")),
            LoopAxis(image, index(0), minimum(count, left)),
        ]
        base = [variable_value(variable) for variable, _, _ in axes]
        for at in taps:
            base[at] = index(0)
        shared: dict[tuple[int, str], Value] = {}
        foldings: list[Folding] = []
        rows: list[Value] = []
        for numbers in product(*map(range, extents)):
            steps = [0] * len(base)
            for at, step in zip(taps, numbers, strict=True):
                steps[at] = step
            expressions = TapExpressions(builder, self._is_stored, shared)
            members = (*self.outer, *stage.inner)
            frame = TapFrame(members, (*base, *inner), (*steps, *(0 for _ in inner)))
            foldings += self._foldings(expressions, stage, frame)
            own = TapFrame(tuple(self.outer), tuple(base), tuple(steps))
            rows.append(expressions.position(View.contiguous(self.outer_shape), own))
        body, results = fold_nest(foldings, loops, True, lanes_around=True)
        many = builder.size(groups, "groups")
        outputs = [
            builder.writable(scratch, value.dtype)
            for scratch, value in zip(partial, results[0], strict=True)
        ]
        stores: list[Statement] = [
            Store(output, row * many + variable_value(group), value)
            for row, carried in zip(rows, results, strict=True)
            for output, value in zip(outputs, carried, strict=True)
        ]
        grid = tuple(axis for at, axis in enumerate(axes) if at not in taps)
        cost = max(self._work() // groups, 1) * prod(extents)
        return builder.finish((*grid, (group, many, groups)), (*body, *stores), cost, self.root)

    def fold_partials(
        self, partial: Sequence[Scratch], types: Sequence[DType], rows: int, chunks: int
    ) -> Step:
        """Return the launch that folds what parts of rows gave."""
        op = self.root.op
        assert isinstance(op, Reduction)
        builder = KernelBuilder()
        row, column = Variable("row"), Variable("chunk")
        count = builder.size(chunks, "chunks")
        at = variable_value(row) * count + variable_value(column)
        elements = tuple(
            load(builder.readable(scratch, dtype), at)
            for scratch, dtype in zip(partial, types, strict=True)
        )
        axis = LoopAxis(column, index(0), count)
        body, results = fold_nest([Folding(op, elements)], [axis], lanes=True)
        output = builder.writable(self.root, self.root.dtype)
        body.append(Store(output, variable_value(row), result_value(self.root, results[0])))
        grid = ((row, builder.size(rows, "rows"), rows),)
        return builder.finish(grid, tuple(body), chunks, self.root)


def _has_place(op: object) -> bool:
    return isinstance(op, Reduction) and op.with_index


def _unravelled(builder: KernelBuilder, place: Value, sizes: Sequence[int]) -> list[Value]:
    """Return the coordinates of a place along axes of some sizes."""
    found: list[Value] = []
    for size in reversed(sizes[1:]):
        extent = builder.size(size, "extent")
        found.append(place.modulus(extent))
        place = place.quotient(extent)
    return [place, *reversed(found)]
