"""Index layouts and sizes at the edge of what is allowed, against NumPy and PyTorch."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice

PLACES = np.array([1, 0])
MASK = np.array([True, False])
INDICES: list[Any] = [
    (slice(None), PLACES, Ellipsis, 1),
    (slice(None), PLACES, Ellipsis, PLACES),
    (PLACES, Ellipsis, PLACES),
    (slice(None), PLACES, PLACES, Ellipsis),
    (Ellipsis, PLACES, PLACES),
    (0, Ellipsis, slice(None), PLACES),
    (slice(None), MASK, Ellipsis, MASK),
    (slice(None), slice(None), slice(None), Ellipsis),
    (1, 1, 1, Ellipsis),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_ellipsis_of_no_axes_still_separates_indices(index: Any) -> None:
    array = np.arange(12).reshape(3, 2, 2)
    tensor = pumice.tensor(array)
    np.testing.assert_array_equal(tensor[index].numpy(), array[index])
    array[index] = -1
    tensor[index] = -1
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_masks_without_elements_are_masks() -> None:
    array = np.zeros((2, 0, 3))
    for mask in (np.zeros((2, 0), bool), np.zeros((2, 0, 3), bool)):
        assert pumice.tensor(array)[mask].shape == array[mask].shape
    with pytest.raises(IndexError, match="shape of the mask"):
        pumice.tensor(array)[np.zeros((0, 3), bool)]
    assert pumice.ones(3)[[]].shape == (0,)


POOLS: list[tuple[tuple[int, ...], int, dict[str, Any]]] = [
    ((1, 2, 2), 3, {"stride": 2, "ceil_mode": True}),
    ((1, 2, 2), 3, {"stride": 3, "ceil_mode": True}),
    ((1, 2, 3), 2, {"stride": 2, "ceil_mode": True}),
    ((1, 2, 2), 3, {"stride": 2, "padding": 1, "ceil_mode": True}),
]


@pytest.mark.parametrize("name", ["max_pool1d", "avg_pool1d"])
@pytest.mark.parametrize("case", POOLS, ids=str)
def test_the_last_window_may_reach_over_the_end(name: str, case: Any) -> None:
    shape, kernel, options = case
    array = np.random.RandomState(0).rand(*shape).astype(np.float32)
    theirs = torch.tensor(array, requires_grad=True)
    ours = pumice.tensor(array, requires_grad=True)
    expected = getattr(torch.nn.functional, name)(theirs, kernel, **options)
    result = getattr(pumice.nn.functional, name)(ours, kernel, **options)
    np.testing.assert_allclose(result.detach().numpy(), expected.detach().numpy(), rtol=1e-6)
    expected.sum().backward()
    result.sum().backward()
    np.testing.assert_allclose(ours.grad.numpy(), theirs.grad.numpy(), rtol=1e-6)  # type: ignore[union-attr]


@pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")  # PyTorch's
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "logsumexp", "norm"])
@pytest.mark.parametrize("shape", [(3, 0), (0, 2), (2, 3)])
def test_folds_keep_the_dtype_also_over_nothing(name: str, kind: str, shape: Any) -> None:
    ours = getattr(pumice, name)(pumice.ones(*shape, dtype=getattr(pumice, kind)), dim=1)
    theirs = getattr(torch, name)(torch.ones(*shape, dtype=getattr(torch, kind)), dim=1)
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    np.testing.assert_allclose(ours.to(pumice.float64).numpy(), theirs.double().numpy(), rtol=1e-2)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pumice.norm(pumice.zeros(0), math.inf), "norm: cannot fold over an axis without"),
        (lambda: pumice.norm(pumice.zeros(2, 0), -1, 1), "norm: cannot fold over an axis without"),
        (lambda: pumice.linalg.vector_norm(pumice.zeros(0), -math.inf), "cannot fold over an axis"),
        (
            lambda: pumice.nn.functional.max_pool1d(pumice.zeros(1, 1, 2), 4),
            r"a window spans \[4\], the padded input \[2\]",
        ),
        (
            lambda: pumice.nn.functional.interpolate(pumice.zeros(1, 1, 1), scale_factor=0.5),
            r"the result's \[0\]; input and output sizes must be greater than 0",
        ),
    ],
)
def test_folds_and_windows_of_nothing_raise(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(pumice.PumiceError, match=text):
        call()


def test_max_pool_of_windows_with_padding_only_is_refused() -> None:
    functional = pumice.nn.functional
    with pytest.raises(pumice.ShapeError, match="max_pool2d: window 0 of spatial axis 0 holds pad"):
        functional.max_pool2d(
            pumice.ones(1, 1, 1, 224), 3, stride=6, padding=1, dilation=2, ceil_mode=True
        )
    assert functional.max_pool2d(pumice.ones(1, 1, 3, 9), 3, padding=1, dilation=2).shape[2] == 1


@pytest.mark.parametrize("shapes", [((0, 5), (0, 5)), ((0, 5), (0, 7))])
def test_what_is_joined_without_elements_can_be_used(shapes: Any) -> None:
    axis = 0 if shapes[0] == shapes[1] else 1
    parts = [pumice.zeros(*shape).requires_grad_() for shape in shapes]
    peers = [torch.zeros(*shape, requires_grad=True) for shape in shapes]
    joined, wanted = pumice.cat(parts, axis), torch.cat(peers, axis)
    assert (joined * 2 + 1).softmax(1).shape == tuple(wanted.shape)
    assert (joined * 2).sum(0).tolist() == (wanted * 2).sum(0).tolist()
    gradients = pumice.autograd.grad(joined.sum(), parts)
    assert [each.shape for each in gradients] == list(shapes)


@pytest.mark.parametrize("shape", [(0, 5, 5), (2, 0, 0)])
def test_products_of_nothing_may_be_turned(shape: tuple[int, ...]) -> None:
    left = pumice.zeros(*shape).requires_grad_()
    out = (left @ left).mT.tril() * 2
    assert out.shape == shape
    (gradient,) = pumice.autograd.grad(out.sum(), (left,))
    assert gradient.tolist() == pumice.zeros(*shape).tolist()
    matrix = pumice.zeros(*shape).requires_grad_()
    pumice.linalg.cholesky(matrix).sum().backward()
    assert matrix.grad is not None
    assert matrix.grad.tolist() == pumice.zeros(*shape).tolist()
