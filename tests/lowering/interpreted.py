"""Runs launches with the kernel interpreter, which also checks every address."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pumice.graph.node import Node
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.verify import verify_kernel
from pumice.lowering.steps import FaultRecord, Memory, Number, Scratch, Step
from pumice.numpy_types import to_numpy

Array = np.ndarray[Any, Any]


def run(steps: Sequence[Step], leaves: dict[Node, Array], wanted: Node) -> Array:
    """Interpret launches one after the other; scratch memory starts as garbage."""
    memory: dict[Node | Scratch, Array] = {
        node: array.reshape(-1).view(np.uint8).copy() for node, array in leaves.items()
    }
    for step in steps:
        kernel = optimise(step.kernel)
        verify_kernel(kernel)
        arguments: list[Any] = []
        for parameter, binding in zip(kernel.parameters, step.bindings, strict=True):
            if isinstance(binding, Number):
                arguments.append(binding.node.argument.value)
                continue
            if isinstance(binding, FaultRecord):
                arguments.append(np.zeros(2, np.int64))
                continue
            if not isinstance(binding, Memory):
                arguments.append(binding)
                continue
            owner = binding.owner
            if owner not in memory:
                size = (
                    owner.nbytes
                    if isinstance(owner, Scratch)
                    else owner.numel * owner.dtype.itemsize
                )
                memory[owner] = np.full(size, 0xA5, np.uint8)
            held = memory[owner][max(binding.offset, 0) :]
            if binding.offset < 0:  # where padding would lie, which masks leave alone
                held = np.concatenate([np.full(-binding.offset, 0xA5, np.uint8), held])
            arguments.append(held.view(to_numpy(parameter.dtype)))
        interpret_kernel(kernel, arguments)
    return memory[wanted].view(to_numpy(wanted.dtype)).reshape(wanted.shape)
