"""Radix sort of few, long rows: pieces of a row are counted and moved in parallel.

A pass takes three launches: each piece counts its digits, one item per row turns the counts into
where each piece's share of each bucket begins, and each piece moves its elements. Passes are
stable, so the result does not depend on how rows are cut.

Elements on the move wait in a short line for each bucket, and leave it together: written one by one
to as many places as there are buckets, they would push each other out of the cache.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    If,
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
from pumice.lowering.radix import BUCKETS, Copies, digit_of
from pumice.lowering.statements import carried, lanes, once, serial
from pumice.lowering.steps import Scratch, Step

PIECE = 1 << 16
LINE = 16


class LongRadix:
    """Sorts rows by several launches."""

    def __init__(self, ordering: Ordering) -> None:
        self.ordering = ordering
        self.digits = ordering.key_type.itemsize
        self.pieces = -(-ordering.length // PIECE)
        room = 2 * ordering.rows * ordering.length
        self.keys = Scratch(room * ordering.key_type.itemsize)
        self.places = Scratch(room * ordering.place_type.itemsize)
        self.counts = Scratch(ordering.rows * self.pieces * BUCKETS * ordering.place_type.itemsize)
        # For each row, the copy that holds the elements before each pass and after the last.
        self.copies = Scratch(ordering.rows * (self.digits + 1) * 8)
        waiting = ordering.rows * self.pieces * BUCKETS * LINE
        self.waiting_keys = Scratch(waiting * ordering.key_type.itemsize)
        self.waiting_places = Scratch(waiting * ordering.place_type.itemsize)
        self.begins = Scratch(ordering.rows * self.pieces * BUCKETS * ordering.place_type.itemsize)

    def lower(self) -> list[Step]:
        """Return the launches."""
        steps = [self._fill()]
        for digit in range(self.digits):
            if digit:
                steps.append(self._count(digit))
            steps += [self._begin(digit), self._move(digit)]
        return [*steps, self._give()]

    def _piece(self, builder: KernelBuilder, length: int) -> "Piece":
        return Piece(builder, self.ordering.rows, length)

    def _memory(self, builder: KernelBuilder, row: Value) -> Copies:
        length = builder.size(self.ordering.length, "length")
        return Copies(
            builder.writable(self.keys, self.ordering.key_type),
            builder.writable(self.places, self.ordering.place_type),
            row * length * index(2),
            length,
        )

    def _counts(self, builder: KernelBuilder) -> Parameter:
        return builder.writable(self.counts, self.ordering.place_type)

    def _state(self, builder: KernelBuilder) -> tuple[Parameter, Callable[[Value, int], Value]]:
        """Return where copies are noted, and the address of a row's note before a pass."""
        memory = builder.writable(self.copies, dtypes.int64)
        return memory, lambda row, digit: row * index(self.digits + 1) + index(digit)

    def _finish(
        self, builder: KernelBuilder, piece: "Piece", body: tuple[Statement, ...], cost: int
    ) -> Step:
        return builder.finish(piece.grid, body, PIECE * cost, self.ordering.node)

    def _fill(self) -> Step:
        """Write the keys, and count their first digit."""
        builder = KernelBuilder()
        element = self.ordering.elements(builder)
        piece = self._piece(builder, self.ordering.length)
        memory = self._memory(builder, piece.row)
        state, note = self._state(builder)

        def fill(at: Value) -> tuple[Statement, ...]:
            key, place = element(piece.row, at)
            to = memory.at(index(0), at)
            return (Store(memory.keys, to, key), Store(memory.places, to, place))

        first = Store(state, note(piece.row, 0), constant(0, dtypes.int64))
        filling = lanes("f", piece.stop, fill, piece.start)
        counting = self._tally(builder, piece, memory, index(0), 0)
        return self._finish(builder, piece, (first, filling, *counting), 2)

    def _count(self, digit: int) -> Step:
        builder = KernelBuilder()
        piece = self._piece(builder, self.ordering.length)
        memory = self._memory(builder, piece.row)
        state, note = self._state(builder)
        copy = load(state, note(piece.row, digit)).cast(INDEX)
        body = self._tally(builder, piece, memory, copy, digit)
        return self._finish(builder, piece, (Let(copy), *body), 1)

    def _tally(
        self, builder: KernelBuilder, piece: "Piece", memory: Copies, copy: Value, digit: int
    ) -> tuple[Statement, ...]:
        counts = self._counts(builder)
        base = piece.number * index(BUCKETS)
        zero = constant(0, counts.dtype)

        def tally(at: Value) -> tuple[Statement, ...]:
            key = load(memory.keys, memory.at(copy, at))
            slot = base + digit_of(key, index(digit))
            before = load(counts, slot)
            return (Let(before), Store(counts, slot, before + 1))

        return (
            lanes("c", index(BUCKETS), lambda at: (Store(counts, base + at, zero),)),
            serial("t", piece.stop, tally, start=piece.start),
        )

    def _begin(self, digit: int) -> Step:
        """Turn counts into places; note whether all elements share the digit."""
        builder = KernelBuilder()
        row = Variable("row")
        own = variable_value(row)
        pieces = builder.size(self.pieces, "pieces")
        length = builder.size(self.ordering.length, "length")
        counts = self._counts(builder)
        state, note = self._state(builder)
        total = carried("total", constant(0, counts.dtype))
        alike = carried("alike", constant(False, dtypes.bool_))
        results: list[Value] = []

        def bucket(digit_value: Value) -> tuple[Statement, ...]:
            place = carried("place", total.now)
            amounts: list[Value] = []

            def share(piece: Value) -> tuple[Statement, ...]:
                at = (own * pieces + piece) * index(BUCKETS) + digit_value
                amounts[:] = [load(counts, at)]
                return (Let(amounts[0]), Store(counts, at, place.now))

            def fold(_: Value) -> tuple[Fold, ...]:
                return (Fold((place,), (place.now + amounts[0],)),)

            loop = serial("piece", pieces, share, fold)
            whole = (place.result - total.now).cast(INDEX).eq(length)
            results[:] = [place.result, alike.now | whole]
            return (loop,)

        loop = serial(
            "bucket", index(BUCKETS), bucket, lambda _: (Fold((total, alike), tuple(results)),)
        )
        before = load(state, note(own, digit))
        after = alike.result.select(before, constant(1, dtypes.int64) - before)
        body = (loop, Store(state, note(own, digit + 1), after))
        rows = self.ordering.rows
        grid = ((row, builder.size(rows, "rows"), rows),)
        return builder.finish(grid, body, BUCKETS * self.pieces * 2, self.ordering.node)

    def _move(self, digit: int) -> Step:
        builder = KernelBuilder()
        piece = self._piece(builder, self.ordering.length)
        memory = self._memory(builder, piece.row)
        counts = self._counts(builder)
        state, note = self._state(builder)
        source = load(state, note(piece.row, digit)).cast(INDEX)
        target = load(state, note(piece.row, digit + 1)).cast(INDEX)
        lines = Lines(
            memory,
            index(1) - source,
            builder.writable(self.waiting_keys, self.ordering.key_type),
            builder.writable(self.waiting_places, self.ordering.place_type),
            counts,
            builder.writable(self.begins, counts.dtype),
            piece.number * index(BUCKETS),
        )
        moves = lines.statements(source, index(digit), piece.start, piece.stop)
        body = (Let(source), once(source.ne(target), moves))
        return self._finish(builder, piece, body, 3)

    def _give(self) -> Step:
        builder = KernelBuilder()
        piece = self._piece(builder, self.ordering.count)
        memory = self._memory(builder, piece.row)
        state, note = self._state(builder)
        copy = load(state, note(piece.row, self.digits)).cast(INDEX)
        output = builder.writable(self.ordering.node, dtypes.int64)
        count = builder.size(self.ordering.count, "count")

        def give(at: Value) -> tuple[Statement, ...]:
            place = load(memory.places, memory.at(copy, at)).cast(dtypes.int64)
            return (Store(output, piece.row * count + at, place),)

        return self._finish(
            builder, piece, (Let(copy), lanes("o", piece.stop, give, piece.start)), 1
        )


