"""The handwritten digits that ship with the package (see ``DIGITS.md`` for their origin)."""

import gzip
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.arguments import guarded
from pumice.data.dataset import TensorDataset
from pumice.data.order import permutation
from pumice.errors import InvalidArgument, describe
from pumice.tensor.convert import tensor

TEST_SAMPLES = 360


@lru_cache(maxsize=1)
def _table() -> NDArray[np.uint8]:
    raw = files("pumice.data").joinpath("digits.csv.gz").read_bytes()
    lines = gzip.decompress(raw).decode("ascii").split()
    return np.array([line.split(",") for line in lines], dtype=np.float64).astype(np.uint8)


@guarded
def load_digits(split: str = "train", seed: int = 0, device: Any = None) -> TensorDataset:
    """Return images (N, 1, 8, 8) float32 from 0 to 1 and their digits, int64.

    Parameters
    ----------
    split : str
        ``"train"`` (1437 images) or ``"test"`` (the other 360).
    seed : int
        Which images belong to which split; the same seed gives the same division.
    device : str or Device, optional
        Where the tensors live.

    Returns
    -------
    TensorDataset

    Raises
    ------
    InvalidArgument
        For another split.

    Examples
    --------
    >>> import pumice
    >>> len(pumice.data.load_digits("test"))
    360
    """
    if split not in ("train", "test"):
        raise InvalidArgument(
            describe("load_digits", f"split is {split!r}", "allowed are 'train' and 'test'")
        )
    table = _table()
    order = permutation(len(table), seed, 0)
    chosen = table[order[:TEST_SAMPLES] if split == "test" else order[TEST_SAMPLES:]]
    images = (chosen[:, :64].astype(np.float32) / 16).reshape(-1, 1, 8, 8)
    labels = chosen[:, 64].astype(np.int64)
    return TensorDataset(
        tensor(images, dtype=dtypes.float32, device=device), tensor(labels, device=device)
    )
