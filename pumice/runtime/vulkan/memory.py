"""Device memory: suballocated from large blocks, reused once the device is done with it."""

from collections import deque

from pumice.errors import OutOfMemory
from pumice.runtime.base import MemoryStatistics
from pumice.runtime.vulkan.constants import MemoryProperty
from pumice.runtime.vulkan.logical import LogicalDevice, Memory, NoMemoryError
from pumice.runtime.vulkan.physical import DeviceDescription, MemoryType
from pumice.runtime.vulkan.queue import Queue
from pumice.runtime.vulkan.ranges import Range, RangeSet

ALIGNMENT = 256
BLOCK_BYTES = 64 << 20
LARGE_BYTES = BLOCK_BYTES // 2
LARGE_ALIGNMENT = 2 << 20
KEPT_BYTES = 256 << 20
"""Memory kept for reuse however little is in use; what fits nothing beyond it is given back."""

_ORDINARY = (
    MemoryProperty.DEVICE_LOCAL
    | MemoryProperty.HOST_VISIBLE
    | MemoryProperty.HOST_COHERENT
    | MemoryProperty.HOST_CACHED
)


class VulkanAllocation:
    """A piece of device memory. `last_use` is the timeline value of the last work on it."""

    __slots__ = ("__weakref__", "_piece", "_pool", "address", "last_use", "nbytes")

    def __init__(self, pool: "Pool", piece: Range[Memory], nbytes: int) -> None:
        self._pool = pool
        self._piece = piece
        self.nbytes = nbytes
        self.address = piece.block.address + piece.offset
        self.last_use = 0

    @property
    def buffer(self) -> int:
        """The Vulkan buffer it lies in, at `offset`."""
        return self._piece.block.buffer

    @property
    def offset(self) -> int:
        return self._piece.offset

    @property
    def view(self) -> memoryview | None:
        """Its bytes as the host sees them, None when it cannot."""
        whole = self._piece.block.view
        if whole is None or self._pool.hidden:
            return None
        return whole[self._piece.offset : self._piece.offset + self.nbytes]

    def __del__(self) -> None:
        self._pool.retire(self._piece)


