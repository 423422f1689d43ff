"""Products of tiles: panels of the right operand in local memory, rows of the left in place.

A grid item handles a few panels of columns and a run of rows::

    for panel: copy or transpose right[:, panel] to local memory
    for tile of rows:
      copy left[tile, :] to local memory, unless it is read in place
      for panel:
        multiply into a tile
        for row of the tile: lanes along columns store the epilogue

The last tile of rows is moved up so that it ends with the rows, and stores only what is its own.
When k is too deep for the caches, all this runs for one run of k after the other while the tiles
of the item are kept; the last run stores them, and products ask for what the next one packs.
"""

from dataclasses import dataclass, replace

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
from pumice.lowering.asking import Hint, Wanted, asking, share
from pumice.lowering.blocking import PADDING, is_read_in_place, pitch_of
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Epilogue
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.operand import Elements, Product
from pumice.lowering.steps import Step
from pumice.lowering.tiling import ROWS_BYTES, Tiling
from pumice.sizes import at_least, called
from pumice.target import CACHE_LINE

TOGETHER = 112
"""Rows copied at once when memory follows them."""
TOGETHER_BYTES = 3 << 17
AHEAD = 8
"""Steps of k between a prefetch and the copy it serves."""


def serial(variable: Variable, start: Value, stop: Value, *body: Statement) -> Loop:
    """Return a loop that runs in order."""
    return Loop(variable, start, stop, LoopKind.SERIAL, body)


def lanes(variable: Variable, start: Value, stop: Value, *body: Statement) -> Loop:
    """Return a loop whose iterations become vector lanes."""
    return Loop(variable, start, stop, LoopKind.LANES, body)


@dataclass(frozen=True, slots=True)
class Part:
    """A run of k: its first step, its length, and whether tiles begin and end with it."""

    start: Value
    depth: Value
    fresh: Value
    last: Value


