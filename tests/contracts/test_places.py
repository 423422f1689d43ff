"""Promises about indexing, gathering, scattering and sorting."""

from typing import Any

import numpy as np
import pytest

import pumice
from pumice import errors
from tests.contracts.promise import host, on, promise, same

NAN = float("nan")
ARRAY = np.arange(24).reshape(2, 3, 4)
INDICES: list[Any] = [
    1,
    -1,
    (0, 2, 3),
    slice(None, None, -1),
    (slice(None), slice(2, 0, -1)),
    (..., slice(3, None, -2)),
    (None, 0, ..., None),
    [1, 0],
    ([1, 0], slice(None), [0, 3]),
    (slice(None), [[0, 1], [2, 2]]),
    (0, slice(None), [1, 3]),
    np.array([True, False]),
    ARRAY > 11,
    (slice(None), np.array([True, False, True]), 1),
    ([0, 1], [1, 2], slice(1, 3)),
]


def _indices(device: str, index: Any) -> Any:
    """Return an index with its arrays as tensors."""
    if isinstance(index, tuple):
        return tuple(_indices(device, each) for each in index)
    return on(device, index) if isinstance(index, np.ndarray) else index


@promise("3.11")
@pytest.mark.parametrize("place", range(len(INDICES)))
def test_reading_and_writing(device: str, place: int) -> None:
    index = INDICES[place]
    x = on(device, ARRAY)
    same(x[_indices(device, index)], ARRAY[index])
    written, expected = x.clone(), ARRAY.copy()
    written[_indices(device, index)] = -1
    expected[index] = -1
    same(written, expected)


@promise("3.11")
def test_index_tensors_and_errors(device: str) -> None:
    x = on(device, ARRAY)
    same(x[on(device, [1, 0]), :, on(device, [0, 3])], ARRAY[[1, 0], :, [0, 3]])
    with pytest.raises(IndexError):
        x[2]
    outside = x[on(device, [0, 2])]
    with pytest.raises(errors.IndexOutOfRange):
        host(outside)
    with pytest.raises(errors.IndexOutOfRange):
        host(x[:, [3]])


@promise("3.12")
def test_out_of_range_modes(device: str) -> None:
    x = on(device, [10.0, 20.0, 30.0])
    wild = on(device, [0, 3, -4, 2])
    expected = np.array([10, 0, 0, 30], np.float32)
    same(pumice.take(x, wild, mode="fill"), expected)
    same(pumice.gather(x, 0, wild, mode="fill"), expected)
    same(pumice.index_select(x, 0, wild, mode="fill"), expected)
    source = on(device, [1.0, 2.0, 3.0, 4.0])
    same(pumice.scatter(x, 0, wild, source, mode="fill"), np.array([1, 20, 4], np.float32))
    same(pumice.one_hot(on(device, [1, 5, -1]), 3, mode="fill"), [[0, 1, 0], [0] * 3, [0] * 3])
    for call in (
        lambda: pumice.take(x, wild),
        lambda: pumice.gather(x, 0, wild),
        lambda: pumice.index_select(x, 0, wild),
        lambda: pumice.scatter(x, 0, wild, source),
        lambda: pumice.one_hot(on(device, [1, 5]), 3),
    ):
        with pytest.raises(errors.IndexOutOfRange):
            host(call())


