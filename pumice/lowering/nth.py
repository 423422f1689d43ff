"""One place of each row's order (a median) or its first few, without sorting the row.

In a short row the key of that rank is found bit by bit, counting how many keys are smaller. In few
long rows it is found digit by digit from the highest on: pieces count the digits of the keys that
agree with what is known so far. Among equal keys the order of the row decides.
"""

from collections.abc import Callable

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    Let,
    Loop,
    LoopKind,
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
from pumice.lowering.keys import ElementAt, Ordering
from pumice.lowering.long_radix import PIECE, Piece
from pumice.lowering.loops import variable_value
from pumice.lowering.radix import BUCKETS, DIGIT_BITS
from pumice.lowering.rank import item_rows, rows_per_item
from pumice.lowering.select import kth_smallest
from pumice.lowering.statements import carried, count_where, lanes, serial
from pumice.lowering.steps import Scratch, Step


def lower_nth(ordering: Ordering) -> Step:
    """Return the launch that finds one place of each row."""
    builder = KernelBuilder()
    element = ordering.elements(builder)
    items = -(-ordering.rows // rows_per_item(ordering.rows))
    scratch = Scratch(items * ordering.length * ordering.key_type.itemsize)
    keys = builder.writable(scratch, ordering.key_type)
    item = Variable("item")
    length = builder.size(ordering.length, "length")
    rank = builder.size(ordering.start, "rank")
    base = variable_value(item) * length
    output = builder.writable(ordering.node, dtypes.int64)

    def key(at: Value) -> Value:
        return load(keys, base + at)

    def find(row: Value) -> tuple[Statement, ...]:
        def fill(at: Value) -> tuple[Statement, ...]:
            return (Store(keys, base + at, element(row, at)[0]),)

        finding, wanted = kth_smallest(ordering.key_type, key, length, rank + 1)
        counting, less = count_where(length, lambda at: key(at) < wanted)
        nth = rank - less.cast(INDEX)
        looking, place = nth_equal(key, wanted, nth, length)
        given = element(row, place)[1].cast(dtypes.int64)
        return (lanes("f", length, fill), finding, counting, looking, Store(output, row, given))

    body = item_rows(builder, item, ordering.rows, find)
    grid = ((item, builder.size(items, "items"), items),)
    work = ordering.length * (ordering.key_type.bits // 16 + 1) + 1000
    return builder.finish(grid, (body,), rows_per_item(ordering.rows) * work, ordering.node)


def lower_firsts(ordering: Ordering) -> Step:
    """Return the launch that finds the first few places of each row, one fold after the other.

    Each fold takes the smallest key, and the first place among equals, behind the one found last.
    """
    builder = KernelBuilder()
    element = ordering.elements(builder)
    row = Variable("row")
    own = variable_value(row)
    length, count = builder.size(ordering.length, "length"), builder.size(ordering.count, "count")
    output = builder.writable(ordering.node, dtypes.int64)
    key_before = carried("key", constant(0, ordering.key_type))
    place_before = carried("place", constant(-1, ordering.place_type))
    results: list[Value] = []

    def find(number: Value) -> tuple[Statement, ...]:
        at, key, place = _next_behind(ordering, element, own, key_before.now, place_before.now)
        results[:] = [key, place]
        given = element(own, place.cast(INDEX))[1].cast(dtypes.int64)
        return (at(length), Store(output, own * count + number, given))

    folds = (key_before, place_before)
    loop = serial("k", count, find, lambda _: (Fold(folds, tuple(results)),))
    grid = ((row, builder.size(ordering.rows, "rows"), ordering.rows),)
    cost = ordering.count * (ordering.length // 4 + 20)
    return builder.finish(grid, (loop,), cost, ordering.node)


def _next_behind(
    ordering: Ordering, element: ElementAt, row: Value, key_before: Value, place_before: Value
) -> tuple[Callable[[Value], Loop], Value, Value]:
    """Return what makes the fold over a row's extent, and the key and position it finds."""
    position = Variable("i")
    largest = (1 << ordering.key_type.bits) - 1
    limit = (1 << (ordering.place_type.bits - 1)) - 1
    start = constant(largest, ordering.key_type), constant(limit, ordering.place_type)
    key, place = carried("least", start[0]), carried("where", start[1])
    own_key = element(row, variable_value(position))[0]
    own_place = variable_value(position).cast(ordering.place_type)
    found = own_key, own_place
    if ordering.count > 1:
        behind = (key_before < own_key) | (key_before.eq(own_key) & (place_before < own_place))
        found = behind.select(own_key, start[0]), behind.select(own_place, start[1])

    def smaller(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        earlier = (second[0] < first[0]) | (second[0].eq(first[0]) & (second[1] < first[1]))
        return earlier.select(second[0], first[0]), earlier.select(second[1], first[1])

    fold = Fold((key, place), smaller((key.now, place.now), found), smaller)
    return (
        lambda length: Loop(position, index(0), length, LoopKind.LANES, (), (fold,)),
        key.result,
        place.result,
    )


def nth_equal(
    key_at: Callable[[Value], Value],
    wanted: Value,
    nth: Value,
    stop: Value,
    start: Value | None = None,
) -> tuple[Loop, Value]:
    """Return the loop that finds where a key stands for the n-th time, counted from 0."""
    seen, found = carried("seen", index(0)), carried("found", index(0))
    following: list[Value] = []

    def body(at: Value) -> tuple[Statement, ...]:
        same = key_at(at).eq(wanted)
        here = same & seen.now.eq(nth)
        following[:] = [seen.now + same.cast(INDEX), here.select(at, found.now)]
        return ()

    loop = serial("e", stop, body, lambda _: (Fold((seen, found), tuple(following)),), start)
    return loop, found.result


class LongNth:
    """Finds one place of each of few long rows, by several launches."""

    def __init__(self, ordering: Ordering) -> None:
        self.ordering = ordering
        self.key_type = ordering.key_type
        self.digits = ordering.key_type.itemsize
        self.pieces = -(-ordering.length // PIECE)
        rows = ordering.rows
        self.keys = Scratch(rows * ordering.length * self.key_type.itemsize)
        # One bucket more, for keys that are out of the race.
        self.counts = Scratch(rows * self.pieces * (BUCKETS + 1) * 8)
        self.known = Scratch(rows * self.key_type.itemsize)  # the digits decided so far
        self.ranks = Scratch(rows * 8)  # the rank among keys that agree with them

    def lower(self) -> list[Step]:
        """Return the launches."""
        steps = [self._fill()]
        for digit in reversed(range(self.digits)):
            steps += [self._count(digit), self._choose(digit)]
        return [*steps, self._find()]

    def _fill(self) -> Step:
        builder = KernelBuilder()
        ordering = self.ordering
        element = ordering.elements(builder)
        piece = Piece(builder, ordering.rows, ordering.length)
        keys = builder.writable(self.keys, self.key_type)
        known = builder.writable(self.known, self.key_type)
        ranks = builder.writable(self.ranks, dtypes.int64)
        rank = builder.size(ordering.start, "rank").cast(dtypes.int64)
        base = piece.row * builder.size(ordering.length, "length")

        def fill(at: Value) -> tuple[Statement, ...]:
            return (Store(keys, base + at, element(piece.row, at)[0]),)

        body = (
            Store(known, piece.row, constant(0, self.key_type)),
            Store(ranks, piece.row, rank),
            lanes("f", piece.stop, fill, piece.start),
        )
        return builder.finish(piece.grid, body, PIECE, ordering.node)

    def _count(self, digit: int) -> Step:
        """Count a digit of the keys whose higher digits are the known ones."""
        builder = KernelBuilder()
        ordering = self.ordering
        piece = Piece(builder, ordering.rows, ordering.length)
        keys = builder.readable(self.keys, self.key_type)
        known = load(builder.readable(self.known, self.key_type), piece.row)
        counts = builder.writable(self.counts, dtypes.int64)
        base = piece.number * index(BUCKETS + 1)
        row_base = piece.row * builder.size(ordering.length, "length")
        shift = digit * DIGIT_BITS
        higher = ((1 << self.key_type.bits) - 1) & ~((1 << (shift + DIGIT_BITS)) - 1)

        def tally(at: Value) -> tuple[Statement, ...]:
            key = load(keys, row_base + at)
            own = ((key >> shift) & (BUCKETS - 1)).cast(INDEX)
            slot = base + (key & higher).eq(known).select(own, index(BUCKETS))
            before = load(counts, slot)
            return (Let(before), Store(counts, slot, before + 1))

        def clear(at: Value) -> tuple[Statement, ...]:
            return (Store(counts, base + at, constant(0, dtypes.int64)),)

        body = (
            lanes("c", index(BUCKETS + 1), clear),
            serial("t", piece.stop, tally, start=piece.start),
        )
        return builder.finish(piece.grid, body, 2 * PIECE, ordering.node)

    def _choose(self, digit: int) -> Step:
        """Find the digit that holds the rank, and the rank within it."""
        builder = KernelBuilder()
        row = Variable("row")
        own = variable_value(row)
        pieces = builder.size(self.pieces, "pieces")
        counts = builder.readable(self.counts, dtypes.int64)
        known = builder.writable(self.known, self.key_type)
        ranks = builder.writable(self.ranks, dtypes.int64)
        before, rank = load(known, own), load(ranks, own)
        total = carried("total", constant(0, dtypes.int64))
        chosen, below = carried("digit", index(0)), carried("below", constant(0, dtypes.int64))
        results: list[Value] = []

        def bucket(value: Value) -> tuple[Statement, ...]:
            loop, end = self._add_pieces(counts, own, value, pieces, total.now)
            here = (total.now <= rank) & (rank < end)
            results[:] = [end, here.select(value, chosen.now), here.select(total.now, below.now)]
            return (loop,)

        carries = (total, chosen, below)
        loop = serial("b", index(BUCKETS), bucket, lambda _: (Fold(carries, tuple(results)),))
        part = chosen.result.cast(self.key_type) << (digit * DIGIT_BITS)
        body = (
            Let(before),
            Let(rank),
            loop,
            Store(known, own, before | part),
            Store(ranks, own, rank - below.result),
        )
        rows = self.ordering.rows
        grid = ((row, builder.size(rows, "rows"), rows),)
        return builder.finish(grid, body, BUCKETS * self.pieces, self.ordering.node)

    def _add_pieces(
        self, counts: Parameter, row: Value, bucket: Value, pieces: Value, start: Value
    ) -> tuple[Loop, Value]:
        """Return the loop that adds one bucket of all pieces to a number, and the sum."""
        total = carried("sum", start)

        def fold(piece: Value) -> tuple[Fold, ...]:
            amount = load(counts, (row * pieces + piece) * index(BUCKETS + 1) + bucket)
            return (Fold((total,), (total.now + amount,)),)

        return serial("p", pieces, lambda _: (), fold), total.result

    def _find(self) -> Step:
        """Look for the key in the piece where it stands for the wanted time."""
        builder = KernelBuilder()
        ordering = self.ordering
        element = ordering.elements(builder)
        row = Variable("row")
        own = variable_value(row)
        pieces = builder.size(self.pieces, "pieces")
        length = builder.size(ordering.length, "length")
        keys = builder.readable(self.keys, self.key_type)
        counts = builder.readable(self.counts, dtypes.int64)
        known = load(builder.readable(self.known, self.key_type), own)
        rank = load(builder.readable(self.ranks, dtypes.int64), own)
        output = builder.writable(ordering.node, dtypes.int64)
        bucket = (known & (BUCKETS - 1)).cast(INDEX)
        total = carried("total", constant(0, dtypes.int64))
        chosen, below = carried("piece", index(0)), carried("below", constant(0, dtypes.int64))

        def fold(piece: Value) -> tuple[Fold, ...]:
            amount = load(counts, (own * pieces + piece) * index(BUCKETS + 1) + bucket)
            end = total.now + amount
            here = (total.now <= rank) & (rank < end)
            following = (end, here.select(piece, chosen.now), here.select(total.now, below.now))
            return (Fold((total, chosen, below), following),)

        choosing = serial("p", pieces, lambda _: (), fold)
        size = builder.size(PIECE, "piece")
        start = chosen.result * size
        stop = start + size
        stop = (stop < length).select(stop, length)
        nth = (rank - below.result).cast(INDEX)
        looking, place = nth_equal(
            lambda at: load(keys, own * length + at), known, nth, stop, start
        )
        given = element(own, place)[1].cast(dtypes.int64)
        grid = ((row, builder.size(ordering.rows, "rows"), ordering.rows),)
        body = (choosing, looking, Store(output, own, given))
        return builder.finish(grid, body, PIECE, ordering.node)
