"""`norm` takes the orders that PyTorch's takes."""

import numpy as np
import pytest
import torch

import pumice


@pytest.mark.parametrize("dims", [None, (0, 2), (2, 1)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_sums_of_singular_values(dims: tuple[int, int] | None, keepdim: bool, device: str) -> None:
    array = np.random.default_rng(2).standard_normal((3, 4, 5) if dims else (3, 5))
    x = pumice.tensor(array, device=device, requires_grad=True)
    y = torch.tensor(array, requires_grad=True)
    found, expected = (each.norm("nuc", dims, keepdim) for each in (x, y))
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected.detach().numpy(), rtol=1e-9)
    found.sum().backward()
    expected.sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    np.testing.assert_allclose(x.grad.cpu().numpy(), y.grad.numpy(), rtol=1e-7, atol=1e-9)


def test_other_texts_are_refused() -> None:
    with pytest.raises(pumice.InvalidArgument, match="norm: got p='max'"):
        pumice.norm(pumice.eye(2), p="max")
    with pytest.raises(pumice.ShapeError, match="two axes"):
        pumice.norm(pumice.ones(3), p="nuc")
