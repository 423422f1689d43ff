"""The CPU runtime."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pumice.config import config
from pumice.locks import ForkSafeLock
from pumice.runtime.base import Allocation, Launch, MemoryStatistics, Words
from pumice.runtime.cpu.entry import CpuEntry
from pumice.runtime.cpu.entry_code import KEEP_LOCK, NO_WORKERS, RELEASE_LOCK, SHARE
from pumice.runtime.cpu.host import host_target
from pumice.runtime.cpu.loader import LoadedKernel, Loader
from pumice.runtime.cpu.memory import Allocator, CpuAllocation, ForeignAllocation, SmallAllocation
from pumice.runtime.cpu.pool import WorkerPool
from pumice.runtime.cpu.pool_code import ROW
from pumice.target import Artifact, Target

PARALLEL_FROM = 20_000
"""Nanoseconds of work from which waking the workers pays."""
SHORTEST_CHUNK = 5_000
"""Nanoseconds of work worth taking from the counter at once."""
LONGEST_CHUNK = 200_000
"""Nanoseconds of work from which taking less costs nothing, and lets threads end together."""
CHUNKS_PER_THREAD = 4
MOST_TRIES = 4
"""Sizes of chunks that are weighed."""
WORTHWHILE = 0.02
"""Share of the time that a smaller one must save."""
LOCK_KEPT_BELOW = 5_000
"""Nanoseconds of work for which other Python threads may wait."""


@dataclass(frozen=True, slots=True, eq=False)
class CpuProgram:
    """Launches as the rows the pool's native loop reads."""

    table: NDArray[np.int64]
    rows: int  # address of the table
    parallel: bool
    kernels: tuple[LoadedKernel, ...]
    cost: int  # estimated nanoseconds


