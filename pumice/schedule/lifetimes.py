"""Placing temporaries in one arena: two that are never alive together may share bytes."""

from bisect import bisect, insort
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

ALIGNMENT = 256
MANY = 300


def place(
    sizes: Mapping[Any, int], touched: Sequence[Sequence[Any]], apart: bool = False
) -> tuple[dict[Any, int], int]:
    """Return the byte offset of each temporary, and the size of the arena.

    Parameters
    ----------
    sizes : mapping
        Bytes of each temporary.
    touched : sequence of sequence
        For each batch of launches in order, the memory it uses; temporaries live from the first
        to the last batch that touches them.
    apart : bool, optional
        Let none take the bytes of another, nor lie beside another (`Target.sets_apart`).

    Notes
    -----
    Largest first, each at the lowest offset free over its whole life ("greedy by size", Pisarchyk
    and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020). The time that takes
    grows with the square of their number, so of many temporaries each takes, when its life
    begins, the smallest gap that is free then.
    """
    first: dict[Any, int] = {}
    last: dict[Any, int] = {}
    for number, items in enumerate(touched):
        for item in items:
            if item in sizes:
                first.setdefault(item, number)
                last[item] = number
    if apart:
        starts = accumulate((_rounded(sizes[item]) + ALIGNMENT for item in first), initial=0)
        offsets = dict(zip([*first, None], starts, strict=True))
        return offsets, offsets.pop(None)
    if len(first) > MANY:
        return _by_time(sizes, touched, first, last)
    return _by_size(sizes, first, last)


def _rounded(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def _by_size(
    sizes: Mapping[Any, int], first: dict[Any, int], last: dict[Any, int]
) -> tuple[dict[Any, int], int]:
    offsets: dict[Any, int] = {}
    placed: list[Any] = []
    arena = 0
    for item in sorted(first, key=lambda each: (-sizes[each], first[each])):
        size = _rounded(sizes[item])
        busy = sorted(
            (offsets[other], offsets[other] + _rounded(sizes[other]))
            for other in placed
            if first[other] <= last[item] and first[item] <= last[other]
        )
        offset = 0
        for start, stop in busy:
            if start - offset >= size:
                break
            offset = max(offset, stop)
        offsets[item] = offset
        placed.append(item)
        arena = max(arena, offset + size)
    return offsets, arena


def _by_time(
    sizes: Mapping[Any, int],
    touched: Sequence[Sequence[Any]],
    first: dict[Any, int],
    last: dict[Any, int],
) -> tuple[dict[Any, int], int]:
    offsets: dict[Any, int] = {}
    gaps = Gaps()
    for number, items in enumerate(touched):
        used = [item for item in dict.fromkeys(items) if item in sizes]
        beginning = [item for item in used if first[item] == number]
        for item in sorted(beginning, key=lambda each: -sizes[each]):
            offsets[item] = gaps.take(_rounded(sizes[item]))
        for item in used:
            if last[item] == number:
                gaps.give(offsets[item], _rounded(sizes[item]))
    return offsets, gaps.end


class Gaps:
    """Free pieces of a growing range, neighbours joined."""

    def __init__(self) -> None:
        self.end = 0
        self._starts: list[int] = []  # sorted
        self._sizes: dict[int, int] = {}

    def take(self, size: int) -> int:
        """Return the start of a piece: out of the smallest gap that holds it, or at the end."""
        fitting = [start for start in self._starts if self._sizes[start] >= size]
        if fitting:
            start = min(fitting, key=self._sizes.__getitem__)
            rest = self._remove(start) - size
            if rest:
                self._add(start + size, rest)
            return start
        start = self.end
        if self._starts and self._starts[-1] + self._sizes[self._starts[-1]] == self.end:
            start = self._starts[-1]  # the last gap reaches the end: it grows
            self._remove(start)
        self.end = start + size
        return start

    def give(self, start: int, size: int) -> None:
        """Free a piece."""
        if not size:
            return
        place = bisect(self._starts, start)
        if place < len(self._starts) and self._starts[place] == start + size:
            size += self._remove(start + size)
        if place and self._starts[place - 1] + self._sizes[self._starts[place - 1]] == start:
            start = self._starts[place - 1]
            size += self._remove(start)
        self._add(start, size)

    def _add(self, start: int, size: int) -> None:
        insort(self._starts, start)
        self._sizes[start] = size

    def _remove(self, start: int) -> int:
        del self._starts[bisect(self._starts, start) - 1]
        return self._sizes.pop(start)
