"""Creation functions and host data against PyTorch and NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from tests.tensor.peers import same_value

SAME: list[tuple[str, Callable[[Any], Any]]] = [
    ("zeros", lambda m: m.zeros(2, 3)),
    ("zeros sequence", lambda m: m.zeros((2, 3), dtype=m.int32)),
    ("zeros scalar", lambda m: m.zeros(())),
    ("ones", lambda m: m.ones(2, 0)),
    ("full int", lambda m: m.full((2,), 7)),
    ("full float", lambda m: m.full((2, 2), 1.5)),
    ("full bool", lambda m: m.full((2,), True)),
    ("full dtype", lambda m: m.full((2,), 3, dtype=m.float64)),
    ("zeros_like", lambda m: m.zeros_like(m.ones(2, dtype=m.int16))),
    ("ones_like", lambda m: m.ones_like(m.zeros(2), dtype=m.int8)),
    ("full_like", lambda m: m.full_like(m.zeros(2), 4)),
    ("new_zeros", lambda m: m.ones(1, dtype=m.float64).new_zeros(2, 3)),
    ("new_full", lambda m: m.ones(1, dtype=m.float64).new_full((2,), 3)),
    ("arange", lambda m: m.arange(5)),
    ("arange range", lambda m: m.arange(2, 11, 3)),
    ("arange down", lambda m: m.arange(5, 0, -2)),
    ("arange float", lambda m: m.arange(0.0, 1.0, 0.1)),
    ("arange float end", lambda m: m.arange(1, 2.5, 0.5)),
    ("arange dtype", lambda m: m.arange(4, dtype=m.float32)),
    ("linspace", lambda m: m.linspace(0, 1, 7)),
    ("linspace one", lambda m: m.linspace(3, 5, 1)),
    ("linspace none", lambda m: m.linspace(3, 5, 0)),
    ("linspace down", lambda m: m.linspace(5.0, -3.0, 11, dtype=m.float64)),
    ("linspace long", lambda m: m.linspace(0.1, 0.7, 101)),
    ("logspace", lambda m: m.logspace(-2, 2, 5)),
    ("eye", lambda m: m.eye(3)),
    ("eye wide", lambda m: m.eye(2, 4, dtype=m.int64)),
    ("tril_indices", lambda m: m.tril_indices(3, 4, -1)),
    ("triu_indices", lambda m: m.triu_indices(3, 4, 1)),
    ("tensor nested", lambda m: m.tensor([[1, 2], [3, 4]])),
    ("tensor mixed", lambda m: m.tensor([1, 2.5])),
    ("tensor bools and ints", lambda m: m.tensor([True, 2])),
    ("tensor empty", lambda m: m.tensor([])),
    ("tensor deep empty", lambda m: m.tensor([[], []])),
    ("tensor dtype", lambda m: m.tensor([1.9, -1.9], dtype=m.int32)),
    ("tensor array", lambda m: m.tensor(np.arange(3, dtype=np.int16))),
    ("tensor of tensors", lambda m: m.tensor([m.tensor(1.5), m.tensor(2.5)])),
    ("tensor scalar", lambda m: m.tensor(np.float32(2.5))),
    ("tensor of arrays", lambda m: m.tensor(np.stack([np.arange(2.0), np.arange(2.0)]))),
    ("as_tensor", lambda m: m.as_tensor([1, 2], dtype=m.float32)),
]


@pytest.mark.parametrize(("name", "call"), SAME, ids=[name for name, _ in SAME])
def test_against_torch(name: str, call: Callable[[Any], Any]) -> None:
    same_value(call(pumice), call(torch), 1e-6 if "space" in name or "float" in name else None)


def test_linspace_ends_are_exact() -> None:
    for start, end, steps in ((0.1, 0.7, 7), (-1.3, 1e6, 101), (3.3, 3.4, 9)):
        line = pumice.linspace(start, end, steps)
        assert line[0].item() == np.float32(start) and line[-1].item() == np.float32(end)
    assert pumice.arange(5, 0).shape == (0,)


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: pumice.zeros(-1), "extents must not be negative"),
    (lambda: pumice.zeros(1.5), "a shape is made of ints"),
    (lambda: pumice.arange(0, 5, 0), "step is 0"),
    (lambda: pumice.linspace(0, 1, -1), "got -1 steps"),
    (lambda: pumice.linspace(0, 1, 3, dtype=pumice.bool), "got bool"),
    (lambda: pumice.eye(-1), "extents must not be negative"),
    (lambda: pumice.tensor([[1, 2], [3]]), "expected length 2, got a sequence of length 1"),
    (lambda: pumice.tensor([1, [2]]), "tensor: expected"),
    (lambda: pumice.full((2,), "a"), "full: fill_value is of type str; give a number"),
    (lambda: pumice.full((2,), pumice.ones(2)), "fill_value is of type Tensor"),
    (lambda: pumice.tensor(["a"]), "could not infer a dtype for an element of type str"),
    (lambda: pumice.tensor(object()), "could not infer a dtype for an element of type object"),
    (lambda: pumice.tensor(np.zeros(2, np.complex64)), "NumPy type complex64 is not supported"),
    (lambda: pumice.tensor([2**70]), "does not fit int64"),
    (lambda: pumice.zeros(2, device="gpu"), "allowed are 'cpu', 'vulkan'"),
    (lambda: pumice.ones(2, dtype=pumice.int32, requires_grad=True), "floating point dtype"),
    (lambda: pumice.randint(5, 5, (2,)), "low < high"),
    (lambda: pumice.rand(2, dtype=pumice.int32), "allowed are floating types"),
    (lambda: pumice.normal(0.0, -1.0, (2,)), "must not be negative"),
    (lambda: pumice.meshgrid(pumice.zeros(2), indexing="ab"), "allowed are 'ij' and 'xy'"),
]


@pytest.mark.parametrize(("call", "text"), BAD, ids=[text for _, text in BAD])
def test_bad_arguments(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(pumice.PumiceError, match=text):
        call()


def test_default_device(device: str) -> None:
    home = pumice.get_default_device()
    with pumice.device(device) as chosen:
        assert pumice.get_default_device() is chosen
        made = [
            pumice.ones(2),
            pumice.tensor([1.0]),
            pumice.rand(3),
            pumice.arange(4),
            pumice.eye(2),
        ]
        layer = pumice.nn.Linear(2, 2)
        assert all(each.device == chosen for each in (*made, *layer.parameters()))
        with pumice.device("cpu"):
            assert pumice.zeros(1).device == pumice.device("cpu")
        assert pumice.from_numpy(np.ones(2)).device == pumice.device("cpu")
        assert pumice.as_tensor(np.ones(2, np.float32)).device == chosen
        assert pumice.block_diag(pumice.ones(2, 2, device="cpu")).device == pumice.device("cpu")
    assert pumice.get_default_device() is home
    pumice.set_default_device(device)
    try:
        assert pumice.full((2,), 3.0).device == chosen
        assert pumice.zeros_like(pumice.ones(2, device="cpu")).device == pumice.device("cpu")
    finally:
        pumice.set_default_device(None)
    assert pumice.get_default_device() is home


def test_a_captured_function_follows_the_default_device(device: str) -> None:
    captured = pumice.jit(lambda x: x + pumice.ones(2))
    for _ in range(3):
        assert captured(pumice.ones(2)).tolist() == [2.0, 2.0]
    with pumice.device(device):
        for _ in range(3):
            result = captured(pumice.ones(2))
            assert result.device == pumice.device(device)
            assert result.tolist() == [2.0, 2.0]


def test_default_device_refuses_other_text() -> None:
    allowed = r"set_default_device \(device\): got 'tpu'; allowed are 'cpu', 'vulkan'"
    with pytest.raises(pumice.DeviceError, match=allowed):
        pumice.set_default_device("tpu")
