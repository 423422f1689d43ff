"""Radix sort of long rows on devices whose workgroups share memory, eight bits at a time.

Rows are cut into tiles. A pass takes five launches::

    tiles:    sort each tile by the digit in shared memory; note where each bucket begins in it
    sums:     add the lengths of a bucket over a chunk of tiles
    begins:   running sums over the chunks, and over the buckets of a row
    offsets:  the same inside of chunks: where each tile's share of each bucket goes
    move:     each element to its bucket

Elements leave a tile in runs of neighbours. Every launch keeps the order of equal digits, so the
result depends on the keys alone.
"""

from typing import NamedTuple

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    Let,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import ElementAt, Ordering, run_ends, stored_elements
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.statements import Body, carried, lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.tile_order import DIGIT_BITS, EXTENT, PLACE_BITS, TileOrder

BITS = 2 * DIGIT_BITS
BUCKETS = 1 << BITS
CHUNK = 64
MOST_CHUNKS = 1024
BUCKET_GROUPS = 16


Axis = tuple[Variable, Value, int]


class _Chunk(NamedTuple):
    """A grid item's bucket of a chunk of tiles: the place of its sum, and which tiles those are."""

    grid: tuple[Axis, ...]
    bucket: Value
    place: Value
    start: Value
    stop: Value


