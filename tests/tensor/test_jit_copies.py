"""Captured functions, and what holds them, can be copied and pickled: copies capture anew."""

import copy
import pickle
from typing import Any

import pytest

import pumice
from pumice import nn

CALLS = 4


@pumice.jit
def double(x: pumice.Tensor) -> pumice.Tensor:
    """Twice the operand."""
    return x * 2


def plain(x: pumice.Tensor) -> pumice.Tensor:
    return x * 3


captured_plain = pumice.jit(plain)


class Scaled(nn.Module):
    """A module that captures a method of its own, another module and a decorated method."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = nn.Parameter(pumice.tensor(factor))
        self.inner = pumice.jit(nn.Linear(2, 2, bias=False))
        self.captured = pumice.jit(self.scaled)

    def scaled(self, x: pumice.Tensor) -> pumice.Tensor:
        return x * self.factor.detach()

    @pumice.jit
    def decorated(self, x: pumice.Tensor) -> pumice.Tensor:
        return x + 1


def both(value: Any) -> list[Any]:
    return [copy.deepcopy(value), pickle.loads(pickle.dumps(value))]


def test_a_decorated_function_is_pickled_by_name() -> None:
    for _ in range(CALLS):
        assert double(pumice.ones(1)).item() == 2
    assert all(each is double for each in (*both(double), copy.copy(double)))
    assert all(each is Scaled.decorated for each in both(Scaled.decorated))


def test_a_captured_function_is_pickled_without_its_captures() -> None:
    for _ in range(CALLS):
        captured_plain(pumice.ones(1))
    for twin in both(captured_plain):
        assert twin is not captured_plain and type(twin) is type(captured_plain)
        assert twin.__name__ == "plain" and twin.__wrapped__ is plain
        for number in range(CALLS):
            assert twin(pumice.full((2,), float(number))).tolist() == [3.0 * number] * 2


@pytest.mark.parametrize("used", [False, True])
def test_a_module_with_captured_methods(used: bool, device: str) -> None:
    model = Scaled(5.0).to(device)
    x = pumice.ones(1, 2, device=device)
    if used:
        for _ in range(CALLS):
            model.captured(x)
    for twin in both(model):
        twin.factor.data.fill_(7)
        for _ in range(CALLS):
            assert twin.captured(x).tolist() == [[7, 7]]
            assert model.captured(x).tolist() == [[5, 5]]
        with pumice.no_grad():
            assert twin.inner(x.cpu()).tolist() == model.inner(x.cpu()).tolist()
        assert twin.captured.__wrapped__.__self__ is twin


def test_a_captured_lambda_is_refused_as_a_lambda_is() -> None:
    function = pumice.jit(lambda x: x + 1)
    assert copy.deepcopy(function)(pumice.ones(1)).item() == 2
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(function)
