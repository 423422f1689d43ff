"""Scalar algorithms of the hyperbolic family and the logistic function."""

from typing import Any

from pumice.ops import coefficients as table
from pumice.ops.exponential_core import decompose, exp_of_limited, exp_pair, log1p_pair, log_of
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    choose,
    clamp_to,
    polynomial,
    power_of_two,
    quick_two_sum,
    scale,
    sign_bits,
    two_product,
    two_sum,
    with_sign_flipped,
)
from pumice.ops.vocabulary import ScalarOperand


def odd_series(x: ScalarOperand, single: tuple[float, ...], double: tuple[float, ...]) -> Any:
    """Return x + x**3 p(x**2)."""
    square = x * x
    return (x * square).multiply_add(polynomial(square, choose(x, single, double)), x)


def halves(magnitude: ScalarOperand) -> tuple[Any, Any, Any]:
    """Return (k, growing, decaying): exp(m) / 2 = 2**k * growing, exp(-m) / 2 = 2**k * decaying."""
    limited = clamp_to(magnitude, 0.0, choose(magnitude, 92.0, 714.0))
    exponent, (high, low) = exp_pair(limited)
    bound = choose(magnitude, 60, 500)
    back = (exponent > bound).select(exponent.const(-2 * bound), -2 * exponent)
    decaying = power_of_two(back, magnitude.dtype) / (high + low)
    return exponent - 1, (high, low), decaying


def sinh(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    exponent, (high, low), decaying = halves(magnitude)
    far = scale(high + (low - decaying), exponent)
    near = odd_series(magnitude, table.SINH_32, table.SINH_64)
    return with_sign_flipped((magnitude < 1.0).select(near, far), sign_bits(x))


def cosh(x: ScalarOperand) -> Any:
    exponent, (high, low), decaying = halves(x.absolute())
    return scale(high + (low + decaying), exponent)


def tanh(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    near = odd_series(magnitude, table.TANH_32, table.TANH_64)
    limited = (magnitude > choose(x, 10.0, 20.0)).select(choose(x, 10.0, 20.0), magnitude)
    far = 1.0 - 2.0 / (exp_of_limited(limited + limited) + 1.0)
    return with_sign_flipped((magnitude < 0.55).select(near, far), sign_bits(x))


def asinh(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    near = odd_series(magnitude, table.ASINH_32, table.ASINH_64)
    huge = magnitude > choose(x, 2.0**30, 2.0**60)
    limited = huge.select(1.0, magnitude)
    square = limited * limited
    moderate = log1p_pair(limited + square / (1.0 + (square + 1.0).square_root()), 0.0)
    exponent, f = decompose(huge.select(magnitude, 1.0))
    far = huge.select(log_of(f, exponent + 1, 0.0), moderate)
    value = (magnitude < 0.5).select(near, far)
    value = magnitude.eq(INFINITY).select(INFINITY, value)
    return with_sign_flipped(value, sign_bits(x))


def acosh(x: ScalarOperand) -> Any:
    """Take log1p of t + sqrt(t * (x + 1)), t = x - 1, with the root carried as a pair."""
    huge = x > choose(x, 2.0**30, 2.0**60)
    limited = (huge | ~(x >= 1.0)).select(1.0, x)
    above = limited - 1.0
    beyond, beyond_low = two_sum(limited, limited.const(1.0))
    square, square_low = two_product(above, beyond)
    root = square.square_root()
    back, back_low = two_product(root, root)
    missing = ((square - back) - back_low) + (square_low + above * beyond_low)
    root_low = missing / root.eq(0.0).select(1.0, root + root)
    total, lost = quick_two_sum(root, above)
    moderate = log1p_pair(total, lost + root_low)
    exponent, f = decompose(huge.select(x, 1.0))
    value = huge.select(log_of(f, exponent + 1, 0.0), moderate)
    value = x.eq(INFINITY).select(INFINITY, value)
    return (x >= 1.0).select(value, NAN)


def atanh(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    near = odd_series(magnitude, table.ATANH_32, table.ATANH_64)
    inside = magnitude < 1.0
    limited = inside.select(magnitude, 0.5)
    far = 0.5 * log1p_pair((limited + limited) / (1.0 - limited), 0.0)
    value = (magnitude < 0.25).select(near, far)
    edge = magnitude.eq(1.0).select(x.const(INFINITY), NAN)
    return with_sign_flipped(inside.select(value, edge), sign_bits(x))


def sigmoid(x: ScalarOperand) -> Any:
    """Return e / (1 + e) or 1 / (1 + e), e = exp(-abs(x)), corrected for the rounding of 1 + e."""
    # Above 0 a subnormal e is lost in 1 + e; below, what rounds to 0 is not computed, because
    # processors take a hundred cycles to underflow.
    lowest = (x < 0.0).select(x.const(choose(x, -104.0, -746.0)), choose(x, -87.0, -708.0))
    decay = -x.absolute()
    vanishes = decay < lowest
    decayed = vanishes.select(0.0, exp_of_limited(vanishes.select(0.0, decay)))
    whole = decayed + 1.0
    excess = (whole - 1.0) - decayed
    quotient = (x < 0.0).select(decayed, 1.0) / whole
    return quotient.multiply_add(excess, quotient)
