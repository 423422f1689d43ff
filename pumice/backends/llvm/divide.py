"""Integer division toward zero, and its remainder.

CPUs divide integers one at a time, so vectors go through floats where that is exact: the quotient
of integers below 2**n is at least 2**-n away from the next integer, so with a mantissa of more than
n bits rounding never reaches it.
"""

from pumice.backends.llvm.emitter import Emitter
from pumice.backends.llvm.types import scalar_type, splat_constant, vector_of
from pumice.dtypes import DType
from pumice.kernel.ir import INDEX, Instruction

EXACT = 1 << 52
"""Integers below this are exact as float64, and so are their quotients, truncated."""


def divide(
    e: Emitter, instruction: Instruction, dtype: DType, texts: list[str], width: int, level: int
) -> str:
    """Emit QUOTIENT or MODULUS. Zero divisors give no fault, and no promised result."""
    if not width:
        return _scalar(e, instruction, dtype, texts, level)
    if dtype.bits <= 32 or dtype is INDEX:  # no tensor has 2**52 elements
        quotient = _through_float(e, dtype, texts, width, level)
    else:
        quotient = _through_float_if_small(e, dtype, texts, width, level)
    if instruction is Instruction.QUOTIENT:
        return quotient
    kind = vector_of(scalar_type(dtype), width)
    product = e.value(f"mul {kind} {quotient}, {texts[1]}", level)
    return e.value(f"sub {kind} {texts[0]}, {product}", level)


def _sign(dtype: DType) -> str:
    return "s" if dtype.is_signed else "u"


def _scalar(
    e: Emitter, instruction: Instruction, dtype: DType, texts: list[str], level: int
) -> str:
    kind = scalar_type(dtype)
    divisor = texts[1]
    if dtype is INDEX and divisor.startswith("%"):
        # Extents divide addresses in scopes that an empty tensor never enters.
        zero = e.value(f"icmp eq {kind} {divisor}, 0", level)
        divisor = e.value(f"select i1 {zero}, {kind} 1, {kind} {divisor}", level)
    name = "div" if instruction is Instruction.QUOTIENT else "rem"
    return e.value(f"{_sign(dtype)}{name} {kind} {texts[0]}, {divisor}", level)


def _through_float(e: Emitter, dtype: DType, texts: list[str], width: int, level: int) -> str:
    kind = vector_of(scalar_type(dtype), width)
    real = vector_of("float" if dtype.bits < 32 else "double", width)
    a, b = (e.value(f"{_sign(dtype)}itofp {kind} {text} to {real}", level) for text in texts)
    ratio = e.value(f"fdiv {real} {a}, {b}", level)
    return e.value(f"fpto{_sign(dtype)}i {real} {ratio} to {kind}", level)


def _through_float_if_small(
    e: Emitter, dtype: DType, texts: list[str], width: int, level: int
) -> str:
    """Divide 64-bit integers lane by lane only when one of them is large."""
    kind, bits = vector_of("i64", width), vector_of("i1", width)
    large = [_is_large(e, dtype, text, width, level) for text in texts]
    either = e.value(f"or {bits} {large[0]}, {large[1]}", level)
    e.declare(f"declare i1 @llvm.vector.reduce.or.v{width}i1({bits})")
    test = e.value(f"call i1 @llvm.vector.reduce.or.v{width}i1({bits} {either})", level)
    tag = e.name("divide")
    e.line(f"br i1 {test}, label %{tag}slow, label %{tag}fast, !prof !0\n{tag}slow:", level)
    slow = e.value(f"{_sign(dtype)}div {kind} {texts[0]}, {texts[1]}", level)
    e.line(f"br label %{tag}after\n{tag}fast:", level)
    fast = _through_float(e, dtype, texts, width, level)
    e.line(f"br label %{tag}after\n{tag}after:", level)
    return e.value(f"phi {kind} [{slow}, %{tag}slow], [{fast}, %{tag}fast]", level)


def _is_large(e: Emitter, dtype: DType, text: str, width: int, level: int) -> str:
    kind = vector_of("i64", width)
    bound = splat_constant("i64", str(EXACT), width)
    if not dtype.is_signed:
        return e.value(f"icmp uge {kind} {text}, {bound}", level)
    moved = e.value(f"add {kind} {text}, {bound}", level)
    twice = splat_constant("i64", str(2 * EXACT), width)
    return e.value(f"icmp uge {kind} {moved}, {twice}", level)