class CpuRuntime:
    """Runs programs in this process. Everything is done when `run` returns."""

    def __init__(
        self, threads: int | None = None, target: Target | None = None, portable: bool = False
    ) -> None:
        self._threads = config().threads if threads is None else threads
        known = host_target() if target is None else target
        self._target = replace(known, limits={**known.limits, "threads": self._threads})
        self._portable = portable
        self._memory = Allocator()
        self._loader = Loader()
        self._pool: WorkerPool | None = None
        self._lock = ForkSafeLock()

    @property
    def target(self) -> Target:
        return self._target

    @property
    def name(self) -> str:
        return f"{self._target.identity.split('|')[2]}, {self._threads} threads"

    # -- memory ---------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> CpuAllocation | SmallAllocation:
        """Return uninitialised memory; raises OutOfMemory stating asked, free and limit."""
        return self._memory.allocate(nbytes)

    def allocate_all(self, sizes: Sequence[int]) -> list[CpuAllocation | SmallAllocation]:
        """Return memory for each of some numbers of bytes."""
        allocate = self._memory.allocate
        return [allocate(nbytes) for nbytes in sizes]

    def wrap(self, address: int, nbytes: int, owner: object) -> ForeignAllocation:
        """Return an allocation over memory of `owner`, who is kept alive; nothing is copied."""
        return ForeignAllocation(address, nbytes, owner)

    def view(
        self, allocation: Allocation, offset: int = 0, nbytes: int | None = None
    ) -> memoryview:
        """Return the bytes themselves; the view keeps the allocation alive."""
        size = allocation.nbytes - offset if nbytes is None else nbytes
        array = (ctypes.c_ubyte * size).from_address(allocation.address + offset)
        array.owner = allocation  # type: ignore[attr-defined]
        return memoryview(array).cast("B")

    def timed(
        self, program: CpuProgram, words: Words, keep: Sequence[Allocation]
    ) -> dict[int, float] | None:
        """Return None: launches are timed by the host's clock."""
        return None

    def write(self, allocation: Allocation, offset: int, data: memoryview) -> None:
        """Copy host bytes into device memory."""
        source = np.frombuffer(data, np.uint8)
        ctypes.memmove(allocation.address + offset, source.ctypes.data, source.nbytes)

    def read(self, allocation: Allocation, offset: int, nbytes: int) -> bytearray:
        """Copy device bytes to the host."""
        result = bytearray(nbytes)
        if nbytes:
            target = (ctypes.c_ubyte * nbytes).from_buffer(result)
            ctypes.memmove(target, allocation.address + offset, nbytes)
        return result

    def memory_statistics(self) -> MemoryStatistics:
        return self._memory.statistics()

    def empty_cache(self) -> None:
        """Give memory kept for reuse back to the system."""
        self._memory.empty_cache()

    # -- execution ------------------------------------------------------------------------------

    def load(self, artifacts: Sequence[Artifact]) -> list[LoadedKernel]:
        """Make compiled kernels callable. Loading the same key again is free."""
        return self._loader.load(artifacts)

    def prepare(self, launches: Sequence[Launch]) -> CpuProgram:
        """Return a program: the launches in order, each seeing the writes of those before it."""
        rows = [launch for launch in launches if launch.items > 0]
        table = np.zeros((len(rows), ROW), np.int64)
        parallel = False
        for row, launch in zip(table, rows, strict=True):
            chunk = chunk_of(launch.items, launch.cost, self._threads)
            row[:] = launch.kernel.address, launch.first_word, launch.items, chunk
            parallel = parallel or chunk < launch.items
        address = int(table.ctypes.data)
        cost = sum(launch.items * launch.cost for launch in rows)
        return CpuProgram(table, address, parallel, tuple(launch.kernel for launch in rows), cost)

    def bind(
        self,
        program: CpuProgram,
        template: Words,
        patches: Sequence[tuple[int, int]],
        slots: int,
        faults: tuple[int, int],
    ) -> CpuEntry:
        """Return the program as a function of its slots."""
        pool = self._pool or self._start_pool()
        mode = KEEP_LOCK if program.cost < LOCK_KEPT_BELOW else RELEASE_LOCK
        if program.parallel:
            mode = SHARE
            pool.start()
        places = np.array(patches, np.int64).reshape(-1, 2)
        header = (
            *(program.rows, len(program.kernels)),
            *(int(template.ctypes.data), len(template)),
            *(int(places.ctypes.data), len(places), slots),
            *(pool.state, mode),
            *faults,
        )
        return CpuEntry(pool.entrance, header, (program, template, places, pool))

    def attend(self, code: int) -> None:
        """Start the worker threads where a program found none: in a forked process."""
        if code & NO_WORKERS:
            (self._pool or self._start_pool()).start()

    def run(self, program: CpuProgram, words: Words, keep: Sequence[Allocation]) -> None:
        """Run a program with these argument words; `keep` is in use until this returns."""
        count = len(program.kernels)
        if not count:
            return
        pool = self._pool or self._start_pool()
        # Much quicker than `words.ctypes`, which builds an object each time.
        pointer = ctypes.byref(ctypes.c_int64.from_buffer(words.data))
        pool.run(program.rows, count, pointer, program.parallel)

    def _start_pool(self) -> WorkerPool:
        with self._lock:
            if self._pool is None:
                self._pool = WorkerPool(self._loader, self._threads, self._portable)
            return self._pool

    def synchronize(self) -> None:
        """Return at once: `run` waits."""


def chunk_of(items: int, cost: int, threads: int) -> int:
    """Return how many items a thread takes at once; all of them when the work is small."""
    cost = max(cost, 1)
    if threads <= 1 or items * cost < PARALLEL_FROM:
        return items
    share = -(-items // (threads * CHUNKS_PER_THREAD))
    most = max(-(-SHORTEST_CHUNK // cost), min(share, -(-LONGEST_CHUNK // cost)))

    def longest(chunk: int) -> int:
        """Return the items that the busiest of equally quick threads takes."""
        return -(-items // (chunk * threads)) * chunk

    best = min(range(most, max(most // 2, most - MOST_TRIES), -1), key=longest)
    return best if longest(best) * (1 + WORTHWHILE) < longest(most) else most
