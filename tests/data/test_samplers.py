"""Samplers, parts of datasets, and what else a loader can be given."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import data
from pumice.data import DataLoader
from pumice.errors import IndexOutOfRange, InvalidArgument
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor


def numbers(count: int) -> data.TensorDataset:
    return data.TensorDataset(tensor(np.arange(count, dtype=np.float32)))


def drawn(loader: Any) -> list[list[float]]:
    return [batch.tolist() for (batch,) in loader]


def test_random_sampler() -> None:
    sampler = data.RandomSampler(range(10), seed=3)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    sampler.set_epoch(0)
    assert list(sampler) == first
    assert len(list(data.RandomSampler(range(4), num_samples=10))) == 10
    assert sorted(list(data.RandomSampler(range(4), num_samples=10))[:4]) == [0, 1, 2, 3]
    repeated = list(data.RandomSampler(range(4), replacement=True, num_samples=100))
    assert set(repeated) == {0, 1, 2, 3}
    assert list(data.RandomSampler(range(0))) == []


def test_weighted_sampler_draws_as_often_as_its_weights_say() -> None:
    weights = [0.0, 1.0, 2.0, 0.0, 5.0]
    counts = np.bincount(list(data.WeightedRandomSampler(weights, 80_000)), minlength=5)
    assert counts[0] == counts[3] == 0
    np.testing.assert_allclose(counts / 10_000, weights, atol=0.1)


def test_weighted_sampler_without_replacement() -> None:
    sampler = data.WeightedRandomSampler([0.0, 1.0, 2.0, 0.0, 5.0], 3, replacement=False)
    firsts = np.zeros(5)
    for _ in range(4000):
        order = list(sampler)
        assert sorted(order) == [1, 2, 4]
        firsts[order[0]] += 1
    np.testing.assert_allclose(firsts / 500, [0, 1, 2, 0, 5], atol=0.3)


def test_subset_sampler_and_batches() -> None:
    sampler = data.SubsetRandomSampler([3, 5, 7])
    assert sorted(sampler) == [3, 5, 7]
    batches = data.BatchSampler(data.SequentialSampler(range(5)), 2)
    assert list(batches) == [[0, 1], [2, 3], [4]]
    assert len(batches) == 3
    assert list(data.BatchSampler(range(5), 2, drop_last=True)) == [[0, 1], [2, 3]]


def test_loader_with_samplers() -> None:
    assert drawn(DataLoader(numbers(6), 2, sampler=[5, 1, 3])) == [[5, 1], [3]]
    assert len(DataLoader(numbers(6), 2, sampler=[5, 1, 3])) == 2
    chosen = DataLoader(numbers(6), batch_sampler=[[0, 5], [2]])
    assert drawn(chosen) == [[0, 5], [2]]
    assert len(chosen) == 2
    assert [each.tolist() for (each,) in DataLoader(numbers(3), None)] == [0, 1, 2]
    random = data.RandomSampler(range(6))
    loader = DataLoader(numbers(6), 6, sampler=random)
    loader.set_epoch(4)
    assert drawn(loader) == [[float(each) for each in random.draw(random.seed, 4)]]


def test_loader_with_a_list_and_own_collation() -> None:
    assert [batch.tolist() for batch in DataLoader([3, 4, 5], 2)] == [[3, 4], [5]]
    words = ["a", "bc", "def"]
    assert list(DataLoader(words, 2)) == [["a", "bc"], ["def"]]
    lengths = DataLoader(words, 3, collate_fn=lambda each: [len(word) for word in each])
    assert list(lengths) == [[1, 2, 3]]
    arrays = [np.full(2, each, np.int64) for each in range(3)]
    assert [batch.tolist() for batch in DataLoader(arrays, 3)] == [[[0, 0], [1, 1], [2, 2]]]


class Counted(data.IterableDataset):
    def __iter__(self) -> Iterator[Tensor]:
        for each in range(5):
            yield tensor(float(each))


def test_iterable() -> None:
    assert [batch.tolist() for batch in DataLoader(Counted(), 2)] == [[0, 1], [2, 3], [4]]
    dropping = DataLoader(Counted(), 2, drop_last=True)
    assert [batch.tolist() for batch in dropping] == [[0, 1], [2, 3]]
    assert [each.item() for each in DataLoader(Counted(), None)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_keep_the_order(workers: int) -> None:
    seen = set()

    class Named(data.Dataset):
        def __len__(self) -> int:
            return 20

        def __getitem__(self, index: int) -> float:
            seen.add(threading.current_thread().name)
            return float(index)

    loader = DataLoader(Named(), 3, shuffle=True, num_workers=workers)
    plain = DataLoader(Named(), 3, shuffle=True)
    assert [batch.tolist() for batch in loader] == [batch.tolist() for batch in plain]
    assert any(name.startswith("pumice-data") for name in seen)


def test_an_error_of_a_worker_reaches_the_loop() -> None:
    class Broken(data.Dataset):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> float:
            raise KeyError(f"sample {index}")

    with pytest.raises(KeyError, match="sample 0"):
        list(DataLoader(Broken(), 2, num_workers=2))


def test_a_loop_that_stops_early_ends_its_workers() -> None:
    for _ in DataLoader(numbers(1000), 2, num_workers=2):
        break
    names = [each.name for each in threading.enumerate()]
    assert not any(name.startswith("pumice-data") for name in names)


def test_subset_and_split() -> None:
    part = data.Subset(numbers(10), [7, 2, 5])
    assert len(part) == 3
    assert part[1][0].item() == 2.0
    assert drawn(DataLoader(part, 2)) == [[7, 2], [5]]
    parts = data.random_split(numbers(11), [0.5, 0.5])
    assert [len(each) for each in parts] == [6, 5]
    together = [sample[0].item() for each in parts for sample in each]
    assert sorted(together) == list(range(11))
    assert together != sorted(together)
    assert [len(each) for each in data.random_split(range(5), [2, 3])] == [2, 3]
    assert [len(each) for each in data.random_split(range(1), [1, 0])] == [1, 0]


def test_concatenation() -> None:
    joined = data.ConcatDataset([numbers(3), numbers(2)])
    assert len(joined) == 5
    assert [joined[place][0].item() for place in (0, 2, 3, 4, -1)] == [0, 2, 0, 1, 1]
    assert drawn(DataLoader(joined, 4)) == [[0, 1, 2, 0], [1]]
    with pytest.raises(IndexOutOfRange, match="ConcatDataset: index 5 is out of range; 5 samples"):
        joined[5]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: DataLoader([1], 0), "DataLoader: batch_size is 0; it must be 1 or more"),
        (lambda: DataLoader([1], num_workers=-1), "num_workers is -1; it must be 0 or more"),
        (lambda: DataLoader([1], shuffle=True, sampler=[0]), "got sampler and shuffle"),
        (lambda: DataLoader([1], 2, batch_sampler=[[0]]), "got batch_sampler with batch_size"),
        (lambda: DataLoader(Counted(), shuffle=True), "got an order for an IterableDataset"),
        (lambda: data.BatchSampler([1], 0), "BatchSampler: batch_size is 0"),
        (lambda: data.RandomSampler([1], num_samples=0), "RandomSampler: num_samples is 0"),
        (lambda: data.WeightedRandomSampler([1.0], 0), "num_samples is 0; 1 or more"),
        (lambda: data.WeightedRandomSampler([-1.0], 1), "weights are not a row of numbers"),
        (
            lambda: data.WeightedRandomSampler([1.0, 0.0], 2, replacement=False),
            "num_samples is 2 without replacement; at most the 1 samples of positive weight",
        ),
        (lambda: data.ConcatDataset([]), "ConcatDataset: got no datasets"),
        (lambda: data.random_split(range(3), [1, 1]), r"lengths \[1, 1\] add up to 2; to the 3"),
        (lambda: data.random_split(range(3), [0.5, 0.6]), "random_split: lengths"),
    ],
)
def test_wrong_arguments(make: Any, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        make()


def test_workers_keep_the_default_device_of_the_loop(device: str) -> None:
    class Made:
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> pumice.Tensor:
            return pumice.full((2,), float(index))

    with pumice.device(device):
        for workers in (0, 2):
            batches = list(DataLoader(Made(), 2, num_workers=workers))
            assert [each.device for each in batches] == [pumice.device(device)] * 2


def test_generators_choose_orders() -> None:
    """Two generators of one seed give the same; each pass takes the next draw."""

    def generator() -> pumice.Generator:
        return pumice.Generator().manual_seed(7)

    own, same = (DataLoader(numbers(20), 20, shuffle=True, generator=generator()) for _ in range(2))
    passes = [drawn(own)[0] for _ in range(3)]
    assert passes == [drawn(same)[0] for _ in range(3)]
    assert passes[0] != passes[1] != passes[2]
    assert all(sorted(each) == list(range(20)) for each in passes)
    assert drawn(DataLoader(numbers(4), 4, generator=generator())) == [[0, 1, 2, 3]]
    makers = [
        lambda g: data.RandomSampler(range(9), generator=g),
        lambda g: data.RandomSampler(range(9), True, 5, g),
        lambda g: data.SubsetRandomSampler([4, 5, 6, 7], g),
        lambda g: data.WeightedRandomSampler([1, 2, 3, 4], 9, True, g),
    ]
    for make in makers:
        first, second = make(generator()), make(generator())
        assert [list(first), list(first)] == [list(second), list(second)]
    source = generator()
    parts = [data.random_split(range(10), [6, 4], source) for _ in range(2)]
    again = data.random_split(range(10), [6, 4], generator=generator())
    assert [list(each.indices) for each in parts[0]] == [list(each.indices) for each in again]
    assert list(parts[0][0].indices) != list(parts[1][0].indices)
