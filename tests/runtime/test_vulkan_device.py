"""The Vulkan runtime: launches, memory, limits, errors. Kernels come from the SPIR-V backend."""

import gc
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.backends.spirv import SpirvBackend
from pumice.errors import DeviceError, InternalError, InvalidArgument, OutOfMemory
from pumice.kernel.ir import (
    INDEX,
    Grid,
    Instruction,
    Kernel,
    Parameter,
    Role,
    Store,
    Value,
    Variable,
    load,
)
from pumice.runtime.base import Launch
from pumice.runtime.vulkan import VulkanRuntime, enumerate_devices, program
from pumice.runtime.vulkan.physical import MINIMUM_LIMITS
from pumice.runtime.vulkan.program import split_groups
from tests.required import every_feature

pytestmark = pytest.mark.vulkan


def add_number() -> Kernel:
    """``out[i] = a[i] + number``."""
    a = Parameter("a", Role.BUFFER, dtypes.float32)
    out = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
    number = Parameter("number", Role.SCALAR, dtypes.float32)
    n, i = Parameter("n", Role.INDEX, INDEX), Variable("i")
    place = Value(Instruction.VARIABLE, INDEX, (), i)
    extent = Value(Instruction.PARAMETER, INDEX, (), n)
    amount = Value(Instruction.PARAMETER, dtypes.float32, (), number)
    store = Store(out, place, load(a, place) + amount)
    return Kernel((a, out, number, n), Grid((i,), (extent,)), (store,))


class Adder:
    """Adds a number to buffers on a device, several times in one program."""

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime
        (self.loaded,) = runtime.load(SpirvBackend().compile([add_number()], runtime.target))

    def __call__(self, chain: list[Any], count: int, number: float) -> None:
        """Write each buffer of a chain from the one before."""
        bits = int(np.float32(number).view(np.int32))
        words, launches = [], []
        for source, target in zip(chain, chain[1:], strict=False):
            launches.append(Launch(self.loaded, len(words), 4, count))
            words += [source.address, target.address, bits, count]
        program = self.runtime.prepare(launches)
        self.runtime.run(program, np.array(words, np.int64), chain)


def upload(runtime: Any, array: np.ndarray) -> Any:
    place = runtime.allocate(array.nbytes)
    runtime.write(place, 0, memoryview(array))
    return place


def download(runtime: Any, place: Any, count: int) -> np.ndarray:
    return np.frombuffer(runtime.read(place, 0, count * 4), np.float32)


@pytest.fixture(params=["direct", "staged", "minimum", "narrow"])
def runtime(request: pytest.FixtureRequest, vulkan_runtime: VulkanRuntime) -> Any:
    """The device in each of its ways of working."""
    if request.param == "direct":
        yield vulkan_runtime
        return
    options = {
        "staged": {"staging": True},
        "minimum": {"minimum_limits": True},
        "narrow": {"without": ("shaderInt64", "shaderFloat64")},
    }
    made = VulkanRuntime(validation=True, **options[request.param])
    yield made
    made.close()
    assert made.validation_messages() == []


def test_launches_see_the_writes_before_them(runtime: Any) -> None:
    count = 100_003
    data = np.arange(count, dtype=np.float32)
    chain = [upload(runtime, data)] + [runtime.allocate(data.nbytes) for _ in range(6)]
    Adder(runtime)(chain, count, 1.0)
    np.testing.assert_array_equal(download(runtime, chain[-1], count), data + 6)
    assert runtime.validation_messages() == []


def test_runs_see_earlier_runs_and_writes_come_after_them(runtime: Any) -> None:
    count, add = 5000, Adder(runtime)
    a, b = upload(runtime, np.zeros(count, np.float32)), runtime.allocate(count * 4)
    for _ in range(50):
        add([a, b, a], count, 1.0)
    add([a, b], count, 0.0)
    runtime.write(a, 0, memoryview(np.full(count, 7, np.float32)))
    assert (download(runtime, b, count) == 100).all()
    assert (download(runtime, a, count) == 7).all()


def test_parts_of_an_allocation(runtime: Any) -> None:
    place = upload(runtime, np.zeros(100, np.uint8))
    runtime.write(place, 10, memoryview(b"abc"))
    assert bytes(runtime.read(place, 9, 5)) == b"\0abc\0"
    runtime.write(place, 0, memoryview(b""))
    assert runtime.read(place, 0, 0) == bytearray()
    with pytest.raises(InternalError, match="copy of 3 bytes at 98 in an allocation of 100"):
        runtime.read(place, 98, 3)


