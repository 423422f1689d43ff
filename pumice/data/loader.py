"""Batches of a dataset."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import Any

import numpy as np

from pumice.data.dataset import IterableDataset, batch_of, collate
from pumice.data.order import drawn, permutation
from pumice.data.sampler import BatchSampler
from pumice.errors import InvalidArgument, describe
from pumice.tensor.generator import Generator

AHEAD = 2
"""Batches that each worker may have ready."""


class DataLoader:
    """Iterates over a dataset in batches.

    Parameters
    ----------
    dataset : Dataset, or anything with ``__len__`` and ``__getitem__``
        What to draw from; an `IterableDataset` is read in its own order.
    batch_size : int or None
        Samples per batch; None gives samples as they are.
    shuffle : bool
        Whether the order is random; it is a function of ``seed`` and the epoch alone.
    seed : int
        Chooses the orders.
    generator : Generator, optional
        Each pass takes its next draw for the order, in place of ``seed`` and the epoch.
    drop_last : bool
        Whether a last batch that is smaller is left out.
    sampler : Sampler or iterable of int, optional
        The order, instead of ``shuffle``.
    batch_sampler : iterable of list of int, optional
        The batches, instead of all of the above.
    collate_fn : callable, optional
        Joins a list of samples into a batch.
    num_workers : int
        Threads that prepare batches ahead; with 0 each is made when it is asked for. An
        `IterableDataset` is read by the loop itself.
    pin_memory : bool
        Taken for PyTorch's sake, without effect: what a device copies, its runtime stages.

    Notes
    -----
    Every pass is an epoch: 0, 1, 2 ... from where `set_epoch` put it. Batches come in the same
    order for any number of workers.

    Raises
    ------
    InvalidArgument
        For a batch size below 1, or arguments that exclude each other.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
        *,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[list[int]] | None = None,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        generator: Generator | None = None,
    ) -> None:
        iterable = isinstance(dataset, IterableDataset)
        _check(batch_size, shuffle, sampler, batch_sampler, iterable)
        if num_workers < 0:
            raise InvalidArgument(
                describe("DataLoader", f"num_workers is {num_workers}", "it must be 0 or more")
            )
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.generator = generator
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass."""
        self.epoch = epoch
        given: tuple[Any, ...] = (self.sampler, self.batch_sampler)
        for each in given:
            if hasattr(each, "set_epoch"):
                each.set_epoch(epoch)

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        source: Any = self.dataset if self.sampler is None else self.sampler
        if self.batch_size is None:
            return len(source)
        full, rest = divmod(len(source), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return self._streamed()
        batches = self._batches()
        self.epoch += 1
        return self._ahead(batches) if self.num_workers else map(self._fetch, batches)

    def _order(self) -> Any:
        if self.sampler is not None:
            return self.sampler
        count = len(self.dataset)
        if not self.shuffle:
            return np.arange(count)
        return permutation(count, *drawn(self.generator, self.seed, self.epoch))

    def _batches(self) -> Iterator[Any]:
        """Return the positions of each batch, or of each sample when there are no batches."""
        if self.batch_sampler is not None:
            return iter(self.batch_sampler)
        if self.batch_size is None:
            return (int(index) for index in self._order())
        return iter(BatchSampler(self._order(), self.batch_size, self.drop_last))

    def _fetch(self, indices: Any) -> Any:
        if isinstance(indices, int):
            sample = self.dataset[indices]
            return sample if self.collate_fn is None else self.collate_fn(sample)
        if self.collate_fn is not None:
            return self.collate_fn([self.dataset[int(index)] for index in indices])
        return batch_of(self.dataset, np.asarray(indices, np.int64))

    def _ahead(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Fetch batches in threads, a few ahead of the one that is given out."""
        with ThreadPoolExecutor(self.num_workers, "pumice-data") as pool:
            waiting: deque[Future[Any]] = deque()
            try:
                for indices in batches:
                    # Default devices and gradient modes are those of the loop.
                    context = copy_context()
                    waiting.append(pool.submit(context.run, self._fetch, indices))
                    if len(waiting) > AHEAD * self.num_workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for each in waiting:
                    each.cancel()

    def _streamed(self) -> Iterator[Any]:
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from samples if self.collate_fn is None else map(self.collate_fn, samples)
            return
        join = collate if self.collate_fn is None else self.collate_fn
        while batch := list(islice(samples, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield join(batch)


def _check(
    batch_size: int | None, shuffle: bool, sampler: Any, batch_sampler: Any, iterable: bool
) -> None:
    if batch_size is not None and batch_size < 1:
        raise InvalidArgument(
            describe("DataLoader", f"batch_size is {batch_size}", "it must be 1 or more")
        )
    if shuffle and sampler is not None:
        raise InvalidArgument(
            describe("DataLoader", "got sampler and shuffle", "a sampler decides the order")
        )
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None):
        raise InvalidArgument(
            describe(
                "DataLoader",
                "got batch_sampler with batch_size, shuffle or sampler",
                "a batch_sampler decides them all",
            )
        )
    if iterable and (shuffle or sampler is not None or batch_sampler is not None):
        raise InvalidArgument(
            describe(
                "DataLoader",
                "got an order for an IterableDataset",
                "its samples come in their own order",
            )
        )
