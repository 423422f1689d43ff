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
from pumice.lowering.lane_folds import Combine, LaneFolds, padded, padded_extent
from pumice.lowering.loops import minimum
from pumice.lowering.statements import Body, carried, lanes, serial

EXTENT = 1024
STEPS = 200
"""More than a tile takes."""


class TileScan:
    """A tile of up to `EXTENT` elements, run by workgroups of ``width`` invocations."""

    def __init__(
        self, builder: KernelBuilder, dtype: DType, identity: Value, combine: Combine, width: int
    ) -> None:
        self._identity = identity
        self._combine = combine
        self._width = width
        self._values = builder.local(dtype, padded_extent(EXTENT), "values")
        self._folds = LaneFolds(builder, dtype, identity, combine, width)

    def statements(
        self,
        count: Value,
        element: Callable[[Value], Value],
        store: Callable[[Value, Value], Store],
    ) -> tuple[Body, Value]:
        """Return what scans a tile, and the fold of all of it.

        ``store`` gets a place and the fold of the elements up to it.
        """
        width, folds = index(self._width), self._folds
        each = (count + (self._width - 1)).quotient(width)

        def own(lane: Value, start: Value, keep: bool) -> tuple[Body, Value]:
            first = lane * each
            running = carried("running", start)

            following: list[Value] = []

            def body(at: Value) -> Body:
                place = padded(first + at)
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
            return (*body, folds.give(lane, result))

        def spread(lane: Value) -> Body:
            return own(lane, folds.before(lane, folds.groups()), keep=True)[0]

        def write(at: Value) -> Body:
            return (store(at, load(self._values, padded(at))),)

        body = (
            lanes("f", count, lambda at: (Store(self._values, padded(at), element(at)),)),
            lanes("l", width, of_lane),
            *folds.join(),
            lanes("l", width, spread),
            lanes("o", count, write),
        )
        return body, reduce(self._combine, folds.groups())


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
