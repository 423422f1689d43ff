"""Promises about all operators."""

import inspect
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import errors
from pumice.nn import functional
from tests.contracts.promise import host, on, promise, same

NAN, INF = float("nan"), float("inf")
LENGTHS = [1, 2, 7, 8, 9, 15, 16, 17, 33, 100]


@promise("0.1")
def test_names_and_promotion_are_those_of_pytorch(device: str) -> None:
    kinds = ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"]
    for left in kinds:
        for right in kinds:
            mine = on(device, [1], getattr(pumice, left)) + on(device, [1], getattr(pumice, right))
            expected = torch.tensor([1], dtype=getattr(torch, left)) + torch.tensor(
                [1], dtype=getattr(torch, right)
            )
            assert str(mine.dtype).split(".")[-1] == str(expected.dtype).split(".")[-1]
    for name in ("gather", "scatter", "topk", "cumsum", "where", "clamp", "sort"):
        parameters = list(inspect.signature(getattr(pumice, name)).parameters)
        assert parameters[0] == ("condition" if name == "where" else "input")
    same(on(device, [1, 2]) * 2.5, np.array([2.5, 5.0], np.float32))


@promise("0.2")
def test_a_line_wins_over_pytorch(device: str) -> None:
    assert on(device, [1, 2]).equal(on(device, [1, 3])).tolist() == [True, False]
    same(on(device, [1, 2]).mean(), np.float32(1.5))


@promise("0.3")
def test_undefined_elsewhere_is_defined_here(device: str) -> None:
    same(on(device, [300.0, -1.0, NAN, INF]).to(pumice.int32)[:2], np.array([300, -1], np.int32))
    twice = [on(device, [NAN, INF, -INF, 3e9, -3e9]).to(pumice.int32).tolist() for _ in range(2)]
    assert twice[0] == twice[1]
    assert twice[0] == pumice.tensor([NAN, INF, -INF, 3e9, -3e9]).to(pumice.int32).tolist()
    index = on(device, [0, 0, 0])
    out = pumice.zeros(2, device=device).scatter(0, index, on(device, [1.0, 2.0, 3.0]))
    same(out, np.array([3.0, 0.0], np.float32))


@promise("0.4")
def test_when_mistakes_raise(device: str) -> None:
    with pytest.raises(errors.ShapeError):
        on(device, [1.0, 2.0]) + on(device, [1.0, 2.0, 3.0])
    with pytest.raises(errors.DTypeError):
        pumice.where(on(device, [1]), on(device, [1]), on(device, [2]))
    outside = on(device, [1.0, 2.0])[on(device, [5])]
    with pytest.raises(errors.IndexOutOfRange):
        host(outside)
    divided = on(device, [1]) // on(device, [0])
    with pytest.raises(errors.IntegerDivisionByZero):
        host(divided)
    same(on(device, [1.0]) + 1, np.array([2.0], np.float32))


@promise("0.5")
def test_errors_name_operator_got_allowed_and_line(device: str) -> None:
    bases = {
        errors.ShapeError: (ValueError, RuntimeError),
        errors.DTypeError: (TypeError, RuntimeError),
        errors.DeviceError: (RuntimeError,),
        errors.IndexOutOfRange: (IndexError,),
        errors.IntegerDivisionByZero: (ZeroDivisionError, RuntimeError),
        errors.InvalidArgument: (ValueError, RuntimeError),
        errors.UnsupportedOperation: (NotImplementedError,),
        errors.OutOfMemory: (MemoryError,),
        errors.InternalError: (Exception,),
    }
    for kind, builtins in bases.items():
        assert issubclass(kind, errors.PumiceError)
        assert all(issubclass(kind, each) for each in builtins)
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.raises(errors.ShapeError) as caught:
        on(device, [[1.0, 2.0]]).matmul(on(device, [1.0, 2.0, 3.0]))
    text = str(caught.value)
    assert "matmul" in text
    assert "[1, 2]" in text
    assert "[3]" in text
    assert f"test_everywhere.py:{line}" in text
    line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
    taken = on(device, [1.0, 2.0]).take(on(device, [7]))
    with pytest.raises(errors.IndexOutOfRange) as late:
        host(taken)
    assert "7" in str(late.value)
    assert f"test_everywhere.py:{line}" in str(late.value)


