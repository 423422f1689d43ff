"""How much memory a device gives: limits, budgets, memory of one large tensor, no leak."""

import gc
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.errors import InvalidArgument, OutOfMemory
from pumice.runtime.vulkan import VulkanRuntime
from pumice.runtime.vulkan.api import ffi
from pumice.runtime.vulkan.logical import MEMORY_BUDGET
from pumice.runtime.vulkan.transfer import RING_BYTES
from tests.runtime.tables import Counting, replaced
from tests.runtime.test_vulkan_device import Adder, download, upload
from tests.runtime.test_vulkan_replay import Chain

pytestmark = pytest.mark.vulkan

MEBI = 1 << 20


def test_a_limit_holds_and_can_be_raised(vulkan_device: str) -> None:
    runtime: Any = runtime_of(parse_device(vulkan_device))
    gc.collect()
    runtime.empty_cache()
    try:
        x = pumice.zeros(10 * MEBI, device=vulkan_device) + 1
        x.realize()
        before = pumice.memory_stats(vulkan_device)
        used = before["live"] + before["cached"]
        pumice.vulkan.set_per_process_memory_fraction((used + 50 * MEBI) / runtime.heap_bytes)
        limit = pumice.memory_stats(vulkan_device)["limit"]
        assert abs(limit - used - 50 * MEBI) < 1024
        with pytest.raises(OutOfMemory, match=f"asked for {80 * MEBI} bytes, .* of {limit} are"):
            (pumice.zeros(20 * MEBI, device=vulkan_device) + 1).realize()
        assert x[5].item() == 1
        pumice.vulkan.set_per_process_memory_fraction(0.9)
        assert (pumice.zeros(20 * MEBI, device=vulkan_device) + 1)[7].item() == 1
    finally:
        pumice.vulkan.set_per_process_memory_fraction(0.9)
    with pytest.raises(InvalidArgument, match="got 1.5; it must be from 0 to 1"):
        pumice.vulkan.set_per_process_memory_fraction(1.5)


class Budget:
    """A device with little memory to spare."""

    def __init__(self, runtime: Any, room: int) -> None:
        self._device, self.left, self.asked = runtime._memory._device, room, []
        self._allocate = self._device.allocate
        self._device.room = lambda heap: self.left
        self._device.allocate = self.allocate

    def allocate(self, size: int, memory_type: int, dedicated: bool = False) -> Any:
        self.asked.append((size, dedicated))
        made = self._allocate(size, memory_type, dedicated)
        self.left = max(self.left - size, 0)
        return made


def test_blocks_follow_what_the_system_can_spare(vulkan_device: str) -> None:
    runtime = VulkanRuntime(validation=False)
    budget = Budget(runtime, 50 * MEBI)
    small = runtime.allocate(MEBI)  # a usual block of 64 MiB is more than there is
    assert budget.asked == [(2 * MEBI, False)]
    large = runtime.allocate(40 * MEBI)
    assert budget.asked[1:] == [(40 * MEBI, True)]
    del large
    runtime.synchronize()
    again = runtime.allocate(44 * MEBI)  # beyond the budget, after what was kept has been freed
    assert budget.asked[2:] == [(44 * MEBI, True)]
    assert runtime.memory_statistics().cached == MEBI
    budget.left = 7
    with pytest.raises(OutOfMemory, match=f"asked for {1 << 50} bytes, .* about {MEBI + 7} of"):
        runtime.allocate(1 << 50)
    del small, again
    runtime.close()


def test_a_driver_tells_what_it_can_spare(vulkan_device: str) -> None:
    runtime = VulkanRuntime(validation=True)
    if MEMORY_BUDGET in runtime.description.extensions:
        room = runtime._device.room(runtime._memory.heap)
        assert room is not None
        assert 0 <= room <= runtime.heap_bytes
    place = runtime.allocate(100 * MEBI)
    runtime.write(place, 0, memoryview(b"dedicated"))
    assert bytes(runtime.read(place, 0, 9)) == b"dedicated"
    assert runtime.validation_messages() == []
    del place
    runtime.close()


def test_tensors_beyond_the_range_of_a_descriptor() -> None:
    runtime = VulkanRuntime(validation=True, minimum_limits=True)
    count = (1 << 27) // 4 + 1000  # 128 MiB is what a device must offer at least
    data = np.arange(count, dtype=np.float32)
    chain = [upload(runtime, data), runtime.allocate(data.nbytes)]
    Adder(runtime)(chain, count, 1.0)
    np.testing.assert_array_equal(download(runtime, chain[1], count), data + 1)
    assert runtime.validation_messages() == []
    runtime.close()


