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


def without_scaling(kernel: Kernel) -> Kernel:
    """Return the kernel with every SCALE in two steps of which only the last rounds."""
    return Rewriter(_in_steps).kernel(kernel)


def _in_steps(value: Value) -> Value:
    if value.instruction is not Instruction.SCALE:
        return value
    result: Value = scale(*value.arguments)
    return result
