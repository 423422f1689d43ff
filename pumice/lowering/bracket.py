"""What may hold one rank of a row: a small sample tells two keys that it lies between.

All elements are compared with both keys in vector lanes, and the few between them are collected.
Should the rank lie elsewhere, which the numbers of elements tell, all elements are candidates: the
sample decides how long the search takes, not what it finds.
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
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.select import kth_smallest
from pumice.lowering.statements import carried, once, serial

BLOCK = 64

Body = tuple[Statement, ...]


def slack(samples: int) -> int:
    """Return how far beside its place in the sample a rank is looked for: four deviations."""
    return 2 * int(samples**0.5)


def ends(
    key_type: DType, sample_at: Callable[[Value], Value], samples: int, rank: Value, length: Value
) -> tuple[Body, Value, Value]:
    """Return the statements that find two keys around a rank of a row, and the keys.

    Ranks outside of the sample are no matter: they give the smallest and the largest key there is.
    """
    count, width = index(samples), slack(samples)
    place = (rank * count).quotient(length)
    first, low = kth_smallest(key_type, sample_at, count, place + (1 - width))
    second, high = kth_smallest(key_type, sample_at, count, place + (1 + width))
    return (first, second), low, high


@dataclass(frozen=True, slots=True, eq=False)
class Collector:
    """Collects the keys of a range that lie between two.

    Attributes
    ----------
    key_at : function
        Key at a position of the range.
    length, low, high : Value
        Extent of the range, and the keys.
    keys, base : Parameter, Value
        Where the collected keys go, in order; there is room for the whole range.
    block : Parameter
        Local memory of `BLOCK` keys.
    """

    key_at: Callable[[Value], Value]
    length: Value
    low: Value
    high: Value
    keys: Parameter
    base: Value
    block: Parameter

    def statements(self) -> tuple[Body, Value, Value]:
        """Return the loop, how many keys lie below the range, and how many were collected."""
        below, end = carried("below", index(0)), carried("end", index(0))
        state: list[Value] = []

        def body(number: Value) -> Body:
            start = number * index(BLOCK)
            comparing, less, hits = self._compare(start)
            taking, after = self._take(minimum(self.length - start, index(BLOCK)), hits, end)
            state[:] = [below.now + less.cast(INDEX), after]
            return (comparing, taking)

        blocks = (self.length + (BLOCK - 1)).quotient(index(BLOCK))
        loop = serial("b", blocks, body, lambda _: (Fold((below, end), tuple(state)),))
        return (loop,), below.result, end.result

    def _between(self, key: Value) -> Value:
        """One comparison: without a sign, what lies below the range is far above it."""
        return key - self.low <= self.high - self.low

    def _compare(self, start: Value) -> tuple[Loop, Value, Value]:
        """Keep the keys of a block; count those below the range and those inside."""
        variable = Variable("n")
        at = variable_value(variable)
        key = self.key_at(start + at)
        zero = constant(0, dtypes.int32)
        counts = [Carry(name, dtypes.int32, zero) for name in ("less", "hits")]
        tests = (key < self.low, self._between(key))
        following = tuple(
            carry.now + test.cast(dtypes.int32) for carry, test in zip(counts, tests, strict=True)
        )

        def merge(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple(one + two for one, two in zip(first, second, strict=True))

        loop = Loop(
            variable,
            index(0),
            minimum(self.length - start, index(BLOCK)),
            LoopKind.LANES,
            (Let(key), Store(self.block, at, key)),
            (Fold(tuple(counts), following, merge),),
        )
        return loop, counts[0].result, counts[1].result

    def _take(self, count: Value, hits: Value, end: Carry) -> tuple[Loop, Value]:
        """Return the loop that appends a block's keys, and how many there are then."""
        outer = carried("taken", end.now)
        inner = carried("end", outer.now)
        found: list[Value] = []

        def append(at: Value) -> Body:
            key = load(self.block, at)
            found[:] = [key]
            # What is not between is overwritten by the next one.
            return (Let(key), Store(self.keys, self.base + inner.now, key))

        def fold(_: Value) -> tuple[Fold, ...]:
            return (Fold((inner,), (inner.now + self._between(found[0]).cast(INDEX),)),)

        loop = serial("t", count, append, fold)
        taking = once(hits > 0, (loop,), (Fold((outer,), (inner.result,)),))
        return taking, outer.result
