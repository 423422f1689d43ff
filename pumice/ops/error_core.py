"""Scalar algorithms of the error function and its complement."""

from typing import Any

from pumice.ops import coefficients as table
from pumice.ops.exponential_core import exp_of_limited, exp_pair
from pumice.ops.scalar import (
    Pair,
    choose,
    format_of,
    is_nan,
    pair_product,
    polynomial,
    quick_two_sum,
    scale,
    sign_bits,
    two_product,
    two_sum,
    with_sign_flipped,
)
from pumice.ops.vocabulary import ScalarOperand


def erf_near(x: ScalarOperand) -> Any:
    """Return erf(x) for abs(x) <= 0.9."""
    return x.multiply_add(polynomial(x * x, choose(x, table.ERF_32, table.ERF_64)), x)


def scaled_erfc(x: ScalarOperand) -> Pair:
    """Return exp(x**2) * erfc(x) as a pair, for x >= 0.45."""
    coefficients = choose(x, table.ERFC_WIDE_32, table.ERFC_WIDE_64)
    centre = choose(x, 2.0, 4.0)
    distance, twice = x + centre, x + x
    width, width_lost = two_sum(x.const(1.0), twice)
    if format_of(x).width == 32:  # one division gives both reciprocals
        both = 1.0 / (distance * width)
        t, inverse = (x - centre) * (width * both), distance * both
    else:
        t, inverse = (x - centre) / distance, 1.0 / width
    main, lost = quick_two_sum(x.const(coefficients[0]), t * polynomial(t, coefficients[2:]))
    quotient = main * inverse
    product, error = two_product(quotient, width)
    rest = ((main - product) - error) + (lost + coefficients[1]) - quotient * width_lost
    return quick_two_sum(quotient, rest * inverse)


def erfc_far(x: ScalarOperand) -> Any:
    """Return erfc(x) for x >= 0.45."""
    limit = choose(x, 10.2, 27.5)
    limited = (x > limit).select(limit, x)
    square, lost = two_product(limited, limited)
    exponent, (high, low) = exp_pair(-square)
    decayed = quick_two_sum(high, low - high * lost)
    value, rest = pair_product(decayed, scaled_erfc(limited))
    return scale(value + rest, exponent)


def erf(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    near = erf_near(magnitude)
    if format_of(x).width == 32:
        limited = (magnitude > 4.0).select(4.0, magnitude)
        far = 1.0 - exp_of_limited(polynomial(limited, table.ERF_LOG_32))
    else:
        far = 1.0 - erfc_far((magnitude < 0.5).select(0.5, magnitude))
    return with_sign_flipped((magnitude < 0.9).select(near, far), sign_bits(x))


def erfc(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    inner = magnitude < 0.5
    near = erf_near(inner.select(magnitude, 0.0))
    negative = x < 0.0
    near_value = 1.0 - negative.select(-near, near)
    far = erfc_far(inner.select(0.5, magnitude))
    far_value = negative.select(2.0 - far, far)
    return is_nan(x).select(x, inner.select(near_value, far_value))
