"""Conversions between element types, with PyTorch's results on x86 (see `Value.cast`).

Float to integer: out of range, infinite and NaN give the minimum of int32 (int64 for int64);
narrower types take the low bits of the int32, uint8 and uint32 those of an int64. uint64 converts
values of at least 2**63 less that much and flips the top bit, so NaN gives 2**63 and inf gives 0.
"""

from pumice import dtypes
from pumice.backends.llvm.emitter import Emitter, Operand
from pumice.backends.llvm.types import literal, scalar_type, splat_constant, vector_of
from pumice.dtypes import DType, Kind


def convert(e: Emitter, operand: Operand, dtype: DType) -> Operand:
    """Emit a CAST."""
    text, width = e.plain(operand)
    source, level = operand.dtype, operand.level
    if source.is_floating_point:
        result = _from_float(e, text, source, dtype, width, level)
    elif dtype.is_floating_point:
        result = _to_float(e, text, source, dtype, width, level)
    else:
        result = _between_integers(e, text, source, dtype, width, level)
    return Operand(result, dtype, level, varying=width > 0)


def _change(e: Emitter, name: str, text: str, old: str, new: str, width: int, level: int) -> str:
    return e.value(f"{name} {vector_of(old, width)} {text} to {vector_of(new, width)}", level)


def _between_integers(
    e: Emitter, text: str, source: DType, dtype: DType, width: int, level: int
) -> str:
    old, new = scalar_type(source), scalar_type(dtype)
    if old == new:
        return text
    if dtype.kind is Kind.BOOL:
        zero = splat_constant(old, "0", width)
        return e.value(f"icmp ne {vector_of(old, width)} {text}, {zero}", level)
    if source.kind is Kind.BOOL or source.bits < dtype.bits:
        return _change(e, "sext" if source.is_signed else "zext", text, old, new, width, level)
    return _change(e, "trunc", text, old, new, width, level)


def _to_float(e: Emitter, text: str, source: DType, dtype: DType, width: int, level: int) -> str:
    target = dtypes.float32 if dtype.is_small_float else dtype
    name = "sitofp" if source.is_signed else "uitofp"
    real = _change(e, name, text, scalar_type(source), scalar_type(target), width, level)
    return from_single(e, real, dtype, width, level)


def _from_float(e: Emitter, text: str, source: DType, dtype: DType, width: int, level: int) -> str:
    real = dtypes.float64 if source is dtypes.float64 else dtypes.float32
    text = to_single(e, text, source, width, level)
    if dtype is dtypes.float64:
        return _change(e, "fpext", text, "float", "double", width, level)
    if dtype.is_floating_point:
        if real is dtypes.float64:
            text = _change(e, "fptrunc", text, "double", "float", width, level)
        return from_single(e, text, dtype, width, level)
    kind = vector_of(scalar_type(real), width)
    if dtype.kind is Kind.BOOL:
        zero = splat_constant(scalar_type(real), literal(0.0, real), width)
        return e.value(f"fcmp une {kind} {text}, {zero}", level)
    if dtype is dtypes.uint64:
        return _to_uint64(e, text, real, width, level)
    through = dtypes.int64 if _needs_int64(source, dtype) else dtypes.int32
    return _between_integers(
        e, _to_signed(e, text, real, through, width, level), through, dtype, width, level
    )


def _needs_int64(source: DType, dtype: DType) -> bool:
    """For uint8 only float64 has a low byte beyond int32; narrower floats have zeros there."""
    if dtype is dtypes.uint8:
        return source is dtypes.float64
    return dtype.bits == 64 or dtype is dtypes.uint32


def _to_signed(e: Emitter, text: str, real: DType, dtype: DType, width: int, level: int) -> str:
    """Truncate, with the minimum for everything that does not fit."""
    element, target = scalar_type(real), scalar_type(dtype)
    size = e.intrinsic("fabs", element, width, (text,), level)
    bound = splat_constant(element, literal(2.0 ** (dtype.bits - 1), real), width)
    fits = e.value(f"fcmp olt {vector_of(element, width)} {size}, {bound}", level)
    whole = _change(e, "fptosi", text, element, target, width, level)
    least = splat_constant(target, str(-(1 << (dtype.bits - 1))), width)
    kind = vector_of(target, width)
    return e.value(f"select {vector_of('i1', width)} {fits}, {kind} {whole}, {kind} {least}", level)


def _to_uint64(e: Emitter, text: str, real: DType, width: int, level: int) -> str:
    element = scalar_type(real)
    kind, long, bit = vector_of(element, width), vector_of("i64", width), vector_of("i1", width)
    half = splat_constant(element, literal(2.0**63, real), width)
    large = e.value(f"fcmp oge {kind} {text}, {half}", level)
    less = e.value(f"fsub {kind} {text}, {half}", level)
    small = e.value(f"select {bit} {large}, {kind} {less}, {kind} {text}", level)
    whole = _to_signed(e, small, real, dtypes.int64, width, level)
    top = splat_constant("i64", str(-(1 << 63)), width)
    zero = splat_constant("i64", "0", width)
    flip = e.value(f"select {bit} {large}, {long} {top}, {long} {zero}", level)
    return e.value(f"xor {long} {whole}, {flip}", level)


# -- 16-bit floats: bits in registers -----------------------------------------------------------


