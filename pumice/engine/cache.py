"""Compiled kernels: in memory by their text, on disk by its hash (design.md D13)."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pumice.engine.artifacts import (
    code_version,
    load_artifacts,
    read_artifact,
    trim,
    write_artifact,
)
from pumice.engine.devices import backend_of, runtime_of
from pumice.engine.statistics import statistics
from pumice.kernel.ir import Kernel
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.printer import print_kernel
from pumice.locks import ForkSafeLock
from pumice.target import Artifact, Device, Target

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
        target = runtime_of(device).target
        texts = [_text(kernel) for kernel in kernels]
        with self._lock:
            missing: dict[str, Kernel] = {}
            for text, kernel in zip(texts, kernels, strict=True):
                if (device, text) not in self._loaded:
                    missing.setdefault(text, kernel)
            if missing:
                artifacts = self._artifacts(list(missing), list(missing.values()), target, device)
                handles = load_artifacts(artifacts, device)
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
        keys = [_artifact_key(text, target) for text in texts]
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


def _artifact_key(text: str, target: Target) -> str:
    return hashlib.sha256(f"{code_version()}\n{target.identity}\n{text}".encode()).hexdigest()


def artifact_keys(kernels: Sequence[Kernel], device: Device) -> list[str]:
    """Return the keys under which kernels are kept on disk."""
    target = runtime_of(device).target
    return [_artifact_key(_text(kernel), target) for kernel in kernels]


_kernels = KernelCache()


def load_kernels(kernels: Sequence[Kernel], device: Device) -> list[Any]:
    """Return loaded kernels, in order."""
    return _kernels.load(kernels, device)


def cached_kernel_count() -> int:
    """Return how many kernels are loaded."""
    return len(_kernels)
