"""How a product is cut so that its parts stay in the caches.

The panels of a run of k stay in the second-level cache while the tiles of rows of an item pass by,
and so do the unfinished tiles while one run of k follows the other. Among the ways to cut k, rows
and columns the one with the least work for the busiest thread is taken, copies counted.
"""

from dataclasses import dataclass
from functools import lru_cache

from pumice.dtypes import DType
from pumice.lowering.operand import Product
from pumice.lowering.tiling import (
    FEWEST_ITEMS,
    MOST_TILES_IN_PLACE,
    PANEL_BYTES,
    ROWS_BYTES,
    Tiling,
    cut,
    tile_rows,
)
from pumice.sizes import at_least, called
from pumice.target import Tile

PADDING = 16
"""Elements between copied rows, so that they do not compete for the same places of a cache."""
DEEPEST = 1024
"""Most steps of k in a run."""
DEPTH_STEP = 16
"""What the steps of k in a run are a multiple of."""
MOST_BYTES = 1 << 21
"""Of the cache that is counted on."""
COPIED, READ, KEPT = 20, 3, 12
"""What copying an element costs, in products, reading one that lies far, and putting one of a tile
aside between runs of k."""
NEAR = 64
"""Longest distance between steps of k at which rows are read in place."""
WAITED = 0.25
"""Items a thread waits for the others at the end."""
CANDIDATES = 6
"""How many numbers of blocks are weighed one after the other, then how many in greater steps."""
RUNS = 3
"""How many numbers of runs of k are weighed."""


def choose_tiling(product: Product) -> Tiling:
    """Return the sizes for a product of elements."""
    left, right = product.left, product.right
    accumulator: DType = product.node.argument.accumulator
    batches, (_, m, k) = product.batches, left.extents
    n = right.extents[1]
    full = product.target.tiles[accumulator.name]
    rows = tile_rows(m, full.rows)
    in_place = (
        -(-m // rows) <= MOST_TILES_IN_PLACE
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
    tile = Tile(rows, columns)
    if not in_place:
        return _blocked(product, tile)
    deepest = ROWS_BYTES // accumulator.itemsize // rows - 2 * PADDING
    depth = k if k <= deepest else deepest
    fitting = PANEL_BYTES // accumulator.itemsize // at_least(1, depth * columns)
    return cut(product, tile, True, depth, fitting)


@dataclass(frozen=True, slots=True)
class Cuts:
    """Into how many pieces a product is cut along k, columns and rows."""

    runs: int
    column_blocks: int
    row_blocks: int


def is_read_in_place(product: Product) -> bool:
    """Tell whether tiles of rows of the left operand lie in memory as products need them."""
    side = product.left
    if side.memory is None or side.memory[0].dtype is not product.node.argument.accumulator:
        return False
    axes = side.groups[2]
    step = side.memory[1].strides[axes[0][-1]] if axes else 0
    return bool(abs(step) <= NEAR)


def _blocked(product: Product, tile: Tile) -> Tiling:
    """Cut a product whose right operand is copied to panels."""
    batches, (_, m, k) = product.batches, product.left.extents
    row_tiles, all_panels = -(-m // tile.rows), -(-product.right.extents[1] // tile.columns)
    middle = min(product.target.middle_bytes, MOST_BYTES)
    threads = product.target.limits.get("threads", FEWEST_ITEMS)
    size = product.node.argument.accumulator.itemsize
    tiles = (batches, row_tiles, all_panels, k, tile.rows, tile.columns)
    read = READ if is_read_in_place(product) else COPIED
    sizes = (*tiles, size, middle, threads, DEEPEST, read)
    runs, column_blocks, row_blocks = (
        called(find, *sizes, least=1) for find in (_runs, _column_blocks, _row_blocks)
    )
    is_deep = runs > 1
    return Tiling(
        tile.rows,
        tile.columns,
        -(-all_panels // column_blocks),
        row_tiles,
        row_blocks,
        column_blocks,
        False,
        called(_depth, k, runs, least=1) if is_deep else k,
        blocked=True,
        panel_bytes=_panel_bytes(middle, is_deep),
        kept_bytes=_kept_bytes(middle) if is_deep else 0,
    )


def pitch_of(depth: int) -> int:
    """Return the elements between copied rows: few different numbers, odd ones of cache lines."""
    pitch = 64
    while pitch < depth:
        pitch *= 2
    return pitch + PADDING


def _panel_bytes(middle: int, is_deep: bool) -> int:
    return middle * 3 // 8 if is_deep else middle // 2


def _kept_bytes(middle: int) -> int:
    return middle * 7 // 16


def _runs(*sizes: int) -> int:
    return _cuts(*sizes).runs


def _column_blocks(*sizes: int) -> int:
    return _cuts(*sizes).column_blocks


def _row_blocks(*sizes: int) -> int:
    return _cuts(*sizes).row_blocks


@lru_cache(maxsize=64)
def _cuts(
    batches: int,
    row_tiles: int,
    all_panels: int,
    k: int,
    rows: int,
    columns: int,
    size: int,
    middle: int,
    threads: int,
    deepest: int,
    read: int,
) -> Cuts:
    """Return the cheapest cuts for tiles of ``rows x columns`` elements of ``size`` bytes."""
    area = rows * columns
    fitting = _panel_bytes(middle, True) // (columns * size) // DEPTH_STEP * DEPTH_STEP
    fewest_runs = max(-(-k // min(deepest, fitting)), 1)
    best, found = 0.0, Cuts(1, all_panels, row_tiles)
    for runs in range(fewest_runs, fewest_runs + RUNS):
        panel = max(_depth(k, runs), 1) * columns * size
        most_panels = max(min(all_panels, _panel_bytes(middle, runs > 1) // panel), 1)
        for column_blocks in _candidates(-(-all_panels // most_panels), all_panels):
            panels = -(-all_panels // column_blocks)
            most_tiles = row_tiles
            if runs > 1:
                room = min(middle * 5 // 8 - panels * panel, _kept_bytes(middle))
                most_tiles = max(room // (area * panels * size), 1)
            for row_blocks in _candidates(-(-row_tiles // most_tiles), row_tiles):
                tiles = -(-row_tiles // row_blocks)
                item = panels * tiles * area * (1 + KEPT * runs / max(k, 1))
                item += COPIED * panels * columns + read * tiles * rows
                time = (-(-batches * column_blocks * row_blocks // threads) + WAITED) * item
                if not best or time < best:
                    best, found = time, Cuts(runs, column_blocks, row_blocks)
    return found


def _depth(k: int, runs: int) -> int:
    """Return the steps of k in each of about so many runs."""
    return min(k, -(-k // (runs * DEPTH_STEP)) * DEPTH_STEP)


def _candidates(least: int, most: int) -> list[int]:
    """Return numbers of blocks to weigh: some from the least on, then in greater steps."""
    found = list(range(least, min(least + CANDIDATES, most + 1)))
    following = found[-1] + least
    while following <= most and len(found) < 2 * CANDIDATES:
        found.append(following)
        following += -(-following // 2)
    return found


def _wide(registers: int, rows: int, columns: int, batches: int, n: int) -> int:
    """Return the columns of a tile of few rows: more of them, in as many registers."""
    while (
        2 * columns * rows <= registers
        and 2 * columns <= n
        and batches * -(-n // (2 * columns)) >= FEWEST_ITEMS
    ):
        columns *= 2
    return columns
