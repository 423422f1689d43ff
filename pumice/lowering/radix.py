"""Stable radix sort, least significant digit first, eight bits at a time.

Two copies of keys and places take turns; which one holds the elements now is a number in memory,
so a digit that all keys share costs no pass. `RowRadix` sorts each row by one grid item, which
keeps it in the cache. `LongRadix` cuts rows into pieces that are counted and moved in parallel:
because a pass is stable, the result does not depend on the pieces.
"""

from dataclasses import dataclass

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    Let,
    Loop,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import Ordering
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.statements import carried, lanes, once, serial
from pumice.lowering.steps import Scratch, Step

DIGIT_BITS = 8
BUCKETS = 1 << DIGIT_BITS
MOST_ITEMS = 256
PIECE = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """The two copies of one range of elements, one behind the other."""

    keys: Parameter
    places: Parameter
    base: Value
    length: Value

    def at(self, copy: Value, position: Value) -> Value:
        """Return the address of an element in a copy (0 or 1)."""
        return self.base + copy * self.length + position


def digit_of(key: Value, digit: Value) -> Value:
    """Return one digit of a key as an index."""
    shift = (digit * index(DIGIT_BITS)).cast(key.dtype)
    return ((key >> shift) & (BUCKETS - 1)).cast(INDEX)


def prefix_sums(counts: Parameter, base: Value) -> Loop:
    """Return the loop that turns counts of buckets into where the buckets begin."""
    total = carried("total", constant(0, counts.dtype))
    amounts: list[Value] = []

    def body(at: Value) -> tuple[Statement, ...]:
        amount = load(counts, base + at)
        amounts[:] = [amount]
        return (Let(amount), Store(counts, base + at, total.now))

    return serial("p", index(BUCKETS), body, lambda _: (Fold((total,), (total.now + amounts[0],)),))


class RowRadix:
    """Sorts each row by one grid item."""

    def __init__(self, ordering: Ordering) -> None:
        self.ordering = ordering
        self.per_item = max(1, -(-ordering.rows // MOST_ITEMS))
        self.items = -(-ordering.rows // self.per_item)
        room = 2 * self.items * ordering.length
        self.keys = Scratch(room * ordering.key_type.itemsize)
        self.places = Scratch(room * ordering.place_type.itemsize)
        self.counts = Scratch(self.items * ordering.key_type.itemsize * BUCKETS * 4)

    def lower(self) -> list[Step]:
        """Return the launch."""
        ordering = self.ordering
        builder = KernelBuilder()
        item = Variable("item")
        own = variable_value(item)
        length = builder.size(ordering.length, "length")
        count = builder.size(ordering.count, "count")
        rows, per_item = builder.size(ordering.rows, "rows"), builder.size(self.per_item, "rows")
        element = ordering.elements(builder)
        copies = Copies(
            builder.writable(self.keys, ordering.key_type),
            builder.writable(self.places, ordering.place_type),
            own * length * index(2),
            length,
        )
        counts = builder.writable(self.counts, dtypes.int32)
        counts_base = own * index(ordering.key_type.itemsize * BUCKETS)
        output = builder.writable(ordering.node, dtypes.int64)

        def sort_row(row: Value) -> tuple[Statement, ...]:
            def fill(at: Value) -> tuple[Statement, ...]:
                key, place = element(row, at)
                to = copies.at(index(0), at)
                return (Store(copies.keys, to, key), Store(copies.places, to, place))

            passes = self._passes(copies, counts, counts_base)
            copy = passes.folds[0].carries[0].result

            def give(at: Value) -> tuple[Statement, ...]:
                place = load(copies.places, copies.at(copy, at)).cast(dtypes.int64)
                return (Store(output, row * count + at, place),)

            return (
                lanes("f", length, fill),
                *self._count_all(copies, counts, counts_base),
                passes,
                lanes("o", count, give),
            )

        first = own * per_item
        body = serial("row", minimum(first + per_item, rows), sort_row, start=first)
        grid = ((item, builder.size(self.items, "items"), self.items),)
        cost = self.per_item * (ordering.length * 4 * ordering.key_type.itemsize + 1000)
        return [builder.finish(grid, (body,), cost, ordering.node)]

    def _count_all(self, copies: Copies, counts: Parameter, base: Value) -> tuple[Statement, ...]:
        """Count every digit in one go: moving elements does not change how many there are."""
        digits = self.ordering.key_type.itemsize
        zero = constant(0, dtypes.int32)

        def clear(at: Value) -> tuple[Statement, ...]:
            return (Store(counts, base + at, zero),)

        def tally(at: Value) -> tuple[Statement, ...]:
            key = load(copies.keys, copies.at(index(0), at))
            body: list[Statement] = [Let(key)]
            for digit in range(digits):
                slot = base + index(digit * BUCKETS) + digit_of(key, index(digit))
                before = load(counts, slot)
                body += [Let(before), Store(counts, slot, before + 1)]
            return tuple(body)

        return (
            lanes("c", index(digits * BUCKETS), clear),
            serial("t", copies.length, tally),
        )

    def _passes(self, copies: Copies, counts: Parameter, base: Value) -> Loop:
        current = carried("copy", index(0))
        state: list[Value] = []

        def body(digit: Value) -> tuple[Statement, ...]:
            own = base + digit * index(BUCKETS)
            first = load(copies.keys, copies.at(current.now, index(0)))
            alike = load(counts, own + digit_of(first, digit))
            differ = alike.cast(INDEX).ne(copies.length)
            turned = carried("copy", current.now)
            other = index(1) - current.now
            move = moving(copies, current.now, digit, counts, own, copies.length)
            inner = (prefix_sums(counts, own), move)
            state[:] = [turned.result]
            return (Let(differ), once(differ, inner, (Fold((turned,), (other,)),)))

        digits = index(self.ordering.key_type.itemsize)
        return serial("d", digits, body, lambda _: (Fold((current,), tuple(state)),))


def moving(
    copies: Copies,
    source: Value,
    digit: Value,
    counts: Parameter,
    base: Value,
    stop: Value,
) -> Loop:
    """Return the loop that moves elements to where their buckets stand in the other copy."""
    target = index(1) - source

    def body(at: Value) -> tuple[Statement, ...]:
        key = load(copies.keys, copies.at(source, at))
        place = load(copies.places, copies.at(source, at))
        slot = base + digit_of(key, digit)
        position = load(counts, slot)
        to = copies.at(target, position.cast(INDEX))
        return (
            Let(key),
            Let(place),
            Let(position),
            Store(copies.keys, to, key),
            Store(copies.places, to, place),
            Store(counts, slot, position + 1),
        )

    return serial("m", stop, body)
