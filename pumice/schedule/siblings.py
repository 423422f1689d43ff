"""One pass over memory for groups that do not need each other.

Before::

    loop %3 = %gradient * %y
    loop %4 = %gradient * %x

After::

    loop %3 (also stores %4)

A group's *level* is the number of groups on the longest way to it from the inputs. Two of one level
never need each other.
"""

from collections.abc import Mapping

from pumice.graph.node import Node
from pumice.ops.view import Shape, View
from pumice.schedule.items import Group
from pumice.schedule.merge import (
    Readings,
    by_reader,
    has_room,
    is_elementwise,
    join,
    ordered,
    readers_of,
    whole_reads,
)


def merge_siblings(groups: dict[Node, Group], readings: Readings) -> None:
    """Let elementwise groups that read the same tensor share a pass and what they compute of it."""
    by_group = by_reader(readings)
    stored = {node for group in groups.values() for node in group.stored}
    levels = _levels(groups, readings)
    latest: dict[tuple[int, Shape, tuple[Node, View]], Group] = {}  # by what it reads
    for node, group in list(groups.items()):
        if not is_elementwise(group):
            continue
        place = levels[group], group.main.shape
        own = whole_reads(by_group[group], stored)
        found = (latest.get((*place, read)) for read in own)
        other = next((each for each in found if each and has_room(group, each)), None)
        if other is not None:
            del groups[node]
            join(group, other, by_group)
        latest |= {(*place, read): other or group for read in own}


def _levels(groups: Mapping[Node, Group], readings: Readings) -> dict[Group, int]:
    levels = dict.fromkeys(groups.values(), 0)
    for group in ordered(groups, readings):
        for reader in readers_of(group, readings):
            levels[reader] = max(levels[reader], levels[group] + 1)
    return levels
