"""Matrices in memory, as kernels that factor them and solve with them address them.

Every matrix of a batch is one grid item, or several that do not touch what others write. Loops over
columns, along which memory is contiguous, are lanes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from pumice import dtypes
from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
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
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import variable_value
from pumice.lowering.statements import lanes
from pumice.lowering.steps import Scratch, Step
from pumice.ops.view import View

Body = tuple[Statement, ...]
Element = Callable[[Value, Value], Value]
"""From (row, column) to the element there, read anew by each call."""

WIDTH = 32
"""Columns that are factored at a time, before the columns behind them are brought up to date."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """One matrix in memory that a kernel may write."""

    memory: Parameter
    base: Value
    pitch: Value

    def at(self, row: Value, column: Value) -> Value:
        """Return where an element lies."""
        return self.base + row * self.pitch + column

    def get(self, row: Value, column: Value) -> Value:
        """Return a fresh read of an element."""
        return load(self.memory, self.at(row, column))

    def put(self, row: Value, column: Value, value: Value, mask: Value | None = None) -> Store:
        """Return the write of an element."""
        return Store(self.memory, self.at(row, column), value, mask)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of numbers in memory that a kernel may write."""

    memory: Parameter
    base: Value

    def get(self, at: Value) -> Value:
        """Return a fresh read of an element."""
        return load(self.memory, self.base + at)

    def put(self, at: Value, value: Value, mask: Value | None = None) -> Store:
        """Return the write of an element."""
        return Store(self.memory, self.base + at, value, mask)


class Batch:
    """The matrices of a node's source, and how many there are."""

    def __init__(self, source: Node, is_stored: IsStored) -> None:
        self.source = source
        self.rows, self.columns = source.shape[-2:]
        self.count = prod(source.shape[:-2])
        self.is_stored = is_stored
        rank = len(source.shape)
        self._view = View.contiguous(source.shape)
        views = affine_views(reading_order([(source, self._view)], is_stored), is_stored)
        self._groups = merge_axes(source.shape, range(rank - 2), views)

    def elements(self, builder: KernelBuilder, number: Value) -> Element:
        """Return what reads elements of one matrix, through whatever computes them."""
        expressions = Expressions(builder, self.is_stored, {})
        split = Positions(builder, self.source.shape).split(number, self._groups)
        rank = len(self.source.shape)
        members = (*self._groups, (rank - 2,), (rank - 1,))

        def element(row: Value, column: Value) -> Value:
            frame = Frame(members, (*split, row, column))
            return expressions.value(self.source, self._view, frame)

        return element


@dataclass(slots=True)
class Launch:
    """A kernel in the making: its grid begins with the number of the matrix."""

    builder: KernelBuilder
    number: Value
    axes: list[tuple[Variable, Value, int]]

    @staticmethod
    def of(count: int) -> "Launch":
        """Return a launch for so many matrices."""
        builder, variable = KernelBuilder(), Variable("matrix")
        axes = [(variable, builder.size(count, "matrices"), count)]
        return Launch(builder, variable_value(variable), axes)

    def axis(self, count: int, name: str) -> tuple[Value, Value]:
        """Add an axis to the grid; return the position along it, and its extent."""
        variable = Variable(name)
        extent = self.builder.size(count, name)
        self.axes.append((variable, extent, count))
        return variable_value(variable), extent

    def finish(self, body: Sequence[Statement], cost: int, node: Node) -> Step:
        """Return the step."""
        return self.builder.finish(tuple(self.axes), tuple(body), max(cost, 1), node)

    def matrix(
        self, owner: Node | Scratch, dtype: DType, size: int, pitch: int, offset: int = 0
    ) -> Matrix:
        """Return the item's matrix among those that lie ``size`` elements apart."""
        memory = self.builder.writable(owner, dtype, offset)
        base = self.number * self.builder.size(size, "apart")
        return Matrix(memory, base, self.builder.size(pitch, "pitch"))


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """A kernel that is launched for one panel of columns after the other.

    Attributes
    ----------
    first, width : Value
        Its sizes: the first column of the panel, and how many there are.
    across : Value or None
        Another one, with a grid of blocks: how many blocks lie side by side.
    """

    step: Step
    first: Value
    width: Value
    across: Value | None = None

    def at(self, first: int, width: int, blocks: tuple[int, int] | None = None) -> Step:
        """Return the launch for a panel; the last axis of the grid are blocks, if given."""
        given = {self.first.attribute: first, self.width.attribute: width}
        grid = self.step.grid
        if self.across is not None and blocks is not None:
            given[self.across.attribute] = blocks[1]
            grid = (*grid[:-1], blocks[0] * blocks[1])
            extent = self.step.kernel.grid.extents[-1]
            given[extent.attribute] = grid[-1]
        bindings = tuple(
            given.get(parameter, binding)
            for parameter, binding in zip(
                self.step.kernel.parameters, self.step.bindings, strict=True
            )
        )
        return replace(self.step, bindings=bindings, grid=grid)


def copied(
    batch: Batch,
    node: Node,
    target: Node | Scratch,
    size: int,
    pitch: int,
) -> Step:
    """Return the launch that writes the source's matrices where they are worked on."""
    launch = Launch.of(batch.count)
    row, _ = launch.axis(batch.rows, "rows")
    element = batch.elements(launch.builder, launch.number)
    matrix = launch.matrix(target, node.dtype, size, pitch)
    columns = launch.builder.size(batch.columns, "columns")

    def body(column: Value) -> Body:
        return (matrix.put(row, column, element(row, column)),)

    return launch.finish((lanes("c", columns, body),), batch.columns // 8 + 2, node)


def summed(
    stop: Value, start: Value, initial: Value, term: Callable[[Value, Value], Value]
) -> tuple[Loop, Value]:
    """Return a serial loop that carries ``term(running, position)``, and its result."""
    variable = Variable("p")
    carry = Carry("sum", initial.dtype, initial)
    following = term(carry.now, variable_value(variable))
    loop = Loop(variable, start, stop, LoopKind.SERIAL, (), (Fold((carry,), (following,)),))
    return loop, carry.result


def dotted(
    stop: Value, start: Value, dtype: DType, terms: Callable[[Value], tuple[Value, ...]]
) -> tuple[Loop, tuple[Value, ...]]:
    """Return a loop of lanes that sums several terms at once, and the sums."""
    variable = Variable("p")
    zero = constant(0, dtype)
    found = terms(variable_value(variable))
    carries = tuple(Carry("dot", dtype, zero) for _ in found)

    def merge(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(x + y for x, y in zip(first, second, strict=True))

    following = tuple(carry.now + term for carry, term in zip(carries, found, strict=True))
    fold = Fold(carries, following, merge)
    loop = Loop(variable, start, stop, LoopKind.LANES, (), (fold,))
    return loop, tuple(carry.result for carry in carries)


def number_of(value: Value, dtype: DType) -> Value:
    """Return a position as a number of a floating type, which is small enough to be exact."""
    return value.cast(dtypes.int32).cast(dtype)
