"""What changes after a function has been captured: each change is followed, none is ignored."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import nn, optim

STEPS = 4


class Listed(nn.Module):
    """Applies a list of modules, which is not called itself."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Identity()])

    def forward(self, x: pumice.Tensor) -> pumice.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Training:
    """A model, its optimizer and one step, captured or not."""

    def __init__(self, captured: bool, device: str) -> None:
        pumice.manual_seed(0)
        self.model = nn.Sequential(
            nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.0), nn.Linear(4, 1), nn.LeakyReLU(), Listed()
        )
        self.model.to(device)
        self.handle: Any = None
        self.optimizer: Any = optim.AdamW(self.model[0].parameters(), lr=0.1)
        self.optimizer.add_param_group({"params": [self.model[3].weight]})
        numbers = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
        self.x = pumice.tensor(numbers, device=device)
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
    training.handle = training.model[0].register_forward_hook(lambda _, __, out: out * 0.5)


def drop_everything(training: Training) -> None:
    training.model[2].p = 1.0


def unhook(training: Training) -> None:
    training.handle.remove()


def hook_weight(training: Training) -> None:
    training.model[0].weight.register_hook(lambda g: g * 0.5)


def extend(training: Training) -> None:
    training.model.append(nn.Tanh())


def shorten(training: Training) -> None:
    del training.model[1]


def forget_bias(training: Training) -> None:
    training.model[3].bias = None


def replace_forward(training: Training) -> None:
    training.model[1].forward = lambda x: x * 0.25


def change_slope(training: Training) -> None:
    training.model[4].negative_slope = 0.5


def clear_state(training: Training) -> None:
    training.optimizer.state.clear()


def drop_from_group(training: Training) -> None:
    del training.optimizer.param_groups[0]["params"][0]


def grow_list(training: Training) -> None:
    training.model[5].layers.append(nn.Tanh())


def nothing(_: Training) -> None:
    pass


CHANGES: list[tuple[Callable[[Training], None], ...]] = [
    (load_earlier_state,),
    (freeze, thaw),
    (add_group,),
    (replace_parameter,),
    (replace_module,),
    (hook, unhook),
    (hook_weight,),
    (extend,),
    (shorten,),
    (forget_bias,),
    (replace_forward,),
    (change_slope,),
    (clear_state,),
    (drop_from_group,),
    (grow_list,),
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


def test_what_others_do_captures_nothing_again() -> None:
    runs = 0
    layer = nn.Linear(3, 3)

    def infer(x: pumice.Tensor) -> pumice.Tensor:
        nonlocal runs
        runs += 1
        return layer(x).detach()

    captured, x = pumice.jit(infer), pumice.ones(2, 3)
    for step in range(20):
        optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1)
        nn.Tanh().register_forward_hook(lambda *_: None).remove()
        if step > 1:
            layer.weight.requires_grad_(step % 2 == 0)  # of no matter without backward
        captured(x)
    assert runs == 2


def test_freezing_before_every_call_is_no_fault_of_the_function() -> None:
    layer = nn.Linear(3, 3)
    captured, x = pumice.jit(lambda x: layer(x).detach()), pumice.ones(2, 3)
    for step in range(20):
        layer.weight.requires_grad_(step % 2 == 0)
        assert captured(x).tolist() == layer(x).detach().tolist()


def test_a_change_before_every_call_is_followed_without_replays() -> None:
    model, plain = nn.Sequential(nn.Linear(2, 2)), pumice.ones(1, 2)
    captured = pumice.jit(lambda x: model(x).detach())
    for step in range(20):
        model[0].weight = nn.Parameter(pumice.full((2, 2), float(step)))
        expected = model(plain).detach().tolist()
        assert captured(plain).tolist() == expected


def test_what_the_function_changes_itself_is_no_change() -> None:
    runs = 0

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: pumice.Tensor) -> pumice.Tensor:
            nonlocal runs
            runs += 1
            self.calls += 1
            self.eval()
            self.train()
            return x * 2

    module = Counting()
    captured = pumice.jit(module)
    for _ in range(6):
        assert captured(pumice.ones(2)).tolist() == [2.0, 2.0]
    assert runs == 2


def test_methods_are_bound_to_their_instances() -> None:
    class Scaled:
        def __init__(self, factor: float) -> None:
            self.factor = pumice.tensor(factor)

        @pumice.jit
        def scaled(self, x: pumice.Tensor, more: float = 0.0) -> pumice.Tensor:
            """Return a multiple."""
            return x * self.factor + more

    first, second = Scaled(2.0), Scaled(3.0)
    for number in range(5):
        x = pumice.full((2,), float(number))
        assert first.scaled(x).tolist() == [2.0 * number] * 2
        assert second.scaled(x, more=1.0).tolist() == [3.0 * number + 1] * 2
        first.factor.fill_(2.0)
    assert Scaled.scaled.__doc__ == "Return a multiple."
    assert Scaled.scaled(first, x).tolist() == [8.0, 8.0]
