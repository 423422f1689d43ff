"""Products of tiles: panels of the right operand in local memory, rows of the left in place.

A grid item handles a few panels of columns and a run of rows::

    for panel: copy or transpose right[:, panel] to local memory
    for tile of rows:
      copy left[tile, :] to local memory, unless it is read in place
      for panel:
        multiply into a tile
        for row of the tile: lanes along columns store the epilogue

The last tile of rows is moved up so that it ends with the rows, and stores only what is its own.
When k is too deep for local memory, the first two steps run for one block of k after the other
while all tiles of the item are kept, and are stored at the end.
"""

from dataclasses import dataclass

from pumice import dtypes
from pumice.kernel.ir import (
    If,
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Prefetch,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Epilogue
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.operand import Elements, Product
from pumice.lowering.steps import Step
from pumice.lowering.tiling import PANEL_BYTES, RESULT_BYTES, ROWS_BYTES, Tiling

PADDING = 16
"""Elements between copied rows, so that they do not compete for the same places of a cache."""
TOGETHER = 112
"""Rows copied at once when memory follows them."""
AHEAD = 8
"""Steps of k between a prefetch and the copy it serves."""
CACHE_LINE = 64
NEAR = 64
"""Longest distance between steps of k at which rows are read in place."""


def serial(variable: Variable, start: Value, stop: Value, *body: Statement) -> Loop:
    """Return a loop that runs in order."""
    return Loop(variable, start, stop, LoopKind.SERIAL, body)


def lanes(variable: Variable, start: Value, stop: Value, *body: Statement) -> Loop:
    """Return a loop whose iterations become vector lanes."""
    return Loop(variable, start, stop, LoopKind.LANES, body)


@dataclass(frozen=True, slots=True)
class Part:
    """A run of k: its first step, its length, and whether tiles start at zero."""

    start: Value
    depth: Value
    fresh: Value


class PanelLowering:
    """Lowers one product to a kernel of tiles."""

    def __init__(self, product: Product, tiling: Tiling) -> None:
        self.product, self.tiling = product, tiling
        self.accumulator = product.node.argument.accumulator
        self.batches, m, k = product.left.extents
        n = product.right.extents[1]
        self.is_deep = tiling.depth < k
        b = self.builder = KernelBuilder()
        self.batch = Variable("batch")
        self.left = Elements(b, product.left, variable_value(self.batch))
        self.right = Elements(b, product.right, variable_value(self.batch))
        self.epilogue = Epilogue(b, product.group, product.node, product.is_stored)
        self.m, self.n, self.k = b.size(m, "m"), b.size(n, "n"), b.size(k, "k")
        self.panels = b.size(tiling.panels, "panels")
        self.row_tiles = b.size(tiling.row_tiles, "tiles")
        self.tiles_per_block = b.size(tiling.tiles_per_block, "block")
        self._plan_left(k)
        if not tiling.in_place:
            self.panel = self._panel_memory()
        extent = tiling.rows * tiling.columns
        if self.is_deep:
            extent = max(extent, RESULT_BYTES // self.accumulator.itemsize)
        self.tile = b.local(self.accumulator, extent, "tile")

    def _panel_memory(self) -> Parameter:
        extent = PANEL_BYTES // self.accumulator.itemsize
        return self.builder.local(self.accumulator, extent, "panel")

    def _plan_left(self, k: int) -> None:
        """Decide whether rows of the left operand are read in place, and their local otherwise."""
        side = self.product.left
        self.left_in_place = False
        if side.memory is not None and side.memory[0].dtype is self.accumulator:
            axes = side.groups[2]
            step = side.memory[1].strides[axes[0][-1]] if axes else 0
            single = self.tiling.row_tiles == 1 and self.tiling.panels == 1
            self.left_in_place = single or abs(step) <= NEAR
        if self.left_in_place:
            self.left_strides = self.left.strides()
            return
        extent = ROWS_BYTES // self.accumulator.itemsize
        self.copied = self.builder.local(self.accumulator, extent, "rows")
        rows = self.tiling.rows
        self.by_columns = side.follows_lines and not side.follows_k and rows > 2
        if self.by_columns:
            # Tiles are copied together: a short piece of each step of k would waste what comes
            # with it from memory.
            fitting = extent // (rows * max(self.tiling.depth, 1))
            together = max(1, min(fitting, self.tiling.tiles_per_block, -(-TOGETHER // rows)))
            self.together = self.builder.size(together, "together")
            self.left_strides = index(1), self.builder.size(together * rows, "pitch")
        else:
            pitch = -(-min(k, self.tiling.depth) // PADDING) * PADDING + PADDING
            self.left_strides = self.builder.size(pitch, "pitch"), index(1)

    def step(self) -> Step:
        """Return the launch."""
        b, tiling = self.builder, self.tiling
        column_block, row_block = Variable("columns"), Variable("rows")
        columns = variable_value(column_block) * self.panels
        all_panels = (self.n + (tiling.columns - 1)).quotient(index(tiling.columns))
        self.first_panel = columns
        self.panel_count = minimum(self.panels, all_panels - columns)
        self.first_tile = variable_value(row_block) * self.tiles_per_block
        self.last_tile = minimum(self.first_tile + self.tiles_per_block, self.row_tiles)
        yes = constant(True, dtypes.bool_)
        body = self._deep() if self.is_deep else self._products(Part(index(0), self.k, yes))
        grid = (
            (self.batch, b.size(self.batches, "batches"), self.batches),
            (column_block, b.size(tiling.column_blocks, "blocks"), tiling.column_blocks),
            (row_block, b.size(tiling.row_blocks, "blocks"), tiling.row_blocks),
        )
        area = tiling.rows * tiling.columns * tiling.panels * tiling.tiles_per_block
        cost = area * self.product.left.extents[2] // 32 + area + 1
        return b.finish(grid, body, cost, self.product.node)

    def _deep(self) -> tuple[Statement, ...]:
        block = Variable("deep")
        length = self.builder.size(self.tiling.depth, "depth")
        start = variable_value(block) * length
        blocks = (self.k + (length - 1)).quotient(length)
        part = Part(start, minimum(length, self.k - start), variable_value(block).eq(0))
        tile, panel = Variable("tile"), Variable("panel")
        stores = self._finish(variable_value(tile), variable_value(panel))
        across = serial(panel, index(0), self.panel_count, *stores)
        return (
            serial(block, index(0), blocks, *self._products(part)),
            serial(tile, self.first_tile, self.last_tile, across),
        )

    def _products(self, part: Part) -> tuple[Statement, ...]:
        """Multiply every tile of the item for a run of k; finish it there when k is one run."""
        tile, panel, packed = Variable("tile"), Variable("panel"), Variable("panel")
        if not self.left_in_place and self.by_columns:
            group = Variable("group")
            first = self.first_tile + variable_value(group) * self.together
            self.group_row = self._first_row(first)
        across: tuple[Statement, ...] = self._multiply(
            variable_value(tile), variable_value(panel), part
        )
        if not self.is_deep:
            across += self._finish(variable_value(tile), variable_value(panel))
        body: tuple[Statement, ...] = ()
        if not self.tiling.in_place:
            pack = self._pack(variable_value(packed), part)
            if pack:
                body = (serial(packed, index(0), self.panel_count, *pack),)
        columns = serial(panel, index(0), self.panel_count, *across)
        if self.left_in_place:
            return (*body, serial(tile, self.first_tile, self.last_tile, columns))
        if not self.by_columns:
            copy = self._copy_rows(variable_value(tile), part)
            return (*body, serial(tile, self.first_tile, self.last_tile, *copy, columns))
        groups = (self.last_tile - self.first_tile + (self.together - 1)).quotient(self.together)
        copy = self._copy_block(part)
        stop = minimum(first + self.together, self.last_tile)
        return (*body, serial(group, index(0), groups, *copy, serial(tile, first, stop, columns)))

    # -- operands ---------------------------------------------------------------------------------

    def _first_row(self, tile: Value) -> Value:
        """Return the row a tile starts at: the last one ends with the rows."""
        return minimum(tile * self.tiling.rows, self.m - self.tiling.rows)

    def _last_row(self) -> Value:
        """Return how many rows of a tile there are."""
        return index(self.tiling.rows)

    def _first_column(self, panel: Value) -> Value:
        return (self.first_panel + panel) * self.tiling.columns

    def _by_width(
        self, panel: Value, whole: tuple[Statement, ...], partial: tuple[Statement, ...]
    ) -> tuple[Statement, ...]:
        """Choose between the statements for a whole panel and those for the last columns."""
        inside = self._first_column(panel) + self.tiling.columns <= self.n
        return (If(inside, whole), If(~inside, partial))

    def _copy_rows(self, tile: Value, part: Part) -> tuple[Statement, ...]:
        row, p = Variable("row"), Variable("p")
        r, step = variable_value(row), variable_value(p)
        rows = index(self.tiling.rows)
        element = self.left.value(self._first_row(tile) + r, part.start + step, self.accumulator)
        line, stride = self.left_strides
        store = Store(self.copied, r * line + step * stride, element)
        return (serial(row, index(0), rows, lanes(p, index(0), part.depth, store)),)

    def _copy_block(self, part: Part) -> tuple[Statement, ...]:
        """Copy the rows of some tiles, those of one step of k side by side."""
        row, p = Variable("row"), Variable("p")
        r, step = variable_value(row), variable_value(p)
        pitch = self.left_strides[1]
        element = self.left.value(self.group_row + r, part.start + step, self.accumulator)
        store = Store(self.copied, r + step * pitch, element)
        count = minimum(pitch, self.m - self.group_row)
        copy = lanes(row, index(0), count, store)
        ahead = self._ask_ahead(self.left, self.group_row, part.start + step, TOGETHER)
        return (serial(p, index(0), part.depth, *ahead, copy),)

    def _ask_ahead(
        self, elements: Elements, line: Value, k: Value, count: int
    ) -> tuple[Statement, ...]:
        """Ask for elements of some lines that a later step of k reads."""
        if elements.side.memory is None:
            return ()
        buffer = elements.buffer()
        return tuple(
            Prefetch(buffer, elements.place(line + offset, k + AHEAD))
            for offset in range(0, count, CACHE_LINE // buffer.dtype.itemsize)
        )

    def _pack(self, panel: Value, part: Part) -> tuple[Statement, ...]:
        """Fill a panel of local memory; columns beyond the last one are 0."""
        columns = self.tiling.columns
        first = self._first_column(panel)
        width = self.n - first
        base = panel * part.depth * columns
        side = self.product.right
        if side.memory is not None and side.follows_k and not side.follows_lines:
            source = side.memory[0].dtype
            if source.kind is self.accumulator.kind and source.bits <= self.accumulator.bits:
                at = self.right.place(first, part.start)
                line = self.right.strides()[0]
                buffer = self.right.buffer()

                def transpose(limit: Value | None) -> Statement:
                    return Transpose(
                        self.panel, base, columns, buffer, at, line, part.depth, columns, limit
                    )

                return self._by_width(panel, (transpose(None),), (transpose(width),))
        whole = self._copy_columns(first, base, index(columns), part)
        partial = self._copy_columns(first, base, width, part)
        return self._by_width(panel, whole, partial)

    def _copy_columns(
        self, first: Value, base: Value, width: Value, part: Part
    ) -> tuple[Statement, ...]:
        p, lane, rest = Variable("p"), Variable("lane"), Variable("lane")
        column, step = variable_value(lane), variable_value(p)
        at = base + step * self.tiling.columns
        element = self.right.value(first + column, part.start + step, self.accumulator)
        copy = lanes(lane, index(0), width, Store(self.panel, at + column, element))
        zero = constant(0, self.accumulator)
        empty = Store(self.panel, at + variable_value(rest), zero)
        body: tuple[Statement, ...] = (copy,)
        if width.arguments:
            body = (copy, lanes(rest, width, index(self.tiling.columns), empty))
        return (serial(p, index(0), part.depth, *body),)

    # -- tiles ------------------------------------------------------------------------------------

    def _tile_at(self, tile: Value, panel: Value) -> Value:
        if not self.is_deep:
            return index(0)
        area = self.tiling.rows * self.tiling.columns
        return ((tile - self.first_tile) * self.panels + panel) * area

    def _multiply(self, tile: Value, panel: Value, part: Part) -> tuple[Statement, ...]:
        columns = self.tiling.columns
        left, left_at = self._left_place(tile, part)
        line, step = self.left_strides

        def multiply(right: Parameter, at: Value, stride: Value, width: Value | None) -> Multiply:
            return Multiply(
                self.tile,
                self._tile_at(tile, panel),
                columns,
                part.fresh,
                left,
                left_at,
                line,
                step,
                right,
                at,
                stride,
                part.depth,
                self.tiling.rows,
                columns,
                width,
            )

        if not self.tiling.in_place:
            return (multiply(self.panel, panel * part.depth * columns, index(columns), None),)
        first = self._first_column(panel)
        right, at = self.right.buffer(), self.right.place(first, part.start)
        stride = self.right.strides()[1]
        return self._by_width(
            panel,
            (multiply(right, at, stride, None),),
            (multiply(right, at, stride, self.n - first),),
        )

    def _left_place(self, tile: Value, part: Part) -> tuple[Parameter, Value]:
        if self.left_in_place:
            return self.left.buffer(), self.left.place(self._first_row(tile), part.start)
        if self.by_columns:
            return self.copied, self._first_row(tile) - self.group_row
        return self.copied, index(0)

    def _finish(self, tile: Value, panel: Value) -> tuple[Statement, ...]:
        """Store what the epilogue makes of a tile, lanes along columns."""
        columns = self.tiling.columns
        whole = self._finish_rows(tile, panel, index(columns))
        partial = self._finish_rows(tile, panel, self.n - self._first_column(panel))
        return self._by_width(panel, whole, partial)

    def _finish_rows(self, tile: Value, panel: Value, width: Value) -> tuple[Statement, ...]:
        row, lane = Variable("row"), Variable("lane")
        r, j = variable_value(row), variable_value(lane)
        first = self._first_row(tile)
        at = self._tile_at(tile, panel) + r * self.tiling.columns + j
        element = load(self.tile, at)
        coordinates = first + r, self._first_column(panel) + j
        if self.product.swapped:
            coordinates = coordinates[1], coordinates[0]
        stores = self.epilogue.store(variable_value(self.batch), *coordinates, element)
        across = lanes(lane, index(0), width, *stores)
        skipped = tile * self.tiling.rows - first
        return (serial(row, skipped, self._last_row(), across),)
