"""Moving bytes between host and device: directly where the host sees the memory, else staged."""

from pumice.runtime.vulkan.api import ffi
from pumice.runtime.vulkan.logical import LogicalDevice
from pumice.runtime.vulkan.memory import Pool, VulkanAllocation
from pumice.runtime.vulkan.queue import Queue

PIECE_BYTES = 8 << 20
"""Staged copies go in pieces of this size, so that host and device copy at the same time."""


class Transfer:
    """Copies. The runtime's lock guards all methods; `host` is the pool the host can see."""

    def __init__(self, device: LogicalDevice, queue: Queue, host: Pool) -> None:
        self._functions = device.functions
        self._queue = queue
        self._host = host

    def write(self, target: VulkanAllocation, offset: int, data: memoryview) -> None:
        """Copy host bytes to the device, after everything queued so far, without waiting for it."""
        view, queue = target.view, self._queue
        if view is not None and (target.untouched or queue.poll() == queue.submitted):
            view[offset : offset + len(data)] = data
            return
        for start in range(0, len(data), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES]
            staging = self._host.allocate(len(piece))
            assert staging.view is not None
            staging.view[: len(piece)] = piece
            self._copy(staging, 0, target, offset + start, len(piece))

    def read(self, source: VulkanAllocation, offset: int, nbytes: int) -> bytearray:
        """Wait for the device and copy its bytes to the host."""
        view = source.view
        if view is not None:
            self._queue.wait(self._queue.submitted)
            return bytearray(view[offset : offset + nbytes])
        result = bytearray(nbytes)
        pending: list[tuple[int, int, VulkanAllocation, int]] = []
        for start in range(0, nbytes, PIECE_BYTES):
            size = min(PIECE_BYTES, nbytes - start)
            staging = self._host.allocate(size)
            value = self._copy(source, offset + start, staging, 0, size)
            pending.append((start, size, staging, value))
            if len(pending) > 1:
                self._collect(result, pending.pop(0))
        for each in pending:
            self._collect(result, each)
        return result

    def _collect(self, result: bytearray, piece: tuple[int, int, VulkanAllocation, int]) -> None:
        start, size, staging, value = piece
        self._queue.wait(value)
        assert staging.view is not None
        result[start : start + size] = staging.view[:size]

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
        commands = self._queue.begin(once=True)
        self._functions.vkCmdCopyBuffer(commands, source.buffer, target.buffer, 1, region)
        self._queue.finish(commands)
        return self._queue.submit_once(commands, (source, target))
