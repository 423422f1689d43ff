"""Plain host memory for the interpreter mode: allocations are NumPy arrays, nothing launches."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from pumice.errors import InternalError
from pumice.runtime.base import Allocation, Entry, Launch, MemoryStatistics, Words
from pumice.target import Artifact, DeviceKind, Target


class HostAllocation:
    """Host memory owned by an array."""

    __slots__ = ("array",)

    def __init__(self, nbytes: int) -> None:
        self.array = np.empty(max(nbytes, 1), np.uint8)

    @property
    def address(self) -> int:
        return int(self.array.ctypes.data)

    @property
    def nbytes(self) -> int:
        return int(self.array.nbytes)


class ForeignAllocation:
    """Host memory of another owner, kept alive with it."""

    __slots__ = ("array", "owner")

    def __init__(self, address: int, nbytes: int, owner: object) -> None:
        self.owner = owner
        self.array = np.ctypeslib.as_array((ctypes.c_ubyte * nbytes).from_address(address))

    @property
    def address(self) -> int:
        return int(self.array.ctypes.data)

    @property
    def nbytes(self) -> int:
        return int(self.array.nbytes)


class HostRuntime:
    """Memory without execution."""

    name = "host memory (interpreter)"

    @property
    def target(self) -> Target:
        return Target(DeviceKind.CPU, "interpreter", 32, 4096, False, {})

    def allocate(self, nbytes: int) -> Allocation:
        return HostAllocation(nbytes)

    def allocate_all(self, sizes: Sequence[int]) -> list[Allocation]:
        return [HostAllocation(nbytes) for nbytes in sizes]

    def wrap(self, address: int, nbytes: int, owner: object) -> Allocation:
        """Return an allocation over memory of `owner`; nothing is copied."""
        return ForeignAllocation(address, nbytes, owner)

    def load(self, artifacts: Sequence[Artifact]) -> list[Any]:
        raise InternalError("the interpreter runs no kernels")

    def prepare(self, launches: Sequence[Launch]) -> Any:
        raise InternalError("the interpreter runs no kernels")

    def bind(
        self,
        program: Any,
        template: Words,
        patches: Sequence[tuple[int, int]],
        slots: int,
        faults: tuple[int, int],
    ) -> Entry | None:
        return None

    def attend(self, code: int) -> None:
        return

    def run(self, program: Any, words: Words, keep: Sequence[Allocation]) -> None:
        raise InternalError("the interpreter runs no kernels")

    def timed(
        self, program: Any, words: Words, keep: Sequence[Allocation]
    ) -> dict[int, float] | None:
        """Return None: launches are timed by the host's clock."""
        return None

    def write(self, allocation: Allocation, offset: int, data: memoryview) -> None:
        assert isinstance(allocation, (HostAllocation, ForeignAllocation))
        allocation.array[offset : offset + data.nbytes] = np.frombuffer(data, np.uint8)

    def read(self, allocation: Allocation, offset: int, nbytes: int) -> bytearray:
        assert isinstance(allocation, (HostAllocation, ForeignAllocation))
        return bytearray(allocation.array[offset : offset + nbytes].tobytes())

    def synchronize(self) -> None:
        return

    def memory_statistics(self) -> MemoryStatistics:
        return MemoryStatistics(0, 0, 0, 0)

    def empty_cache(self) -> None:
        return
