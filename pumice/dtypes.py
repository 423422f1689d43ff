"""Element types and PyTorch's promotion rules.

Stage: below all others.  Takes: nothing.  Gives: DType and promotion.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from pumice.errors import DTypeError


class Kind(IntEnum):
    """Families of element types, in promotion order."""

    BOOL = 0
    UNSIGNED = 1
    SIGNED = 2
    FLOAT = 3
    COMPLEX = 4


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type. Instances are singletons, compared by identity.

    Attributes
    ----------
    name : str
        PyTorch's name, ``float32`` for example.
    kind : Kind
        The family it belongs to.
    itemsize : int
        Bytes per element in memory.
    mantissa : int
        Explicit bits of the significand, 0 for integers.
    """

    name: str
    kind: Kind
    itemsize: int
    mantissa: int = 0

    @property
    def bits(self) -> int:
        return self.itemsize * 8

    @property
    def is_floating_point(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_complex(self) -> bool:
        return self.kind is Kind.COMPLEX

    @property
    def is_signed(self) -> bool:
        return self.kind >= Kind.SIGNED

    @property
    def is_integral(self) -> bool:
        """True for the integer types, bool not included."""
        return self.kind is Kind.SIGNED or self.kind is Kind.UNSIGNED

    @property
    def is_small_float(self) -> bool:
        """True for the 16-bit floats, whose arithmetic is done in float32."""
        return self.kind is Kind.FLOAT and self.itemsize == 2

    def __repr__(self) -> str:
        return f"pumice.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self.name == "bool" else self.name


bool_ = DType("bool", Kind.BOOL, 1)
uint8 = DType("uint8", Kind.UNSIGNED, 1)
uint16 = DType("uint16", Kind.UNSIGNED, 2)
uint32 = DType("uint32", Kind.UNSIGNED, 4)
uint64 = DType("uint64", Kind.UNSIGNED, 8)
int8 = DType("int8", Kind.SIGNED, 1)
int16 = DType("int16", Kind.SIGNED, 2)
int32 = DType("int32", Kind.SIGNED, 4)
int64 = DType("int64", Kind.SIGNED, 8)
float16 = DType("float16", Kind.FLOAT, 2, 10)
bfloat16 = DType("bfloat16", Kind.FLOAT, 2, 7)
float32 = DType("float32", Kind.FLOAT, 4, 23)
float64 = DType("float64", Kind.FLOAT, 8, 52)

ALL: tuple[DType, ...] = (
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    bfloat16,
    float32,
    float64,
)
BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in ALL}
FLOATS: tuple[DType, ...] = (float16, bfloat16, float32, float64)
Scalar = bool | int | float


@dataclass(slots=True)
class Defaults:
    """What the process has chosen; one assignment changes it for all threads.

    Attributes
    ----------
    float : DType
        The type of Python floats and of the results of operators that need one.
    """

    float: DType = float32


defaults = Defaults()


def default_float() -> DType:
    """Return the type of Python floats."""
    return defaults.float


@cache
def promote_types(first: DType, second: DType) -> DType:
    """Return the type both operands are converted to, as ``torch.promote_types``.

    Raises
    ------
    DTypeError
        For uint16, uint32 and uint64 with another integer type, which PyTorch does not promote.
    """
    if first is second:
        return first
    low, high = sorted((first, second), key=lambda dtype: (dtype.kind, dtype.itemsize))
    if low.kind is Kind.BOOL:
        return high
    if high.kind is Kind.FLOAT:
        if low.kind is not Kind.FLOAT or low.itemsize < high.itemsize:
            return high
        return float32
    if low.kind is high.kind and low.kind is Kind.SIGNED:
        return high
    if low is uint8 and high.kind is Kind.SIGNED:
        return int16 if high is int8 else high
    raise DTypeError(
        f"promote_types: {first.name} with {second.name} has no common type; "
        "uint16, uint32 and uint64 promote only with themselves, bool and floating types"
    )


def scalar_dtype(value: Scalar) -> DType:
    """Return the type a bare Python number has when nothing else decides it."""
    if isinstance(value, bool):
        return bool_
    return int64 if isinstance(value, int) else defaults.float


def promote_scalar(dtype: DType, value: Scalar) -> DType:
    """Return the common type of a tensor and a Python number: only a higher family changes it."""
    if isinstance(value, bool) or dtype.kind is Kind.FLOAT:
        return dtype
    if isinstance(value, int):
        return int64 if dtype.kind is Kind.BOOL else dtype
    return defaults.float


def accumulation_dtype(dtype: DType) -> DType:
    """Return the type sums of this type are carried in: float32 for the 16-bit floats."""
    return float32 if dtype.is_small_float else dtype


def holds(dtype: DType, value: Scalar) -> bool:
    """Tell whether a number, once it is float32, is one of a 16-bit float's."""
    try:
        packed = struct.pack("<f", value)
        single = struct.unpack("<f", packed)[0]
        if dtype is bfloat16 or single != single:
            return packed[:2] == b"\0\0"
        return bool(struct.unpack("<e", struct.pack("<e", single))[0] == single)
    except OverflowError:
        return False
