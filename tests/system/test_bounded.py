"""Caches and memory stay bounded; kernels are compiled once for all sizes."""

import gc
import random

import numpy as np
import pytest

import pumice
from pumice.engine.cache import MAXIMUM_KERNELS, cached_kernel_count
from pumice.engine.compiled import MAXIMUM_PLANS, cached_plan_count
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.statistics import statistics

LENGTHS = range(1000, 1050)


def use(length: int, device: str = "cpu") -> float:
    x = pumice.ones(length, device=device)
    y = (x * 2 + 1).softmax(dim=0)
    return float(y.sum() + (x @ x) / length)


def test_fifty_lengths_compile_each_kernel_once(device: str) -> None:
    use(LENGTHS[0], device)
    before = statistics.kernels_compiled, cached_kernel_count()
    for length in LENGTHS:
        assert abs(use(length, device) - 2.0) < 1e-5
    assert (statistics.kernels_compiled, cached_kernel_count()) == before


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_thousand_changing_shapes() -> None:
    """Memory, plans, kernels and Python objects stop growing."""
    choose = random.Random(0)
    runtime = runtime_of(parse_device("cpu"))

    def step() -> None:
        rows, columns = choose.randint(1, 40), choose.randint(1, 40)
        x = pumice.tensor(np.ones((rows, columns), np.float32), requires_grad=True)
        ((x @ x.T).relu().sum() + x.exp().mean()).backward()
        assert x.grad is not None
        x.grad.realize()

    counts = []
    for number in range(10_000):
        step()
        if number % 2500 == 2499:
            gc.collect()
            counts.append((runtime.memory_statistics().live, len(gc.get_objects())))
    assert cached_plan_count() <= MAXIMUM_PLANS
    assert cached_kernel_count() <= MAXIMUM_KERNELS
    assert counts[-1][0] <= counts[1][0] + (1 << 20)
    assert counts[-1][1] <= counts[1][1] * 1.1


def test_a_loop_nobody_looks_at_is_evaluated_now_and_then() -> None:
    x = pumice.zeros(4)
    for _ in range(5000):
        x = x + 1
        assert x.node.depth <= 1000
    assert x.tolist() == [5000.0] * 4


def test_an_accumulating_loop_is_bounded() -> None:
    total = pumice.zeros(3)
    for number in range(3000):
        total += pumice.full((3,), float(number % 7))
    assert total[0].item() == sum(number % 7 for number in range(3000))
