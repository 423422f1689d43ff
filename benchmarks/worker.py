"""Times one row in one framework, in this process, and prints the result as one line of JSON.

python -m benchmarks.worker FRAMEWORK ROW [--seconds 1.0] [--threads N] [--small]
"""

import argparse
import importlib
import json
import subprocess
import sys
from typing import Any

from benchmarks.frameworks import PACKAGES, prepare
from benchmarks.measure import shortest, timed
from benchmarks.row import FirstCall, Import, Row, data_of
from benchmarks.rows import ROWS

Timing = dict[str, float]


def time_row(framework: str, row: Row, seconds: float, small: bool = False) -> Timing:
    """Return the seconds of the row, of its first call, and what it costs."""
    if isinstance(row.task, Import):
        return {"seconds": import_seconds(PACKAGES[framework])}
    subject = ROWS[row.task.of] if isinstance(row.task, FirstCall) else row
    data = data_of(subject, small)
    prepared = prepare(framework, subject, data)
    with prepared.mode():
        first = timed(prepared.call)
        if row.once:
            return {"seconds": first}
        best = shortest(prepared.call, seconds)
    moved, flop = data.cost(row)
    return {"seconds": best, "first": first, "bytes": moved, "flop": flop}


def import_seconds(package: str) -> float:
    """Return the time that an import takes in a process that has imported nothing else."""
    program = f"import time; t = time.perf_counter(); import {package}; "
    program += "print(time.perf_counter() - t)"
    command = [sys.executable, "-c", program]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def set_threads(framework: str, threads: int) -> None:
    """Tell PyTorch how many threads to use; pumice and JAX read the environment."""
    if PACKAGES[framework] == "torch":
        torch: Any = importlib.import_module("torch")
        torch.set_num_threads(threads)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Time one row in one framework.")
    parser.add_argument("framework", choices=sorted(PACKAGES))
    parser.add_argument("row", choices=sorted(ROWS), metavar="row")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args(arguments)
    if options.threads:
        set_threads(options.framework, options.threads)
    timing = time_row(options.framework, ROWS[options.row], options.seconds, options.small)
    sys.stdout.write(json.dumps(timing) + "\n")


if __name__ == "__main__":
    main()
