"""Recorded command buffers run again with other memory and other numbers."""

from typing import Any

import numpy as np
import pytest

from pumice.errors import DeviceError
from pumice.runtime.base import Launch
from pumice.runtime.vulkan import VulkanRuntime, memory, replay
from tests.runtime.tables import Counting, replaced
from tests.runtime.test_vulkan_device import Adder, download, upload

pytestmark = pytest.mark.vulkan

COUNT = 3000


class Chain:
    """Two launches, ``out = (source + number) + number``, as a function of memory and number."""

    def __init__(self, runtime: VulkanRuntime, count: int = COUNT) -> None:
        self.runtime = runtime
        loaded = Adder(runtime).loaded
        launches = [Launch(loaded, 0, 4, count), Launch(loaded, 4, 4, count)]
        template = np.array([0, 0, 0, count] * 2, np.int64)
        patches = [(0, 0), (1, 1), (2, 3), (4, 1), (5, 2), (6, 3)]
        program = runtime.prepare(launches)
        self.entry = runtime.bind(program, template, patches, 4, (0, 0))
        assert self.entry is not None

    def __call__(self, source: Any, number: float) -> Any:
        middle, target = self.runtime.allocate_all([source.nbytes] * 2)
        bits = int(np.float32(number).view(np.int32))
        assert self.entry.call(source.address, middle.address, target.address, bits) == 0
        return target


@pytest.fixture(params=["direct", "staged", "copies", "narrow"])
def runtime(request: pytest.FixtureRequest, vulkan_runtime: VulkanRuntime) -> Any:
    options = {
        "direct": {},
        "staged": {"staging": True},
        "copies": {"staging": True, "copy_queue": True},
        "narrow": {"without": ("shaderInt64", "shaderFloat64")},
    }
    made = VulkanRuntime(validation=True, **options[request.param])
    yield made
    made.close()
    assert made.validation_messages() == []


def test_runs_in_flight_keep_their_own_arguments(runtime: VulkanRuntime) -> None:
    chain, data = Chain(runtime), np.arange(COUNT, dtype=np.float32)
    results = [chain(upload(runtime, data * step), step) for step in range(200)]
    for step, result in enumerate(results):
        np.testing.assert_array_equal(download(runtime, result, COUNT), data * step + 2 * step)


def test_new_memory_and_numbers_record_nothing_new(runtime: VulkanRuntime) -> None:
    chain, data = Chain(runtime), np.arange(COUNT, dtype=np.float32)
    source = upload(runtime, data)
    for step in range(3):
        chain(source, step)
        runtime.synchronize()
    held = []
    with replaced(runtime, Counting(runtime._device.functions)) as table:
        for step in range(20):
            held.append(chain(source, step))
            runtime.synchronize()
    assert len({each.address for each in held}) == 20
    assert table.calls["vkQueueSubmit"] == 20
    assert not [name for name in table.calls if name.startswith(("vkCmd", "vkBegin", "vkCreate"))]
    np.testing.assert_array_equal(download(runtime, held[7], COUNT), data + 14)


def test_the_host_may_be_ahead_by_so_much_and_no_more(
    runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MOST_RECORDINGS", 3)
    chain, data = Chain(runtime, 500_000), np.arange(500_000, dtype=np.float32)
    source = upload(runtime, data)
    held = [chain(source, step) for step in range(30)]
    assert len(chain.entry._narrow.recordings) <= 3
    for step, each in enumerate(held):
        np.testing.assert_array_equal(download(runtime, each, 500_000), data + step + step)


def test_sizes_are_recorded_so_they_cannot_be_bound(runtime: VulkanRuntime) -> None:
    loaded = Adder(runtime).loaded
    program = runtime.prepare([Launch(loaded, 0, 4, 10)])
    assert runtime.bind(program, np.zeros(4, np.int64), [(3, 0)], 1, (0, 0)) is None


def test_recordings_of_programs_that_are_gone_are_used_again(runtime: VulkanRuntime) -> None:
    data = np.arange(COUNT, dtype=np.float32)
    source = upload(runtime, data)
    with replaced(runtime, Counting(runtime._device.functions)) as table:
        for step in range(30):
            result = Chain(runtime)(source, step)
            np.testing.assert_array_equal(download(runtime, result, COUNT), data + 2 * step)
    assert table.calls["vkAllocateCommandBuffers"] <= 3


def test_offsets_in_large_tensors_take_64_bits(
    runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "WIDE_BYTES", 100_000)
    chain = Chain(runtime)
    small, large = np.ones(COUNT, np.float32), np.ones(30_000, np.float32)
    first = chain(upload(runtime, small), 1.0)
    assert (chain.entry._narrow is None, chain.entry._wide) == (False, None)
    place = upload(runtime, large)
    if runtime.target.limits["index_bits"] == 32:
        with pytest.raises(DeviceError, match=r"need 64-bit integers \(shaderInt64\)"):
            chain(place, 2.0)
        return
    second = chain(place, 2.0)
    assert chain.entry._wide.wide == {0, 1}
    assert (download(runtime, first, COUNT) == 3).all()
    assert (download(runtime, second, COUNT) == 5).all()
    assert runtime._memory.large
    del place, second
    runtime.synchronize()
    runtime.memory_statistics()
    assert not runtime._memory.large


def test_writing_does_not_wait_for_the_device(runtime: VulkanRuntime) -> None:
    count = 400_000
    chain = Chain(runtime, count)
    source = upload(runtime, np.zeros(count, np.float32))
    chain(source, 0.0)
    runtime.synchronize()
    with replaced(runtime, Counting(runtime._device.functions)) as table:
        results = []
        for step in range(20):
            runtime.write(source, 0, memoryview(np.full(count, step, np.float32)))
            results.append(chain(source, 1.0))
    assert table.calls["vkWaitSemaphores"] == 0
    for step, each in enumerate(results):
        assert (download(runtime, each, count) == step + 2).all()


def test_entries_serve_several_threads(runtime: VulkanRuntime) -> None:
    from concurrent.futures import ThreadPoolExecutor

    chain, data = Chain(runtime), np.arange(COUNT, dtype=np.float32)

    def work(number: int) -> bool:
        held = [chain(upload(runtime, data + number), step) for step in range(20)]
        return all(
            (download(runtime, each, COUNT) == data + number + 2 * step).all()
            for step, each in enumerate(held)
        )

    with ThreadPoolExecutor(4) as executor:
        assert all(executor.map(work, range(8)))
