"""One Vulkan device as the engine sees it."""

import weakref
from collections import deque
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from pumice.config import config
from pumice.errors import InternalError, InvalidArgument, describe
from pumice.runtime.base import Allocation, Entry, Launch, MemoryStatistics, Words
from pumice.runtime.vulkan.api import ffi
from pumice.runtime.vulkan.constants import BIND_POINT_COMPUTE, STAGE_COMPUTE
from pumice.runtime.vulkan.instance import Instance, instance
from pumice.runtime.vulkan.limits import PUSH_CONSTANT_BYTES, target_of
from pumice.runtime.vulkan.logical import LogicalDevice
from pumice.runtime.vulkan.memory import Pool, VulkanAllocation, memory_types
from pumice.runtime.vulkan.owned import OwnedLock
from pumice.runtime.vulkan.pipelines import Pipeline, Pipelines
from pumice.runtime.vulkan.program import Program, Recording, build
from pumice.runtime.vulkan.queue import Queue
from pumice.runtime.vulkan.selection import choose
from pumice.runtime.vulkan.switches import features_off
from pumice.runtime.vulkan.transfer import Transfer
from pumice.target import Artifact, Target

_MEMORY_SHARE = 0.9
"""Part of a heap that tensors may take, so that the driver and the desktop keep some."""


