"""Which Vulkan devices are seen, which one a name means, and what switches make of a device."""

import ctypes.util
import json
import subprocess
import sys
from os import environ
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pumice import dtypes
from pumice.errors import DeviceError, InvalidArgument
from pumice.runtime.vulkan import logical, physical
from pumice.runtime.vulkan.api import ffi
from pumice.runtime.vulkan.constants import PhysicalDeviceType, Structure
from pumice.runtime.vulkan.limits import emulated, target_of
from pumice.runtime.vulkan.logical import LogicalDevice, wanted_extensions
from pumice.runtime.vulkan.selection import find, in_order, visible
from pumice.runtime.vulkan.switches import SWITCHES, features_off
from pumice.testing.devices import described_device
from tests.required import skip_without_vulkan

RADEON = described_device("AMD Radeon RX 7900", uuid=bytes(range(16)))
IRIS = described_device("Intel Iris Xe", type=PhysicalDeviceType.INTEGRATED)
VIRTIO = described_device("Virtio-GPU Venus", type=PhysicalDeviceType.VIRTUAL)
SOFTWARE = described_device("llvmpipe", type=PhysicalDeviceType.CPU)
OLD = described_device("GeForce old", usable=False, reason="its driver is older")
ALL = in_order([SOFTWARE, OLD, VIRTIO, IRIS, RADEON])


def names(devices: list[Any]) -> list[str]:
    return [each.name.split()[0] for each in devices]


def test_discrete_before_integrated_before_virtual_before_cpu() -> None:
    assert names(ALL) == ["AMD", "Intel", "Virtio-GPU", "llvmpipe", "GeForce"]
    assert [each.index for each in ALL] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1", "Intel"),
        ("radeon", "AMD"),
        ("IRIS xe", "Intel"),
        ("000102030405060708090a0b0c0d0e0f", "AMD"),
        ("00010203-0405-0607-0809-0a0b0c0d0e0f", "AMD"),
        ("e", "AMD"),  # the first usable one that has it
    ],
)
def test_a_device_has_a_number_a_name_and_a_uuid(text: str, name: str) -> None:
    assert names([find(ALL, text)]) == [name]


def test_an_unusable_device_is_found_where_nothing_else_is_meant() -> None:
    assert not find(ALL, "geforce").usable


@pytest.mark.parametrize("text", ["9", "quadro", "ff" * 16])
def test_a_device_that_is_not_there_is_named_with_those_that_are(text: str) -> None:
    with pytest.raises(DeviceError, match=f"vulkan:{text}: no such device.*vulkan:0 AMD Radeon"):
        find(ALL, text)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("", ["AMD", "Intel", "Virtio-GPU", "llvmpipe", "GeForce"]),
        ("none", []),
        ("1,0", ["Intel", "AMD"]),
        ("llvmpipe, amd", ["llvmpipe", "AMD"]),
        ("0,0", ["AMD", "AMD"]),
        ("3,e", ["llvmpipe", "AMD", "Intel", "Virtio-GPU", "GeForce"]),
        ("000102030405060708090a0b0c0d0e0f,1", ["AMD", "Intel"]),
    ],
)
def test_the_setting_orders_hides_and_repeats(setting: str, expected: list[str]) -> None:
    chosen = visible(ALL, setting)
    assert names(chosen) == expected
    assert [each.index for each in chosen] == list(range(len(chosen)))


def test_a_setting_that_names_nothing_is_an_error() -> None:
    with pytest.raises(DeviceError, match="PUMICE_VULKAN_DEVICES: no device is called 'quadro'"):
        visible(ALL, "0,quadro")


# -- switches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("switch", SWITCHES)
def test_each_switch_changes_the_target(switch: str) -> None:
    narrowed = target_of(RADEON.without(features_off([switch])))
    assert narrowed.identity != target_of(RADEON).identity


def test_switches_refuse_what_cannot_be_done_without() -> None:
    def refused(switch: str) -> set[str]:
        target = target_of(RADEON.without(features_off([switch])))
        return {dtype.name for dtype in target.unsupported}

    assert target_of(RADEON).unsupported == frozenset()
    assert refused("float64") == {dtypes.float64.name}
    for switch in SWITCHES:
        assert switch == "float64" or not refused(switch)


def test_an_unknown_switch_is_named() -> None:
    with pytest.raises(InvalidArgument, match="no switch 'float23'; there are float64, int64"):
        features_off(["int8", "float23"])


def test_the_report_says_what_is_emulated() -> None:
    assert emulated(RADEON) == []
    (line,) = emulated(RADEON.without(["shaderFloat16"]))
    assert "float16 arithmetic in float32" in line
    lines = emulated(RADEON.without(["shaderInt64", "storageBuffer8BitAccess"]))
    assert lines[0].startswith("int64 and uint64 on pairs of 32-bit words")
    assert lines[1] == "8-bit elements as parts of 32-bit words"


# -- drivers ---------------------------------------------------------------------------------------


