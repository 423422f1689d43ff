"""Bringing the rest of a matrix up to date when some of its columns have been factored.

``A[i, c] -= sum over p of L[i, p] * U[p, c]`` for the rows and columns behind. Grid items are
blocks of rows and columns; eight rows share what is read of U.
"""

from dataclasses import dataclass

from pumice.kernel.ir import Carry, Fold, Loop, LoopKind, Value, Variable, constant, index
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.matrix_memory import Body, Launch, Matrix
from pumice.lowering.statements import lanes, serial

TOGETHER = 8
ROWS = 64
COLUMNS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Trailing:
    """What is brought up to date.

    Attributes
    ----------
    begin : Value
        First row and first column of what is left.
    columns, rows : Value
        Where the matrix ends.
    first, depth : Value
        Which column of the left factor goes with row 0 of the right one, and how many there are.
    symmetric : bool
        Only elements below the diagonal, and on it, are wanted.
    """

    matrix: Matrix
    right: Matrix
    begin: Value
    rows: Value
    columns: Value
    first: Value
    depth: Value
    symmetric: bool = False

    def rows_at(self, row: Value, count: int, start: Value, stop: Value) -> Body:
        """Return the loop over columns for some rows."""

        def body(column: Value) -> Body:
            variable = Variable("p")
            at = variable_value(variable)
            above = self.right.get(at, column)
            zero = constant(0, above.dtype)
            carries = [Carry("sum", above.dtype, zero) for _ in range(count)]
            folds = tuple(
                Fold(
                    (carry,),
                    (
                        self.matrix.get(row + number, self.first + at).multiply_add(
                            above, carry.now
                        ),
                    ),
                )
                for number, carry in enumerate(carries)
            )
            loop = Loop(variable, index(0), self.depth, LoopKind.SERIAL, (), folds)
            stores = [
                self.matrix.put(
                    row + number, column, self.matrix.get(row + number, column) - carry.result
                )
                for number, carry in enumerate(carries)
            ]
            return (loop, *stores)

        return (lanes("c", stop, body, start=start),)

    def block(self, down: Value, across: Value) -> Body:
        """Return the statements of one grid item."""
        first = self.begin + down * ROWS
        last = minimum(first + ROWS, self.rows)
        start = self.begin + across * COLUMNS
        stop = minimum(start + COLUMNS, self.columns)
        groups = (last - first).quotient(TOGETHER)

        def end(row: Value, count: int) -> Value:
            return minimum(stop, row + count) if self.symmetric else stop

        def together(group: Value) -> Body:
            row = first + group * TOGETHER
            return self.rows_at(row, TOGETHER, start, end(row, TOGETHER))

        def alone(row: Value) -> Body:
            return self.rows_at(row, 1, start, end(row, 1))

        return (
            serial("g", groups, together),
            serial("r", last, alone, start=first + groups * TOGETHER),
        )


def blocks_of(rows: int, columns: int) -> tuple[int, int]:
    """Return how many blocks of rows and columns what is left has."""
    return -(-rows // ROWS), -(-columns // COLUMNS)


def trailing_axes(launch: Launch) -> tuple[Value, Value, Value]:
    """Add one axis of blocks to a launch; return the block's place, and how many lie across."""
    block, _ = launch.axis(1, "blocks")
    wide = launch.builder.size(1, "across")
    return block.quotient(wide), block.modulus(wide), wide
