"""How a product with windows is cut when the rows of its tiles are positions.

Weights are the columns of such a tile, and each of its rows is a position: some step further along
the last line axis. Positions need not lie next to each other, so a stride costs nothing, and a tile
ends where a row of an image does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from pumice.lowering.window_axes import LineAxis
from pumice.lowering.window_blocks import (
    CALL,
    MOST_POSITIONS,
    PACKED,
    RESULTS,
    SLACK,
    WEIGHT,
    Geometry,
    finishing_cost,
    geometries,
    packing_cost,
    starved,
)
from pumice.target import Tile

SIDE = 16
"""Positions that are turned at once."""
FEWEST_ITEMS = 4
"""Grid items wanted where the shape alone decides."""
NEAR = 6144
"""Weights that stay in the nearest cache."""
RUN = 12.0
"""Cycles between runs of the innermost summed axis."""
CROWDED = 1.15
"""By how much a step takes longer where four vectors of weights take registers from results."""
LATENCY = 4.0
"""Cycles a step takes however small a tile is."""
TURN = 0.5
"""Rough cycles to turn one result."""


@dataclass(frozen=True, slots=True)
class RowBlocks(Geometry):
    """The block of a product that one grid item computes.

    Attributes
    ----------
    rows, columns : int
        The register tile: positions along the last axis, and results per position.
    channels : int
        Channels per pass.
    chunk : int
        Channels whose weights for one tile stay in the nearest cache.
    panels : int
        Tiles of columns per item.
    pitch : int
        Elements between rows of turned results.
    """

    rows: int
    columns: int
    channels: int
    chunk: int
    panels: int
    pitch: int

    @property
    def line(self) -> int:
        """Places of a row of positions, those computed in vain included."""
        return -(-self.axes[-1].local // self.rows) * self.rows

    def shared(self, batches: int, m: int, items: int) -> "RowBlocks":
        """Return the same blocks with fewer panels each, where that gives more items."""
        panels = -(-m // self.columns)
        return replace(self, panels=_shared(panels, self.panels, batches * self.count, items))

    @property
    def places(self) -> int:
        return prod([axis.local for axis in self.axes[:-1]]) * self.line


@lru_cache(maxsize=1024)
def choose_blocks(
    lines: tuple[LineAxis, ...], batches: int, m: int, channels: int, tile: Tile
) -> tuple[int, RowBlocks] | None:
    """Return the cheapest blocks and their rough count of cycles, None when nothing fits."""
    best: tuple[float, RowBlocks] | None = None
    for geometry in geometries(lines, whole=True, expands=False):
        for rows, columns in _tiles(geometry, m, tile):
            found = _blocks(geometry, batches, m, channels, Tile(rows, columns))
            if found is None:
                continue
            cost = _cost(found, batches, m, channels, tile)
            if best is None or cost < best[0]:
                best = (cost, found)
    return None if best is None else (round(best[0]), best[1])


def shared_blocks(
    lines: tuple[LineAxis, ...], batches: int, m: int, channels: int, tile: Tile, items: int
) -> tuple[int, RowBlocks] | None:
    """Return the cheapest blocks, each with as few panels as some grid items take.

    How results are shared out changes no sum, so it may follow the machine.
    """
    found = choose_blocks(lines, batches, m, channels, tile)
    if found is None:
        return None
    cost, blocks = found
    return cost, blocks.shared(batches, m, items)


def _shared(panels: int, most: int, blocks: int, items: int) -> int:
    """Return the panels of an item when at most so many are taken and so many items wanted."""
    parts = -(-panels // most)
    wanted = min(panels, -(-items // blocks))
    return -(-panels // max(parts, wanted))


def _tiles(geometry: Geometry, m: int, tile: Tile) -> Iterator[tuple[int, int]]:
    """Yield register tiles: as many rows as share the last axis out evenly."""
    extent = geometry.axes[-1].local
    for most, columns in (
        (tile.rows, tile.columns),
        (tile.rows // 2, 2 * tile.columns),
        (2 * tile.rows, tile.columns // 2),
    ):
        if most and (columns < 2 * m or columns == tile.columns // 2):
            yield -(-extent // -(-extent // most)), columns


def _blocks(
    geometry: Geometry, batches: int, m: int, channels: int, tile: Tile
) -> RowBlocks | None:
    last = geometry.axes[-1]
    panels = -(-m // tile.columns)
    taps = near_taps(geometry)
    held = PACKED // geometry.plane
    chunk = max(1, min(channels, held, NEAR // (tile.columns * taps)))
    chunks = -(-channels // chunk)
    passes = -(-chunks // (held // chunk))
    line = -(-last.local // tile.rows) * tile.rows
    places = prod([axis.local for axis in geometry.axes[:-1]]) * line
    beyond = (line - last.local) * last.step
    most = (RESULTS // tile.columns - SIDE) // places
    if places > MOST_POSITIONS or beyond > SLACK or most < 1:
        return None
    pitch = SIDE
    while pitch < places:
        pitch *= 2
    return RowBlocks(
        geometry.axes,
        geometry.cut,
        geometry.plane,
        geometry.copies,
        geometry.count,
        tile.rows,
        tile.columns,
        -(-chunks // passes) * chunk,
        chunk,
        _shared(panels, min(panels, most), geometry.count * batches, FEWEST_ITEMS),
        pitch + SIDE,
    )


def _cost(blocks: RowBlocks, batches: int, m: int, channels: int, tile: Tile) -> float:
    outside = blocks.count * batches
    panels = -(-m // blocks.columns)
    parts = -(-panels // blocks.panels)
    vectors = 2 * blocks.columns / tile.columns
    step = max(blocks.rows * vectors / 2, (blocks.rows + vectors) / 2, LATENCY)
    if blocks.columns > tile.columns:
        step *= CROWDED
    taps = prod([axis.axis.taps for axis in blocks.axes])
    runs = taps * channels / inner_length(blocks)
    calls = -(-channels // blocks.chunk) * taps / near_taps(blocks)
    each = taps * channels * step + runs * RUN + calls * CALL
    tiles = blocks.places // blocks.rows
    arithmetic = tiles * panels * each + taps * channels * m * WEIGHT
    turning = -(-blocks.places // SIDE) * SIDE * panels * blocks.columns * TURN
    packing = packing_cost(blocks, channels) * parts
    finishing = finishing_cost(blocks, m)
    return (
        outside
        * (arithmetic + turning + packing + finishing)
        * starved(outside * parts, FEWEST_ITEMS)
    )


def near_taps(geometry: Geometry) -> int:
    """Return the taps one multiplication covers: of the last axes that have some, but the first."""
    _, *rest = [axis.axis.taps for axis in geometry.axes if axis.axis.taps > 1] or [1]
    return prod(rest)


def channels_inside(blocks: RowBlocks) -> bool:
    """Tell whether channels, and not the taps of the last axis, are summed innermost."""
    return blocks.chunk >= blocks.axes[-1].axis.taps


def inner_length(blocks: RowBlocks) -> int:
    return max(blocks.chunk, blocks.axes[-1].axis.taps)
