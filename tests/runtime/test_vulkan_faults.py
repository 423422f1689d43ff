"""What fails in a driver is told clearly, loses nothing, and lets the process go on."""

import os
import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.errors import DeviceError, OutOfMemory
from pumice.runtime.vulkan import VulkanRuntime
from pumice.runtime.vulkan.pipelines import Pipelines
from tests.runtime.tables import Failing, replaced
from tests.runtime.test_vulkan_device import Adder, download, upload
from tests.runtime.test_vulkan_replay import Chain

pytestmark = pytest.mark.vulkan

ALLOCATIONS = ("vkAllocate", "vkCreate", "vkBindBuffer", "vkMapMemory", "vkBegin", "vkEnd")
SUBMISSIONS = ("vkQueueSubmit", "vkWaitSemaphores", "vkGetSemaphoreCounterValue")
COUNT = 70_000


def workload(runtime: VulkanRuntime) -> None:
    data = np.arange(COUNT, dtype=np.float32)
    source = upload(runtime, data)
    results = [Chain(runtime, COUNT)(source, step) for step in range(3)]
    places = [source, *[runtime.allocate(40 << 20) for _ in range(2)]]
    Adder(runtime)(places, COUNT, 1.0)
    for step, each in enumerate(results):
        np.testing.assert_array_equal(download(runtime, each, COUNT), data + 2 * step)
    np.testing.assert_array_equal(download(runtime, places[-1], COUNT), data + 2)


@pytest.mark.parametrize("result", [-1, -2])
@pytest.mark.parametrize("staging", [False, True])
def test_each_allocation_may_fail(vulkan_device: str, staging: bool, result: int) -> None:
    failed = set()
    for after in range(200):
        runtime = VulkanRuntime(staging=staging, copy_queue=staging, validation=False)
        with replaced(runtime, Failing(runtime._device.functions, result, after, ALLOCATIONS)) as t:
            try:
                workload(runtime)
            except OutOfMemory as error:
                assert "asked for" in str(error) or "the driver is out of memory" in str(error)
        workload(runtime)
        live = runtime.memory_statistics().live
        runtime.close()
        assert live == 0
        if not t.failed:
            break
        failed.add(t.failed)
    assert not t.failed, "the work ends some time"
    assert {"vkAllocateMemory", "vkCreateBuffer", "vkAllocateCommandBuffers"} <= failed
    assert {"vkBeginCommandBuffer", "vkEndCommandBuffer", "vkCreateShaderModule"} <= failed


def test_a_refused_allocation_loses_no_tensor(vulkan_device: str) -> None:
    runtime: Any = runtime_of(parse_device(vulkan_device))
    source = np.random.default_rng(0).standard_normal((300, 400)).astype(np.float32)
    expected = (source * 3 + 1) @ source.T
    runtime.empty_cache()
    for after in range(100):
        x = pumice.tensor(source).to(vulkan_device).realize()
        y = (x * 3 + 1) @ x.T
        table = Failing(runtime._device.functions, -2, after, ALLOCATIONS[:4], forever=True)
        with replaced(runtime, table):
            try:
                y.realize()
            except OutOfMemory:
                assert pumice.ones(3).sum().item() == 3  # the CPU goes on
        np.testing.assert_allclose(y.cpu().numpy(), expected, rtol=1e-3, atol=1e-3)
        if not table.failed:
            return
        del x, y
        runtime.empty_cache()
    raise AssertionError("the work ends some time")


@pytest.mark.parametrize("after", range(14))
def test_a_device_lost_at_any_time_stays_lost(vulkan_device: str, after: int) -> None:
    runtime = VulkanRuntime(validation=False, staging=True, copy_queue=True)
    table = Failing(runtime._device.functions, -4, after, SUBMISSIONS, forever=True)
    told = pytest.raises(DeviceError, match="the device was lost while trying to")
    with replaced(runtime, table), told:
        for _ in range(10):
            workload(runtime)
    assert table.failed
    for use in (lambda: runtime.allocate(10), lambda: workload(runtime), runtime.synchronize):
        with pytest.raises(DeviceError, match=r"was lost .* does again in a new process"):
            use()
    runtime.close()
    other = VulkanRuntime(validation=False)
    workload(other)
    other.close()


