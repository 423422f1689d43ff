"""Products on GPUs: operands are read where they lie, tile by tile.

Whatever computes an operand (a transpose, a sliding window, a cast, an activation) is evaluated
where its elements are needed, so a convolution is a product like any other. The product's epilogue
stores the result, or whatever elementwise group reads it. Operands that are dear to compute are
written to memory first; where a target takes packed panels best, both are packed by kernels of
their own.

A product of few elements is cut along k into parts that are summed at the same time, each in the
order of its steps; a second kernel sums the parts in order. How many there are follows from the
shape alone.
"""

from collections.abc import Callable
from dataclasses import replace

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Contract,
    Fold,
    Instruction,
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Epilogue
from pumice.lowering.expression import IsStored
from pumice.lowering.long_rows import lower_loop
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.product import lower_product
from pumice.lowering.product_cuts import Parts, choose_parts, choose_tile, is_thin
from pumice.lowering.product_operand import Operand, pack, packed_element
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.windowed import lower_windows
from pumice.schedule.items import Group, GroupKind, Space
from pumice.target import ProductTile, Target

Places = tuple[Value, Value, Value]
Statements = tuple[Statement, ...]
Finish = Callable[[KernelBuilder, Places, Value], Statements]
"""Writes the epilogue of an element, given its batch, row and column."""


