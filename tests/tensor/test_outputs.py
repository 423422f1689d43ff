"""The keyword ``out``: every function that computes tensors writes into tensors that are there."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice.errors import DeviceError, DTypeError, InvalidArgument, ShapeError
from pumice.ops.definition import registry
from pumice.testing.public import NAMESPACES, public_names
from tests.tensor.peers import floats, integers

ENTRIES = [entry for entry in registry.elementwise() if entry.function]
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda made: made(4, 3),
    "transposed": lambda made: made(3, 4).t(),
    "every second": lambda made: made(8, 6)[::2, 1::2],
    "backwards": lambda made: made(4, 3)[::-1],
    "inside": lambda made: made(2, 6, 5)[1, 1:5, :3],
}


def takes_out(function: Any) -> bool:
    return "out" in inspect.signature(function).parameters


@pytest.mark.parametrize("namespace", ["", "linalg"])
def test_where_pytorch_has_it(namespace: str) -> None:
    theirs: Any = torch.linalg if namespace else torch
    missing = []
    for name, function in public_names(namespace).items():
        head = (getattr(getattr(theirs, name, None), "__doc__", None) or "").strip()
        if head.startswith((f"{name}(", f"linalg.{name}(")):
            signature = head.partition("->")[0]
            if "out=None" in signature and not takes_out(function):
                missing.append(name)
    assert not missing


def test_other_functions_of_modules_have_none() -> None:
    """What shares memory with an operand takes no place for a copy."""
    for name in ("reshape", "transpose", "squeeze", "narrow", "split", "unbind", "from_numpy"):
        assert not takes_out(getattr(pumice, name)), name


def test_pages_describe_it() -> None:
    assert "out : Tensor, optional" in (pumice.cat.__doc__ or "")
    assert "out : Tensor, optional" in (pumice.exp.__doc__ or "")
    assert set(NAMESPACES) == {"", "nn.functional", "linalg"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry.name))
def test_entries(entry: Any) -> None:
    dtype = (
        pumice.int32 if entry.accepts.value in ("integer", "integer or bool") else pumice.float32
    )
    low, high = (np.array(entry.samples.domain, np.float64).T).tolist()
    operands = [
        pumice.tensor((np.linspace(a, b, 5) if len(low) else np.ones(5)).tolist(), dtype=dtype)
        for a, b in zip(low * entry.arity, high * entry.arity, strict=True)
    ][: entry.arity]
    if entry.condition_first:
        operands[0] = operands[0] > 0
    for name in (entry.name, *entry.aliases):
        function = getattr(pumice, name)
        wanted = function(*operands)
        out = pumice.zeros(5, dtype=wanted.dtype)
        assert function(*operands, out=out) is out
        np.testing.assert_array_equal(out.numpy(), wanted.numpy())


X, Y = floats(4, 3), floats(4, 3, seed=1)
CALLS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y, **k: pumice.add(x, y, alpha=2, **k),
    "mul": lambda x, y, **k: pumice.mul(x, y, **k),
    "div": lambda x, y, **k: pumice.div(x, y, rounding_mode="floor", **k),
    "where": lambda x, y, **k: pumice.where(x > 0, x, y, **k),
    "clamp": lambda x, y, **k: pumice.clamp(x, -0.5, 0.5, **k),
    "softmax": lambda x, y, **k: pumice.softmax(x, 1, **k),
    "cumsum": lambda x, y, **k: pumice.cumsum(x, 0, **k),
    "addmm": lambda x, y, **k: pumice.addmm(x, x @ y.t(), y, **k),
    "matmul": lambda x, y, **k: pumice.matmul(x @ y.t(), y, **k),
    "cat": lambda x, y, **k: pumice.cat([x[:1], y[1:]], **k),
    "gather": lambda x, y, **k: pumice.gather(x, 0, pumice.zeros_like(x).long(), **k),
    "scatter": lambda x, y, **k: pumice.scatter(x, 0, pumice.zeros_like(x).long(), y, **k),
    "triu": lambda x, y, **k: pumice.triu(x, **k),
    "where it is": lambda x, y, **k: pumice.real(x, **k),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, device: str) -> None:
    """Only the elements of the view are written, whatever their strides."""
    x, y = pumice.tensor(X, device=device), pumice.tensor(Y, device=device)
    bases: list[Any] = []

    def made(*shape: int) -> Any:
        bases.append(pumice.full(shape, 7.0, device=device))
        return bases[-1]

    for name, call in CALLS.items():
        wanted = call(x, y).cpu().numpy()
        out = LAYOUTS[layout](made)
        assert call(x, y, out=out) is out, name
        np.testing.assert_array_equal(out.cpu().numpy(), wanted, name)
        untouched = int((bases[-1] == 7.0).sum())
        assert untouched == bases[-1].numel() - out.numel(), name


def test_reductions_write_zero_dimensional_tensors(device: str) -> None:
    x = pumice.tensor(X, device=device)
    total = pumice.zeros((), device=device)
    assert pumice.sum(x, out=total) is total
    assert total.item() == pumice.sum(x).item()
    row = pumice.zeros(5, device=device)
    pumice.amax(x, out=row[2])
    assert row.tolist() == [0, 0, pytest.approx(X.max()), 0, 0]
    truth = pumice.zeros((), dtype=pumice.bool, device=device)
    assert pumice.any(x > 100, out=truth).item() is False


def test_overlapping_operands_count_as_they_were(device: str) -> None:
    x = pumice.arange(6.0, device=device)
    pumice.add(x[:-1], x[1:], out=x[1:])
    assert x.tolist() == [0, 1, 3, 5, 7, 9]
    square = pumice.arange(9.0, device=device).reshape(3, 3)
    wanted = (square @ square.t()).tolist()
    pumice.matmul(square, square.t(), out=square.t())
    assert square.t().tolist() == wanted
    pumice.cumsum(x, 0, out=x)
    assert x.tolist() == [0, 1, 4, 9, 16, 25]


def test_several_results(device: str) -> None:
    x = pumice.tensor(integers(0, 50, 3, 12), device=device)
    values = pumice.zeros(3, 16, dtype=x.dtype, device=device)[:, ::4]
    places = pumice.zeros(4, 3, dtype=pumice.int64, device=device).t()
    found = pumice.topk(x, 4, -1, out=(values, places))
    assert found.values is values
    assert found.indices is places
    assert values.tolist() == pumice.topk(x, 4).values.tolist()
    assert places.tolist() == pumice.topk(x, 4).indices.tolist()
    low, high = pumice.zeros((), device=device), pumice.zeros((), device=device)
    pumice.aminmax(x.float(), out=[low, high])
    assert (low.item(), high.item()) == (x.min().item(), x.max().item())
    with pytest.raises(DTypeError, match="sort: argument 'out' is Tensor; give a tuple of 2"):
        pumice.sort(x, out=values)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="argument 'out' is 1 tensors"):
        pumice.sort(x, out=(values,))
    kept = values.tolist()
    with pytest.raises(ShapeError):
        pumice.topk(x, 4, out=(values, pumice.zeros(7, dtype=pumice.int64, device=device)))
    assert values.tolist() == kept  # nothing is written before everything fits


@pytest.mark.parametrize(
    ("result", "out", "fits"),
    [
        ("int32", "float32", True),
        ("float64", "float16", True),
        ("int64", "uint8", True),
        ("bool", "int8", True),
        ("float32", "int64", False),
        ("int32", "bool", False),
        ("float16", "bool", False),
    ],
)
def test_dtypes(result: str, out: str, fits: bool) -> None:
    """The rule of in-place operators, and PyTorch's."""
    own = pumice.tensor([1, 0, 3]).to(getattr(pumice, result))
    target = pumice.zeros(3, dtype=getattr(pumice, out))
    theirs = torch.tensor([1, 0, 3]).to(getattr(torch, result))
    peer = torch.zeros(3, dtype=getattr(torch, out))
    if not fits:
        with pytest.raises(DTypeError, match=f"{result} can't be cast to the desired .* {out}"):
            pumice.maximum(own, own, out=target)
        with pytest.raises(RuntimeError, match="can't be cast"):
            torch.maximum(theirs, theirs, out=peer)
        return
    assert pumice.maximum(own, own, out=target) is target
    assert target.tolist() == torch.maximum(theirs, theirs, out=peer).tolist()
    assert target.dtype.name == out


