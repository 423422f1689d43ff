"""Vulkan devices that no machine here has, described as their drivers describe them."""

from typing import Any

from pumice.runtime.vulkan import physical
from pumice.runtime.vulkan.constants import MemoryProperty, PhysicalDeviceType
from pumice.runtime.vulkan.switches import SWITCHES

GIB = 1 << 30
_FEATURES = {
    *physical.CORE_FEATURES,
    *physical.FEATURES_1_1,
    *physical.FEATURES_1_2,
    physical.SUBGROUP_SIZE,
    *(feature for features in SWITCHES.values() for feature in features),
}


def described_device(name: str, *, lacking: tuple[str, ...] = (), **known: Any) -> Any:
    """Return the description of a device that has every feature but some.

    Parameters
    ----------
    lacking : tuple of str
        Names of features.
    known : Any
        Attributes of `DeviceDescription` in place of those of a discrete device of 8 GiB.
    """
    unknown = set(lacking) - _FEATURES
    assert not unknown, f"no such features: {unknown}"
    usual: dict[str, Any] = {
        "index": 0,
        "type": PhysicalDeviceType.DISCRETE,
        "usable": True,
        "reason": "",
        "driver": "driver 1",
        "api_version": (1, 3, 0),
        "vendor": 1,
        "device": 2,
        "uuid": name.encode().ljust(16, b"\0")[:16],
        "driver_uuid": bytes(16),
        "pipeline_cache_uuid": bytes(16),
        "features": {each: each not in lacking for each in sorted(_FEATURES)},
        "limits": dict(physical.MINIMUM_LIMITS),
        "heaps": (physical.Heap(8 * GIB, True),),
        "memory_types": (physical.MemoryType(0, int(MemoryProperty.DEVICE_LOCAL)),),
        "queue_family": 0,
        "subgroup_sizes": (32, 32, 32),
        "matrices": (),
        "extensions": frozenset(),
        "handle": None,
    }
    return physical.DeviceDescription(name=name, **(usual | known))
