"""How a product with windows is cut into blocks that fit local memory.

Line positions are numbered row by row of the packed windows, so that one multiplication runs over
several rows of an image, the few positions between rows computed in vain. A tap then reads the
same packed memory further on. Along an axis whose rows are short it is cheaper to pack once per
tap (`expanded`); along one with a stride, once per phase of the stride, unless positions need not
lie next to each other (`step`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from pumice.lowering.window_axes import LineAxis
from pumice.target import Tile

PACKED = 1 << 16
"""Elements of packed windows."""
SLACK = 256
LINE = 16
RESULTS = 3 << 15
"""Elements of finished and unfinished tiles."""
MOST_POSITIONS = 512
WANTED_ITEMS = 8
MOST_CUTS = 48

CALL = 60.0
"""Rough cycles of starting a register tile, of a packed row, and of packed elements."""
ROW = 20.0
ELEMENT = 0.5
APART = 1.3
WEIGHT = 0.3
"""The same of a weight that is fetched from beyond the nearest caches."""
STORED = 0.3
"""The same of a result that is written."""


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
    step : int
        Packed neighbours between its positions: more than 1 where a stride is packed whole.
    pitch : int
        Packed elements between neighbours along it.
    """

    axis: LineAxis
    local: int
    expanded: bool
    copies: int
    halo: int
    step: int
    pitch: int

    @property
    def length(self) -> int:
        """Packed neighbours along it."""
        return self.spanned(self.local)

    def spanned(self, positions: int) -> int:
        """Return the packed neighbours that some positions need."""
        return (positions - 1) * self.step + 1 + self.halo

    @property
    def stride(self) -> int:
        """Elements of the base between packed neighbours."""
        return self.axis.unit if self.step > 1 else self.axis.stride


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the elements of one block lie in packed memory."""

    axes: tuple[PackedAxis, ...]
    cut: int  # the axis taken in blocks: of those before it one position, those behind it whole
    plane: int  # packed elements per channel and copy
    copies: int
    count: int  # of blocks

    @property
    def outside(self) -> tuple[int, ...]:
        """How many blocks there are along each axis up to the one that is cut."""
        cut = self.axes[self.cut]
        before = (axis.axis.extent for axis in self.axes[: self.cut])
        return (*before, -(-cut.axis.extent // cut.local))


@dataclass(frozen=True, slots=True)
class Blocks(Geometry):
    """The block of a product that one grid item computes."""

    pitch: int  # elements between rows of the result tile
    channels: int  # per pass
    panels: int  # row panels per block


def _copied(axis: LineAxis, expanded: bool, whole: bool) -> tuple[int, int, int]:
    """Return the copies, halo and step of a packed axis."""
    if axis.taps == 1 or expanded:
        return axis.taps, 0, 1
    reach = axis.gap * (axis.taps - 1)
    if whole:
        return 1, reach, axis.step
    return min(axis.step, reach + 1), reach // axis.step, 1


def _spread_over_sets(plane: int) -> int:
    """Round up to an odd number of cache lines, so that planes begin in different sets."""
    return -(-plane // LINE) // 2 * 2 * LINE + LINE


def _may_share(axis: LineAxis) -> bool:
    """Tell whether phases of the stride stay inside of the base."""
    reach = axis.step * (axis.extent - 1 + axis.gap * (axis.taps - 1) // axis.step)
    return reach + axis.step - 1 < axis.room or axis.step == 1


def _last(axes: tuple[PackedAxis, ...]) -> int:
    """Return the positions of a block up to its last one."""
    return sum([(axis.local - 1) * axis.pitch for axis in axes]) + 1


def geometries(
    lines: tuple[LineAxis, ...], whole: bool = False, expands: bool = True
) -> Iterator[Geometry]:
    """Yield the ways to cut positions into blocks that local memory holds.

    With `whole`, an axis that is not expanded is packed once, whatever its stride. Without
    `expands`, none is.
    """
    choices = [
        (False,)
        if axis.taps == 1 or not expands
        else (False, True)
        if whole or _may_share(axis)
        else (True,)
        for axis in lines
    ]
    for expanded in product(*choices):
        forms = [_copied(axis, flag, whole) for axis, flag in zip(lines, expanded, strict=True)]
        copies = prod([form[0] for form in forms])
        # Of the axes before one that is cut a block has one position, of those behind it all.
        singles = [1 + halo for _, halo, _ in forms]
        wholes = [
            (axis.extent - 1) * step + 1 + halo
            for axis, (_, halo, step) in zip(lines, forms, strict=True)
        ]
        for cut, axis in enumerate(lines):
            _, halo, step = forms[cut]
            others = prod(singles[:cut]) * prod(wholes[cut + 1 :])
            rows = prod([each.extent for each in lines[:cut]])
            before = 0
            for cuts in range(1, min(axis.extent, MOST_CUTS) + 1):
                length = -(-axis.extent // cuts)
                if length == before:
                    continue
                before = length
                plane = _spread_over_sets(others * ((length - 1) * step + 1 + halo))
                if copies * plane <= PACKED:
                    packed = _packed_axes(lines, cut, length, expanded, forms)
                    count = rows * -(-axis.extent // length)
                    yield Geometry(packed, cut, plane, copies, count)


def _packed_axes(
    lines: tuple[LineAxis, ...],
    cut: int,
    length: int,
    expanded: tuple[bool, ...],
    forms: list[tuple[int, int, int]],
) -> tuple[PackedAxis, ...]:
    """Return the axes of a block."""
    result: list[PackedAxis] = []
    pitch = 1
    for place in reversed(range(len(lines))):
        axis, (copies, halo, step) = lines[place], forms[place]
        local = 1 if place < cut else length if place == cut else axis.extent
        result.append(PackedAxis(axis, local, expanded[place], copies, halo, step, pitch))
        pitch *= (local - 1) * step + 1 + halo
    return tuple(reversed(result))


@lru_cache(maxsize=1024)
def choose_blocks(
    lines: tuple[LineAxis, ...], batches: int, m: int, channels: int, tile: Tile
) -> tuple[int, Blocks] | None:
    """Return the cheapest blocks and their rough count of cycles, None when nothing fits."""
    best: tuple[float, Blocks] | None = None
    for geometry in geometries(lines):
        found = _blocks(geometry, m, channels, tile)
        if found is None:
            continue
        cost = _cost(found, batches, m, channels, tile)
        if best is None or cost < best[0]:
            best = (cost, found)
    return None if best is None else (round(best[0]), best[1])


def _blocks(geometry: Geometry, m: int, channels: int, tile: Tile) -> Blocks | None:
    positions = -(-_last(geometry.axes) // tile.columns) * tile.columns
    if positions > MOST_POSITIONS:
        return None
    pitch = tile.columns
    while pitch < positions:
        pitch *= 2
    pitch = min(pitch, MOST_POSITIONS) + tile.columns // 2
    passes = -(-channels // (PACKED // (geometry.copies * geometry.plane)))
    panels = -(-m // tile.rows)
    most = RESULTS // (pitch * tile.rows)
    if most == 0:
        return None
    parts = -(-panels // most)
    while parts * geometry.count < WANTED_ITEMS and panels // (parts + 1) >= 4:
        parts += 1
    return Blocks(
        geometry.axes,
        geometry.cut,
        geometry.plane,
        geometry.copies,
        geometry.count,
        pitch,
        -(-channels // passes),
        -(-panels // parts),
    )


def packing_cost(geometry: Geometry, channels: int) -> float:
    """Return the rough cycles of packing the windows of a block."""
    inner = geometry.axes[-1]
    length = inner.length
    each = ELEMENT if inner.stride == 1 else APART
    rows = geometry.plane // length * geometry.copies * channels
    return rows * (ROW + length * each)


def finishing_cost(geometry: Geometry, m: int) -> float:
    """Return the rough cycles of writing the results of a block."""
    positions = prod([axis.local for axis in geometry.axes])
    return m * positions * (ROW / geometry.axes[-1].local + STORED)


def starved(items: int, wanted: int = WANTED_ITEMS) -> float:
    """Return by how much a launch of few items takes longer than its share."""
    return float(max(1.0, wanted / items) ** 0.5)


def _cost(blocks: Blocks, batches: int, m: int, channels: int, tile: Tile) -> float:
    outside = blocks.count * batches
    panels = -(-m // tile.rows)
    parts = -(-panels // blocks.panels)
    passes = -(-channels // blocks.channels)
    # The last tile may be half as wide.
    columns = -(-_last(blocks.axes) // (tile.columns // 2)) / 2
    taps = prod([axis.axis.taps for axis in blocks.axes])
    calls = prod([axis.axis.taps for axis in blocks.axes if not axis.expanded])
    arithmetic = panels * columns * (taps * channels * tile.rows + calls * passes * CALL)
    arithmetic += taps * channels * m * WEIGHT
    packing = packing_cost(blocks, channels) * parts
    finishing = finishing_cost(blocks, m)
    return outside * (arithmetic + packing + finishing) * starved(outside * parts)
