"""What each lane of a workgroup gives is folded for the lanes behind it, in memory they share.

Lanes stand in a few groups of neighbours, so that a lane goes over the groups before its own and
the lanes before it there instead of over all lanes.
"""

from collections.abc import Callable
from functools import reduce

from pumice.dtypes import DType
from pumice.kernel.ir import Store, Value, index, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.statements import Body, lanes

GROUPS = 8
BANKS = 16

Combine = Callable[[Value, Value], Value]


def padded(position: Value) -> Value:
    """Return where an element is kept: lanes a power of two apart would share a bank of memory."""
    return position + (position >> (BANKS.bit_length() - 1))


def padded_extent(extent: int) -> int:
    """Return the memory that so many elements take."""
    return extent + extent // BANKS


class LaneFolds:
    """A value of each of ``width`` lanes, a power of two of them."""

    def __init__(
        self, builder: KernelBuilder, dtype: DType, identity: Value, combine: Combine, width: int
    ) -> None:
        self._identity = identity
        self._combine = combine
        self._width = index(width)
        self._share = width // GROUPS
        self._sums = builder.local(dtype, width + GROUPS, "sums")

    def give(self, lane: Value, value: Value) -> Store:
        """Return what notes the value of a lane."""
        return Store(self._sums, lane, value)

    def join(self) -> Body:
        """Return what folds each group; behind it values of others may be read."""

        def of_group(group: Value) -> Body:
            parts = self._lanes_of(group)
            return (Store(self._sums, self._width + group, reduce(self._combine, parts)),)

        return (lanes("g", index(GROUPS), of_group),)

    def groups(self) -> list[Value]:
        """Return the folds of the groups, read anew."""
        return [load(self._sums, self._width + number) for number in range(GROUPS)]

    def before(self, lane: Value, groups: list[Value]) -> Value:
        """Return the fold of all lanes before one, in order."""
        group, within = lane >> (self._share.bit_length() - 1), lane & (self._share - 1)
        found = self._identity
        for place, parts in ((group, groups), (within, self._lanes_of(group))):
            for number, part in enumerate(parts):
                found = (index(number) < place).select(self._combine(found, part), found)
        return found

    def _lanes_of(self, group: Value) -> list[Value]:
        first = group * index(self._share)
        return [load(self._sums, first + number) for number in range(self._share)]
