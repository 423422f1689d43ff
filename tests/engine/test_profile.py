"""Profiles: every launch is seen, results stay, nothing is timed outside the block."""

from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.runtime.vulkan.timestamps import Clock
from tests.required import skip_without_vulkan
from tests.runtime.tables import Counting, replaced


def step(x: pumice.Tensor, y: pumice.Tensor) -> pumice.Tensor:
    return (x @ y).relu().sum(1)


def test_each_launch_is_timed_once() -> None:
    x, y = pumice.rand(70, 40), pumice.rand(40, 50)
    expected = step(x, y).numpy()
    with pumice.profile() as times:
        result = step(x, y).numpy()
    np.testing.assert_array_equal(result, expected)
    assert times.runs >= 1
    assert all(each.calls == 1 and each.seconds > 0 for each in times.kernels)
    assert 0 < times.kernel_seconds <= times.seconds
    assert sum(seconds for _, seconds in times.by_operation()) == pytest.approx(
        times.kernel_seconds
    )
    assert __file__.rsplit("/", 1)[-1] in str(times)


def test_replays_are_seen() -> None:
    compiled = pumice.jit(step)
    x, y = pumice.rand(30, 40), pumice.rand(40, 50)
    for _ in range(3):
        expected = compiled(x, y).numpy()
    with pumice.profile() as times:
        for _ in range(4):
            result = compiled(x, y)
    np.testing.assert_array_equal(result.numpy(), expected)
    assert times.runs == 4
    assert {each.calls for each in times.kernels} == {4}


def test_a_block_inside_another_has_its_own_times() -> None:
    x = pumice.rand(100)
    with pumice.profile() as outer:
        (x + 1).numpy()
        with pumice.profile() as inner:
            (x * 2).numpy()
    (x - 1).numpy()
    assert outer.runs == inner.runs == 1


def test_data_errors_are_raised_inside() -> None:
    table, places = pumice.rand(5, 2), pumice.tensor([7])
    with pytest.raises(IndexError), pumice.profile():
        table[places].numpy()


@pytest.mark.vulkan
def test_on_vulkan(vulkan_device: str) -> None:
    x, y = (pumice.rand(20, 20, device=vulkan_device) for _ in range(2))
    expected = step(x, y).cpu().numpy()
    with pumice.profile() as times:
        np.testing.assert_array_equal(step(x, y).cpu().numpy(), expected)
    assert times.kernel_seconds > 0


@pytest.mark.vulkan
def test_a_device_with_a_clock_times_launches_itself(vulkan_device: str) -> None:
    x = pumice.rand(300, 300, device=vulkan_device).realize()
    runtime: Any = runtime_of(parse_device(vulkan_device))
    if not runtime._clock.bits:
        skip_without_vulkan("the device has no clock")
    expected = step(x, x).cpu().numpy()
    table = Counting(runtime._device.functions)
    with replaced(runtime, table), pumice.profile() as times:
        result = step(x, x).cpu().numpy()
    np.testing.assert_array_equal(result, expected)
    launches = sum(each.calls for each in times.kernels)
    assert launches > 1
    assert table.calls["vkQueueSubmit"] == times.runs
    assert table.calls["vkCmdWriteTimestamp"] == launches + times.runs
    assert 0 < times.kernel_seconds <= times.seconds


@pytest.mark.vulkan
def test_a_clock_may_begin_again_between_marks(vulkan_device: str) -> None:
    runtime: Any = runtime_of(parse_device(vulkan_device))
    clock = Clock(runtime._instance, runtime._device)
    clock.bits, clock.period = 36, 0.5
    ticks = np.array([(1 << 36) - 3, 5, 6], np.uint64)
    assert clock.seconds(ticks) == [4.0, 0.5]
    clock.bits = 64
    assert clock.seconds(np.array([(1 << 64) - 1, 1], np.uint64)) == [1.0]
