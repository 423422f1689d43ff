"""Which devices exist, and the runtime and backend of each."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pumice.config import config
from pumice.dtypes import DType
from pumice.errors import DeviceError, UnsupportedOperation, describe
from pumice.locks import ForkSafeLock
from pumice.runtime.base import Runtime
from pumice.target import CPU, Device, DeviceKind, device_of

if TYPE_CHECKING:
    from pumice.backends.base import Backend

_creation = ForkSafeLock()
_runtimes: dict[Device, Runtime] = {}
"""Runtimes that have been started, one per device."""
_switched_off: dict[Device, frozenset[str]] = {}
"""Features a device shall do without, by the names of their switches."""


def parse_device(text: "str | Device | Any", index: int | None = None) -> Device:
    """Return the device that PyTorch-style text names.

    Parameters
    ----------
    text : str or Device
        ``cpu``, ``vulkan`` (the first one), ``vulkan:1``, or ``vulkan:`` with a part of the name
        (in any case) or the UUID of a device, such as ``vulkan:radeon``.
    index : int, optional
        The number apart from the kind: ``device("vulkan", 1)``.

    Returns
    -------
    Device

    Raises
    ------
    DeviceError
        When the text names none.

    Examples
    --------
    >>> pumice.device("vulkan", 1)
    device('vulkan:1')
    """
    if isinstance(text, Device):
        return text
    kind, _, which = str(text).partition(":")
    if index is not None:
        which = f"{which}:{index}" if which else str(index)
    if kind == "cpu" and which in ("", "0"):
        return CPU
    if kind == "vulkan":
        if which == "" or which.isdigit():
            return device_of(DeviceKind.VULKAN, int(which or 0))
        return _named(which)
    allowed = "allowed are 'cpu', 'vulkan', 'vulkan:<number>', 'vulkan:<name>', 'vulkan:<UUID>'"
    if kind == "cuda":
        allowed = "every GPU is a Vulkan device here: write 'vulkan' in place of 'cuda'"
    raise DeviceError(describe("device", f"got {text!r}", allowed))


def _named(text: str) -> Device:
    """Return the Vulkan device with a name or a UUID."""
    from pumice.runtime.vulkan.selection import enumerate_devices, find

    return device_of(DeviceKind.VULKAN, find(enumerate_devices(), text).index)


def switch_off(device: Device, names: Iterable[str]) -> None:
    """Do without features of a Vulkan device.

    Raises
    ------
    DeviceError
        When the device has been started, so that code for it may exist already.
    """
    with _creation:
        if device in _runtimes:
            raise DeviceError(
                describe("disable_features", f"{device} is in use", "switch off before first use")
            )
        _switched_off[device] = _switched_off.get(device, frozenset()) | frozenset(names)


@lru_cache(maxsize=16)
def _runtime(device: Device) -> Runtime:
    # Imported when first asked for: neither LLVM nor a Vulkan loader may slow down `import pumice`.
    if device.kind is DeviceKind.CPU:
        if config().interpret:
            from pumice.engine.host import HostRuntime

            return HostRuntime()
        from pumice.runtime.cpu.runtime import CpuRuntime

        return CpuRuntime()
    from pumice.runtime.vulkan.runtime import VulkanRuntime

    return VulkanRuntime(device.index, switches=_switched_off.get(device, frozenset()))


@lru_cache(maxsize=4)
def _backend(kind: DeviceKind) -> "Backend":
    if kind is DeviceKind.CPU:
        from pumice.backends.llvm.backend import LlvmBackend

        return LlvmBackend()
    from pumice.backends.spirv.backend import SpirvBackend

    return SpirvBackend()


def runtime_of(device: Device) -> Runtime:
    """Return the runtime of a device, starting it on first use."""
    runtime = _runtimes.get(device)
    if runtime is None:
        with _creation:
            runtime = _runtimes[device] = _runtime(device)
    return runtime


def lacks(device: Device, dtype: DType) -> bool:
    """Tell whether a device cannot hold and compute with an element type."""
    return device is not CPU and dtype in runtime_of(device).target.unsupported


def require_dtype(operator: str, dtype: DType, device: Device) -> None:
    """Refuse an element type that a device cannot compute with.

    Raises
    ------
    UnsupportedOperation
        Names the operator, the dtype, the device and what to do.
    """
    if lacks(device, dtype):
        raise UnsupportedOperation(describe(operator, *refusal(dtype, device)))


def refusal(dtype: DType, device: Device) -> tuple[str, str]:
    """Say that a device cannot compute with an element type, and what to do."""
    return (
        f"got {dtype.name}, which {device} ({runtime_of(device).name}) cannot compute with",
        "convert to another dtype, or keep the tensor on the CPU",
    )


def backend_of(device: Device) -> "Backend":
    """Return the compiler for a device."""
    with _creation:
        return _backend(device.kind)