@promise("3.13")
def test_scatter(device: str) -> None:
    x = pumice.zeros(2, 3, device=device)
    index = on(device, [[0, 0, 2], [1, 1, 1]])
    source = on(device, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    same(pumice.scatter(x, 1, index, source), np.array([[2, 0, 3], [0, 6, 0]], np.float32))
    same(x, np.zeros((2, 3), np.float32))
    same(pumice.gather(source, 1, index), np.array([[1, 1, 3], [5, 5, 5]], np.float32))
    base = on(device, [10.0, 20.0, 30.0])
    place, values = on(device, [0, 0, 2]), on(device, [3.0, 4.0, 5.0])
    folds = {
        "sum": ([17, 20, 35], [7, 20, 5]),
        "prod": ([120, 20, 150], [12, 20, 5]),
        "mean": ([17 / 3, 20, 17.5], [3.5, 20, 5]),
        "amax": ([10, 20, 30], [4, 20, 5]),
        "amin": ([3, 20, 5], [3, 20, 5]),
    }
    for fold, (with_self, without) in folds.items():
        found = pumice.scatter_reduce(base, 0, place, values, fold)
        np.testing.assert_allclose(host(found), with_self, rtol=1e-6, err_msg=fold)
        found = pumice.scatter_reduce(base, 0, place, values, fold, include_self=False)
        np.testing.assert_allclose(host(found), without, rtol=1e-6, err_msg=fold)
    random = np.random.default_rng(0)
    many = on(device, random.integers(0, 7, 10_000))
    numbers = on(device, random.normal(size=10_000).astype(np.float32))
    sums = [
        host(pumice.zeros(7, device=device).scatter_add(0, many, numbers)).tobytes()
        for _ in range(3)
    ]
    assert len(set(sums)) == 1


@promise("3.14")
def test_static_selection(device: str) -> None:
    x = on(device, [[1, -2], [3, -4]])
    same(pumice.masked_select(x, x > 0), [1, 3])
    same(pumice.masked_select(x, x > 0, size=4, fill_value=9), [1, 3, 9, 9])
    same(pumice.masked_select(x, x > 0, size=1), [1])
    same(pumice.masked_select(x, on(device, [True, False])), [1, 3])
    same(pumice.nonzero(x > 0), [[0, 0], [1, 0]])
    same(pumice.nonzero(x > 0, size=3, fill_value=-1), [[0, 0], [1, 0], [-1, -1]])
    chosen = pumice.jit(lambda t: pumice.masked_select(t, t > 0, size=3))
    for values in ([1, 0, 5], [0, 0, 7], [1, 2, 3], [0, 0, 0]):
        expected = [each for each in values if each > 0]
        same(chosen(on(device, values)), expected + [0] * (3 - len(expected)))
    with pytest.raises(errors.DTypeError):
        pumice.masked_select(x, x)


@promise("3.15")
def test_one_hot_and_triangles(device: str) -> None:
    same(pumice.one_hot(on(device, [[0, 2]]), 3), [[[1, 0, 0], [0, 0, 1]]])
    with pytest.raises(errors.DTypeError):
        pumice.one_hot(on(device, [1.0]), 3)
    x = on(device, [[1.0, NAN], [NAN, 4.0]])
    same(pumice.triu(x, 1), np.array([[0, NAN], [0, 0]], np.float32))
    same(pumice.tril(x, -1), np.array([[0, 0], [NAN, 0]], np.float32))
    same(pumice.tril(x), np.array([[1, 0], [NAN, 4]], np.float32))


@promise("3.16")
def test_sorting(device: str) -> None:
    x = on(device, [3.0, 1.0, 3.0, 1.0])
    values, places = pumice.sort(x)
    assert values.tolist() == [1, 1, 3, 3]
    assert places.tolist() == [1, 3, 0, 2]
    assert pumice.sort(x, descending=True)[1].tolist() == [0, 2, 1, 3]
    assert pumice.argsort(x).tolist() == [1, 3, 0, 2]
    assert pumice.argsort(x).dtype is pumice.int64
    assert pumice.topk(x, 2)[1].tolist() == [0, 2]
    assert pumice.topk(x, 3, largest=False)[1].tolist() == [1, 3, 0]
    assert pumice.topk(x, 2, sorted=False)[0].tolist() == [3, 3]
    with pytest.raises(errors.PumiceError):
        pumice.topk(x, 5)
    wide = on(device, [[2, 1], [0, 5]])
    same(pumice.sort(wide)[0], [[1, 2], [0, 5]])
    same(pumice.sort(wide, 0)[0], [[0, 1], [2, 5]])
