"""Datasets made of other datasets."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence, Sized
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.arguments import guarded
from pumice.data.dataset import Dataset, batch_of
from pumice.data.order import drawn, permutation
from pumice.errors import IndexOutOfRange, InvalidArgument, describe
from pumice.tensor.generator import Generator

TOLERANCE = 1e-6
"""How far fractions may be from adding up to 1."""


class Subset(Dataset):
    """Some samples of a dataset.

    Parameters
    ----------
    dataset : Dataset
        Where they are.
    indices : sequence of int
        Which they are.
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[int(self.indices[index])]

    def batch(self, indices: NDArray[np.int64]) -> Any:
        """Return samples together."""
        return batch_of(self.dataset, np.asarray(self.indices, np.int64)[indices])


class ConcatDataset(Dataset):
    """Datasets one after another.

    Parameters
    ----------
    datasets : iterable of Dataset
        At least one.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise InvalidArgument(describe("ConcatDataset", "got no datasets", "give one or more"))
        self.cumulative_sizes = list(accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexOutOfRange(
                describe("ConcatDataset", f"index {index} is out of range", f"{len(self)} samples")
            )
        part = bisect_right(self.cumulative_sizes, place)
        return self.datasets[part][place - ([0, *self.cumulative_sizes][part])]


@guarded
def random_split(
    dataset: Sized,
    lengths: Sequence[int] | Sequence[float],
    generator: Generator | None = None,
    *,
    seed: int = 0,
) -> list[Subset]:
    """Divide a dataset at random.

    Parameters
    ----------
    dataset : Dataset
        What is divided.
    lengths : sequence of int or of float
        How many samples each part has; or which share, all of them together 1. Samples left over
        by rounding shares down go to the first parts, one each.
    generator : Generator, optional
        Its next draw chooses the division.
    seed : int
        Chooses the division otherwise.

    Returns
    -------
    list of Subset

    Raises
    ------
    InvalidArgument
        When the lengths do not add up.

    Examples
    --------
    >>> from pumice.data import random_split
    >>> [len(part) for part in random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    counts = _counts(len(dataset), lengths)
    order = permutation(len(dataset), *drawn(generator, seed, 0)).tolist()
    ends = list(accumulate(counts))
    return [
        Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)
    ]


def _counts(total: int, lengths: Sequence[int] | Sequence[float]) -> list[int]:
    shares = all(0 <= each <= 1 for each in lengths) and abs(sum(lengths) - 1) < TOLERANCE
    if shares and not (total == 1 and all(isinstance(each, int) for each in lengths)):
        counts = [int(total * share) for share in lengths]
        for left in range(total - sum(counts)):
            counts[left % len(counts)] += 1
        return counts
    if sum(lengths) != total or not all(isinstance(each, int) for each in lengths):
        raise InvalidArgument(
            describe(
                "random_split",
                f"lengths {list(lengths)} add up to {sum(lengths)}",
                f"to the {total} samples of the dataset, or shares that add up to 1",
            )
        )
    return [int(each) for each in lengths]
