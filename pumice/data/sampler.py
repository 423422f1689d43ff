"""Orders in which a `DataLoader` draws samples."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from pumice.data.order import drawn, permutation, weighted
from pumice.errors import InvalidArgument, describe
from pumice.tensor.generator import Generator


class Sampler:
    """The order of an epoch's samples; subclasses define ``__iter__`` and ``__len__``.

    One with a `set_epoch` is told the number of each pass.
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} needs an __iter__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} needs a __len__")


class SequentialSampler(Sampler):
    """All samples in order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class _Random(Sampler):
    """An order that is a function of a seed and the pass, or of a draw of a generator."""

    def __init__(self, generator: Generator | None, seed: int) -> None:
        self.generator = generator
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass."""
        self.epoch = epoch

    def draw(self, seed: int, epoch: int) -> Iterable[int]:
        """Return the order of a pass."""
        raise NotImplementedError(f"{type(self).__name__} needs a draw")

    def __iter__(self) -> Iterator[int]:
        order = self.draw(*drawn(self.generator, self.seed, self.epoch))
        self.epoch += 1
        return iter(order)


class RandomSampler(_Random):
    """Samples in a random order, or drawn with replacement.

    Parameters
    ----------
    data_source : sized
        How many there are.
    replacement : bool
        Whether each draw is from all samples.
    num_samples : int, optional
        How many are drawn, all by default.
    generator : Generator, optional
        Each pass takes its next draw, in place of ``seed``.
    seed : int
        Chooses the orders; every pass has another.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
        *,
        seed: int = 0,
    ) -> None:
        super().__init__(generator, seed)
        if num_samples is not None and num_samples < 1:
            raise InvalidArgument(
                describe("RandomSampler", f"num_samples is {num_samples}", "1 or more")
            )
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples

    def __len__(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def draw(self, seed: int, epoch: int) -> list[int]:
        """Return the order of a pass."""
        count = len(self.data_source)
        if self.replacement:
            return list(map(int, weighted(np.ones(count), len(self), True, seed, epoch)))
        order: list[int] = []
        while count and len(order) < len(self):
            # A pass longer than the data goes through it more than once.
            turn = len(order) // count
            order += permutation(count, seed + turn, epoch).tolist()
        return order[: len(self)]


class SubsetRandomSampler(_Random):
    """Given samples in a random order.

    Parameters
    ----------
    indices : sequence of int
        The samples.
    generator : Generator, optional
        Each pass takes its next draw, in place of ``seed``.
    seed : int
        Chooses the orders; every pass has another.
    """

    def __init__(
        self, indices: Sequence[int], generator: Generator | None = None, *, seed: int = 0
    ) -> None:
        super().__init__(generator, seed)
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def draw(self, seed: int, epoch: int) -> list[int]:
        """Return the order of a pass."""
        return [self.indices[place] for place in permutation(len(self), seed, epoch)]


class WeightedRandomSampler(_Random):
    """Samples drawn with given weights.

    Parameters
    ----------
    weights : sequence of float
        One for each sample; they need not add up to 1.
    num_samples : int
        How many are drawn.
    replacement : bool
        Whether a sample may be drawn again.
    generator : Generator, optional
        Each pass takes its next draw, in place of ``seed``.
    seed : int
        Chooses the draws; every pass has others.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
        *,
        seed: int = 0,
    ) -> None:
        super().__init__(generator, seed)
        self.weights = np.asarray(weights, np.float64)
        name = "WeightedRandomSampler"
        if num_samples < 1:
            raise InvalidArgument(describe(name, f"num_samples is {num_samples}", "1 or more"))
        if self.weights.ndim != 1 or not (self.weights >= 0).all() or not self.weights.any():
            raise InvalidArgument(
                describe(name, "weights are not a row of numbers, 0 or more, some above 0")
            )
        if not replacement and num_samples > np.count_nonzero(self.weights):
            raise InvalidArgument(
                describe(
                    name,
                    f"num_samples is {num_samples} without replacement",
                    f"at most the {np.count_nonzero(self.weights)} samples of positive weight",
                )
            )
        self.num_samples = num_samples
        self.replacement = replacement

    def __len__(self) -> int:
        return self.num_samples

    def draw(self, seed: int, epoch: int) -> list[int]:
        """Return the order of a pass."""
        places = weighted(self.weights, len(self), self.replacement, seed, epoch)
        return [int(each) for each in places]


class BatchSampler(Sampler):
    """Groups what another sampler draws.

    Parameters
    ----------
    sampler : Sampler or iterable of int
        The order.
    batch_size : int
        Samples per group.
    drop_last : bool
        Whether a last group that is smaller is left out.
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool = False) -> None:
        if batch_size < 1:
            raise InvalidArgument(
                describe("BatchSampler", f"batch_size is {batch_size}", "it must be 1 or more")
            )
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(int(index))
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)
