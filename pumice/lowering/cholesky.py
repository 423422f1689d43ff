"""Cholesky factorisation, some columns at a time, as LU does it but without exchanges."""

from pumice.graph.node import Node
from pumice.kernel.ir import Let, Value, constant, index
from pumice.lowering.expression import IsStored
from pumice.lowering.lu import turn_in, turn_out, updated_column
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
)
from pumice.lowering.statements import lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.trailing import Trailing, blocks_of, trailing_axes
from pumice.ops.triangular import cholesky_packing
from pumice.target import Target


class CholeskyLowering:
    """Lowers one factorisation."""

    def __init__(self, node: Node, is_stored: IsStored) -> None:
        self.node, self.dtype = node, node.dtype
        self.batch = Batch(node.sources[0], is_stored)
        self.size = self.batch.rows
        self.packing = cholesky_packing(node.sources[0].shape)
        self.scratch = Scratch(self.batch.count * WIDTH * self.size * self.dtype.itemsize)

    def lower(self) -> list[Step]:
        """Return the launches."""
        steps = [copied(self.batch, self.node, self.node, self.packing.size, self.size)]
        steps.append(self._begin())
        panel, left = self._panel(), self._left()
        for first in range(0, self.size, WIDTH):
            width = min(WIDTH, self.size - first)
            steps.append(panel.at(first, width))
            rest = self.size - first - width
            if rest:
                steps.append(left.at(first, width, blocks_of(rest, rest)))
        steps.append(self._end())
        return steps

    def _matrix(self, launch: Launch) -> Matrix:
        return launch.matrix(self.node, self.dtype, self.packing.size, self.size)

    def _turned(self, launch: Launch) -> Matrix:
        return launch.matrix(self.scratch, self.dtype, WIDTH * self.size, self.size)

    def _problem(self, launch: Launch, matrix: Matrix) -> Row:
        offset = launch.builder.size(self.packing.offset("problem"), "problem")
        return Row(matrix.memory, matrix.base + offset)

    def _begin(self) -> Step:
        launch = Launch.of(self.batch.count)
        problem = self._problem(launch, self._matrix(launch))
        return launch.finish((problem.put(index(0), constant(0, self.dtype)),), 1, self.node)

    def _end(self) -> Step:
        """Write zeros above the diagonal."""
        launch = Launch.of(self.batch.count)
        row, count = launch.axis(self.size, "rows")
        matrix = self._matrix(launch)
        zero = constant(0, self.dtype)
        body = lanes("c", count, lambda c: (matrix.put(row, c, zero),), start=row + 1)
        return launch.finish((body,), self.size // 8, self.node)

    def _panel(self) -> Repeated:
        launch = Launch.of(self.batch.count)
        matrix, turned = self._matrix(launch), self._turned(launch)
        problem = self._problem(launch, matrix)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        rows = launch.builder.size(self.size, "rows")

        def column(j: Value) -> Body:
            here = first + j
            loop, _, _ = updated_column(turned, first, rows, j, lambda p: (p, here))
            diagonal, old = turned.get(j, here), problem.get(index(0))
            bad = old.eq(0) & ~(diagonal > 0)
            root = diagonal.square_root()

            def divide(i: Value) -> Body:
                return (turned.put(j, i, turned.get(j, i) / root),)

            return (
                loop,
                Let(diagonal),
                Let(old),
                Let(root),
                problem.put(index(0), bad.select(number_of(here + 1, self.dtype), old)),
                lanes("i", rows, divide, start=here + 1),
                turned.put(j, here, root),
            )

        body = (
            turn_in(matrix, turned, first, width, rows),
            serial("j", width, column),
            turn_out(matrix, turned, first, width, rows),
        )
        step = launch.finish(body, self.size * WIDTH * WIDTH // 8, self.node)
        return Repeated(step, first, width)

    def _left(self) -> Repeated:
        launch = Launch.of(self.batch.count)
        down, across, wide = trailing_axes(launch)
        matrix, right = self._matrix(launch), self._turned(launch)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        size = launch.builder.size(self.size, "size")
        trailing = Trailing(matrix, right, first + width, size, size, first, width, symmetric=True)
        step = launch.finish(trailing.block(down, across), 1 << 16, self.node)
        return Repeated(step, first, width, wide)


def lower_cholesky(node: Node, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a Cholesky factorisation."""
    return CholeskyLowering(node, is_stored).lower()