class Driver:
    """The functions of a driver with one device, written in Python."""

    listed: tuple[tuple[int, ...], ...] = ()
    """Cooperative matrices: sides, the four types, whether they saturate, and their scope."""

    def __init__(self, api: tuple[int, int], extensions: tuple[str, ...], **twelve: int) -> None:
        self._version = (api[0] << 22) | (api[1] << 12)
        self._extensions = extensions
        self._twelve = twelve
        self.asked: set[int] = set()
        self.created: dict[str, Any] = {}

    def vkEnumeratePhysicalDevices(self, handle: Any, count: Any, found: Any) -> int:  # noqa: N802
        count[0] = 1
        return 0

    def _chain(self, structure: Any) -> dict[int, Any]:
        """Return the structures that follow one, by their types."""
        types = {
            Structure.VULKAN_1_1_PROPERTIES: "VkPhysicalDeviceVulkan11Properties",
            Structure.VULKAN_1_2_PROPERTIES: "VkPhysicalDeviceVulkan12Properties",
            Structure.VULKAN_1_1_FEATURES: "VkPhysicalDeviceVulkan11Features",
            Structure.VULKAN_1_2_FEATURES: "VkPhysicalDeviceVulkan12Features",
            Structure.COOPERATIVE_MATRIX_FEATURES: "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
            Structure.COOPERATIVE_MATRIX_DEVICE_PROPERTIES: (
                "VkPhysicalDeviceCooperativeMatrixPropertiesKHR"
            ),
            Structure.BFLOAT16_FEATURES: "VkPhysicalDeviceShaderBfloat16FeaturesKHR",
            Structure.SUBGROUP_SIZE_CONTROL_FEATURES: "VkPhysicalDeviceSubgroupSizeControlFeatures",
            Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES: (
                "VkPhysicalDeviceSubgroupSizeControlProperties"
            ),
        }
        found: dict[int, Any] = {}
        place = structure.pNext
        while place != ffi().NULL:
            kind = ffi().cast("int *", place)[0]
            found[kind] = ffi().cast(f"{types[Structure(kind)]} *", place)
            place = found[kind].pNext
        self.asked |= set(found)
        return found

    def vkGetPhysicalDeviceProperties2(self, handle: Any, chain: Any) -> None:  # noqa: N802
        chain.properties.apiVersion = self._version
        chain.properties.deviceType = 1
        chain.properties.deviceName = b"Apple M2"
        found = self._chain(chain)
        if Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES in found:
            found[Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES].minSubgroupSize = 4
            found[Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES].maxSubgroupSize = 64
            found[Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES].requiredSubgroupSizeStages = 0x20
            found[Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES].maxComputeWorkgroupSubgroups = 32
        if Structure.COOPERATIVE_MATRIX_DEVICE_PROPERTIES in found:
            stages = found[Structure.COOPERATIVE_MATRIX_DEVICE_PROPERTIES]
            stages.cooperativeMatrixSupportedStages = 0x20
        if Structure.VULKAN_1_1_PROPERTIES in found:
            found[Structure.VULKAN_1_1_PROPERTIES].subgroupSize = 32

    def vkGetPhysicalDeviceFeatures2(self, handle: Any, chain: Any) -> None:  # noqa: N802
        found = self._chain(chain)
        for name, value in self._twelve.items():
            setattr(found[Structure.VULKAN_1_2_FEATURES], name, value)
        if Structure.COOPERATIVE_MATRIX_FEATURES in found:
            found[Structure.COOPERATIVE_MATRIX_FEATURES].cooperativeMatrix = 1
        if Structure.BFLOAT16_FEATURES in found:
            narrow = found[Structure.BFLOAT16_FEATURES]
            narrow.shaderBFloat16Type = narrow.shaderBFloat16CooperativeMatrix = 1
        if Structure.SUBGROUP_SIZE_CONTROL_FEATURES in found:
            sizes = found[Structure.SUBGROUP_SIZE_CONTROL_FEATURES]
            sizes.subgroupSizeControl = sizes.computeFullSubgroups = 1

    def vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(  # noqa: N802
        self, handle: Any, count: Any, found: Any
    ) -> int:
        if found != ffi().NULL:
            for place, numbers in enumerate(self.listed[: count[0]]):
                assert found[place].sType == Structure.COOPERATIVE_MATRIX_PROPERTIES
                names = ("MSize", "NSize", "KSize", "AType", "BType", "CType", "ResultType")
                for name, value in zip(
                    (*names, "saturatingAccumulation", "scope"), numbers, strict=True
                ):
                    setattr(found[place], name, value)
        count[0] = len(self.listed)
        return 0

    def vkGetPhysicalDeviceMemoryProperties2(self, handle: Any, chain: Any) -> None:  # noqa: N802
        chain.memoryProperties.memoryHeapCount = 1

    def vkGetPhysicalDeviceQueueFamilyProperties(  # noqa: N802
        self, handle: Any, count: Any, families: Any
    ) -> None:
        count[0] = 1
        if families != ffi().NULL:
            families[0].queueFlags, families[0].queueCount = 0x2, 1

    def vkEnumerateDeviceExtensionProperties(  # noqa: N802
        self, handle: Any, layer: Any, count: Any, found: Any
    ) -> int:
        count[0] = len(self._extensions)
        if found != ffi().NULL:
            for place, name in enumerate(self._extensions):
                found[place].extensionName = name.encode()
        return 0

    def vkCreateDevice(self, handle: Any, information: Any, null: Any, made: Any) -> int:  # noqa: N802
        names_ = information.ppEnabledExtensionNames
        self.created["extensions"] = [
            bytes(ffi().string(names_[place])).decode()
            for place in range(information.enabledExtensionCount)
        ]
        first = ffi().cast("VkPhysicalDeviceFeatures2 *", information.pNext)
        assert first.sType == Structure.FEATURES_2
        self.created["chain"] = set(self._chain(first))
        return 0

    def vkGetDeviceProcAddr(self, device: Any, name: bytes) -> Any:  # noqa: N802
        return ffi().NULL


