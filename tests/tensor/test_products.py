"""Matrix products of every dtype against numpy."""

import numpy as np
import pytest

import pumice
from pumice.dtypes import DType
from tests.backends.llvm_support import numpy_dtype

DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(1, 70, 90), (20, 21, 22), (90, 1, 70)])
def test_integers_wrap(device: str, name: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    dtype: DType = getattr(pumice, name)
    kind = numpy_dtype(dtype)
    random = np.random.default_rng(3)
    low, high = (0, 100) if kind.kind == "u" else (-50, 50)
    left = random.integers(low, high, (m, k)).astype(kind)
    right = random.integers(low, high, (k, n)).astype(kind)
    found = pumice.tensor(left, device=device) @ pumice.tensor(right, device=device)
    assert found.dtype is dtype
    np.testing.assert_array_equal(found.cpu().numpy(), left @ right)
