"""What every backend offers to the engine."""

from collections.abc import Sequence
from typing import Protocol

from pumice.kernel.ir import Kernel
from pumice.target import Artifact, Target


class Backend(Protocol):
    """Compiles kernels. No device is touched."""

    def compile(self, kernels: Sequence[Kernel], target: Target) -> list[Artifact]:
        """Return one artifact per kernel, in order."""
        ...

    def module(self, name: str, target: Target) -> bytes:
        """Return the code that all artifacts share which name it."""
        ...
