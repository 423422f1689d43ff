"""Instructions in terms of others, for targets that have no better way.

Before::

    scale.f32 %0, %1

After::

    %2 = cast.f32.i32 %1
    %3 = shr.i32 %2, 1
    %4 = the float 2**%3, made of its bits
    ...
    %9 = mul.f32 (mul.f32 %0, %4), the float 2**(%2 - %3)
"""

from pumice.kernel.ir import Instruction, Kernel, Value
from pumice.kernel.rewrite import Rewriter
from pumice.ops.scalar import format_of, scale, split_product_error


def expanded(kernel: Kernel) -> Kernel:
    """Return the kernel with SCALE in two steps of which only the last rounds, RARELY as SELECT.

    Errors of products are found from the halves of the factors.
    """
    return Rewriter(_plain).kernel(kernel)


def without_fused(kernel: Kernel) -> Kernel:
    """Return the kernel with errors of products found from the halves of the factors."""
    return Rewriter(_split).kernel(kernel)


def _split(value: Value) -> Value:
    if value.instruction is not Instruction.PRODUCT_ERROR:
        return value
    result: Value = split_product_error(*value.arguments)
    return result


def _plain(value: Value) -> Value:
    if value.instruction is Instruction.PRODUCT_ERROR:
        return _split(value)
    if value.instruction is Instruction.RARELY:
        return Value(Instruction.SELECT, value.dtype, value.arguments)
    if value.instruction is not Instruction.SCALE:
        return value
    near_one, count = value.arguments
    result: Value = scale(near_one, count.cast(format_of(near_one).signed))
    return result