def test_staged_copies_of_several_pieces() -> None:
    runtime = VulkanRuntime(validation=True, staging=True)
    data = np.random.default_rng(0).integers(0, 255, 20_000_001, np.uint8)
    place = upload(runtime, data)
    assert bytes(runtime.read(place, 0, data.nbytes)) == data.tobytes()
    assert bytes(runtime.read(place, 8_000_000, 9_000_000)) == data[8_000_000:17_000_000].tobytes()
    assert runtime.validation_messages() == []
    runtime.close()


def test_more_groups_than_one_dimension_holds(vulkan_runtime: VulkanRuntime) -> None:
    runtime = VulkanRuntime(validation=True, minimum_limits=True)
    assert runtime.description.limits["maxComputeWorkGroupCount"] == 65535
    count = 65535 * 64 * 2 + 77
    data = np.arange(count, dtype=np.float32)
    chain = [upload(runtime, data), runtime.allocate(data.nbytes)]
    Adder(runtime)(chain, count, 1.0)
    np.testing.assert_array_equal(download(runtime, chain[1], count), data + 1)
    assert runtime.validation_messages() == []
    runtime.close()


@pytest.mark.parametrize("count", [1, 9, 10, 11, 99, 100, 101, 999, 1000])
def test_split_groups_covers_every_group_with_few_to_spare(count: int) -> None:
    groups = split_groups(count, 10)
    total = groups[0] * groups[1] * groups[2]
    assert max(groups) <= 10
    assert count <= total <= count * 1.2


def test_split_groups_refuses_what_no_dispatch_holds() -> None:
    with pytest.raises(InternalError, match="1001 workgroups"):
        split_groups(1001, 10)


# -- memory ---------------------------------------------------------------------------------------


def test_memory_is_aligned_reused_and_counted(vulkan_runtime: VulkanRuntime) -> None:
    runtime = VulkanRuntime(validation=True)
    places = [runtime.allocate(size) for size in (0, 1, 255, 256, 257, 100_000)]
    assert all(place.address % 256 == 0 for place in places)
    assert len({place.address for place in places}) == len(places)
    before = runtime.memory_statistics()
    assert before.live == 256 * 4 + 512 + 100_096
    assert before.cached == (64 << 20) - before.live
    del places
    after = runtime.memory_statistics()
    assert (after.live, after.peak, after.cached) == (0, before.live, 64 << 20)
    runtime.empty_cache()
    assert runtime.memory_statistics().cached == 0
    assert runtime.validation_messages() == []
    runtime.close()


def test_neighbours_join_when_freed(vulkan_runtime: VulkanRuntime) -> None:
    runtime = VulkanRuntime()
    megabyte = 1 << 20
    pieces = [runtime.allocate(megabyte) for _ in range(64)]
    assert runtime.memory_statistics().cached == 0
    for each in list(range(0, 64, 2)) + list(range(1, 64, 2)):
        pieces[each] = None
    whole = runtime.allocate(64 * megabyte)
    assert runtime.memory_statistics().live == 64 * megabyte
    assert runtime.memory_statistics().cached == 0
    del whole, pieces
    runtime.close()


def test_memory_in_use_by_the_device_is_not_handed_out(vulkan_runtime: VulkanRuntime) -> None:
    count, add = 1_000_000, Adder(vulkan_runtime)
    data = np.arange(count, dtype=np.float32)
    results = []
    for step in range(20):
        source = upload(vulkan_runtime, data + step)
        target = vulkan_runtime.allocate(count * 4)
        add([source, target], count, 1.0)
        results.append(target)
        del source
    for step, target in enumerate(results):
        result = download(vulkan_runtime, target, count)
        np.testing.assert_array_equal(result, data + step + np.float32(1))


def test_nothing_leaks_over_many_steps(vulkan_runtime: VulkanRuntime) -> None:
    add = Adder(vulkan_runtime)
    gc.collect()
    vulkan_runtime.synchronize()
    before = vulkan_runtime.memory_statistics()
    for step in range(1000):
        count = 1 + step * 37 % 5000
        places = [vulkan_runtime.allocate(count * 4) for _ in range(3)]
        add(places, count, 1.0)
        del places
    vulkan_runtime.synchronize()
    after = vulkan_runtime.memory_statistics()
    assert after.live == before.live
    assert after.cached + after.live == before.cached + before.live


def test_out_of_memory_states_asked_free_and_limit(vulkan_runtime: VulkanRuntime) -> None:
    with pytest.raises(OutOfMemory, match=r"asked for \d+ bytes, but \d+ are in use and about"):
        vulkan_runtime.allocate(1 << 50)
    held = []
    with pytest.raises(OutOfMemory, match="are free"):
        while True:
            held.append(vulkan_runtime.allocate(256 << 20))
    assert held
    held.clear()
    assert vulkan_runtime.allocate(256 << 20).nbytes == 256 << 20
    vulkan_runtime.empty_cache()
    assert vulkan_runtime.validation_messages() == []


