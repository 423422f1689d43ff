"""Sizes of the tiles, panels and blocks of a product.

Elements are summed in the order of k whatever these sizes are, so they are free to follow the
shape: they decide speed only.
"""

from dataclasses import dataclass

from pumice.dtypes import DType
from pumice.lowering.operand import Product

TILE_ROWS = (1, 2, 3, 4, 6, 8, 10, 12, 13, 14)
"""Row counts that tiles have, so that few kernels serve all sizes."""
LOCAL_BYTES = 1 << 19
"""Bytes of panels, and of a tile's rows, that an item keeps near."""
RESULT_BYTES = 1 << 18
MOST_PANELS = 8
WANTED_ITEMS = 16
FEWEST_TILES = 4
WIDEST = 16
"""Most vectors in a row of a tile."""
TALL = 20
"""Tiles of rows from which the last, partial one does not matter."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """How a product is cut.

    Attributes
    ----------
    rows, columns : int
        The register tile; the last row of tiles is moved up to end with the rows.
    panels : int
        Columns of tiles one grid item handles.
    row_tiles, row_blocks, column_blocks : int
        Rows of tiles in all, and into how many items rows and columns are cut.
    in_place : bool
        Whether the right operand is read where it lies.
    depth : int
        Steps of k between which tiles are kept, all of k when it fits.
    """

    rows: int
    columns: int
    panels: int
    row_tiles: int
    row_blocks: int
    column_blocks: int
    in_place: bool
    depth: int

    @property
    def tiles_per_block(self) -> int:
        return -(-self.row_tiles // self.row_blocks)


def tile_rows(m: int, most: int) -> int:
    """Return the rows of a tile: as many as fit, less where that leaves a last tile emptier."""
    tiles = -(-m // most)
    if tiles >= TALL:
        return most
    even = -(-m // tiles)
    return min((rows for rows in TILE_ROWS if even <= rows <= most), default=most)


def choose_tiling(product: Product) -> Tiling:
    """Return the sizes for a product."""
    left, right = product.left, product.right
    accumulator: DType = product.node.argument.accumulator
    batches, m, k = left.extents
    n = right.extents[1]
    full = product.target.tiles[accumulator.name]
    rows = tile_rows(m, full.rows)
    rows = min(rows, m)
    row_tiles = -(-m // rows)
    in_place = (
        row_tiles <= 2
        and right.memory is not None
        and right.is_simple
        and right.follows_lines
        and right.memory[0].dtype.kind is accumulator.kind
    )
    columns = full.columns
    if in_place:
        columns = _wide(full.rows * columns, rows, columns, batches, n)
    while columns > 8 and columns // 2 >= n:
        columns //= 2
    local = LOCAL_BYTES // accumulator.itemsize
    deepest = max(min(local // columns, local // rows - 32), 1)
    depth = k if in_place or k <= deepest else deepest // 2
    all_panels = -(-n // columns)
    panels = max(1, min(MOST_PANELS, all_panels, local // max(depth * columns, 1)))
    while panels > 1 and batches * -(-all_panels // panels) < WANTED_ITEMS:
        panels -= 1
    column_blocks = -(-all_panels // panels)
    blocks = -(-WANTED_ITEMS // (batches * column_blocks))
    row_blocks = max(1, min(blocks, row_tiles // FEWEST_TILES))
    if depth < k:
        kept = RESULT_BYTES // accumulator.itemsize // (panels * columns * rows)
        row_blocks = max(row_blocks, -(-row_tiles // max(kept, 1)))
    return Tiling(rows, columns, panels, row_tiles, row_blocks, column_blocks, in_place, depth)


def _wide(registers: int, rows: int, columns: int, batches: int, n: int) -> int:
    """Return the columns of a tile of few rows: more of them, in as many registers."""
    while (
        2 * columns * rows <= registers
        and 2 * columns <= n
        and batches * -(-n // (2 * columns)) >= WANTED_ITEMS // 2
    ):
        columns *= 2
    return columns
