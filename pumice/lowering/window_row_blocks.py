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
RUN = 12.0
"""Cycles between runs of the innermost summed axis."""
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
    panels : int
        Tiles of columns per item.
    pitch : int
        Elements between rows of turned results.
    """

    rows: int
    columns: int
    channels: int
    panels: int
    pitch: int

    @property
    def line(self) -> int:
        """Places of a row of positions, those computed in vain included."""
        return -(-self.axes[-1].local // self.rows) * self.rows

    def shared(self, batches: int, m: int, items: int) -> "RowBlocks":
        """Return the same blocks with fewer panels each, where that gives more items."""
        panels = -(-m // self.columns)
        parts = -(-panels // self.panels)
        wanted = min(panels, -(-items // (batches * prod(self.outside))))
        return replace(self, panels=-(-panels // max(parts, wanted)))

    @property
    def places(self) -> int:
        return prod(axis.local for axis in self.axes[:-1]) * self.line


@lru_cache(maxsize=1024)
def choose_blocks(
    lines: tuple[LineAxis, ...], batches: int, m: int, channels: int, tile: Tile
) -> tuple[float, RowBlocks] | None:
    """Return the cheapest blocks and their rough count of cycles, None when nothing fits."""
    best: tuple[float, RowBlocks] | None = None
    for geometry in geometries(lines, whole=True):
        if any(axis.expanded for axis in geometry.axes):
            continue
        for rows, columns in _tiles(geometry, m, tile):
            found = _blocks(geometry, batches, m, channels, Tile(rows, columns))
            if found is None:
                continue
            cost = _cost(found, batches, m, channels, tile)
            if best is None or cost < best[0]:
                best = (cost, found)
    return best


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
    passes = -(-channels // (PACKED // geometry.plane))
    panels = -(-m // tile.columns)
    found = RowBlocks(
        geometry.axes,
        geometry.cut,
        geometry.plane,
        tile.rows,
        tile.columns,
        -(-channels // passes),
        panels,
        0,
    )
    beyond = (found.line - last.local) * last.step
    most = (RESULTS // tile.columns - SIDE) // found.places
    if found.places > MOST_POSITIONS or beyond > SLACK or most < 1:
        return None
    pitch = SIDE
    while pitch < found.places:
        pitch *= 2
    found = replace(found, panels=min(panels, most), pitch=pitch + SIDE)
    return found.shared(batches, m, FEWEST_ITEMS)


def _cost(blocks: RowBlocks, batches: int, m: int, channels: int, tile: Tile) -> float:
    outside = prod(blocks.outside) * batches
    panels = -(-m // blocks.columns)
    parts = -(-panels // blocks.panels)
    passes = -(-channels // blocks.channels)
    vectors = 2 * blocks.columns / tile.columns
    step = max(blocks.rows * vectors / 2, (blocks.rows + vectors) / 2, LATENCY)
    taps = prod(axis.axis.taps for axis in blocks.axes)
    runs = taps * channels / inner_length(blocks, channels)
    each = taps * channels * step + runs * RUN + passes * CALL
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


def channels_inside(geometry: Geometry, channels: int) -> bool:
    """Tell whether channels, and not the taps of the last axis, are summed innermost."""
    return channels >= geometry.axes[-1].axis.taps


def inner_length(geometry: Geometry, channels: int) -> int:
    return channels if channels_inside(geometry, channels) else geometry.axes[-1].axis.taps