def test_free_memory_that_fits_nothing_is_given_back() -> None:
    runtime = VulkanRuntime()
    pieces = [runtime.allocate((40 + 2 * step) << 20) for step in range(8)]
    pieces.clear()
    assert runtime.memory_statistics().cached == sum(range(40, 56, 2)) << 20
    large = runtime.allocate(100 << 20)
    assert runtime.memory_statistics().cached == 0
    del large
    runtime.close()


def test_a_negative_size_is_refused(vulkan_runtime: VulkanRuntime) -> None:
    with pytest.raises(InvalidArgument, match="allocate: -1 bytes; a size is at least 0"):
        vulkan_runtime.allocate(-1)


# -- threads, pipelines, devices ------------------------------------------------------------------


def test_several_threads_at_once(vulkan_runtime: VulkanRuntime) -> None:
    add, wrong = Adder(vulkan_runtime), []

    def work(number: int) -> None:
        for step in range(30):
            data = np.full(3000, number * 100 + step, np.float32)
            chain = [upload(vulkan_runtime, data)]
            chain += [vulkan_runtime.allocate(data.nbytes) for _ in range(3)]
            add(chain, data.size, 1.0)
            if not (download(vulkan_runtime, chain[-1], data.size) == data + 3).all():
                wrong.append((number, step))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert vulkan_runtime.validation_messages() == []


def test_equal_artifacts_share_a_pipeline(vulkan_runtime: VulkanRuntime) -> None:
    compiled = SpirvBackend().compile([add_number(), add_number()], vulkan_runtime.target)
    first, second = vulkan_runtime.load(compiled)
    assert first is second is Adder(vulkan_runtime).loaded


def test_a_launch_with_the_wrong_number_of_words_is_refused(
    vulkan_runtime: VulkanRuntime,
) -> None:
    loaded = Adder(vulkan_runtime).loaded
    with pytest.raises(InternalError, match="a kernel of 4 words launched with 3"):
        vulkan_runtime.prepare([Launch(loaded, 0, 3, 1)])


def test_device_descriptions(vulkan_runtime: VulkanRuntime) -> None:
    found = enumerate_devices()
    assert [each.index for each in found] == list(range(len(found)))
    ranks = [each.type.name for each in found]
    order = ["DISCRETE", "INTEGRATED", "VIRTUAL", "OTHER", "CPU"]
    assert ranks == sorted(ranks, key=order.index)
    assert found[0].usable
    assert found[0].reason == ""
    assert all(heap.size > 0 for heap in found[0].heaps)
    assert set(found[0].limits) == set(MINIMUM_LIMITS)
    assert vulkan_runtime.name == found[0].name


def test_a_missing_device_is_named() -> None:
    with pytest.raises(DeviceError, match="vulkan:99: no such device; devices found: vulkan:0 "):
        VulkanRuntime(99)


@pytest.mark.usefixtures("vulkan_runtime")
def test_targets_name_what_code_depends_on() -> None:
    with every_feature():
        whole, again = VulkanRuntime(), VulkanRuntime()
        narrow = VulkanRuntime(without=("shaderInt64",))
        without = VulkanRuntime(without=("shaderFloat64",))
    assert narrow.target.identity != whole.target.identity
    assert narrow.target.limits["index_bits"] == 32
    assert narrow.target.unsupported == frozenset()
    assert without.target.unsupported == {dtypes.float64}
    assert again.target == whole.target
    for runtime in (whole, again, narrow, without):
        runtime.close()


def test_only_optional_features_can_be_switched_off() -> None:
    with pytest.raises(InvalidArgument, match="timelineSemaphore cannot be switched off; what"):
        VulkanRuntime(without=("timelineSemaphore",))


def test_large_launches_are_refused_without_64_bit_integers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runtime = VulkanRuntime(without=("shaderInt64",))
    monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    place = runtime.allocate(64)
    with pytest.raises(DeviceError, match=r"need 64-bit integers \(shaderInt64\)"):
        Adder(runtime)([place, place], 4, 1.0)
    runtime.close()


class Failing:
    """A table of functions of which one gives an error from some call on."""

    def __init__(self, table: Any, name: str, result: int, after: int = 0) -> None:
        self._table, self._name, self._result, self._left = table, name, result, after

    def __getattr__(self, name: str) -> Any:
        if name != self._name:
            return getattr(self._table, name)
        self._left -= 1
        return getattr(self._table, name) if self._left >= 0 else lambda *_: self._result


