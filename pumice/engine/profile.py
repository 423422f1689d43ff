"""Where the time of evaluation goes: each launch timed on its own.

While a `Profile` is active every plan runs launch by launch, one after the other, instead of as one
call: by the clock of the device where it has one, else by that of the host with a wait after each.
What the launches take together is therefore close to, not equal to, what a plan takes.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Any

from pumice.engine.plan import LaunchSummary, Plan, Words

MOST_ROWS = 30
"""Kernels a printed profile lists."""


@dataclass(slots=True)
class KernelTime:
    """What the launches that compute one thing took.

    Attributes
    ----------
    kernel : LaunchSummary
        Operation, shape of its result and the line that asked for it.
    calls : int
        Launches.
    seconds : float
        In all.
    """

    kernel: LaunchSummary
    calls: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Profile:
    """Times of the kernels run inside a ``with`` block, on this thread.

    Attributes
    ----------
    seconds : float
        From the beginning of the block to its end.
    runs : int
        Plans that were run.
    """

    seconds: float = 0.0
    runs: int = 0
    _times: dict[LaunchSummary, KernelTime] = field(default_factory=dict)
    _programs: dict[int, tuple[Plan, list[Any]]] = field(default_factory=dict)
    _begun: float = 0.0
    _token: Any = None

    def __enter__(self) -> "Profile":
        self._token = active.set(self)
        self._begun = perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds += perf_counter() - self._begun
        active.reset(self._token)
        self._programs.clear()

    @property
    def kernels(self) -> list[KernelTime]:
        """What took time, longest first."""
        return sorted(self._times.values(), key=lambda each: -each.seconds)

    @property
    def kernel_seconds(self) -> float:
        """What all launches took."""
        return sum(each.seconds for each in self._times.values())

    def run(self, plan: Plan, words: Words, keep: Sequence[Any]) -> None:
        """Run a plan launch by launch."""
        runtime = plan.runtime
        seconds = runtime.timed(plan.program, words, keep)
        if seconds is not None:
            self.runs += 1
            for place, each in seconds.items():
                self._add(plan.launches[place], each)
            return
        _, programs = self._programs.setdefault(
            id(plan), (plan, [runtime.prepare([launch]) for launch in plan.commands])
        )
        runtime.synchronize()
        self.runs += 1
        for summary, program in zip(plan.launches, programs, strict=True):
            begun = perf_counter()
            runtime.run(program, words, keep)
            runtime.synchronize()
            self._add(summary, perf_counter() - begun)

    def _add(self, summary: LaunchSummary, seconds: float) -> None:
        entry = self._times.setdefault(summary, KernelTime(summary))
        entry.calls += 1
        entry.seconds += seconds

    def by_operation(self) -> list[tuple[str, float]]:
        """Return the seconds of each operation, longest first."""
        totals: dict[str, float] = {}
        for each in self._times.values():
            totals[each.kernel.name] = totals.get(each.kernel.name, 0.0) + each.seconds
        return sorted(totals.items(), key=lambda item: -item[1])

    def __str__(self) -> str:
        kernels, total = self.kernels, self.kernel_seconds
        lines = [
            f"{self.seconds * 1e3:.3f} ms, {total * 1e3:.3f} of them in "
            f"{sum(each.calls for each in kernels)} launches of {self.runs} runs",
            f"{'ms':>10} {'share':>6} {'calls':>6}  operation, result, line",
        ]
        for each in kernels[:MOST_ROWS]:
            kernel = each.kernel
            where = "" if kernel.line is None else f"  {kernel.line[0]}:{kernel.line[1]}"
            lines.append(
                f"{each.seconds * 1e3:10.3f} {each.seconds / max(total, 1e-12):6.1%} "
                f"{each.calls:6d}  {kernel.name} {list(kernel.shape)}{where}"
            )
        rest = kernels[MOST_ROWS:]
        if rest:
            seconds = sum(each.seconds for each in rest)
            lines.append(f"{seconds * 1e3:10.3f} {'':6} {'':6}  in {len(rest)} others")
        return "\n".join(lines)


active: ContextVar[Profile | None] = ContextVar("profile", default=None)
"""The profile of the innermost ``with`` block."""
