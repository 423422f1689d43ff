"""Orders that depend on nothing but a seed and an epoch, or on a draw of a generator.

The raw words of a counter-based generator are used rather than a library's shuffle or choice,
whose results may change from one release to the next.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.tensor.generator import Generator

MANTISSA = 53
"""Bits of a float64 in which every multiple of the last is exact."""


def _words(count: int, seed: int, epoch: int) -> NDArray[np.uint64]:
    generator: Any = np.random.Philox(key=seed % 2**64, counter=(epoch % 2**64) << 128)
    words: NDArray[np.uint64] = generator.random_raw(count)
    return words


def drawn(generator: Generator | None, seed: int, epoch: int) -> tuple[int, int]:
    """Return what an order depends on: the next draw of a generator, or a seed and an epoch."""
    return (seed, epoch) if generator is None else generator.draw()


def permutation(count: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """Return the numbers below ``count`` in a random order, the same in every process."""
    return np.argsort(_words(count, seed, epoch), kind="stable").astype(np.int64)


def weighted(
    weights: NDArray[np.float64], count: int, replacement: bool, seed: int, epoch: int
) -> NDArray[np.int64]:
    """Return positions drawn with probabilities proportional to ``weights``.

    With replacement the running sum of weights is searched. Without, the positions with the
    largest keys ``log(u) / weight`` are taken (Efraimidis and Spirakis, 2006), which draws one
    after another from what is left.
    """
    drawn = count if replacement else len(weights)
    uniform = ((_words(drawn, seed, epoch) >> np.uint64(64 - MANTISSA)) + 0.5) / 2.0**MANTISSA
    if replacement:
        total = np.cumsum(weights)
        places = np.searchsorted(total, uniform * total[-1], side="right")
        last = int(np.flatnonzero(weights)[-1])
        found: NDArray[np.int64] = np.minimum(places, last).astype(np.int64)
        return found
    with np.errstate(divide="ignore"):
        keys = np.where(weights > 0, np.log(uniform) / weights, -np.inf)
    return np.argsort(-keys, kind="stable")[:count].astype(np.int64)
