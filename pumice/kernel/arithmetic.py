"""What every scalar instruction computes, on NumPy arrays.

Used by the interpreter and for constant folding, so both always agree. Operands are arrays (or
NumPy scalars) of exactly the dtypes the verifier asks for.

Where PyTorch on x86 leaves a choice, these are the rules every backend follows:

- float to int32 and int64: truncated; NaN and values outside the type give its minimum;
- float to int8, int16 and uint16: through int32, then wrapped;
- float to uint8 and uint32: through int64, then wrapped;
- float to uint64: below 2**63 through int64; from there on 2**63 is subtracted before and
  added after, so infinity and values of 2**64 and more give 0;
- 32- and 64-bit types to float16 and bfloat16: rounded to float32 first, then again;
- an integer division by zero gives quotient 0 and the dividend as remainder.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import INDEX, Instruction
from pumice.numpy_types import to_numpy

Array = NDArray[Any]


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """Return the NumPy type that holds an element type; indices are 64-bit integers."""
    return np.dtype(np.int64) if dtype is INDEX else to_numpy(dtype)


def number(value: bool | int | float, dtype: DType) -> Array:
    """Return a constant as a zero-dimensional array."""
    return np.asarray(value, dtype=numpy_dtype(dtype))


def _high_product(x: Array, y: Array) -> Array:
    if x.dtype.itemsize == 4:
        return ((x.astype(np.uint64) * y.astype(np.uint64)) >> np.uint64(32)).astype(np.uint32)
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    x_low, x_high, y_low, y_high = x & mask, x >> half, y & mask, y >> half
    middle = x_high * y_low + ((x_low * y_low) >> half)
    other = x_low * y_high + (middle & mask)
    result: Array = x_high * y_high + (middle >> half) + (other >> half)
    return result


def _quotient(x: Array, y: Array) -> Array:
    one = x.dtype.type(1)
    # The divisors 0 and -1 trap on x86 (the latter with the minimum), so they never reach NumPy.
    special = y == 0
    if x.dtype.kind == "i":
        negating = y == -1
        divisor = np.where(special | negating, one, y)
        floored = x // divisor
        inexact = (x - floored * divisor != 0) & ((x < 0) != (divisor < 0))
        truncated = np.where(negating, np.negative(x), floored + inexact.astype(x.dtype))
    else:
        truncated = x // np.where(special, one, y)
    result: Array = np.where(special, x.dtype.type(0), truncated)
    return result


def _modulus(x: Array, y: Array) -> Array:
    result: Array = x - _quotient(x, y) * y
    return result


def _absolute(x: Array) -> Array:
    return x if x.dtype.kind == "u" else np.abs(x)


def _invert(x: Array) -> Array:
    return np.logical_not(x) if x.dtype.kind == "b" else np.invert(x)


def _select(condition: Array, chosen: Array, other: Array) -> Array:
    return np.where(condition, chosen, other)


def _product_error(x: Array, y: Array, product: Array) -> Array:
    """Split the factors in halves, whose products are exact (the last bit apart in float64)."""
    clear: Any = np.int32(-(1 << 12)) if x.dtype == np.float32 else np.int64(-(1 << 27))
    x_high, y_high = ((part.view(clear.dtype) & clear).view(part.dtype) for part in (x, y))
    x_low, y_low = x - x_high, y - y_high
    result: Array = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return result


_FUNCTIONS: dict[Instruction, Callable[..., Any]] = {
    Instruction.ADD: np.add,
    Instruction.SUB: np.subtract,
    Instruction.MUL: np.multiply,
    Instruction.DIV: np.divide,
    Instruction.QUOTIENT: _quotient,
    Instruction.MODULUS: _modulus,
    Instruction.HIGH_PRODUCT: _high_product,
    Instruction.MULTIPLY_ADD: lambda x, y, z: x * y + z,
    Instruction.PRODUCT_ERROR: _product_error,
    Instruction.SCALE: lambda x, n: np.ldexp(
        x, np.clip(np.nan_to_num(n), -5000, 5000).astype(np.int32)
    ),
    Instruction.NEG: np.negative,
    Instruction.ABS: _absolute,
    Instruction.SQRT: np.sqrt,
    Instruction.FLOOR: np.floor,
    Instruction.CEIL: np.ceil,
    Instruction.TRUNCATE: np.trunc,
    Instruction.ROUND_EVEN: np.rint,
    Instruction.EQ: np.equal,
    Instruction.NE: np.not_equal,
    Instruction.LT: np.less,
    Instruction.LE: np.less_equal,
    Instruction.AND: np.bitwise_and,
    Instruction.OR: np.bitwise_or,
    Instruction.XOR: np.bitwise_xor,
    Instruction.NOT: _invert,
    Instruction.SHL: np.left_shift,
    Instruction.SHR: np.right_shift,
    Instruction.SELECT: _select,
    Instruction.RARELY: _select,
}


def _truncated(x: Array, target: type[np.signedinteger[Any]]) -> Array:
    """Convert floats the way cvttss2si does: the minimum for whatever does not fit."""
    information = np.iinfo(target)
    wide = x.astype(np.float64)
    # -2**(bits-1) - 1 is a float64 for 32 bits and rounds to the minimum itself for 64.
    fits = (wide < -float(information.min)) & (wide > float(information.min) - 1.0)
    fits |= wide == float(information.min)
    whole: Array = np.where(fits, wide, 0.0).astype(target)
    return np.where(fits, whole, target(information.min))


def _float_to_integer(x: Array, target: DType) -> Array:
    numpy_type = numpy_dtype(target)
    if target is dtypes.uint64:
        wide = x.astype(np.float64)
        large = wide >= 2.0**63
        low = _truncated(np.where(large, wide - 2.0**63, wide), np.int64).astype(np.uint64)
        return low ^ (large.astype(np.uint64) << np.uint64(63))
    if target.bits == 64 or target is dtypes.uint32 or target is dtypes.uint8:
        return _truncated(x, np.int64).astype(numpy_type)
    return _truncated(x, np.int32).astype(numpy_type)


def cast(x: Array, source: DType, target: DType) -> Array:
    """Convert values of one element type to another as `Value.cast` promises."""
    if target.kind is Kind.BOOL:
        return np.asarray(x != 0)
    if source.is_floating_point and not target.is_floating_point:
        return _float_to_integer(x, target)
    if target.is_small_float and source.itemsize > 2:
        x = x.astype(np.float32)
    converted: Array = x.astype(numpy_dtype(target))
    return converted


def evaluate(
    instruction: Instruction, result: DType, arguments: Sequence[Array], source: DType
) -> Array:
    """Apply one scalar instruction; `source` is the dtype of the first argument.

    Call under ``np.errstate(all="ignore")``.
    """
    if instruction is Instruction.CAST:
        return cast(arguments[0], source, result)
    if instruction is Instruction.BITCAST:
        bits: Array = np.asarray(arguments[0]).view(numpy_dtype(result))
        return bits
    value: Array = _FUNCTIONS[instruction](*arguments)
    return value
