"""LLVM names of element types, and constants.

In registers bool is ``i1`` and the 16-bit floats are their bits, ``i16``; in memory bool is ``i8``.
"""

import ctypes
import struct

from pumice import dtypes
from pumice.dtypes import DType, Kind


def scalar_type(dtype: DType) -> str:
    """Return the register type of one element."""
    if dtype.kind is Kind.BOOL:
        return "i1"
    if dtype is dtypes.float32:
        return "float"
    if dtype is dtypes.float64:
        return "double"
    return f"i{dtype.bits}"


def memory_type(dtype: DType) -> str:
    """Return the type of one element in memory."""
    return "i8" if dtype.kind is Kind.BOOL else scalar_type(dtype)


def vector_of(element: str, width: int) -> str:
    """Return the type of `width` elements; 0 stands for a scalar."""
    return f"<{width} x {element}>" if width else element


def suffix(element: str, width: int) -> str:
    """Return the type suffix of an intrinsic's name."""
    short = {"float": "f32", "double": "f64", "half": "f16", "ptr": "p0"}.get(element, element)
    return f"v{width}{short}" if width else short


def splat_constant(element: str, literal: str, width: int) -> str:
    """Return a constant whose elements are all the same literal."""
    return f"splat ({element} {literal})" if width else literal


def iota(element: str, width: int) -> str:
    """Return the constant vector 0, 1, 2 ..."""
    return "<" + ", ".join(f"{element} {number}" for number in range(width)) + ">"


def _half_bits(value: float) -> int:
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def _bfloat_bits(value: float) -> int:
    bits = int(struct.unpack("<I", struct.pack("<f", ctypes.c_float(value).value))[0])
    if value != value:
        return 0x7FC0
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def literal(value: bool | int | float, dtype: DType) -> str:
    """Return a constant of an element type as LLVM writes it."""
    if dtype.kind is Kind.BOOL:
        return "true" if value else "false"
    if dtype is dtypes.float16:
        return str(_half_bits(float(value)))
    if dtype is dtypes.bfloat16:
        return str(_bfloat_bits(float(value)))
    if dtype.kind is Kind.FLOAT:
        number = float(value)
        if dtype is dtypes.float32:
            number = ctypes.c_float(number).value
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    return str(int(value))
