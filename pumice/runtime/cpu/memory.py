"""Memory of the CPU device: blocks from the system, kept for reuse when freed.

Sizes are rounded up to classes, eight per doubling. Blocks below `SLAB_BLOCK` are cut from slabs;
larger ones are mappings of their own, given back to the system when the cache grows too large.
"""

import ctypes
import mmap
import os
import sys
from collections import OrderedDict, deque
from pathlib import Path

from pumice.errors import OutOfMemory, describe
from pumice.locks import ForkSafeLock
from pumice.runtime.base import MemoryStatistics

ALIGNMENT = 64
SLAB_BLOCK = 64 << 10
SLAB = 2 << 20
HUGE_PAGE = 2 << 20
HUGE_FROM = 4 << 20


class CpuAllocation:
    """Memory of the allocator, given back when the object dies."""

    __slots__ = ("__weakref__", "_block", "_home", "address", "nbytes")

    def __init__(self, address: int, nbytes: int, block: "Block", home: "deque[Block]") -> None:
        self.address = address
        self.nbytes = nbytes
        self._block = block
        self._home = home

    def __del__(self) -> None:
        # May run at any point of any thread, also inside the allocator: only append.
        self._home.append(self._block)


class SmallAllocation:
    """Memory cut from a slab, given back when the object dies."""

    __slots__ = ("__weakref__", "_home", "address", "nbytes")

    def __init__(self, address: int, nbytes: int, home: list[int]) -> None:
        self.address = address
        self.nbytes = nbytes
        self._home = home

    def __del__(self) -> None:
        # As above: appending to a list is all that may happen here.
        self._home.append(self.address)


class ForeignAllocation:
    """Memory of somebody else, who is kept alive."""

    __slots__ = ("__weakref__", "address", "nbytes", "owner")

    def __init__(self, address: int, nbytes: int, owner: object) -> None:
        self.address = address
        self.nbytes = nbytes
        self.owner = owner


class Block:
    """A mapping of a size class."""

    __slots__ = ("address", "mapping", "size")

    def __init__(self, address: int, size: int, mapping: mmap.mmap) -> None:
        self.address = address
        self.size = size
        self.mapping = mapping


