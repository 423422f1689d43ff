"""What the two lowerings of products of few rows share: blocks of columns, and their epilogue.

An item computes a block of the columns of all rows into local memory; a vector of them at a time
then meets the epilogue::

    item (batch, block):
      ... sums[row, j] for the columns of the block ...
      lanes j: out[row, first + j] = epilogue(sums[row, j])
"""

from collections.abc import Callable

from pumice.kernel.ir import Loop, LoopKind, Statement, Value, Variable, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Epilogue
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.operand import Elements, Product
from pumice.lowering.steps import Step


class FewRows:
    """A product of few rows, computed a block of columns at a time."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.accumulator = product.node.argument.accumulator
        self.builder = KernelBuilder()
        self.batches, self.rows, self.k = product.left.extents
        self.n = product.right.extents[1]

    def open(self, length: int) -> None:
        """Name the item's operands, and the columns of a block of this length."""
        builder = self.builder
        self.length = length
        self.batch, self.block = Variable("batch"), Variable("block")
        self.left = Elements(builder, self.product.left, variable_value(self.batch))
        self.right = Elements(builder, self.product.right, variable_value(self.batch))
        self.epilogue = Epilogue(
            builder, self.product.group, self.product.node, self.product.is_stored
        )
        self.columns, size = builder.size(self.n, "n"), builder.size(length, "block")
        self.depth = builder.size(self.k, "k")
        self.first = variable_value(self.block) * size
        self.width = minimum(self.first + size, self.columns) - self.first

    def launch(self, body: list[Statement], finished: Callable[[int, Value], Value]) -> Step:
        """Return the launch: the sums, then what becomes of the finished one at (row, place)."""
        builder = self.builder
        for row in range(self.rows):
            lane = Variable("lane")
            place = variable_value(lane)
            coordinates = index(row), self.first + place
            if self.product.swapped:
                coordinates = coordinates[1], coordinates[0]
            element = finished(row, place)
            stores = self.epilogue.store(variable_value(self.batch), *coordinates, element)
            body.append(Loop(lane, index(0), self.width, LoopKind.LANES, stores))
        blocks = -(-self.n // self.length)
        grid = (
            (self.batch, builder.size(self.batches, "batches"), self.batches),
            (self.block, builder.size(blocks, "blocks"), blocks),
        )
        cost = self.k * self.length * self.rows * self.accumulator.itemsize // 32 + 1
        return builder.finish(grid, tuple(body), cost, self.product.node)
