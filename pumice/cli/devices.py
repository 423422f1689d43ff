"""``pumice devices``: what each device is and can do, and why one cannot be used."""

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pumice.config import config
from pumice.dtypes import ALL, DType
from pumice.engine.devices import runtime_of
from pumice.errors import DeviceError
from pumice.runtime.vulkan.constants import MemoryProperty
from pumice.runtime.vulkan.limits import emulated, target_of, used_matrices
from pumice.runtime.vulkan.physical import REQUIRED_FEATURES, DeviceDescription
from pumice.runtime.vulkan.selection import enumerate_devices
from pumice.runtime.vulkan.switches import SWITCHES, features_off
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


def show(console: Console, verbose: bool = False) -> int:
    """Print a table of devices; the status is 0 when at least the CPU works."""
    table = Table(title="Devices", show_lines=True)
    for heading in ("device", "name", "memory", "what it can do"):
        table.add_column(heading, overflow="fold")
    runtime = runtime_of(CPU)
    table.add_row(str(CPU), runtime.name, "host", _able(runtime.target.unsupported))
    try:
        found = enumerate_devices()
    except DeviceError as error:
        found = []
        table.add_row("vulkan", "none", "", f"not usable: {error}")
    found = [_switched(each) for each in found]
    for each in found:
        table.add_row(*_row(each))
    console.print(table)
    if verbose:
        for each in found:
            console.print(details(each))
    return 0


def _switched(device: DeviceDescription) -> DeviceDescription:
    """Return a device without what PUMICE_VULKAN_DISABLE turns off."""
    off = features_off(config().vulkan_disable)
    return device.without(off) if off and device.usable else device


def _row(device: DeviceDescription) -> tuple[str, str, str, str]:
    name = f"{device.name}\n{device.driver}, Vulkan {'.'.join(map(str, device.api_version))}"
    memory = sum(heap.size for heap in device.heaps if heap.device_local)
    if not device.usable:
        return f"vulkan:{device.index}", name, _size(memory), f"not usable: {device.reason}"
    able = _able(target_of(device).unsupported)
    loose = _not_guaranteed(device)
    if loose:
        able += f"\nnot guaranteed: {', '.join(loose)}"
    return f"vulkan:{device.index}", name, _size(memory), able


def _not_guaranteed(device: DeviceDescription) -> list[str]:
    return [what for name, what in _PROMISES.items() if not device.features.get(name)]


def _able(unsupported: frozenset[DType]) -> str:
    missing = [dtype.name for dtype in ALL if dtype in unsupported]
    return f"no {', '.join(missing)}" if missing else "every element type"


# -- everything about one device ------------------------------------------------------------------


def details(device: DeviceDescription) -> Panel:
    """Return everything that matters about a device: what it is, has, lacks and gets."""
    parts: list[Table] = [_identity(device)]
    if device.usable:
        parts += [_behaviour(device), _features(device), _limits(device), _memory(device)]
        if device.matrices:
            parts.append(_matrices(device))
    title = Text(f"vulkan:{device.index} {device.name}")
    return Panel(Group(*parts), title=title, expand=False)


def _identity(device: DeviceDescription) -> Table:
    table = _titled(None, "", "")
    usual, least, most = device.subgroup_sizes
    sizes = f"{usual}" if least == most else f"{usual} ({least} to {most} can be asked for)"
    for row in (
        ("type", device.type.name.lower()),
        ("usable", "yes" if device.usable else f"no: {device.reason}"),
        ("driver", device.driver),
        ("Vulkan", ".".join(map(str, device.api_version))),
        ("vendor and device", f"{device.vendor:#06x}, {device.device:#06x}"),
        ("UUID", device.uuid.hex()),
        ("driver UUID", device.driver_uuid.hex()),
        ("subgroup size", sizes),
        ("portability subset", _yes("VK_KHR_portability_subset" in device.extensions)),
    ):
        table.add_row(*row)
    return table


def _behaviour(device: DeviceDescription) -> Table:
    table = _titled("What it gets", "", "")
    refused = [dtype.name for dtype in ALL if dtype in target_of(device).unsupported]
    table.add_row("refused", ", ".join(refused) or "nothing")
    table.add_row("emulated", "\n".join(emulated(device)) or "nothing")
    table.add_row("not guaranteed", ", ".join(_not_guaranteed(device)) or "nothing")
    off = config().vulkan_disable
    table.add_row("switched off", ", ".join(off) or "nothing")
    return table


def _features(device: DeviceDescription) -> Table:
    table = _titled("Features", "feature", "there", "switch")
    switches = {feature: name for name, features in SWITCHES.items() for feature in features}
    for name, there in device.features.items():
        switch = "required" if name in REQUIRED_FEATURES else switches.get(name, "")
        table.add_row(name, _yes(there), switch)
    return table


def _limits(device: DeviceDescription) -> Table:
    table = _titled("Limits", "limit", "value")
    for name, value in device.limits.items():
        table.add_row(name, f"{value:,}")
    return table


def _memory(device: DeviceDescription) -> Table:
    table = _titled("Memory", "heap", "size", "kinds")
    for number, heap in enumerate(device.heaps):
        kinds = [
            "+".join(flag.name.lower() for flag in MemoryProperty(kind.properties) if flag.name)
            or "plain"
            for kind in device.memory_types
            if kind.heap == number
        ]
        where = "of the device" if heap.device_local else "of the host"
        table.add_row(f"{number}, {where}", _size(heap.size), "\n".join(dict.fromkeys(kinds)))
    return table


def _matrices(device: DeviceDescription) -> Table:
    table = _titled("Matrices of a subgroup", "rows x columns x steps", "used")
    used = used_matrices(device)
    for each in device.matrices:
        table.add_row(str(each), _yes(each in used))
    return table


def _titled(title: str | None, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", show_header=any(headings))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


def _size(nbytes: int) -> str:
    return f"{nbytes / 2**30:.1f} GiB"
