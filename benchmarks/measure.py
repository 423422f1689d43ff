"""The shortest time of a call."""

import time
from collections.abc import Callable
from typing import Any

WARM_UPS = 3
SAMPLE_SECONDS = 100e-6
"""Shorter calls are timed several at once, so that the clock costs nothing."""
LEAST_SAMPLES = 3


def timed(call: Callable[[], Any], repeats: int = 1) -> float:
    """Return the seconds that one of ``repeats`` calls took."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def shortest(call: Callable[[], Any], seconds: float) -> float:
    """Return the shortest time of a call within ``seconds``, after warming up.

    At least a few samples are taken, of a call that takes longer than ``seconds`` one.
    """
    estimate = min(timed(call) for _ in range(WARM_UPS))
    repeats = max(1, round(SAMPLE_SECONDS / max(estimate, 1e-9)))
    least = LEAST_SAMPLES if estimate < seconds else 1
    best = float("inf")
    samples = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or samples < least:
        best = min(best, timed(call, repeats))
        samples += 1
    return best