@pytest.mark.parametrize("name", ["vkAllocateMemory", "vkCreateBuffer", "vkBindBufferMemory"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_refused_allocation_frees_the_cache_and_then_raises(
    vulkan_runtime: VulkanRuntime, name: str, after: int
) -> None:
    runtime = VulkanRuntime(validation=True)
    healthy = runtime._device.functions
    runtime._device.functions = Failing(healthy, name, -2, after)
    held = []
    with pytest.raises(OutOfMemory, match="asked for 50331648 bytes"):
        while True:
            held.append(runtime.allocate(48 << 20))
    assert len(held) == after
    runtime._device.functions = healthy
    held.append(runtime.allocate(48 << 20))
    assert runtime.memory_statistics().live == len(held) * (48 << 20)
    held.clear()
    runtime.close()
    assert vulkan_runtime.validation_messages() == []


def test_a_refused_allocation_succeeds_after_the_cache_is_freed() -> None:
    runtime = VulkanRuntime(validation=True)
    usual = runtime.allocate(60 << 20)
    large = runtime.allocate(40 << 20)
    del large
    runtime._memory.limit = runtime._memory._total + (16 << 20)
    again = runtime.allocate(48 << 20)
    # The block of 40 MiB made room for one of 48; the one of 60 is in use.
    statistics = runtime.memory_statistics()
    assert statistics.live == (60 << 20) + (48 << 20)
    assert statistics.cached == 0
    del usual, again
    runtime.close()
    assert runtime.validation_messages() == []


@pytest.mark.parametrize(
    "name", ["vkQueueSubmit", "vkWaitSemaphores", "vkGetSemaphoreCounterValue"]
)
def test_a_lost_device_is_reported(name: str) -> None:
    runtime, count = VulkanRuntime(), 1 << 20
    place = upload(runtime, np.zeros(count, np.float32))
    add = Adder(runtime)
    add([place] * 20, count, 1.0)  # long enough to be still running below
    healthy = runtime._queue._functions
    runtime._queue._functions = Failing(healthy, name, -4)
    with pytest.raises(DeviceError, match="the device was lost while trying to"):
        add([place, place], count, 1.0)
        download(runtime, place, count)
    runtime._queue._functions = healthy
    runtime.close()


def _run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


_OPEN = """
import sys
from pumice.errors import DeviceError
from pumice.runtime.vulkan import VulkanRuntime
try:
    VulkanRuntime().close()
except DeviceError as problem:
    sys.exit(str(problem))
"""


def test_a_missing_loader_says_what_to_install() -> None:
    result = _run(_OPEN, PUMICE_VULKAN_LIBRARY="/nowhere/libvulkan.so")
    assert result.returncode == 1
    assert "no loader library found (tried /nowhere/libvulkan.so)" in result.stderr
    assert "PUMICE_VULKAN_LIBRARY" in result.stderr


def test_a_loader_without_a_driver_says_so() -> None:
    none = "/nowhere/icd.json"
    result = _run(_OPEN, VK_ICD_FILENAMES=none, VK_DRIVER_FILES=none)
    assert result.returncode == 1
    assert "no usable driver" in result.stderr or "devices found: none" in result.stderr


_SAVE = """
import sys
from pathlib import Path
from pumice.config import config
sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else "")
from pumice.runtime.vulkan import VulkanRuntime
runtime = VulkanRuntime(validation=True)
runtime.close()
place = config().cache_directory
files = [] if place is None else list(place.glob("vulkan-*.bin"))
print(len(files), files[0].stat().st_size if files else 0, runtime.validation_messages())
"""


@pytest.mark.parametrize("damage", ["none", "short", "changed", "empty"])
def test_the_pipeline_cache_file_survives_damage(tmp_path: Any, damage: str) -> None:
    first = _run(_SAVE, PUMICE_CACHE_DIR=str(tmp_path))
    assert first.returncode == 0, first.stderr
    (file,) = tmp_path.glob("vulkan-*.bin")
    content = file.read_bytes()
    changed = content[:-1] + bytes([content[-1] ^ 1])
    damaged = {"none": content, "short": content[:20], "changed": changed, "empty": b""}
    file.write_bytes(damaged[damage])
    again = _run(_SAVE, PUMICE_CACHE_DIR=str(tmp_path))
    assert again.returncode == 0, again.stderr
    assert again.stdout.strip().endswith("[]")
    assert file.read_bytes() == content


def test_without_a_disk_cache_nothing_is_written(tmp_path: Any) -> None:
    result = _run(_SAVE, PUMICE_CACHE_DIR=str(tmp_path), PUMICE_DISK_CACHE="0")
    assert result.returncode == 0, result.stderr
    assert list(tmp_path.iterdir()) == []


_EXIT = """
import numpy as np
from pumice.runtime.vulkan import VulkanRuntime
runtime = VulkanRuntime()
place = runtime.allocate(100)
runtime.write(place, 0, memoryview(np.ones(100, np.uint8)))
"""


def test_a_process_may_end_with_memory_in_use() -> None:
    result = _run(_EXIT)
    assert (result.returncode, result.stderr) == (0, "")