class PanelLowering:
    """Lowers one product to a kernel of tiles."""

    def __init__(self, product: Product, tiling: Tiling) -> None:
        self.product, self.tiling = product, tiling
        self.accumulator = product.node.argument.accumulator
        self.batches, (_, m, k) = product.batches, product.left.extents
        n = product.right.extents[1]
        self.is_deep = tiling.depth < k
        b = self.builder = KernelBuilder()
        self.batch = Variable("batch")
        self.left = Elements(b, product.left, variable_value(self.batch))
        self.right = Elements(b, product.right, variable_value(self.batch))
        self.epilogue = Epilogue(b, product.group, product.node, product.is_stored, product.apart)
        self.m, self.n, self.k = b.size(m, "m"), b.size(n, "n"), b.size(k, "k")
        self.panels = b.size(tiling.panels, "panels")
        self.row_tiles = b.size(tiling.row_tiles, "tiles")
        self.tiles_per_block = b.size(tiling.tiles_per_block, "block")
        self._plan_left(k)
        if not tiling.in_place:
            self.panel = self._panel_memory()
        extent = tiling.rows * tiling.columns
        if self.is_deep:
            extent = max(extent, tiling.kept_bytes // self.accumulator.itemsize)
        self.tile = b.local(self.accumulator, extent, "tile")

    def _panel_memory(self) -> Parameter:
        extent = self.tiling.panel_bytes // self.accumulator.itemsize
        return self.builder.local(self.accumulator, extent, "panel")

    def _plan_left(self, k: int) -> None:
        """Decide whether rows of the left operand are read in place, and their local otherwise."""
        side, tiling = self.product.left, self.tiling
        single = tiling.row_tiles == 1 and tiling.panels == 1
        is_single = single and side.memory is not None and side.memory[0].dtype is self.accumulator
        self.left_in_place = is_single or is_read_in_place(self.product)
        if self.left_in_place:
            self.left_strides = self.left.strides()
            return
        rows = tiling.rows
        self.by_columns = side.follows_lines and not side.follows_k and rows > 2
        extent = (TOGETHER_BYTES if tiling.blocked else ROWS_BYTES) // self.accumulator.itemsize
        if self.by_columns:
            # Tiles are copied together: a short piece of each step of k would waste what comes
            # with it from memory.
            fitting = extent // (rows * at_least(1, tiling.depth))
            fewest = called(min, tiling.tiles_per_block, -(-TOGETHER // rows), least=1)
            together = at_least(1, called(min, fitting, fewest))
            self.together = self.builder.size(together, "together")
            self.left_strides = index(1), self.builder.size(together * rows, "pitch")
        elif tiling.blocked:
            pitch = pitch_of(tiling.depth)
            self.left_strides = index(pitch), index(1)
            extent = rows * pitch
        else:
            pitch = -(-tiling.depth // PADDING) * PADDING + PADDING
            self.left_strides = self.builder.size(pitch, "pitch"), index(1)
        self.copied = self.builder.local(self.accumulator, extent, "rows")

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
        body = self._deep() if self.is_deep else self._products(Part(index(0), self.k, yes, yes))
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
        number = variable_value(block)
        depth = minimum(length, self.k - start)
        part = Part(start, depth, number.eq(0), (number + 1).eq(blocks))
        return (serial(block, index(0), blocks, *self._products(part)),)

    def _products(self, part: Part) -> tuple[Statement, ...]:
        """Multiply every tile of the item for a run of k; finish it there when k is one run."""
        tile, panel = Variable("tile"), Variable("panel")
        if not self.left_in_place and self.by_columns:
            group = Variable("group")
            first = self.first_tile + variable_value(group) * self.together
            self.group_row = self._first_row(first)
        across = self._across(variable_value(tile), variable_value(panel), part)
        body: tuple[Statement, ...] = ()
        if not self.tiling.in_place:
            body = self._pack_panels(part)
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

    def _across(self, tile: Value, panel: Value, part: Part) -> tuple[Statement, ...]:
        """Multiply a tile, and finish it: on the way if its sums are the result, or afterwards."""
        products, finish = self._multiply(tile, panel, part), self._finish(tile, panel)
        if self.is_deep:
            finish = (If(part.last, finish),)
        first, column = self._first_row(tile), self._first_column(panel)
        place = self.epilogue.place(variable_value(self.batch), first, column)
        product = products[0]
        if place is None or self.product.swapped or not isinstance(product, Multiply):
            return (*products, *finish)
        # Rows that two tiles share are written by one of them.
        own = first.eq(tile * self.tiling.rows) & (column + self.tiling.columns <= self.n)
        direct = own & part.last if self.is_deep else own
        stored = replace(product, result=place.buffer, result_at=(place.at, place.row))
        return (If(direct, (stored,)), If(~direct, (*products, *finish)))

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

    def _pack_panels(self, part: Part) -> tuple[Statement, ...]:
        """Fill the panels: turned, or by rows, as long pieces of memory as there are."""
        side, panel = self.product.right, Variable("panel")
        number = variable_value(panel)
        if side.memory is not None and side.follows_k and not side.follows_lines:
            source = side.memory[0].dtype
            if source.kind is self.accumulator.kind and source.bits <= self.accumulator.bits:
                turned = self._turned(number, part)
                return (serial(panel, index(0), self.panel_count, *turned),)
        columns = index(self.tiling.columns)
        inside = (self.n - self._first_column(index(0))).quotient(columns)
        whole, rest = minimum(self.panel_count, inside), Variable("panel")
        last = variable_value(rest)
        width = self.n - self._first_column(last)
        p, q = Variable("p"), Variable("p")
        copies = self._copy_columns(number, variable_value(p), columns, part)
        partial = self._copy_columns(last, variable_value(q), width, part)
        zero, lane = constant(0, self.accumulator), Variable("lane")
        at = self._row_of_panel(last, variable_value(q), part) + variable_value(lane)
        empty = lanes(lane, width, columns, Store(self.panel, at, zero))
        return (
            serial(p, index(0), part.depth, serial(panel, index(0), whole, copies)),
            serial(rest, whole, self.panel_count, serial(q, index(0), part.depth, partial, empty)),
        )

    def _turned(self, panel: Value, part: Part) -> tuple[Statement, ...]:
        """Fill a panel with columns that lie along k; those beyond the last one are 0."""
        columns, first = self.tiling.columns, self._first_column(panel)
        at, line = self.right.place(first, part.start), self.right.strides()[0]
        base, buffer = self._row_of_panel(panel, index(0), part), self.right.buffer()

        def transpose(width: Value | None) -> Statement:
            return Transpose(
                self.panel, base, columns, buffer, at, line, part.depth, columns, width
            )

        return self._by_width(panel, (transpose(None),), (transpose(self.n - first),))

    def _row_of_panel(self, panel: Value, step: Value, part: Part) -> Value:
        """Return where a row of a panel begins."""
        return (panel * part.depth + step) * self.tiling.columns

    def _copy_columns(self, panel: Value, step: Value, width: Value, part: Part) -> Statement:
        """Copy the columns of a panel for one step of k."""
        lane = Variable("lane")
        column = variable_value(lane)
        line = self._first_column(panel) + column
        element = self.right.value(line, part.start + step, self.accumulator)
        at = self._row_of_panel(panel, step, part) + column
        return lanes(lane, index(0), width, Store(self.panel, at, element))

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
            product = multiply(
                self.panel, self._row_of_panel(panel, index(0), part), index(columns), None
            )
            hints = self._ahead(tile, panel, part)
            return (asking(product, hints),)
        first = self._first_column(panel)
        right, at = self.right.buffer(), self.right.place(first, part.start)
        stride = self.right.strides()[1]
        return self._by_width(
            panel,
            (multiply(right, at, stride, None),),
            (multiply(right, at, stride, self.n - first),),
        )

    def _ahead(self, tile: Value, panel: Value, part: Part) -> list[Hint]:
        """Return what to ask for with a product: what comes next of both operands."""
        hints, tiling = [], self.tiling
        if self.product.right.memory is not None:
            products = tiling.panels * tiling.tiles_per_block
            number = (tile - self.first_tile) * self.panel_count + panel
            hints.append(share(self.builder, self._panels_ahead(part), products, number))
        if self.left_in_place:
            wanted = self._rows_ahead(tile, part)
            hints.append(share(self.builder, wanted, tiling.panels, panel))
        return hints

    def _panels_ahead(self, part: Part) -> Wanted:
        """Return what the next run of k, or item, copies to panels."""
        side, tiling = self.product.right, self.tiling
        columns, depth = tiling.panels * tiling.columns, called(min, tiling.depth, side.extents[2])
        column, step, elements = self._next_panels(part)
        line, k_stride = elements.strides()
        buffer = elements.buffer()
        if side.follows_k:
            return Wanted(buffer, lambda r: elements.place(column + r, step), line, columns, depth)
        return Wanted(buffer, lambda r: elements.place(column, step + r), k_stride, depth, columns)

    def _next_panels(self, part: Part) -> tuple[Value, Value, Elements]:
        """Return the first column and step of k of the panels to come, and their elements."""
        if self.is_deep:
            return self._first_column(index(0)), part.start + part.depth, self.right
        following = self.first_panel + self.panels
        all_panels = (self.n + (self.tiling.columns - 1)).quotient(index(self.tiling.columns))
        same = following < all_panels
        batch = same.select(variable_value(self.batch), variable_value(self.batch) + 1)
        column = same.select(following, 0) * self.tiling.columns
        return column, index(0), Elements(self.builder, self.product.right, batch)

    def _rows_ahead(self, tile: Value, part: Part) -> Wanted:
        """Return the rows of the next tile."""
        tiling = self.tiling
        same = tile + 1 < self.last_tile
        batch = same.select(variable_value(self.batch), variable_value(self.batch) + 1)
        elements = Elements(self.builder, self.product.left, batch)
        first = self._first_row(same.select(tile + 1, self.first_tile))
        width = called(min, tiling.depth, self.product.left.extents[2])
        return Wanted(
            elements.buffer(),
            lambda row: elements.place(first + row, part.start),
            elements.strides()[0],
            tiling.rows,
            width,
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
