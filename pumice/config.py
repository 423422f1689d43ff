"""The settings of the process. Environment variables are read here and nowhere else.

Stage: below all others.  Takes: environment variables.  Gives: one frozen Config.
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pumice.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Config:
    """Settings, read once.

    Attributes
    ----------
    threads : int
        CPU threads a kernel may use (``PUMICE_THREADS``; default: the affinity mask).
    cache_directory : Path or None
        Where compiled objects and plans are kept (``PUMICE_CACHE_DIR``); None keeps nothing on
        disk (``PUMICE_DISK_CACHE=0``, or a user without a home).
    cache_limit_bytes : int
        Size to which the cache on disk is trimmed (``PUMICE_CACHE_LIMIT_MB``).
    vulkan_validation : bool
        Load the Khronos validation layer (``PUMICE_VULKAN_VALIDATION``).
    vulkan_minimum_limits : bool
        Clamp device limits to what Vulkan guarantees (``PUMICE_VULKAN_MINIMUM``).
    vulkan_devices : str
        Which Vulkan devices are seen and in what order, by number, UUID or part of the name
        (``PUMICE_VULKAN_DEVICES``, such as ``1,0`` or ``NVIDIA``; ``none`` hides all).
    vulkan_disable : tuple of str
        Features that no Vulkan device may be used for (``PUMICE_VULKAN_DISABLE``, such as
        ``float64,subgroups``).
    vulkan_as_gpu : bool
        Give software devices the kernels that suit real ones (``PUMICE_VULKAN_AS_GPU``).
    vulkan_check_access : bool
        Compare every access of a kernel on a Vulkan device with the bounds of its buffer
        (``PUMICE_VULKAN_CHECK_ACCESS``).
    vulkan_guard : str
        What memory of Vulkan devices holds that nothing owns, ``nan`` or ``zero``, to find accesses
        to it; empty leaves it (``PUMICE_VULKAN_GUARD``).
    vulkan_library : str
        Path or name of the Vulkan loader, empty to search (``PUMICE_VULKAN_LIBRARY``).
    verify : bool
        Run the IR verifiers around every pass (``PUMICE_VERIFY``).
    interpret : bool
        Evaluate with the graph interpreter instead of compiled kernels (``PUMICE_INTERPRET``).
    """

    threads: int
    cache_directory: Path | None
    cache_limit_bytes: int
    vulkan_validation: bool
    vulkan_minimum_limits: bool
    vulkan_devices: str
    vulkan_disable: tuple[str, ...]
    vulkan_as_gpu: bool
    vulkan_check_access: bool
    vulkan_guard: str
    vulkan_library: str
    verify: bool
    interpret: bool


def _flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip()
    return default if value == "" else value not in ("0", "false", "no")


def _whole_number(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    if text and not text.isdecimal():
        raise InvalidArgument(f"{name} is {text!r}; allowed is a whole number")
    return int(text) if text else default


def _choice(name: str, allowed: tuple[str, ...]) -> str:
    text = os.environ.get(name, "").strip()
    if text and text not in allowed:
        raise InvalidArgument(f"{name} is {text!r}; allowed is {' or '.join(allowed)}")
    return text


def _names(name: str) -> tuple[str, ...]:
    parts = os.environ.get(name, "").split(",")
    return tuple(part.strip() for part in parts if part.strip())


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cache_directory() -> Path | None:
    if not _flag("PUMICE_DISK_CACHE", default=True):
        return None
    explicit = os.environ.get("PUMICE_CACHE_DIR")
    if explicit:
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "pumice"
    try:
        return Path.home() / ".cache" / "pumice"
    except RuntimeError:  # a user without a home
        return None


@lru_cache(maxsize=1)
def config() -> Config:
    """Return the settings of this process."""
    return Config(
        threads=_whole_number("PUMICE_THREADS", 0) or _available_cores(),
        cache_directory=_cache_directory(),
        cache_limit_bytes=_whole_number("PUMICE_CACHE_LIMIT_MB", 256) << 20,
        vulkan_validation=_flag("PUMICE_VULKAN_VALIDATION"),
        vulkan_minimum_limits=_flag("PUMICE_VULKAN_MINIMUM"),
        vulkan_devices=os.environ.get("PUMICE_VULKAN_DEVICES", ""),
        vulkan_disable=_names("PUMICE_VULKAN_DISABLE"),
        vulkan_as_gpu=_flag("PUMICE_VULKAN_AS_GPU"),
        vulkan_check_access=_flag("PUMICE_VULKAN_CHECK_ACCESS"),
        vulkan_guard=_choice("PUMICE_VULKAN_GUARD", ("nan", "zero")),
        vulkan_library=os.environ.get("PUMICE_VULKAN_LIBRARY", ""),
        verify=_flag("PUMICE_VERIFY"),
        interpret=_flag("PUMICE_INTERPRET"),
    )
