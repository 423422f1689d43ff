"""The report of a self-test: all that somebody needs who has not this device."""

import io
import platform
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from rich.console import Console

import pumice
from pumice.cli.devices import details
from pumice.config import config
from pumice.engine.devices import runtime_of
from pumice.errors import DeviceError
from pumice.runtime.vulkan.selection import enumerate_devices, find
from pumice.target import Device, DeviceKind

_PACKAGES = ("numpy", "llvmlite", "cffi", "ml_dtypes")
_WIDTH = 100


def write_report(
    path: Path, device: Device, count: int, problems: Mapping[str, str], cures: Mapping[str, str]
) -> None:
    """Write a report as Markdown."""
    lines = [
        f"# pumice selftest on {device} ({runtime_of(device).name})",
        "",
        f"{len(problems)} of {count} checks failed.",
        "",
        *(f"- {name}: {value}" for name, value in versions().items()),
    ]
    lines += ["", "## Device", "", "```", *_described(device), "```", ""]
    lines += ["## Failures", ""]
    if not problems:
        lines.append("None.")
    for name, problem in problems.items():
        cure = f"Cured without {cures[name]}." if name in cures else "No switch tried cures it."
        lines += [f"### {name}", "", cure, "", "```", *problem.splitlines(), "```", ""]
    path.write_text("\n".join(lines).rstrip() + "\n")


def versions() -> dict[str, str]:
    """Return what takes part, by name."""
    settings = config()
    found = {
        "pumice": pumice.__version__,
        "Python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    found["switched off"] = ", ".join(settings.vulkan_disable) or "nothing"
    found["PUMICE_VULKAN_DEVICES"] = settings.vulkan_devices or "not set"
    return found


def _described(device: Device) -> list[str]:
    if device.kind is DeviceKind.CPU:
        return [runtime_of(device).name]
    console = Console(file=io.StringIO(), width=_WIDTH)
    try:
        console.print(details(find(enumerate_devices(), str(device.index))))
    except DeviceError as error:
        return [str(error)]
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text.rstrip().splitlines()
