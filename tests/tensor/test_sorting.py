"""Orders that every device must agree on."""

from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import dtypes
from tests.required import computes_with

ORDER = [np.nan, 3.0, -0.0, 0.0, -np.inf, 1.0, -0.0, 0.0, np.nan, np.inf]


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("repeats", [1, 100])
def test_zeros_of_both_signs_keep_their_order(name: str, repeats: int, device: str) -> None:
    if not computes_with(device, name):
        return
    values = np.tile(np.array(ORDER), repeats)
    tensor = pumice.tensor(values, dtype=getattr(dtypes, name), device=device)
    found = tensor.argsort()
    assert found.tolist() == np.argsort(values + 0.0, kind="stable").tolist()
    descending = tensor.argsort(descending=True)
    missing = np.where(np.isnan(values), np.inf, values + 0.0)
    key = np.lexsort((np.arange(len(values)), -missing, ~np.isnan(values)))
    assert descending.tolist() == key.tolist()


@pytest.mark.parametrize("dim", [None, 0, 1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_nanmedian(dim: int | None, keepdim: bool, device: str) -> None:
    """The lower median of the numbers, with its place and its gradient; NaN without any."""
    nan = float("nan")
    array = np.array(
        [[3.0, nan, 1.0, 2.0], [nan, nan, nan, nan], [5.0, -1.0, nan, nan], [4.0, 8.0, 6.0, nan]],
        np.float32,
    )
    arguments: tuple[Any, ...] = () if dim is None else (dim, keepdim)
    mine = pumice.tensor(array, device=device, requires_grad=True)
    peer = torch.tensor(array, requires_grad=True)
    got, wanted = mine.nanmedian(*arguments), peer.nanmedian(*arguments)
    if dim is not None:
        places = got.indices.cpu().numpy()
        usual = ~np.isnan(array).all(dim, keepdims=keepdim)
        assert places[usual].tolist() == wanted.indices.numpy()[usual].tolist()
        got, wanted = got.values, wanted.values
    np.testing.assert_array_equal(got.detach().cpu().numpy(), wanted.detach().numpy())
    got.nansum().backward()
    wanted.nansum().backward()
    np.testing.assert_array_equal(mine.grad.cpu().numpy(), peer.grad.numpy())
    whole = pumice.tensor([[4, 1, 3], [2, 2, 9]], device=device)
    assert whole.nanmedian(1).values.tolist() == [3, 2]
    assert pumice.nanmedian(whole).item() == whole.median().item()
