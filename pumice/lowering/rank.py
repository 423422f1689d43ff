"""Order of short rows: how many elements stand before each one is where it goes.

The work grows with the square of the row, but it is all vector comparisons: below some hundred
elements nothing is quicker.
"""

from collections.abc import Callable

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    Loop,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import Ordering
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.statements import carried, lanes, serial
from pumice.lowering.steps import Scratch, Step

MOST_ITEMS = 256


def rank_rows(
    key_at: Callable[[Value], Value],
    count: Value,
    write: Callable[[Value, Value], tuple[Statement, ...]],
) -> Loop:
    """Return the loop that runs ``write(position, rank)`` for each of ``count`` keys."""

    def element(at: Value) -> tuple[Statement, ...]:
        own = key_at(at)
        rank = carried("rank", constant(0, dtypes.int32))

        def fold(other: Value) -> tuple[Fold, ...]:
            key = key_at(other)
            earlier = other.cast(dtypes.int32) < at.cast(dtypes.int32)
            before = (key < own) | (key.eq(own) & earlier)
            return (Fold((rank,), (rank.now + before.cast(dtypes.int32),)),)

        return (serial("j", count, lambda _: (), fold), *write(at, rank.result))

    return lanes("i", count, element)


def rows_per_item(rows: int) -> int:
    """Return how many rows a grid item takes, so that its scratch memory stays in the cache."""
    return max(1, -(-rows // MOST_ITEMS))


def item_rows(
    builder: KernelBuilder,
    item: Variable,
    rows: int,
    body: Callable[[Value], tuple[Statement, ...]],
) -> Loop:
    """Return the loop over the rows of a grid item."""
    per_item = builder.size(rows_per_item(rows), "rows")
    start = variable_value(item) * per_item
    stop = minimum(start + per_item, builder.size(rows, "rows"))
    return serial("row", stop, body, start=start)


def lower_ranking(ordering: Ordering) -> Step:
    """Return the launch that ranks short rows."""
    builder = KernelBuilder()
    element = ordering.elements(builder)
    items = -(-ordering.rows // rows_per_item(ordering.rows))
    scratch = Scratch(items * ordering.length * ordering.key_type.itemsize)
    keys = builder.writable(scratch, ordering.key_type)
    item = Variable("item")
    length, count = builder.size(ordering.length, "length"), builder.size(ordering.count, "count")
    base = variable_value(item) * length
    output = builder.writable(ordering.node, dtypes.int64)

    def order_row(row: Value) -> tuple[Statement, ...]:
        def fill(at: Value) -> tuple[Statement, ...]:
            return (Store(keys, base + at, element(row, at)[0]),)

        def write(at: Value, rank: Value) -> tuple[Statement, ...]:
            place = rank.cast(INDEX)
            mask = None if ordering.count == ordering.length else place < count
            given = element(row, at)[1].cast(dtypes.int64)
            return (Store(output, row * count + place, given, mask),)

        ranked = rank_rows(lambda at: load(keys, base + at), length, write)
        return (lanes("f", length, fill), ranked)

    body = item_rows(builder, item, ordering.rows, order_row)
    grid = ((item, builder.size(items, "items"), items),)
    cost = rows_per_item(ordering.rows) * (50 + ordering.length * ordering.length // 8)
    return builder.finish(grid, (body,), cost, ordering.node)
