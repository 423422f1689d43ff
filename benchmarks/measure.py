"""The shortest time of a call."""

import time
from collections.abc import Callable
from typing import Any

WARM_UPS = 3
SAMPLE_SECONDS = 100e-6
"""Shorter calls are timed several at once, so that the clock costs nothing."""
LEAST_SAMPLES = 3
LONGEST_SECONDS = 20.0


def timed(call: Callable[[], Any], repeats: int = 1) -> float:
    """Return the seconds that one of ``repeats`` calls took."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def shortest(call: Callable[[], Any], seconds: float) -> float:
    """Return the shortest time of a call within ``seconds``, after warming up.

    At least a few samples are taken, unless even those take very long.
    """
    estimate = min(timed(call) for _ in range(WARM_UPS))
    repeats = max(1, round(SAMPLE_SECONDS / max(estimate, 1e-9)))
    best = float("inf")
    samples = 0
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds or samples < LEAST_SAMPLES:
        best = min(best, timed(call, repeats))
        samples += 1
        if spent > LONGEST_SECONDS:
            break
    return best