def to_single(e: Emitter, text: str, dtype: DType, width: int, level: int) -> str:
    """Return a 16-bit float's bits as float32; other types as they are."""
    if not dtype.is_small_float:
        return text
    if dtype is dtypes.bfloat16:
        wide = _change(e, "zext", text, "i16", "i32", width, level)
        moved = _binary(e, "shl", wide, "16", width, level)
        return _change(e, "bitcast", moved, "i32", "float", width, level)
    if e.machine.half:
        half = _change(e, "bitcast", text, "i16", "half", width, level)
        return _change(e, "fpext", half, "half", "float", width, level)
    return _half_to_single(e, text, width, level)


def from_single(e: Emitter, text: str, dtype: DType, width: int, level: int) -> str:
    """Round float32 to a 16-bit float's bits; other types stay as they are."""
    if not dtype.is_small_float:
        return text
    if dtype is dtypes.bfloat16:
        return _single_to_bfloat(e, text, width, level)
    if e.machine.half:
        half = _change(e, "fptrunc", text, "float", "half", width, level)
        return _change(e, "bitcast", half, "half", "i16", width, level)
    return _single_to_half(e, text, width, level)


def _binary(e: Emitter, name: str, text: str, number: str, width: int, level: int) -> str:
    other = number if number.startswith("%") else splat_constant("i32", number, width)
    return e.value(f"{name} {vector_of('i32', width)} {text}, {other}", level)


def _choose(e: Emitter, test: str, chosen: str, other: str, width: int, level: int) -> str:
    kind = vector_of("i32", width)
    return e.value(
        f"select {vector_of('i1', width)} {test}, {kind} {chosen}, {kind} {other}", level
    )


def _single_to_bfloat(e: Emitter, text: str, width: int, level: int) -> str:
    bits = _change(e, "bitcast", text, "float", "i32", width, level)
    high = _binary(e, "lshr", bits, "16", width, level)
    odd = _binary(e, "and", high, "1", width, level)
    bias = _binary(e, "add", odd, "32767", width, level)
    rounded = _binary(e, "lshr", _binary(e, "add", bits, bias, width, level), "16", width, level)
    nan = e.value(f"fcmp uno {vector_of('float', width)} {text}, {text}", level)
    quiet = splat_constant("i32", str(0x7FC0), width)
    chosen = _choose(e, nan, quiet, rounded, width, level)
    return _change(e, "trunc", chosen, "i32", "i16", width, level)


def _half_to_single(e: Emitter, text: str, width: int, level: int) -> str:
    """Move the bits to float32's fields; a multiplication rescales, subnormals included."""
    wide = _change(e, "zext", text, "i16", "i32", width, level)
    sign = _binary(e, "shl", _binary(e, "and", wide, "32768", width, level), "16", width, level)
    size = _binary(e, "and", wide, "32767", width, level)
    moved = _binary(e, "shl", size, "13", width, level)
    small = _change(e, "bitcast", moved, "i32", "float", width, level)
    scale = splat_constant("float", literal(2.0**112, dtypes.float32), width)
    real = e.value(f"fmul {vector_of('float', width)} {small}, {scale}", level)
    bits = _change(e, "bitcast", real, "float", "i32", width, level)
    special = e.value(
        f"icmp uge {vector_of('i32', width)} {size}, {splat_constant('i32', '31744', width)}", level
    )
    infinite = _binary(e, "or", moved, str(0x7F800000), width, level)
    chosen = _choose(e, special, infinite, bits, width, level)
    return _change(
        e, "bitcast", _binary(e, "or", chosen, sign, width, level), "i32", "float", width, level
    )


def _single_to_half(e: Emitter, text: str, width: int, level: int) -> str:
    """Round to nearest even by integers; subnormal results by adding a constant that aligns."""
    kind = vector_of("i32", width)

    def below(value: str, bound: int) -> str:
        return e.value(
            f"icmp ult {kind} {value}, {splat_constant('i32', str(bound), width)}", level
        )

    bits = _change(e, "bitcast", text, "float", "i32", width, level)
    sign = _binary(e, "and", _binary(e, "lshr", bits, "16", width, level), "32768", width, level)
    size = _binary(e, "and", bits, str(0x7FFFFFFF), width, level)
    odd = _binary(e, "and", _binary(e, "lshr", size, "13", width, level), "1", width, level)
    biased = _binary(e, "add", size, str(0xFFF - (112 << 23)), width, level)
    normal = _binary(e, "lshr", _binary(e, "add", biased, odd, width, level), "13", width, level)
    real = _change(e, "bitcast", size, "i32", "float", width, level)
    aligned = e.value(
        f"fadd {vector_of('float', width)} {real}, "
        f"{splat_constant('float', literal(0.5, dtypes.float32), width)}",
        level,
    )
    shifted = _change(e, "bitcast", aligned, "float", "i32", width, level)
    subnormal = _binary(e, "sub", shifted, str(0x3F000000), width, level)
    finite = _choose(e, below(size, 113 << 23), subnormal, normal, width, level)
    quiet, infinite = (splat_constant("i32", str(code), width) for code in (0x7E00, 0x7C00))
    special = _choose(e, below(size, 0x7F800001), infinite, quiet, width, level)
    chosen = _choose(e, below(size, 0x47800000), finite, special, width, level)
    joined = _binary(e, "or", chosen, sign, width, level)
    return _change(e, "trunc", joined, "i32", "i16", width, level)
