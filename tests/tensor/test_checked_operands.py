"""Products of expressions that check data, attention of every head size, evaluated padding."""

import numpy as np
import pytest

import pumice
from pumice.nn import functional


def test_products_of_gathered_rows(device: str) -> None:
    x = pumice.randn(16, 16, generator=pumice.Generator().manual_seed(3))
    rows = pumice.arange(15, -1, -1)
    own, places = x.to(device), rows.to(device)
    expected = (x.numpy()[::-1].astype(np.float64) @ x.numpy()).astype(np.float32)
    np.testing.assert_allclose((own[places] @ own).cpu().numpy(), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(pumice.IndexOutOfRange, match="index 16 is out of range"):
        (own[places + 1] @ own).cpu().numpy()


@pytest.mark.parametrize("features", [1, 31, 33, 65, 127])
def test_attention_of_odd_heads(features: int, device: str) -> None:
    random = np.random.default_rng(features)
    sides = [random.standard_normal((1, 2, rows, features)) for rows in (17, 33, 33)]
    wide = [pumice.tensor(side).requires_grad_() for side in sides]
    own = [pumice.tensor(side.astype(np.float32), device=device).requires_grad_() for side in sides]
    for tensors in (wide, own):
        result = functional.scaled_dot_product_attention(*tensors)
        result.square().sum().backward()
    for exact, found in zip(wide, own, strict=True):
        assert exact.grad is not None
        assert found.grad is not None
        np.testing.assert_allclose(
            found.grad.cpu().numpy(), exact.grad.numpy(), rtol=2e-3, atol=2e-4
        )


def test_evaluated_padding_in_an_epilogue(device: str) -> None:
    x = pumice.ones(19, 20, device=device, requires_grad=True)
    padded = functional.pad(x, (0, 0, 1, 0))
    padded.realize()
    a = pumice.ones(20, 20, device=device)
    total = (a @ a + padded).sum()
    assert total.item() == 20 * 400 + 19 * 20
    total.backward()
    assert x.grad is not None
    assert x.grad.cpu().tolist() == [[1.0] * 20] * 19