def test_dtype_of_sums_and_new_tensors_is_that_of_out(device: str) -> None:
    many = pumice.full((4096,), 17.0, dtype=pumice.float16, device=device)
    wide = pumice.zeros((), dtype=pumice.float32, device=device)
    assert pumice.sum(many, out=wide).item() == 17.0 * 4096
    ranks = pumice.zeros(4, dtype=pumice.int16, device=device)
    assert pumice.arange(4.0, out=ranks).tolist() == [0, 1, 2, 3]
    assert ranks.dtype is pumice.int16
    assert pumice.ones(2, 2, out=pumice.zeros(2, 2, dtype=pumice.bool, device=device)).all()
    assert 0 <= pumice.rand(3, out=pumice.full((3,), 5.0, device=device)).max().item() < 1


def test_only_empty_tensors_are_resized(device: str) -> None:
    """PyTorch resizes all of them, with a warning that it will not any more."""
    x = pumice.tensor(X, device=device)
    out = pumice.empty(0, device=device)
    assert pumice.exp(x, out=out) is out
    assert out.shape == (4, 3)
    np.testing.assert_array_equal(out.cpu().numpy(), pumice.exp(x).cpu().numpy())
    out.mul_(0)
    assert out.abs().sum().item() == 0
    for shape in ((3,), (12,), (4, 3, 1), (1, 3)):
        with pytest.raises(ShapeError, match=r"exp: the result has shape \[4, 3\], out has shape"):
            pumice.exp(x, out=pumice.zeros(shape, device=device))
    none = pumice.zeros(0, 3, device=device)
    assert pumice.add(none, 1, out=pumice.zeros(0, 3, device=device)).shape == (0, 3)


