"""Batches of a dataset."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pumice.data.dataset import Dataset
from pumice.data.order import permutation
from pumice.errors import InvalidArgument, describe


class DataLoader:
    """Iterates over a dataset in batches.

    Parameters
    ----------
    dataset : Dataset
        What to draw from.
    batch_size : int
        Samples per batch.
    shuffle : bool
        Whether the order is random; it is a function of ``seed`` and the epoch alone.
    seed : int
        Chooses the orders.
    drop_last : bool
        Whether a last batch that is smaller is left out.

    Notes
    -----
    Every pass is an epoch: 0, 1, 2 ... from where `set_epoch` put it.

    Raises
    ------
    InvalidArgument
        For a batch size below 1.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if batch_size < 1:
            raise InvalidArgument(
                describe("DataLoader", f"batch_size is {batch_size}", "it must be 1 or more")
            )
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass."""
        self.epoch = epoch

    def __len__(self) -> int:
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)

    def __iter__(self) -> Iterator[Any]:
        count = len(self.dataset)
        order = permutation(count, self.seed, self.epoch) if self.shuffle else np.arange(count)
        self.epoch += 1
        batches = len(self)
        return (
            self.dataset.batch(order[number * self.batch_size : (number + 1) * self.batch_size])
            for number in range(batches)
        )