class VulkanRuntime:
    """Memory and execution on one Vulkan device.

    Parameters
    ----------
    index : int
        The number of the device, as in `enumerate_devices`.
    validation, minimum_limits : bool, optional
        In place of the settings of `config`.
    staging : bool
        Copy through staging memory even where the host sees device memory.
    without : collection of str
        Features to do without though the device has them (`DeviceDescription.features`).
    switches : collection of str
        The same by the names of switches, besides those of `config`.
    """

    def __init__(
        self,
        index: int = 0,
        *,
        validation: bool | None = None,
        minimum_limits: bool | None = None,
        staging: bool = False,
        without: Collection[str] = (),
        switches: Collection[str] = (),
    ) -> None:
        settings = config()
        self._instance: Instance = instance(
            settings.vulkan_validation if validation is None else validation
        )
        minimum = settings.vulkan_minimum_limits if minimum_limits is None else minimum_limits
        off = features_off((*settings.vulkan_disable, *switches)) | set(without)
        self.description = choose(self._instance, index, minimum).without(off)
        self._target = target_of(self.description)
        self._lock = OwnedLock()
        self._retired: deque[Recording] = deque()
        self._device = LogicalDevice(self._instance, self.description)
        self._queue = Queue(self._device)
        local, host = memory_types(self._device, staging)
        self._memory = self._create_pool(local)
        self._host_memory = (
            self._memory if host == local and not staging else self._create_pool(host)
        )
        if staging:
            self._memory.hide()
        directory = settings.cache_directory if settings.disk_cache else None
        self._pipelines = Pipelines(self._device, PUSH_CONSTANT_BYTES, directory, settings.threads)
        self._transfer = Transfer(self._device, self._queue, self._host_memory)
        self._close = weakref.finalize(
            self,
            _destroy,
            self._lock,
            self._device,
            self._queue,
            self._pipelines,
            {self._memory, self._host_memory},
        )

    def _create_pool(self, memory_type: int) -> Pool:
        heap = self.description.heaps[self.description.memory_types[memory_type].heap]
        return Pool(self._device, self._queue, memory_type, int(heap.size * _MEMORY_SHARE))

    # -- what it is -----------------------------------------------------------------------------

    @property
    def target(self) -> Target:
        return self._target

    @property
    def name(self) -> str:
        return self.description.name

    def validation_messages(self) -> list[str]:
        """Return what the validation layer has said so far, on any device of the process."""
        return list(self._instance.messages)

    # -- memory ---------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> VulkanAllocation:
        """Return uninitialised memory; raises OutOfMemory stating asked, free and limit."""
        if nbytes < 0:
            raise InvalidArgument(describe("allocate", f"{nbytes} bytes", "a size is at least 0"))
        with self._lock:
            return self._memory.allocate(nbytes)

    def write(self, allocation: Allocation, offset: int, data: memoryview) -> None:
        """Copy host bytes into device memory, after everything queued so far."""
        bytes_ = memoryview(data).cast("B")
        if bytes_.nbytes == 0:
            return
        own = _own(allocation, offset, bytes_.nbytes)
        with self._lock:
            self._transfer.write(own, offset, bytes_)

    def read(self, allocation: Allocation, offset: int, nbytes: int) -> bytearray:
        """Wait and copy device bytes to the host."""
        if nbytes == 0:
            return bytearray()
        own = _own(allocation, offset, nbytes)
        # The wait, which may be long, is outside the lock: other threads go on submitting.
        self._lock.check()
        self._queue.wait(self._queue.submitted)
        with self._lock:
            return self._transfer.read(own, offset, nbytes)

    def memory_statistics(self) -> MemoryStatistics:
        """Return the bytes of tensors; staging memory is not counted."""
        with self._lock:
            self._queue.reclaim()
            return self._memory.statistics()

    def empty_cache(self) -> None:
        """Give memory kept for reuse back to the system."""
        with self._lock:
            self._queue.wait(self._queue.submitted)
            self._queue.reclaim()
            self._memory.empty_cache()
            self._host_memory.empty_cache()

    # -- execution ------------------------------------------------------------------------------

    def load(self, artifacts: Sequence[Artifact]) -> list[Pipeline]:
        """Make compiled kernels callable. Loading the same key again is free."""
        with self._lock:
            return self._pipelines.load(artifacts)

    def prepare(self, launches: Sequence[Launch]) -> Program:
        """Return a program: the launches in order; those that wait see the writes before them."""
        limit = self.description.limits["maxComputeWorkGroupCount"]
        return build(launches, limit, PUSH_CONSTANT_BYTES, self._retired)

    def bind(
        self,
        program: Program,
        template: Words,
        patches: Sequence[tuple[int, int]],
        slots: int,
        faults: tuple[int, int],
    ) -> Entry | None:
        """Return None: `run` writes the words."""
        return None

    def attend(self, code: int) -> None:
        """Nothing asks for anything."""

    def run(self, program: Program, words: Words, keep: Sequence[Allocation]) -> None:
        """Run a program with these argument words; returns before the device is done."""
        if not program.steps:
            return
        key = words.tobytes()
        with self._lock:
            recording = program.recordings.find(key)
            if recording is None:
                recording = self._record(program, words, keep)
                program.recordings.add(key, recording)
            kept = (program, recording, *keep)
            value = self._queue.submit(recording.commands, kept, once=False)
            recording.last_use = value
            for allocation in keep:
                if isinstance(allocation, VulkanAllocation):
                    allocation.last_use = value

    def _record(self, program: Program, words: Words, keep: Sequence[Allocation]) -> Recording:
        """Write the command buffer of a program for these words."""
        self._recycle_recordings()
        pushed = program.pushed.copy()
        pushed[program.targets] = words[program.sources]
        stored = (self._store_words(program, words, pushed),) if program.addresses else ()
        largest = max((allocation.nbytes for allocation in keep), default=0)
        wide = program.wide_steps(words, largest)
        handles = [
            self._pipelines.widen(step.pipeline) if number in wide else step.pipeline.handle
            for number, step in enumerate(program.steps)
        ]
        commands = self._queue.begin(once=False)
        self._dispatch(commands, program, pushed, handles)
        self._queue.finish(commands)
        return Recording(commands, stored)

    def _recycle_recordings(self) -> None:
        """Take back the command buffers of programs that are gone."""
        waiting = self._retired
        while waiting and waiting[0].last_use <= self._queue.completed:
            self._queue.recycle(waiting.popleft().commands)

    def _store_words(self, program: Program, words: Words, pushed: Words) -> VulkanAllocation:
        """Put the words that do not fit push constants into memory the device reads."""
        stored = np.ascontiguousarray(words[program.stored], dtype=np.int64)
        place = self._host_memory.allocate(stored.nbytes)
        assert place.view is not None
        place.view[:] = stored.tobytes()
        for position, offset in program.addresses:
            pushed[position] = place.address + offset
        return place

    def _dispatch(
        self, commands: Any, program: Program, pushed: Words, handles: Sequence[int]
    ) -> None:
        functions, layout = self._device.functions, self._pipelines.layout
        bind, push = functions.vkCmdBindPipeline, functions.vkCmdPushConstants
        dispatch = functions.vkCmdDispatch
        data = ffi().from_buffer("char[]", pushed)
        bound = 0
        for step, handle in zip(program.steps, handles, strict=True):
            if step.waits:
                self._queue.barrier(commands)
            if handle != bound:
                bind(commands, BIND_POINT_COMPUTE, handle)
                bound = handle
            push(commands, layout, STAGE_COMPUTE, 0, step.size, data + step.offset)
            dispatch(commands, *step.groups)

    def synchronize(self) -> None:
        """Wait until everything queued is done."""
        self._lock.check()
        self._queue.wait(self._queue.submitted)
        with self._lock:
            self._queue.reclaim()

    def close(self) -> None:
        """Wait for the device and release it. Allocations must not be used afterwards."""
        self._close()


def _own(allocation: Allocation, offset: int, nbytes: int) -> VulkanAllocation:
    if not isinstance(allocation, VulkanAllocation):
        raise InternalError("memory of another device handed to the Vulkan runtime")
    if offset < 0 or offset + nbytes > allocation.nbytes:
        raise InternalError(
            f"copy of {nbytes} bytes at {offset} in an allocation of {allocation.nbytes}"
        )
    return allocation


def _destroy(
    lock: OwnedLock, device: LogicalDevice, queue: Queue, pipelines: Pipelines, pools: set[Pool]
) -> None:
    if not lock.is_ours:
        return
    queue.destroy()
    pipelines.destroy()
    for pool in pools:
        pool.destroy()
    device.destroy()