def test_gradients_are_refused_as_in_pytorch() -> None:
    x = pumice.tensor(X, requires_grad=True)
    text = "out=... arguments don't support automatic differentiation"
    with pytest.raises(InvalidArgument, match=text):
        pumice.exp(x, out=pumice.zeros(4, 3))
    with pytest.raises(InvalidArgument, match=text):
        pumice.exp(pumice.ones(4, 3), out=x)
    with pumice.no_grad():
        pumice.exp(pumice.zeros(4, 3), out=x)
    assert x.tolist() == pumice.ones(4, 3).tolist()
    assert x.requires_grad
    assert x.is_leaf
    places = pumice.zeros(3, dtype=pumice.int64)
    assert pumice.argmax(x, 0, out=places).tolist() == [0, 0, 0]  # passes no gradient anyway


def test_what_is_no_place_for_a_result() -> None:
    with pytest.raises(DTypeError, match="add: argument 'out' must be a Tensor, not list"):
        pumice.add(pumice.ones(2), 1, out=[0, 0])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="share one memory location"):
        pumice.add(pumice.ones(2), 1, out=pumice.zeros(1).expand(2))
    with pytest.raises(TypeError):
        pumice.ones(2).add(1, out=pumice.zeros(2))  # type: ignore[call-arg]


@pytest.mark.vulkan
def test_devices_must_agree(vulkan_device: str) -> None:
    with pytest.raises(DeviceError, match="the result is on cpu, out is on vulkan:0"):
        pumice.exp(pumice.ones(2), out=pumice.zeros(2, device=vulkan_device))


def test_memory_is_not_shared_with_an_operand() -> None:
    """A function may return its operand: out holds a copy."""
    array = np.ones(3, np.float32)
    x = pumice.from_numpy(array)
    out = pumice.zeros(3)
    pumice.real(x, out=out)
    array[:] = 5
    x.add_(1)
    assert out.tolist() == [1, 1, 1]


def test_in_captured_functions(device: str) -> None:
    outside = pumice.zeros(3, device=device)

    @pumice.jit
    def step(x: Any, given: Any) -> Any:
        pumice.mul(x, 2, out=given)
        return pumice.add(x, outside, out=outside)

    for number in (1.0, 2.0, 3.0):
        x, given = pumice.full((3,), number, device=device), pumice.zeros(3, device=device)
        result = step(x, given)
        assert given.tolist() == [2 * number] * 3
        assert result.tolist() == outside.tolist()
    assert outside.tolist() == [6.0] * 3
