"""``x[...]`` and ``x[...] = value`` against NumPy and PyTorch."""

from typing import Any

import numpy as np
import pytest

import pumice

SHAPE = (4, 5, 6)

BASIC: list[Any] = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(None),
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(-1, 0, -2),
    slice(3, 1),
    (slice(None), 2),
    (slice(1, None), slice(None), slice(4, None, -3)),
    None,
    (None, 1, None),
    (Ellipsis, 0),
    (0, Ellipsis),
    (Ellipsis,),
    (1, Ellipsis, None, 2),
    (slice(None), None, slice(1, 4)),
]

ADVANCED: list[Any] = [
    [0, 2],
    [[0, 1], [2, 3]],
    ([0, 1], [1, 2]),
    (slice(None), [0, 2]),
    (slice(None), [0, 2], [1, 3]),
    ([0, 1], slice(None), [1, 3]),
    ([0, -1], Ellipsis, [-1, 0]),
    (0, slice(None), [1, 2]),
    (slice(None), 1, [1, 2]),
    ([0, 1], 2),
    ([[0], [1]], [1, 2]),
    (None, [0, 1]),
    ([0, 1], None, [1, 2]),
    (slice(1, 3), [0, 0, 4], slice(None, None, -2)),
    [],
    True,
    False,
    (True, 0),
    (slice(None), True),
]


def _array(index: Any) -> Any:
    """Return an index with lists as arrays, as NumPy wants them."""
    if isinstance(index, list):
        return np.array(index, np.int64)
    return tuple(_array(each) for each in index) if isinstance(index, tuple) else index


def _masks() -> list[Any]:
    rng = np.random.default_rng(3)
    return [
        rng.random(SHAPE) > 0.5,
        rng.random(SHAPE[:2]) > 0.5,
        rng.random(SHAPE[0]) > 0.3,
        (slice(None), rng.random(SHAPE[1:]) > 0.5),
        (slice(None), slice(None), rng.random(SHAPE[2]) > 0.5),
        (rng.random(SHAPE[0]) > 2, slice(1, 2)),
        (np.array([True, False, True, True]), [0, 1, 2]),
    ]


def _ours(index: Any) -> Any:
    if isinstance(index, np.ndarray):
        return pumice.tensor(index)
    return tuple(_ours(each) for each in index) if isinstance(index, tuple) else index


ALL_INDICES = BASIC + ADVANCED + _masks()


@pytest.mark.parametrize("index", ALL_INDICES, ids=str)
def test_read(index: Any) -> None:
    array = np.arange(120.0, dtype=np.float32).reshape(SHAPE)
    wanted = array[_array(index)]
    got = pumice.tensor(array)[_ours(index)]
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got.numpy(), wanted)


@pytest.mark.parametrize("index", BASIC + ADVANCED + _masks(), ids=str)
def test_read_of_a_view(index: Any) -> None:
    array = np.arange(240.0, dtype=np.float32).reshape(6, 5, 8)
    viewed = array.transpose(2, 1, 0)[::2]
    tensor = pumice.tensor(array).permute(2, 1, 0)[::2]
    np.testing.assert_array_equal(tensor[_ours(index)].numpy(), viewed[_array(index)])


