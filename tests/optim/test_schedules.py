"""Schedules of learning rates, epoch for epoch against PyTorch."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from pumice import optim
from pumice.errors import InvalidArgument
from pumice.tensor.convert import tensor
from pumice.tensor.jit import jit
from pumice.tensor.tensor import Tensor

pytestmark = pytest.mark.filterwarnings(
    "ignore:Detected call of `lr_scheduler.step", "ignore:The epoch parameter in"
)

CASES: list[tuple[str, dict[str, Any]]] = [
    ("StepLR", {"step_size": 2}),
    ("MultiStepLR", {"milestones": [1, 4, 4], "gamma": 0.5}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("LambdaLR", {"lr_lambda": lambda epoch: 1 / (1 + epoch)}),
    ("LambdaLR", {"lr_lambda": [lambda epoch: 1 / (1 + epoch), lambda epoch: 0.5**epoch]}),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 1 - epoch / 50}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 3}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 0.01, "end_factor": 0.7, "total_iters": 8}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.0, "total_iters": 8}),
    ("PolynomialLR", {}),
    ("PolynomialLR", {"total_iters": 9, "power": 2.0}),
    ("CosineAnnealingLR", {"T_max": 5}),
    ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 4}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.02}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.9, "step_size_up": 4}),
    (
        "CyclicLR",
        {"base_lr": [0.1, 0.2], "max_lr": 0.9, "step_size_up": 3, "step_size_down": 5}
        | {"mode": "triangular2", "base_momentum": 0.5, "max_momentum": [0.9, 0.8]},
    ),
    (
        "CyclicLR",
        {"base_lr": 0.1, "max_lr": 0.9, "step_size_up": 4, "mode": "exp_range", "gamma": 0.9},
    ),
    (
        "CyclicLR",
        {"base_lr": 0.1, "max_lr": 0.9, "step_size_up": 4, "cycle_momentum": False}
        | {"scale_fn": lambda x: 1 / (1 + x), "scale_mode": "iterations"},
    ),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 40}),
    ("OneCycleLR", {"max_lr": [0.5, 0.2], "epochs": 5, "steps_per_epoch": 7}),
    (
        "OneCycleLR",
        {"max_lr": 0.5, "total_steps": 31, "three_phase": True, "anneal_strategy": "linear"}
        | {"pct_start": 0.4, "div_factor": 10.0, "final_div_factor": 100.0},
    ),
]
EPOCHS = 25


def pair(make: Callable[[Any, list[Any]], Any] | None = None) -> tuple[Any, Any]:
    """Return an optimizer of ours and one of PyTorch with two groups of their own rates."""
    made = []
    for module, parameters in (
        (optim, [tensor([1.0], requires_grad=True) for _ in range(2)]),
        (torch.optim, [torch.ones(1, requires_grad=True) for _ in range(2)]),
    ):
        groups = [{"params": [parameters[0]]}, {"params": [parameters[1]], "lr": 0.07}]
        if make is None:
            made.append(module.SGD(groups, lr=0.3, momentum=0.9))
        else:
            made.append(make(module, groups))
    return made[0], made[1]


def rates(optimizer: Any) -> list[float]:
    return [float(group["lr"]) for group in optimizer.param_groups]


def options(optimizer: Any) -> list[float]:
    """Return rates and momenta."""
    return rates(optimizer) + [
        float(group["betas"][0] if "betas" in group else group["momentum"])
        for group in optimizer.param_groups
    ]


def follow(ours: tuple[Any, Any], theirs: tuple[Any, Any], epochs: int = EPOCHS) -> None:
    """Step two schedules side by side and compare what they set."""
    (schedule, optimizer), (expected, other) = ours, theirs
    for epoch in range(epochs):
        np.testing.assert_allclose(
            options(optimizer), options(other), rtol=1e-9, atol=1e-15, err_msg=f"epoch {epoch}"
        )
        np.testing.assert_allclose(
            schedule.get_last_lr(), expected.get_last_lr(), rtol=1e-9, atol=1e-15
        )
        schedule.step()
        expected.step()


NAMES = [f"{name}-{place}" for place, (name, _) in enumerate(CASES)]


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=NAMES)
def test_alone(name: str, arguments: dict[str, Any]) -> None:
    ours, theirs = pair()
    schedule = getattr(optim.lr_scheduler, name)(ours, **copy.copy(arguments))
    expected = getattr(torch.optim.lr_scheduler, name)(theirs, **copy.copy(arguments))
    follow((schedule, ours), (expected, theirs))


@pytest.mark.parametrize("name", ["CyclicLR", "OneCycleLR"])
def test_cycling_the_first_beta(name: str) -> None:
    arguments = dict(next(arguments for each, arguments in CASES if each == name))
    ours, theirs = pair(lambda module, groups: module.AdamW(groups, lr=0.1))
    follow(
        (getattr(optim.lr_scheduler, name)(ours, **arguments), ours),
        (getattr(torch.optim.lr_scheduler, name)(theirs, **arguments), theirs),
    )


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=NAMES)
def test_state_continues(name: str, arguments: dict[str, Any]) -> None:
    ours, _ = pair()
    schedule = getattr(optim.lr_scheduler, name)(ours, **copy.copy(arguments))
    for _ in range(7):
        schedule.step()
    saved = schedule.state_dict()
    groups = [dict(group) for group in ours.param_groups]
    schedule.step()
    again, _ = pair()
    resumed = getattr(optim.lr_scheduler, name)(again, **copy.copy(arguments))
    resumed.load_state_dict(saved)
    for group, kept in zip(again.param_groups, groups, strict=True):
        group.update({key: value for key, value in kept.items() if key != "params"})
    resumed.step()
    assert options(again) == options(ours)
    assert resumed.last_epoch == 8


def both(make: Callable[[Any, Any], Any]) -> None:
    """Compare a schedule made by the same code from both modules."""
    ours, theirs = pair()
    follow(
        (make(optim.lr_scheduler, ours), ours),
        (make(torch.optim.lr_scheduler, theirs), theirs),
    )


def test_chained() -> None:
    both(
        lambda module, optimizer: module.ChainedScheduler(
            [
                module.ConstantLR(optimizer, factor=0.1, total_iters=3),
                module.ExponentialLR(optimizer, gamma=0.9),
                module.CosineAnnealingLR(optimizer, T_max=30, eta_min=0.001),
            ]
        )
    )


def test_sequential() -> None:
    both(
        lambda module, optimizer: module.SequentialLR(
            optimizer,
            [
                module.LinearLR(optimizer, start_factor=0.1, total_iters=4),
                module.CosineAnnealingLR(optimizer, T_max=8),
                module.LambdaLR(optimizer, lambda epoch: 0.5**epoch),
            ],
            milestones=[4, 12],
        )
    )


def test_state_of_combined() -> None:
    def make(optimizer: Any) -> Any:
        parts = [
            optim.lr_scheduler.LinearLR(optimizer, total_iters=4),
            optim.lr_scheduler.StepLR(optimizer, 3),
        ]
        return optim.lr_scheduler.SequentialLR(optimizer, parts, milestones=[4])

    first, _ = pair()
    schedule = make(first)
    for _ in range(9):
        schedule.step()
    second, _ = pair()
    resumed = make(second)
    resumed.load_state_dict(schedule.state_dict())
    for mine, kept in zip(second.param_groups, first.param_groups, strict=True):
        mine["lr"] = kept["lr"]
    schedule.step()
    resumed.step()
    assert rates(first) == rates(second)


def test_two_on_one_optimizer_combine() -> None:
    """Each step scales the present rate, so a warm-up and a decay stepped in turn multiply."""
    ours, theirs = pair()
    mine = [optim.lr_scheduler.StepLR(ours, 3), optim.lr_scheduler.LinearLR(ours)]
    other = [torch.optim.lr_scheduler.StepLR(theirs, 3), torch.optim.lr_scheduler.LinearLR(theirs)]
    for _ in range(10):
        np.testing.assert_allclose(rates(ours), rates(theirs), rtol=1e-12)
        for schedule in mine:
            schedule.step()
        for expected in other:
            expected.step()


def test_warm_restarts_at_fractions() -> None:
    ours, theirs = pair()
    arguments: dict[str, Any] = {"T_0": 3, "T_mult": 2}
    schedule = optim.lr_scheduler.CosineAnnealingWarmRestarts(ours, **arguments)
    expected = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(theirs, **arguments)
    for step in range(40):
        schedule.step(step / 4)
        expected.step(step / 4)
        np.testing.assert_allclose(rates(ours), rates(theirs), rtol=1e-9)


@pytest.mark.parametrize(
    "arguments",
    [
        {"patience": 2},
        {"mode": "max", "patience": 0, "cooldown": 2, "threshold_mode": "abs", "threshold": 0.05},
        {"factor": 0.5, "patience": 1, "min_lr": [0.1, 0.02]},
    ],
    ids=str,
)
def test_plateau(arguments: dict[str, Any]) -> None:
    ours, theirs = pair()
    schedule = optim.lr_scheduler.ReduceLROnPlateau(ours, **arguments)
    expected = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, **arguments)
    random = np.random.default_rng(3)
    for metric in np.abs(random.normal(size=30)) + 1 / np.arange(1, 31):
        schedule.step(tensor(metric))
        expected.step(metric)
        assert rates(ours) == pytest.approx(rates(theirs), rel=1e-12)
    assert schedule.num_bad_epochs == expected.num_bad_epochs


def test_rate_in_a_tensor_stays_the_same_tensor() -> None:
    rate = tensor(2.0)
    optimizer = optim.SGD([tensor([1.0], requires_grad=True)], lr=rate)
    cosine = optim.lr_scheduler.CosineAnnealingLR(optimizer, 4, eta_min=0.5)
    cosine.step()
    assert optimizer.param_groups[0]["lr"] is rate
    assert math.isclose(rate.item(), 0.5 + 1.5 * (1 + math.cos(math.pi / 4)) / 2, rel_tol=1e-6)


def test_own_schedule() -> None:
    """A subclass may give get_lr, as in PyTorch."""

    class Halving(optim.lr_scheduler.LRScheduler):
        def get_lr(self) -> list[float]:
            return [base * 0.5**self.last_epoch for base in self.base_lrs]

    ours, _ = pair()
    schedule = Halving(ours)
    schedule.step()
    assert rates(ours) == [0.15, 0.035]


def sgd() -> optim.SGD:
    parameter: Tensor = tensor([1.0], requires_grad=True)
    return optim.SGD([parameter], lr=0.1)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda m: m.LinearLR(sgd(), start_factor=0.0), "LinearLR: start_factor is 0.0; above 0"),
        (lambda m: m.LinearLR(sgd(), end_factor=2.0), "LinearLR: end_factor is 2.0; 0 to 1"),
        (lambda m: m.ConstantLR(sgd(), factor=2.0), "ConstantLR: factor is 2.0"),
        (lambda m: m.LambdaLR(sgd(), [abs, abs]), "lr_lambda has 2 values; one for each of 1"),
        (lambda m: m.StepLR(sgd(), 2, last_epoch=3), "param 'initial_lr' is not specified"),
        (lambda m: m.CosineAnnealingWarmRestarts(sgd(), 0), "T_0 is 0; a positive integer"),
        (
            lambda m: m.CosineAnnealingWarmRestarts(sgd(), 2).step(-1),
            "CosineAnnealingWarmRestarts: epoch is -1; 0 or more",
        ),
        (lambda m: m.CyclicLR(sgd(), 0.1, 0.2, mode="x"), "CyclicLR: mode is 'x'; triangular"),
        (
            lambda m: m.CyclicLR(optim.Adagrad([tensor([1.0], requires_grad=True)]), 0.1, 0.2),
            "CyclicLR: optimizer must support momentum or beta1",
        ),
        (lambda m: m.OneCycleLR(sgd(), 0.1), "OneCycleLR: got total_steps=None, epochs=None"),
        (lambda m: m.OneCycleLR(sgd(), 0.1, 10, pct_start=2.0), "pct_start is 2.0; 0 to 1"),
        (
            lambda m: m.OneCycleLR(sgd(), 0.1, 10, anneal_strategy="x"),
            "anneal_strategy is 'x'; 'cos' or 'linear'",
        ),
        (lambda m: m.ChainedScheduler([]), "ChainedScheduler: got no schedulers; at least one"),
        (
            lambda m: m.ChainedScheduler([m.StepLR(sgd(), 1), m.StepLR(sgd(), 1)]),
            "the scheduler at 1 belongs to a different optimizer",
        ),
        (
            lambda m: (lambda o: m.SequentialLR(o, [m.StepLR(o, 1)], [3]))(sgd()),
            "SequentialLR: got 1 schedulers and 1 milestones",
        ),
        (lambda m: m.ReduceLROnPlateau(sgd(), factor=1.0), "factor is 1.0; below 1.0"),
        (lambda m: m.ReduceLROnPlateau(sgd(), mode="x"), "mode is 'x'; 'min' or 'max'"),
        (
            lambda m: m.ReduceLROnPlateau(sgd(), threshold_mode="x"),
            "threshold_mode is 'x'; 'rel' or 'abs'",
        ),
    ],
)
def test_wrong_arguments(make: Any, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        make(optim.lr_scheduler)


def test_one_cycle_ends() -> None:
    schedule = optim.lr_scheduler.OneCycleLR(sgd(), 0.1, total_steps=3)
    for _ in range(3):
        schedule.step()
    with pytest.raises(InvalidArgument, match="OneCycleLR: tried to step 4 times"):
        schedule.step()


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "RAdam"]
)
def test_a_captured_step_follows_a_rate_in_a_tensor(name: str) -> None:
    def run(captured: bool) -> list[float]:
        parameter = tensor([1.0, -2.0], requires_grad=True)
        optimizer = getattr(optim, name)([parameter], lr=tensor(0.1))
        schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, 12)

        def step(x: Tensor) -> Tensor:
            optimizer.zero_grad()
            loss = ((parameter * x) ** 2).sum()
            loss.backward()
            optimizer.step()
            return loss.detach()

        called: Any = jit(step) if captured else step
        losses = []
        for _ in range(12):
            losses.append(called(tensor([1.0, 0.5])).item())
            schedule.step()
        return losses

    np.testing.assert_allclose(run(True), run(False), rtol=1e-6)


RATES = {
    "SGD": {"momentum": 0.9, "weight_decay": 0.01},
    "Adam": {"weight_decay": 0.01},
    "AdamW": {},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Adagrad": {"lr_decay": 0.1},
    "Adadelta": {},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {},
}


def losses_of(
    make: Callable[[list[Tensor]], Any], change: Callable[[Any, int], None], captured: bool
) -> tuple[list[float], int]:
    """Return the losses of steps between which options change, and how often Python ran."""
    parameter = tensor([1.0, -2.0], requires_grad=True)
    optimizer = make([parameter])
    runs = 0

    def step(x: Tensor) -> Tensor:
        nonlocal runs
        runs += 1
        optimizer.zero_grad()
        loss = ((parameter * x) ** 2).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    called: Any = jit(step) if captured else step
    losses = []
    for number in range(14):
        change(optimizer.param_groups[0], number)
        losses.append(called(tensor([1.0, 0.5])).item())
    return losses, runs


@pytest.mark.parametrize("name", RATES)
def test_a_captured_step_follows_a_rate_that_is_a_number(name: str) -> None:
    def make(parameters: list[Tensor]) -> Any:
        return getattr(optim, name)(parameters, lr=0.1, **RATES[name])

    def change(group: dict[str, Any], number: int) -> None:
        group["lr"] = 0.1 * 0.9**number

    found, runs = losses_of(make, change, captured=True)
    expected, _ = losses_of(make, change, captured=False)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert runs <= 5  # the others were replayed


def test_a_captured_step_follows_momentum_and_notices_zeros() -> None:
    def make(parameters: list[Tensor]) -> Any:
        return optim.SGD(parameters, lr=0.1, momentum=0.9)

    def cycled(group: dict[str, Any], number: int) -> None:
        group["lr"] = 0.05 + 0.01 * (number % 3)
        group["momentum"] = 0.5 + 0.1 * (number % 4)

    found, runs = losses_of(make, cycled, captured=True)
    np.testing.assert_allclose(found, losses_of(make, cycled, captured=False)[0], rtol=1e-5)
    assert runs <= 5

    def stopped(group: dict[str, Any], number: int) -> None:
        cycled(group, number)
        if number >= 8:
            group["momentum"] = 0.0
        if number == 12:
            group["lr"], group["weight_decay"] = 0, 0.1

    found, _ = losses_of(make, stopped, captured=True)
    np.testing.assert_allclose(found, losses_of(make, stopped, captured=False)[0], rtol=1e-5)


BETAS = ("Adam", "AdamW", "Adamax", "NAdam", "RAdam")


@pytest.mark.parametrize("name", BETAS)
def test_a_captured_step_follows_betas_and_notices_the_others(name: str) -> None:
    def make(parameters: list[Tensor]) -> Any:
        return getattr(optim, name)(parameters, lr=0.1)

    def cycled(group: dict[str, Any], number: int) -> None:
        group["lr"] = 0.05 + 0.01 * (number % 3)
        group["betas"] = (0.95 - 0.02 * (number % 5), 0.999)

    found, runs = losses_of(make, cycled, captured=True)
    np.testing.assert_allclose(found, losses_of(make, cycled, captured=False)[0], rtol=1e-5)
    assert runs <= 5

    def stopped(group: dict[str, Any], number: int) -> None:
        cycled(group, number)
        if number >= 8:
            group["betas"] = (0.0 if number == 10 else 0.8, 0.9)

    found, _ = losses_of(make, stopped, captured=True)
    np.testing.assert_allclose(found, losses_of(make, stopped, captured=False)[0], rtol=1e-5)


@pytest.mark.parametrize("option", ["weight_decay", "eps", "second"])
def test_options_that_change_in_every_step_are_captured_anew(option: str) -> None:
    def make(parameters: list[Tensor]) -> Any:
        return optim.AdamW(parameters, lr=0.1)

    def change(group: dict[str, Any], number: int) -> None:
        if option == "second":
            group["betas"] = (0.9, 0.9 + 0.005 * number)
        else:
            group[option] = 0.01 * (number + 1)

    found, runs = losses_of(make, change, captured=True)
    np.testing.assert_allclose(found, losses_of(make, change, captured=False)[0], rtol=1e-5)
    assert runs == 14


@pytest.mark.parametrize("schedule", ["StepLR", "OneCycleLR", "ExponentialLR", "by hand"])
@pytest.mark.parametrize("rate", [0.1, "tensor"])
def test_a_captured_step_that_changes_its_own_options_is_refused(schedule: str, rate: Any) -> None:
    parameter = tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.AdamW([parameter], lr=tensor(0.1) if rate == "tensor" else rate)
    options = {"StepLR": {"step_size": 30}, "ExponentialLR": {"gamma": 0.9}}
    made = options.get(schedule, {"max_lr": 0.1, "total_steps": 50})
    name = "OneCycleLR" if schedule == "by hand" else schedule
    stepped = getattr(optim.lr_scheduler, name)(optimizer, **made)

    def step(x: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = (parameter * x).sum()
        loss.backward()
        optimizer.step()
        if schedule == "by hand":
            optimizer.param_groups[0]["eps"] *= 2
        else:
            stepped.step()
        return loss.detach()

    captured = jit(step)
    with pytest.raises(InvalidArgument, match="changes options|inside of a captured function"):
        for _ in range(9):
            captured(tensor([1.0, 0.5]))
