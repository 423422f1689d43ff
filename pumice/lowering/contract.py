"""Products on GPUs: both operands are packed into panels, then multiplied tile by tile.

Packing is an ordinary loop kernel, so whatever computes the operand (a transpose, a sliding
window, a cast, an activation) is fused into it. The product's epilogue stores the result, or
whatever elementwise group reads it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Contract,
    Instruction,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Epilogue, Positions
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import variable_value
from pumice.lowering.product import lower_product
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.windowed import lower_windows
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target

Places = tuple[Value, Value, Value]
Statements = tuple[Statement, ...]
Finish = Callable[[KernelBuilder, Places, Value], Statements]
"""Writes the epilogue of an element, given its batch, row and column."""


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """One side of a product.

    Attributes
    ----------
    node : Node
        Of shape (batch..., lines..., k...), where lines are m or n axes.
    tile : int
        Lines per panel.
    """

    node: Node
    batch: int
    lines: int
    tile: int
    accumulator: DType

    @property
    def extents(self) -> tuple[int, int, int]:
        """Return the flattened extents (batch, lines, k)."""
        shape = self.node.shape
        first, second = self.batch, self.batch + self.lines
        return prod(shape[:first]), prod(shape[first:second]), prod(shape[second:])


@dataclass(frozen=True, slots=True)
class Part:
    """Some steps of a long k: where they begin, and how many there are."""

    start: int
    depth: int


def pack(operand: Operand, is_stored: IsStored, part: Part | None = None) -> tuple[Scratch, Step]:
    """Return the packed memory ``[batch][panel][k][tile]`` of an operand, and its launch.

    With a part, only some steps of k are packed, zeros where there are no more.
    """
    node = operand.node
    shape = node.shape
    batch, lines, k = operand.extents
    panels = -(-lines // operand.tile)
    depth = k if part is None else part.depth
    scratch = Scratch(batch * panels * operand.tile * depth * operand.accumulator.itemsize)
    view = View.contiguous(shape)
    views = affine_views(reading_order([(node, view)], is_stored), is_stored)
    first, second = operand.batch, operand.batch + operand.lines
    batch_axes = merge_axes(shape, range(first), views)
    line_axes = merge_axes(shape, range(first, second), views)
    k_axes = merge_axes(shape, range(second, len(shape)), views)

    builder = KernelBuilder()
    expressions = Expressions(builder, is_stored, {})
    output = builder.writable(scratch, operand.accumulator)
    panel, item, lane = Variable("panel"), Variable("batch"), Variable("lane")
    tile = index(operand.tile)
    line = variable_value(panel) * tile + variable_value(lane)
    inside = line < builder.size(lines, "lines")
    panel_count = builder.size(panels, "panels")
    k_size = builder.size(depth, "k")
    base = (variable_value(item) * panel_count + variable_value(panel)) * k_size

    k_variables = [Variable("k") for _ in k_axes] if part is None else [Variable("k")]
    extents = [prod(shape[axis] for axis in members) for members in k_axes]
    if part is not None:
        extents = [depth]
    k_position: Value = index(0)
    sizes = []
    for variable, extent in zip(k_variables, extents, strict=True):
        size = builder.size(extent, "extent")
        sizes.append(size)
        k_position = k_position * size + variable_value(variable)
    positions = Positions(builder, shape)
    steps_of_k = tuple(variable_value(variable) for variable in k_variables)
    if part is not None:
        step = builder.size(part.start, "start") + k_position
        inside = inside & (step < builder.size(k, "whole"))
        steps_of_k = positions.split(step, k_axes)
    expressions.mask = inside
    frame = Frame(
        (*batch_axes, *line_axes, *k_axes),
        positions.split(variable_value(item), batch_axes)
        + positions.split(line, line_axes)
        + steps_of_k,
    )
    element = expressions.value(node, view, frame).cast(operand.accumulator)
    # Masked loads give 0, but what is computed from them need not be 0 (exp of it is 1).
    element = inside.select(element, constant(0, operand.accumulator))
    at = (base + k_position) * tile + variable_value(lane)
    body: tuple[Statement, ...] = (Store(output, at, element),)
    grid = [(item, builder.size(batch, "batch"), batch), (panel, panel_count, panels)]
    grid += list(zip(k_variables, sizes, extents, strict=True))
    grid.append((lane, tile, operand.tile))
    return scratch, builder.finish(tuple(grid), body, 1, node)


class ContractLowering:
    """Lowers one product with its epilogue."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        self.group = group
        self.product = group.contract if group.contract is not None else group.root
        self.target = target

        def stored_elsewhere(node: Node) -> bool:
            return node is not group.root and is_stored(node)

        self._is_stored: IsStored = stored_elsewhere
        spec = self.product.argument
        tile = target.tiles[spec.accumulator.name]
        left, right = self.product.sources
        self.left = Operand(left, spec.batch, spec.m, tile.rows, spec.accumulator)
        self.right = Operand(right, spec.batch, spec.n, tile.columns, spec.accumulator)

    def lower(self) -> list[Step]:
        """Return the two packing launches and the product."""
        if self.product.numel == 0:
            return []
        k = self.left.extents[2]
        depth = self.target.limits.get("steps", k) or k
        if k > depth:
            return self._in_parts(-(-k // -(-k // depth)))
        packed_left, first = pack(self.left, self._is_stored)
        packed_right, second = pack(self.right, self._is_stored)
        return [first, second, self._multiply(packed_left, packed_right, k, self._finished)]

    def _in_parts(self, depth: int) -> list[Step]:
        """Multiply some steps of k at a time; sums rest in memory in between."""
        (batches, m, k), n = self.left.extents, self.right.extents[1]
        accumulator = self.left.accumulator
        sums = Scratch(batches * m * n * accumulator.itemsize)
        steps: list[Step] = []

        def position(builder: KernelBuilder, places: Places) -> Value:
            batch, row, column = places
            rows, columns = builder.size(m, "m"), builder.size(n, "n")
            return (batch * rows + row) * columns + column

        def resting(builder: KernelBuilder, places: Places, element: Value) -> Statements:
            memory, at = builder.writable(sums, accumulator), position(builder, places)
            return (Store(memory, at, load(memory, at) + element if steps else element),)

        def finished(builder: KernelBuilder, places: Places, element: Value) -> Statements:
            before = load(builder.readable(sums, accumulator), position(builder, places))
            return self._finished(builder, places, before + element)

        for start in range(0, k, depth):
            part = Part(start, depth)
            packed_left, first = pack(self.left, self._is_stored, part)
            packed_right, second = pack(self.right, self._is_stored, part)
            end = finished if start + depth >= k else resting
            product = self._multiply(packed_left, packed_right, depth, end)
            steps += [first, second, product]
        return steps

    def _finished(self, builder: KernelBuilder, places: Places, element: Value) -> Statements:
        epilogue = Epilogue(builder, self.group, self.product, self._is_stored)
        return epilogue.store(*places, element)

    def _multiply(
        self, packed_left: Scratch, packed_right: Scratch, k: int, finish: Finish
    ) -> Step:
        builder = KernelBuilder()
        accumulator = self.left.accumulator
        batches, m, _ = self.left.extents
        n = self.right.extents[1]
        left = builder.readable(packed_left, accumulator)
        right = builder.readable(packed_right, accumulator)
        batch, row, column = Variable("batch"), Variable("row"), Variable("column")
        element = Value(Instruction.ACCUMULATOR, accumulator)
        places = (variable_value(batch), variable_value(row), variable_value(column))
        statement = Contract(
            left,
            right,
            accumulator,
            builder.size(batches, "batches"),
            builder.size(m, "m"),
            builder.size(n, "n"),
            builder.size(k, "k"),
            self.left.tile,
            self.right.tile,
            batch,
            row,
            column,
            finish(builder, places, element),
        )
        tiles = (batches, -(-m // self.left.tile), -(-n // self.right.tile))
        cost = self.left.tile * self.right.tile * k // 32 + 1
        step = builder.finish((), (statement,), cost, self.product)
        # The tiles are the grid of a product; the kernel derives them from its sizes.
        return replace(step, grid=tiles)


def lower_contract(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a product group."""
    if not target.local_tiles:
        return ContractLowering(group, is_stored, target).lower()
    windowed = lower_windows(group, is_stored, target)
    return lower_product(group, is_stored, target) if windowed is None else windowed
