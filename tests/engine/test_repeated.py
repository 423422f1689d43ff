"""What is evaluated again and again: plans are found again and nothing is computed twice."""

import numpy as np
import pytest

import pumice
from pumice.engine.statistics import statistics
from pumice.tensor import core


def test_a_running_value_seen_only_through_others_costs_the_same_every_time() -> None:
    average, total = pumice.zeros(3), pumice.zeros(3)
    for step in range(40):
        average = average * 0.5 + pumice.ones(3)
        total += 1
        assert (total * 2 + average).sum().item() == pytest.approx(
            3 * (2 * (step + 1) + 2 - 0.5**step), rel=1e-5
        )
        if step == 5:
            plans, compiled = statistics.plans_built, statistics.kernels_compiled
    assert (statistics.plans_built, statistics.kernels_compiled) == (plans, compiled)


def test_a_temporary_that_nobody_reads_again_is_not_kept() -> None:
    x = pumice.arange(4.0)
    hidden = x * 3 + 1
    assert (hidden * 2).sum().item() == 44
    assert hidden.node.value is None
    assert (hidden * 5).sum().item() == 110
    assert hidden.node.value is not None


def test_gradients_of_a_deep_graph_are_computed_together() -> None:
    first = pumice.full((4, 4), 0.1, requires_grad=True)
    second = pumice.full((4, 4), 0.2, requires_grad=True)
    plans = []
    for _ in range(3):
        state = pumice.ones(2, 4)
        for _ in range(core.DEPTH_LIMIT // 8):
            state = (state @ first + state @ second).tanh()
        runs = statistics.runs
        state.sum().backward()
        for weight in (first, second):
            assert weight.grad is not None and np.isfinite(weight.grad.numpy()).all()
            weight.grad = None
        assert statistics.runs - runs <= 4
        plans.append(statistics.plans_built)
    assert plans[1] == plans[2]


def test_updates_of_tensors_without_elements() -> None:
    leaf = pumice.zeros(5, 1, 0, 2, requires_grad=True)
    result = leaf * 1
    window = result.unfold(3, 2, 2)
    window.sub_(pumice.ones(5, 1, 0, 1, 2))
    (result.sum() + window.sum(1).sum()).backward()
    assert leaf.grad is not None
    assert leaf.grad.numpy().shape == (5, 1, 0, 2)
