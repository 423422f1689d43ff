"""Moving bytes between host and device: directly where the host sees the memory, else staged."""

from collections import deque

from pumice.errors import DeviceError, OutOfMemory
from pumice.runtime.vulkan.api import ffi
from pumice.runtime.vulkan.logical import LogicalDevice
from pumice.runtime.vulkan.memory import ALIGNMENT, Pool, VulkanAllocation
from pumice.runtime.vulkan.queue import Queue

PIECE_BYTES = 8 << 20
"""Staged copies go in pieces of this size, so that host and device copy at the same time."""
RING_BYTES = 4 * PIECE_BYTES
"""Two pieces may be read back at a time while others are written."""


class Ring:
    """Host memory that copies go through, one piece after the other, for the life of the device."""

    def __init__(self, queue: Queue, host: Pool) -> None:
        self._queue = queue
        self._host = host
        self._memory: VulkanAllocation | None = None
        self._head = 0
        self._busy: deque[tuple[int, int, int]] = deque()  # value, first and last byte; by age

    def take(self, size: int) -> tuple[VulkanAllocation, int]:
        """Return memory and the place of a free piece in it; waits while all is in use."""
        if self._memory is None:
            self._memory = self._host.allocate(RING_BYTES)
        start = self._head if self._head + size <= RING_BYTES else 0
        stop = start + size
        while self._busy and any(first < stop and start < last for _, first, last in self._busy):
            self._queue.wait(self._busy.popleft()[0])
        self._head = -(-stop // ALIGNMENT) * ALIGNMENT
        return self._memory, start

    def use(self, start: int, size: int, value: int) -> None:
        """Note that a piece is in use until the timeline reaches a value."""
        while self._busy and self._busy[0][0] <= self._queue.completed:
            self._busy.popleft()
        self._busy.append((value, start, start + size))


class Transfer:
    """Copies. The runtime's lock guards all methods; `host` is the pool the host can see.

    They are made by a queue of their own where the device has one. Then they wait for what the
    compute queue was given before, and what it is given afterwards waits for them.
    """

    def __init__(self, device: LogicalDevice, queue: Queue, copies: Queue, host: Pool) -> None:
        self._functions = device.functions
        self._queue = queue
        self._copies = copies
        self._ring = Ring(copies, host)

    def write(self, target: VulkanAllocation, offset: int, data: memoryview) -> None:
        """Copy host bytes to the device, after everything queued so far, without waiting for it."""
        view = target.view
        if view is not None and (target.untouched or self.idle()):
            view[offset : offset + len(data)] = data
            return
        for start in range(0, len(data), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES]
            staging, place = self._ring.take(len(piece))
            assert staging.view is not None
            staging.view[place : place + len(piece)] = piece
            value = self._copy(staging, place, target, offset + start, len(piece))
            self._ring.use(place, len(piece), value)

    def read(self, source: VulkanAllocation, offset: int, nbytes: int) -> bytearray:
        """Wait for the device and copy its bytes to the host."""
        view = source.view
        if view is not None:
            self.wait()
            return bytearray(view[offset : offset + nbytes])
        result = bytearray(nbytes)
        pending: deque[tuple[int, int, int, int]] = deque()
        for start in range(0, nbytes, PIECE_BYTES):
            size = min(PIECE_BYTES, nbytes - start)
            staging, place = self._ring.take(size)
            value = self._copy(source, offset + start, staging, place, size)
            self._ring.use(place, size, value)
            pending.append((start, size, place, value))
            if len(pending) > 1:
                self._collect(result, staging, *pending.popleft())
        for each in pending:
            self._collect(result, staging, *each)
        return result

    def idle(self) -> bool:
        """Tell whether the device has done everything."""
        queue, copies = self._queue, self._copies
        return queue.poll() == queue.submitted and copies.poll() == copies.submitted

    def wait(self) -> None:
        """Wait until the device has done everything."""
        for queue in (self._queue, self._copies):
            queue.wait(queue.submitted)

    def reclaim(self) -> None:
        """Let go of what finished copies kept."""
        self._copies.reclaim()

    def _collect(
        self,
        result: bytearray,
        staging: VulkanAllocation,
        start: int,
        size: int,
        place: int,
        value: int,
    ) -> None:
        self._copies.wait(value)
        assert staging.view is not None
        result[start : start + size] = staging.view[place : place + size]

    def _copy(
        self,
        source: VulkanAllocation,
        source_offset: int,
        target: VulkanAllocation,
        target_offset: int,
        size: int,
    ) -> int:
        region = ffi().new("VkBufferCopy[1]")
        region[0].srcOffset = source.offset + source_offset
        region[0].dstOffset = target.offset + target_offset
        region[0].size = size
        queue, copies = self._queue, self._copies
        commands = copies.begin(once=True)
        self._functions.vkCmdCopyBuffer(commands, source.buffer, target.buffer, 1, region)
        copies.finish(commands)
        if copies is queue:
            return queue.submit_once(commands, (source, target))
        before = queue.first
        if queue.poll() < queue.submitted:
            copies.first = (queue, queue.submitted)
        # Said before it is submitted, for an interrupt may come between.
        queue.first = (copies, copies.submitted + 1)
        try:
            return copies.submit_once(commands, (source, target))
        except (DeviceError, OutOfMemory):
            queue.first = before
            raise
