"""What this machine's CPU is, as a `Target`.

`Target.identity` is ``llvm version|triple|cpu|features``; the backend reads it back.
"""

import ctypes
import sys
from functools import lru_cache
from pathlib import Path

import llvmlite.binding as llvm

from pumice.target import DeviceKind, Target, Tile

LANES = 32
_LEVELS = {"1": "near_bytes", "2": "middle_bytes"}
BLOCK = 4096

_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA = 158, 0x1023, 18
"""Of x86-64 Linux: the system call, its request, and the number of the tile registers' state."""


def host_target(features: str | None = None, cpu: str | None = None) -> Target:
    """Return the target of this machine.

    Parameters
    ----------
    features, cpu : str, optional
        Generate code for these LLVM features and CPU instead, for tests of other code paths.
    """
    triple = llvm.get_process_triple()
    cpu = llvm.get_host_cpu_name() if cpu is None else cpu
    text = _host_features() if features is None else features
    names = sorted(name for name in text.split(",") if name)
    version = ".".join(str(part) for part in llvm.llvm_version_info)
    identity = f"{version}|{triple}|{cpu}|{','.join(names)}"
    return Target(
        kind=DeviceKind.CPU,
        identity=identity,
        lanes=LANES,
        block=BLOCK,
        grid_lanes=False,
        tiles=_tiles(triple, cpu, frozenset(name[1:] for name in names if name[0] == "+")),
        limits=_caches(),
    )


@lru_cache(maxsize=1)
def _caches() -> dict[str, int]:
    """Return the sizes of the first two levels of data caches, where the system tells them."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = (
                (folder / name).read_text().strip() for name in ("level", "type", "size")
            )
        except OSError:  # not told here
            continue
        if kind != "Instruction" and level in _LEVELS and size.endswith("K"):
            found[_LEVELS[level]] = int(size[:-1]) << 10
    return found


def _host_features() -> str:
    try:
        return str(llvm.get_host_cpu_features().flatten())
    except RuntimeError:  # LLVM cannot read them on this system: use the CPU's usual ones
        return ""


@lru_cache(maxsize=1)
def _may_use_tiles() -> bool:
    """Ask Linux for the tile registers, which a process may use only after asking."""
    if sys.platform != "linux":
        return False
    answer: int = ctypes.CDLL(None).syscall(_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA)
    return answer == 0


def _tiles(triple: str, cpu: str, features: frozenset[str]) -> dict[str, Tile]:
    """Accumulators fill most vector registers and leave room for the operands."""
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= features:
        return {
            **_word_tiles(cpu, features),
            "float32": Tile(14, 32),
            "float64": Tile(14, 16),
            "int32": Tile(14, 32),
            "int64": Tile(8, 16),
        }
    if {"avx2", "fma"} <= features:
        return {
            **_word_tiles(cpu, features),
            "float32": Tile(6, 16),
            "float64": Tile(6, 8),
            "int32": Tile(6, 16),
            "int64": Tile(4, 8),
        }
    if triple.startswith(("aarch64", "arm64")):
        return {
            "float32": Tile(8, 12),
            "float64": Tile(8, 6),
            "int32": Tile(8, 12),
            "int64": Tile(4, 4),
        }
    return {name: Tile(4, 8) for name in ("float32", "float64", "int32", "int64")}


def _word_tiles(cpu: str, features: frozenset[str]) -> dict[str, Tile]:
    """Tiles of products whose k goes by words.

    Vectors multiply pairs of bfloat16 faster than they do float32 on AMD's CPUs only; Intel's took
    seven times longer.
    """
    found = {}
    for name, registers, wide, narrow in (
        ("bfloat16", "amx-bf16", "avx512bf16", None),
        ("int8", "amx-int8", "avx512vnni", "avxvnni"),
    ):
        is_wide = "avx512vl" in features
        if is_wide and {"amx-tile", registers} <= features and _may_use_tiles():
            found[name] = Tile(32, 32, 16)
        elif is_wide and wide in features and (name == "int8" or cpu.startswith("znver")):
            found[name] = Tile(12, 32)
        elif not is_wide and narrow in features:
            found[name] = Tile(4, 16)
    return found
