"""Value numbering: equal computations become one object.

Before::

    %0 = mul.index v0, p2
    %1 = load p0[%0]
    %2 = mul.index v0, p2
    %3 = load p0[%2]
    %4 = add.f32 %1, %3

After::

    %0 = mul.index v0, p2
    %1 = load p0[%0]
    %2 = add.f32 %1, %1

A load from a buffer that the kernel writes keeps its identity: what it gives depends on when.
"""

from typing import Any

from pumice.kernel.ir import Instruction, Kernel, Value
from pumice.kernel.printer import constant_text
from pumice.kernel.rewrite import Rewriter
from pumice.kernel.walk import written_buffers


def number(kernel: Kernel) -> Kernel:
    """Return the kernel with structurally equal values shared."""
    written = written_buffers(kernel)
    table: dict[tuple[Any, ...], Value] = {}

    def share(value: Value) -> Value:
        attribute = value.attribute
        if value.instruction is Instruction.LOAD and attribute in written:
            return value
        if value.instruction is Instruction.CONSTANT:
            # By text: 0.0 equals -0.0 as a number, and NaN does not equal itself.
            attribute = constant_text(attribute)
        key = (value.instruction, value.dtype, value.arguments, attribute)
        return table.setdefault(key, value)

    return Rewriter(share).kernel(kernel)
