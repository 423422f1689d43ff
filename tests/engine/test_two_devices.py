"""Graphs of several devices that become due at once."""

import pytest

import pumice
from pumice.engine.realize import realize
from pumice.tensor import core


@pytest.mark.vulkan
def test_values_of_two_devices_are_evaluated_in_one_call(vulkan_device: str) -> None:
    here = pumice.ones(3) + 1
    there = pumice.ones(3, device=vulkan_device) + 2
    realize((here.node, there.node))
    assert here.tolist() == [2, 2, 2] and there.tolist() == [3, 3, 3]


@pytest.mark.vulkan
def test_deep_graphs_of_two_devices(vulkan_device: str) -> None:
    here, there = pumice.zeros(2), pumice.zeros(2, device=vulkan_device)
    for _ in range(core.DEPTH_LIMIT + 1):
        here, there = here + 1, there + 2
    assert here.tolist() == [core.DEPTH_LIMIT + 1] * 2
    assert there.tolist() == [2 * core.DEPTH_LIMIT + 2] * 2
