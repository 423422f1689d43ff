"""Vulkan devices: which there are and what they can do, under the names of ``torch.cuda``.

Stage: outside the pipeline.
Takes: devices by number, name or UUID.
Gives: descriptions, and settings of devices.
"""

from dataclasses import dataclass
from typing import Any

from pumice.dtypes import DType
from pumice.engine.devices import parse_device, runtime_of, switch_off
from pumice.errors import DeviceError, InvalidArgument, describe
from pumice.runtime.vulkan.limits import target_of
from pumice.runtime.vulkan.physical import DeviceDescription
from pumice.runtime.vulkan.selection import enumerate_devices, find
from pumice.runtime.vulkan.switches import SWITCHES
from pumice.target import Device, DeviceKind

__all__ = [
    "DeviceProperties",
    "device_count",
    "disable_features",
    "empty_cache",
    "feature_switches",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "set_per_process_memory_fraction",
    "synchronize",
]


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """What a Vulkan device is.

    Attributes
    ----------
    name : str
        As the driver calls it.
    type : str
        ``discrete``, ``integrated``, ``virtual``, ``cpu`` or ``other``.
    usable, reason
        Whether pumice can use it, and what it lacks if not.
    driver : str
        Name and version of the driver.
    api_version : tuple of int
        The version of Vulkan it offers.
    uuid, driver_uuid : str
        What tells the device, and the driver, from others; ``vulkan:<uuid>`` names the device.
    total_memory : int
        Bytes of its own memory.
    subgroup_size : int
        Invocations that run in step.
    features, limits : dict
        What Vulkan says of it, by Vulkan's names.
    refused : tuple of DType
        Element types it cannot compute with.
    """

    name: str
    type: str
    usable: bool
    reason: str
    driver: str
    api_version: tuple[int, int, int]
    uuid: str
    driver_uuid: str
    total_memory: int
    subgroup_size: int
    features: dict[str, bool]
    limits: dict[str, int]
    refused: tuple[DType, ...]


def is_available() -> bool:
    """Tell whether there is a Vulkan device that pumice can use.

    Examples
    --------
    >>> import pumice
    >>> device = "vulkan" if pumice.vulkan.is_available() else "cpu"
    """
    try:
        return any(each.usable for each in enumerate_devices())
    except DeviceError:
        return False


def device_count() -> int:
    """Return the number of Vulkan devices, 0 without a driver; unusable ones come last."""
    try:
        return len(enumerate_devices())
    except DeviceError:
        return 0


def get_device_name(device: Any = None) -> str:
    """Return the name of a device, the first one by default.

    Parameters
    ----------
    device : str, int or Device, optional
        A device (``"vulkan:1"``, ``"vulkan:NVIDIA"``) or its number.
    """
    return _description(device).name


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Return what a device is and can do, the first one by default.

    Parameters
    ----------
    device : str, int or Device, optional
        A device (``"vulkan:1"``, ``"vulkan:NVIDIA"``) or its number.
    """
    found = _description(device)
    return DeviceProperties(
        name=found.name,
        type=found.type.name.lower(),
        usable=found.usable,
        reason=found.reason,
        driver=found.driver,
        api_version=found.api_version,
        uuid=found.uuid.hex(),
        driver_uuid=found.driver_uuid.hex(),
        total_memory=sum(heap.size for heap in found.heaps if heap.device_local),
        subgroup_size=found.subgroup_sizes[0],
        features=dict(found.features),
        limits=dict(found.limits),
        refused=tuple(sorted(target_of(found).unsupported, key=lambda dtype: dtype.name)),
    )


def feature_switches() -> tuple[str, ...]:
    """Return the names of the features that `disable_features` turns off."""
    return tuple(SWITCHES)


def disable_features(*names: str, device: Any = None) -> None:
    """Do without features of a device, for instance because its driver gets them wrong.

    ``PUMICE_VULKAN_DISABLE=float64,subgroups`` does the same for every device of a process;
    ``pumice selftest`` says which switch cures which fault.

    Parameters
    ----------
    names : str
        Names of `feature_switches`.
    device : str, int or Device, optional
        The first one by default. It must not have been used yet.

    Raises
    ------
    InvalidArgument
        For a name that is no switch.
    DeviceError
        When the device is in use already.
    """
    unknown = [name for name in names if name not in SWITCHES]
    if unknown:
        raise InvalidArgument(
            describe(
                "disable_features",
                f"got {', '.join(map(repr, unknown))}",
                f"allowed are {', '.join(SWITCHES)}",
            )
        )
    switch_off(_device(device), names)


def synchronize(device: Any = None) -> None:
    """Wait until a device has done everything asked of it."""
    runtime_of(_device(device)).synchronize()


def memory_allocated(device: Any = None) -> int:
    """Return the bytes of device memory in tensors and running plans."""
    return runtime_of(_device(device)).memory_statistics().live


def max_memory_allocated(device: Any = None) -> int:
    """Return the most that `memory_allocated` has been."""
    return runtime_of(_device(device)).memory_statistics().peak


def memory_reserved(device: Any = None) -> int:
    """Return the bytes of device memory in use and kept for reuse."""
    found = runtime_of(_device(device)).memory_statistics()
    return found.live + found.cached


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Let the process take at most a part of a device's memory.

    What goes beyond it raises `OutOfMemory`. Without a call the limit is nine tenths, and what the
    system can spare (VK_EXT_memory_budget) where the driver tells.

    Parameters
    ----------
    fraction : float
        From 0 to 1.
    device : str, int or Device, optional
        The first one by default.

    Raises
    ------
    InvalidArgument
        For any other fraction.
    """
    if not 0 <= fraction <= 1:
        raise InvalidArgument(
            describe("set_per_process_memory_fraction", f"got {fraction}", "it must be from 0 to 1")
        )
    runtime: Any = runtime_of(_device(device))
    runtime.limit_memory(int(runtime.heap_bytes * fraction))


def empty_cache(device: Any = None) -> None:
    """Give memory that is kept for reuse back to the system."""
    runtime_of(_device(device)).empty_cache()


def _device(device: Any) -> Device:
    if device is None or isinstance(device, int):
        device = f"vulkan:{device or 0}"
    found = parse_device(device)
    if found.kind is not DeviceKind.VULKAN:
        raise InvalidArgument(
            describe("vulkan", f"got the device {str(found)!r}", "it must be a Vulkan device")
        )
    return found


def _description(device: Any) -> DeviceDescription:
    return find(enumerate_devices(), str(_device(device).index))