class GroupRadix:
    """Sorts rows by several launches."""

    def __init__(self, ordering: Ordering, width: int) -> None:
        self.ordering = ordering
        self.width = width
        self.tiles = -(-ordering.length // EXTENT)
        self.chunk = max(CHUNK, -(-self.tiles // MOST_CHUNKS))
        self.chunks = -(-self.tiles // self.chunk)
        elements, place = ordering.rows * ordering.length, ordering.place_type.itemsize
        self.keys = [Scratch(elements * ordering.key_type.itemsize) for _ in range(2)]
        self.places = [Scratch(elements * place) for _ in range(2)]
        buckets = ordering.rows * BUCKETS
        self.first = Scratch(buckets * self.tiles * 4)
        self.lengths = Scratch(buckets * self.tiles * 4)
        self.sums = Scratch(buckets * self.chunks * place)
        self.offsets = Scratch(buckets * self.tiles * place)

    def lower(self) -> list[Step]:
        """Return the launches."""
        passes = -(-(self.ordering.key_bits or self.ordering.key_type.bits) // BITS)
        steps = []
        for number in range(passes):
            last = number == passes - 1
            steps += [self._tiles(number, last), self._chunk_sums(), self._begins()]
            steps += [self._offsets(), self._move(number, last)]
        return steps

    def _elements(self, builder: KernelBuilder, number: int) -> ElementAt:
        """Return what reads the elements in the order a pass finds them."""
        ordering = self.ordering
        if not number:
            return ordering.elements(builder)
        return stored_elements(builder, ordering, self.keys[1], self.places[1], ordering.length)

    def _rows(self, builder: KernelBuilder, row: Variable) -> Axis:
        return (row, builder.size(self.ordering.rows, "rows"), self.ordering.rows)

    def _tiles(self, number: int, last: bool) -> Step:
        builder = KernelBuilder()
        ordering = self.ordering
        row, which = Variable("row"), Variable("tile")
        own = variable_value(row)
        element = self._elements(builder, number)
        length = builder.size(ordering.length, "length")
        tiles = builder.size(self.tiles, "tiles")
        start = variable_value(which) * index(EXTENT)
        count = minimum(length - start, index(EXTENT))
        shift = builder.size(number * BITS, "shift")
        tile = TileOrder(
            builder, ordering.key_type, lambda at: element(own, start + at)[0], EXTENT, self.width
        )
        keys = builder.writable(self.keys[0], ordering.key_type)
        places = builder.writable(self.places[0], ordering.place_type)

        def give(at: Value) -> Body:
            place = tile.place(index(0), at)
            key, where = element(own, start + place)
            to = own * length + start + at
            return (
                Let(place),
                Store(keys, to, key),
                Store(places, to, where),
            )

        body = (
            *tile.fill(count, shift),
            *tile.round(index(0), count, index(PLACE_BITS)),
            *tile.round(index(1), count, index(PLACE_BITS + DIGIT_BITS)),
            lanes("o", count, give),
            *self._buckets(builder, tile, count, own * tiles + variable_value(which)),
        )
        grid = (self._rows(builder, row), (which, tiles, self.tiles))
        return builder.finish(grid, body, 10 * EXTENT, ordering.node)

    def _buckets(
        self, builder: KernelBuilder, tile: TileOrder, count: Value, number: Value
    ) -> Body:
        """Return what notes where buckets begin in a sorted tile, and how long they are."""
        first = builder.writable(self.first, dtypes.int32)
        lengths = builder.writable(self.lengths, dtypes.int32)
        ends, zero = index(BUCKETS), constant(0, dtypes.uint32)

        def bucket(at: Value) -> Value:
            return _bucket(tile.packed(index(0), at), constant(PLACE_BITS, dtypes.uint32))

        def clear(at: Value) -> Body:
            return (Store(tile.counts, at, zero), Store(tile.counts, ends + at, zero))

        def mark(at: Value) -> Body:
            here, begins, stops = run_ends(at, count, bucket)
            return (
                Store(tile.counts, here, at.cast(dtypes.uint32), begins),
                Store(tile.counts, ends + here, (at + 1).cast(dtypes.uint32), stops),
            )

        def note(at: Value) -> Body:
            begin, end = load(tile.counts, at), load(tile.counts, ends + at)
            to = number * index(BUCKETS) + at
            return (
                Store(first, to, begin.cast(dtypes.int32)),
                Store(lengths, to, (end - begin).cast(dtypes.int32)),
            )

        return (lanes("c", ends, clear), lanes("m", count, mark), lanes("n", ends, note))

    def _chunk(self, builder: KernelBuilder) -> _Chunk:
        """Return a bucket's share of a chunk of a row, of which there is one per item."""
        row, chunk, bucket = Variable("row"), Variable("chunk"), Variable("bucket")
        size, tiles = builder.size(self.chunk, "chunk"), builder.size(self.tiles, "tiles")
        start = variable_value(chunk) * size
        stop = minimum(start + size, tiles)
        first = variable_value(row) * tiles
        chunks = builder.size(self.chunks, "chunks")
        number = variable_value(row) * chunks + variable_value(chunk)
        return _Chunk(
            (
                self._rows(builder, row),
                (chunk, chunks, self.chunks),
                (bucket, index(BUCKETS), BUCKETS),
            ),
            variable_value(bucket),
            number * index(BUCKETS) + variable_value(bucket),
            first + start,
            first + stop,
        )

    def _chunk_sums(self) -> Step:
        builder = KernelBuilder()
        chunk = self._chunk(builder)
        lengths = builder.readable(self.lengths, dtypes.int32)
        place_type = self.ordering.place_type
        sums = builder.writable(self.sums, place_type)
        total = carried("total", constant(0, place_type))

        def folds(tile: Value) -> tuple[Fold, ...]:
            amount = load(lengths, tile * index(BUCKETS) + chunk.bucket)
            return (Fold((total,), (total.now + amount.cast(place_type),)),)

        body = (
            serial("t", chunk.stop, lambda _: (), folds, start=chunk.start),
            Store(sums, chunk.place, total.result),
        )
        return builder.finish(chunk.grid, body, 2 * self.chunk, self.ordering.node)

    def _begins(self) -> Step:
        """Replace the sums of chunks by where their shares of the buckets begin in the row."""
        builder = KernelBuilder()
        row = Variable("row")
        place_type, zero = self.ordering.place_type, constant(0, self.ordering.place_type)
        sums = builder.writable(self.sums, place_type)
        chunks = builder.size(self.chunks, "chunks")
        totals = builder.local(place_type, BUCKETS, "totals")
        groups = builder.local(place_type, BUCKET_GROUPS, "groups")
        base = variable_value(row) * chunks
        share = BUCKETS // BUCKET_GROUPS

        def add(bucket: Value) -> Body:
            total = carried("total", zero)

            def folds(chunk: Value) -> tuple[Fold, ...]:
                amount = load(sums, (base + chunk) * index(BUCKETS) + bucket)
                return (Fold((total,), (total.now + amount,)),)

            loop = serial("c", chunks, lambda _: (), folds)
            return (loop, Store(totals, bucket, total.result))

        def join(group: Value) -> Body:
            total = carried("total", zero)

            def folds(at: Value) -> tuple[Fold, ...]:
                amount = load(totals, group * index(share) + at)
                return (Fold((total,), (total.now + amount,)),)

            loop = serial("b", index(share), lambda _: (), folds)
            return (loop, Store(groups, group, total.result))

        def spread(bucket: Value) -> Body:
            group = bucket >> share.bit_length() - 1
            before = carried("before", zero)

            def earlier(at: Value) -> tuple[Fold, ...]:
                return (Fold((before,), (before.now + load(groups, at),)),)

            within = carried("within", before.result)

            def neighbours(at: Value) -> tuple[Fold, ...]:
                return (Fold((within,), (within.now + load(totals, at),)),)

            running = carried("running", within.result)
            amounts: list[Value] = []

            def give(chunk: Value) -> Body:
                at = (base + chunk) * index(BUCKETS) + bucket
                amounts[:] = [load(sums, at)]
                return (Let(amounts[0]), Store(sums, at, running.now))

            def following(_: Value) -> tuple[Fold, ...]:
                return (Fold((running,), (running.now + amounts[0],)),)

            return (
                serial("g", group, lambda _: (), earlier),
                serial("n", bucket, lambda _: (), neighbours, start=group * index(share)),
                serial("c", chunks, give, following),
            )

        body: tuple[Statement, ...] = (
            lanes("b", index(BUCKETS), add),
            lanes("g", index(BUCKET_GROUPS), join),
            lanes("b", index(BUCKETS), spread),
        )
        return builder.finish((self._rows(builder, row),), body, 5000, self.ordering.node)

    def _offsets(self) -> Step:
        builder = KernelBuilder()
        chunk = self._chunk(builder)
        place_type = self.ordering.place_type
        first = builder.readable(self.first, dtypes.int32)
        lengths = builder.readable(self.lengths, dtypes.int32)
        sums = builder.readable(self.sums, place_type)
        offsets = builder.writable(self.offsets, place_type)
        running = carried("running", load(sums, chunk.place))

        def at(tile: Value) -> Value:
            return tile * index(BUCKETS) + chunk.bucket

        def give(tile: Value) -> Body:
            begin = load(first, at(tile)).cast(place_type)
            return (Store(offsets, at(tile), running.now - begin),)

        def following(tile: Value) -> tuple[Fold, ...]:
            amount = load(lengths, at(tile)).cast(place_type)
            return (Fold((running,), (running.now + amount,)),)

        body = (serial("t", chunk.stop, give, following, start=chunk.start),)
        return builder.finish(chunk.grid, body, 4 * self.chunk, self.ordering.node)

    def _move(self, number: int, last: bool) -> Step:
        builder = KernelBuilder()
        ordering = self.ordering
        row, element = Variable("row"), Variable("i")
        own, place = variable_value(row), variable_value(element)
        length = builder.size(ordering.length, "length")
        tiles = builder.size(self.tiles, "tiles")
        keys = builder.readable(self.keys[0], ordering.key_type)
        places = builder.readable(self.places[0], ordering.place_type)
        offsets = builder.readable(self.offsets, ordering.place_type)
        shift = builder.size(number * BITS, "shift").cast(ordering.key_type)
        key = load(keys, own * length + place)
        given = load(places, own * length + place)
        tile = place >> (EXTENT.bit_length() - 1)
        within = place & (EXTENT - 1)
        slot = (own * tiles + tile) * index(BUCKETS) + _bucket(key, shift)
        to = load(offsets, slot).cast(INDEX) + within
        if last:
            output = ordering.output(builder)
            wanted = builder.size(ordering.count, "count")
            to = to - builder.size(ordering.start, "start")
            mask = None if ordering.count == ordering.length else (to >= 0) & (to < wanted)
            stores = [Store(output, own * wanted + to, given.cast(output.dtype), mask)]
        else:
            stores = [
                Store(builder.writable(self.keys[1], ordering.key_type), own * length + to, key),
                Store(
                    builder.writable(self.places[1], ordering.place_type), own * length + to, given
                ),
            ]
        grid = (self._rows(builder, row), (element, length, ordering.length))
        return builder.finish(grid, tuple(stores), 4, ordering.node)


def _bucket(key: Value, shift: Value) -> Value:
    return ((key >> shift) & (BUCKETS - 1)).cast(INDEX)
