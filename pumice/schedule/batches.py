"""Launches that may run at the same time.

A device that runs launches side by side waits where one needs what another did. Launches between
two such points are a *batch*: none of them writes memory that another one of them touches.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Accesses:
    """The memory a launch reads and the memory it writes."""

    reads: AbstractSet[Any]
    writes: AbstractSet[Any]


def batches_of(launches: Sequence[Accesses], window: int) -> list[list[int]]:
    """Divide launches, by their numbers, into batches to be run one after the other.

    A batch begins with the first launch not yet taken and takes in, of the ``window`` next ones,
    each that depends on none before it: neither on one of the batch nor on one that was left for
    later. So memory that is written is found by the same readers as in the order given. A short
    window keeps the order close to that, in which memory is needed for a short time.
    """
    if window <= 1:
        return [[number] for number in range(len(launches))]
    left: list[int] = []
    batches = []
    following = 0
    while left or following < len(launches):
        more = min(following + window - len(left), len(launches))
        left += range(following, more)
        following = more
        read: set[Any] = set()
        written: set[Any] = set()
        batch: list[int] = []
        later: list[int] = []
        for number in left:
            launch = launches[number]
            independent = (
                written.isdisjoint(launch.reads)
                and written.isdisjoint(launch.writes)
                and read.isdisjoint(launch.writes)
            )
            (batch if independent else later).append(number)
            read |= launch.reads
            written |= launch.writes
        left = later
        batches.append(batch)
    return batches
