"""Runs each row in each framework, a fresh process each time, the frameworks in turn."""

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchmarks.limits import cores
from benchmarks.results import PUMICE, TORCH, Results, RowResult
from benchmarks.row import FirstCall, Row

ROOT = Path(__file__).resolve().parents[1]
ROWS_PER_LIMIT = 8
"""The limits of the machine are measured again after so many rows; the best counts."""
ERROR_LENGTH = 160
SLOW_SECONDS = 60.0
"""A framework whose process takes longer has one turn in a row only."""

Environment = dict[str, str]


@dataclass(frozen=True, slots=True)
class Options:
    """How to run.

    Attributes
    ----------
    frameworks : sequence of str
        In the order of their turns.
    rounds : int
        Turns of each framework in each row.
    seconds : float
        How long a call is repeated in each turn.
    timeout : float
        Seconds after which a process is given up.
    threads : sequence of int
        Numbers of threads to compare in pumice, none to compare nothing.
    small : bool
        Use the sizes that are checked rather than those that are timed.
    """

    frameworks: Sequence[str]
    rounds: int = 3
    seconds: float = 1.0
    timeout: float = 300.0
    threads: Sequence[int] = ()
    small: bool = False


class ChildError(Exception):
    """A process gave no result; the message says why."""


def run_all(
    rows: Sequence[Row], options: Options, results: Results, done: Callable[[RowResult], None]
) -> None:
    """Run all rows, adding to ``results`` and calling ``done`` after each."""
    for position, row in enumerate(rows):
        if position % ROWS_PER_LIMIT == 0:
            update_limits(results)
        result = run_row(row, options)
        results.rows.append(result)
        done(result)
    update_limits(results)


def run_row(row: Row, options: Options) -> RowResult:
    """Run one row: all frameworks in turn, in each round; then the numbers of threads in turn."""
    result = RowResult(row.name, row.title, row.group, arithmetic=row.arithmetic)
    if quoted := row.quoted:
        result.quoted[quoted.framework] = quoted.milliseconds / 1e3
        if quoted.torch is not None:
            result.quoted[TORCH] = quoted.torch / 1e3
    waiting = [each for each in options.frameworks if row.runs_in(each)]
    for _ in range(options.rounds):
        for framework in tuple(waiting):
            start = time.perf_counter()
            try:
                result.add(framework, child(framework, row, options))
            except ChildError as problem:
                result.errors[framework] = str(problem)
                result.seconds.pop(framework, None)
            if framework in result.errors or time.perf_counter() - start > SLOW_SECONDS:
                waiting.remove(framework)
    if PUMICE not in result.errors and not row.once:
        for _ in range(options.rounds):
            for threads in options.threads:
                seconds = child(PUMICE, row, options, threads)["seconds"]
                best = result.threads.get(str(threads), float("inf"))
                result.threads[str(threads)] = min(best, seconds)
    return result


def child(
    framework: str, row: Row, options: Options, threads: int | None = None
) -> dict[str, float]:
    """Time a row in a process of its own.

    Raises
    ------
    ChildError
        If there is no result.
    """
    compile_sources()
    command = [sys.executable, "-m", "benchmarks.worker", framework, row.name]
    command += ["--seconds", str(options.seconds), *(["--small"] if options.small else [])]
    number = threads or cores()
    command += ["--threads", str(number)]
    environment = {**os.environ, "PUMICE_THREADS": str(number), "OMP_NUM_THREADS": str(number)}
    if not isinstance(row.task, FirstCall):
        return last_line(command, environment, options.timeout)
    with caches(environment) as separate:
        if row.task.warm:
            last_line(command, separate, options.timeout)
        return last_line(command, separate, options.timeout)


@lru_cache(maxsize=1)
def compile_sources() -> None:
    """Write the bytecode of pumice, as installing it does; the other frameworks are installed."""
    compileall.compile_dir(ROOT / "pumice", quiet=1)


@contextmanager
def caches(environment: Environment) -> Iterator[Environment]:
    """Yield an environment in which each framework keeps compiled code in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="benchmark-cache-") as folder:
        yield {
            **environment,
            "PUMICE_CACHE_DIR": folder,
            "TORCHINDUCTOR_CACHE_DIR": folder,
            "JAX_COMPILATION_CACHE_DIR": folder,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        }


def last_line(command: list[str], environment: Environment, timeout: float) -> dict[str, float]:
    """Run a command and return the JSON of its last line."""
    try:
        process = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        raise ChildError(f"took longer than {timeout:g} s") from None
    lines = process.stdout.splitlines()
    if process.returncode or not lines:
        said = process.stderr.strip().splitlines() or ["no output"]
        raise ChildError(f"exit status {process.returncode}: {said[-1]}"[:ERROR_LENGTH])
    timing: dict[str, float] = json.loads(lines[-1])
    return timing


def update_limits(results: Results) -> None:
    """Measure what the machine can do, in a process of its own, and keep the best."""
    command = [sys.executable, "-m", "benchmarks.limits"]
    for name, value in last_line(command, {**os.environ}, 120.0).items():
        results.limits[name] = max(results.limits.get(name, 0.0), value)