class Pool:
    """Memory of one type. The runtime's lock guards every method but `retire`."""

    def __init__(
        self, device: LogicalDevice, queue: Queue, memory_type: int, limit_bytes: int
    ) -> None:
        self._device = device
        self._queue = queue
        self._type = memory_type
        self.hidden = False
        self._limit_bytes = limit_bytes
        limits = device.description.limits
        self._block_limit = limits["maxMemoryAllocationCount"]
        self._largest = limits["maxMemoryAllocationSize"]
        self._ranges: RangeSet[Memory] = RangeSet()
        self._blocks: dict[int, Memory] = {}
        # Filled by __del__, which may run anywhere, so it takes no lock.
        self._retired: deque[tuple[int, Range[Memory]]] = deque()
        self._total = 0
        self._live = 0
        self._peak = 0

    def hide(self) -> None:
        """Treat the memory as if the host could not see it."""
        self.hidden = True

    def retire(self, piece: Range[Memory]) -> None:
        """Give a range back; it is reused when the work submitted so far is done."""
        self._retired.append((self._queue.submitted, piece))

    def _recycle(self, done: int) -> None:
        while self._retired and self._retired[0][0] <= done:
            piece = self._retired.popleft()[1]
            self._live -= piece.size
            self._ranges.give_back(piece)

    def allocate(self, nbytes: int) -> VulkanAllocation:
        """Return memory of at least `nbytes` bytes, on a 256-byte boundary."""
        size = -(-max(nbytes, 1) // ALIGNMENT) * ALIGNMENT
        if self._retired:
            self._recycle(self._queue.completed)
        piece = self._ranges.take(size) or self._take_slowly(size)
        self._live += piece.size
        self._peak = max(self._peak, self._live)
        return VulkanAllocation(self, piece, nbytes)

    def _take_slowly(self, size: int) -> Range[Memory]:
        """Ask the device how far it is, then for more memory, then free what is cached."""
        self._queue.reclaim()
        self._recycle(self._queue.completed)
        piece = self._ranges.take(size)
        if piece is None:
            if self._ranges.free_bytes > max(self._live, KEPT_BYTES):
                self.empty_cache()
            if self._grow(size):
                piece = self._ranges.take(size)
        if piece is None:
            self._queue.wait(self._queue.submitted)
            self._queue.reclaim()
            self._recycle(self._queue.completed)
            piece = self._ranges.take(size)
        if piece is None:
            self.empty_cache()
            if self._grow(size):
                piece = self._ranges.take(size)
        if piece is None:
            raise OutOfMemory(self._complaint(size))
        return piece

    def _complaint(self, size: int) -> str:
        limit = min(self._limit_bytes, self._limit_bytes - self._total + self._ranges.free_bytes)
        return (
            f"{self._device.description.name}: asked for {size} bytes, but {self._live} are in "
            f"use and about {max(limit, 0)} of {self._limit_bytes} are free; one allocation may "
            f"have at most {self._largest} bytes"
        )

    def _grow(self, size: int) -> bool:
        """Get a block that holds `size` from the driver, a smaller one if it is short."""
        if size > self._largest or len(self._blocks) >= self._block_limit:
            return False
        exact = -(-size // LARGE_ALIGNMENT) * LARGE_ALIGNMENT
        exact = min(exact, self._largest)
        usual = min(BLOCK_BYTES, self._limit_bytes // 8, self._largest)
        wanted = [exact] if size >= LARGE_BYTES or usual < size else [usual, exact]
        for block_size in wanted:
            if self._total + block_size > self._limit_bytes:
                continue
            try:
                block = self._device.allocate(block_size, self._type)
            except NoMemoryError:
                continue
            self._blocks[block.memory] = block
            self._total += block_size
            self._ranges.add_block(block, block_size)
            return True
        return False

    def empty_cache(self) -> None:
        """Give wholly free blocks back to the driver."""
        self._recycle(self._queue.poll())
        for block in self._ranges.remove_free_blocks():
            del self._blocks[block.memory]
            self._total -= block.size
            self._device.free(block)

    def statistics(self) -> MemoryStatistics:
        self._recycle(self._queue.completed)
        return MemoryStatistics(self._live, self._peak, self._total - self._live)

    def destroy(self) -> None:
        """Give everything back; the device must be idle."""
        for block in self._blocks.values():
            self._device.free(block)
        self._blocks.clear()


def memory_types(device: LogicalDevice, staging: bool) -> tuple[int, int]:
    """Choose the memory type for tensors and the one for data the host writes.

    Both are the same where device memory is host visible for all of its size (integrated GPUs,
    resizable BAR, software devices), unless `staging` asks for copies anyway.
    """
    description, allowed = device.description, device.memory_type_bits()
    candidates = [
        (number, kind)
        for number, kind in enumerate(description.memory_types)
        if allowed >> number & 1 and not kind.properties & ~int(_ORDINARY)
    ]
    host = max(candidates, key=lambda each: _host_preference(description, each[1]))[0]
    local = max(candidates, key=lambda each: _local_preference(description, each[1]))[0]
    shared = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    if staging:
        return local, host
    properties = description.memory_types[local].properties
    return (local, local) if properties & shared == shared else (local, host)


def _local_preference(description: DeviceDescription, kind: MemoryType) -> tuple[bool, int, bool]:
    local = bool(kind.properties & MemoryProperty.DEVICE_LOCAL)
    visible = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    heap = description.heaps[kind.heap].size
    return local, heap, kind.properties & visible == visible


def _host_preference(description: DeviceDescription, kind: MemoryType) -> tuple[bool, bool, int]:
    visible = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    usable = kind.properties & visible == visible
    local = bool(kind.properties & MemoryProperty.DEVICE_LOCAL)
    return usable, not local, description.heaps[kind.heap].size
