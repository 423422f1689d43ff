"""Orders that depend on nothing but a seed and an epoch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def permutation(count: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """Return the numbers below ``count`` in a random order, the same in every process.

    Sorting the raw words of a counter-based generator is used rather than a library's shuffle,
    whose result may change from one release to the next.
    """
    generator: Any = np.random.Philox(key=seed % 2**64, counter=(epoch % 2**64) << 128)
    return np.argsort(generator.random_raw(count), kind="stable").astype(np.int64)
