"""Threads that run kernels: daemon Python threads inside a native loop, without the GIL."""

import ctypes
import os
import threading
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.locks import ForkSafeLock
from pumice.runtime.cpu.entry import Entrance
from pumice.runtime.cpu.loader import Loader
from pumice.runtime.cpu.pool_code import STATE_WORDS, WORKERS

_WORKER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_RUN = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64
)
_JOIN_SECONDS = 1.0

_pools: "weakref.WeakSet[WorkerPool]" = weakref.WeakSet()  # told about forks


class WorkerPool:
    """Runs programs on the caller and on ``threads - 1`` workers, started when first needed.

    One launch at a time uses the workers; a thread that finds them busy runs alone.
    """

    def __init__(self, loader: Loader, threads: int, portable: bool = False) -> None:
        self.threads = threads
        self._library = loader.load_pool(portable)
        self._run = _RUN(self._library["run"])
        self.entrance = Entrance(self._library["enter"])
        self._starting = ForkSafeLock()
        memory = np.zeros(STATE_WORDS + 8, np.int64)
        self.state = int(memory.ctypes.data) + (-int(memory.ctypes.data)) % 64
        first = (self.state - int(memory.ctypes.data)) // 8
        self._memory = memory[first : first + STATE_WORDS]
        self._reset()
        _pools.add(self)

    def _reset(self) -> None:
        self._memory[:] = 0
        self._workers: list[threading.Thread] = []
        self._finalizer = weakref.finalize(
            self, _stop, self._library, self._memory, self.state, self._workers
        )

    def after_fork(self) -> None:
        """Forget threads that exist only in the parent process."""
        self._finalizer.detach()
        self._reset()

    def run(self, rows: int, count: int, words: Any, parallel: bool) -> None:
        """Run the rows of a program, each seeing the writes of those before.

        ``rows`` is the address of the table, ``words`` a pointer to the argument words.
        """
        if parallel:
            self.start()
        self._run(self.state, rows, count, words, int(parallel))

    def start(self) -> None:
        """Start the workers, if there are none yet."""
        if self._workers or self.threads < 2:
            return
        with self._starting:
            if self._workers or not self._finalizer.alive:  # the interpreter is exiting
                return
            owners = (self._library, self._memory)
            for number in range(1, self.threads):
                worker = threading.Thread(
                    target=_work, args=(self.state, owners), name=f"pumice-{number}", daemon=True
                )
                worker.start()
                self._workers.append(worker)
            self._memory[WORKERS] = len(self._workers)


def _work(state: int, owners: tuple[Any, Any]) -> None:
    """Work until told to stop; the code and the state live as long as the thread does."""
    _WORKER(owners[0]["worker"])(state)


def _stop(
    library: object, memory: NDArray[np.int64], state: int, workers: list[threading.Thread]
) -> None:
    """End the workers; the arguments keep their code and state alive until then."""
    if workers:
        _WORKER(library["stop"])(state)  # type: ignore[index]
    for worker in workers:
        worker.join(_JOIN_SECONDS)
    workers.clear()


def _after_fork() -> None:
    for pool in list(_pools):
        pool.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
