"""Promises about division."""

import numpy as np
import pytest

import pumice
from pumice import errors
from tests.contracts.promise import host, on, promise, same

NAN, INF = float("nan"), float("inf")


@promise("2.1")
def test_operands(device: str) -> None:
    x = on(device, [7, -7])
    for function in (pumice.div, pumice.divide):
        same(function(x, on(device, [2, 2])), np.array([3.5, -3.5], np.float32))
        same(function(input=x, other=2, rounding_mode="trunc"), np.array([3, -3]))
    same(pumice.true_divide(x, 2.5), np.array([2.8, -2.8], np.float32))
    assert pumice.div(x, 2.5).dtype is pumice.float32


@promise("2.2")
def test_true_division(device: str) -> None:
    for dtype in (pumice.bool, pumice.int8, pumice.int64, pumice.uint8):
        out = on(device, [1, 0], dtype) / on(device, [1, 1], dtype)
        assert out.dtype is pumice.float32
    same(on(device, [1, -1, 0]) / 0, np.array([INF, -INF, NAN], np.float32))
    same(on(device, [1.0, -1.0, 0.0]) / 0.0, np.array([INF, -INF, NAN], np.float32))


@promise("2.3")
def test_modes_keep_integers(device: str) -> None:
    x = on(device, [7, -7])
    same(x.div(2), np.array([3.5, -3.5], np.float32))
    same(x.div(2, rounding_mode="trunc"), np.array([3, -3]))
    same(x.div(2, rounding_mode="floor"), np.array([3, -4]))
    same(x.floor_divide(2), np.array([3, -4]))
    same(x // 2, np.array([3, -4]))
    small = on(device, [7], pumice.int8)
    assert small.div(small, rounding_mode="floor").dtype is pumice.int8
    wider = on(device, [7], pumice.int16).div(on(device, [2], pumice.int32), rounding_mode="trunc")
    assert wider.dtype is pumice.int32


@promise("2.4")
def test_rounded_quotients_of_floats(device: str) -> None:
    for dtype in (pumice.float32, pumice.float64):
        one, tenth = on(device, 1.0, dtype), on(device, 0.1, dtype)
        assert one.div(tenth, rounding_mode="trunc").item() == 10.0
        assert on(device, INF, dtype).div(2.0, rounding_mode="floor").isnan().item()
        assert on(device, -1.0, dtype).div(INF, rounding_mode="floor").item() == -1.0
        third = on(device, -1.0, dtype).div(3.0, rounding_mode="trunc")
        assert third.item() == 0.0
        assert np.signbit(host(third))
        found = on(device, [1.0, -1.0, 0.0], dtype).div(0.0, rounding_mode="floor")
        assert found.tolist()[:2] == [INF, -INF]
        assert np.isnan(found.tolist()[2])
    assert on(device, 1.0).div(on(device, 0.1), rounding_mode="floor").item() == 9.0
    exact = on(device, 1.0, pumice.float64).div(
        on(device, 0.1, pumice.float64), rounding_mode="floor"
    )
    assert exact.item() == 9.0


@promise("2.5")
def test_exact_integers(device: str) -> None:
    assert (on(device, [2**53 + 1]) // 1).item() == 2**53 + 1
    for name, least in (
        ("int8", -128),
        ("int16", -(2**15)),
        ("int32", -(2**31)),
        ("int64", -(2**63)),
    ):
        x = on(device, [least], getattr(pumice, name))
        for mode in ("floor", "trunc"):
            assert x.div(-1, rounding_mode=mode).item() == least


@promise("2.6")
def test_integer_by_zero(device: str) -> None:
    x, zero = on(device, [5, 6]), on(device, [0, 2])
    for call in (
        lambda: x.div(zero, rounding_mode="floor"),
        lambda: x.div(zero, rounding_mode="trunc"),
        lambda: x // zero,
        lambda: x.remainder(zero),
        lambda: x.fmod(zero),
    ):
        found = call()
        with pytest.raises(errors.IntegerDivisionByZero):
            host(found)
        assert (x + 1).tolist() == [6, 7]


@promise("2.7")
def test_what_modes_refuse(device: str) -> None:
    flag = on(device, [True])
    for mode in ("floor", "trunc"):
        with pytest.raises(errors.UnsupportedOperation):
            flag.div(flag, rounding_mode=mode)
    with pytest.raises(errors.InvalidArgument, match="None.*trunc.*floor|floor.*trunc"):
        on(device, [1.0]).div(2.0, rounding_mode="ceil")


@promise("2.8")
def test_gradients(device: str) -> None:
    x = on(device, [[1.0], [4.0]], requires_grad=True)
    y = on(device, [2.0, 4.0], requires_grad=True)
    (x / y).sum().backward()
    same(x.grad, np.array([[0.75], [0.75]], np.float32))
    same(y.grad, np.array([-5 / 4, -5 / 16], np.float32))
    x.grad = None
    x.div(y, rounding_mode="floor").sum().backward()
    same(x.grad, np.zeros((2, 1), np.float32))
