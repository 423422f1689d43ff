"""Optimizers step for step against PyTorch."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from pumice import dtypes, optim
from pumice.tensor.convert import tensor
from pumice.tensor.tensor import Tensor

STEPS = 20

SGD_OPTIONS = [
    {"lr": 0.1},
    {"lr": 0.1, "momentum": 0.9},
    {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.05},
    {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01},
    {"lr": 0.01, "maximize": True},
    {"lr": 0.01, "momentum": 0.5, "maximize": True, "weight_decay": 0.1},
]
ADAM_OPTIONS = [
    {"lr": 0.05},
    {"lr": 0.05, "betas": (0.5, 0.9), "eps": 1e-4},
    {"lr": 0.05, "weight_decay": 0.1},
    {"lr": 0.05, "amsgrad": True},
    {"lr": 0.05, "maximize": True, "amsgrad": True, "weight_decay": 0.05},
    {"lr": 0.05, "betas": (0.0, 0.99)},
]
OTHER_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("RMSprop", {"lr": 0.02}),
    ("RMSprop", {"lr": 0.02, "momentum": 0.7, "weight_decay": 0.1, "alpha": 0.9}),
    ("RMSprop", {"lr": 0.02, "centered": True, "momentum": 0.5, "maximize": True}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.2, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "eps": 1e-4, "weight_decay": 0.1, "maximize": True}),
    ("Adamax", {"lr": 0.05}),
    ("Adamax", {"lr": 0.05, "betas": (0.5, 0.9), "weight_decay": 0.1, "maximize": True}),
    ("RAdam", {"lr": 0.05}),
    ("RAdam", {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1, "maximize": True}),
    ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Rprop", {"lr": 0.01}),
    ("Rprop", {"lr": 0.05, "etas": (0.3, 1.5), "step_sizes": (1e-3, 0.2), "maximize": True}),
]
NADAM_OPTIONS = [
    {"lr": 0.05},
    {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1, "momentum_decay": 0.1},
    {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
]
CASES = [
    *[("SGD", options) for options in SGD_OPTIONS],
    *[("Adam", options) for options in ADAM_OPTIONS],
    *[("AdamW", options) for options in ADAM_OPTIONS],
    *OTHER_OPTIONS,
    *[("NAdam", options) for options in NADAM_OPTIONS],
]


def problem(dtype: Any = np.float32) -> tuple[list[Any], Any, Any]:
    random = np.random.default_rng(0)
    start = [random.normal(size=(4, 3)).astype(dtype), random.normal(size=(3,)).astype(dtype)]
    inputs = random.normal(size=(5, 4)).astype(dtype)
    return start, inputs, random.normal(size=(5, 3)).astype(dtype)


def loss_of(weight: Any, bias: Any, inputs: Any, target: Any) -> Any:
    difference = (inputs @ weight + bias).tanh() - target
    return (difference * difference).mean()


def train(make: Any, array: Any, parameters: list[Any], steps: int = STEPS) -> list[list[Any]]:
    """Return the parameters after each step."""
    _, inputs, target = problem(parameters[0].detach().numpy().dtype)
    optimizer = make(parameters)
    history = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(*parameters, array(inputs), array(target)).backward()
        optimizer.step()
        history.append([np.array(each.detach().numpy()) for each in parameters])
    return history


def ours(start: list[Any]) -> list[Tensor]:
    return [tensor(each, requires_grad=True) for each in start]


def theirs(start: list[Any]) -> list[torch.Tensor]:
    return [torch.tensor(each, requires_grad=True) for each in start]


def assert_same(first: list[list[Any]], second: list[list[Any]], rtol: float) -> None:
    for step, (left, right) in enumerate(zip(first, second, strict=True)):
        for mine, other in zip(left, right, strict=True):
            np.testing.assert_allclose(mine, other, rtol=rtol, atol=rtol, err_msg=f"step {step}")


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_every_step(name: str, options: dict[str, Any]) -> None:
    start, _, _ = problem(np.float64)
    mine = train(lambda p: getattr(optim, name)(p, **options), tensor, ours(start))
    other = train(lambda p: getattr(torch.optim, name)(p, **options), torch.tensor, theirs(start))
    assert_same(mine, other, 1e-9)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_every_step_in_float32(name: str, options: dict[str, Any]) -> None:
    """From the same gradients: Adam would blow up rounding where a gradient cancels to nearly 0."""
    random = np.random.default_rng(1)
    start, _, _ = problem()
    slopes = [
        [random.normal(size=each.shape).astype(np.float32) for each in start] for _ in range(STEPS)
    ]

    def run(kind: Any, array: Any, parameters: list[Any]) -> list[list[Any]]:
        optimizer = getattr(kind, name)(parameters, **options)
        history = []
        for gradients in slopes:
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.grad = array(gradient)
            optimizer.step()
            history.append([np.array(each.detach().numpy()) for each in parameters])
        return history

    assert_same(
        run(optim, tensor, ours(start)), run(torch.optim, torch.tensor, theirs(start)), 2e-6
    )


def test_groups_with_their_own_options() -> None:
    start, _, _ = problem()

    def groups(p: list[Any]) -> list[dict[str, Any]]:
        return [{"params": [p[0]], "lr": 0.01}, {"params": p[1], "weight_decay": 0.5}]

    mine = train(lambda p: optim.AdamW(groups(p), lr=0.1), tensor, ours(start))
    other = train(lambda p: torch.optim.AdamW(groups(p), lr=0.1), torch.tensor, theirs(start))
    assert_same(mine, other, 2e-6)


@pytest.mark.parametrize("name", ["SGD", "Adam", "NAdam", "Adagrad"])
def test_a_parameter_that_sits_out(name: str) -> None:
    """Its own count of steps stands still, as in PyTorch."""

    def run(kind: Any, parameters: list[Any]) -> list[list[Any]]:
        optimizer = kind(parameters, lr=0.1)
        history = []
        for step in range(6):
            optimizer.zero_grad()
            loss = (parameters[0] * parameters[0]).sum()
            if step in (0, 3, 4):
                loss = loss + (parameters[1] * parameters[1]).sum()
            loss.backward()
            optimizer.step()
            history.append([np.array(each.detach().numpy()) for each in parameters])
        return history

    start, _, _ = problem()
    assert_same(
        run(getattr(optim, name), ours(start)), run(getattr(torch.optim, name), theirs(start)), 2e-6
    )


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_state_dict_continues_where_it_stopped(name: str, options: dict[str, Any]) -> None:
    start, inputs, target = problem()
    make: Any = getattr(optim, name)
    whole = train(lambda p: make(p, **options), tensor, ours(start), 6)
    first = ours(start)
    optimizer = make(first, **options)

    def step(optimizer: Any, parameters: list[Tensor]) -> None:
        optimizer.zero_grad()
        loss_of(*parameters, tensor(inputs), tensor(target)).backward()
        optimizer.step()

    for _ in range(3):
        step(optimizer, first)
    saved = copy.deepcopy(optimizer.state_dict())
    second = [tensor(each.detach().numpy().copy(), requires_grad=True) for each in first]
    resumed = make(second, lr=99.0)
    resumed.load_state_dict(saved)
    for _ in range(3):
        step(resumed, second)
    for mine, other in zip(second, whole[-1], strict=True):
        np.testing.assert_array_equal(mine.detach().numpy(), other)


def test_state_dict_of_torch_loads() -> None:
    start, inputs, target = problem()
    parameters = theirs(start)
    other = torch.optim.AdamW(parameters, lr=0.05)
    for _ in range(3):
        other.zero_grad()
        loss_of(*parameters, torch.tensor(inputs), torch.tensor(target)).backward()
        other.step()
    saved = other.state_dict()
    state = {
        number: {key: tensor(value.numpy()) for key, value in values.items()}
        for number, values in saved["state"].items()
    }
    mine = ours([each.detach().numpy() for each in parameters])
    optimizer = optim.AdamW(mine, lr=1.0)
    optimizer.load_state_dict({"state": state, "param_groups": saved["param_groups"]})
    for step_of, array, kind in ((optimizer, tensor, mine), (other, torch.tensor, parameters)):
        step_of.zero_grad()
        loss_of(*kind, array(inputs), array(target)).backward()
        step_of.step()
    for left, right in zip(mine, parameters, strict=True):
        np.testing.assert_allclose(left.detach().numpy(), right.detach().numpy(), rtol=2e-6)


@pytest.mark.parametrize("name", ["Adam", "SGD"])
def test_small_floats(name: str) -> None:
    """The update is computed in float32 and rounded once."""
    parameter = tensor([1.0, -2.0], dtype=dtypes.bfloat16, requires_grad=True)
    optimizer = getattr(optim, name)([parameter], lr=0.25)
    (parameter * parameter).sum().backward()
    optimizer.step()
    assert parameter.dtype is dtypes.bfloat16
    expected = [0.75, -1.75] if name == "Adam" else [0.5, -1.0]
    assert parameter.tolist() == expected
