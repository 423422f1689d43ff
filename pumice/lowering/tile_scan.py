"""Running folds of neighbours by a workgroup: a tile at a time, in memory its invocations share.

Elements are read and written in the order in which they lie. In between each lane folds the
neighbours it owns, what the lanes gave is folded for those before, and each lane goes over its own
elements once more from there. How a row is cut depends on its length only.
"""

from collections.abc import Callable
from functools import reduce

from pumice.dtypes import DType
from pumice.kernel.ir import Fold, Let, Store, Value, index, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.loops import minimum
from pumice.lowering.statements import Body, carried, lanes, serial

EXTENT = 1024
GROUPS = 8
STEPS = 200
"""More than a tile takes."""

Combine = Callable[[Value, Value], Value]


def _padded(position: Value) -> Value:
    """Return where an element is kept: lanes a power of two apart would share a bank of memory."""
    return position + (position >> 4)


class TileScan:
    """A tile of up to `EXTENT` elements, run by workgroups of ``width`` invocations."""

    def __init__(
        self, builder: KernelBuilder, dtype: DType, identity: Value, combine: Combine, width: int
    ) -> None:
        self._identity = identity
        self._combine = combine
        self._width = width
        self._values = builder.local(dtype, EXTENT + EXTENT // 16, "values")
        self._sums = builder.local(dtype, width + GROUPS, "sums")

    def statements(
        self,
        count: Value,
        element: Callable[[Value], Value],
        store: Callable[[Value, Value], Store],
    ) -> tuple[Body, Value]:
        """Return what scans a tile, and the fold of all of it.

        ``store`` gets a place and the fold of the elements up to it.
        """
        width, share = index(self._width), self._width // GROUPS
        each = (count + (self._width - 1)).quotient(width)

        def own(lane: Value, start: Value, keep: bool) -> tuple[Body, Value]:
            first = lane * each
            running = carried("running", start)

            following: list[Value] = []

            def body(at: Value) -> Body:
                place = _padded(first + at)
                element = load(self._values, place)
                following[:] = [self._combine(running.now, element)]
                # Read once: what is kept stands where the element was.
                kept = (Store(self._values, place, following[0]),) if keep else ()
                return (Let(element), *kept)

            stop = minimum(each, count - first)
            loop = serial("e", stop, body, lambda _: (Fold((running,), tuple(following)),))
            return (loop,), running.result

        def of_lane(lane: Value) -> Body:
            body, result = own(lane, self._identity, keep=False)
            return (*body, Store(self._sums, lane, result))

        def of_group(group: Value) -> Body:
            parts = [load(self._sums, group * index(share) + j) for j in range(share)]
            return (Store(self._sums, width + group, reduce(self._combine, parts)),)

        groups = [load(self._sums, width + number) for number in range(GROUPS)]

        def spread(lane: Value) -> Body:
            group, within = lane >> (share.bit_length() - 1), lane & (share - 1)
            before = self._identity
            for number in range(GROUPS):
                part = load(self._sums, width + number)
                before = (index(number) < group).select(self._combine(before, part), before)
            for number in range(share):
                part = load(self._sums, group * index(share) + number)
                before = (index(number) < within).select(self._combine(before, part), before)
            return own(lane, before, keep=True)[0]

        def write(at: Value) -> Body:
            return (store(at, load(self._values, _padded(at))),)

        body = (
            lanes("f", count, lambda at: (Store(self._values, _padded(at), element(at)),)),
            lanes("l", width, of_lane),
            lanes("g", index(GROUPS), of_group),
            lanes("l", width, spread),
            lanes("o", count, write),
        )
        return body, reduce(self._combine, groups)


def scan_range(
    tile: TileScan,
    bounds: tuple[Value, Value],
    identity: Value,
    combine: Combine,
    element: Callable[[Value], Value],
    store: Callable[[Value, Value], Store],
) -> Body:
    """Return what scans a row from a start up to a stop, one tile after the other."""
    start, stop = bounds
    total = carried("total", identity)
    after: list[Value] = []

    def body(number: Value) -> Body:
        first = start + number * index(EXTENT)
        statements, fold = tile.statements(
            minimum(stop - first, index(EXTENT)),
            lambda at: element(first + at),
            lambda at, value: store(first + at, combine(total.now, value)),
        )
        after[:] = [combine(total.now, fold)]
        return statements

    tiles = (stop - start + (EXTENT - 1)).quotient(index(EXTENT))
    return (serial("t", tiles, body, lambda _: (Fold((total,), tuple(after)),)),)
