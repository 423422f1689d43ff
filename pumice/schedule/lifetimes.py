"""Placing temporaries in one arena: two that are never alive together may share bytes."""

from collections.abc import Mapping, Sequence
from typing import Any

ALIGNMENT = 256


def place(sizes: Mapping[Any, int], touched: Sequence[Sequence[Any]]) -> tuple[dict[Any, int], int]:
    """Return the byte offset of each temporary, and the size of the arena.

    Parameters
    ----------
    sizes : mapping
        Bytes of each temporary.
    touched : sequence of sequence
        For each launch in order, the memory it uses; temporaries live from the first to the last
        launch that touches them.

    Notes
    -----
    Largest first, each at the lowest offset free over its whole life ("greedy by size", Pisarchyk
    and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020).
    """
    first: dict[Any, int] = {}
    last: dict[Any, int] = {}
    for number, items in enumerate(touched):
        for item in items:
            if item in sizes:
                first.setdefault(item, number)
                last[item] = number
    offsets: dict[Any, int] = {}
    placed: list[Any] = []
    arena = 0
    for item in sorted(first, key=lambda each: (-sizes[each], first[each])):
        size = -(-sizes[item] // ALIGNMENT) * ALIGNMENT
        busy = sorted(
            (offsets[other], offsets[other] + -(-sizes[other] // ALIGNMENT) * ALIGNMENT)
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
