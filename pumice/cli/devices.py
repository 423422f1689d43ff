"""``pumice devices``: what each device is and can do, and why one cannot be used."""

from rich.console import Console
from rich.table import Table

from pumice.config import config
from pumice.dtypes import ALL
from pumice.engine.devices import runtime_of
from pumice.errors import DeviceError
from pumice.runtime.vulkan.physical import DeviceDescription, enumerate_devices
from pumice.target import CPU


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
        f"{config().threads} threads, {_dtypes(runtime.target.unsupported)}",
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
    present = [feature for feature, has in sorted(device.features.items()) if has]
    absent = [feature for feature, has in sorted(device.features.items()) if not has]
    lines = [f"has {', '.join(present) or 'no optional features'}"]
    if absent:
        lines.append(f"lacks {', '.join(absent)}")
    return f"vulkan:{device.index}", name, _size(memory), "\n".join(lines)


def _dtypes(unsupported: frozenset[object]) -> str:
    missing = [dtype.name for dtype in ALL if dtype in unsupported]
    return f"no {', '.join(missing)}" if missing else "every element type"


def _size(nbytes: int) -> str:
    return f"{nbytes / 2**30:.1f} GiB"
