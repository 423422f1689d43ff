"""One place of each row's order (a median) or its first few, without sorting the row.

The key of that rank is found bit by bit, counting how many keys are smaller; in rows of some length
among the keys that lie between two which a sample of the row tells. Among equal keys the order of
the row decides.
"""

from collections.abc import Callable

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
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
from pumice.lowering.bracket import BLOCK, Collector, ends
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import ElementAt, Ordering
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.rank import item_rows, rows_per_item
from pumice.lowering.select import kth_smallest
from pumice.lowering.statements import carried, count_where, lanes, once, serial
from pumice.lowering.steps import Scratch, Step

SAMPLED_FROM = 2048
"""Elements of a row from which a sample of it pays."""
SAMPLES = 512
EQUALS_BLOCK = 1024


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
    candidates = _all_keys
    if ordering.length >= SAMPLED_FROM:
        candidates = _Sampled(builder, ordering)

    def key(at: Value) -> Value:
        return load(keys, base + at)

    def find(row: Value) -> tuple[Statement, ...]:
        def own_key(at: Value) -> Value:
            return element(row, at)[0]

        taking, count, own_rank = candidates(own_key, length, rank, keys, base)
        finding, wanted = kth_smallest(ordering.key_type, key, count, own_rank + 1)
        counting, less = count_where(count, lambda at: key(at) < wanted)
        nth = own_rank - less.cast(INDEX)
        looking, place = nth_equal(own_key, wanted, nth, length)
        given = element(row, place)[1].cast(dtypes.int64)
        return (*taking, finding, counting, *looking, Store(output, row, given))

    body = item_rows(builder, item, ordering.rows, find)
    grid = ((item, builder.size(items, "items"), items),)
    work = ordering.length * (ordering.key_type.bits // 16 + 1) + 1000
    return builder.finish(grid, (body,), rows_per_item(ordering.rows) * work, ordering.node)


Candidates = tuple[tuple[Statement, ...], Value, Value]
"""Statements that collect keys, how many there are, and the wanted rank among them."""


def _all_keys(
    key_at: Callable[[Value], Value], length: Value, rank: Value, keys: Parameter, base: Value
) -> Candidates:
    """Take all keys of a row."""
    filling = lanes("f", length, lambda at: (Store(keys, base + at, key_at(at)),))
    return (filling,), length, rank


class _Sampled:
    """Takes the keys around the rank; all of them where a sample misleads."""

    def __init__(self, builder: KernelBuilder, ordering: Ordering) -> None:
        self._key_type = ordering.key_type
        self._sample = builder.local(ordering.key_type, SAMPLES, "sample")
        self._block = builder.local(ordering.key_type, BLOCK, "block")
        self._stride = builder.size(ordering.length // SAMPLES, "stride")

    def __call__(
        self,
        key_at: Callable[[Value], Value],
        length: Value,
        rank: Value,
        keys: Parameter,
        base: Value,
    ) -> Candidates:
        sample, stride = self._sample, self._stride
        sampling = lanes("s", index(SAMPLES), lambda at: (Store(sample, at, key_at(at * stride)),))
        finding, low, high = ends(
            self._key_type, lambda at: load(sample, at), SAMPLES, rank, length
        )
        collector = Collector(key_at, length, low, high, keys, base, self._block)
        collecting, below, found = collector.statements()
        hit = (below <= rank) & (rank < below + found)
        taking, count, own_rank = _all_keys(key_at, length, rank, keys, base)
        otherwise = once(~hit, taking)
        statements = (sampling, *finding, *collecting, otherwise)
        return statements, hit.select(found, count), hit.select(rank - below, own_rank)


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
) -> tuple[tuple[Statement, ...], Value]:
    """Return what finds where a key stands for the n-th time, counted from 0.

    Blocks are counted in vector lanes; only the one that holds the place is gone through.
    """
    first = index(0) if start is None else start
    size = index(EQUALS_BLOCK)
    seen, before = carried("seen", index(0)), carried("before", index(0))
    chosen = carried("block", first)
    state: list[Value] = []

    def count(block: Value) -> tuple[Statement, ...]:
        begin = first + block * size
        extent = minimum(stop - begin, size)
        counting, equal = count_where(extent, lambda at: key_at(begin + at).eq(wanted))
        end = seen.now + equal.cast(INDEX)
        here = (seen.now <= nth) & (nth < end)
        state[:] = [end, here.select(seen.now, before.now), here.select(begin, chosen.now)]
        return (counting,)

    blocks = (stop - first + (EQUALS_BLOCK - 1)).quotient(size)
    carries = (seen, before, chosen)
    choosing = serial("b", blocks, count, lambda _: (Fold(carries, tuple(state)),))
    passed, found = carried("seen", before.result), carried("found", index(0))

    def look(at: Value) -> tuple[Fold, ...]:
        same = key_at(at).eq(wanted)
        here = same & passed.now.eq(nth)
        following = (passed.now + same.cast(INDEX), here.select(at, found.now))
        return (Fold((passed, found), following),)

    end = minimum(chosen.result + size, stop)
    looking = serial("e", end, lambda _: (), look, chosen.result)
    return (choosing, looking), found.result
