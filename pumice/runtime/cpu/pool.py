"""Threads that run kernels: daemon Python threads inside a native loop, without the GIL."""

import ctypes
import os
import threading
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.runtime.cpu.loader import Loader
from pumice.runtime.cpu.pool_code import STATE_WORDS

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
        self._reset()
        _pools.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._workers: list[threading.Thread] = []
        self._memory = np.zeros(STATE_WORDS + 8, np.int64)
        address = int(self._memory.ctypes.data)
        self._state = address + (-address) % 64
        self._finalizer = weakref.finalize(
            self, _stop, self._library, self._memory, self._state, self._workers
        )

    def after_fork(self) -> None:
        """Forget threads that exist only in the parent process."""
        self._finalizer.detach()
        self._reset()

    def run(self, rows: int, count: int, words: Any, parallel: bool) -> None:
        """Run the rows of a program, each seeing the writes of those before.

        ``rows`` is the address of the table, ``words`` a pointer to the argument words.
        """
        if parallel and self.threads > 1 and self._lock.acquire(blocking=False):
            try:
                if not self._workers:
                    self._start()
                self._run(self._state, rows, count, words, len(self._workers))
            finally:
                self._lock.release()
        else:
            self._run(self._state, rows, count, words, 0)

    def _start(self) -> None:
        if not self._finalizer.alive:  # the interpreter is exiting
            return
        function, state = _WORKER(self._library["worker"]), self._state
        for number in range(1, self.threads):
            worker = threading.Thread(
                target=function, args=(state,), name=f"pumice-{number}", daemon=True
            )
            worker.start()
            self._workers.append(worker)


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
