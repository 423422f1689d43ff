"""Building blocks of scalar meanings: bit patterns, error-free sums and products, polynomials.

Everything here holds whether `multiply_add` rounds once or twice and does not rely on subnormals
being flushed or kept.
"""

from dataclasses import dataclass
from typing import Any

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.ops.vocabulary import ScalarOperand

Pair = tuple[Any, Any]
"""An unevaluated sum of two floats, the second below half an ulp of the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """Layout of a float type and the integers of its width.

    Attributes
    ----------
    mantissa, bias : int
        Explicit bits of the significand, bias of the exponent.
    magic : float
        1.5 * 2**mantissa: adding it rounds to an integer held in the low bits.
    split : int
        Number of low bits cleared so that the upper half times an upper half is exact.
    """

    dtype: DType
    signed: DType
    unsigned: DType
    mantissa: int
    bias: int
    split: int

    @property
    def width(self) -> int:
        return self.dtype.bits

    @property
    def magic(self) -> float:
        return 1.5 * 2.0**self.mantissa

    @property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)

    @property
    def magnitude_bits(self) -> int:
        return self.sign_bit - 1

    @property
    def mantissa_bits(self) -> int:
        return (1 << self.mantissa) - 1

    @property
    def smallest_normal(self) -> float:
        return float(2.0 ** (1 - self.bias))

    @property
    def magic_bits(self) -> int:
        return ((self.bias + self.mantissa) << self.mantissa) | (1 << (self.mantissa - 1))


SINGLE = Format(dtypes.float32, dtypes.int32, dtypes.uint32, 23, 127, 12)
DOUBLE = Format(dtypes.float64, dtypes.int64, dtypes.uint64, 52, 1023, 27)

INFINITY = float("inf")
NAN = float("nan")


def format_of(x: ScalarOperand) -> Format:
    """Return the layout of a float32 or float64 operand."""
    return SINGLE if x.dtype is dtypes.float32 else DOUBLE


def is_float(x: ScalarOperand) -> bool:
    return x.dtype.kind is Kind.FLOAT


def is_bool(x: ScalarOperand) -> bool:
    return x.dtype.kind is Kind.BOOL


def choose(x: ScalarOperand, single: Any, double: Any) -> Any:
    """Return the constant or table that belongs to the operand's type."""
    return single if x.dtype is dtypes.float32 else double


def bits(x: ScalarOperand) -> Any:
    """Return the bit pattern as a signed integer."""
    return x.bitcast(format_of(x).signed)


def magnitude_bits(x: ScalarOperand) -> Any:
    """Return the bit pattern without the sign, as a signed integer."""
    return bits(x) & format_of(x).magnitude_bits


def sign_bits(x: ScalarOperand) -> Any:
    """Return the sign bit alone, as a signed integer."""
    layout = format_of(x)
    return bits(x) & layout.sign_bit


def with_sign_flipped(x: ScalarOperand, mask: Any) -> Any:
    """Negate where the signed-integer mask holds the sign bit."""
    return (bits(x) ^ mask).bitcast(x.dtype)


def copy_sign(magnitude: ScalarOperand, sign: ScalarOperand) -> Any:
    return (magnitude_bits(magnitude) | sign_bits(sign)).bitcast(magnitude.dtype)


def is_nan(x: ScalarOperand) -> Any:
    return x.ne(x)


def power_of_two(exponent: ScalarOperand, dtype: DType) -> Any:
    """Return 2**exponent for an integer exponent in the normal range."""
    layout = SINGLE if dtype is dtypes.float32 else DOUBLE
    return ((exponent + layout.bias) << layout.mantissa).bitcast(dtype)


def scale(x: ScalarOperand, exponent: ScalarOperand) -> Any:
    """Return x * 2**exponent, in two steps so that only the last one rounds."""
    half = exponent >> 1
    return x * power_of_two(half, x.dtype) * power_of_two(exponent - half, x.dtype)


def quick_two_sum(large: Any, small: Any) -> Pair:
    """Return the exact sum of two floats with abs(large) >= abs(small)."""
    total = large + small
    return total, small - (total - large)


def two_sum(x: Any, y: Any) -> Pair:
    """Return the exact sum of two floats."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def upper(x: ScalarOperand) -> Any:
    """Return x with the lower half of its significand cleared."""
    layout = format_of(x)
    return (bits(x) & -(1 << layout.split)).bitcast(x.dtype)


def two_product(x: ScalarOperand, y: ScalarOperand) -> Pair:
    """Return the exact product of two floats (a last bit may be missing in float64)."""
    total = x * y
    return total, x.product_error(y, total)


def split_product_error(x: ScalarOperand, y: ScalarOperand, total: Any) -> Any:
    """Return x * y - total for the rounded product, without fused operations."""
    x_high, y_high = upper(x), upper(y)
    x_low, y_low = x - x_high, y - y_high
    return ((x_high * y_high - total) + x_high * y_low + x_low * y_high) + x_low * y_low


def pair_product(x: Pair, y: Pair) -> Pair:
    """Return the product of two pairs, to nearly twice the precision."""
    total, error = two_product(x[0], y[0])
    return quick_two_sum(total, error + (x[0] * y[1] + x[1] * y[0]))


def polynomial(z: ScalarOperand, coefficients: tuple[float, ...]) -> Any:
    """Evaluate a polynomial, lowest coefficient first."""
    total: Any = z.const(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total.multiply_add(z, coefficient)
    return total


def clamp_to(x: ScalarOperand, low: float, high: float) -> Any:
    """Limit x to [low, high]; NaN stays NaN."""
    above = (x < low).select(low, x)
    return (above > high).select(high, above)
