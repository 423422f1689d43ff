"""Integers that a kernel widens to 64 bits keep their sign in what it compares them with."""

import numpy as np
import pytest

import pumice

VALUES = [-24, 8, -6, 0, 5, -1, 127, -128]


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
def test_signs(kind: str, device: str) -> None:
    array = np.array(VALUES, np.int64)
    narrow = pumice.tensor(array.astype(kind), device=device)
    wide = narrow.to(pumice.int64)
    assert wide.abs().tolist() == np.abs(array).tolist()
    assert wide.sign().tolist() == np.sign(array).tolist()
    assert (wide % 7).tolist() == (array % 7).tolist()
    assert (wide // 3).tolist() == (array // 3).tolist()
    assert pumice.relu(wide).tolist() == np.maximum(array, 0).tolist()
    other = narrow.flip(0)
    assert pumice.gcd(narrow, other).tolist() == np.gcd(array, array[::-1]).astype(kind).tolist()


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
def test_negative_places(kind: str, device: str) -> None:
    table = pumice.arange(10, device=device)
    places = pumice.tensor([-1, 2, -3], dtype=getattr(pumice, kind), device=device)
    assert table[places].tolist() == [9, 2, 7]
    table[places] = 0
    assert table.tolist() == [0, 1, 0, 3, 4, 5, 6, 0, 8, 0]


def test_a_product_asks_its_right_operand_last() -> None:
    x, y = pumice.arange(6).reshape(2, 3), pumice.arange(3)
    assert y.__rmatmul__(x).tolist() == (x @ y).tolist()
    assert y.__rmatmul__([1]) is NotImplemented
