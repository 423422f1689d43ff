"""The few smallest keys of rows, without sorting the rows.

A row is read twice at memory speed. First the smallest key of each of some groups of elements is
found; the k-th smallest of those is a bound that at least k elements keep. Then blocks of the row
are compared with the bound, and those that hold such an element are looked at one by one: it goes
to a short list of candidates. Should the list grow full, it is cut back to its k smallest, and the
bound with it, so the work is linear whatever the values are.

Candidates stay in the order of the row, so the earlier one of equal elements is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    Let,
    Loop,
    Parameter,
    Statement,
    Store,
    Value,
    constant,
    index,
    load,
)
from pumice.lowering.loops import minimum
from pumice.lowering.statements import carried, count_where, lanes, once, serial

BLOCK = 64
GROUP = 64


def group_count(k: int) -> int:
    """Return how many groups the bound is taken from: whole vectors, at least 2 k."""
    return -(-2 * k // GROUP) * GROUP


def list_capacity(k: int) -> int:
    """Return how long a list of candidates may grow before it is cut back."""
    return 4 * k + 4 * BLOCK


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Run-time sizes of a selection, all of the index type."""

    k: Value
    groups: Value
    full: Value  # candidates from which a list is cut back


@dataclass(frozen=True, slots=True, eq=False)
class List:
    """A list of candidates in scratch memory; the groups' smallest keys have a place of their own.

    Attributes
    ----------
    keys, places, groups : Parameter
        Keys, what they stand for, and the groups' keys.
    base, group_base : Value
        Where this item's part begins.
    """

    keys: Parameter
    places: Parameter
    groups: Parameter
    base: Value
    group_base: Value

    def key(self, at: Value) -> Value:
        """Return the key of a candidate, read now."""
        return load(self.keys, self.base + at)

    def place(self, at: Value) -> Value:
        """Return what a candidate stands for, read now."""
        return load(self.places, self.base + at)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Writes the statements that fill a list with the k smallest keys of a range.

    Attributes
    ----------
    key_at, place_at : function
        Key at a position of the range, and what it stands for (in the dtype of `List.places`).
    length : Value
        Extent of the range.
    """

    key_type: DType
    key_at: Callable[[Value], Value]
    place_at: Callable[[Value], Value]
    length: Value
    sizes: Sizes
    found: List

    def statements(self) -> tuple[Statement, ...]:
        """Return the statements; afterwards the first k candidates of the list are the result."""
        bound, body = self._bound()
        return (*self._smallest_of_groups(), *body, self._collect(bound))

    # -- the first bound --------------------------------------------------------------------------

    def _smallest_of_groups(self) -> tuple[Statement, ...]:
        found, groups, length = self.found, self.sizes.groups, self.length

        def store(at: Value, value: Value) -> Store:
            return Store(found.groups, found.group_base + at, value)

        def take_in(start: Value, count: Value) -> Loop:
            def body(at: Value) -> tuple[Statement, ...]:
                before = load(found.groups, found.group_base + at)
                return (Let(before), store(at, minimum(self.key_at(start + at), before)))

            return lanes("g", count, body)

        rounds = length.quotient(groups)
        rest = rounds * groups
        return (
            lanes("g", groups, lambda at: (store(at, self.key_at(at)),)),
            serial("r", rounds, lambda r: (take_in(r * groups, groups),), start=index(1)),
            take_in(rest, length - rest),
        )

    def _bound(self) -> tuple[Value, tuple[Statement, ...]]:
        found = self.found
        loop, bound = kth_smallest(
            self.key_type,
            lambda at: load(found.groups, found.group_base + at),
            self.sizes.groups,
            self.sizes.k,
        )
        return bound, (loop,)

    # -- candidates -------------------------------------------------------------------------------

    def _collect(self, bound: Value) -> Loop:
        count = carried("count", index(0))
        limit = carried("limit", bound)
        is_open = carried("open", constant(True, dtypes.bool_))
        carries = (count, limit, is_open)
        blocks = (self.length + (BLOCK - 1)).quotient(index(BLOCK))
        last = blocks - 1
        state: list[Value] = []

        def body(block: Value) -> tuple[Statement, ...]:
            start = block * index(BLOCK)
            stop = minimum(self.length - start, index(BLOCK))

            def keys(at: Value) -> Value:
                return self.key_at(start + at)

            def wanted(at: Value) -> Value:
                return (keys(at) <= limit.now) & is_open.now

            counting, hits = count_where(stop, wanted, lambda at: (self._keep(at, keys(at)),))
            taking, longer = self._take(start, stop, hits, (count, limit, is_open))
            crowded = (longer > self.sizes.full) | (block.eq(last) & (longer > self.sizes.k))
            cutting = self._cut(longer, limit.now, is_open.now, crowded)
            state[:] = [carry.result for carry in cutting.folds[0].carries]
            return (counting, taking, cutting)

        return serial("b", blocks, body, lambda _: (Fold(carries, tuple(state)),))

    def _keep(self, at: Value, key: Value) -> Store:
        """Keep a block's keys where the groups' were, which nobody needs any more."""
        return Store(self.found.groups, self.found.group_base + at, key)

    def _kept(self, at: Value) -> Value:
        return load(self.found.groups, self.found.group_base + at)

    def _take(
        self, start: Value, stop: Value, hits: Value, state: tuple[Carry, Carry, Carry]
    ) -> tuple[Loop, Value]:
        """Return the loop that appends a block's candidates, and how many there are then."""
        count, limit, is_open = state
        found = self.found
        outer = carried("taken", count.now)
        inner = carried("end", outer.now)
        keys: list[Value] = []

        def body(at: Value) -> tuple[Statement, ...]:
            key = self._kept(at)
            keys[:] = [key]
            return (
                Store(found.keys, found.base + inner.now, key),
                Store(found.places, found.base + inner.now, self.place_at(start + at)),
            )

        def fold(at: Value) -> tuple[Fold, ...]:
            taken = (keys[0] <= limit.now) & is_open.now
            return (Fold((inner,), (inner.now + taken.cast(INDEX),)),)

        append = serial("t", stop, body, fold)
        loop = once(hits > 0, (append,), (Fold((outer,), (inner.result,)),))
        return loop, outer.result

    def _cut(self, count: Value, limit: Value, is_open: Value, condition: Value) -> Loop:
        """Return the loop that, if asked, keeps only the k smallest candidates.

        Its carries give the new count, bound and whether any further key can be kept.
        """
        found, k = self.found, self.sizes.k
        finding, bound = kth_smallest(self.key_type, found.key, count, k)
        counting, less = count_where(count, lambda at: found.key(at) < bound)
        ties = k - less.cast(INDEX)
        end, equal = carried("end", index(0)), carried("equal", index(0))
        kept: list[Value] = []

        def body(at: Value) -> tuple[Statement, ...]:
            key, place = found.key(at), found.place(at)
            same = key.eq(bound)
            keep = (key < bound) | (same & (equal.now < ties))
            kept[:] = [end.now + keep.cast(INDEX), equal.now + same.cast(INDEX)]
            to = found.base + end.now
            # Both are read before the first store, which may be to their own place.
            return (
                Let(key),
                Let(place),
                Store(found.keys, to, key),
                Store(found.places, to, place),
            )

        packing = serial("c", count, body, lambda _: (Fold((end, equal), tuple(kept)),))
        carries = (
            carried("count", count),
            carried("limit", limit),
            carried("open", is_open),
        )
        # From now on an element equal to the bound stands behind k others.
        following = (k, bound - 1, bound.ne(0))
        return once(condition, (finding, counting, packing), (Fold(carries, following),))


def kth_smallest(
    key_type: DType, key_at: Callable[[Value], Value], count: Value, k: Value
) -> tuple[Loop, Value]:
    """Return the loop that finds the k-th smallest of ``count`` keys, and that key.

    Its bits are decided from the highest on: a bit is set when fewer than k keys are smaller than
    the number with it set.
    """
    answer = carried("answer", constant(0, key_type))
    following: list[Value] = []

    def body(bit: Value) -> tuple[Statement, ...]:
        place = constant(key_type.bits - 1, key_type) - bit.cast(key_type)
        candidate = answer.now | (constant(1, key_type) << place)
        loop, smaller = count_where(count, lambda at: key_at(at) < candidate)
        following[:] = [(smaller.cast(INDEX) < k).select(candidate, answer.now)]
        return (loop,)

    bits = index(key_type.bits)
    return serial("bit", bits, body, lambda _: (Fold((answer,), tuple(following)),)), answer.result
