"""One operand of a product: how its elements lie, or what computes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import Parameter, Value, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Axes, Positions
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.ops import structure
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.schedule.sources import weight_of
from pumice.target import Target

CHEAP = 4
"""Weight up to which an operand is computed again for each block that reads it."""


@dataclass(frozen=True, eq=False)
class Side:
    """An operand of shape (batch..., lines..., k...), lines being the axes of m or n.

    Attributes
    ----------
    node : Node
        What is multiplied.
    batch, lines : int
        Numbers of axes.
    """

    node: Node
    batch: int
    lines: int
    is_stored: IsStored

    @cached_property
    def extents(self) -> tuple[int, int, int]:
        """The flattened extents (batch, lines, k)."""
        shape = self.node.shape
        first, second = self.batch, self.batch + self.lines
        return prod(shape[:first]), prod(shape[first:second]), prod(shape[second:])

    @cached_property
    def _readings(self) -> Sequence[tuple[Node, View]]:
        whole = View.contiguous(self.node.shape)
        return reading_order([(self.node, whole)], self.is_stored)

    @cached_property
    def _views(self) -> list[View]:
        return affine_views(self._readings, self.is_stored)

    @cached_property
    def groups(self) -> tuple[list[Axes], list[Axes], list[Axes]]:
        """The axes of batch, lines and k, merged where every reading allows it."""
        shape, views = self.node.shape, self._views
        first, second = self.batch, self.batch + self.lines
        return (
            merge_axes(shape, range(first), views),
            merge_axes(shape, range(first, second), views),
            merge_axes(shape, range(second, len(shape)), views),
        )

    @property
    def is_simple(self) -> bool:
        """Whether lines are one axis, and k is."""
        return len(self.groups[1]) <= 1 and len(self.groups[2]) <= 1

    @cached_property
    def memory(self) -> tuple[Node, View] | None:
        """The tensor whose elements the operand is, and how they are read; None if computed."""
        stored = [reading for reading in self._readings if self.is_stored(reading[0])]
        moves = all(self.is_stored(node) or node.op is structure.VIEW for node, _ in self._readings)
        return stored[0] if moves and len(stored) == 1 else None

    @property
    def computed(self) -> list[Node]:
        """What is computed for an element, operands first."""
        nodes = dict.fromkeys(node for node, _ in self._readings)
        return [node for node in nodes if not self.is_stored(node)]

    @property
    def is_cheap(self) -> bool:
        """Whether computing an element again costs little more than reading it."""
        return sum(weight_of(node) for node in self.computed) <= CHEAP

    def _runs_along(self, place: int) -> bool:
        """Tell whether memory is read in order when the lines (1) or k (2) advance."""
        axes = self.groups[place]
        if len(axes) != 1:
            return False
        steps = [view.strides[axes[0][-1]] for view in self._views]
        return 1 in steps and all(step in (0, 1) for step in steps)

    @cached_property
    def follows_lines(self) -> bool:
        return self._runs_along(1)

    @cached_property
    def follows_k(self) -> bool:
        return self._runs_along(2)


def right_side(node: Node, batch: int, lines: int, is_stored: IsStored) -> Side:
    """Return the right operand of a product; lines that lie apart become batch.

    So images whose positions follow each other make a product each, of the same left operand.
    """
    side = Side(node, batch, lines, is_stored)
    if batch or lines < 2 or side.is_simple:
        return side
    found = Side(node, 1, lines - 1, is_stored)
    follows = found.is_simple and found.follows_lines and found.memory is not None
    return found if follows else side


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """A product to lower: its operands, rows and columns possibly exchanged."""

    group: Group
    node: Node
    left: Side
    right: Side
    swapped: bool
    is_stored: IsStored
    target: Target

    @property
    def batches(self) -> int:
        """How many products there are; the left operand may be the same in all of them."""
        return self.right.extents[0]

    @property
    def apart(self) -> int:
        """Leading line axes of the right operand that count as batch."""
        return self.right.batch - self.node.argument.batch if not self.swapped else 0


class Elements:
    """The elements of an operand inside one kernel."""

    def __init__(self, builder: KernelBuilder, side: Side, batch: Value) -> None:
        self._builder = builder
        self.side = side
        self._expressions = Expressions(builder, side.is_stored, {})
        positions = Positions(builder, side.node.shape)
        self._batch = positions.split(batch, side.groups[0])

    def _frame(self, line: Value, k: Value) -> Frame:
        batch, lines, k_axes = self.side.groups
        variables = self._batch
        variables += (line,) * len(lines) + (k,) * len(k_axes)
        return Frame((*batch, *lines, *k_axes), variables)

    def value(self, line: Value, k: Value, dtype: DType) -> Value:
        """Return an element converted to a dtype."""
        view = View.contiguous(self.side.node.shape)
        return self._expressions.value(self.side.node, view, self._frame(line, k)).cast(dtype)

    def buffer(self) -> Parameter:
        """Return the memory of an operand that is read in place."""
        assert self.side.memory is not None
        node, view = self.side.memory
        return self._builder.readable(node, node.dtype, view.offset)

    def place(self, line: Value, k: Value) -> Value:
        """Return where an element lies in the operand's memory."""
        assert self.side.memory is not None
        return self._expressions.position(self.side.memory[1], self._frame(line, k))

    def strides(self) -> tuple[Value, Value]:
        """Return the distances between lines and between steps of k."""
        assert self.side.memory is not None
        view = self.side.memory[1]
        found = []
        for axes in self.side.groups[1:]:
            stride = view.strides[axes[0][-1]] if axes else 0
            found.append(self._builder.strides((stride,))[0] if axes else index(0))
        return found[0], found[1]
