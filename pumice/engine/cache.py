"""Compiled kernels: in memory by their text, on disk by its hash (design.md D13)."""

import hashlib
import json
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from pumice.config import config
from pumice.engine.devices import backend_of, runtime_of
from pumice.engine.statistics import statistics
from pumice.errors import PACKAGE_ROOT
from pumice.kernel.ir import Kernel
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.printer import print_kernel
from pumice.locks import ForkSafeLock
from pumice.target import Artifact, Device, Target

FORMAT = 2
MAXIMUM_KERNELS = 4096
TRIM_EVERY = 64


class KernelCache:
    """Loaded kernels, least recently used dropped first."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[tuple[Device, str], Any] = OrderedDict()
        self._written = 0
        self._lock = ForkSafeLock(delays_fork=True)

    def load(self, kernels: Sequence[Kernel], device: Device) -> list[Any]:
        """Return what launches need for each kernel, compiling those never seen.

        Kernels are known by their text before any pass: passes are part of what is saved.
        """
        runtime = runtime_of(device)
        target = runtime.target
        texts = [_text(kernel) for kernel in kernels]
        with self._lock:
            missing: dict[str, Kernel] = {}
            for text, kernel in zip(texts, kernels, strict=True):
                if (device, text) not in self._loaded:
                    missing.setdefault(text, kernel)
            if missing:
                artifacts = self._artifacts(list(missing), list(missing.values()), target, device)
                handles = runtime.load(artifacts)
                for text, handle in zip(missing, handles, strict=True):
                    self._loaded[device, text] = handle
            found = []
            for text in texts:
                self._loaded.move_to_end((device, text))
                found.append(self._loaded[device, text])
            while len(self._loaded) > MAXIMUM_KERNELS:
                self._loaded.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._loaded)

    def _trim_now_and_then(self, written: int) -> None:
        """Keep the disk cache within its limit: looked at first and then after many files."""
        before = self._written
        self._written += written
        if before == 0 or before // TRIM_EVERY != self._written // TRIM_EVERY:
            trim()

    def _artifacts(
        self, texts: list[str], kernels: list[Kernel], target: Target, device: Device
    ) -> list[Artifact]:
        keys = [
            hashlib.sha256(f"{code_version()}\n{target.identity}\n{text}".encode()).hexdigest()
            for text in texts
        ]
        found = [read_artifact(key) for key in keys]
        wanting = [number for number, artifact in enumerate(found) if artifact is None]
        if wanting:
            start = time.perf_counter()
            optimised = [optimise(kernels[each]) for each in wanting]
            compiled = backend_of(device).compile(optimised, target)
            statistics.record_compilation(len(wanting), time.perf_counter() - start)
            for number, artifact in zip(wanting, compiled, strict=True):
                found[number] = artifact
                write_artifact(keys[number], artifact)
            self._trim_now_and_then(len(wanting))
        return [artifact for artifact in found if artifact is not None]


@lru_cache(maxsize=MAXIMUM_KERNELS)
def _text(kernel: Kernel) -> str:
    """Return the text of a kernel; groups lowered before come with the same kernel object."""
    return print_kernel(kernel)


_kernels = KernelCache()


def load_kernels(kernels: Sequence[Kernel], device: Device) -> list[Any]:
    """Return loaded kernels, in order."""
    return _kernels.load(kernels, device)


def cached_kernel_count() -> int:
    """Return how many kernels are loaded."""
    return len(_kernels)


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a hash of the code that turns kernels into artifacts.

    An object compiled by other code must not be taken from the disk, also while a backend is
    being changed.
    """
    digest = hashlib.sha256(str(FORMAT).encode())
    root = Path(PACKAGE_ROOT)
    for folder in ("backends", "kernel", "ops"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    for name in ("dtypes.py", "numpy_types.py", "target.py"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def _path(key: str) -> Path:
    return config().cache_directory / "kernels" / key[:2] / key


def read_artifact(key: str) -> Artifact | None:
    """Return an artifact from disk, or None when it is missing or damaged."""
    if not config().disk_cache:
        return None
    try:
        data = _path(key).read_bytes()
    except OSError:
        return None
    header, _, code = data.partition(b"\n")
    try:
        fields = json.loads(header)
        if fields.pop("digest") != hashlib.sha256(code).hexdigest():
            return None
        lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        return Artifact(code=code, **(fields | lists))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def write_artifact(key: str, artifact: Artifact) -> None:
    """Keep an artifact on disk; a full or read-only disk only costs the cache."""
    if not config().disk_cache:
        return
    path = _path(key)
    fields = asdict(artifact)
    code = fields.pop("code")
    header = json.dumps(fields | {"digest": hashlib.sha256(code).hexdigest()}) + "\n"
    temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(header.encode() + artifact.code)
        os.replace(temporary, path)
    except OSError:
        return


def trim() -> None:
    """Remove the oldest files when the cache on disk has outgrown its limit."""
    root = config().cache_directory / "kernels"
    try:
        files = [(entry.stat(), entry) for entry in root.glob("*/*")]
        total = sum(status.st_size for status, _ in files)
        for status, entry in sorted(files, key=lambda item: item[0].st_mtime):
            if total <= config().cache_limit_bytes:
                return
            entry.unlink(missing_ok=True)
            total -= status.st_size
    except OSError:
        # Another process trims too, or the disk is read-only; either way nothing is lost.
        return
