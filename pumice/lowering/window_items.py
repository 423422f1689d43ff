"""Reductions over small windows on GPUs: an item folds the windows of a few rows, written out.

Neighbouring windows overlap, and so do those of neighbouring rows. An invocation takes some results
that lie below each other, reads each element of their windows once and keeps it in a register; its
neighbours in the workgroup take the columns beside, so that accesses follow each other in memory.
What the margins leave out is found once for each row and each column of the windows. A depthwise
convolution of 3 x 3 in rows of four::

    a = x[4 i - 1, j - 1] if it is inside; ...; r = x[4 i + 4, j + 1] if it is inside
    out[4 i, j] = a * w[0, 0] + ... + i * w[2, 2]
    ...
    out[4 i + 3, j] = j * w[0, 0] + ... + r * w[2, 2]

The last item of a column may fold rows that another one folds too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import index as as_number

from pumice.graph.node import Node
from pumice.kernel.ir import Parameter, Statement, Store, Value, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame, IsStored
from pumice.lowering.folds import follow, identities, result_value
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.shared_taps import SharedTapLowering
from pumice.lowering.stages import Stage
from pumice.lowering.steps import Step
from pumice.ops.definition import Reduction
from pumice.ops.view import View

MOST_TAPS = 49
MOST_WRITTEN = 100
"""Taps of all rows together that are written out."""
FEWEST_ITEMS = 1 << 14
"""Items that keep a device busy; where there are fewer an item takes fewer rows."""
ROWS = (4, 2)
STRIDES = (1, 2)
"""Distances of windows that overlap."""

Sizes = dict[tuple[int, str], Value]
Folded = list[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class TapFrame(Frame):
    """A frame that stands a number of steps behind each variable."""

    numbers: tuple[int, ...]


class TapExpressions(Expressions):
    """Values of many taps: what several results read is computed alike for all of them."""

    def __init__(self, builder: KernelBuilder, is_stored: IsStored, sizes: Sizes) -> None:
        super().__init__(builder, is_stored, {})
        self._sizes = sizes

    def size(self, value: int, name: str) -> Value:
        """Return a run-time size, one parameter for all that are equal."""
        key = (value, name)
        if key not in self._sizes:
            self._sizes[key] = super().size(value, name)
        return self._sizes[key]

    def position(self, view: View, frame: Frame) -> Value:
        """Return the element a view points at: that of the variables, and some strides more."""
        total = super().position(view, frame)
        if isinstance(frame, TapFrame):
            for stride, number in _strides_behind(view, frame).items():
                if number:
                    total = total + self._builder.strides((stride,))[0] * index(number)
        return total


def _strides_behind(view: View, frame: TapFrame) -> Mapping[int, int]:
    """Return how many strides a frame stands behind its variables: rows in strides of taps."""
    counts: dict[int, int] = {}
    for members, number in zip(reversed(frame.members), reversed(frame.numbers), strict=True):
        stride = view.strides[members[-1]]
        if stride == 0:
            continue
        for step in STRIDES:
            known = next((each for each in counts if step * each == stride), None)
            if known is not None:
                counts[known] += step * number
                break
        else:
            counts[stride] = number
    return counts


class WindowItemLowering(SharedTapLowering):
    """Lowers a group that folds windows on a GPU, some rows of them in one item."""

    def lower(self) -> list[Step]:
        """Return the launches of the group."""
        if self.target.grid_lanes and prod(self.outer_shape) > 0 and self._folds_windows():
            return [self._windows(*self._rows_of_an_item())]
        return super().lower()

    def _folds_windows(self) -> bool:
        """Tell whether the group folds windows, and stores what follows from each."""
        first, *others = self.stages
        if not first.nodes or not first.inner or self._lanes_inside():
            return False
        if any(_reduction(node).with_index for node in first.nodes):
            return False
        if any(other.nodes or other.inner for other in others):
            return False
        if not 1 < prod(self._taps(first)) <= MOST_TAPS:
            return False
        return any(self._slides(place) for place in range(len(self.outer)))

    def _taps(self, stage: Stage) -> list[int]:
        return [self._extent(stage.shape, members) for members in stage.inner]

    def _slides(self, place: int) -> bool:
        """Tell whether windows move along an outer axis, and overlap."""
        first = self.stages[0]
        axis = self.outer[place][-1]
        return any(
            view.strides[axis] == step * view.strides[members[-1]] != 0
            for view in self._views(first)
            if len(view.shape) == len(first.shape)
            for members in first.inner
            for step in STRIDES
            if step < self._extent(first.shape, members)
        )

    def _rows_of_an_item(self) -> tuple[int, int]:
        """Return the axis of the rows that an item takes, and how many."""
        taps = prod(self._taps(self.stages[0]))
        for place in reversed(range(len(self.outer) - 1)):
            if not self._slides(place):
                continue
            extent = self._extent(self.outer_shape, self.outer[place])
            for rows in ROWS:
                items = prod(self.outer_shape) // rows
                if extent >= rows and rows * taps <= MOST_WRITTEN and items >= FEWEST_ITEMS:
                    return place, rows
        return len(self.outer) - 1, 1

    def _windows(self, place: int, rows: int) -> Step:
        """Return the launch; an item takes some rows along an axis."""
        first, *others = self.stages
        builder = KernelBuilder()
        axes = self._outer_axes(builder)
        outer = [variable_value(variable) for variable, _, _ in axes]
        variable, extent_value, extent = axes[place]
        if rows > 1:
            blocks = -(-extent // rows)
            outer[place] = minimum(outer[place] * index(rows), extent_value - rows)
            axes[place] = (variable, builder.size(blocks, "blocks"), blocks)
        extents = [as_number(each) for each in self._taps(first)]
        sizes: Sizes = {}
        outputs: dict[Node, Parameter] = {}
        body: list[Statement] = []
        for row in range(rows):
            expressions = TapExpressions(builder, self._is_stored, sizes)
            numbers = [0] * len(outer)
            numbers[place] = row
            folded = self._fold(expressions, outer, numbers, extents)
            for node, carried in zip(first.nodes, folded, strict=True):
                expressions.results[node] = result_value(node, carried)
            frame = TapFrame(tuple(self.outer), tuple(outer), tuple(numbers))
            body += self._results(builder, expressions, frame, others, outputs)
        return builder.finish(tuple(axes), tuple(body), self._work() * rows, self.root)

    def _fold(
        self,
        expressions: Expressions,
        outer: Sequence[Value],
        numbers: Sequence[int],
        extents: Sequence[int],
        taps: tuple[int, ...] = (),
    ) -> Folded:
        """Fold the windows of a result in the order of loops, those inside first."""
        stage = self.stages[0]
        if len(taps) == len(extents):
            frame = TapFrame(
                (*self.outer, *stage.inner),
                (*outer, *(index(0) for _ in taps)),
                (*numbers, *taps),
            )
            return [each.elements for each in self._foldings(expressions, stage, frame)]
        totals: Folded = []
        for tap in range(extents[len(taps)]):
            found = self._fold(expressions, outer, numbers, extents, (*taps, tap))
            ops = [_reduction(node) for node in stage.nodes]
            if not totals:
                totals = [
                    identities(op, [each.dtype for each in own])
                    for op, own in zip(ops, found, strict=True)
                ]
            totals = [
                follow(op)(total, own) for op, total, own in zip(ops, totals, found, strict=True)
            ]
        return totals

    def _results(
        self,
        builder: KernelBuilder,
        expressions: Expressions,
        frame: Frame,
        others: Sequence[Stage],
        outputs: dict[Node, Parameter],
    ) -> list[Statement]:
        """Store what follows from the windows of one result."""
        stored = list(self.side_results().items())
        if others:
            stored += [(node, self.main_view) for node in (*self.group.extra, self.root)]
        found: list[Statement] = []
        for node, place in stored:
            if node not in outputs:
                outputs[node] = builder.writable(node, node.dtype, place.offset)
            value = expressions.value(node, place, frame)
            found.append(Store(outputs[node], expressions.position(place, frame), value))
        return found


def _reduction(node: Node) -> Reduction:
    op = node.op
    assert isinstance(op, Reduction)
    return op
