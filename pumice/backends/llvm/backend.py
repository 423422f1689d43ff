"""From kernels to object files."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

from pumice.backends.llvm.assembler import assemble, initialize
from pumice.backends.llvm.function import module_text
from pumice.config import config
from pumice.errors import InternalError
from pumice.kernel.ir import Kernel
from pumice.kernel.printer import print_kernel
from pumice.target import Artifact, Target

MOST_THREADS = 8


class LlvmBackend:
    """Compiles kernels for CPUs. Stateless."""

    @property
    def version(self) -> str:
        """Name of this code generator: a hash of its files, so that none can change unnoticed."""
        return _version()

    def key(self, kernel: Kernel, target: Target) -> str:
        """Return the hash of everything the code of a kernel depends on."""
        text = "\n".join((_version(), target.identity, str(target.lanes), print_kernel(kernel)))
        return hashlib.sha256(text.encode()).hexdigest()

    def compile(self, kernels: Sequence[Kernel], target: Target) -> list[Artifact]:
        """Return one artifact per kernel, in order."""
        keys = [self.key(kernel, target) for kernel in kernels]
        entries = [f"pumice_{key[:24]}" for key in keys]
        # All text first: threads that share the interpreter with its writer would wait for it.
        texts = [
            module_text(kernel, target, entry)
            for kernel, entry in zip(kernels, entries, strict=True)
        ]
        codes = _assemble_all(texts, target)
        return [
            Artifact(key=key, code=code, entry=entry, words=len(kernel.parameters))
            for key, code, entry, kernel in zip(keys, codes, entries, kernels, strict=True)
        ]

    def module(self, name: str, target: Target) -> bytes:
        """Refuse: each kernel is an object file of its own."""
        raise InternalError(f"llvm: no kernels share a module {name}")


@lru_cache(maxsize=1)
def _version() -> str:
    content = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.*")):
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()[:16]


def _assemble_all(texts: list[str], target: Target) -> list[bytes]:
    threads = min(len(texts), config().threads, MOST_THREADS)
    if threads < 2:
        return [assemble(text, target) for text in texts]
    initialize()
    with ThreadPoolExecutor(threads) as executor:
        return list(executor.map(partial(assemble, target=target), texts))
