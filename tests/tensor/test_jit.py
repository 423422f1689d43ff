"""Captured functions do what the plain ones do, or refuse."""

import math

import numpy as np
import pytest

import pumice
from pumice.engine.statistics import statistics
from pumice.errors import InvalidArgument

CALLS = 6


def test_replay_gives_the_same_values(device: str) -> None:
    function = pumice.jit(lambda x, y: (x * y).sum(dim=1))
    for call in range(CALLS):
        x = pumice.full((3, 4), float(call), device=device)
        y = pumice.ones((3, 4), device=device)
        assert function(x, y).tolist() == [4.0 * call] * 3


def test_results_are_never_overwritten() -> None:
    function = pumice.jit(lambda x: x + 1)
    results = [function(pumice.tensor([float(call)])) for call in range(CALLS)]
    assert [each.item() for each in results] == [1.0 + call for call in range(CALLS)]


def test_replay_runs_no_python() -> None:
    calls = []

    def traced(x: pumice.Tensor) -> pumice.Tensor:
        calls.append(1)
        return x * 3

    function = pumice.jit(traced)
    for _ in range(CALLS):
        function(pumice.ones(5))
    assert len(calls) == 2


def test_a_new_shape_is_captured_anew() -> None:
    function = pumice.jit(lambda x: x.sum())
    for length in (3, 5, 3, 5, 3, 5, 3, 5):
        assert function(pumice.ones(length)).item() == length


def test_state_written_inside_lives_on() -> None:
    total = pumice.zeros(2)

    def add(x: pumice.Tensor) -> pumice.Tensor:
        total.add_(x)
        return total * 2

    function = pumice.jit(add)
    for call in range(1, CALLS):
        assert function(pumice.ones(2)).tolist() == [2.0 * call] * 2
        assert total.tolist() == [float(call)] * 2


def test_random_numbers_go_on_as_without_capture() -> None:
    def draw() -> pumice.Tensor:
        return pumice.rand(4) + pumice.rand(4)

    pumice.manual_seed(3)
    expected = [draw().tolist() for _ in range(CALLS)]
    pumice.manual_seed(3)
    function = pumice.jit(draw)
    assert [function().tolist() for _ in range(CALLS)] == expected


def training(jit: bool, device: str, steps: int = 8) -> list[float]:
    pumice.manual_seed(0)
    nn = pumice.nn
    model = nn.Sequential(
        nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.25), nn.Linear(16, 3)
    ).to(device)
    optimizer = pumice.optim.Adam(model.parameters(), lr=0.01)
    random = np.random.default_rng(0)

    def step(x: pumice.Tensor, y: pumice.Tensor) -> pumice.Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run = pumice.jit(step) if jit else step
    losses = []
    for _ in range(steps):
        x = pumice.tensor(random.standard_normal((32, 6)).astype(np.float32), device=device)
        y = pumice.tensor(random.integers(0, 3, 32), device=device)
        losses.append(run(x, y).item())
    return losses


def test_captured_training_equals_plain_training(device: str) -> None:
    plain = training(False, device)
    assert training(True, device) == plain
    assert plain[-1] < plain[0]


def test_a_changed_option_is_noticed() -> None:
    weight = pumice.ones(2, requires_grad=True)
    optimizer = pumice.optim.SGD([weight], lr=1.0)

    def step() -> pumice.Tensor:
        optimizer.zero_grad()
        loss = weight.sum()
        loss.backward()
        optimizer.step()
        return loss

    function = pumice.jit(step)
    for _ in range(4):
        function()
    before = weight.tolist()
    optimizer.param_groups[0]["lr"] = 0.5
    function()
    assert weight.tolist() == [each - 0.5 for each in before]


def test_gradients_left_by_a_replay() -> None:
    weight = pumice.ones(2, requires_grad=True)

    def step(x: pumice.Tensor) -> None:
        weight.grad = None
        (weight * x).sum().backward()

    function = pumice.jit(step)
    for call in range(CALLS):
        function(pumice.full((2,), float(call)))
        assert weight.grad is not None
        assert weight.grad.tolist() == [float(call)] * 2


def test_accumulated_gradients() -> None:
    weight = pumice.ones(2, requires_grad=True)
    function = pumice.jit(lambda x: (weight * x).sum().backward())
    for call in range(1, CALLS):
        function(pumice.ones(2))
        assert weight.grad is not None
        assert weight.grad.tolist() == [float(call)] * 2


