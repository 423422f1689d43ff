"""Products: both operands are packed into panels, then multiplied tile by tile.

Packing is an ordinary loop kernel, so whatever computes the operand (a transpose, a sliding
window, a cast, an activation) is fused into it. The product's epilogue stores the result, or
whatever elementwise group reads it.
"""

from dataclasses import dataclass, replace
from math import prod

from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Contract,
    Instruction,
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.ops.view import Shape, View
from pumice.schedule.items import Group
from pumice.target import Target


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

    @property
    def packed_bytes(self) -> int:
        batch, lines, k = self.extents
        panels = -(-lines // self.tile)
        return batch * panels * self.tile * k * self.accumulator.itemsize


def decode(
    builder: KernelBuilder, position: Value, shape: Shape, groups: list[tuple[int, ...]]
) -> tuple[Value, ...]:
    """Split a flattened position into the positions of merged axes."""
    values: list[Value] = []
    rest = position
    for number, members in enumerate(reversed(groups)):
        if number == len(groups) - 1:
            values.append(rest)
            break
        extent = builder.size(prod(shape[axis] for axis in members), "extent")
        values.append(rest.modulus(extent))
        rest = rest.quotient(extent)
    return tuple(reversed(values))


def pack(operand: Operand, is_stored: IsStored, target: Target) -> tuple[Scratch, Step]:
    """Return the packed memory ``[batch][panel][k][tile]`` of an operand, and its launch."""
    node = operand.node
    shape = node.shape
    batch, lines, k = operand.extents
    panels = -(-lines // operand.tile)
    scratch = Scratch(operand.packed_bytes)
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
    expressions.mask = inside
    panel_count = builder.size(panels, "panels")
    k_size = builder.size(k, "k")
    base = (variable_value(item) * panel_count + variable_value(panel)) * k_size

    k_variables = [Variable("k") for _ in k_axes]
    extents = [prod(shape[axis] for axis in members) for members in k_axes]
    k_position: Value = index(0)
    sizes = []
    for variable, extent in zip(k_variables, extents, strict=True):
        size = builder.size(extent, "extent")
        sizes.append(size)
        k_position = k_position * size + variable_value(variable)
    frame = Frame(
        (*batch_axes, *line_axes, *k_axes),
        decode(builder, variable_value(item), shape, batch_axes)
        + decode(builder, line, shape, line_axes)
        + tuple(variable_value(variable) for variable in k_variables),
    )
    element = expressions.value(node, view, frame).cast(operand.accumulator)
    # Masked loads give 0, but what is computed from them need not be 0 (exp of it is 1).
    element = inside.select(element, constant(0, operand.accumulator))
    at = (base + k_position) * tile + variable_value(lane)
    body: tuple[Statement, ...] = (Store(output, at, element),)
    grid = [(item, builder.size(batch, "batch"), batch), (panel, panel_count, panels)]
    if target.grid_lanes:
        grid += list(zip(k_variables, sizes, extents, strict=True))
        grid.append((lane, tile, operand.tile))
        return scratch, builder.finish(tuple(grid), body, 1, node)
    for variable, size in reversed(list(zip(k_variables, sizes, strict=True))):
        body = (Loop(variable, index(0), size, LoopKind.SERIAL, body),)
    body = (Loop(lane, index(0), tile, LoopKind.LANES, body),)
    return scratch, builder.finish(tuple(grid), body, k * operand.tile // 4 + 1, node)


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
        packed_left, first = pack(self.left, self._is_stored, self.target)
        packed_right, second = pack(self.right, self._is_stored, self.target)
        return [first, second, self._multiply(packed_left, packed_right)]

    def _multiply(self, packed_left: Scratch, packed_right: Scratch) -> Step:
        builder = KernelBuilder()
        accumulator = self.left.accumulator
        batches, m, k = self.left.extents
        n = self.right.extents[1]
        left = builder.readable(packed_left, accumulator)
        right = builder.readable(packed_right, accumulator)
        batch, row, column = Variable("batch"), Variable("row"), Variable("column")
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
            self._epilogue(builder, batch, row, column),
        )
        tiles = (batches, -(-m // self.left.tile), -(-n // self.right.tile))
        cost = self.left.tile * self.right.tile * k // 32 + 1
        step = builder.finish((), (statement,), cost, self.product)
        # The tiles are the grid of a product; the kernel derives them from its sizes.
        return replace(step, grid=tiles)

    def _epilogue(
        self, builder: KernelBuilder, batch: Variable, row: Variable, column: Variable
    ) -> tuple[Statement, ...]:
        group = self.group
        spec = self.product.argument
        shape = self.product.shape
        root = group.root
        identity = View.contiguous(shape)
        # Views over the group's space are read over the product's space.
        view = identity if group.inverse is None else group.inverse
        is_leaf = self._is_leaf
        views = affine_views(reading_order([(root, view)], is_leaf), self._is_stored)
        views.append(view)
        first, second = spec.batch, spec.batch + spec.m
        groups = (
            merge_axes(shape, range(first), views),
            merge_axes(shape, range(first, second), views),
            merge_axes(shape, range(second, len(shape)), views),
        )
        variables: tuple[Value, ...] = ()
        for variable, members in zip((batch, row, column), groups, strict=True):
            if members:
                variables += decode(builder, variable_value(variable), shape, members)
        frame = Frame((*groups[0], *groups[1], *groups[2]), variables)
        element = Value(Instruction.ACCUMULATOR, spec.accumulator)
        expressions = Expressions(
            builder, self._is_stored, {self.product: element.cast(self.product.dtype)}
        )
        if root is self.product:
            value = expressions.results[root]
        else:
            value = expressions.value(root, view, frame)
        output = builder.writable(root, root.dtype, view.offset)
        return (Store(output, expressions.position(view, frame), value),)

    def _is_leaf(self, node: Node) -> bool:
        return node is self.product or self._is_stored(node)


def lower_contract(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a product group."""
    return ContractLowering(group, is_stored, target).lower()