class ContractLowering:
    """Lowers one product with its epilogue."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        self.group = group
        self.product = group.contract if group.contract is not None else group.root
        self.target = target
        self._written: set[Node] = set()
        self._packed: list[Scratch] = []

        def stored(node: Node) -> bool:
            return node in self._written or (node is not group.root and is_stored(node))

        self._is_stored: IsStored = stored
        spec = self.product.argument
        left, right = self.product.sources
        self.accumulator = spec.accumulator
        self.left = Operand(left, spec.batch, spec.m, stored, spec.accumulator)
        self.right = Operand(right, spec.batch, spec.n, stored, spec.accumulator)
        self.tile: ProductTile

    def lower(self) -> list[Step]:
        """Return the launches: dear operands, packed panels, the product, the sum of its parts."""
        if self.product.numel == 0:
            return []
        (batches, m, k), n = self.left.extents, self.right.extents[1]
        limit = self.target.most_steps or k
        parts = choose_parts(batches * m * n, k, limit)
        sizes = (batches * parts.count, m, n)
        kinds = {self.left.node.dtype, self.right.node.dtype}
        operand = kinds.pop() if len(kinds) == 1 else None
        self.tile = choose_tile(self.target, sizes, self.accumulator, operand)
        steps: list[Step] = []
        for side, lines, other, block in (
            (self.left, self.tile.rows, n, self.tile.block[1]),
            (self.right, self.tile.columns, m, self.tile.block[0]),
        ):
            if self.target.products or is_thin(m, n):
                steps += self._write_dear(side, -(-other // block))
                continue
            scratch, packing = pack(side, lines)
            self._packed.append(scratch)
            steps.append(packing)
        if self._written:  # an operand knows what is read for it, which these have changed
            self.left, self.right = replace(self.left), replace(self.right)
        if parts.count > 1:
            return steps + self._in_parts(parts)
        if k > limit:
            return steps + self._one_after_the_other(-(-k // -(-k // limit)))
        return [*steps, self._multiply(Parts(1, k), 0, self._finished)]

    def _write_dear(self, side: Operand, repeats: int) -> list[Step]:
        """Write to memory what would be computed again and again."""
        steps: list[Step] = []
        for node in side.dear_nodes(repeats):
            group = Group(node, GroupKind.LOOP, Space(node.shape, ()), settled=True)
            steps += lower_loop(group, self._is_stored, self.target)
            self._written.add(node)
        return steps

    # -- cutting k --------------------------------------------------------------------------------

    def _position(self, builder: KernelBuilder, places: Places) -> Value:
        m, n = self.left.extents[1], self.right.extents[1]
        batch, row, column = places
        return (batch * builder.size(m, "m") + row) * builder.size(n, "n") + column

    def _sums(self, count: int) -> Scratch:
        (batches, m, _), n = self.left.extents, self.right.extents[1]
        return Scratch(count * batches * m * n * self.accumulator.itemsize)

    def _one_after_the_other(self, depth: int) -> list[Step]:
        """Multiply some steps of k at a time; sums rest in memory in between."""
        k = self.left.extents[2]
        sums = self._sums(1)
        steps: list[Step] = []

        def resting(builder: KernelBuilder, places: Places, element: Value) -> Statements:
            memory = builder.writable(sums, self.accumulator)
            at = self._position(builder, places)
            return (Store(memory, at, load(memory, at) + element if steps else element),)

        def finished(builder: KernelBuilder, places: Places, element: Value) -> Statements:
            memory = builder.readable(sums, self.accumulator)
            before = load(memory, self._position(builder, places))
            return self._finished(builder, places, before + element)

        for start in range(0, k, depth):
            end = finished if start + depth >= k else resting
            part = Parts(1, min(depth, k - start))
            steps.append(self._multiply(part, start, end))
        return steps

    def _in_parts(self, parts: Parts) -> list[Step]:
        """Multiply parts of k at the same time, and sum them in order."""
        sums = self._sums(parts.count)

        def resting(builder: KernelBuilder, places: Places, element: Value) -> Statements:
            memory = builder.writable(sums, self.accumulator)
            return (Store(memory, self._position(builder, places), element),)

        return [self._multiply(parts, 0, resting), self._sum_of_parts(sums, parts)]

    def _sum_of_parts(self, sums: Scratch, parts: Parts) -> Step:
        (batches, m, _), n = self.left.extents, self.right.extents[1]
        builder = KernelBuilder()
        memory = builder.readable(sums, self.accumulator)
        names = tuple(Variable(name) for name in ("batch", "row", "column"))
        extents = tuple(
            builder.size(size, name) for size, name in ((batches, "batches"), (m, "m"), (n, "n"))
        )
        batch, row, column = (variable_value(name) for name in names)
        count = builder.size(parts.count, "parts")
        part = Variable("part")
        total = Carry("total", self.accumulator, constant(0, self.accumulator))
        at = ((batch * count + variable_value(part)) * extents[1] + row) * extents[2] + column
        fold = Fold((total,), (total.now + load(memory, at),))
        loop = Loop(part, index(0), count, LoopKind.SERIAL, (), (fold,))
        ends = self._finished(builder, (batch, row, column), total.result)
        grid = tuple(zip(names, extents, (batches, m, n), strict=True))
        return builder.finish(grid, (loop, *ends), 2 * parts.count, self.product)

    def _finished(self, builder: KernelBuilder, places: Places, element: Value) -> Statements:
        epilogue = Epilogue(builder, self.group, self.product, self._is_stored)
        return epilogue.store(*places, element)

    # -- the product ------------------------------------------------------------------------------

    def _multiply(self, parts: Parts, start: int, finish: Finish) -> Step:
        """Return the launch that multiplies parts of k, beginning at a step of it."""
        builder = KernelBuilder()
        (batches, m, k), n = self.left.extents, self.right.extents[1]
        names = tuple(Variable(name) for name in ("batch", "row", "column", "step"))
        batch, row, column, step = (variable_value(name) for name in names)
        depth = builder.size(parts.depth, "depth")
        own, at = batch, step
        if parts.count > 1:
            count = builder.size(parts.count, "parts")
            own, part = batch.quotient(count), batch.modulus(count)
            at = part * depth + step
            depth = minimum(depth, builder.size(k, "k") - part * depth)
        elif parts.depth != k:
            at = builder.size(start, "start") + step
        left = self._element(builder, 0, (own, row, at))
        right = self._element(builder, 1, (own, column, at))
        element = Value(Instruction.ACCUMULATOR, self.accumulator)
        statement = Contract(
            left,
            right,
            builder.size(batches * parts.count, "batches"),
            builder.size(m, "m"),
            builder.size(n, "n"),
            depth,
            *(names[0], names[1], names[2], names[3]),
            self.tile,
            finish(builder, (batch, row, column), element),
            packed=bool(self._packed),
        )
        rows, columns = self.tile.block
        tiles = (batches * parts.count, -(-m // rows), -(-n // columns))
        cost = rows * columns * parts.depth // 32 + 1
        launch = builder.finish((), (statement,), cost, self.product)
        # The tiles are the grid of a product; the kernel derives them from its sizes.
        return replace(launch, grid=tiles)

    def _element(self, builder: KernelBuilder, place: int, at: tuple[Value, Value, Value]) -> Value:
        side = (self.left, self.right)[place]
        if not self._packed:
            return side.element(builder, *at)
        lines = (self.tile.rows, self.tile.columns)[place]
        return packed_element(builder, side, self._packed[place], lines, at)


def lower_contract(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a product group."""
    if not target.local_tiles:
        return ContractLowering(group, is_stored, target).lower()
    windowed = lower_windows(group, is_stored, target)
    return lower_product(group, is_stored, target) if windowed is None else windowed