@promise("0.6")
@pytest.mark.parametrize("length", LENGTHS)
def test_nan_wins(device: str, length: int) -> None:
    for place in {0, length // 2, length - 1}:
        array = np.arange(length, dtype=np.float32)
        array[place] = NAN
        x = on(device, array)
        for fold in (x.max(), x.min(), x.amax(), x.amin()):
            assert np.isnan(fold.item())
        assert x.argmax().item() == x.argmin().item() == place
        zero = pumice.zeros(length, device=device)
        for pair in (x.maximum(zero), zero.maximum(x), x.minimum(zero), x.clamp(0, 1), x.relu()):
            assert np.isnan(host(pair)[place])
            assert np.isnan(host(pair)).sum() == 1
        for values, _ in (x.cummax(0), x.cummin(0)):
            assert np.isnan(host(values)[place:]).all()
            assert not np.isnan(host(values)[:place]).any()
        assert x.sort()[1].tolist()[-1] == place
        assert x.topk(1)[1].tolist() == [place]


def _layouts(device: str) -> dict[str, Any]:
    base = on(device, np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32))
    return {
        "transposed": base.t(),
        "sliced": base[1:6:2, 1:8:3],
        "flipped": base.flip(0, 1),
        "offset": base[2:, 3:],
        "expanded": base[:, :1].expand(6, 5),
        "strided": base.as_strided((3, 4), (16, 2)),
    }


CALLS: dict[str, Any] = {
    "exp": lambda x: x.exp(),
    "sum": lambda x: x.sum(0),
    "softmax": lambda x: x.softmax(-1),
    "matmul": lambda x: x @ x.t(),
    "cumsum": lambda x: x.cumsum(1),
    "sort": lambda x: x.sort(0)[0],
    "gather": lambda x: x[x.argsort(0)[0]],
    "pad": lambda x: functional.pad(x, [1, 2], "constant", 1.0),
}


@promise("0.7")
@pytest.mark.parametrize("call", CALLS)
def test_every_layout_is_as_its_copy(device: str, call: str) -> None:
    for name, view in _layouts(device).items():
        results = []
        for given in (view.detach(), on(device, np.ascontiguousarray(host(view)))):
            x = given.requires_grad_()
            out = CALLS[call](x)
            (out * out).sum().backward()
            results.append((host(out), host(x.grad)))
        np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6, err_msg=name)
        np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-5, atol=1e-6, err_msg=name)


@promise("0.8")
def test_accumulation_and_wrapping(device: str) -> None:
    for dtype in (pumice.float16, pumice.bfloat16):
        ones = pumice.ones(4096, dtype=dtype, device=device)
        assert ones.sum().item() == 4096.0
        assert (ones.reshape(1, -1) @ ones.reshape(-1, 1)).item() == 4096.0
    for name, limit in (("int8", 127), ("int16", 2**15 - 1), ("int32", 2**31 - 1)):
        top = on(device, [limit], getattr(pumice, name))
        assert (top + 1).item() == -limit - 1
        assert (top * 2).item() == -2
    wide = on(device, [2**63 - 1])
    assert (wide + 1).item() == -(2**63)


def _here() -> int:
    return inspect.currentframe().f_back.f_lineno  # type: ignore[union-attr]


@promise("0.5")
def test_data_errors_name_the_line_of_their_own_run(device: str) -> None:
    """Graphs alike share a plan, and still say where each was written."""
    x, wrong = on(device, [1.0, 2.0]), on(device, [7])
    first, line_of_first = x[wrong] + 1, _here()
    second, line_of_second = x[wrong] + 1, _here()
    for found, line in ((second, line_of_second), (first, line_of_first)):
        with pytest.raises(errors.IndexOutOfRange, match=f"test_everywhere.py:{line}"):
            host(found)
    read = pumice.jit(lambda a, b: a[b] + 2)
    same(read(x, on(device, [1])), np.array([4.0], np.float32))
    same(read(x, on(device, [1])), np.array([4.0], np.float32))
    line = _here() - 3
    for _ in range(2):
        with pytest.raises(errors.IndexOutOfRange, match=f"test_everywhere.py:{line}"):
            host(read(x, wrong))
