"""``pumice devices``: what each device is and can do, and why one cannot be used."""

from rich.console import Console
from rich.table import Table

from pumice.dtypes import ALL
from pumice.engine.devices import runtime_of
from pumice.errors import DeviceError
from pumice.runtime.vulkan.limits import target_of
from pumice.runtime.vulkan.physical import DeviceDescription
from pumice.runtime.vulkan.selection import enumerate_devices
from pumice.target import CPU

_PROMISES = {
    "shaderDenormPreserveFloat32": "float32 subnormals",
    "shaderDenormPreserveFloat64": "float64 subnormals",
    "shaderSignedZeroInfNanPreserveFloat32": "float32 NaN and -0",
    "shaderSignedZeroInfNanPreserveFloat64": "float64 NaN and -0",
    "shaderRoundingModeRTEFloat32": "float32 rounding to nearest",
    "shaderRoundingModeRTEFloat64": "float64 rounding to nearest",
}
"""What a device may leave open, by the feature that settles it."""


def show(console: Console) -> int:
    """Print a table of devices; the status is 0 when at least the CPU works."""
    table = Table(title="Devices", show_lines=True)
    for heading in ("device", "name", "memory", "what it can do"):
        table.add_column(heading, overflow="fold")
    runtime = runtime_of(CPU)
    table.add_row(
        str(CPU),
        runtime.name,
        "host",
        _dtypes(runtime.target.unsupported),
    )
    try:
        found = enumerate_devices()
    except DeviceError as error:
        found = []
        table.add_row("vulkan", "none", "", f"not usable: {error}")
    for each in found:
        table.add_row(*_row(each))
    console.print(table)
    return 0


def _row(device: DeviceDescription) -> tuple[str, str, str, str]:
    name = f"{device.name}\n{device.driver}, Vulkan {'.'.join(map(str, device.api_version))}"
    memory = sum(heap.size for heap in device.heaps if heap.device_local)
    if not device.usable:
        return f"vulkan:{device.index}", name, _size(memory), f"not usable: {device.reason}"
    able = _dtypes(target_of(device).unsupported)
    loose = [what for name, what in _PROMISES.items() if not device.features.get(name)]
    if loose:
        able += f"\nnot guaranteed: {', '.join(loose)}"
    return f"vulkan:{device.index}", name, _size(memory), able


def _dtypes(unsupported: frozenset[object]) -> str:
    missing = [dtype.name for dtype in ALL if dtype in unsupported]
    return f"no {', '.join(missing)}" if missing else "every element type"


def _size(nbytes: int) -> str:
    return f"{nbytes / 2**30:.1f} GiB"
