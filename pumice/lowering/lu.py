"""LU factorisation with the largest pivot of each column, some columns at a time.

A panel of columns is turned into rows of scratch memory, where lanes run along the matrix's rows.
Each of its columns is brought up to date by those before it and then gives a pivot::

    for column j of the panel:
      u = its part of U, from the rows of L above
      lanes i: column j minus the known columns times u; the largest element on the way
      exchange rows j and p of the panel, divide by the pivot

Then rows are exchanged in the other columns, their part of U is solved for, and what is left of
the matrix is brought up to date in parallel (`lowering.trailing`).
"""

from collections.abc import Callable

from pumice import dtypes
from pumice.graph.node import Node
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    If,
    Let,
    Loop,
    LoopKind,
    Statement,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.matrix_memory import (
    WIDTH,
    Batch,
    Body,
    Launch,
    Matrix,
    Repeated,
    Row,
    copied,
    number_of,
    summed,
)
from pumice.lowering.statements import lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.trailing import Trailing, blocks_of, trailing_axes
from pumice.ops.triangular import lu_packing
from pumice.target import Target

NOWHERE = (1 << 31) - 1


class LULowering:
    """Lowers one factorisation."""

    def __init__(self, node: Node, is_stored: IsStored) -> None:
        self.node, self.dtype = node, node.dtype
        self.batch = Batch(node.sources[0], is_stored)
        self.rows, self.columns = self.batch.rows, self.batch.columns
        self.size = min(self.rows, self.columns)
        self.packing = lu_packing(node.sources[0].shape)
        self.scratch = Scratch(self.batch.count * WIDTH * self.rows * self.dtype.itemsize)

    def lower(self) -> list[Step]:
        """Return the launches."""
        apart, pitch = self.packing.size, self.columns
        steps = [copied(self.batch, self.node, self.node, apart, pitch), self._begin()]
        panel, others, left = self._panel(), self._others(), self._left()
        for first in range(0, self.size, WIDTH):
            width = min(WIDTH, self.size - first)
            end = first + width
            steps.append(panel.at(first, width))
            if self.columns > width:
                steps.append(others.at(first, width))
            if self.rows > end and self.columns > end:
                down, across = blocks_of(self.rows - end, self.columns - end)
                steps.append(left.at(first, width, (down, across)))
        steps.append(self._end())
        return steps

    # -- memory -----------------------------------------------------------------------------------

    def _matrix(self, launch: Launch) -> Matrix:
        return launch.matrix(self.node, self.dtype, self.packing.size, self.columns)

    def _row(self, launch: Launch, matrix: Matrix, name: str) -> Row:
        offset = launch.builder.size(self.packing.offset(name), name)
        return Row(matrix.memory, matrix.base + offset)

    def _begin(self) -> Step:
        launch = Launch.of(self.batch.count)
        matrix = self._matrix(launch)
        permutation = self._row(launch, matrix, "permutation")
        count = launch.builder.size(self.rows, "rows")
        body = (
            lanes("i", count, lambda i: (permutation.put(i, number_of(i, self.dtype)),)),
            self._row(launch, matrix, "problem").put(index(0), constant(0, self.dtype)),
            self._row(launch, matrix, "sign").put(index(0), constant(1, self.dtype)),
        )
        return launch.finish(body, self.rows // 8, self.node)

    def _end(self) -> Step:
        """Write the inverse of the permutation."""
        launch = Launch.of(self.batch.count)
        matrix = self._matrix(launch)
        permutation = self._row(launch, matrix, "permutation")
        inverse = self._row(launch, matrix, "inverse")
        count = launch.builder.size(self.rows, "rows")

        def write(i: Value) -> Body:
            place = permutation.get(i).cast(INDEX)
            return (inverse.put(place, number_of(i, self.dtype)),)

        return launch.finish((serial("i", count, write),), self.rows, self.node)

    # -- a panel of columns -----------------------------------------------------------------------

    def _panel(self) -> Repeated:
        launch = Launch.of(self.batch.count)
        matrix = self._matrix(launch)
        turned = launch.matrix(self.scratch, self.dtype, WIDTH * self.rows, self.rows)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        rows = launch.builder.size(self.rows, "rows")

        def column(j: Value) -> Body:
            return (
                *known_columns(turned, first, j),
                *self._pivot(launch, matrix, turned, (first, width, rows), j),
            )

        body = (
            turn_in(matrix, turned, first, width, rows),
            serial("j", width, column),
            turn_out(matrix, turned, first, width, rows),
        )
        step = launch.finish(body, self.rows * WIDTH * WIDTH // 8, self.node)
        return Repeated(step, first, width)

    def _pivot(
        self,
        launch: Launch,
        matrix: Matrix,
        turned: Matrix,
        sizes: tuple[Value, Value, Value],
        j: Value,
    ) -> list[Statement]:
        """Bring a column of the panel up to date, find its pivot and divide by it."""
        first, width, rows = sizes
        here = first + j
        loop, largest, place = updated_column(turned, first, rows, j, lambda p: (j, first + p))
        row = (largest < 0).select(here.cast(dtypes.int32), place).cast(INDEX)
        pivot = turned.get(j, row)
        problem, sign = (self._row(launch, matrix, name) for name in ("problem", "sign"))
        permutation = self._row(launch, matrix, "permutation")
        old, before = problem.get(index(0)), sign.get(index(0))
        places = permutation.get(here), permutation.get(row)
        failed = (old.eq(0) & pivot.eq(0)).select(number_of(here + 1, self.dtype), old)
        pivots = self._row(launch, matrix, "pivots")

        def divide(i: Value) -> Body:
            value = turned.get(j, i)
            return (turned.put(j, i, pivot.eq(0).select(value, value / pivot)),)

        return [
            loop,
            *(Let(each) for each in (row, pivot, old, before, *places)),
            pivots.put(here, number_of(row + 1, self.dtype)),
            problem.put(index(0), failed),
            sign.put(index(0), row.ne(here).select(-before, before)),
            permutation.put(here, places[1]),
            permutation.put(row, places[0]),
            lanes("c", width, lambda c: exchange(turned, (c, here), (c, row))),
            lanes("i", rows, divide, start=here + 1),
        ]

    # -- the other columns ------------------------------------------------------------------------

    def _others(self) -> Repeated:
        """Exchange rows in the other columns, and solve for their part of U."""
        launch = Launch.of(self.batch.count)
        block, _ = launch.axis(-(-self.columns // WIDTH), "blocks")
        matrix = self._matrix(launch)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        pivots = self._row(launch, matrix, "pivots")
        begin = block * index(WIDTH)
        start = begin.eq(first).select(first + width, begin)
        stop = minimum(begin + WIDTH, launch.builder.size(self.columns, "columns"))

        def swap(j: Value) -> Body:
            here = first + j
            row = pivots.get(here).cast(INDEX) - 1
            swapped = lanes("c", stop, lambda c: exchange(matrix, (here, c), (row, c)), start=start)
            return (Let(row), If(row.ne(here), (swapped,)))

        def solve(i: Value) -> Body:
            row = first + i

            def body(column: Value) -> Body:
                loop, total = summed(
                    i,
                    index(0),
                    matrix.get(row, column),
                    lambda sum, p: (-matrix.get(row, first + p)).multiply_add(
                        matrix.get(first + p, column), sum
                    ),
                )
                return (loop, matrix.put(row, column, total))

            return (lanes("c", stop, body, start=start),)

        body = (
            serial("j", width, swap),
            If(begin >= first, (serial("i", width, solve, start=index(1)),)),
        )
        step = launch.finish(body, WIDTH * WIDTH * WIDTH // 8, self.node)
        return Repeated(step, first, width)

    def _left(self) -> Repeated:
        launch = Launch.of(self.batch.count)
        down, across, wide = trailing_axes(launch)
        matrix = self._matrix(launch)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        rows = launch.builder.size(self.rows, "rows")
        columns = launch.builder.size(self.columns, "columns")
        right = Matrix(matrix.memory, matrix.at(first, index(0)), matrix.pitch)
        trailing = Trailing(matrix, right, first + width, rows, columns, first, width)
        step = launch.finish(trailing.block(down, across), 1 << 16, self.node)
        return Repeated(step, first, width, wide)


# -- panels ---------------------------------------------------------------------------------------


def turn_in(matrix: Matrix, turned: Matrix, first: Value, width: Value, rows: Value) -> Loop:
    """Return the loop that copies columns to rows of scratch memory."""

    def read(i: Value) -> Body:
        return (lanes("c", width, lambda c: (turned.put(c, i, matrix.get(i, first + c)),)),)

    return serial("i", rows, read, start=first)


def turn_out(matrix: Matrix, turned: Matrix, first: Value, width: Value, rows: Value) -> Loop:
    """Return the loop that copies them back."""

    def write(i: Value) -> Body:
        return (lanes("c", width, lambda c: (matrix.put(i, first + c, turned.get(c, i)),)),)

    return serial("i", rows, write, start=first)


def known_columns(turned: Matrix, first: Value, j: Value) -> Body:
    """Return the loop that solves for the part of U in column j of a panel."""

    def take(p: Value) -> Body:
        factor = turned.get(j, first + p)

        def body(i: Value) -> Body:
            return (turned.put(j, i, turned.get(j, i) - turned.get(p, i) * factor),)

        return (Let(factor), lanes("i", first + j, body, start=first + p + 1))

    return (serial("p", j, take),)


def updated_column(
    turned: Matrix,
    first: Value,
    rows: Value,
    j: Value,
    factor_at: Callable[[Value], tuple[Value, Value]],
) -> tuple[Loop, Value, Value]:
    """Return the loop that brings column j up to date, its largest size, and where that is.

    ``factor_at`` says where the factor of an earlier column lies.
    """
    variable = Variable("i")
    i = variable_value(variable)
    loop, total = summed(
        j,
        index(0),
        turned.get(j, i),
        lambda sum, p: (-turned.get(*factor_at(p))).multiply_add(turned.get(p, i), sum),
    )
    size, place = total.absolute(), i.cast(dtypes.int32)
    best = Carry("largest", size.dtype, constant(-1, size.dtype))
    where = Carry("place", dtypes.int32, constant(NOWHERE, dtypes.int32))

    def merge(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        better = (second[0] > first[0]) | (second[0].eq(first[0]) & (second[1] < first[1]))
        return better.select(second[0], first[0]), better.select(second[1], first[1])

    fold = Fold((best, where), merge((best.now, where.now), (size, place)), merge)
    body = (loop, turned.put(j, i, total))
    whole = Loop(variable, first + j, rows, LoopKind.LANES, body, (fold,))
    return whole, best.result, where.result


def exchange(matrix: Matrix, first: tuple[Value, Value], second: tuple[Value, Value]) -> Body:
    """Return the statements that exchange two elements."""
    values = matrix.get(*first), matrix.get(*second)
    return (
        *(Let(value) for value in values),
        matrix.put(*first, values[1]),
        matrix.put(*second, values[0]),
    )


def lower_lu(node: Node, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an LU factorisation."""
    return LULowering(node, is_stored).lower()