@pytest.mark.parametrize("index", ALL_INDICES, ids=str)
def test_write(index: Any) -> None:
    array = np.arange(120.0, dtype=np.float32).reshape(SHAPE)
    for value in (7, np.arange(array[_array(index)].size, dtype=np.float32)):
        if isinstance(value, np.ndarray):
            value = value.reshape(array[_array(index)].shape)
        wanted = array.copy()
        wanted[_array(index)] = value
        tensor = pumice.tensor(array)
        tensor[_ours(index)] = pumice.tensor(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(tensor.numpy(), wanted)


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_basic_reads_are_aliases(index: Any) -> None:
    tensor = pumice.zeros(*SHAPE)
    alias = tensor[index]
    alias.fill_(3.0)
    wanted = np.zeros(SHAPE, np.float32)
    wanted[index] = 3.0
    np.testing.assert_array_equal(tensor.numpy(), wanted)


def test_write_broadcasts_and_drops_leading_ones() -> None:
    tensor = pumice.zeros(3, 4)
    tensor[1] = pumice.ones(1, 1, 4)
    tensor[:, 0] = pumice.tensor([5.0])
    assert tensor.tolist() == [[5, 0, 0, 0], [5, 1, 1, 1], [5, 0, 0, 0]]


def test_repeated_positions_keep_the_last_write() -> None:
    tensor = pumice.zeros(3)
    tensor[pumice.tensor([1, 1, 1])] = pumice.tensor([4.0, 5.0, 6.0])
    assert tensor.tolist() == [0.0, 6.0, 0.0]


def test_write_through_an_index_of_a_slice() -> None:
    tensor = pumice.arange(12).reshape(3, 4)
    tensor[1:][:, [0, 3]] = 0
    assert tensor.tolist() == [[0, 1, 2, 3], [0, 5, 6, 0], [0, 9, 10, 0]]
    tensor[:, [0, 3]][1:] = 7
    assert tensor.tolist() == [[0, 1, 2, 3], [0, 5, 6, 0], [0, 9, 10, 0]]


def test_augmented_assignment() -> None:
    tensor = pumice.arange(6)
    tensor[1:3] += 10
    tensor[pumice.tensor([0, 5])] *= 2
    assert tensor.tolist() == [0, 11, 12, 3, 4, 10]


def test_gradient_of_reads_adds_up() -> None:
    leaf = pumice.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (leaf[[0, 0, 2]] * pumice.tensor([1.0, 10.0, 100.0])).sum().backward()
    leaf[leaf > 1].sum().backward()
    leaf[1:].sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [11.0, 2.0, 102.0]


def test_gradient_of_writes() -> None:
    leaf = pumice.tensor([1.0, 2.0, 3.0], requires_grad=True)
    source = pumice.tensor(5.0, requires_grad=True)
    copy = leaf * 2
    copy[1] = source
    copy.sum().backward()
    assert leaf.grad is not None and source.grad is not None
    assert leaf.grad.tolist() == [2.0, 0.0, 2.0]
    assert source.grad.item() == 1.0


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (4, pumice.IndexOutOfRange, "index 4 is out of range for axis 0 with 4 elements"),
        (-5, pumice.IndexOutOfRange, "allowed are -4 to 3"),
        ((0, 0, 0, 0), pumice.IndexOutOfRange, "too many indices: 4 for a tensor of 3"),
        ((Ellipsis, Ellipsis), pumice.IndexOutOfRange, "only one Ellipsis"),
        (slice(None, None, 0), pumice.InvalidArgument, "slice step cannot be zero"),
        ("a", pumice.InvalidArgument, "got an index of type str"),
        (1.5, pumice.InvalidArgument, "got an index of type float"),
    ],
    ids=str,
)
def test_bad_indices(index: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        pumice.zeros(*SHAPE)[index]


def test_bad_masks_and_positions() -> None:
    tensor = pumice.zeros(3, 4)
    with pytest.raises(IndexError, match=r"shape of the mask \[2\] does not match"):
        tensor[pumice.tensor([True, False])]
    with pytest.raises(IndexError, match="got a float32 tensor as an index"):
        tensor[pumice.tensor([1.0])]
    with pytest.raises(pumice.ShapeError, match=r"a value of shape \[3\] does not broadcast"):
        tensor[0] = pumice.zeros(3)
    with pytest.raises(IndexError):
        tensor[pumice.tensor([7])].tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_negative_places_of_any_width(dtype: Any, device: str) -> None:
    """A driver has got the sign of a widened number wrong."""
    x = pumice.tensor(np.arange(7, dtype=np.float32), device=device)
    places = np.array([-1, 3, -7, 0], dtype)
    place = pumice.tensor(places, device=device)
    assert x[place].tolist() == [6.0, 3.0, 0.0, 0.0]
    assert (x.index_put((place,), x[1:5])).tolist() == [4.0, 1.0, 2.0, 2.0, 4.0, 5.0, 1.0]
    with pytest.raises(IndexError, match="index -1 is"):
        x[place - 7].tolist()
