"""Programs: launches with everything worked out that does not depend on the argument words."""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.errors import InternalError
from pumice.runtime.base import Launch, Words
from pumice.runtime.vulkan.pipelines import Pipeline

WORD = 8
NARROW_LIMIT = 1 << 31
RECORDINGS_KEPT = 4


@dataclass(frozen=True, slots=True)
class Step:
    """One dispatch: its pipeline, its bytes of push constants, its workgroups.

    `space` are the argument words whose product with the items must stay small for the narrow
    pipeline to serve. One that `waits` comes after a barrier.
    """

    pipeline: Pipeline
    offset: int
    size: int
    groups: tuple[int, int, int]
    items: int
    space: tuple[int, ...]
    waits: bool


@dataclass(slots=True)
class Recording:
    """A command buffer and what its commands point to. `last_use` is a timeline value."""

    commands: Any
    keep: tuple[object, ...]
    last_use: int = 0


class Recordings:
    """The command buffers of a program, by argument words: a replay with the same ones is free.

    When the program dies they go to `retired`, which outlives it.
    """

    def __init__(self, retired: deque[Recording]) -> None:
        self._kept: OrderedDict[bytes, Recording] = OrderedDict()
        self._retired = retired

    def find(self, words: bytes) -> Recording | None:
        found = self._kept.get(words)
        if found is not None:
            self._kept.move_to_end(words)
        return found

    def add(self, words: bytes, recording: Recording) -> None:
        self._kept[words] = recording
        if len(self._kept) > RECORDINGS_KEPT:
            self._retired.append(self._kept.popitem(last=False)[1])

    def __del__(self) -> None:
        self._retired.extend(self._kept.values())


@dataclass(frozen=True, slots=True)
class Program:
    """Dispatches in order; those that wait see the writes of all before them.

    The push constants of all steps stand in one array of words. `pushed` is that array with the
    item counts filled in; `targets` and `sources` say which argument words go where. Words that
    do not fit push constants are copied to `stored` words of device memory, and `addresses` are
    the places of their addresses: (place in the push words, offset in bytes). `indices` are the
    argument words that are sizes, strides or offsets.
    """

    steps: tuple[Step, ...]
    pushed: NDArray[np.int64]
    targets: NDArray[np.intp]
    sources: NDArray[np.intp]
    stored: NDArray[np.intp]
    addresses: tuple[tuple[int, int], ...]
    indices: NDArray[np.intp]
    recordings: Recordings

    def wide_steps(self, words: Words, largest: int) -> frozenset[int]:
        """Return the steps that need 64-bit indices, the largest allocation being as given."""
        sizes = words[self.indices]
        small = largest < NARROW_LIMIT and not ((sizes + NARROW_LIMIT) >> 32).any()
        if not small:
            return frozenset(range(len(self.steps)))
        wide = []
        for number, step in enumerate(self.steps):
            space = step.items
            for place in step.space:
                space *= abs(int(words[place]))
            if space >= NARROW_LIMIT:
                wide.append(number)
        return frozenset(wide)


def split_groups(count: int, limit: int) -> tuple[int, int, int]:
    """Spread workgroups over three dimensions of at most `limit` each, with few to spare."""
    if count <= limit:
        return count, 1, 1
    rows = -(-count // limit)
    if rows <= limit:
        return -(-count // rows), rows, 1
    planes = -(-rows // limit)
    if planes > limit:
        raise InternalError(f"a launch of {count} workgroups")
    return limit, -(-rows // planes), planes


def build(
    launches: Sequence[Launch], group_limit: int, push_bytes: int, retired: deque[Recording]
) -> Program:
    """Lay out a program.

    Words go to push constants if they and the item count fit `push_bytes`, by the rule that the
    backend follows too.
    """
    steps: list[Step] = []
    pushed: list[int] = []
    targets: list[int] = []
    sources: list[int] = []
    stored: list[int] = []
    addresses: list[tuple[int, int]] = []
    indices: list[int] = []
    waits = False
    for launch in launches:
        waits = waits or launch.waits
        if launch.items <= 0:
            continue
        pipeline: Pipeline = launch.kernel
        artifact = pipeline.artifact
        if launch.words != artifact.words:
            raise InternalError(f"a kernel of {artifact.words} words launched with {launch.words}")
        space = tuple(launch.first_word + place for place in artifact.space_words)
        indices.extend(launch.first_word + place for place in artifact.index_words)
        first = len(pushed)
        words = range(launch.first_word, launch.first_word + launch.words)
        if (launch.words + 1) * WORD <= push_bytes:
            targets.extend(range(first, first + launch.words))
            sources.extend(words)
            pushed.extend([0] * launch.words)
        else:
            addresses.append((first, len(stored) * WORD))
            stored.extend(words)
            pushed.append(0)
        pushed.append(launch.items)
        groups = split_groups(-(-launch.items // artifact.items_per_group), group_limit)
        size = (len(pushed) - first) * WORD
        steps.append(
            Step(pipeline, first * WORD, size, groups, launch.items, space, waits and bool(steps))
        )
        waits = False
    return Program(
        steps=tuple(steps),
        pushed=np.array(pushed, dtype=np.int64),
        targets=np.array(targets, dtype=np.intp),
        sources=np.array(sources, dtype=np.intp),
        stored=np.array(stored, dtype=np.intp),
        addresses=tuple(addresses),
        indices=np.array(indices, dtype=np.intp),
        recordings=Recordings(retired),
    )
