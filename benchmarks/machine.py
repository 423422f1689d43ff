"""What a run ran on: the machine and the versions."""

import importlib
import importlib.metadata
import platform
from collections.abc import Iterable
from pathlib import Path

import llvmlite.binding as llvm

from benchmarks.frameworks import PACKAGES
from benchmarks.limits import cores
from benchmarks.limits.native import vector_bytes


def machine() -> dict[str, str]:
    """Return processor, cores, memory and system."""
    return {
        "processor": f"{processor()} ({llvm.get_host_cpu_name()}), "
        f"{8 * vector_bytes()}-bit vectors",
        "cores": str(cores()),
        "memory": memory(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }


def processor() -> str:
    """Return the name of the processor."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory() -> str:
    """Return the size of the memory."""
    information = Path("/proc/meminfo")
    if information.exists():
        kilobytes = int(information.read_text().split()[1])
        return f"{kilobytes / (1 << 20):.0f} GiB"
    return "unknown"


def versions(frameworks: Iterable[str]) -> dict[str, str]:
    """Return the versions of what takes part."""
    packages = {PACKAGES[name] for name in frameworks} - {"pumice"}
    found = {"pumice": importlib.import_module("pumice").__version__}
    for package in (*sorted(packages), "numpy", "llvmlite"):
        found[package] = importlib.metadata.version(package)
    return found
