"""What the kernels of attention share: operands by block and panel, and the statements they use.

Scores are kept transposed, keys down and queries across, so that vector lanes run along queries:
maxima and sums over keys need no reduction across lanes, and keys and values are the left operands
of `Multiply`. A *panel* holds as many queries as a register tile has columns, a *block* of keys as
many as stay in the cache with their values.
"""

from dataclasses import dataclass
from math import prod

from pumice import dtypes
from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import (
    Let,
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
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
from pumice.ops.attention import Attention, operands_of
from pumice.ops.exponential import log
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target, Tile

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453
BLOCK_KEYS = 144
BLOCK_BYTES = 1 << 18
"""What a block of keys and values may take together: it is read again for each panel."""


def serial(variable: Variable, stop: Value, *body: Statement, start: Value | None = None) -> Loop:
    """Return a loop whose iterations run in order."""
    first = index(0) if start is None else start
    return Loop(variable, first, stop, LoopKind.SERIAL, body)


def lanes(variable: Variable, stop: Value, *body: Statement) -> Loop:
    """Return a loop whose iterations become vector lanes."""
    return Loop(variable, index(0), stop, LoopKind.LANES, body)


def smaller(first: Value, second: Value) -> Value:
    return (first < second).select(first, second)


def larger(first: Value, second: Value) -> Value:
    return (first < second).select(second, first)


def ceiling(value: Value, unit: int) -> Value:
    """Return how many units hold a number of things."""
    return (value + (unit - 1)).quotient(unit)


def split_rows(count: int, most: int) -> int:
    """Return the rows of tiles that share out ``count`` rows evenly."""
    tiles = -(-count // most)
    return -(-count // tiles)


@dataclass(frozen=True, slots=True)
class Tiled:
    """A left operand of many rows, multiplied tile by tile.

    Attributes
    ----------
    memory : Parameter
        The operand.
    at : Value
        Its first element.
    row, step : int
        Strides along its rows and along what is summed.
    """

    memory: Parameter
    at: Value
    row: int
    step: int


class AttentionSpace:
    """Sizes, axes and operands of one attention and the kernel being written for it."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target, spec: Attention) -> None:
        self.group = group
        self.target = target
        self.spec = spec
        self.nodes = operands_of(group.root.sources, spec)
        self.accumulator: DType = spec.accumulator
        tile = self.tile_of(target)
        self.rows, self.panel = tile.rows, tile.columns
        query, key, value = self.nodes[:3]
        self.queries, self.features = query.shape[-2:]
        self.keys, self.width = key.shape[-2], value.shape[-1]
        self.lead = len(query.shape) - 2
        row_bytes = (self.features + self.width) * self.accumulator.itemsize
        self.most_keys = min(BLOCK_KEYS, BLOCK_BYTES // row_bytes)
        self.block = max(self.most_keys // self.rows, 1) * self.rows
        self.builder = KernelBuilder()

        def stored_elsewhere(node: Node) -> bool:
            return node not in group.stored and is_stored(node)

        self.is_stored: IsStored = stored_elsewhere
        self.expressions = Expressions(self.builder, self.is_stored, {})
        roots = [node for node in group.root.sources if node is not self.nodes.scale]
        readings = [(node, View.contiguous(node.shape)) for node in roots]
        views = affine_views(reading_order(readings, self.is_stored), self.is_stored)
        self.axes = merge_axes(query.shape, range(self.lead), views)
        self.outer = [Variable("o") for _ in self.axes]
        self.query_count = self.builder.size(self.queries, "queries")
        self.key_count = self.builder.size(self.keys, "keys")

    def tile_of(self, target: Target) -> Tile:
        """Return the register tile of the products."""
        return target.tiles[self.accumulator.name]

    def local(self, name: str, extent: int) -> Parameter:
        """Return memory of the accumulator's type that each grid item has for itself."""
        return self.builder.local(self.accumulator, extent, name)

    # -- reading and writing operands -----------------------------------------------------------

    def frame(self, row: Value, column: Value) -> Frame:
        """Return the loops over the leading axes and a row and column of the last two."""
        members = (*self.axes, (self.lead,), (self.lead + 1,))
        variables = tuple(variable_value(variable) for variable in self.outer)
        return Frame(members, (*variables, row, column))

    def element(
        self,
        node: Node,
        row: Value,
        column: Value,
        inside: Value | None = None,
        dtype: DType | None = None,
    ) -> Value:
        """Return an element, in the accumulator's type unless another is asked for.

        It is 0, unread, where it is not inside.
        """
        self.expressions.mask = inside
        view = View.contiguous(node.shape)
        value = self.expressions.value(node, view, self.frame(row, column))
        self.expressions.mask = None
        value = value.cast(self.accumulator if dtype is None else dtype)
        return value if inside is None else inside.select(value, 0)

    def place(self, node: Node, row: Value, column: Value) -> Value:
        """Return the position of an element of a result."""
        return self.expressions.position(View.contiguous(node.shape), self.frame(row, column))

    def number(self, value: float) -> Value:
        return constant(value, self.accumulator)

    def scale(self) -> Value:
        """Return the factor of the scores."""
        return self.builder.number(self.nodes.scale)

    def outer_grid(self) -> list[tuple[Variable, Value, int]]:
        """Return the grid over the leading axes."""
        shape = self.nodes.query.shape
        grid = []
        for variable, members in zip(self.outer, self.axes, strict=True):
            extent = prod(shape[axis] for axis in members)
            grid.append((variable, self.builder.size(extent, "extent"), extent))
        return grid

    def views_of(self, node: Node) -> list[View]:
        """Return how an operand's memory is read; nothing for one that has none."""
        order = reading_order([(node, View.contiguous(node.shape))], self.is_stored)
        return affine_views(order, self.is_stored)

    def with_mask(self, score: Value, element: Value) -> Value:
        """Return a score, in units of log(2), under an element of the mask."""
        if self.nodes.mask.dtype is dtypes.bool_:
            return element.ne(0).select(score, self.number(float("-inf")))
        return score + element * self.number(LOG2_E)

    def kept(self, value: Value, query: Value, key: Value, inside: Value | None = None) -> Value:
        """Return what dropping leaves of a weight, or of its gradient."""
        keep = self.nodes.keep
        return value if keep is None else value * self.element(keep, query, key, inside)

    def closing(self, top: Value, total: Value) -> tuple[Value, Value]:
        """Return the norm and the factor of the result from the highest score and the sum."""
        norm = top * self.number(LN2) + total.apply(log)
        if not (self.spec.causal or self.spec.masked):
            return norm, self.number(1) / total
        empty = total.eq(0)
        inverse = self.number(1) / empty.select(1.0, total)
        return empty.select(float("inf"), norm), inverse

    # -- statements -----------------------------------------------------------------------------

    def copy_rows(
        self, memory: Parameter, node: Node, first: Value, count: Value, pitch: int
    ) -> list[Statement]:
        """Copy rows of an operand into local memory, in its type."""
        width = node.shape[-1]
        row, column = Variable("row"), Variable("column")
        element = self.element(
            node, first + variable_value(row), variable_value(column), dtype=memory.dtype
        )
        at = variable_value(row) * pitch + variable_value(column)
        copy = lanes(column, index(width), Store(memory, at, element))
        return [serial(row, count, copy)]

    def clear_rows(self, memory: Parameter, start: Value, stop: Value, pitch: int) -> Statement:
        """Write zeros into rows of local memory."""
        row, column = Variable("row"), Variable("column")
        at = variable_value(row) * pitch + variable_value(column)
        clear = lanes(column, index(pitch), Store(memory, at, self.number(0)))
        return serial(row, stop, clear, start=start)

    def copy_panel(
        self,
        memory: Parameter,
        at: Value,
        node: Node,
        first: Value,
        limit: Value,
        factor: Value | None,
    ) -> Statement:
        """Copy a panel of rows into local memory, features down and rows across."""
        lane, feature = Variable("lane"), Variable("feature")
        row = first + variable_value(lane)
        element = self.element(node, row, variable_value(feature), row < limit)
        if factor is not None:
            element = element * factor
        place = at + variable_value(feature) * self.panel + variable_value(lane)
        store = Store(memory, place, element)
        return lanes(lane, index(self.panel), serial(feature, index(node.shape[-1]), store))

    def fill(self, memory: Parameter, at: Value, count: int, value: float) -> Statement:
        """Set some elements of local memory."""
        item = Variable("item")
        store = Store(memory, at + variable_value(item), self.number(value))
        return lanes(item, index(count), store)

    def multiply(
        self,
        tile: Parameter,
        tile_at: Value,
        pitch: int,
        left: Tiled,
        right: tuple[Parameter, Value, int],
        depth: Value,
        rows: int,
        fresh: bool,
    ) -> Multiply:
        """Return a product of one register tile."""
        memory, right_at, right_step = right
        return Multiply(
            tile,
            tile_at,
            pitch,
            constant(fresh, dtypes.bool_),
            left.memory,
            left.at,
            index(left.row),
            index(left.step),
            memory,
            right_at,
            index(right_step),
            depth,
            rows,
            self.panel,
        )

    def product(
        self,
        tile: Parameter,
        tile_at: Value,
        left: Tiled,
        right: tuple[Parameter, Value, int],
        depth: Value,
        count: int,
    ) -> list[Statement]:
        """Add to a tile of ``count`` rows and one panel of columns."""
        rows = split_rows(count, self.rows)
        number = Variable("tile")

        def part(first: Value, height: int) -> Multiply:
            begin = Tiled(left.memory, left.at + first * left.row, left.row, left.step)
            at = tile_at + first * self.panel
            return self.multiply(tile, at, self.panel, begin, right, depth, height, fresh=False)

        whole, rest = divmod(count, rows)
        body: list[Statement] = [
            serial(number, index(whole), part(variable_value(number) * rows, rows))
        ]
        if rest:
            body.append(part(index(whole * rows), rest))
        return body


def read(memory: Parameter, at: Value) -> tuple[Let, Value]:
    """Return a statement that reads an element here, before it changes, and its value."""
    value = load(memory, at)
    return Let(value), value
