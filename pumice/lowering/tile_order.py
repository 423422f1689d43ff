"""Order of a tile of keys in memory that the invocations of a workgroup share.

What is moved is a place in the tile with 16 bits of its key before it, four of them at a time, from
one copy to another. In a round each lane owns as many neighbours in the order so far::

    lanes: count the lane's keys by digit          (in registers, two counts to a word)
    lanes, lanes, lanes: running sums of the counts, by digit and then by lane
    lanes: move what the lane owns to where the counts say, in order

So equal keys keep their order, and nothing depends on which invocation is quicker. A round of
which all keys share the digit is left out.
"""

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import NamedTuple

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    If,
    Let,
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.lane_folds import LaneFolds, padded, padded_extent
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.statements import Body, carried, lanes, serial

DIGIT_BITS = 4
PART_BITS = 16
"""Bits of a key that are moved with its place."""
PLACE_BITS = 10
EXTENT = 1 << PLACE_BITS
SMALL_EXTENT = EXTENT // 2
"""Rows up to here leave room for more workgroups at a time."""
WORDS = 1 << (DIGIT_BITS - 1)
"""Words of counts a lane has: word w holds those of the digits w and w + 8."""
HALF = 16
STEPS = 2500
"""More than any use of a tile takes: what a launch must allow."""

KeyAt = Callable[[Value], Value]
"""From a place in the tile to its key."""
_ZERO = constant(0, dtypes.uint32)


def _digit(packed: Value, shift: Value) -> Value:
    return (packed >> shift) & ((1 << DIGIT_BITS) - 1)


class Comparison(NamedTuple):
    """A loop over a tile, the bits in which its keys differ, and how many it has marked."""

    loop: Loop
    differ: Value
    marked: Carry


