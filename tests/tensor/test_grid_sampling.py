"""Reading images at the positions of a grid, against PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as theirs

import pumice
from pumice.errors import InvalidArgument, ShapeError
from pumice.nn import functional as ours


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("extents", [(5, 4), (1, 3), (3, 4, 2)])
def test_values_and_gradients(
    mode: str, padding: str, corners: bool, extents: tuple[int, ...]
) -> None:
    count = len(extents)
    if mode == "bicubic" and count == 3:
        extents, count = (6, 6), 2
    image = numbers(2, 3, *extents)
    grid = numbers(2, *(4, 3, 2)[:count], count, seed=1) * 1.5
    mine = [pumice.tensor(each, requires_grad=True) for each in (image, grid)]
    other = [torch.tensor(each, requires_grad=True) for each in (image, grid)]
    out = ours.grid_sample(*mine, mode=mode, padding_mode=padding, align_corners=corners)
    expected = theirs.grid_sample(*other, mode=mode, padding_mode=padding, align_corners=corners)
    np.testing.assert_allclose(
        out.detach().numpy(), expected.detach().numpy(), rtol=1e-9, atol=1e-9
    )
    weights = numbers(*expected.shape, seed=2)
    (out * pumice.tensor(weights)).sum().backward()
    (expected * torch.tensor(weights)).sum().backward()
    for left, right in zip(mine, other, strict=True):
        assert right.grad is not None
        found = np.zeros(left.shape) if left.grad is None else left.grad.numpy()
        np.testing.assert_allclose(found, right.grad.numpy(), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.filterwarnings("ignore:Since version 1.3.0, affine_grid behavior has changed")
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (2, 1, 1, 3), (1, 2, 3, 4, 5)])
def test_affine_grid(size: tuple[int, ...], corners: bool) -> None:
    count = len(size) - 2
    theta = numbers(size[0], count, count + 1)
    out = ours.affine_grid(pumice.tensor(theta), size, corners)
    expected = theirs.affine_grid(torch.tensor(theta), list(size), corners)
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=1e-12, atol=1e-12)


def test_nan_positions_do_not_read_outside() -> None:
    image, grid = pumice.ones(1, 1, 2, 2), pumice.full((1, 1, 1, 2), float("nan"))
    assert ours.grid_sample(image, grid).isnan().all().item()
    assert ours.grid_sample(image, grid, mode="nearest").numpy().shape == (1, 1, 1, 1)


def test_wrong_arguments() -> None:
    image, grid = pumice.ones(1, 1, 2, 2), pumice.ones(1, 1, 1, 2)
    with pytest.raises(InvalidArgument, match="grid_sample: mode is 'x'; one of bilinear, nearest"):
        ours.grid_sample(image, grid, mode="x")
    with pytest.raises(InvalidArgument, match="padding_mode is 'x'; one of zeros, border"):
        ours.grid_sample(image, grid, padding_mode="x")
    with pytest.raises(ShapeError, match=r"got input \[1, 1, 2, 2\] and grid \[1, 1, 1, 3\]"):
        ours.grid_sample(image, pumice.ones(1, 1, 1, 3))
    with pytest.raises(InvalidArgument, match="bicubic of a 5-D input; a 4-D input"):
        ours.grid_sample(pumice.ones(1, 1, 2, 2, 2), pumice.ones(1, 1, 1, 1, 3), mode="bicubic")
    with pytest.raises(ShapeError, match=r"affine_grid: got theta \[1, 2, 2\] and size"):
        ours.affine_grid(pumice.ones(1, 2, 2), (1, 1, 2, 2))


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_positions_of_small_floats_are_exact(padding: str) -> None:
    image = pumice.arange(300.0).expand(1, 1, 300, 300)
    grid = pumice.tensor([[[[0.97, 0.99], [-1.5, 1.5]]]]).to(pumice.bfloat16)
    wide = ours.grid_sample(image, grid.float(), padding_mode=padding)
    found = ours.grid_sample(image.to(pumice.bfloat16), grid, padding_mode=padding)
    assert found.dtype is pumice.bfloat16
    np.testing.assert_allclose(found.float().numpy(), wide.numpy(), rtol=2**-7)


def test_a_grid_without_rows() -> None:
    assert ours.affine_grid(pumice.ones(1, 2, 3), (1, 1, 0, 2)).shape == (1, 0, 2, 2)
