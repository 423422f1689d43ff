"""Exact integer and floating-point division with remainder.

A float remainder is a remainder of integers: x = X 2**e, y = Y 2**f, and X 2**(e-f) mod Y follows
from 2**(e-f) mod Y, which repeated squaring gives in a fixed number of steps. Products modulo Y
take a quotient estimated in floating point and the exact wrapped difference of integers.
"""

from typing import Any

from pumice.dtypes import Kind
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    Format,
    bits,
    choose,
    copy_sign,
    format_of,
    is_nan,
    magnitude_bits,
    scale,
    sign_bits,
    two_product,
    with_sign_flipped,
)
from pumice.ops.vocabulary import ScalarOperand

DIVISION_BY_ZERO = 1


def safe_divisor(x: ScalarOperand, y: ScalarOperand) -> tuple[Any, Any]:
    """Return (divisor, minus one): a divisor that is neither 0 nor -1, and where y was -1."""
    if x.dtype.kind is Kind.SIGNED:
        minus_one = y.eq(-1)
        return (y.eq(0) | minus_one).select(1, y), minus_one
    return y.eq(0).select(1, y), None


def checked(value: ScalarOperand, y: ScalarOperand) -> Any:
    """Give -1 and a fault where the divisor is zero."""
    zero = y.eq(0)
    return zero.select(-1, value).fail_if(zero, DIVISION_BY_ZERO)


def integer_trunc_divide(x: ScalarOperand, y: ScalarOperand) -> Any:
    divisor, minus_one = safe_divisor(x, y)
    quotient = x.quotient(divisor)
    return checked(quotient if minus_one is None else minus_one.select(-x, quotient), y)


def integer_floor_divide(x: ScalarOperand, y: ScalarOperand) -> Any:
    divisor, minus_one = safe_divisor(x, y)
    quotient = x.quotient(divisor)
    if minus_one is None:
        return checked(quotient, y)
    rest = x - quotient * divisor
    below = rest.ne(0) & ((rest ^ divisor) < 0)
    return checked(minus_one.select(-x, below.select(quotient - 1, quotient)), y)


def integer_fmod(x: ScalarOperand, y: ScalarOperand) -> Any:
    divisor, minus_one = safe_divisor(x, y)
    rest = x.modulus(divisor)
    return checked(rest if minus_one is None else minus_one.select(0, rest), y)


def integer_remainder(x: ScalarOperand, y: ScalarOperand) -> Any:
    divisor, minus_one = safe_divisor(x, y)
    rest = x.modulus(divisor)
    if minus_one is None:
        return checked(rest, y)
    wrong = rest.ne(0) & ((rest ^ divisor) < 0)
    return checked(minus_one.select(0, wrong.select(rest + divisor, rest)), y)


def significand(x: ScalarOperand, layout: Format) -> tuple[Any, Any]:
    """Return (integer significand, biased exponent, at least 1) of abs(x)."""
    pattern = magnitude_bits(x)
    exponent = pattern >> layout.mantissa
    fraction = pattern & layout.mantissa_bits
    subnormal = exponent.eq(0)
    return (
        subnormal.select(fraction, fraction | (1 << layout.mantissa)),
        subnormal.select(1, exponent),
    )


def centred(value: Any, modulus: Any, inverse: Any) -> Any:
    """Bring an integer of a few times the modulus to about half of it in magnitude."""
    count = (value.cast(inverse.dtype) * inverse).round_even().cast(value.dtype)
    return value - count * modulus


def product_modulo(x: Any, y: Any, modulus: Any, inverse: Any) -> Any:
    """Return x * y modulo the modulus, centred. Wrapped differences are exact."""
    kind = inverse.dtype
    count = (x.cast(kind) * y.cast(kind) * inverse).round_even().cast(x.dtype)
    return centred(x * y - count * modulus, modulus, inverse)


def magnitude_modulo(x: ScalarOperand, y: ScalarOperand) -> Any:
    """Return abs(x) mod abs(y), exactly, for finite x and finite non-zero y."""
    layout = format_of(x)
    x_integer, x_exponent = significand(x, layout)
    modulus, y_exponent = significand(y, layout)
    modulus = modulus.eq(0).select(1, modulus)
    gap = x_exponent - y_exponent
    smaller = gap < 0
    gap = smaller.select(0, gap)
    inverse = 1.0 / modulus.cast(x.dtype)
    squarings = 4 if layout.width == 32 else 6
    power = centred(gap.const(1) << (gap >> squarings), modulus, inverse)
    for step in reversed(range(squarings)):
        doubled = power << ((gap >> step) & 1)
        power = product_modulo(doubled, power, modulus, inverse)
    rest = product_modulo(x_integer, power, modulus, inverse)
    rest = (rest < 0).select(rest + modulus, rest)
    rest = (rest < modulus).select(rest, rest - modulus)
    shift = y_exponent - (layout.bias + layout.mantissa)
    return smaller.select(x.absolute(), scale(rest.cast(x.dtype), shift))


def near_modulo(x: ScalarOperand, y: ScalarOperand) -> tuple[Any, Any]:
    """Return whether abs(x) mod abs(y) needs the long way, and its value where it does not.

    A quotient below 2**22 times y is exact in two terms, and so is the difference.
    """
    first, second = x.absolute(), y.absolute()
    whole = (first / second).truncate()
    product, error = two_product(whole, second)
    rest = (first - product) - error
    rest = (rest < 0.0).select(rest + second, rest)
    rest = (rest < second).select(rest, rest - second)
    limit = choose(x, 2.0**100, 2.0**900)
    near = (whole < 2.0**22) & (first < limit) & (second > 1.0 / limit)
    return ~near, rest


def fmod(x: ScalarOperand, y: ScalarOperand) -> Any:
    far, rest = near_modulo(x, y)
    value = far.rarely(magnitude_modulo(x, y), rest)
    value = with_sign_flipped(y.absolute().eq(INFINITY).select(x.absolute(), value), sign_bits(x))
    valid = (x.absolute() < INFINITY) & y.ne(0.0) & y.eq(y)
    return valid.select(value, NAN)


def remainder(x: ScalarOperand, y: ScalarOperand) -> Any:
    rest = fmod(x, y)
    wrong = rest.ne(0.0) & ((bits(rest) ^ bits(y)) < 0)
    return wrong.select(rest + y, rest)


def floor_divide(x: ScalarOperand, y: ScalarOperand) -> Any:
    """Return the floor of the real quotient, exact while it is below 2**(mantissa + 1)."""
    layout = format_of(x)
    quotient = x / y
    whole = quotient.floor()
    product, error = two_product(whole, y)
    rest = (x - product) - error
    above = (rest.ne(0.0) & ((bits(rest) ^ bits(y)) < 0)) & (
        whole.absolute() < 2.0 ** (layout.mantissa + 1)
    )
    value = above.select(whole - 1.0, whole)
    opposite = ((bits(x) ^ bits(y)) < 0) & x.ne(0.0)
    by_infinity = opposite.select(-1.0, copy_sign(x.const(0.0), quotient))
    value = y.absolute().eq(INFINITY).select(by_infinity, value)
    value = (x.absolute().eq(INFINITY) | is_nan(y)).select(NAN, value)
    return y.eq(0.0).select(quotient, is_nan(x).select(NAN, value))
