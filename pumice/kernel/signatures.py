"""Which operands each scalar instruction takes."""

from collections.abc import Callable

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import (
    INDEX,
    Carry,
    FaultCode,
    Instruction,
    Parameter,
    Role,
    Value,
    Variable,
)


def _is_number(dtype: DType) -> bool:
    return dtype.is_integral or dtype.is_floating_point


def _is_float(dtype: DType) -> bool:
    return dtype.is_floating_point


def _is_integer(dtype: DType) -> bool:
    return dtype.is_integral


def _is_bits(dtype: DType) -> bool:
    return dtype.is_integral or dtype.kind is Kind.BOOL


def _is_wide_unsigned(dtype: DType) -> bool:
    return dtype is dtypes.uint32 or dtype is dtypes.uint64


_ARITHMETIC: dict[Instruction, tuple[int, Callable[[DType], bool]]] = {
    Instruction.ADD: (2, _is_number),
    Instruction.SUB: (2, _is_number),
    Instruction.MUL: (2, _is_number),
    Instruction.DIV: (2, _is_float),
    Instruction.QUOTIENT: (2, _is_integer),
    Instruction.MODULUS: (2, _is_integer),
    Instruction.HIGH_PRODUCT: (2, _is_wide_unsigned),
    Instruction.MULTIPLY_ADD: (3, _is_float),
    Instruction.NEG: (1, _is_number),
    Instruction.ABS: (1, _is_number),
    Instruction.SQRT: (1, _is_float),
    Instruction.FLOOR: (1, _is_float),
    Instruction.CEIL: (1, _is_float),
    Instruction.TRUNCATE: (1, _is_float),
    Instruction.ROUND_EVEN: (1, _is_float),
    Instruction.AND: (2, _is_bits),
    Instruction.OR: (2, _is_bits),
    Instruction.XOR: (2, _is_bits),
    Instruction.NOT: (1, _is_bits),
    Instruction.SHL: (2, _is_integer),
    Instruction.SHR: (2, _is_integer),
}
"""Number of operands, all of the result's dtype, and the dtypes allowed."""

_COMPARISONS = frozenset((Instruction.EQ, Instruction.NE, Instruction.LT, Instruction.LE))
_ATTRIBUTES: dict[Instruction, type] = {
    Instruction.PARAMETER: Parameter,
    Instruction.VARIABLE: Variable,
    Instruction.LOAD: Parameter,
    Instruction.CARRIED: Carry,
    Instruction.RESULT: Carry,
    Instruction.ACCUMULATOR: type(None),
    Instruction.CHECKED: FaultCode,
}


def signature_problem(value: Value) -> str:
    """Return what is wrong with the operands, dtype or attribute of a value, or ""."""
    instruction = value.instruction
    expected = _ATTRIBUTES.get(instruction)
    if expected is not None and not isinstance(value.attribute, expected):
        return f"{instruction.name} has attribute {value.attribute!r}"
    got = tuple(operand.dtype for operand in value.arguments)
    if instruction in _ARITHMETIC:
        count, allowed = _ARITHMETIC[instruction]
        if not allowed(value.dtype):
            return f"{instruction.name} is not defined for {value.dtype.name}"
        return _mismatch(value, got, (value.dtype,) * count)
    if instruction in _COMPARISONS:
        needed = (got[0], got[0]) if got else (value.dtype, value.dtype)
        return _result(value, dtypes.bool_) or _mismatch(value, got, needed)
    match instruction:
        case Instruction.CONSTANT:
            return _constant_problem(value)
        case Instruction.LOAD:
            return _load_problem(value, got)
        case Instruction.SCALE | Instruction.PRODUCT_ERROR:
            wide = value.dtype in (dtypes.float32, dtypes.float64)
            count = 2 if instruction is Instruction.SCALE else 3
            return (
                _mismatch(value, got, (value.dtype,) * count)
                if wide
                else f"{instruction.name} is not defined for {value.dtype.name}"
            )
        case Instruction.SELECT | Instruction.RARELY:
            return _mismatch(value, got, (dtypes.bool_, value.dtype, value.dtype))
        case Instruction.CHECKED:
            return _mismatch(value, got, (value.dtype, dtypes.bool_))
        case Instruction.CAST | Instruction.BITCAST:
            return _conversion_problem(value, got)
        case _:
            return _mismatch(value, got, ()) or _leaf_problem(value)


def _names(types: tuple[DType, ...]) -> str:
    return f"({', '.join(dtype.name for dtype in types)})"


def _mismatch(value: Value, got: tuple[DType, ...], needed: tuple[DType, ...]) -> str:
    if got == needed:
        return ""
    return (
        f"{value.instruction.name} of {value.dtype.name} has operands {_names(got)}, "
        f"needs {_names(needed)}"
    )


def _result(value: Value, needed: DType) -> str:
    if value.dtype is needed:
        return ""
    return f"{value.instruction.name} gives {value.dtype.name}, must be {needed.name}"


def _constant_problem(value: Value) -> str:
    number, dtype = value.attribute, value.dtype
    if dtype.kind is Kind.BOOL:
        fits = isinstance(number, bool)
    elif dtype.is_floating_point:
        fits = isinstance(number, float)
    else:
        low = -(1 << (dtype.bits - 1)) if dtype.is_signed else 0
        high = low + (1 << dtype.bits)
        fits = isinstance(number, int) and not isinstance(number, bool) and low <= number < high
    if not fits:
        return f"CONSTANT {number!r} does not fit {dtype.name}"
    return _mismatch(value, tuple(operand.dtype for operand in value.arguments), ())


def _load_problem(value: Value, got: tuple[DType, ...]) -> str:
    buffer = value.attribute
    if buffer.role not in (Role.BUFFER, Role.LOCAL):
        return f"LOAD from {buffer.name}, which is no buffer"
    needed = (INDEX, dtypes.bool_) if len(got) > 1 else (INDEX,)
    return _result(value, buffer.dtype) or _mismatch(value, got, needed)


def _conversion_problem(value: Value, got: tuple[DType, ...]) -> str:
    if len(got) != 1:
        return f"{value.instruction.name} of {len(got)} operands"
    source, target = got[0], value.dtype
    if source.is_complex or target.is_complex:
        return f"{value.instruction.name} from {source.name} to {target.name}"
    if value.instruction is Instruction.CAST:
        return ""
    # Neither has a fixed representation: bool may be one bit, INDEX 32 bits on a GPU.
    loose = source in (dtypes.bool_, INDEX) or target in (dtypes.bool_, INDEX)
    if loose or source.itemsize != target.itemsize:
        return f"BITCAST from {source.name} to {target.name}"
    return ""


def _leaf_problem(value: Value) -> str:
    attribute = value.attribute
    match value.instruction:
        case Instruction.PARAMETER:
            if attribute.role in (Role.BUFFER, Role.LOCAL):
                return f"buffer {attribute.name} is used as a number"
            return _result(value, attribute.dtype)
        case Instruction.VARIABLE:
            return _result(value, INDEX)
        case Instruction.CARRIED | Instruction.RESULT:
            return _result(value, attribute.dtype)
        case _:
            return ""