def test_looking_at_a_value_is_refused() -> None:
    function = pumice.jit(lambda x: x if x.sum() > 0 else -x)
    with pytest.raises(InvalidArgument, match=r"jit: the function looks at the value.*where\(\)"):
        function(pumice.ones(2))


def test_hidden_state_is_refused() -> None:
    count = iter(range(100))
    function = pumice.jit(lambda x: x * float(next(count)))
    with pytest.raises(InvalidArgument, match="a number made at .* was .* in one call and"):
        for _ in range(20):
            function(pumice.ones(2))


def test_a_result_that_needs_its_graph_is_refused() -> None:
    weight = pumice.ones(2, requires_grad=True)
    function = pumice.jit(lambda x: weight * x)
    with pytest.raises(InvalidArgument, match="requires grad, but a replay records no graph"):
        function(pumice.ones(2))


def test_aliased_arguments_are_not_confused() -> None:
    function = pumice.jit(lambda x, y: x - y)
    one, two = pumice.ones(3), pumice.full((3,), 2.0)
    for _ in range(CALLS):
        assert function(one, one).tolist() == [0.0] * 3
        assert function(two, one).tolist() == [1.0] * 3


def test_views_as_arguments() -> None:
    function = pumice.jit(lambda x: x + 1)
    base = pumice.arange(6).reshape(2, 3)
    for _ in range(CALLS):
        assert function(base.T).tolist() == (base.T + 1).tolist()
        assert function(base[1]).tolist() == [4, 5, 6]


def test_a_replay_compiles_nothing() -> None:
    function = pumice.jit(lambda x: x * 5 - 1)
    for _ in range(3):
        function(pumice.ones(7))
    before = statistics.kernels_compiled, statistics.plans_built
    for _ in range(CALLS):
        function(pumice.ones(7))
    assert (statistics.kernels_compiled, statistics.plans_built) == before


def test_numbers_equal_to_python_are_told_apart() -> None:
    scale = pumice.jit(lambda x, number: x * number)
    whole = pumice.tensor([1, -2])
    for number, dtype in ((1, pumice.int64), (1.0, pumice.float32), (True, pumice.int64)):
        for _ in range(4):
            assert scale(whole, number).dtype is dtype
    for number, sign in ((0.0, 1.0), (-0.0, -1.0)):
        for _ in range(4):
            assert math.copysign(1, scale(pumice.tensor(2.0), number).item()) == sign
    same = pumice.jit(lambda x: (x, 1.0, True, [None, "text"]))
    for _ in range(4):
        assert same(whole)[1:] == (1.0, True, [None, "text"])
        assert type(same(whole)[2]) is bool


def test_values_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="got a value of type ndarray; tensors or hashable"):
        pumice.jit(lambda x, array: x)(pumice.ones(2), np.ones(2))


def _twice(x):
    y = x * 2
    return y, y


def _parts(x):
    y = x * 2
    y[2:4] += 5
    return y, y[1:3], y.reshape(2, 3).T


@pytest.mark.parametrize(
    "function",
    [
        _twice,
        _parts,
        lambda x: (x,),
        lambda x: (x, x * 3),
        lambda x: (x[2:4], x * 3, x),
        lambda x: (x.add_(1), x * 3, x[1]),
        lambda x: (x.detach(), x * 3, (x * 3).detach()),
    ],
)
def test_results_alias_what_they_alias_without_capture(function) -> None:
    captured = pumice.jit(function)
    for _ in range(CALLS):
        plain, replayed = pumice.arange(6), pumice.arange(6)
        expected, found = function(plain), captured(replayed)
        for place in range(len(expected)):
            expected[place].add_(place + 1)
            found[place].add_(place + 1)
            assert [each.tolist() for each in found] == [each.tolist() for each in expected]
            assert replayed.tolist() == plain.tolist()


def test_a_capture_that_aliases_otherwise_is_another_capture() -> None:
    calls = []

    def function(x):
        calls.append(None)
        y = x + 1
        return (y, y) if len(calls) % 2 else (y, y[:])

    captured = pumice.jit(function)
    for _ in range(3):
        first, second = captured(pumice.zeros(3))
        first.add_(1)
        assert second.tolist() == [2.0] * 3
