"""Writes through views of results of operations have PyTorch's gradients, of two orders."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice

Program = Callable[[Any, Any, Any], Any]
A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
Z = [0.5, -1.5, 2.5]


def _of(*steps: Callable[[Any, Any], Any], result: Callable[[Any, Any], Any]) -> Program:
    """Return a program that squares the first leaf, does some steps to it, and looks at it."""

    def program(t: Any, x: Any, z: Any) -> Any:
        y = x * x
        for step in steps:
            step(y, z)
        return result(y, z)

    return program


def _set(place: Any, value: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
    return lambda y, z: y.__setitem__(place, value(y, z))


def _view_before(t: Any, x: Any, z: Any) -> Any:
    y = x * x
    view = y[0]
    y.mul_(2)
    view.mul_(z)
    return y * view


def _chain(t: Any, x: Any, z: Any) -> Any:
    y = x * x
    flat = y.view(6)
    part = flat[1:5]
    square = part.view(2, 2)
    square.t()[0].mul_(z[:2])
    part.add_(z.sum())
    return y + flat.sum() * part.sum() * square.sum()


def _into_zeros(t: Any, x: Any, z: Any) -> Any:
    base = (x * 0).detach()
    row = base[0]
    row.add_(z * z)
    base[1] = x[0] * x[1]
    return base * base + row


def _leaf_under_no_grad(t: Any, x: Any, z: Any) -> Any:
    row = x[0]
    with t.no_grad():
        row.mul_(3)
        x[1] = 0.5
        x[:, 1].add_(1)
    return (row * z).sum() + x * x


def _result_under_no_grad(t: Any, x: Any, z: Any) -> Any:
    y = x * x
    with t.no_grad():
        y[0].mul_(3)
    y[1].mul_(z)
    return y * y


def _of_detached(t: Any, x: Any, z: Any) -> Any:
    y = (x * x).detach()
    y[0].mul_(z)
    return y * y


def _beside_detached(t: Any, x: Any, z: Any) -> Any:
    y = x * x
    other, third = y.detach(), y.detach()
    part = other[0]
    part.mul_(z)
    y.mul_(2)
    other[1] = z
    assert not third.requires_grad
    return y * y + other * 3 + part * 5 + third


def _retained(t: Any, x: Any, z: Any) -> Any:
    y = x * x
    row = y[1]
    y.retain_grad()
    row.retain_grad()
    y[0].mul_(z)
    (y * y).sum().backward(retain_graph=True)
    x.grad = z.grad = None
    assert y.retains_grad
    kept = y.grad
    (row * row).sum().backward()
    x.grad = z.grad = None
    return kept * x * z + row.grad * x


def _with_dirty_argument(t: Any, x: Any, z: Any) -> Any:
    class Triple(t.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, value: Any) -> Any:
            value.mul_(3)
            ctx.mark_dirty(value)
            return value

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    y = x * x
    row = y[0]
    assert Triple.apply(y) is y
    return y * y + row * z


def _self(y: Any, z: Any) -> Any:
    return y * y


PROGRAMS: dict[str, Program] = {
    "a number into a row": _of(_set(0, lambda y, z: 3), result=_self),
    "a tensor into a row": _of(_set(0, lambda y, z: z * z), result=_self),
    "a row scaled": _of(lambda y, z: y[1:].mul_(z), result=_self),
    "a row raised": _of(lambda y, z: y[0].add_(1), result=_self),
    "an element added to": _of(_set((1, 2), lambda y, z: y[1, 2] + z[0] * z[1]), result=_self),
    "a column": _of(lambda y, z: y.t()[2].div_(z[:2]), result=_self),
    "a diagonal": _of(lambda y, z: y.diagonal().mul_(z[:2]), result=_self),
    "every other": _of(lambda y, z: y[:, ::2].zero_(), result=_self),
    "rows from each other": _of(
        lambda y, z: y[0].add_(y[1]), lambda y, z: y[1].sub_(y[0]), result=_self
    ),
    "a row over a row": _of(lambda y, z: y[0].copy_(y[1]), result=_self),
    "by a mask": _of(lambda y, z: y.__setitem__(y > 5, z.sum()), result=_self),
    "a view by a mask": _of(lambda y, z: y[0].masked_fill_(y[0] > 2, 7.0), result=_self),
    "a clamped view": _of(lambda y, z: y[1].clamp_(max=20.0), result=_self),
    "a folded view": _of(lambda y, z: y[0].cumsum_(0), result=_self),
    "a view filled": _of(lambda y, z: y[0].fill_(z.sum()), result=_self),
    "functions of views": _of(
        lambda y, z: y.view(3, 2).t()[1].sin_(), lambda y, z: y[:, 1].exp_(), result=_self
    ),
    "a strided view": _of(
        lambda y, z: y.as_strided((2,), (2,), 1).mul_(z[:2]),
        result=_self,
    ),
    "windows": _of(lambda y, z: y.unfold(1, 1, 2)[:, :, 0].mul_(z[:2]), result=_self),
    "a copy is no view": _of(lambda y, z: y.t().reshape(6).mul_(2), result=_self),
    "a view made before": _view_before,
    "a chain of views": _chain,
    "a detached buffer": _into_zeros,
    "a leaf under no_grad": _leaf_under_no_grad,
    "a result under no_grad": _result_under_no_grad,
    "a detached result": _of_detached,
    "a result beside its detached form": _beside_detached,
    "gradients that are kept": _retained,
    "an argument that a function wrote to": _with_dirty_argument,
}


def _run(module: Any, program: Program, device: str | None, weights: Any) -> list[Any]:
    place = {} if device is None else {"device": device}
    x, z = (
        module.tensor(each, dtype=module.float64, requires_grad=True, **place) for each in (A, Z)
    )
    result = program(module, x, z)
    total = (result * module.tensor(weights, dtype=module.float64, **place)).sum()
    first = module.autograd.grad(total, (x, z), create_graph=True, allow_unused=True)
    used = [each for each in first if each is not None and each.requires_grad]
    found = [result, *first]
    if used:
        second = sum((each * each).sum() for each in used)
        found += module.autograd.grad(second, (x, z), allow_unused=True)
    # A gradient that is not there and one of zeros are the same here.
    return [np.zeros(1) if each is None else np.array(each.detach().tolist()) for each in found]


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_two_orders(name: str, device: str) -> None:
    weights = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    own = _run(pumice, PROGRAMS[name], device, weights)
    theirs = _run(torch, PROGRAMS[name], None, weights)
    for found, expected in zip(own, theirs, strict=False):
        np.testing.assert_allclose(found + 0 * expected, expected + 0 * found, rtol=1e-9, atol=1e-9)
    for rest in [*own[len(theirs) :], *theirs[len(own) :]]:
        assert not rest.any()


JITTED = ["a tensor into a row", "a chain of views", "a view made before", "by a mask"]


@pytest.mark.parametrize("name", JITTED)
def test_inside_a_captured_step(name: str, device: str) -> None:
    def step(x: Any, z: Any) -> Any:
        leaves = (x.detach().requires_grad_(), z.detach().requires_grad_())
        result = PROGRAMS[name](pumice, *leaves)
        return pumice.grad(result.sum(), leaves)

    captured = pumice.jit(step)
    place = {"dtype": pumice.float64, "device": device}
    for scale in (1.0, 2.0, -1.5):
        inputs = [pumice.tensor(np.array(each) * scale, **place) for each in (A, Z)]
        x, z = (torch.tensor(np.array(each) * scale, requires_grad=True) for each in (A, Z))
        expected = torch.autograd.grad(PROGRAMS[name](torch, x, z).sum(), (x, z))
        for found, right in zip(captured(*inputs), expected, strict=True):
            np.testing.assert_allclose(found.cpu().numpy(), right.numpy(), rtol=1e-9, atol=1e-9)


def _silent_view(t: Any, x: Any, z: Any) -> Any:
    y = x * x
    with t.no_grad():
        row = y[0]
    row.mul_(z)


def _silent_view_of_a_leaf(t: Any, x: Any, z: Any) -> Any:
    with t.no_grad():
        row = x.view(6)
    row[1:].mul_(2)


REFUSED: dict[str, tuple[Program, str]] = {
    "a leaf": (lambda t, x, z: x.mul_(2), "a leaf tensor that requires grad"),
    "a view of a leaf": (lambda t, x, z: x[0].mul_(2), "a view of a leaf tensor"),
    "a chain from a leaf": (lambda t, x, z: x.view(6)[1:].view(5).mul_(2), "a view of a leaf"),
    "an element of a leaf": (lambda t, x, z: x.__setitem__(0, 1), "a view of a leaf tensor"),
    "an expanded view": (lambda t, x, z: (x * x)[:1].expand(2, 3).add_(1), "share one memory"),
    "a view made under no_grad": (_silent_view, "a view made under no_grad"),
    "a view of a leaf made under no_grad": (_silent_view_of_a_leaf, "a view made under no_grad"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses_is_refused(name: str) -> None:
    program, text = REFUSED[name]
    with pytest.raises(RuntimeError):
        program(torch, *(torch.tensor(each, requires_grad=True) for each in (A, Z)))
    with pytest.raises(pumice.InvalidArgument, match=text) as caught:
        program(pumice, *(pumice.tensor(each, requires_grad=True) for each in (A, Z)))
    assert __file__ in str(caught.value)


def test_views_made_under_no_grad_may_be_written_to_there() -> None:
    x = pumice.ones(2, requires_grad=True)
    y = x * 2
    with pumice.no_grad():
        y[0].mul_(5)
    assert y.tolist() == [10, 2]
    plain = pumice.ones(2)
    with pumice.no_grad():
        part = plain[0]
    part.mul_(3)
    assert plain.tolist() == [3, 1]


def test_writing_gradients_to_a_detached_tensor_again_and_again(device: str) -> None:
    x = pumice.ones(3, requires_grad=True, device=device)
    buffer = (x * 2).detach()
    for _ in range(500):
        buffer[1:].add_(x[1:])
    (found,) = pumice.grad(buffer.sum(), x)
    assert buffer.tolist() == [2, 502, 502]
    assert found.tolist() == [0, 500, 500]
