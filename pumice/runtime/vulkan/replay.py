"""Command buffers that are recorded once and submitted again with other memory and other numbers.

A recording holds what stays: pipelines, sizes, strides, barriers. Addresses and numbers stand in a
piece of memory of its own, which the host writes before each submission. While the device is at
work on one recording the next run takes another.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pumice.runtime.base import Words
from pumice.runtime.vulkan.api import ffi
from pumice.runtime.vulkan.constants import BIND_POINT_COMPUTE, STAGE_COMPUTE
from pumice.runtime.vulkan.logical import LogicalDevice
from pumice.runtime.vulkan.memory import Pool, VulkanAllocation
from pumice.runtime.vulkan.owned import OwnedLock
from pumice.runtime.vulkan.pipelines import Pipelines
from pumice.runtime.vulkan.program import Program
from pumice.runtime.vulkan.queue import Queue
from pumice.runtime.vulkan.timestamps import Clock, Timer

MOST_DISPATCHES = 512
MOST_RECORDINGS = 64
"""Dispatches, and recordings, of one replay that the device may be behind the host."""
REPLAYS_KEPT = 64


@dataclass(slots=True, eq=False)
class Recording:
    """A command buffer, the words it reads, and what its commands point to.

    `last_use` is a timeline value.
    """

    commands: Any
    words: Words
    keep: tuple[object, ...]
    last_use: int = 0


class Replay:
    """The recordings of a program for certain sizes; what was submitted last stands last.

    When it dies they go to `retired`, which outlives it.
    """

    __slots__ = ("most", "program", "recordings", "retired", "sizes", "wide")

    def __init__(
        self, program: Program, words: Words, wide: frozenset[int], retired: deque[Recording]
    ) -> None:
        self.program = program
        self.sizes = words[program.sources]
        self.wide = wide
        self.recordings: deque[Recording] = deque()
        self.retired = retired
        self.most = max(2, min(MOST_RECORDINGS, MOST_DISPATCHES // max(1, len(program.steps))))

    def __del__(self) -> None:
        self.retired.extend(self.recordings)


class Replayer:
    """Records and submits. The runtime's lock guards all methods."""

    def __init__(
        self,
        device: LogicalDevice,
        queue: Queue,
        pipelines: Pipelines,
        memory: Pool,
        arguments: Pool,
    ) -> None:
        self._device = device
        self._queue = queue
        self._pipelines = pipelines
        self.memory = memory
        self._arguments = arguments
        self._retired: deque[Recording] = deque()
        self._latest: OrderedDict[Any, Replay] = OrderedDict()

    def replay(self, program: Program, words: Words, addresses: Sequence[int]) -> Replay:
        """Return the replay of a program for sizes and for tensors at addresses."""
        wide = program.wide_steps(words)
        if self.memory.any_large(addresses):
            wide = program.every_step
        return Replay(program, words, wide, self._retired)

    def run(self, program: Program, words: Words) -> None:
        """Run a program once."""
        stored = words[program.stored]
        replay = self.replay(program, words, stored.tolist())
        key = (id(program), replay.sizes.tobytes(), replay.wide)
        replay = self._latest.setdefault(key, replay)
        self._latest.move_to_end(key)
        if len(self._latest) > REPLAYS_KEPT:
            self._latest.popitem(last=False)
        recording = self.take(replay)
        recording.words[:] = stored
        self.submit(replay, recording)

    def take(self, replay: Replay) -> Recording:
        """Return a recording that the device is not at work on, whose words may be written."""
        recordings, queue = replay.recordings, self._queue
        if recordings:
            oldest = recordings[0]
            if oldest.last_use <= queue.completed or oldest.last_use <= queue.poll():
                return oldest
            if len(recordings) >= replay.most:
                queue.wait(oldest.last_use)
                return oldest
        made = self._record(replay)
        recordings.appendleft(made)
        return made

    def submit(self, replay: Replay, recording: Recording) -> None:
        """Submit the recording that was taken."""
        recording.last_use = self._queue.submitted + 1  # before, for an interrupt may come between
        self._queue.submit(recording.commands)
        replay.recordings.rotate(-1)

    def timed(self, program: Program, words: Words, clock: Clock) -> list[float]:
        """Run a program, one dispatch after the other, and return the seconds of each."""
        stored = words[program.stored]
        replay = self.replay(program, words, stored.tolist())
        with clock.timer(len(program.steps) + 1) as timer:
            recording = self._record(replay, timer)
            replay.recordings.append(recording)
            recording.words[:] = stored
            self.submit(replay, recording)
            self._queue.wait(recording.last_use)
            return timer.read()

    def _record(self, replay: Replay, timer: Timer | None = None) -> Recording:
        self.recycle()
        program = replay.program
        place = self._arguments.allocate(len(program.stored) * 8)
        assert place.view is not None
        handles = [
            self._pipelines.widen(step.pipeline) if number in replay.wide else step.pipeline.handle
            for number, step in enumerate(program.steps)
        ]
        commands = self._queue.begin(once=False)
        self._dispatch(commands, replay, place, handles, timer)
        self._queue.finish(commands)
        return Recording(commands, np.frombuffer(place.view, np.int64), (program, place))

    def recycle(self) -> None:
        """Take back the command buffers of replays that are gone."""
        waiting = self._retired
        while waiting and waiting[0].last_use <= self._queue.completed:
            self._queue.recycle(waiting.popleft().commands)

    def _dispatch(
        self,
        commands: Any,
        replay: Replay,
        place: VulkanAllocation,
        handles: Sequence[int],
        timer: Timer | None,
    ) -> None:
        functions, layout = self._device.functions, self._pipelines.layout
        bind, push = functions.vkCmdBindPipeline, functions.vkCmdPushConstants
        dispatch = functions.vkCmdDispatch
        program = replay.program
        pushed = program.pushed.copy()
        pushed[program.targets] = replay.sizes
        for step in program.steps:
            pushed[step.offset // 8] = place.address + step.words
        data = ffi().from_buffer("char[]", pushed)
        bound = 0
        if timer is not None:
            timer.begin(commands)
        for step, handle in zip(program.steps, handles, strict=True):
            if step.waits or (timer is not None and bound):
                self._queue.barrier(commands)
            if handle != bound:
                bind(commands, BIND_POINT_COMPUTE, handle)
                bound = handle
            push(commands, layout, STAGE_COMPUTE, 0, step.size, data + step.offset)
            dispatch(commands, *step.groups)
            if timer is not None:
                timer.mark(commands)


class VulkanEntry:
    """A program bound to a template of its argument words.

    Parameters
    ----------
    slots : int array
        For each word in memory the slot whose value is added to it, or the number of slots where
        none is.
    """

    def __init__(
        self, lock: OwnedLock, replayer: Replayer, program: Program, template: Words, slots: Words
    ) -> None:
        self._lock = lock
        self._replayer = replayer
        self._memory = replayer.memory
        self._program = program
        self._template = template
        self._slots = slots
        self._fixed = template[program.stored]
        self._values = np.empty_like(self._fixed)
        self._narrow: Replay | None = None
        self._wide: Replay | None = None

    def call(self, *values: int) -> int:
        """Run the program with these values of the slots."""
        if not self._program.steps:
            return 0
        given = np.array((*values, 0), np.int64)
        lock = self._lock
        if not lock.usable:
            lock.check()
        lock.acquire()
        try:
            replay = self._narrow
            if replay is None or self._memory.large:
                replay = self._suitable(values)
            recording = self._replayer.take(replay)
            given.take(self._slots, out=self._values, mode="clip")
            np.add(self._values, self._fixed, out=recording.words)
            self._replayer.submit(replay, recording)
        finally:
            lock.release()
        return 0

    def _suitable(self, values: Sequence[int]) -> Replay:
        """Return the replay for tensors of these addresses."""
        if self._memory.any_large(values):
            if self._wide is None:
                self._wide = self._replayer.replay(self._program, self._template, values)
            return self._wide
        if self._narrow is None:
            self._narrow = self._replayer.replay(self._program, self._template, ())
        return self._narrow
