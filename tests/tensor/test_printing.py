"""Text of tensors against PyTorch's, character by character."""

from typing import Any

import numpy as np
import pytest
import torch

import pumice
from tests.tensor.peers import to_pumice

NAN, INF = float("nan"), float("inf")


def _same(theirs: torch.Tensor) -> None:
    assert repr(to_pumice(theirs)) == repr(theirs).replace("torch.", "pumice.")


VALUES: list[Any] = [
    1.0,
    1.5,
    NAN,
    INF,
    -0.0,
    3,
    True,
    [],
    [[]],
    [1.0, 2.0],
    [1.0, -2.5, 100.0],
    [1e-5, 1.0],
    [1e9, 1.0],
    [123456789.0],
    [1e8, 1.0],
    [0.0001, 0.5],
    [0.00009, 0.5],
    [1000.0, 1.0],
    [1001.0, 1.0],
    [1000.5, 1.0],
    [1001.5, 1.0],
    [NAN, 1.0],
    [NAN, 1.5],
    [NAN, INF, -INF],
    [INF, 2.0],
    [-INF, 2.25],
    [0.0, 0.0],
    [0.0, -0.0, 1e-10],
    [1e38, 1e-38],
    [1, -20, 300],
    [True, False],
    [[1, 2], [3, 4]],
    [[[1.0], [2.0]], [[3.0], [4.5]]],
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values(value: Any) -> None:
    _same(torch.tensor(value))


@pytest.mark.parametrize(
    "shape",
    [
        (5,),
        (30,),
        (1001,),
        (1000,),
        (3, 4),
        (7, 7),
        (40, 40),
        (2, 3, 4),
        (11, 12, 13),
        (1, 2000),
        (2000, 1),
        (5, 300),
        (2, 1, 3, 1),
        (0, 3),
        (3, 0),
        (2, 2, 2, 2, 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6], ids=str)
def test_shapes(shape: tuple[int, ...], scale: float) -> None:
    rng = np.random.default_rng(7)
    _same(torch.tensor(rng.standard_normal(shape) * scale, dtype=torch.float32))
    _same(torch.tensor(rng.integers(-1000, 1000, shape)))
    _same(torch.tensor(np.round(rng.standard_normal(shape) * 50), dtype=torch.float32))


@pytest.mark.parametrize(
    "name",
    ["bool", "uint8", "int8", "int16", "int32", "float16", "bfloat16", "float64", "uint16"],
)
def test_dtypes(name: str) -> None:
    dtype = getattr(torch, name)
    theirs = torch.tensor([0.0, 1.0, 2.0, 3.5]).to(dtype)
    ours = pumice.tensor([0.0, 1.0, 2.0, 3.5]).to(getattr(pumice, name))
    assert repr(ours) == repr(theirs).replace("torch.", "pumice.")
    empty = repr(torch.zeros((0,), dtype=dtype)).replace("torch.", "pumice.")
    assert repr(pumice.zeros(0, dtype=getattr(pumice, name))) == empty


def test_long_lines_break_before_the_suffix() -> None:
    for count in range(8, 14):
        theirs = torch.arange(count, dtype=torch.int32) * 1000
        ours = repr(pumice.arange(count, dtype=pumice.int32) * 1000)
        assert ours.replace(" ", "").replace("\n", "") == repr(theirs).replace(
            "torch.", "pumice."
        ).replace(" ", "").replace("\n", "")
        assert max(len(line) for line in ours.splitlines()) <= 81


def test_gradient_suffixes() -> None:
    leaf = pumice.tensor([1.0], requires_grad=True)
    assert repr(leaf) == "tensor([1.], requires_grad=True)"
    assert repr(leaf * 2) == "tensor([2.], grad_fn=<MulBackward>)"
    assert repr(leaf.detach()) == "tensor([1.])"


def test_format_of_a_number() -> None:
    assert f"{pumice.tensor(1.23456):.2f}" == "1.23"
    assert f"{pumice.tensor([1])}" == "tensor([1])"


def test_random_tables_match() -> None:
    rng = np.random.default_rng(11)
    for _ in range(150):
        rank = int(rng.integers(0, 4))
        shape = tuple(rng.integers(1, 9, rank))
        exponent = float(rng.uniform(-7, 9))
        numbers = rng.standard_normal(shape) * 10.0**exponent
        if rng.random() < 0.3:
            numbers = np.round(numbers)
        if rng.random() < 0.2 and np.ndim(numbers):
            numbers.reshape(-1)[0] = rng.choice([NAN, INF, -INF, 0.0])
        _same(torch.tensor(numbers, dtype=torch.float32))


OPTIONS: list[dict[str, Any]] = [
    {"precision": 2},
    {"precision": 0},
    {"precision": 7, "linewidth": 40},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"linewidth": 20},
    {"profile": "short", "threshold": 20},
    {"profile": "full"},
    {"sci_mode": True},
    {"sci_mode": False, "precision": 9},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(options: dict[str, Any]) -> None:
    shown = [torch.tensor(value) for value in VALUES]
    shown += [torch.arange(24.0).reshape(2, 3, 4) / 7, torch.arange(30), torch.zeros(1200)]
    try:
        torch.set_printoptions(**options)
        pumice.set_printoptions(**options)
        for each in shown:
            _same(each)
    finally:
        torch.set_printoptions(profile="default")
        pumice.set_printoptions(profile="default")


def test_options_for_a_while() -> None:
    before = pumice.get_printoptions()
    with pumice.printoptions(precision=1, sci_mode=True):
        assert repr(pumice.tensor([1.25])) == "tensor([1.2e+00])"
        assert pumice.get_printoptions()["precision"] == 1
        pumice.set_printoptions(**before)
        assert repr(pumice.tensor([1.25])) == "tensor([1.2500])"
    assert pumice.get_printoptions() == before
    assert set(before) >= {"precision", "threshold", "edgeitems", "linewidth", "sci_mode"}


@pytest.mark.parametrize("options", [{"profile": "long"}, {"precision": -1}, {"linewidth": -3}])
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(pumice.InvalidArgument, match="set_printoptions: got "):
        pumice.set_printoptions(**options)
