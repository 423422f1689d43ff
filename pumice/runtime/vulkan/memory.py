"""Device memory: suballocated from large blocks, reused once the device is done with it."""

from collections import deque
from collections.abc import Iterable

from pumice.errors import OutOfMemory
from pumice.runtime.base import MemoryStatistics
from pumice.runtime.vulkan.constants import MemoryProperty
from pumice.runtime.vulkan.guards import GUARD_BYTES, Guards
from pumice.runtime.vulkan.logical import LogicalDevice, Memory, NoMemoryError
from pumice.runtime.vulkan.physical import DeviceDescription, MemoryType
from pumice.runtime.vulkan.queue import Queue
from pumice.runtime.vulkan.ranges import Range, RangeSet

ALIGNMENT = 256
BLOCK_BYTES = 64 << 20
LARGE_ALIGNMENT = 2 << 20
KEPT_PIECES = 256
"""Pieces of one size that are kept as they are."""
WIDE_BYTES = 1 << 31
"""From here on offsets within an allocation need more than 31 bits."""
KEPT_BYTES = 256 << 20
"""Memory kept for reuse however little is in use; what fits nothing beyond it is given back."""

_ORDINARY = (
    MemoryProperty.DEVICE_LOCAL
    | MemoryProperty.HOST_VISIBLE
    | MemoryProperty.HOST_COHERENT
    | MemoryProperty.HOST_CACHED
)


class VulkanAllocation:
    """A piece of device memory.

    Attributes
    ----------
    born : int
        Timeline value of the work submitted before it was handed out, none of which uses it.
    """

    __slots__ = ("__weakref__", "_piece", "_pool", "address", "born", "nbytes")

    def __init__(self, pool: "Pool", piece: Range[Memory], nbytes: int) -> None:
        self._pool = pool
        self._piece = piece
        self.nbytes = nbytes
        self.address = piece.block.address + piece.offset
        self.born = pool.queue.submitted

    @property
    def buffer(self) -> int:
        """The Vulkan buffer it lies in, at `offset`."""
        return self._piece.block.buffer

    @property
    def offset(self) -> int:
        return self._piece.offset

    @property
    def untouched(self) -> bool:
        """True when the device can have no work on it, done or not."""
        return self.born == self._pool.queue.submitted

    @property
    def view(self) -> memoryview | None:
        """Its bytes as the host sees them, None when it cannot."""
        whole = self._piece.block.view
        if whole is None or self._pool.hidden:
            return None
        return whole[self._piece.offset : self._piece.offset + self.nbytes]

    def __del__(self) -> None:
        pool = self._pool
        pool.retired.append((pool.queue.submitted, self._piece))


