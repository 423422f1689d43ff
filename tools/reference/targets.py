"""Devices that pages speak of: a CPU, a GPU with every feature, and one with none."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from pumice.runtime.cpu.host import host_target
from pumice.runtime.vulkan.constants import PhysicalDeviceType
from pumice.runtime.vulkan.limits import target_of
from pumice.runtime.vulkan.physical import MINIMUM_LIMITS, REQUIRED_FEATURES, DeviceDescription
from pumice.runtime.vulkan.switches import SWITCHES
from pumice.target import Target

USUAL_LIMITS = MINIMUM_LIMITS | {
    "maxComputeWorkGroupInvocations": 1024,
    "maxComputeSharedMemorySize": 49152,
}
OPTIONAL = tuple(dict.fromkeys(name for names in SWITCHES.values() for name in names))


@lru_cache(maxsize=1)
def cpu() -> Target:
    """Return a CPU with vectors of 256 bits, whatever this machine has."""
    return replace(host_target("+avx2,+fma", "haswell"), limits={})


@lru_cache(maxsize=2)
def vulkan(features: bool) -> Target:
    """Return a GPU with every optional feature, or with none and the least of every limit."""
    device = DeviceDescription(
        index=0,
        name="a GPU",
        type=PhysicalDeviceType.DISCRETE,
        usable=True,
        reason="",
        driver="",
        api_version=(1, 3, 0),
        vendor=0,
        device=0,
        uuid=b"",
        driver_uuid=b"",
        pipeline_cache_uuid=b"",
        features=dict.fromkeys((*REQUIRED_FEATURES, *OPTIONAL), True),
        limits=dict(USUAL_LIMITS),
        heaps=(),
        memory_types=(),
        queue_family=0,
        subgroup_sizes=(32, 32, 32),
        matrices=(),
        extensions=frozenset(),
        handle=None,
    )
    if not features:
        device = replace(device.without(OPTIONAL), limits=dict(MINIMUM_LIMITS))
    return target_of(device)


DEVICES: Mapping[str, Callable[[], Target]] = MappingProxyType(
    {
        "CPU": cpu,
        "Vulkan": lambda: vulkan(True),
        "Vulkan, no optional feature": lambda: vulkan(False),
    }
)
"""The devices of the table of element types, by the name they have there."""
