"""Promises about comparison and selection."""

import operator
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import errors
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.statistics import statistics
from pumice.nn import functional
from tests.contracts.promise import host, on, promise, same

NAN, INF = float("nan"), float("inf")
OPERATORS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
REAL = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@promise("1.1")
def test_equal_is_elementwise(device: str) -> None:
    x, y = on(device, [1, 2]), on(device, [1, 3])
    same(pumice.equal(x, y), [True, False])
    same(x.eq(y), [True, False])
    assert pumice.array_equal(x, y) is False
    assert pumice.array_equal(x, x) is True
    assert pumice.array_equal(x, on(device, [1, 2, 3])) is False


@promise("1.2")
@pytest.mark.parametrize("name", OPERATORS)
def test_result_is_bool(device: str, name: str) -> None:
    for kind in [*REAL, "bfloat16"]:
        dtype = getattr(pumice, kind)
        left, right = on(device, [0, 1, 1], dtype), on(device, [1, 1, 0], dtype)
        found = getattr(pumice, name)(left, right)
        assert found.dtype is pumice.bool
        same(found, OPERATORS[name](np.array([0, 1, 1]), np.array([1, 1, 0])))


@promise("1.3")
@pytest.mark.parametrize("name", OPERATORS)
def test_operands_and_keywords(device: str, name: str) -> None:
    x, y = on(device, [1.0, 3.0]), on(device, [2.0, 2.0])
    expected = OPERATORS[name](np.array([1.0, 3.0]), 2.0)
    same(getattr(pumice, name)(input=x, other=y), expected)
    same(getattr(pumice, name)(x, 2), expected)
    same(OPERATORS[name](x, y), expected)
    same(OPERATORS[name](x, 2.0), expected)
    same(OPERATORS[name](2.0, x), OPERATORS[name](2.0, np.array([1.0, 3.0])))
    chosen = pumice.where(condition=x > 2, input=x, other=y)
    same(chosen, np.array([2.0, 3.0], np.float32))


@promise("1.4")
def test_broadcasting(device: str) -> None:
    column, row = on(device, [[1], [2]]), on(device, [1, 2, 3])
    assert (column < row).shape == (2, 3)
    assert (row < column).shape == (2, 3)
    same(column == row, [[True, False, False], [False, True, False]])
    with pytest.raises(errors.ShapeError, match=r"\[2\].*\[3\]"):
        on(device, [1, 2]) < on(device, [1, 2, 3])  # noqa: B015 - it raises


@promise("1.5")
def test_broadcasting_copies_nothing(device: str) -> None:
    x = on(device, [[1.0], [2.0]]).expand(2, 5)
    assert x.strides == (4, 0)
    assert x.stride() == (1, 0)
    wide = pumice.ones(1, device=device).expand(2**40)
    assert (wide[:3] == 1).all().item()


@promise("1.6")
def test_nan_and_zeros(device: str) -> None:
    x, y = on(device, [NAN, 1.0, NAN, -0.0, INF]), on(device, [1.0, NAN, NAN, 0.0, INF])
    for name, function in OPERATORS.items():
        found = getattr(pumice, name)(x, y).tolist()
        assert found[:3] == [name == "not_equal"] * 3
        assert found[3] == function(0.0, 0.0)
        assert found[4] == function(INF, INF)


@promise("1.7")
def test_promotion_and_devices(device: str) -> None:
    assert (on(device, [2**24 + 1]) == on(device, [float(2**24)])).tolist() == [True]
    assert (on(device, [1], pumice.int8) == on(device, [1.0], pumice.float64)).tolist() == [True]
    assert (on(device, [True]) < on(device, [2], pumice.uint8)).tolist() == [True]
    if device != "cpu":
        with pytest.raises(errors.DeviceError, match="cpu"):
            on(device, [1.0]) < on("cpu", [1.0])  # noqa: B015 - it raises


@promise("1.8")
def test_no_gradient(device: str) -> None:
    x = on(device, [1.0, 3.0], requires_grad=True)
    compared = x > 2
    assert not compared.requires_grad
    with pytest.raises(errors.PumiceError, match="grad"):
        compared.sum().backward()
    (compared.to(pumice.float32) * x).sum().backward()
    same(x.grad, np.array([0.0, 1.0], np.float32))


@promise("1.9")
def test_where(device: str) -> None:
    with pytest.raises(errors.DTypeError, match="bool"):
        pumice.where(on(device, [1]), on(device, [1]), on(device, [2]))
    condition = on(device, [[True], [False]])
    out = pumice.where(condition, on(device, [1, 2]), on(device, 0.5))
    assert out.dtype is pumice.float32
    same(out, np.array([[1.0, 2.0], [0.5, 0.5]], np.float32))
    bad = on(device, [NAN, INF])
    same(pumice.where(on(device, [False, False]), bad, 1.0), np.ones(2, np.float32))


@promise("1.10")
def test_gradient_of_where(device: str) -> None:
    x = on(device, [-1.0, 0.0, 4.0], requires_grad=True)
    y = on(device, 2.0, requires_grad=True)
    pumice.where(x > 0, x.sqrt(), y).sum().backward()
    same(x.grad, np.array([0.0, 0.0, 0.25], np.float32))
    same(y.grad, np.float32(2.0))


