"""Rounding to whole numbers. Of 64 bits it is written out: Mesa 22.3 goes through 32-bit integers
on CPUs with AVX2 only, so that what is beyond them comes out as the largest of them.
"""

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.types import Register

FIRST_WHOLE = 2.0**52
"""From here on every 64-bit float is a whole number; a sum with it is rounded to one."""


def truncated(code: Code, real: int, held: Register, value: int) -> int:
    """Round towards zero."""
    if held is not Register.FLOAT64:
        return code.call(Extended.TRUNC, real, value)
    negative = code.truth(Op.F_ORD_LESS_THAN, value, code.number(0.0, held))
    up, down = code.call(Extended.CEIL, real, value), code.call(Extended.FLOOR, real, value)
    return code.select(real, negative, up, down)


def rounded(code: Code, real: int, held: Register, value: int) -> int:
    """Round to the nearest whole number, halves to even ones."""
    if held is not Register.FLOAT64:
        return code.call(Extended.ROUND_EVEN, real, value)
    size = code.call(Extended.F_ABS, real, value)
    limit = code.number(FIRST_WHOLE, held)
    near = code.emit(Op.F_SUB, real, code.emit(Op.F_ADD, real, size, limit), limit)
    near = code.select(real, code.truth(Op.F_ORD_LESS_THAN, size, limit), near, size)
    negative = code.truth(Op.F_ORD_LESS_THAN, value, code.number(0.0, held))
    signed = code.select(real, negative, code.emit(Op.F_NEGATE, real, near), near)
    return code.select(real, code.truth(Op.F_ORD_EQUAL, near, size), value, signed)
