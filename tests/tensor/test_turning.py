"""Methods that change the axes of a tensor in place."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice import dtypes
from pumice.tensor.replaced import replaced
from tests.tensor.peers import to_pumice, torch_dtype

TURNS: list[tuple[str, tuple[Any, ...], tuple[int, ...]]] = [
    ("t_", (), (2, 3)),
    ("t_", (), (3,)),
    ("t_", (), ()),
    ("t_", (), (0, 3)),
    ("transpose_", (0, -1), (2, 3, 4)),
    ("transpose_", (1, 1), (2, 3)),
    ("swapaxes_", (0, 2), (2, 3, 4)),
    ("swapdims_", (-1, 0), (2, 0)),
    ("squeeze_", (), (1, 3, 1)),
    ("squeeze_", (0,), (1, 3, 1)),
    ("squeeze_", ((0, 1),), (1, 3, 1)),
    ("squeeze_", (1,), (1, 3, 1)),
    ("unsqueeze_", (0,), (3,)),
    ("unsqueeze_", (-1,), (2, 0)),
    ("as_strided_", ((2, 2), (1, 3)), (2, 3)),
    ("as_strided_", ((2, 2), (1, 1), 1), (2, 3)),
]


@pytest.mark.parametrize(("name", "arguments", "shape"), TURNS, ids=str)
def test_the_tensor_itself_changes(
    name: str, arguments: tuple[Any, ...], shape: tuple[int, ...], device: str
) -> None:
    for dtype in dtypes.ALL:
        if dtype in (dtypes.uint16, dtypes.uint32, dtypes.uint64):
            continue
        peer = torch.arange(int(np.prod(shape))).reshape(shape).to(torch_dtype(dtype))
        mine = to_pumice(peer).to(device)
        before = mine.view(*shape) if shape else mine.view(())
        assert getattr(mine, name)(*arguments) is mine
        getattr(peer, name)(*arguments)
        assert mine.shape == tuple(peer.shape) and mine.stride() == peer.stride()
        assert mine.storage_offset() == peer.storage_offset()
        assert mine.dtype is dtype and mine.tolist() == peer.tolist()
        assert before.shape == shape
        if mine.numel():
            mine[(0,) * mine.ndim].fill_(1)
            assert before.reshape(-1)[mine.storage_offset()].item() == 1


def _result_of_an_operation(t: Any, x: Any) -> Any:
    y = x * x
    before = y[0]
    y.t_()
    y[1].mul_(before[:2].sum())
    return y.unsqueeze_(0) * before.sum() + y.squeeze(0)


def _alias_of_a_result(t: Any, x: Any) -> Any:
    y = x * x
    y.view(2, 3)[:, 1:].transpose_(0, 1).mul_(x.t()[:2])
    return y


def _detached(t: Any, x: Any) -> Any:
    y = x.detach().clone().t_()
    return y * x.t()


def _view_of_a_leaf_under_no_grad(t: Any, x: Any) -> Any:
    y = x[:, :2]
    with t.no_grad():
        y.t_()
    return y * y


PROGRAMS = (_result_of_an_operation, _alias_of_a_result, _detached, _view_of_a_leaf_under_no_grad)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_two_orders(program: Callable[[Any, Any], Any], device: str) -> None:
    values = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)
    found = []
    for t, x in (
        (torch, torch.tensor(values, requires_grad=True)),
        (pumice, pumice.tensor(values, device=device, requires_grad=True)),
    ):
        result = program(t, x)
        (first,) = t.autograd.grad((result * result).sum(), x, create_graph=True)
        (second,) = t.autograd.grad((first * first).sum(), x)
        found.append([each.detach().cpu().numpy() for each in (result, first, second)])
    for theirs, mine in zip(*found, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)


def _with_hook() -> pumice.Tensor:
    y = pumice.ones(2, 3, requires_grad=True) * 2
    y.retain_grad()
    return y


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: pumice.ones(2, 3, requires_grad=True), "a leaf that requires grad"),
        (lambda: pumice.ones(2, 3, requires_grad=True)[:, 1:], "a view of a leaf"),
        (_with_hook, "a tensor with hooks"),
    ],
    ids=["leaf", "view", "hook"],
)
def test_what_is_refused(make: Callable[[], pumice.Tensor], what: str) -> None:
    tensor = make()
    shape = tensor.shape
    for name, arguments in (("t_", ()), ("unsqueeze_", (0,)), ("as_strided_", ((2,), (1,)))):
        with pytest.raises(pumice.InvalidArgument, match=f"{name}: {what}.*{name[:-1]}\\(\\)"):
            getattr(tensor, name)(*arguments)
    assert tensor.shape == shape


def test_wrong_axes_leave_it_as_it_was(device: str) -> None:
    tensor = pumice.ones(2, 3, 4, device=device)
    with pytest.raises(pumice.ShapeError, match="3 dimensions"):
        tensor.t_()
    with pytest.raises(pumice.IndexOutOfRange):
        tensor.transpose_(0, 3)
    with pytest.raises(pumice.IndexOutOfRange):
        tensor.unsqueeze_(-5)
    assert tensor.shape == (2, 3, 4)


def test_captures_notice(device: str) -> None:
    """A tensor that a captured function reads, or a part of it, may be turned between calls."""
    weight = pumice.arange(9.0, device=device).reshape(3, 3)
    x = pumice.tensor([1.0, 2.0, 4.0], device=device)
    for step in (lambda x: x @ weight, lambda x: x[:2] @ weight[1:]):
        captured = pumice.jit(step)
        for _ in range(4):
            assert captured(x).tolist() == step(x).tolist()
        weight.t_()
        for _ in range(4):
            assert captured(x).tolist() == step(x).tolist()


def test_captures_replay_turns_of_their_own_tensors(device: str) -> None:
    def step(x: Any) -> Any:
        return (x * 2).t_().unsqueeze_(0)

    captured = pumice.jit(step)
    count = replaced.count
    for number in range(5):
        x = pumice.full((2, 3), float(number), device=device).t_()
        x.unsqueeze_(0).squeeze_(0)
        found = captured(x)
        assert found.shape == (1, 2, 3) and found.tolist() == step(x).tolist()
        found.squeeze_(0)
    assert replaced.count == count


def test_arguments_turned_in_a_captured_function_are_turned_in_every_call() -> None:
    captured = pumice.jit(lambda x: x.t_() * 1)
    for _ in range(5):
        x = pumice.zeros(2, 3)
        assert captured(x).shape == (3, 2) and x.shape == (3, 2)
