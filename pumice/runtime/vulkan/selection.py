"""Which Vulkan devices are seen, in what order, and which of them a name means."""

from collections.abc import Sequence
from dataclasses import replace

from pumice.config import config
from pumice.errors import DeviceError, describe
from pumice.runtime.vulkan.constants import PhysicalDeviceType
from pumice.runtime.vulkan.instance import Instance, instance
from pumice.runtime.vulkan.physical import DeviceDescription, examine_all

_ORDER = (
    PhysicalDeviceType.DISCRETE,
    PhysicalDeviceType.INTEGRATED,
    PhysicalDeviceType.VIRTUAL,
    PhysicalDeviceType.OTHER,
    PhysicalDeviceType.CPU,
)
NO_DEVICE = "none"


def enumerate_devices() -> list[DeviceDescription]:
    """Return the Vulkan devices in the order their numbers count.

    Raises
    ------
    DeviceError
        When there is no loader or no driver.
    """
    settings = config()
    return describe_all(instance(settings.vulkan_validation), settings.vulkan_minimum_limits)


def describe_all(of: Instance, minimum: bool) -> list[DeviceDescription]:
    """Return the devices of an instance that PUMICE_VULKAN_DEVICES leaves, numbered."""
    return visible(in_order(examine_all(of, minimum)), config().vulkan_devices)


def in_order(devices: Sequence[DeviceDescription]) -> list[DeviceDescription]:
    """Number devices: usable ones first, discrete before integrated before virtual before CPU."""
    chosen = sorted(devices, key=lambda each: (not each.usable, _ORDER.index(each.type)))
    return _numbered(chosen)


def visible(devices: Sequence[DeviceDescription], setting: str) -> list[DeviceDescription]:
    """Return the devices that a setting such as ``1,0`` or ``NVIDIA`` names, in its order.

    A number or a UUID adds one device, also a second time: two devices of their own then share
    one piece of hardware. A part of a name adds every device that has it and is not listed yet.

    Raises
    ------
    DeviceError
        When a part of the setting names no device.
    """
    parts = [part.strip() for part in setting.split(",") if part.strip()]
    if not parts:
        return list(devices)
    if parts == [NO_DEVICE]:
        return []
    chosen: list[DeviceDescription] = []
    for part in parts:
        found = matching(devices, part)
        if not found:
            raise DeviceError(
                f"PUMICE_VULKAN_DEVICES: no device is called {part!r}; devices found: "
                f"{listed(devices)}"
            )
        one = part.isdigit() or _is_uuid(part)
        chosen += [each for each in found if one or each not in chosen]
    return _numbered(chosen)


def matching(devices: Sequence[DeviceDescription], text: str) -> list[DeviceDescription]:
    """Return the devices with a number, a UUID or a part of a name (in any case)."""
    if text.isdigit():
        return [each for each in devices if each.index == int(text)]
    if _is_uuid(text):
        wanted = bytes.fromhex(text.replace("-", ""))
        return [each for each in devices if each.uuid == wanted]
    return [each for each in devices if text.casefold() in each.name.casefold()]


def find(devices: Sequence[DeviceDescription], text: str) -> DeviceDescription:
    """Return the first device that a text names.

    Raises
    ------
    DeviceError
        When there is none; lists those that there are.
    """
    found = matching(devices, text)
    if not found:
        raise DeviceError(
            describe(
                "device", f"vulkan:{text}: no such device", f"devices found: {listed(devices)}"
            )
        )
    return next((each for each in found if each.usable), found[0])


def choose(of: Instance, index: int, minimum: bool) -> DeviceDescription:
    """Return a usable device by number.

    Raises
    ------
    DeviceError
        When there is no such device, or it lacks something; says what.
    """
    chosen = find(describe_all(of, minimum), str(index))
    if not chosen.usable:
        raise DeviceError(
            describe("device", f"vulkan:{index}: {chosen.name} cannot be used", chosen.reason)
        )
    return chosen


def listed(devices: Sequence[DeviceDescription]) -> str:
    """Return the numbers and names of devices as messages show them."""
    return ", ".join(f"vulkan:{each.index} {each.name}" for each in devices) or "none"


def _numbered(devices: Sequence[DeviceDescription]) -> list[DeviceDescription]:
    return [replace(each, index=index) for index, each in enumerate(devices)]


def _is_uuid(text: str) -> bool:
    digits = text.replace("-", "")
    return len(digits) == 32 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