class Piece:
    """One piece of one row: the grid item of most launches."""

    def __init__(self, builder: KernelBuilder, rows: int, length: int) -> None:
        pieces = -(-length // PIECE)
        row, piece = Variable("row"), Variable("piece")
        count = builder.size(pieces, "pieces")
        self.row = variable_value(row)
        self.number = self.row * count + variable_value(piece)
        size = builder.size(PIECE, "piece")
        self.start = variable_value(piece) * size
        self.stop = minimum(self.start + size, builder.size(length, "length"))
        self.grid = ((row, builder.size(rows, "rows"), rows), (piece, count, pieces))


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """One line of waiting elements for each bucket of a piece.

    Attributes
    ----------
    copy : Value
        The copy elements move to.
    keys, places : Parameter
        What waits.
    counts, begins : Parameter
        Where the next element of each bucket goes, and where its first one went.
    base : Value
        Where this piece's buckets begin.
    """

    copies: Copies
    copy: Value
    keys: Parameter
    places: Parameter
    counts: Parameter
    begins: Parameter
    base: Value

    def statements(
        self, source: Value, digit: Value, start: Value, stop: Value
    ) -> tuple[Statement, ...]:
        """Return the statements that move elements from the other copy."""

        def note(bucket: Value) -> tuple[Statement, ...]:
            first = load(self.counts, self.base + bucket)
            return (Store(self.begins, self.base + bucket, first),)

        def join(at: Value) -> tuple[Statement, ...]:
            key = load(self.copies.keys, self.copies.at(source, at))
            place = load(self.copies.places, self.copies.at(source, at))
            slot = self.base + digit_of(key, digit)
            position = load(self.counts, slot)
            seat = position.cast(INDEX) & (LINE - 1)
            to = slot * index(LINE) + seat
            leave = If(seat.eq(LINE - 1), (self._leave(slot, position.cast(INDEX) + 1),))
            return (
                Let(key),
                Let(place),
                Let(position),
                Store(self.keys, to, key),
                Store(self.places, to, place),
                Store(self.counts, slot, position + 1),
                leave,
            )

        def rest(bucket: Value) -> tuple[Statement, ...]:
            slot = self.base + bucket
            end = load(self.counts, slot).cast(INDEX)
            return (Let(end), self._leave(slot, end))

        return (
            lanes("c", index(BUCKETS), note),
            serial("m", stop, join, start=start),
            serial("r", index(BUCKETS), rest),
        )

    def _leave(self, slot: Value, end: Value) -> Loop:
        """Return the loop that writes a bucket's line, whose last element goes before ``end``."""
        first = (end - 1) & -LINE
        begin = load(self.begins, slot).cast(INDEX)

        def write(seat: Value) -> tuple[Statement, ...]:
            position = first + seat
            own = (begin <= position) & (position < end)
            at, to = slot * index(LINE) + seat, self.copies.at(self.copy, position)
            return (
                Store(self.copies.keys, to, load(self.keys, at), own),
                Store(self.copies.places, to, load(self.places, at), own),
            )

        return lanes("l", index(LINE), write)
