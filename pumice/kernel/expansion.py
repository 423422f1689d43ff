"""Instructions in terms of others, for targets that have no better way.

Before::

    scale.f32 %0, %1

After::

    %2 = shr.i32 %1, 1
    %3 = the float 2**%2, made of its bits
    ...
    %9 = mul.f32 (mul.f32 %0, %3), the float 2**(%1 - %2)
"""

from pumice.kernel.ir import Instruction, Kernel, Value
from pumice.kernel.rewrite import Rewriter
from pumice.ops.scalar import scale


def expanded(kernel: Kernel) -> Kernel:
    """Return the kernel with SCALE in two steps of which only the last rounds, RARELY as SELECT."""
    return Rewriter(_plain).kernel(kernel)


def _plain(value: Value) -> Value:
    if value.instruction is Instruction.RARELY:
        return Value(Instruction.SELECT, value.dtype, value.arguments)
    if value.instruction is not Instruction.SCALE:
        return value
    result: Value = scale(*value.arguments)
    return result
