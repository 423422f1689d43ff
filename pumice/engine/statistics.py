"""Counts of what evaluation did, for `pumice demo`, profiles and tests."""

import threading
from dataclasses import dataclass, field


@dataclass(slots=True)
class Statistics:
    """Running totals of this process.

    Attributes
    ----------
    kernels_compiled : int
        Kernels that went through a backend (not found in a cache).
    compile_seconds : float
        Time backends took, and runtimes with what those gave (a driver compiles too).
    plans_built, runs, launches : int
        Graphs compiled, plans run, kernels launched.
    last_launches : int
        Kernels of the latest run.
    """

    kernels_compiled: int = 0
    compile_seconds: float = 0.0
    plans_built: int = 0
    runs: int = 0
    launches: int = 0
    last_launches: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def record_compilation(self, kernels: int, seconds: float) -> None:
        with self._lock:
            self.kernels_compiled += kernels
            self.compile_seconds += seconds

    def record_plan(self) -> None:
        with self._lock:
            self.plans_built += 1

    def record_run(self, launches: int) -> None:
        self.runs += 1
        self.launches += launches
        self.last_launches = launches


statistics = Statistics()
