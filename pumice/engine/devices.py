"""Which devices exist, and the runtime and backend of each."""

from functools import lru_cache
from typing import Any

from pumice.backends.base import Backend
from pumice.config import config
from pumice.dtypes import DType
from pumice.errors import DeviceError, UnsupportedOperation, describe
from pumice.locks import ForkSafeLock
from pumice.runtime.base import Runtime
from pumice.target import CPU, Device, DeviceKind, device_of

_creation = ForkSafeLock()
_runtimes: dict[Device, Runtime] = {}
"""Runtimes that have been started, one per device."""


def parse_device(text: "str | Device | Any") -> Device:
    """Return the device PyTorch-style text names: ``cpu``, ``vulkan``, ``vulkan:1``."""
    if isinstance(text, Device):
        return text
    name, _, index = str(text).partition(":")
    if name == "cpu" and index in ("", "0"):
        return CPU
    if name == "vulkan" and (index == "" or index.isdigit()):
        return device_of(DeviceKind.VULKAN, int(index or 0))
    raise DeviceError(
        describe("device", f"got {text!r}", "allowed are 'cpu', 'vulkan' and 'vulkan:<number>'")
    )


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

    return VulkanRuntime(device.index)


@lru_cache(maxsize=4)
def _backend(kind: DeviceKind) -> Backend:
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


def backend_of(device: Device) -> Backend:
    """Return the compiler for a device."""
    with _creation:
        return _backend(device.kind)