REQUIRED = dict.fromkeys(physical.REQUIRED_FEATURES, 1)


def described(driver: Driver, minimum: bool = False) -> Any:
    (found,) = physical.examine_all(SimpleNamespace(functions=driver, handle=None), minimum)  # type: ignore[arg-type]
    return found


def opened(driver: Driver, monkeypatch: pytest.MonkeyPatch, without: tuple[str, ...] = ()) -> Any:
    """Return what a logical device asks of a driver."""
    monkeypatch.setattr(
        logical,
        "device_functions",
        lambda *_: SimpleNamespace(vkGetDeviceQueue=lambda *_: None),
    )
    description = described(driver).without(without)
    LogicalDevice(SimpleNamespace(functions=driver), description)  # type: ignore[arg-type]
    return driver.created


def test_a_portable_device_is_opened_with_its_subset(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver((1, 2), ("VK_KHR_portability_subset", "VK_KHR_swapchain"), **REQUIRED)
    found = described(driver)
    assert found.usable
    assert target_of(found).unsupported >= {dtypes.float64}
    assert wanted_extensions(found) == ["VK_KHR_portability_subset"]
    created = opened(driver, monkeypatch)
    assert created["extensions"] == ["VK_KHR_portability_subset"]
    assert created["chain"] == {Structure.VULKAN_1_1_FEATURES, Structure.VULKAN_1_2_FEATURES}


def test_only_what_a_driver_knows_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Driver((1, 2), (), **REQUIRED)
    assert described(plain).subgroup_sizes == (32, 32, 32)
    assert Structure.COOPERATIVE_MATRIX_FEATURES not in plain.asked
    assert Structure.SUBGROUP_SIZE_CONTROL_PROPERTIES not in plain.asked
    recent = Driver((1, 3), ("VK_KHR_cooperative_matrix",), **REQUIRED)
    found = described(recent)
    assert found.subgroup_sizes == (32, 4, 64)
    assert found.features["cooperativeMatrix"]
    created = opened(recent, monkeypatch)
    assert created["extensions"] == ["VK_KHR_cooperative_matrix"]
    assert Structure.COOPERATIVE_MATRIX_FEATURES in created["chain"]


def test_what_is_switched_off_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver((1, 3), ("VK_KHR_cooperative_matrix",), **REQUIRED)
    created = opened(driver, monkeypatch, ("cooperativeMatrix",))
    assert created["extensions"] == []
    assert Structure.COOPERATIVE_MATRIX_FEATURES not in created["chain"]


def test_a_driver_that_is_too_old_or_lacks_something_says_so() -> None:
    old = described(Driver((1, 1), ()))
    assert not old.usable and "older than Vulkan 1.2" in old.reason
    lacking = described(Driver((1, 2), (), **(REQUIRED | {"timelineSemaphore": 0})))
    assert not lacking.usable and "lacks timelineSemaphore" in lacking.reason


def test_the_guaranteed_minimum_has_no_subgroups() -> None:
    driver = Driver((1, 3), (), **REQUIRED)
    assert not described(driver, minimum=True).features["subgroups"]


# -- libraries -------------------------------------------------------------------------------------


def opened_with(library: str) -> subprocess.CompletedProcess[str]:
    program = "import pumice; print(pumice.vulkan.get_device_name()); "
    program += "print(pumice.ones(2, device='vulkan'))"
    return subprocess.run(
        [sys.executable, "-c", program],
        # A driver by itself has no layers.
        env=environ | {"PUMICE_VULKAN_LIBRARY": library, "PUMICE_VULKAN_VALIDATION": "0"},
        capture_output=True,
        text=True,
    )


@pytest.mark.vulkan
def test_a_driver_serves_without_a_loader(vulkan_device: str) -> None:
    found = [
        Path(json.loads(each.read_text())["ICD"]["library_path"])
        for each in Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")
    ]
    if not found:
        skip_without_vulkan("Mesa's software driver is not installed")
    result = opened_with(str(found[0]))
    assert result.returncode == 0, result.stderr
    assert "llvmpipe" in result.stdout and "tensor([1., 1.]" in result.stdout


def test_a_library_that_is_neither_says_so() -> None:
    result = opened_with(ctypes.util.find_library("m") or "libm.so.6")
    assert result.returncode == 1
    assert "the library found is neither a loader nor a driver" in result.stderr
