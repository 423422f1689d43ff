"""Programs: launches with everything worked out that does not depend on the argument words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pumice.errors import InternalError
from pumice.runtime.base import Launch, Words
from pumice.runtime.vulkan.pipelines import Pipeline

WORD = 8
NARROW_LIMIT = 1 << 31


@dataclass(frozen=True, slots=True)
class Step:
    """One dispatch: the number of its launch, its pipeline, the bytes of its push constants.

    The first pushed word is the address of its argument words that lie in memory: `words` bytes
    from where those of the program begin. `space` are the argument words whose product with the
    items must stay small for the narrow pipeline to serve. One that `waits` comes after a barrier.
    """

    launch: int
    pipeline: Pipeline
    words: int
    offset: int
    size: int
    groups: tuple[int, int, int]
    items: int
    space: tuple[int, ...]
    waits: bool


@dataclass(frozen=True, slots=True)
class Program:
    """Dispatches in order; those that wait see the writes of all before them.

    The push constants of all steps stand in one array of words. `pushed` is that array with the
    item counts filled in; `targets` and `sources` say which argument words go where. `stored` are
    the argument words that lie in memory, and `indices` those that are sizes, strides or offsets.
    """

    steps: tuple[Step, ...]
    pushed: NDArray[np.int64]
    targets: NDArray[np.intp]
    sources: NDArray[np.intp]
    stored: NDArray[np.intp]
    indices: NDArray[np.intp]

    @property
    def every_step(self) -> frozenset[int]:
        """All dispatches, by number."""
        return frozenset(range(len(self.steps)))

    def wide_steps(self, words: Words) -> frozenset[int]:
        """Return the steps that need 64-bit indices, whatever the size of the allocations."""
        sizes = words[self.indices]
        if ((sizes + NARROW_LIMIT) >> 32).any():
            return self.every_step
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


def build(launches: Sequence[Launch], group_limit: int) -> Program:
    """Lay out a program."""
    steps: list[Step] = []
    pushed: list[int] = []
    targets: list[int] = []
    sources: list[int] = []
    stored: list[int] = []
    indices: list[int] = []
    waits = False
    for number, launch in enumerate(launches):
        waits = waits or launch.waits
        if launch.items <= 0:
            continue
        pipeline: Pipeline = launch.kernel
        artifact = pipeline.artifact
        if launch.words != artifact.words:
            raise InternalError(f"a kernel of {artifact.words} words launched with {launch.words}")
        first, offset, words = launch.first_word, len(pushed) * WORD, len(stored) * WORD
        indices.extend(first + place for place in artifact.index_words)
        stored.extend(
            first + place for place in range(launch.words) if place not in artifact.pushed_words
        )
        pushed += [0, launch.items]
        targets.extend(range(len(pushed), len(pushed) + len(artifact.pushed_words)))
        sources.extend(first + place for place in artifact.pushed_words)
        pushed += [0] * len(artifact.pushed_words)
        groups = split_groups(-(-launch.items // artifact.items_per_group), group_limit)
        space = tuple(first + place for place in artifact.space_words)
        size = len(pushed) * WORD - offset
        wait = waits and bool(steps)
        steps.append(Step(number, pipeline, words, offset, size, groups, launch.items, space, wait))
        waits = False
    return Program(
        steps=tuple(steps),
        pushed=np.array(pushed, dtype=np.int64),
        targets=np.array(targets, dtype=np.intp),
        sources=np.array(sources, dtype=np.intp),
        stored=np.array(stored, dtype=np.intp),
        indices=np.array(indices, dtype=np.intp),
    )
