"""From kernels to object files."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import llvmlite.binding as llvm

from pumice.backends.llvm.function import module_text
from pumice.backends.llvm.machine import machine_of
from pumice.kernel.ir import Kernel
from pumice.kernel.printer import print_kernel
from pumice.target import Artifact, Target

VERSION = 1
"""Raise when the generated code changes, so that cached objects are not mistaken for it."""


@lru_cache(maxsize=1)
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


class LlvmBackend:
    """Compiles kernels for CPUs. Stateless."""

    def key(self, kernel: Kernel, target: Target) -> str:
        """Return the hash of everything the code of a kernel depends on."""
        text = "\n".join((str(VERSION), target.identity, str(target.lanes), print_kernel(kernel)))
        return hashlib.sha256(text.encode()).hexdigest()

    def compile(self, kernels: Sequence[Kernel], target: Target) -> list[Artifact]:
        """Return one artifact per kernel, in order."""
        _initialize()
        return [self._compile(kernel, target) for kernel in kernels]

    def _compile(self, kernel: Kernel, target: Target) -> Artifact:
        key = self.key(kernel, target)
        entry = f"pumice_{key[:24]}"
        code = assemble(module_text(kernel, target, entry), target)
        return Artifact(key=key, code=code, entry=entry, words=len(kernel.parameters))


def assemble(text: str, target: Target) -> bytes:
    """Optimise LLVM IR and return an object file."""
    machine = machine_of(target.identity)
    with llvm.context.create_context() as context:
        module = llvm.parse_assembly(text, context=context)
        try:
            tm = llvm.Target.from_triple(machine.triple).create_target_machine(
                cpu=machine.cpu, features=machine.features, opt=2, reloc="pic", codemodel="small"
            )
            optimize(module, tm)
            return bytes(tm.emit_object(module))
        finally:
            module.close()


def optimize(module: llvm.ModuleRef, tm: llvm.TargetMachine) -> None:
    """Run a short pipeline: values are already shared, hoisted and in registers."""
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(tm, options)
    manager = llvm.create_new_function_pass_manager()
    manager.add_simplify_cfg_pass()
    manager.add_instruction_combine_pass()
    for function in module.functions:
        if not function.is_declaration:
            manager.run(function, builder)
