"""What a `DataLoader` draws from."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.tensor.convert import tensor
from pumice.tensor.joining import stack
from pumice.tensor.tensor import Tensor


class Dataset:
    """A sequence of samples; subclasses define ``__len__`` and ``__getitem__``.

    A subclass that can fetch many samples at once defines `batch` too.
    """

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} needs a __len__")

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} needs a __getitem__")

    def batch(self, indices: NDArray[np.int64]) -> Any:
        """Return samples together, a new first axis added to each of their parts."""
        return collate([self[int(index)] for index in indices])


class TensorDataset(Dataset):
    """Tensors whose first axes count the samples.

    Parameters
    ----------
    tensors : Tensor
        All of the same length.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if not tensors:
            raise InvalidArgument(describe("TensorDataset", "got no tensors", "give one or more"))
        lengths = {len(each) for each in tensors}
        if len(lengths) != 1:
            listed = " and ".join(str(list(each.shape)) for each in tensors)
            raise ShapeError(describe("TensorDataset", f"Size mismatch between tensors: {listed}"))
        self.tensors = tensors

    def __len__(self) -> int:
        return len(self.tensors[0])

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(each[index] for each in self.tensors)

    def batch(self, indices: NDArray[np.int64]) -> tuple[Tensor, ...]:
        """Return samples together."""
        chosen = tensor(indices, device=self.tensors[0].device)
        return tuple(each[chosen] for each in self.tensors)


def collate(samples: list[Any]) -> Any:
    """Join samples: tensors, arrays and numbers along a new axis; tuples and dicts part by part.

    Text stays a list.
    """
    first = samples[0]
    if isinstance(first, Tensor):
        return stack(samples)
    if isinstance(first, np.ndarray | np.generic):
        return tensor(np.stack(samples))
    if isinstance(first, str | bytes):
        return samples
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, tuple | list):
        return tuple(collate(list(parts)) for parts in zip(*samples, strict=True))
    return tensor(samples)


class IterableDataset(Dataset):
    """Samples that come one after another; subclasses define ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} needs an __iter__")


def batch_of(dataset: Any, indices: NDArray[np.int64]) -> Any:
    """Return samples of anything with ``__getitem__`` together."""
    if isinstance(dataset, Dataset):
        return dataset.batch(indices)
    return collate([dataset[int(index)] for index in indices])
