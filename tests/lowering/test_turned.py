"""Operands across the loops of a tile: every dtype, edges, offsets and negative steps."""

import numpy as np
import pytest

import pumice

SHAPES = [
    ((130, 200), (1, 0)),
    ((65, 9), (1, 0)),
    ((300, 600), (1, 0)),
    ((3, 77, 131), (0, 2, 1)),
    ((20, 70, 33), (2, 1, 0)),
    ((2, 25, 30, 70), (0, 3, 1, 2)),
]
DTYPES = ["float64", "float16", "int8", "int64", "bool"]
CASES = [(*case, "float32") for case in SHAPES] + [(*SHAPES[0], dtype) for dtype in DTYPES]


@pytest.mark.parametrize(("shape", "order", "dtype"), CASES, ids=str)
def test_transposed_copies_and_sums(shape, order, dtype):
    numbers = (np.random.default_rng(0).standard_normal(shape) * 10).astype(dtype)
    tensor = pumice.tensor(numbers)
    expected = np.ascontiguousarray(numbers.transpose(order))
    np.testing.assert_array_equal(tensor.permute(*order).contiguous().numpy(), expected)
    if dtype != "bool":
        both = tensor.permute(*order) + pumice.tensor(expected)
        np.testing.assert_array_equal(both.numpy(), expected + expected)
        pair = tensor.flip(0).permute(*order) - tensor.permute(*order)
        np.testing.assert_array_equal(pair.numpy(), numbers[::-1].transpose(order) - expected)


@pytest.mark.parametrize(("shape", "order"), SHAPES, ids=str)
def test_parts_and_casts(shape, order):
    numbers = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    part = pumice.tensor(numbers)[:, 3:].permute(*order)
    expected = numbers[:, 3:].transpose(order)
    np.testing.assert_array_equal(part.contiguous().numpy(), expected)
    wide = part.to(pumice.float64).numpy()
    np.testing.assert_array_equal(wide, expected.astype(np.float64))