class SmallClass:
    """Blocks of one size: the addresses of free ones, and how many have been made."""

    __slots__ = ("free", "made", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.free: list[int] = []
        self.made = 0


def size_class(nbytes: int) -> int:
    """Return the size handed out for a request: at most an eighth more, at least 64 bytes."""
    if nbytes <= ALIGNMENT:
        return ALIGNMENT
    step = max(ALIGNMENT, 1 << max((nbytes - 1).bit_length() - 4, 0))
    return -(-nbytes // step) * step


class Allocator:
    """Caching allocator. Thread-safe."""

    def __init__(self, limit: int | None = None, cache_limit: int | None = None) -> None:
        self.limit = memory_limit() if limit is None else limit
        self._cache_limit = self.limit // 4 if cache_limit is None else cache_limit
        self._lock = ForkSafeLock()
        self._returned: deque[Block] = deque()
        self._small: dict[int, SmallClass] = {}
        self._small_of: dict[int, SmallClass] = {}  # by bytes asked for
        self._large: OrderedDict[int, Block] = OrderedDict()  # by address, oldest first
        self._sizes: dict[int, list[int]] = {}  # addresses of free large blocks by size
        self._slab_at = self._slab_end = 0
        self._slabs: list[mmap.mmap] = []
        self._live = self._peak = self._cached = 0
        self._cut = 0  # bytes of all small blocks, free or not

    def allocate(self, nbytes: int) -> CpuAllocation | SmallAllocation:
        """Return uninitialised memory, 64-byte aligned."""
        small = self._small_of.get(nbytes)
        if small is None:
            return self._allocate(nbytes)
        free = small.free
        try:
            address = free.pop()
        except IndexError:
            return self._allocate(nbytes)
        return SmallAllocation(address, nbytes, free)

    def _allocate(self, nbytes: int) -> CpuAllocation | SmallAllocation:
        size = size_class(nbytes)
        with self._lock:
            self._collect()
            if self._live + self._cut + size > self.limit and self._in_use() + size > self.limit:
                raise self._out_of_memory(nbytes)
            if size < SLAB_BLOCK:
                address = self._small_block(size, nbytes)
                if address is None:
                    raise self._out_of_memory(nbytes)
                self._peak = max(self._peak, self._live + self._cut)
                return SmallAllocation(address, nbytes, self._small[size].free)
            block = self._large_block(size)
            if block is None:
                raise self._out_of_memory(nbytes)
            self._live += block.size
            self._peak = max(self._peak, self._live + self._cut)
        return CpuAllocation(block.address, nbytes, block, self._returned)

    def statistics(self) -> MemoryStatistics:
        """Return the figures of now; the peak counts all small blocks there have been so far."""
        with self._lock:
            self._collect()
            live = self._in_use()
            free = sum(small.size * len(small.free) for small in self._small.values())
            return MemoryStatistics(live, self._peak, self._cached + free, self.limit)

    def empty_cache(self) -> None:
        """Give free large blocks back to the system."""
        with self._lock:
            self._collect()
            self._trim(0)

    # -- with the lock held ---------------------------------------------------------------------

    def _in_use(self) -> int:
        """Return the bytes of live blocks."""
        return self._live + sum(
            small.size * (small.made - len(small.free)) for small in self._small.values()
        )

    def _collect(self) -> None:
        """Take in the blocks whose allocations have died."""
        returned = self._returned
        while returned:
            block = returned.popleft()
            self._live -= block.size
            self._cached += block.size
            self._large[block.address] = block
            self._sizes.setdefault(block.size, []).append(block.address)
        if self._cached > self._cache_limit:
            self._trim(self._cache_limit)

    def _small_block(self, size: int, nbytes: int) -> int | None:
        small = self._small.setdefault(size, SmallClass(size))
        self._small_of[nbytes] = small
        if small.free:
            return small.free.pop()
        if self._slab_at + size > self._slab_end:
            mapping = _map(SLAB)
            if mapping is None:
                return None
            self._slabs.append(mapping)
            self._slab_at = _address(mapping)
            self._slab_end = self._slab_at + SLAB
        address = self._slab_at
        self._slab_at += size
        small.made += 1
        self._cut += size
        return address

    def _large_block(self, size: int) -> Block | None:
        candidate = size
        for _ in range(3):  # this class or one of the next two
            addresses = self._sizes.get(candidate)
            candidate = size_class(candidate + 1)
            if addresses:
                block = self._large.pop(addresses.pop())
                self._cached -= block.size
                return block
        mapping = _map(size + (HUGE_PAGE if size >= HUGE_FROM else 0))
        if mapping is None:
            self._trim(0)
            mapping = _map(size + (HUGE_PAGE if size >= HUGE_FROM else 0))
            if mapping is None:
                return None
        address = _address(mapping)
        if size >= HUGE_FROM:
            address += -address % HUGE_PAGE
            if hasattr(mapping, "madvise") and hasattr(mmap, "MADV_HUGEPAGE"):
                mapping.madvise(mmap.MADV_HUGEPAGE)
        return Block(address, size, mapping)

    def _trim(self, limit: int) -> None:
        while self._cached > limit and self._large:
            address, block = self._large.popitem(last=False)
            self._sizes[block.size].remove(address)
            if not self._sizes[block.size]:
                del self._sizes[block.size]
            self._cached -= block.size
            block.mapping.close()

    def _out_of_memory(self, nbytes: int) -> OutOfMemory:
        free = max(self.limit - self._in_use(), 0)
        return OutOfMemory(
            describe(
                "allocate",
                f"cpu: asked for {nbytes} bytes, {free} free of {self.limit}",
                "free tensors or work on smaller pieces",
            )
        )


def _map(nbytes: int) -> mmap.mmap | None:
    try:
        if hasattr(mmap, "MAP_PRIVATE"):
            # Shared, which is the default, a forked process would write into its parent's tensors.
            return mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        return mmap.mmap(-1, nbytes)
    except (OSError, ValueError, OverflowError):
        return None


def _address(mapping: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(mapping))


def memory_limit() -> int:
    """Return the bytes this process may use: physical memory, or less when a cgroup says so."""
    limits = [_physical_memory()]
    if sys.platform == "linux":
        for name in ("memory.max", "memory/memory.limit_in_bytes"):
            try:
                limits.append(int((Path("/sys/fs/cgroup") / name).read_text()))
            except (OSError, ValueError):  # no such cgroup, or "max"
                continue
    return min(limits)


def _physical_memory() -> int:
    if sys.platform == "win32":
        return _windows_memory()
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _windows_memory() -> int:
    """Total physical memory; the kernel reports it in KiB."""
    kibibytes = ctypes.c_ulonglong()
    ctypes.CDLL("kernel32").GetPhysicallyInstalledSystemMemory(ctypes.byref(kibibytes))
    return int(kibibytes.value) << 10