class TileOrder:
    """A tile of up to ``extent`` keys, run by workgroups of ``width`` invocations."""

    def __init__(
        self, builder: KernelBuilder, key_type: DType, key_at: KeyAt, extent: int, width: int
    ) -> None:
        self.key_type = key_type
        self.width = width
        self._key_at = key_at
        self._copy = padded_extent(extent)
        self._orders = builder.local(dtypes.uint32, 2 * self._copy, "orders")
        self.counts = builder.local(dtypes.uint32, WORDS * width, "counts")
        self._sums = LaneFolds(builder, dtypes.uint32, _ZERO, add, width)

    def packed(self, copy: Value, position: Value) -> Value:
        """Return what stands at a position of the order: a part of a key, and its place."""
        return load(self._orders, copy * index(self._copy) + padded(position))

    def place(self, copy: Value, position: Value) -> Value:
        """Return the place of the key at a position of the order."""
        return (self.packed(copy, position) & (EXTENT - 1)).cast(INDEX)

    def _store(self, copy: Value, position: Value, packed: Value) -> Store:
        return Store(self._orders, copy * index(self._copy) + padded(position), packed)

    def _pack(self, key: Value, place: Value, shift: Value) -> Value:
        part = (key >> shift.cast(self.key_type)).cast(dtypes.uint32)
        return ((part & ((1 << PART_BITS) - 1)) << PLACE_BITS) | place.cast(dtypes.uint32)

    # -- beginning --------------------------------------------------------------------------------

    def fill(self, count: Value, shift: Value) -> Body:
        """Return what packs all places in order, with the bits of their keys from a shift on."""

        def body(at: Value) -> Body:
            return (self._store(index(0), at, self._pack(self._key_at(at), at, shift)),)

        return (lanes("f", count, body),)

    def compare(self, count: Value, behind: KeyAt | None = None) -> Comparison:
        """Return a loop that fills, marking keys of which something holds, and what it finds."""
        variable = Variable("f")
        at = variable_value(variable)
        key = self._key_at(at)
        some = carried("some", constant(0, self.key_type))
        every = carried("every", constant((1 << self.key_type.bits) - 1, self.key_type))

        def merge(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
            return (first[0] | second[0], first[1] & second[1])

        folds = [Fold((some, every), (some.now | key, every.now & key), merge)]
        packed, marked = self._pack(key, at, index(0)), carried("marked", _ZERO)
        if behind is not None:
            mark = behind(key).cast(dtypes.uint32)
            packed = packed | (mark << (PLACE_BITS + PART_BITS))
            folds.append(Fold((marked,), (marked.now + mark,), lambda x, y: (x[0] + y[0],)))
        body = (self._store(index(0), at, packed),)
        loop = Loop(variable, index(0), count, LoopKind.LANES, body, tuple(folds))
        return Comparison(loop, some.result & ~every.result, marked)

    # -- rounds -----------------------------------------------------------------------------------

    def round(self, copy: Value, count: Value, shift: Value) -> Body:
        """Return what moves all to the other copy, by four bits of what is packed."""
        each = (count + (self.width - 1)).quotient(index(self.width))
        shift = shift.cast(dtypes.uint32)

        def own(
            lane: Value, words: tuple[Carry, ...], body: Callable[[Value, Value], Body]
        ) -> Loop:
            """Return the loop over what a lane owns, which counts digits in some words."""
            first = lane * each
            found: list[Value] = []

            def visit(at: Value) -> Body:
                packed = self.packed(copy, first + at)
                found[:] = [_digit(packed, shift)]
                return (Let(packed), *body(packed, found[0]))

            def folds(_: Value) -> tuple[Fold, ...]:
                (digit,) = found
                one = _one(digit)
                following = tuple(
                    word.now + (digit & (WORDS - 1)).eq(number).select(one, _ZERO)
                    for number, word in enumerate(words)
                )
                return (Fold(words, following),)

            return serial("e", minimum(each, count - first), visit, folds)

        def tally(lane: Value) -> Body:
            words = tuple(carried(f"w{number}", _ZERO) for number in range(WORDS))
            stores = (
                Store(self.counts, index(number * self.width) + lane, word.result)
                for number, word in enumerate(words)
            )
            return (own(lane, words, lambda *_: ()), *stores)

        def move(lane: Value) -> Body:
            words = tuple(
                carried(f"w{number}", load(self.counts, index(number * self.width) + lane))
                for number in range(WORDS)
            )

            def leave(packed: Value, digit: Value) -> Body:
                low = digit & (WORDS - 1)
                word = words[0].now
                for number in range(1, WORDS):
                    word = low.eq(number).select(words[number].now, word)
                rank = (word >> _half(digit)) & ((1 << HALF) - 1)
                return (self._store(index(1) - copy, rank.cast(INDEX), packed),)

            return (own(lane, words, leave),)

        width = index(self.width)
        return (lanes("l", width, tally), *self._running_sums(), lanes("l", width, move))

    def _running_sums(self) -> Body:
        """Return what turns the counts, words first and then lanes, into sums of earlier ones."""
        width = index(self.width)

        def of_lane(lane: Value) -> Body:
            amounts = (load(self.counts, lane * index(WORDS) + j) for j in range(WORDS))
            return (self._sums.give(lane, reduce(add, amounts)),)

        return (
            lanes("l", width, of_lane),
            *self._sums.join(),
            lanes("l", width, self._spread),
        )

    def _spread(self, lane: Value) -> Body:
        groups = self._sums.groups()
        # Digits from 8 on stand behind all those below.
        running = self._sums.before(lane, groups) + (reduce(add, groups) << HALF)
        places = [lane * index(WORDS) + word for word in range(WORDS)]
        amounts = [load(self.counts, place) for place in places]
        body: list[Statement] = [Let(each) for each in amounts]
        for place, amount in zip(places, amounts, strict=True):
            body.append(Store(self.counts, place, running))
            running = running + amount
        return tuple(body)

    # -- the whole order --------------------------------------------------------------------------

    def split(self, count: Value) -> Body:
        """Return what puts marked keys behind the others, in the second copy."""
        return self.round(index(0), count, index(PLACE_BITS + PART_BITS))

    def sort(self, count: Value, differ: Value) -> tuple[Body, Value]:
        """Return what puts a filled tile in order, and the copy that holds it then."""
        body: list[Statement] = []
        copy = index(0)
        for start in range(0, self.key_type.bits, PART_BITS):
            different = self._pack(differ, index(0), index(start)) >> PLACE_BITS
            if start:
                body.append(If(different.ne(0), self._pack_again(copy, count, index(start))))
            body.append(self._part(copy, count, different))
            for number in range(self._rounds):
                copy = self._after(copy, different, index(number * DIGIT_BITS))
        return tuple(body), copy

    @property
    def _rounds(self) -> int:
        """Rounds for what is packed of a key."""
        return min(PART_BITS, self.key_type.bits) // DIGIT_BITS

    def _after(self, copy: Value, different: Value, shift: Value) -> Value:
        """Return the copy that holds the order after a round."""
        needed = _digit(different, shift.cast(dtypes.uint32)).ne(0)
        return needed.select(index(1) - copy, copy)

    def _part(self, copy: Value, count: Value, different: Value) -> Loop:
        """Return the loop that sorts by what is packed, as far as it differs."""
        current = carried("copy", copy)
        following: list[Value] = []

        def body(number: Value) -> Body:
            shift = number * index(DIGIT_BITS)
            following[:] = [self._after(current.now, different, shift)]
            needed = following[0].ne(current.now)
            return (If(needed, self.round(current.now, count, shift + PLACE_BITS)),)

        return serial(
            "q", index(self._rounds), body, lambda _: (Fold((current,), tuple(following)),)
        )

    def _pack_again(self, copy: Value, count: Value, shift: Value) -> Body:
        def body(at: Value) -> Body:
            place = self.place(copy, at)
            packed = self._pack(self._key_at(place), place, shift)
            return (Let(place), self._store(copy, at, packed))

        return (lanes("k", count, body),)


def _half(digit: Value) -> Value:
    return (digit >> (DIGIT_BITS - 1)) * HALF


def _one(digit: Value) -> Value:
    """Return a word in which a digit counts one."""
    return constant(1, dtypes.uint32) << _half(digit)
