"""One place of the order of few long rows, by several launches.

A sample of each row gives two keys that the wanted one lies between. Pieces of the row collect
what lies between them; should it not hold the rank, they take in all elements. The key is then
found digit by digit from the highest on: pieces count the digits of the candidates that agree with
what is known so far. Among equal keys the order of the row decides.
"""

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    Let,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.bracket import BLOCK, Collector, ends
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import Ordering
from pumice.lowering.long_radix import PIECE, Piece
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.nth import nth_equal
from pumice.lowering.radix import BUCKETS, DIGIT_BITS
from pumice.lowering.statements import carried, lanes, once, serial
from pumice.lowering.steps import Scratch, Step

SAMPLES = 1 << 14
"""Elements of a row that are looked at first; rows are longer."""


class LongNth:
    """Finds one place of each of few long rows."""

    def __init__(self, ordering: Ordering) -> None:
        self.ordering = ordering
        self.key_type = ordering.key_type
        self.digits = ordering.key_type.itemsize
        self.pieces = -(-ordering.length // PIECE)
        rows = ordering.rows
        self.sample = Scratch(rows * SAMPLES * self.key_type.itemsize)
        self.ends = [Scratch(rows * self.key_type.itemsize) for _ in range(2)]
        self.keys = Scratch(rows * ordering.length * self.key_type.itemsize)
        # Of each piece: how many keys lie below the candidates, and how many candidates there are.
        self.below = Scratch(rows * self.pieces * 8)
        self.found = Scratch(rows * self.pieces * 8)
        # One bucket more, for keys that are out of the race.
        self.counts = Scratch(rows * self.pieces * (BUCKETS + 1) * 8)
        self.missed = Scratch(rows * 8)  # whether the rank lies outside of the candidates
        self.known = Scratch(rows * self.key_type.itemsize)  # the digits decided so far
        self.ranks = Scratch(rows * 8)  # the rank among keys that agree with them

    def lower(self) -> list[Step]:
        """Return the launches."""
        steps = [self._look(), self._collect(), self._check()]
        for digit in reversed(range(self.digits)):
            steps += [self._count(digit), self._choose(digit)]
        return [*steps, self._find()]

    def _by_rows(self, builder: KernelBuilder, body: tuple[Statement, ...], cost: int) -> Step:
        """Finish a launch of one item for each row, whose variable `_row` has made."""
        grid = ((self.row, builder.size(self.ordering.rows, "rows"), self.ordering.rows),)
        return builder.finish(grid, body, cost, self.ordering.node)

    def _row(self) -> Value:
        self.row = Variable("row")
        return variable_value(self.row)

    # -- candidates -------------------------------------------------------------------------------

    def _look(self) -> Step:
        """Take the sample, and find the ends of the range."""
        builder = KernelBuilder()
        ordering = self.ordering
        row = self._row()
        element = ordering.elements(builder)
        sample = builder.writable(self.sample, self.key_type)
        stride = builder.size(ordering.length // SAMPLES, "stride")
        rank, length = builder.size(ordering.start, "rank"), builder.size(ordering.length, "length")
        base = row * index(SAMPLES)

        def take(at: Value) -> tuple[Statement, ...]:
            return (Store(sample, base + at, element(row, at * stride)[0]),)

        finding, *keys = ends(
            self.key_type, lambda at: load(sample, base + at), SAMPLES, rank, length
        )
        stores = [
            Store(builder.writable(end, self.key_type), row, key)
            for end, key in zip(self.ends, keys, strict=True)
        ]
        body = (lanes("s", index(SAMPLES), take), *finding, *stores)
        return self._by_rows(builder, body, SAMPLES * self.key_type.bits // 4)

    def _collect(self) -> Step:
        """Collect what lies between the ends, in each piece."""
        builder = KernelBuilder()
        ordering = self.ordering
        element = ordering.elements(builder)
        piece = Piece(builder, ordering.rows, ordering.length)
        low, high = (load(builder.readable(end, self.key_type), piece.row) for end in self.ends)
        base = piece.row * builder.size(ordering.length, "length")
        collector = Collector(
            lambda at: element(piece.row, piece.start + at)[0],
            piece.stop - piece.start,
            low,
            high,
            builder.writable(self.keys, self.key_type),
            base + piece.start,
            builder.local(self.key_type, BLOCK, "block"),
        )
        collecting, below, found = collector.statements()
        body = (
            Let(low),
            Let(high),
            *collecting,
            Store(builder.writable(self.below, dtypes.int64), piece.number, _wide(below)),
            Store(builder.writable(self.found, dtypes.int64), piece.number, _wide(found)),
        )
        return builder.finish(piece.grid, body, PIECE, ordering.node)

    def _check(self) -> Step:
        """Find the rank among the candidates, or note that it is not there."""
        builder = KernelBuilder()
        row = self._row()
        pieces = builder.size(self.pieces, "pieces")
        rank = builder.size(self.ordering.start, "rank").cast(dtypes.int64)
        totals = [carried(name, constant(0, dtypes.int64)) for name in ("below", "found")]
        counts = [builder.readable(each, dtypes.int64) for each in (self.below, self.found)]

        def add(piece: Value) -> tuple[Fold, ...]:
            at = row * pieces + piece
            return tuple(
                Fold((total,), (total.now + load(count, at),))
                for total, count in zip(totals, counts, strict=True)
            )

        adding = serial("p", pieces, lambda _: (), add)
        below, found = (total.result for total in totals)
        hit = (below <= rank) & (rank < below + found)
        body = (
            adding,
            Store(builder.writable(self.missed, dtypes.int64), row, (~hit).cast(dtypes.int64)),
            Store(builder.writable(self.ranks, dtypes.int64), row, hit.select(rank - below, rank)),
            Store(builder.writable(self.known, self.key_type), row, constant(0, self.key_type)),
        )
        return self._by_rows(builder, body, self.pieces * 2)

    def _take_all(
        self, builder: KernelBuilder, piece: Piece, keys: Parameter, found: Parameter
    ) -> Statement:
        """Make all elements of a piece candidates where the rank is not among those collected."""
        element = self.ordering.elements(builder)
        base = piece.row * builder.size(self.ordering.length, "length")
        missed = load(builder.readable(self.missed, dtypes.int64), piece.row).ne(0)

        def fill(at: Value) -> tuple[Statement, ...]:
            return (Store(keys, base + at, element(piece.row, at)[0]),)

        filling = lanes("f", piece.stop, fill, piece.start)
        return once(missed, (filling, Store(found, piece.number, _wide(piece.stop - piece.start))))

    # -- digits -----------------------------------------------------------------------------------

    def _count(self, digit: int) -> Step:
        """Count a digit of the candidates whose higher digits are the known ones."""
        builder = KernelBuilder()
        ordering = self.ordering
        piece = Piece(builder, ordering.rows, ordering.length)
        is_first = digit == self.digits - 1
        memory = builder.writable if is_first else builder.readable
        keys, found = memory(self.keys, self.key_type), memory(self.found, dtypes.int64)
        known = load(builder.readable(self.known, self.key_type), piece.row)
        counts = builder.writable(self.counts, dtypes.int64)
        base = piece.number * index(BUCKETS + 1)
        first = piece.row * builder.size(ordering.length, "length") + piece.start
        number = load(found, piece.number).cast(INDEX)
        shift = digit * DIGIT_BITS
        higher = ((1 << self.key_type.bits) - 1) & ~((1 << (shift + DIGIT_BITS)) - 1)

        def tally(at: Value) -> tuple[Statement, ...]:
            key = load(keys, first + at)
            own = ((key >> shift) & (BUCKETS - 1)).cast(INDEX)
            slot = base + (key & higher).eq(known).select(own, index(BUCKETS))
            before = load(counts, slot)
            return (Let(before), Store(counts, slot, before + 1))

        def clear(at: Value) -> tuple[Statement, ...]:
            return (Store(counts, base + at, constant(0, dtypes.int64)),)

        body = (
            *([self._take_all(builder, piece, keys, found)] if is_first else []),
            Let(number),
            lanes("c", index(BUCKETS + 1), clear),
            serial("t", number, tally),
        )
        return builder.finish(piece.grid, body, PIECE // 8, ordering.node)

    def _choose(self, digit: int) -> Step:
        """Find the digit that holds the rank, and the rank within it."""
        builder = KernelBuilder()
        row = self._row()
        pieces = builder.size(self.pieces, "pieces")
        counts = builder.readable(self.counts, dtypes.int64)
        known = builder.writable(self.known, self.key_type)
        ranks = builder.writable(self.ranks, dtypes.int64)
        before, rank = load(known, row), load(ranks, row)
        totals = builder.local(dtypes.int64, BUCKETS, "totals")
        total = carried("total", constant(0, dtypes.int64))
        chosen, below = carried("digit", index(0)), carried("below", constant(0, dtypes.int64))

        def clear(at: Value) -> tuple[Statement, ...]:
            return (Store(totals, at, constant(0, dtypes.int64)),)

        def add(piece: Value) -> tuple[Statement, ...]:
            own = (row * pieces + piece) * index(BUCKETS + 1)

            def one(at: Value) -> tuple[Statement, ...]:
                so_far = load(totals, at)
                return (Let(so_far), Store(totals, at, so_far + load(counts, own + at)))

            return (lanes("b", index(BUCKETS), one),)

        def fold(value: Value) -> tuple[Fold, ...]:
            end = total.now + load(totals, value)
            here = (total.now <= rank) & (rank < end)
            following = (end, here.select(value, chosen.now), here.select(total.now, below.now))
            return (Fold((total, chosen, below), following),)

        part = chosen.result.cast(self.key_type) << (digit * DIGIT_BITS)
        body = (
            Let(before),
            Let(rank),
            lanes("c", index(BUCKETS), clear),
            serial("p", pieces, add),
            serial("b", index(BUCKETS), lambda _: (), fold),
            Store(known, row, before | part),
            Store(ranks, row, rank - below.result),
        )
        return self._by_rows(builder, body, BUCKETS * (1 + self.pieces // 8))

    def _find(self) -> Step:
        """Look for the key in the piece where it stands for the wanted time."""
        builder = KernelBuilder()
        ordering = self.ordering
        element = ordering.elements(builder)
        row = self._row()
        pieces = builder.size(self.pieces, "pieces")
        length = builder.size(ordering.length, "length")
        counts = builder.readable(self.counts, dtypes.int64)
        known = load(builder.readable(self.known, self.key_type), row)
        rank = load(builder.readable(self.ranks, dtypes.int64), row)
        output = builder.writable(ordering.node, dtypes.int64)
        bucket = (known & (BUCKETS - 1)).cast(INDEX)
        total = carried("total", constant(0, dtypes.int64))
        chosen, below = carried("piece", index(0)), carried("below", constant(0, dtypes.int64))

        def fold(piece: Value) -> tuple[Fold, ...]:
            amount = load(counts, (row * pieces + piece) * index(BUCKETS + 1) + bucket)
            end = total.now + amount
            here = (total.now <= rank) & (rank < end)
            following = (end, here.select(piece, chosen.now), here.select(total.now, below.now))
            return (Fold((total, chosen, below), following),)

        choosing = serial("p", pieces, lambda _: (), fold)
        size = builder.size(PIECE, "piece")
        start = chosen.result * size
        looking, place = nth_equal(
            lambda at: element(row, at)[0],
            known,
            (rank - below.result).cast(INDEX),
            minimum(start + size, length),
            start,
        )
        given = element(row, place)[1].cast(dtypes.int64)
        body = (Let(known), Let(rank), choosing, *looking, Store(output, row, given))
        return self._by_rows(builder, body, PIECE // 4)


def _wide(value: Value) -> Value:
    return value.cast(dtypes.int64)
