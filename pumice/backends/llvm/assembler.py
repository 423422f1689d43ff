"""LLVM IR text to object code.

llvmlite guards every call into LLVM with one lock. LLVM itself only asks that a context is used by
one thread at a time, so the two long calls, which work on a context of their own, go past it.
"""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from pumice.backends.llvm.machine import Machine, machine_of
from pumice.errors import InternalError
from pumice.target import Target


@lru_cache(maxsize=1)
def initialize() -> None:
    """Make all of LLVM's targets known; once, before any thread assembles."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def assemble(text: str, target: Target) -> bytes:
    """Optimise LLVM IR and return an object file."""
    initialize()
    with llvm.create_context() as context, _parse(text, context) as module:
        machine = _target_machine(machine_of(target.identity))
        optimize(module, machine)
        return _emit_object(module, machine)


def _parse(text: str, context: Any) -> Any:
    try:
        return llvm.parse_assembly(text, context=context)
    except RuntimeError as problem:
        raise InternalError(f"llvm: generated code is not valid: {problem}") from problem


def _target_machine(machine: Machine) -> Any:
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=2, reloc="pic", codemodel="small"
    )


def optimize(module: Any, machine: Any) -> None:
    """Run a short pipeline: values are already shared, hoisted and in registers."""
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    manager = llvm.create_new_function_pass_manager()
    manager.add_simplify_cfg_pass()
    manager.add_instruction_combine_pass()
    run = _without_lock(ffi.lib.LLVMPY_RunNewFunctionPassManager)
    for function in module.functions:
        if not function.is_declaration:
            run(manager, function, builder)


def _emit_object(module: Any, machine: Any) -> bytes:
    emit = _without_lock(ffi.lib.LLVMPY_TargetMachineEmitToMemory)
    with ffi.OutputString() as problem:
        buffer = emit(machine, module, 1, problem)
        if not buffer:
            raise InternalError(f"llvm: no object code: {problem}")
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _without_lock(function: Any) -> Callable[..., Any]:
    """Return the C function behind llvmlite's lock, or the locked one if it hides it."""
    unlocked: Callable[..., Any] = getattr(function, "_cfn", function)
    return unlocked
