"""One Vulkan device as the engine sees it."""

import weakref
from collections.abc import Collection, Sequence

import numpy as np

from pumice.config import config
from pumice.errors import InternalError, InvalidArgument, describe
from pumice.runtime.base import Allocation, Entry, Launch, MemoryStatistics, Words
from pumice.runtime.vulkan.guards import Guards
from pumice.runtime.vulkan.instance import Instance, instance
from pumice.runtime.vulkan.limits import PUSH_CONSTANT_BYTES, target_of
from pumice.runtime.vulkan.logical import LogicalDevice
from pumice.runtime.vulkan.memory import BLOCK_BYTES, Pool, VulkanAllocation, memory_types
from pumice.runtime.vulkan.owned import OwnedLock
from pumice.runtime.vulkan.pipelines import Pipeline, Pipelines
from pumice.runtime.vulkan.program import Program, build
from pumice.runtime.vulkan.queue import Queue
from pumice.runtime.vulkan.replay import Replayer, VulkanEntry
from pumice.runtime.vulkan.selection import choose
from pumice.runtime.vulkan.switches import features_off
from pumice.runtime.vulkan.timestamps import Clock
from pumice.runtime.vulkan.transfer import RING_BYTES, Transfer
from pumice.runtime.vulkan.tuned import read_tiles
from pumice.target import Artifact, Target

_MEMORY_SHARE = 0.9
"""Part of a heap that tensors may take, so that the driver and the desktop keep some."""
_ARGUMENT_BYTES = 1 << 20
"""Argument words take little, in memory of which some devices have little."""


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
    copy_queue : bool
        Copy through a queue of its own though the device has none that only copies.
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
        copy_queue: bool = False,
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
        self._target = target_of(
            self.description,
            settings.vulkan_as_gpu,
            read_tiles(self.description),
            settings.vulkan_check_access,
            bool(settings.vulkan_guard),
        )
        self._guard = settings.vulkan_guard
        self._lock = OwnedLock()
        self._device = LogicalDevice(self._instance, self.description)
        self._clock = Clock(self._instance, self._device)
        self._queue = Queue(self._device, self._lock.give_up)
        self._copies = self._queue
        if copy_queue or self._device.copy_family != self.description.queue_family:
            self._copies = Queue(self._device, self._lock.give_up, copies=True)
        local, host, words = memory_types(self._device, staging)
        self._memory = self._create_pool(local)
        self._host_memory = self._create_pool(host, RING_BYTES)
        if staging:
            self._memory.hide()
        self._pipelines = Pipelines(
            self._device, PUSH_CONSTANT_BYTES, settings.cache_directory, settings.threads
        )
        self._transfer = Transfer(self._device, self._queue, self._copies, self._host_memory)
        self._arguments = self._create_pool(words, _ARGUMENT_BYTES)
        self._replayer = Replayer(
            self._device, self._queue, self._pipelines, self._memory, self._arguments
        )
        self._close = weakref.finalize(
            self,
            _destroy,
            self._lock,
            self._device,
            {self._queue, self._copies},
            self._pipelines,
            {self._memory, self._host_memory, self._arguments},
        )

    def _create_pool(self, memory_type: int, block_bytes: int = BLOCK_BYTES) -> Pool:
        heap = self.description.heaps[self.description.memory_types[memory_type].heap]
        limit = int(heap.size * _MEMORY_SHARE)
        queues = (self._queue, self._copies)
        guards = Guards(self._guard) if self._guard else None
        return Pool(self._device, queues, memory_type, limit, block_bytes, guards)

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
        return self.allocate_all((nbytes,))[0]

    def allocate_all(self, sizes: Sequence[int]) -> list[VulkanAllocation]:
        """Return memory for each of some numbers of bytes."""
        lock = self._lock
        if not lock.usable:
            lock.check()
        lock.acquire()
        try:
            return self._memory.allocate_all(sizes)
        finally:
            lock.release()

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
        self._transfer.wait()
        with self._lock:
            data = self._transfer.read(own, offset, nbytes)
            self._check_guards()
            return data

    def _check_guards(self) -> None:
        for pool in (self._memory, self._arguments):
            pool.check_guards()

    def memory_statistics(self) -> MemoryStatistics:
        """Return the bytes of tensors; staging memory is not counted."""
        with self._lock:
            self._queue.reclaim()
            self._transfer.reclaim()
            return self._memory.statistics()

    @property
    def heap_bytes(self) -> int:
        """The size of the memory that tensors are in."""
        return self.description.heaps[self._memory.heap].size

    def limit_memory(self, nbytes: int) -> None:
        """Let tensors, and what is kept for reuse, take at most so much from now on."""
        with self._lock:
            self._memory.limit = nbytes
        self.empty_cache()

    def empty_cache(self) -> None:
        """Give memory kept for reuse back to the system."""
        with self._lock:
            self._transfer.wait()
            self._queue.reclaim()
            self._transfer.reclaim()
            self._replayer.recycle()
            self._memory.empty_cache()
            self._host_memory.empty_cache()
            self._arguments.empty_cache()

    # -- execution ------------------------------------------------------------------------------

    def load(self, artifacts: Sequence[Artifact]) -> list[Pipeline]:
        """Make compiled kernels callable. Loading the same key again is free."""
        with self._lock:
            return self._pipelines.load(artifacts)

    @property
    def created(self) -> tuple[int, int]:
        """How many shader modules and how many pipelines have been made."""
        return self._pipelines.modules_created, self._pipelines.pipelines_created

    def prepare(self, launches: Sequence[Launch]) -> Program:
        """Return a program: the launches in order; those that wait see the writes before them."""
        return build(launches, self.description.limits["maxComputeWorkGroupCount"])

    def bind(
        self,
        program: Program,
        template: Words,
        patches: Sequence[tuple[int, int]],
        slots: int,
        faults: tuple[int, int],
    ) -> Entry | None:
        """Return a program as a function of its slots; None if sizes change from run to run."""
        slot_of = np.full(len(template), slots, np.intp)
        for word, slot in patches:
            slot_of[word] = slot
        if (slot_of[program.sources] != slots).any():
            return None
        return VulkanEntry(self._lock, self._replayer, program, template, slot_of[program.stored])

    def attend(self, code: int) -> None:
        """Nothing asks for anything."""

    def run(self, program: Program, words: Words, keep: Sequence[Allocation]) -> None:
        """Run a program with these argument words; returns before the device is done.

        What is in `keep` may go afterwards: memory is used again only when the work submitted
        before it went is done.
        """
        if program.steps:
            with self._lock:
                self._replayer.run(program, words)

    def timed(
        self, program: Program, words: Words, keep: Sequence[Allocation]
    ) -> dict[int, float] | None:
        """Run a program launch by launch by the device's own clock, if it has one."""
        if not self._clock.bits:
            return None
        if not program.steps:
            return {}
        with self._lock:
            seconds = self._replayer.timed(program, words, self._clock)
        return {step.launch: each for step, each in zip(program.steps, seconds, strict=True)}

    def synchronize(self) -> None:
        """Wait until everything queued is done."""
        self._lock.check()
        self._transfer.wait()
        with self._lock:
            self._queue.reclaim()
            self._transfer.reclaim()
            self._replayer.recycle()
            self._check_guards()

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
    lock: OwnedLock,
    device: LogicalDevice,
    queues: set[Queue],
    pipelines: Pipelines,
    pools: set[Pool],
) -> None:
    if not lock.is_ours:
        return
    for queue in queues:
        queue.destroy()
    pipelines.destroy()
    for pool in pools:
        pool.destroy()
    device.destroy()
