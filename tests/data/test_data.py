"""Datasets, their batches, and the digits."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.data import DataLoader, Dataset, TensorDataset, load_digits
from pumice.data.order import permutation
from pumice.errors import InvalidArgument, ShapeError
from pumice.tensor.convert import tensor


class Squares(Dataset):
    """Samples that are dicts of a number and a tensor."""

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"number": index, "pair": (tensor([index, index * index]), float(index))}


def numbers(count: int) -> TensorDataset:
    values = np.arange(count, dtype=np.float32)
    return TensorDataset(tensor(values), tensor(values * 10))


def drawn(loader: DataLoader) -> list[list[float]]:
    return [first.tolist() for first, _ in loader]


def test_batches_in_order() -> None:
    loader = DataLoader(numbers(5), batch_size=2)
    assert drawn(loader) == [[0, 1], [2, 3], [4]]
    assert len(loader) == 3
    dropping = DataLoader(numbers(5), batch_size=2, drop_last=True)
    assert drawn(dropping) == [[0, 1], [2, 3]]
    assert len(dropping) == 2


def test_tensors_stay_together() -> None:
    for first, second in DataLoader(numbers(7), batch_size=3, shuffle=True):
        assert (first * 10).tolist() == second.tolist()


def test_order_is_a_function_of_seed_and_epoch() -> None:
    first, second = (DataLoader(numbers(20), 4, shuffle=True, seed=7) for _ in range(2))
    epochs = [drawn(first) for _ in range(3)]
    assert sorted(sum(epochs[0], [])) == list(range(20))
    assert epochs[0] != epochs[1]
    second.set_epoch(2)
    assert drawn(second) == epochs[2]
    assert drawn(DataLoader(numbers(20), 4, shuffle=True, seed=8)) != epochs[0]


def test_order_is_the_same_in_every_version_and_process() -> None:
    assert permutation(8, 0, 0).tolist() == permutation(8, 0, 0).tolist()
    program = "from pumice.data.order import permutation; print(permutation(8, 3, 5).tolist())"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == str(permutation(8, 3, 5).tolist())


def test_samples_of_any_kind_are_joined() -> None:
    batch = next(iter(DataLoader(Squares(), batch_size=3)))
    assert batch["number"].tolist() == [0, 1, 2]
    assert batch["pair"][0].tolist() == [[0, 0], [1, 1], [2, 4]]
    assert batch["pair"][1].dtype is dtypes.float32


def test_digits() -> None:
    train, test = load_digits("train"), load_digits("test")
    assert (len(train), len(test)) == (1437, 360)
    images, labels = train.tensors
    assert images.shape == (1437, 1, 8, 8)
    assert images.dtype is dtypes.float32
    assert labels.dtype is dtypes.int64
    assert (images.min().item(), images.max().item()) == (0.0, 1.0)
    counts = np.bincount(np.concatenate([labels.numpy(), test.tensors[1].numpy()]))
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_digits_split_is_fixed_by_the_seed() -> None:
    first, again, other = (load_digits("test", seed=seed).tensors[1] for seed in (0, 0, 1))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_wrong_arguments() -> None:
    with pytest.raises(InvalidArgument, match="split is 'all'; allowed are 'train' and 'test'"):
        load_digits("all")
    with pytest.raises(InvalidArgument, match="batch_size is 0; it must be 1 or more"):
        DataLoader(numbers(3), batch_size=0)
    with pytest.raises(InvalidArgument, match="TensorDataset: got no tensors"):
        TensorDataset()
    with pytest.raises(ShapeError, match=r"Size mismatch between tensors: \[2\] and \[1\]"):
        TensorDataset(tensor([1, 2]), tensor([1]))
