"""Compiles LLVM IR to a function of this process, and runs it on several threads."""

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import llvmlite.binding as llvm

from benchmarks.measure import timed


def vector_bytes() -> int:
    """Return the width of the widest vector registers of this CPU."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 64
    return 32 if features.get("avx") else 16


class Native:
    """A module of LLVM IR, compiled for this CPU; functions live as long as it does."""

    def __init__(self, text: str) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = target.create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
        )
        module = llvm.parse_assembly(text)
        module.verify()
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        """Return a function of the module, called without holding the interpreter's lock."""
        prototype = ctypes.CFUNCTYPE(result, *arguments)
        found: Callable[..., Any] = prototype(self._engine.get_function_address(name))
        return found


def fastest(pieces: Sequence[Sequence[Callable[[], Any]]], seconds: float) -> float:
    """Return the shortest time of a piece of work, whose parts run on a thread each.

    The pieces take turns until ``seconds`` are over, each at least once.
    """
    best = float("inf")
    with ThreadPoolExecutor(len(pieces[0])) as pool:

        def together(piece: Sequence[Callable[[], Any]]) -> None:
            for waiting in [pool.submit(part) for part in piece]:
                waiting.result()

        together(pieces[0])  # the threads are there before the first is timed
        spent = 0.0
        while spent < seconds:
            for piece in pieces:
                latest = timed(partial(together, piece))
                best = min(best, latest)
                spent += latest
    return best
