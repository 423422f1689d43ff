"""Files of the disk cache: compiled kernels and plans, refused when damaged, bounded in size."""

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pumice.config import config
from pumice.engine.devices import backend_of, runtime_of
from pumice.engine.statistics import statistics
from pumice.errors import PACKAGE_ROOT
from pumice.files import replace_file
from pumice.target import Artifact, Device

FORMAT = 3


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a hash of the code that turns kernels into artifacts.

    An object compiled by other code must not be taken from the disk, also while a backend is
    being changed.
    """
    folders = ("backends", "kernel", "ops")
    return source_hash(folders, ("dtypes.py", "numpy_types.py", "target.py"))


def source_hash(folders: Iterable[str], names: Iterable[str]) -> str:
    """Return a hash of modules of the package: all those of folders, and some more."""
    digest = hashlib.sha256(str(FORMAT).encode())
    root = Path(PACKAGE_ROOT)
    paths = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    for path in (*paths, *(root / name for name in names)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_file(folder: str, key: str) -> bytes | None:
    """Return what was written under a key, or None when it is missing or damaged."""
    path = _path(folder, key)
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, content = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == digest else None


def write_file(folder: str, key: str, content: bytes) -> None:
    """Keep bytes under a key; a full or read-only disk only costs the cache."""
    path = _path(folder, key)
    if path is None:
        return
    with contextlib.suppress(OSError):
        replace_file(path, hashlib.sha256(content).digest() + content)


DIGEST_BYTES = 32
KERNELS, MODULES, PLANS = "kernels", "modules", "plans"
"""Folders of the cache."""
_KEY = re.compile("[0-9a-f]{64}")


def _path(folder: str, key: str) -> Path | None:
    root = config().cache_directory
    return None if root is None else root / folder / key[:2] / key


def read_artifact(key: str) -> Artifact | None:
    """Return an artifact from disk, or None when it is missing or damaged."""
    data = read_file(KERNELS, key)
    if data is None:
        return None
    header, _, code = data.partition(b"\n")
    fields = json.loads(header)
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Artifact(code=code, **(fields | lists))


def write_artifact(key: str, artifact: Artifact) -> None:
    """Keep an artifact on disk."""
    fields = asdict(artifact)
    code = fields.pop("code")
    write_file(KERNELS, key, json.dumps(fields).encode() + b"\n" + code)


@lru_cache(maxsize=64)
def module_code(name: str, device: Device) -> bytes:
    """Return code that artifacts share, kept on disk apart from them."""
    target = runtime_of(device).target
    text = f"{code_version()}\n{target.identity}\n{name}"
    key = hashlib.sha256(text.encode()).hexdigest()
    code = read_file(MODULES, key)
    if code is None:
        code = backend_of(device).module(name, target)
        write_file(MODULES, key, code)
    return code


def load_artifacts(artifacts: Sequence[Artifact], device: Device) -> list[Any]:
    """Return what launches need for compiled kernels; drivers of GPUs compile them further."""
    runtime = runtime_of(device)
    start = time.perf_counter()
    whole = [
        replace(each, code=module_code(each.module, device)) if each.module else each
        for each in artifacts
    ]
    loaded = runtime.load(whole)
    statistics.record_compilation(0, time.perf_counter() - start)
    return loaded


def _is_own(entry: Path) -> bool:
    """Tell whether this module wrote a file: the folder may be anybody's."""
    key = entry.name.partition(".")[0]
    folder = entry.parent.parent.name
    return (
        folder in (KERNELS, MODULES, PLANS)
        and _KEY.fullmatch(key) is not None
        and key[:2] == entry.parent.name
    )


def trim() -> None:
    """Remove the oldest files when the cache on disk has outgrown its limit."""
    root = config().cache_directory
    if root is None:
        return
    files = []
    for entry in root.glob("*/??/*"):
        # Another process may trim too, and folders may be anybody's.
        with contextlib.suppress(OSError):
            if _is_own(entry):
                files.append((entry.stat(), entry))
    total = sum(status.st_size for status, _ in files)
    for status, entry in sorted(files, key=lambda item: item[0].st_mtime):
        if total <= config().cache_limit_bytes:
            return
        with contextlib.suppress(OSError):
            entry.unlink(missing_ok=True)
            total -= status.st_size