_LOSS = """
import numpy as np, pumice
from pumice.engine.devices import parse_device, runtime_of
from pumice.errors import DeviceError
from tests.runtime.tables import Failing, replaced
x = pumice.arange(12.0).reshape(3, 4).to("vulkan").realize()
here = x.cpu()
runtime = runtime_of(parse_device("vulkan"))
y = [((x + n) @ x.T).softmax(-1).sum() for n in range(3)]
with replaced(runtime, Failing(runtime._device.functions, -4, 1, ("vkQueueSubmit",), True)):
    for each in y[:2]:
        try:
            each.item()
        except DeviceError as error:
            print("lost:", error)
z = pumice.ones(3, device="vulkan").sum()
for attempt in (y[2].item, x.tolist, z.item):
    try:
        attempt()
        print("worked")
    except DeviceError as error:
        print("refused:", error)
print((here @ here.T).sum().item(), here[2].tolist())
"""


def test_a_process_goes_on_with_the_cpu_when_its_device_is_lost(vulkan_device: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", _LOSS], capture_output=True, text=True, check=False, env=os.environ
    )
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert sum(line.startswith("lost: Vulkan: the device was lost") for line in lines) >= 1
    assert sum(line.startswith("refused: Vulkan: the device was lost") for line in lines) == 3
    assert lines[-1] == "1134.0 [8.0, 9.0, 10.0, 11.0]"


_NO_DRIVER = """
import pumice
from pumice.errors import DeviceError
for _ in range(2):
    try:
        pumice.ones(3).to("vulkan").realize()
    except DeviceError as error:
        print(error)
print(pumice.ones(3).sum().item())
"""


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"VK_ICD_FILENAMES": "/nowhere", "VK_DRIVER_FILES": "/nowhere"}, "driver|found: none"),
        ({"PUMICE_VULKAN_LIBRARY": "/nowhere/libvulkan.so"}, "no loader library found"),
    ],
)
def test_a_process_goes_on_with_the_cpu_without_a_driver(
    variables: dict[str, str], message: str
) -> None:
    result = subprocess.run(
        [sys.executable, "-c", _NO_DRIVER],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables,
    )
    assert (result.returncode, result.stderr) == (0, "")
    first, second, last = result.stdout.splitlines()
    assert first == second
    assert any(part in first for part in message.split("|"))
    assert last == "3.0"


# -- the pipeline cache ---------------------------------------------------------------------------


def test_a_cache_of_another_driver_is_not_given_to_this_one(
    vulkan_device: str, tmp_path: Any
) -> None:
    runtime = VulkanRuntime(validation=False)
    device = runtime._device
    pipelines = Pipelines(device, 128, tmp_path, 1)
    pipelines.load(runtime_artifacts(runtime))
    pipelines.save()
    (file,) = tmp_path.iterdir()
    assert len(pipelines._read()) >= 32
    body = bytearray(pipelines._read())
    for place, value in ((8, 0x1234), (12, 0x5678), (16, 0x9ABC), (4, 7), (0, 40)):
        other = body.copy()
        other[place : place + 4] = struct.pack("<I", value)
        file.write_bytes(pipelines._sealed(bytes(other)))
        assert pipelines._read() == b""
    for length in (0, 3, 31):
        file.write_bytes(pipelines._sealed(bytes(body[:length])))
        assert pipelines._read() == b""
    file.write_bytes(pipelines._sealed(bytes(body)))
    assert pipelines._read() == bytes(body)
    pipelines.destroy()
    runtime.close()


def test_a_cache_that_the_driver_refuses_is_begun_afresh(vulkan_device: str, tmp_path: Any) -> None:
    runtime = VulkanRuntime(validation=False)
    first = Pipelines(runtime._device, 128, tmp_path, 1)
    first.load(runtime_artifacts(runtime))
    first.destroy()
    for result in (-1, -3, -13):
        table = Failing(runtime._device.functions, result, 0, ("vkCreatePipelineCache",))
        with replaced(runtime, table):
            again = Pipelines(runtime._device, 128, tmp_path, 1)
            again.load(runtime_artifacts(runtime))
            assert table.failed
        again.destroy()
    runtime.close()


def runtime_artifacts(runtime: VulkanRuntime) -> list[Any]:
    return [Adder(runtime).loaded.artifact]
