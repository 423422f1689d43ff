"""Orders that every device must agree on."""

import numpy as np
import pytest

import pumice
from pumice import dtypes

ORDER = [np.nan, 3.0, -0.0, 0.0, -np.inf, 1.0, -0.0, 0.0, np.nan, np.inf]


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("repeats", [1, 100])
def test_zeros_of_both_signs_keep_their_order(name: str, repeats: int, device: str) -> None:
    values = np.tile(np.array(ORDER), repeats)
    tensor = pumice.tensor(values, dtype=getattr(dtypes, name), device=device)
    found = tensor.argsort()
    assert found.tolist() == np.argsort(values + 0.0, kind="stable").tolist()
    descending = tensor.argsort(descending=True)
    missing = np.where(np.isnan(values), np.inf, values + 0.0)
    key = np.lexsort((np.arange(len(values)), -missing, ~np.isnan(values)))
    assert descending.tolist() == key.tolist()