@promise("1.11")
def test_kl_div_of_zero(device: str) -> None:
    x = on(device, [-INF, -1.0], requires_grad=True)
    loss = functional.kl_div(x, on(device, [0.0, 0.0]), reduction="none")
    same(loss, np.zeros(2, np.float32))


SINGULAR: dict[str, Any] = {
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "rsqrt": lambda x: x.rsqrt(),
    "reciprocal": lambda x: x.reciprocal(),
    "division": lambda x: 1 / x,
    "pow": lambda x: x**0.5,
    "atanh": lambda x: (x + 1).atanh(),
    "acos": lambda x: (x + 1).acos(),
    "asin": lambda x: (x + 1).asin(),
    "log1p": lambda x: (x - 1).log1p(),
    "log2": lambda x: x.log2(),
    "acosh": lambda x: (x + 1).acosh(),
}


@promise("1.12")
@pytest.mark.parametrize("name", SINGULAR)
def test_zero_in_is_zero_out(device: str, name: str) -> None:
    x = on(device, [0.0], requires_grad=True)
    pumice.where(x > 0, SINGULAR[name](x), 0.0).sum().backward()
    same(x.grad, np.zeros(1, np.float32))


@promise("1.12")
def test_finite_gradients_of_folds(device: str) -> None:
    for call, values in (
        (lambda x: x.prod(), [0.0, 2.0, 3.0]),
        (lambda x: x.cumprod(0).sum(), [0.0, 2.0, 0.0]),
        (lambda x: x.norm(), [0.0, 0.0]),
        (lambda x: x.std(), [1.0, 1.0]),
        (lambda x: x.logsumexp(0), [-INF, 1.0]),
        (lambda x: x.logsumexp(0), [-INF, -INF]),
    ):
        x = on(device, values, requires_grad=True)
        call(x).backward()  # type: ignore[no-untyped-call]
        assert np.isfinite(host(x.grad)).all()


@promise("1.13")
def test_a_new_shape_needs_no_new_kernel(device: str) -> None:
    def run(size: int) -> None:
        x = pumice.arange(float(size), device=device)
        host(x < 2)
        host(x + x)

    for size in (5, 70):
        run(size)
    before = statistics.kernels_compiled
    for size in (6, 71, 129, 1000, 4097):
        run(size)
    assert statistics.kernels_compiled == before


@pytest.mark.vulkan
@promise("1.13")
def test_operators_by_themselves_share_a_module(vulkan_device: str) -> None:
    runtime: Any = runtime_of(parse_device(vulkan_device))
    binary = [*OPERATORS.values(), operator.add, operator.sub, operator.mul, operator.floordiv]
    shapes: list[tuple[Any, ...]] = [
        ((6,), (6,), None),
        ((5, 4), (4, 5), (1, 0)),
        ((4, 5), (5,), None),
        ((2, 1), (3,), None),
        ((2, 3, 1, 5, 2), (4, 1, 1, 5), (0, 2, 1, 4, 3)),
        ((2,) * 8, (2, 1) * 4, tuple(reversed(range(8)))),
        ((1000,), (1,), None),
    ]

    def run(shape: Any, other: Any, order: Any) -> None:
        for dtype in (np.float32, np.int32):
            a = np.arange(1, np.prod(shape) + 1, dtype=dtype).reshape(shape)
            b = np.arange(1, np.prod(other) + 1, dtype=dtype)[::-1].reshape(other)
            x, y = on(vulkan_device, a), on(vulkan_device, b)
            if order is not None:
                a, x = a.transpose(order), x.permute(order)
            for work in binary:
                same(work(x, y), work(a, b))
            same(-x, -a)
            same(pumice.where(on(vulkan_device, a > b), x, y), np.where(a > b, a, b))

    modules, pipelines = runtime.created
    run(*shapes[0])
    first = runtime.created
    assert first[0] - modules <= 3
    assert first[1] - pipelines <= 2 * (len(binary) + 2)
    for each in shapes:
        run(*each)
    assert runtime.created == first


@promise("1.14")
def test_examples(device: str) -> None:
    def pair(a: list[float], b: list[float]) -> tuple[Any, Any]:
        return on(device, a), on(device, b)

    same(pumice.equal(*pair([1, 2], [1, 3])), [True, False])
    same(pumice.not_equal(*pair([1, NAN], [1, NAN])), [False, True])
    same(pumice.less(*pair([1, 3], [2, 2])), [True, False])
    same(pumice.less_equal(*pair([2, 3], [2, 2])), [True, False])
    same(pumice.greater(*pair([3, 1], [2, 2])), [True, False])
    same(pumice.greater_equal(*pair([2, 1], [2, 2])), [True, False])
    chosen = pumice.where(
        pumice.greater(*pair([1, 3], [2, 2])), on(device, [10.0, 20.0]), on(device, [-1.0, -2.0])
    )
    same(chosen, np.array([-1.0, 20.0], np.float32))