class Pool:
    """Memory of one type. The runtime's lock guards every method.

    What an allocation gives back when it dies goes to `retired`, and when the work submitted so
    far is done, to the pieces kept by size. They are joined with their neighbours when memory of
    another size is asked for and there is none. `limit` is the most that blocks may take together.
    """

    def __init__(
        self,
        device: LogicalDevice,
        queues: tuple[Queue, Queue],
        memory_type: int,
        limit_bytes: int,
        block_bytes: int = BLOCK_BYTES,
        guards: Guards | None = None,
    ) -> None:
        self._device = device
        self.queue, self._copies = queues
        self._type = memory_type
        self.hidden = False
        self.heap = device.description.memory_types[memory_type].heap
        self.limit = limit_bytes
        self._block_bytes = block_bytes
        self._guards = guards
        self._behind = GUARD_BYTES if guards is not None else 0
        limits = device.description.limits
        self._block_limit = limits["maxMemoryAllocationCount"]
        self._largest = limits["maxMemoryAllocationSize"]
        self._ranges: RangeSet[Memory] = RangeSet()
        self._blocks: dict[int, Memory] = {}
        self._kept: dict[int, list[Range[Memory]]] = {}
        # Filled by __del__, which may run anywhere, so it takes no lock.
        self.retired: deque[tuple[int, Range[Memory]]] = deque()
        self._wide: dict[int, int] = {}  # first and last address of allocations of WIDE_BYTES
        self._total = 0
        self._live = 0
        self._peak = 0

    def hide(self) -> None:
        """Treat the memory as if the host could not see it."""
        self.hidden = True

    @property
    def large(self) -> bool:
        """Whether there are allocations in which offsets need more than 31 bits."""
        return bool(self._wide)

    def any_large(self, addresses: Iterable[int]) -> bool:
        """Tell whether one of some addresses lies in such an allocation."""
        if not self._wide:
            return False
        ranges = list(self._wide.items())
        return any(start <= each < stop for each in addresses for start, stop in ranges)

    def _recycle(self, done: int) -> None:
        retired, kept_of = self.retired, self._kept.get
        while retired and retired[0][0] <= done:
            piece = retired.popleft()[1]
            size = piece.size
            self._live -= size
            if self._guards is not None:
                self._guards.give_back(piece)
            if self._wide:
                self._wide.pop(piece.block.address + piece.offset, None)
            kept = kept_of(size)
            if kept is None:
                self._kept[size] = [piece]
            elif len(kept) < KEPT_PIECES:
                kept.append(piece)
            else:
                self._ranges.give_back(piece)

    def _join(self) -> None:
        """Join what is free with its neighbours."""
        self._recycle(self.queue.completed)
        for pieces in self._kept.values():
            for piece in pieces:
                self._ranges.give_back(piece)
        self._kept.clear()

    def allocate(self, nbytes: int) -> VulkanAllocation:
        """Return memory of at least `nbytes` bytes, on a 256-byte boundary."""
        return self.allocate_all((nbytes,))[0]

    def allocate_all(self, sizes: Iterable[int]) -> list[VulkanAllocation]:
        """Return memory for each of some numbers of bytes."""
        if self.retired:
            self._recycle(self.queue.completed)
        kept_of, behind, guards = self._kept.get, self._behind, self._guards
        result = []
        for nbytes in sizes:
            size = (nbytes + behind + ALIGNMENT - 1) & -ALIGNMENT or ALIGNMENT
            kept = kept_of(size)
            piece = kept.pop() if kept else self._ranges.take(size) or self._take_slowly(size)
            self._live += size
            if guards is not None:
                guards.take(piece, nbytes)
            made = VulkanAllocation(self, piece, nbytes)
            result.append(made)
            if nbytes >= WIDE_BYTES:
                self._wide[made.address] = made.address + nbytes
        if self._live > self._peak:
            self._peak = self._live
        return result

    def _take_slowly(self, size: int) -> Range[Memory]:
        """Ask the device how far it is, then for more memory, then free what is cached."""
        self._reclaim()
        piece = self._ranges.take(size)
        if piece is None:
            if self._ranges.free_bytes > max(self._live, KEPT_BYTES):
                self.empty_cache()
            if self._grow(size):
                piece = self._ranges.take(size)
        if piece is None:
            for queue in (self.queue, self._copies):
                queue.wait(queue.submitted)
            self._reclaim()
            piece = self._ranges.take(size)
        if piece is None:
            self.empty_cache()
            if self._grow(size, last=True):
                piece = self._ranges.take(size)
        if piece is None:
            raise OutOfMemory(self._complaint(size))
        return piece

    def _reclaim(self) -> None:
        """Take back what the device is done with."""
        self._copies.reclaim()
        self.queue.reclaim()
        self._join()

    def _complaint(self, size: int) -> str:
        free = self.limit - self._total + self._ranges.free_bytes
        room = self._device.room(self.heap)
        if room is not None:
            free = min(free, room + self._ranges.free_bytes)
        return (
            f"{self._device.description.name}: asked for {size} bytes, but {self._live} are in "
            f"use and about {min(max(free, 0), self.limit)} of {self.limit} are free; one "
            f"allocation may have at most {self._largest} bytes"
        )

    def _grow(self, size: int, last: bool = False) -> bool:
        """Get a block that holds `size` from the driver, a smaller one if it is short.

        What the system says it can spare is respected but in the last resort: it is an estimate.
        """
        if size > self._largest or len(self._blocks) >= self._block_limit:
            return False
        exact = -(-size // LARGE_ALIGNMENT) * LARGE_ALIGNMENT
        exact = min(exact, self._largest)
        usual = min(self._block_bytes, self.limit // 8, self._largest)
        alone = size >= self._block_bytes // 2
        room = None if last else self._device.room(self.heap)
        for block_size in [exact] if alone or usual < size else [usual, exact]:
            if self._total + block_size > self.limit or (room is not None and block_size > room):
                continue
            try:
                block = self._device.allocate(block_size, self._type, dedicated=alone)
            except NoMemoryError:
                continue
            self._blocks[block.memory] = block
            self._total += block_size
            if self._guards is not None:
                self._guards.fill(block)
            self._ranges.add_block(block, block_size)
            return True
        return False

    def empty_cache(self) -> None:
        """Give wholly free blocks back to the driver."""
        self._reclaim()
        for block in self._ranges.remove_free_blocks():
            del self._blocks[block.memory]
            self._total -= block.size
            self._device.free(block)

    def check_guards(self) -> None:
        """Check what lies behind all memory in use; the device must be idle."""
        if self._guards is not None:
            self._guards.check()

    def statistics(self) -> MemoryStatistics:
        self._recycle(self.queue.completed)
        return MemoryStatistics(self._live, self._peak, self._total - self._live, self.limit)

    def destroy(self) -> None:
        """Give everything back; the device must be idle."""
        for block in self._blocks.values():
            self._device.free(block)
        self._blocks.clear()


def memory_types(device: LogicalDevice, staging: bool) -> tuple[int, int, int]:
    """Choose the memory type for tensors, for data the host writes, and for argument words.

    The last is device memory that the host can write, where there is any: kernels read it first
    thing. The first two are the same where device memory is host visible for all of its size
    (integrated GPUs, resizable BAR, software devices), unless `staging` asks for copies anyway.
    """
    description, allowed = device.description, device.memory_type_bits()
    candidates = [
        (number, kind)
        for number, kind in enumerate(description.memory_types)
        if allowed >> number & 1 and not kind.properties & ~int(_ORDINARY)
    ]
    host = max(candidates, key=lambda each: _host_preference(description, each[1]))[0]
    local = max(candidates, key=lambda each: _local_preference(description, each[1]))[0]
    words = max(candidates, key=lambda each: _words_preference(each[1]))[0]
    shared = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    properties = description.memory_types[local].properties
    if properties & shared == shared and not staging:
        host = local
    return local, host, words


def _local_preference(description: DeviceDescription, kind: MemoryType) -> tuple[bool, int, bool]:
    local = bool(kind.properties & MemoryProperty.DEVICE_LOCAL)
    visible = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    heap = description.heaps[kind.heap].size
    return local, heap, kind.properties & visible == visible


def _words_preference(kind: MemoryType) -> tuple[bool, bool]:
    visible = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    return kind.properties & visible == visible, bool(kind.properties & MemoryProperty.DEVICE_LOCAL)


def _host_preference(description: DeviceDescription, kind: MemoryType) -> tuple[bool, bool, int]:
    visible = MemoryProperty.HOST_VISIBLE | MemoryProperty.HOST_COHERENT
    usable = kind.properties & visible == visible
    local = bool(kind.properties & MemoryProperty.DEVICE_LOCAL)
    return usable, not local, description.heaps[kind.heap].size
