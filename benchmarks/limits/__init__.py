"""What the machine can do at most: copy bandwidth and multiply-adds in registers.

    python -m benchmarks.limits

prints both as one line of JSON.
"""

import os

from benchmarks.limits.bandwidth import copy_bandwidth
from benchmarks.limits.peak import fma_peak


def measure_limits(threads: int, seconds: float = 0.3, megabytes: int = 256) -> dict[str, float]:
    """Return bytes per second of a copy and operations per second in float32 and float64."""
    return {
        "copy": copy_bandwidth(megabytes << 20, threads, seconds),
        "float32": fma_peak("float", threads, seconds),
        "float64": fma_peak("double", threads, seconds),
    }


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