def test_nothing_is_left_of_ten_thousand_varied_steps(vulkan_device: str) -> None:
    runtime = VulkanRuntime(validation=False)
    chains: list[Chain] = []

    def totals() -> tuple[int, ...]:
        runtime.synchronize()
        pools = (runtime._memory, runtime._host_memory, runtime._arguments)
        return tuple(pool.statistics().live for pool in pools)

    held: list[Any] = []
    counts = []
    for step in range(10_000):
        if step % 50 == 0:
            chains = [*chains[-3:], Chain(runtime, 1 + step * 37 % 5000)]
        source = runtime.allocate(20_000 + step * 977 % 40_000)
        held = [*held[-7:], chains[step % len(chains)](source, 1.0)]
        if step % 2500 == 2499:
            chains, held = [], []
            del source
            counts.append((*totals(), runtime._memory._total, runtime._arguments._total))
    assert counts[0][0] == 0
    assert counts[1:] == [counts[1]] * 3
    runtime.close()


@pytest.mark.parametrize("copy_queue", [False, True])
def test_large_copies_go_through_little_host_memory(vulkan_device: str, copy_queue: bool) -> None:
    runtime = VulkanRuntime(validation=True, staging=True, copy_queue=copy_queue)
    data = np.random.default_rng(0).integers(0, 255, 90_000_001, np.uint8)
    place = upload(runtime, data)
    for start, size in ((0, 5), (70_000_000, 20_000_001), (3, 1)):
        runtime.write(place, start, memoryview(data[start : start + size]))
    assert bytes(runtime.read(place, 0, data.nbytes)) == data.tobytes()
    assert runtime._host_memory._total == RING_BYTES
    assert runtime.validation_messages() == []
    del place
    runtime.close()


def test_queues_wait_for_one_another_on_the_device(vulkan_device: str) -> None:
    runtime = VulkanRuntime(validation=True, staging=True, copy_queue=True)
    count = 300_000
    chain = Chain(runtime, count)
    source = upload(runtime, np.zeros(count, np.float32))
    with replaced(runtime, Counting(runtime._device.functions)) as table:
        results = []
        for step in range(12):
            runtime.write(source, 0, memoryview(np.full(count, step, np.float32)))
            results.append(chain(source, 1.0))
        assert table.calls["vkWaitSemaphores"] == 0
    assert (runtime._queue.submitted, runtime._copies.submitted) == (12, 13)
    for step, each in enumerate(results):
        assert (download(runtime, each, count) == step + 2).all()
    # A tensor that goes while it is copied is kept until the copy is done.
    for step in range(40):
        lost = upload(runtime, np.full(count, step, np.float32))
        del lost
        kept = chain(upload(runtime, np.full(count, -step, np.float32)), 0.0)
        assert (download(runtime, kept, count) == -step).all()
    del source, results, each, kept
    runtime.synchronize()
    assert runtime.memory_statistics().live == 0
    assert runtime.validation_messages() == []
    runtime.close()


class Families:
    """A table of an instance whose device has certain families of queues."""

    def __init__(self, flags: list[int]) -> None:
        self._flags = flags

    def vkGetPhysicalDeviceQueueFamilyProperties(  # noqa: N802
        self, _handle: Any, count: Any, families: Any
    ) -> None:
        count[0] = len(self._flags)
        if families:
            for family, flags in zip(families[0 : count[0]], self._flags, strict=True):
                family.queueFlags, family.queueCount = flags, 1


@pytest.mark.parametrize(
    ("flags", "family"), [([7], 0), ([7, 6], 0), ([7, 12, 6], 1), ([7, 6, 4], 2), ([7, 8], 0)]
)
def test_a_family_that_only_copies_is_chosen(
    vulkan_device: str, flags: list[int], family: int
) -> None:
    runtime = VulkanRuntime(validation=False)
    device = runtime._device
    healthy = device._of.functions
    device._of = SimpleNamespace(functions=Families(flags))
    assert device._copy_family() == family
    device._of = SimpleNamespace(functions=healthy)
    runtime.close()


class Budgets:
    """A table of an instance that tells what may be used of each heap, and what is."""

    def vkGetPhysicalDeviceMemoryProperties2(self, _handle: Any, chain: Any) -> None:  # noqa: N802
        told = ffi().cast("VkPhysicalDeviceMemoryBudgetPropertiesEXT *", chain.pNext)
        assert told.sType == 1000237000
        for heap, (budget, usage) in enumerate([(1000, 300), (200, 700)]):
            told.heapBudget[heap], told.heapUsage[heap] = budget, usage


def test_budgets_are_read_where_drivers_tell_them(vulkan_device: str) -> None:
    runtime = VulkanRuntime(validation=False)
    device = runtime._device
    healthy, description = device._of.functions, device.description
    extensions = description.extensions | {MEMORY_BUDGET}
    device._of = SimpleNamespace(functions=Budgets())
    device.description = replace(description, extensions=extensions)
    assert [device.room(heap) for heap in range(2)] == [700, 0]
    device.description = replace(description, extensions=extensions - {MEMORY_BUDGET})
    assert device.room(0) is None
    device.description = description
    device._of = SimpleNamespace(functions=healthy)
    runtime.close()
