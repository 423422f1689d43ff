"""How a product with windows is cut into blocks that fit local memory.

Line positions are numbered row by row of the packed windows, so that one multiplication runs over
several rows of an image, the few positions between rows computed in vain. A tap then reads the
same packed memory further on. Along an axis whose rows are short it is cheaper to pack once per
tap (`expanded`); along one with a stride, once per phase of the stride.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from pumice.lowering.window_axes import LineAxis
from pumice.target import Tile

PACKED = 1 << 16
"""Elements of packed windows."""
SLACK = 256
RESULTS = 3 << 15
"""Elements of finished and unfinished tiles."""
MOST_POSITIONS = 512
WANTED_ITEMS = 8
MOST_CUTS = 48

CALL = 60.0
"""Rough cycles of starting a register tile, of a packed row, and of packed elements."""
ROW = 12.0
ELEMENT = 0.25
APART = 1.3


@dataclass(frozen=True, slots=True)
class PackedAxis:
    """How one line axis lies in a block.

    Attributes
    ----------
    local : int
        Positions of it in a block.
    expanded : bool
        Whether every tap has a copy of its own.
    copies : int
        Copies along it: taps when expanded, else phases of the stride.
    halo : int
        Packed elements beyond the positions.
    pitch : int
        Packed elements between its positions.
    """

    axis: LineAxis
    local: int
    expanded: bool
    copies: int
    halo: int
    pitch: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """The block of a product that one grid item computes."""

    axes: tuple[PackedAxis, ...]
    cut: int  # the axis taken in blocks: those before it are in the grid, those behind it whole
    plane: int  # packed elements per channel and copy
    pitch: int  # elements between rows of the result tile
    channels: int  # per pass
    panels: int  # row panels per block

    @property
    def copies(self) -> int:
        return prod(axis.copies for axis in self.axes)


def _packed_axes(
    lines: tuple[LineAxis, ...], cut: int, length: int, expanded: tuple[bool, ...]
) -> tuple[tuple[PackedAxis, ...], int]:
    """Return the axes of a block and the elements of one packed plane."""
    result: list[PackedAxis] = []
    pitch = 1
    for place in reversed(range(len(lines))):
        axis = lines[place]
        local = 1 if place < cut else length if place == cut else axis.extent
        copies, halo = axis.taps, 0
        if not expanded[place]:
            copies = min(axis.step, axis.gap * (axis.taps - 1) + 1) if axis.taps > 1 else 1
            halo = axis.gap * (axis.taps - 1) // axis.step if axis.taps > 1 else 0
        result.append(PackedAxis(axis, local, expanded[place], copies, halo, pitch))
        pitch *= local + halo
    return tuple(reversed(result)), pitch


def _may_share(axis: LineAxis) -> bool:
    """Tell whether phases of the stride stay inside of the base."""
    reach = axis.step * (axis.extent - 1 + axis.gap * (axis.taps - 1) // axis.step)
    return reach + axis.step - 1 < axis.room or axis.step == 1


def _last(axes: tuple[PackedAxis, ...]) -> int:
    """Return the positions of a block up to its last one."""
    return sum((axis.local - 1) * axis.pitch for axis in axes) + 1


@lru_cache(maxsize=1024)
def choose_blocks(
    lines: tuple[LineAxis, ...], batches: int, m: int, channels: int, tile: Tile
) -> Blocks | None:
    """Return the cheapest blocks by a rough count of cycles, None when nothing fits."""
    choices = [
        (False,) if axis.taps == 1 else (False, True) if _may_share(axis) else (True,)
        for axis in lines
    ]
    best: tuple[float, Blocks] | None = None
    for expanded in product(*choices):
        for cut, axis in enumerate(lines):
            for cuts in range(1, min(axis.extent, MOST_CUTS) + 1):
                length = -(-axis.extent // cuts)
                if cuts > 1 and length == -(-axis.extent // (cuts - 1)):
                    continue
                found = _blocks(lines, cut, length, expanded, m, channels, tile)
                if found is None:
                    continue
                cost = _cost(found, lines, batches, m, channels, tile)
                if best is None or cost < best[0]:
                    best = (cost, found)
    return None if best is None else best[1]


def _blocks(
    lines: tuple[LineAxis, ...],
    cut: int,
    length: int,
    expanded: tuple[bool, ...],
    m: int,
    channels: int,
    tile: Tile,
) -> Blocks | None:
    axes, plane = _packed_axes(lines, cut, length, expanded)
    positions = -(-_last(axes) // tile.columns) * tile.columns
    copies = prod(axis.copies for axis in axes)
    if positions > MOST_POSITIONS or copies * plane > PACKED:
        return None
    pitch = tile.columns
    while pitch < positions:
        pitch *= 2
    pitch = min(pitch, MOST_POSITIONS) + tile.columns // 2
    passes = -(-channels // (PACKED // (copies * plane)))
    panels = -(-m // tile.rows)
    most = RESULTS // (pitch * tile.rows)
    if most == 0:
        return None
    outside = prod(axis.extent for axis in lines[:cut]) * -(-lines[cut].extent // length)
    parts = -(-panels // most)
    while parts * outside < WANTED_ITEMS and panels // (parts + 1) >= 4:
        parts += 1
    return Blocks(axes, cut, plane, pitch, -(-channels // passes), -(-panels // parts))


def _cost(
    blocks: Blocks,
    lines: tuple[LineAxis, ...],
    batches: int,
    m: int,
    channels: int,
    tile: Tile,
) -> float:
    outside = prod(axis.extent for axis in lines[: blocks.cut])
    outside *= batches * -(-lines[blocks.cut].extent // blocks.axes[blocks.cut].local)
    panels = -(-m // tile.rows)
    parts = -(-panels // blocks.panels)
    passes = -(-channels // blocks.channels)
    columns = -(-_last(blocks.axes) // tile.columns)
    taps = prod(axis.axis.taps for axis in blocks.axes)
    calls = prod(axis.axis.taps for axis in blocks.axes if not axis.expanded)
    tiles = panels * columns
    arithmetic = tiles * (taps * channels * tile.rows + calls * passes * CALL)
    inner = blocks.axes[-1]
    length = inner.local + inner.halo
    each = ELEMENT if inner.axis.stride == 1 else APART
    rows = blocks.plane // length * blocks.copies * channels
    packing = rows * (ROW + length * each) * parts
    items = outside * parts
    starved = max(1.0, WANTED_ITEMS / items)
    return float(outside * (arithmetic + packing) * starved**0.5)
