"""Object files made callable."""

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm

from pumice.locks import ForkSafeLock
from pumice.runtime.cpu.entry_code import PYTHON_SYMBOLS
from pumice.runtime.cpu.pool_code import pool_text, uses_futex
from pumice.target import Artifact

LOADED_KERNELS = 4096

_C_SYMBOLS = (
    "memcpy",
    "memmove",
    "memset",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "rint",
    "rintf",
)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedKernel:
    """A kernel in memory, unloaded when nobody refers to it.

    Attributes
    ----------
    address : int
        Of ``void entry(ptr words, i64 begin, i64 end)``.
    library : object
        Owner of the code.
    """

    address: int
    library: Any


class Loader:
    """Links object files. Thread-safe; keeps the most recently used kernels."""

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        # Optimising the pool's few loops would cost more than it could save.
        self._machine = llvm.Target.from_default_triple().create_target_machine(jit=True, opt=0)
        # The other linker maps code and constants apart, which must be within 2 GiB of each other:
        # it aborts the process when large tensors lie between the gaps it finds. LLVM's newer one
        # maps a kernel in one piece, but is not finished for Windows.
        self._jit = llvm.create_lljit_compiler(self._machine, use_jit_link=sys.platform != "win32")
        self._kernels: OrderedDict[str, LoadedKernel] = OrderedDict()
        self._lock = ForkSafeLock()
        self._libraries = 0

    def load(self, artifacts: Sequence[Artifact]) -> list[LoadedKernel]:
        """Return a callable kernel for each artifact."""
        with self._lock:
            loaded = [self._load(artifact) for artifact in artifacts]
            while len(self._kernels) > LOADED_KERNELS:
                self._kernels.popitem(last=False)
        return loaded

    def _load(self, artifact: Artifact) -> LoadedKernel:
        known = self._kernels.get(artifact.key)
        if known is not None:
            self._kernels.move_to_end(artifact.key)
            return known
        library = self._link(artifact.code, (artifact.entry,))
        kernel = LoadedKernel(library[artifact.entry], library)
        self._kernels[artifact.key] = kernel
        return kernel

    def _link(
        self, code: bytes, entries: Sequence[str], symbols: dict[str, int] | None = None
    ) -> Any:
        builder = llvm.JITLibraryBuilder().add_object_img(code)
        for name, address in (_c_symbols() | (symbols or {})).items():
            builder.import_symbol(name, address)
        for entry in entries:
            builder.export_symbol(entry)
        self._libraries += 1
        return builder.link(self._jit, f"pumice{self._libraries}")

    def load_pool(self, portable: bool) -> Any:
        """Return the library of the worker pool's functions."""
        with self._lock, llvm.create_context() as context:
            text = pool_text(llvm.get_process_triple(), portable)
            with llvm.parse_assembly(text, context=context) as module:
                code = self._machine.emit_object(module)
            return self._link(code, ("worker", "run", "stop", "enter"), _python_symbols())


@lru_cache(maxsize=1)
def _c_symbols() -> dict[str, int]:
    """Return addresses of the C functions generated code may call."""
    names = list(_C_SYMBOLS)
    libraries: list[ctypes.CDLL] = []
    if sys.platform == "win32":
        libraries = [ctypes.CDLL(name) for name in ("msvcrt", "kernel32", "ntdll")]
        names.append("__chkstk")  # called by functions with much on the stack
    else:
        libraries = [ctypes.CDLL(None)]
        names += ["syscall", "sched_yield"] if uses_futex(llvm.get_process_triple()) else []
    found = {name: address for name in names if (address := _find(libraries, name))}
    nap = "Sleep" if sys.platform == "win32" else "usleep"
    found["pumice_nap"] = _find(libraries, nap)
    return found


def _python_symbols() -> dict[str, int]:
    """Return addresses of the interpreter's functions that the pool's code calls."""
    return {name: _find([ctypes.pythonapi], name) for name in PYTHON_SYMBOLS}


def _find(libraries: list[ctypes.CDLL], name: str) -> int:
    for library in libraries:
        function = getattr(library, name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value or 0
    return 0
