"""What every runtime offers to the engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pumice.target import Artifact, Target

Words = NDArray[np.int64]


class Allocation(Protocol):
    """A piece of device memory, given back when the object dies.

    Attributes
    ----------
    address : int
        Device address of the first byte, at least 64-byte aligned.
    nbytes : int
        Usable size.
    """

    @property
    def address(self) -> int: ...
    @property
    def nbytes(self) -> int: ...


@dataclass(frozen=True, slots=True)
class MemoryStatistics:
    """Bytes of a device's memory.

    Attributes
    ----------
    live, peak : int
        In use by allocations, and the highest such figure.
    cached : int
        Kept for reuse.
    limit : int
        What both may come to.
    """

    live: int
    peak: int
    cached: int
    limit: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel of a program.

    Attributes
    ----------
    kernel : object
        What `Runtime.load` returned.
    first_word, words : int
        Its slice of the argument words.
    items : int
        Grid items (product of the grid's extents); 0 means nothing to do.
    cost : int
        Rough nanoseconds of work per item, for choosing how many items a thread takes at once.
    waits : bool
        True when it must see what launches before it wrote; False when it may run beside those
        from the last one that waits on.
    """

    kernel: Any
    first_word: int
    words: int
    items: int
    cost: int = 100
    waits: bool = True


FAULTS = 1
"""What `Entry.call` adds to its result when a kernel has recorded a data error."""


class Entry(Protocol):
    """A program with its argument words, all but those that change from run to run.

    Attributes
    ----------
    call : function
        Takes one integer per slot, runs the program, and returns 0 when there is nothing to see
        to (`Runtime.attend`). It must not outlive this object.
    """

    @property
    def call(self) -> Callable[..., int]: ...


class Runtime(Protocol):
    """Memory and execution on one device. All methods are safe to call from any thread."""

    @property
    def target(self) -> Target: ...

    @property
    def name(self) -> str:
        """Human name of the device."""
        ...

    def allocate(self, nbytes: int) -> Allocation:
        """Return uninitialised memory; raises OutOfMemory stating asked, free and limit."""
        ...

    def allocate_all(self, sizes: Sequence[int]) -> Sequence[Allocation]:
        """Return memory for each of some numbers of bytes."""
        ...

    def load(self, artifacts: Sequence[Artifact]) -> list[Any]:
        """Make compiled kernels callable. Loading the same key again is free."""
        ...

    def prepare(self, launches: Sequence[Launch]) -> Any:
        """Return a program: the launches in order; those that wait see the writes before them."""
        ...

    def bind(
        self,
        program: Any,
        template: Words,
        patches: Sequence[tuple[int, int]],
        slots: int,
        faults: tuple[int, int],
    ) -> Entry | None:
        """Return a program as a function of its slots, or None when only `run` can run it.

        Each patch (word, slot) adds the value of a slot to a word of the template. ``faults`` are
        the address and number of the fault records, two words each.
        """
        ...

    def attend(self, code: int) -> None:
        """See to what the result of `Entry.call` asks of the runtime; faults are not its."""
        ...

    def run(self, program: Any, words: Words, keep: Sequence[Allocation]) -> None:
        """Run a program with these argument words (addresses resolved).

        May return before the device is done; `keep` must stay alive until then. Launches of later
        calls and later reads see the results.
        """
        ...

    def timed(
        self, program: Any, words: Words, keep: Sequence[Allocation]
    ) -> dict[int, float] | None:
        """Run a program launch by launch by the device's own clock.

        Returns the seconds of each launch, by its place among those of the program; None, and
        nothing is run, where there is no such clock.
        """
        ...

    def write(self, allocation: Allocation, offset: int, data: memoryview) -> None:
        """Copy host bytes into device memory, after everything queued so far."""
        ...

    def read(self, allocation: Allocation, offset: int, nbytes: int) -> bytearray:
        """Wait and copy device bytes to the host."""
        ...

    def synchronize(self) -> None:
        """Wait until everything queued is done."""
        ...

    def memory_statistics(self) -> MemoryStatistics: ...

    def empty_cache(self) -> None:
        """Give memory kept for reuse back to the system."""
        ...
