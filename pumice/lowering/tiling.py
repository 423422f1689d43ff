"""Sizes of the tiles, panels and blocks of a product.

Elements are summed in the order of k whatever these sizes are, so they are free to follow the
shape: they decide speed only.
"""

from dataclasses import dataclass

from pumice import dtypes
from pumice.dtypes import DType
from pumice.lowering.operand import Product
from pumice.sizes import at_least, called
from pumice.target import Tile

PANEL_BYTES = 1 << 20
"""Bytes of panels that an item keeps near: half of a common second-level cache."""
ROWS_BYTES = 1 << 19
RESULT_BYTES = 1 << 18
MOST_PANELS = 8
ITEMS_PER_THREAD = 4
FEWEST_ITEMS = 8
"""Grid items wanted where the shape alone decides."""
WORD = 4
"""Bytes of a word along k."""
FEWEST_TILES = 4
MOST_TILES_IN_PLACE = 2
MANY_TILES = 8
"""Tiles of rows from which panels of words are packed once, by a launch of its own."""
TALL = 20
"""Tiles of rows from which the last, partial one matters little."""
HIGH = 12
"""Rows of a tile from which one less costs nothing for each of the others."""
ROW = 10
"""What a row of a tile takes, in what starting a tile does."""


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
    packed : bool
        Whether a launch before the product packs the right operand.
    blocked : bool
        Whether runs of k are short enough for copied rows to lie at a distance that is known.
    panel_bytes, kept_bytes : int
        Local memory of the panels, and of the tiles kept between runs of k.
    """

    rows: int
    columns: int
    panels: int
    row_tiles: int
    row_blocks: int
    column_blocks: int
    in_place: bool
    depth: int
    packed: bool = False
    blocked: bool = False
    panel_bytes: int = PANEL_BYTES
    kept_bytes: int = RESULT_BYTES

    @property
    def tiles_per_block(self) -> int:
        return -(-self.row_tiles // self.row_blocks)


def tile_rows(m: int, most: int) -> int:
    """Return the rows of a tile: as many as fit, less where that leaves a last tile emptier."""
    tiles = -(-m // most)
    if tiles < TALL:
        return -(-m // tiles)
    fewer = most - 1
    computed, otherwise = (
        count * (ROW * each + 1) for count, each in ((tiles, most), (-(-m // fewer), fewer))
    )
    return fewer if most >= HIGH and otherwise < computed else most


def word_tile(product: Product) -> Tile | None:
    """Return the tile of a product by words of narrow elements; None if it is no such product."""
    sides = {side.node.dtype for side in (product.left, product.right)}
    accumulator: DType = product.node.argument.accumulator
    if accumulator is dtypes.float32 and sides == {dtypes.bfloat16}:
        return product.target.tiles.get("bfloat16")
    if accumulator is dtypes.int32 and sides <= {dtypes.int8, dtypes.uint8}:
        return product.target.tiles.get("int8")
    return None


def word_tiling(product: Product) -> Tiling:
    """Return the sizes for a product by words."""
    tile = word_tile(product)
    assert tile is not None
    k, size = product.left.extents[2], product.left.node.dtype.itemsize
    if tile.step == 1:
        tile = _fitted(tile, product)
    step = tile.step * WORD // size
    local = PANEL_BYTES // size
    deepest = local // tile.columns // 2 // step * step
    depth = min(k, deepest)
    panels = local // (-(-depth // step) * step * tile.columns)
    packed = product.left.extents[1] >= tile.rows * MANY_TILES
    return cut(product, tile, False, depth, panels, packed)


def _fitted(tile: Tile, product: Product) -> Tile:
    """Return a tile of vectors that leaves little of it empty."""
    columns = tile.columns
    while columns > 8 and columns // 2 >= product.right.extents[1]:
        columns //= 2
    return Tile(tile_rows(product.left.extents[1], tile.rows), columns)


def cut(
    product: Product, tile: Tile, in_place: bool, depth: int, most: int, packed: bool = False
) -> Tiling:
    """Share tiles out to grid items, at most some panels each."""
    batches, (_, m, k) = product.batches, product.left.extents
    n = product.right.extents[1]
    rows, columns = tile.rows, tile.columns
    row_tiles = -(-m // rows)
    all_panels = -(-n // columns)
    wanted = ITEMS_PER_THREAD * product.target.limits.get("threads", FEWEST_ITEMS)
    # Sharing rows out costs nothing where nobody has to pack panels for it.
    items = batches * at_least(1, row_tiles // FEWEST_TILES) if packed else batches
    panels = called(_panels, items, all_panels, most, wanted)
    column_blocks = -(-all_panels // panels)
    row_blocks = called(_row_blocks, batches * column_blocks, row_tiles, wanted)
    if depth < k:
        size = product.node.argument.accumulator.itemsize
        kept = RESULT_BYTES // size // (panels * columns * rows)
        row_blocks = at_least(row_blocks, -(-row_tiles // at_least(1, kept)))
    return Tiling(
        rows, columns, panels, row_tiles, row_blocks, column_blocks, in_place, depth, packed
    )


def _panels(others: int, all_panels: int, fitting: int, wanted: int) -> int:
    """Return how many panels an item takes: fewer where there would be few items."""
    panels = max(1, min(MOST_PANELS, all_panels, fitting))
    while panels > 1 and others * -(-all_panels // panels) < wanted:
        panels -= 1
    return panels


def _row_blocks(items: int, row_tiles: int, wanted: int) -> int:
    """Return into how many blocks rows are cut where columns give some items."""
    return max(1, min(-(-wanted // items), row_tiles // FEWEST_TILES))
