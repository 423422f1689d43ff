"""How a product summed over the positions of windows is cut into blocks that fit local memory."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from pumice.lowering.window_axes import LineAxis
from pumice.lowering.window_blocks import (
    CALL,
    PACKED,
    RESULTS,
    Geometry,
    geometries,
    packing_cost,
    starved,
)
from pumice.target import Tile

TURNED = 1 << 16
"""Elements of the left operand, turned."""
LONGEST = 1024
"""Positions of a block."""
MOST_COLUMNS = 4
TURN = 0.5
"""Rough cycles to turn one element."""
LATENCY = 5
"""Cycles a step takes however few rows a tile has."""
RUN = 12.0
"""Cycles between runs of positions that lie next to each other."""
RUNS = 16


@dataclass(frozen=True, slots=True)
class SumBlocks(Geometry):
    """What one grid item computes, block after block of positions."""

    channels: int
    rows: int  # of a register tile: taps with copies of their own times channels
    panels: int
    columns: int  # rows of the result it takes, as columns of tiles
    runs: int

    @property
    def dense(self) -> int:
        """First of the axes whose positions lie next to each other in packed memory."""
        first = len(self.axes) - 1
        while (
            first > self.cut
            and not self.axes[first].halo
            and self.axes[first].step == self.axes[first - 1].step == 1
        ):
            first -= 1
        return first

    @property
    def positions(self) -> int:
        return prod([axis.local for axis in self.axes])

    @property
    def shifts(self) -> int:
        """Taps that share packed elements."""
        return prod([axis.axis.taps for axis in self.axes if not axis.expanded])


@lru_cache(maxsize=1024)
def choose_blocks(
    lines: tuple[LineAxis, ...], batches: int, m: int, channels: int, tile: Tile
) -> SumBlocks | None:
    """Return the cheapest blocks by a rough count of cycles, None when nothing fits."""
    best: tuple[float, SumBlocks] | None = None
    columns = min(-(-m // tile.columns), MOST_COLUMNS) * tile.columns
    for geometry in geometries(lines, whole=True):
        found = _blocks(geometry, batches, m, channels, tile, columns)
        if found is None:
            continue
        parts = -(-m // columns) * -(-channels // found.channels)
        calls = found.panels * (columns // tile.columns) * found.shifts
        depth = prod([axis.local for axis in found.axes[found.dense :]])
        outer = found.positions // depth
        cost = calls * (found.positions * max(found.rows, LATENCY) + CALL + outer * RUN)
        cost += packing_cost(found, found.channels) + found.positions * columns * TURN
        cost *= found.count * parts * batches * starved(batches * parts * found.runs)
        if best is None or cost < best[0]:
            best = (cost, found)
    return None if best is None else best[1]


def _blocks(
    geometry: Geometry, batches: int, m: int, channels: int, tile: Tile, columns: int
) -> SumBlocks | None:
    inner = prod([axis.axis.taps for axis in geometry.axes if axis.expanded])
    shifts = prod([axis.axis.taps for axis in geometry.axes if not axis.expanded])
    # Tiles may reach beyond the last channel, over memory that is there but means nothing.
    held = PACKED // geometry.plane - tile.rows
    most = min(held // geometry.copies, (RESULTS // (shifts * columns) - tile.rows) // inner)
    positions = prod([axis.local for axis in geometry.axes])
    if most < 1 or positions * columns > TURNED or positions > LONGEST:
        return None
    parts = -(-channels // most)
    taken = -(-channels // parts)
    panels = -(-inner * taken // tile.rows)
    rows = -(-inner * taken // panels)
    items = batches * parts * -(-m // columns)
    blocks = geometry.count
    length = -(-blocks // max(1, min(blocks, RUNS // items)))
    runs = -(-blocks // length)
    return SumBlocks(
        geometry.axes,
        geometry.cut,
        geometry.plane,
        geometry.copies,
        geometry.count,
        taken,
        rows,
        panels,
        columns,
        runs,
    )
