"""What products ask memory for while they multiply, so that nobody waits for it later.

A product makes a request every few steps of k, for one cache line each. Memory of some rows is
shared out to the products of an item, each of which asks for a piece.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pumice.kernel.ir import Multiply, Parameter, Value, index
from pumice.lowering.builder import KernelBuilder
from pumice.sizes import called
from pumice.target import CACHE_LINE

WORTHWHILE = 64
"""Steps of k in a product from which requests cost little."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Memory a product asks for, as `Multiply.ahead` and `Multiply.ahead_at` have it."""

    buffer: Parameter
    numbers: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Rows of memory that are needed later.

    Attributes
    ----------
    place : function
        Gives the place of a row's first element.
    distance : Value
        Elements between rows.
    rows, width : int
        How many rows, and the elements of one.
    """

    buffer: Parameter
    place: Callable[[Value], Value]
    distance: Value
    rows: int
    width: int


def share(builder: KernelBuilder, wanted: Wanted, products: int, number: Value) -> Hint:
    """Return what one of some products asks for: whole rows, or a power of two of lines of one."""
    size = wanted.buffer.dtype.itemsize
    shift = called(_line_shift, wanted.width * size)
    lines = builder.size(called(_lines, wanted.rows, products, shift), "lines")
    in_row = builder.size(shift, "shift")
    first = number * lines
    row = first >> in_row
    at = wanted.place(row) + (first - (row << in_row)) * (CACHE_LINE // size)
    return Hint(wanted.buffer, (at, wanted.distance, in_row, lines))


def asking(multiply: Multiply, hints: list[Hint]) -> Multiply:
    """Return the product with requests."""
    numbers = tuple(number for hint in hints for number in hint.numbers)
    return replace(multiply, ahead=tuple(hint.buffer for hint in hints), ahead_at=numbers)


def following(counts: list[tuple[Value, Value]]) -> list[Value]:
    """Return the positions after some, the last one fastest, for pairs of position and count."""
    found: list[Value] = []
    carry: Value = index(1)
    for position, count in reversed(counts):
        moved = position + carry
        inside = moved < count
        found.append(inside.select(moved, index(0)))
        carry = inside.select(index(0), index(1))
    return found[::-1]


def _line_shift(width: int) -> int:
    """Return the power of two of cache lines that hold so many bytes."""
    return max(-(-width // CACHE_LINE) - 1, 0).bit_length()


def _lines(rows: int, products: int, shift: int) -> int:
    """Return the lines each product asks for: whole rows, or a power of two of them."""
    each = -(-(rows << shift) // max(products, 1))
    if each >= 1 << shift:
        return int(-(-rows // max(products, 1)) << shift)
    return int(1 << (each - 1).bit_length()) if each > 1 else 1
