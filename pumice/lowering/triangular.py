"""Triangular systems: rows of the solution from those that are known.

Lanes run along the right sides, some rows at a time, so that a row that is known is read once for
all of them::

    for each 8 rows of X:
      lanes c:
        8 sums over the known rows p of A[i, p] * X[p, c]
        the 8 x 8 triangle that is left, written out

With few right sides there are no lanes there: they run along the known rows.
"""

from pumice.graph.node import Node
from pumice.kernel.ir import Carry, Fold, Let, Loop, LoopKind, Value, Variable, constant, index
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.matrix_memory import Batch, Body, Element, Launch, Matrix, copied, dotted
from pumice.lowering.statements import lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.ops.triangular import Triangle
from pumice.target import Target

TOGETHER = 8
COLUMNS = 64
FEW_COLUMNS = 4


class _Systems:
    """The systems of one launch: which rows are known when a row is solved for."""

    def __init__(
        self, launch: Launch, matrix: Element, solution: Matrix, size: Value, spec: Triangle
    ) -> None:
        self.launch, self.matrix, self.solution = launch, matrix, solution
        self.size, self.spec = size, spec

    def row(self, step: Value) -> Value:
        """Return the row that is solved for at a step."""
        return step if self.spec.lower else self.size - 1 - step

    def known(self, step: Value) -> tuple[Value, Value]:
        """Return the range of rows known before a step."""
        return (index(0), step) if self.spec.lower else (self.size - step, self.size)

    def divided(self, value: Value, row: Value) -> Value:
        """Return what is left on the right side divided by the diagonal."""
        return value if self.spec.unit else value / self.matrix(row, row)


def _several(systems: _Systems, first: Value, column: Value, count: int) -> Body:
    """Solve for some rows from step ``first`` on, in one column."""
    start, stop = systems.known(first)
    variable = Variable("p")
    at = variable_value(variable)
    rows = [systems.row(first + number) for number in range(count)]
    above = systems.solution.get(at, column)
    zero = constant(0, above.dtype)
    carries = [Carry("sum", above.dtype, zero) for _ in rows]
    folds = tuple(
        Fold((carry,), (systems.matrix(row, at).multiply_add(above, carry.now),))
        for carry, row in zip(carries, rows, strict=True)
    )
    found: list[Value] = []
    for carry, row in zip(carries, rows, strict=True):
        rest = systems.solution.get(row, column) - carry.result
        for value, other in zip(found, rows, strict=False):
            rest = rest - systems.matrix(row, other) * value
        found.append(systems.divided(rest, row))
    loop = Loop(variable, start, stop, LoopKind.SERIAL, (), folds)
    stores = [
        systems.solution.put(row, column, value) for row, value in zip(rows, found, strict=True)
    ]
    return (loop, *(Let(value) for value in found), *stores)


def _in_columns(batch: Batch, right: Batch, node: Node) -> list[Step]:
    """Take blocks of columns, each of which lies by itself while it is worked on."""
    launch = Launch.of(batch.count)
    blocks = -(-right.columns // COLUMNS)
    block, count = launch.axis(blocks, "blocks")
    given = right.elements(launch.builder, launch.number)
    rows = launch.builder.size(right.rows, "rows")
    scratch = Scratch(batch.count * blocks * COLUMNS * right.rows * node.dtype.itemsize)
    memory = launch.builder.writable(scratch, node.dtype)
    base = (launch.number * count + block) * rows * index(COLUMNS)
    known = Matrix(memory, base, index(COLUMNS))
    systems = _systems(launch, batch, known, node)
    result = launch.matrix(node, node.dtype, right.rows * right.columns, right.columns)
    start = block * index(COLUMNS)
    wide = minimum(launch.builder.size(right.columns, "columns") - start, index(COLUMNS))
    whole = batch.rows // TOGETHER

    def rows_at(first: Value, count: int) -> Body:
        return (lanes("c", wide, lambda c: _several(systems, first, c, count)),)

    def read(row: Value) -> Body:
        return (lanes("c", wide, lambda c: (known.put(row, c, given(row, start + c)),)),)

    def write(row: Value) -> Body:
        return (lanes("c", wide, lambda c: (result.put(row, start + c, known.get(row, c)),)),)

    body: Body = (serial("i", rows, read),)
    if whole:
        groups = launch.builder.size(whole, "groups")
        body = (*body, serial("g", groups, lambda g: rows_at(g * TOGETHER, TOGETHER)))
    if batch.rows % TOGETHER:
        rest = launch.builder.size(whole * TOGETHER, "rest")
        body = (*body, serial("r", rows, lambda r: rows_at(r, 1), start=rest))
    body = (*body, serial("o", rows, write))
    return [launch.finish(body, batch.rows * batch.rows * 4, node)]


def _one_column(batch: Batch, right: Batch, node: Node) -> list[Step]:
    launch = Launch.of(batch.count)
    column, _ = launch.axis(right.columns, "columns")
    size = right.rows * right.columns
    solution = launch.matrix(node, node.dtype, size, right.columns)
    systems = _systems(launch, batch, solution, node)

    def solve(step: Value) -> Body:
        row = systems.row(step)
        start, stop = systems.known(step)

        def terms(p: Value) -> tuple[Value, ...]:
            return (systems.matrix(row, p) * systems.solution.get(p, column),)

        loop, (total,) = dotted(stop, start, node.dtype, terms)
        rest = systems.solution.get(row, column) - total
        return (loop, systems.solution.put(row, column, systems.divided(rest, row)))

    body = (serial("i", systems.size, solve),)
    filled = copied(right, node, node, size, right.columns)
    return [filled, launch.finish(body, batch.rows * batch.rows // 4, node)]


def _systems(launch: Launch, batch: Batch, solution: Matrix, node: Node) -> _Systems:
    matrix = batch.elements(launch.builder, launch.number)
    size = launch.builder.size(batch.rows, "size")
    return _Systems(launch, matrix, solution, size, node.argument)


def lower_triangular(node: Node, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches that solve triangular systems."""
    batch, right = (Batch(source, is_stored) for source in node.sources)
    solve = _one_column if right.columns <= FEW_COLUMNS else _in_columns
    return solve(batch, right, node)
