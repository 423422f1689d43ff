"""Operands that lie across the loops of a tile: turned into local memory first.

Before, one element of a cache line per vector lane::

    for i in tile: lanes j in tile: out[i, j] = x[j, i] + y[i, j]

After, whole lines::

    local[i, j] = x[j, i]
    for i in tile: lanes j in tile: out[i, j] = local[i, j] + y[i, j]
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pumice.dtypes import Kind
from pumice.kernel.ir import Statement, Transpose, Value, index, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame, Reading

MOST_TURNED = 4


@dataclass(frozen=True, slots=True)
class Tile:
    """Two loops of a kernel, square pieces of which run together.

    Attributes
    ----------
    depth, columns : int
        Elements along each.
    crossing, last : int
        Places of the two among the outer loops; lanes run along the last.
    starts, counts : pair of Value
        Where the piece starts along each, and how many elements it has there.
    """

    depth: int
    columns: int
    crossing: int
    last: int
    starts: tuple[Value, Value]
    counts: tuple[Value, Value]
    whole: bool


def crossing_readings(readings: Sequence[Reading], tile: Tile, frame: Frame) -> list[Reading]:
    """Return the readings of memory that run along the crossing loop in steps of one element."""
    crossing, last = (frame.members[place][-1] for place in (tile.crossing, tile.last))
    found = [
        (node, view)
        for node, view in readings
        if node.dtype.kind is not Kind.BOOL
        and view.strides[crossing] == 1
        and view.strides[last] not in (0, 1)
    ]
    return found[:MOST_TURNED]


def turn(
    builder: KernelBuilder,
    expressions: Expressions,
    readings: Sequence[Reading],
    tile: Tile,
    frame: Frame,
) -> list[Statement]:
    """Provide readings of a frame from local memory; return the statements that fill it."""
    statements: list[Statement] = []
    at_start = list(frame.variables)
    at_start[tile.crossing], at_start[tile.last] = tile.starts
    corner = Frame(frame.members, tuple(at_start))
    row, lane = (
        frame.variables[place] - start
        for place, start in zip((tile.crossing, tile.last), tile.starts, strict=True)
    )
    for node, view in readings:
        local = builder.local(node.dtype, tile.depth * tile.columns, "tile")
        source = builder.readable(node, node.dtype, view.offset)
        (stride,) = builder.strides((view.strides[frame.members[tile.last][-1]],))
        statements.append(
            Transpose(
                target=local,
                target_at=index(0),
                pitch=tile.columns,
                source=source,
                source_at=expressions.position(view, corner),
                source_row=stride,
                depth=tile.counts[0],
                columns=tile.columns,
                width=None if tile.whole else tile.counts[1],
            )
        )
        place = row * index(tile.columns) + lane
        expressions.provide((node, view), frame, load(local, place))
    return statements
