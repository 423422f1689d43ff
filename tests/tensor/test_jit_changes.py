"""What changes after a function has been captured: each change is followed, none is ignored."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import nn, optim

STEPS = 4


class Training:
    """A model, its optimizer and one step, captured or not."""

    def __init__(self, captured: bool, device: str) -> None:
        pumice.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.0), nn.Linear(4, 1))
        self.model.to(device)
        self.optimizer: Any = optim.AdamW(self.model[0].parameters(), lr=0.1)
        self.optimizer.add_param_group({"params": [self.model[3].weight]})
        self.x = pumice.tensor(np.linspace(-1, 1, 12).reshape(4, 3), device=device).float()
        self.step = pumice.jit(self._step) if captured else self._step

    def _step(self, x: pumice.Tensor) -> pumice.Tensor:
        self.optimizer.zero_grad()
        loss = (self.model(x) - 1).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def losses(self) -> list[float]:
        return [self.step(self.x).item() for _ in range(STEPS)]


def load_earlier_state(training: Training) -> None:
    state = training.optimizer.state_dict()
    for values in state["state"].values():
        values.update({key: value * 0.5 for key, value in values.items() if key != "step"})
    training.optimizer.load_state_dict(state)


def freeze(training: Training) -> None:
    training.model[0].weight.requires_grad_(False)


def thaw(training: Training) -> None:
    training.model[0].weight.requires_grad = True


def add_group(training: Training) -> None:
    training.optimizer.add_param_group({"params": [training.model[3].bias]})


def replace_parameter(training: Training) -> None:
    device = training.x.device
    training.model[3].weight = nn.Parameter(pumice.full((1, 4), 0.25, device=device))


def replace_module(training: Training) -> None:
    training.model[1] = nn.ReLU()


def hook(training: Training) -> None:
    training.model[0].register_forward_hook(lambda _, __, out: out * 0.5)


def drop_everything(training: Training) -> None:
    training.model[2].p = 1.0


def nothing(_: Training) -> None:
    pass


CHANGES: list[tuple[Callable[[Training], None], ...]] = [
    (load_earlier_state,),
    (freeze, thaw),
    (add_group,),
    (replace_parameter,),
    (replace_module,),
    (hook,),
    (drop_everything,),
]


@pytest.mark.parametrize("changes", CHANGES, ids=lambda each: each[0].__name__)
def test_a_captured_step_follows(changes: Any, device: str) -> None:
    eager, captured = Training(False, device), Training(True, device)
    for change in (nothing, *changes):
        change(eager)
        change(captured)
        np.testing.assert_allclose(captured.losses(), eager.losses(), rtol=1e-4, atol=1e-6)


def test_gradients_that_come_and_go_are_named() -> None:
    weight = pumice.ones(2, requires_grad=True)
    calls = 0

    def accumulate(x: pumice.Tensor) -> pumice.Tensor:
        loss = (weight * x).sum()
        loss.backward()
        return loss.detach()

    captured = pumice.jit(accumulate)
    with pytest.raises(pumice.InvalidArgument, match=r"zero_grad\(set_to_none=False\)"):
        for calls in range(20):
            if calls % 2:
                weight.grad = None
            captured(pumice.ones(2))
    assert calls


def test_small_functions_follow_the_default_device(device: str) -> None:
    plain = pumice.jit(lambda a: pumice.ones(3) * 2)
    a = pumice.ones(3)
    for _ in range(4):
        plain(a)
    with pumice.device(device):
        assert plain(a).device == pumice.device(device)
    assert plain(a).device == pumice.device("cpu")
