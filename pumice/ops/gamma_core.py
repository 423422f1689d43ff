"""Scalar algorithms of the gamma family, of sin(pi x) and of the inverse error function."""

from typing import Any

from pumice.ops import coefficients as table
from pumice.ops.exponential_core import LN2_HIGH, LN2_LOW, decompose, log, log_of, log_rest
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    Pair,
    bits,
    choose,
    format_of,
    is_nan,
    polynomial,
    quick_two_sum,
    sign_bits,
    two_product,
    two_sum,
    upper,
    with_sign_flipped,
)
from pumice.ops.trigonometric_core import cosine_terms, sine_terms
from pumice.ops.vocabulary import ScalarOperand

HALF_LOG_TWO_PI_MINUS_HALF = 0.41893853320467274
LOG_PI = 1.1447298858494002
PI = ((3.140625, 0.0009676535846665502), (3.1415926218032837, 3.178650954705639e-08))
# the zero of digamma, as pairs
ROOT = (
    (1.4616321325302124, 1.243815006546356e-08),
    (1.4616321449683622, 9.549995429965697e-17),
)


def times_pi(x: ScalarOperand) -> Pair:
    """Return pi * x as a pair."""
    short, rest = choose(x, *PI)
    high = upper(x)
    return quick_two_sum(high * short, high * rest + (x - high) * (short + rest))


def sine_and_cosine_of_turns(x: ScalarOperand) -> tuple[Pair, Pair]:
    """Return sin(pi x) and cos(pi x) as pairs, for finite x. Removing half turns is exact."""
    even = x.absolute() > 2.0 ** (format_of(x).mantissa + 2)  # an even integer
    x = even.select(0.0, x)
    count = (x + x).round_even()
    angle, low = times_pi(x - count * 0.5)
    sine = quick_two_sum(*sine_terms(angle, low))
    cosine = quick_two_sum(*cosine_terms(angle, low))
    half = count * 0.5
    whole = half.floor()
    odd = whole.ne(half)
    turned = ((whole * 0.5).floor() * 2.0).ne(whole)
    mask = turned.select(bits(x.const(-0.0)), 0)
    sines = (with_sign_flipped(odd.select(cosine[i], sine[i]), mask) for i in range(2))
    cosines = (with_sign_flipped(odd.select(-sine[i], cosine[i]), mask) for i in range(2))
    return (next(sines), next(sines)), (next(cosines), next(cosines))


def sinc(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    finite = (magnitude < INFINITY).select(magnitude, 0.5)
    tiny = finite < choose(x, 2.0**-14, 2.0**-28)
    argument = tiny.select(0.5, finite)
    (sine, sine_low), _ = sine_and_cosine_of_turns(argument)
    limited = (argument > 2.0**100).select(2.0**100, argument)
    denominator, low = times_pi(limited)
    quotient = sine / denominator
    product, error = two_product(quotient, denominator)
    missing = ((sine - product) - error) + (sine_low - quotient * low)
    quotient = quotient + missing / denominator
    value = tiny.select(1.0, quotient.eq(0.0).select(0.0, quotient))
    return (magnitude < INFINITY).select(value, NAN)


def log_pair(x: ScalarOperand) -> Pair:
    """Return log(x) as a pair, good to a few more bits, for positive finite x."""
    exponent, f = decompose(x)
    count = exponent.cast(x.dtype)
    half_square = f * f * 0.5
    rest = log_rest(f, half_square) + count * choose(x, *LN2_LOW)
    high, low = two_sum(count * choose(x, *LN2_HIGH), f)
    total, lost = two_sum(high, -half_square)
    return quick_two_sum(total, low + lost + rest)


def polynomial_of(
    condition: ScalarOperand, z: ScalarOperand, first: tuple[float, ...], second: tuple[float, ...]
) -> Any:
    """Evaluate the first polynomial where the condition holds, the second elsewhere."""
    pairs = list(zip(first, second, strict=True))
    total: Any = condition.select(z.const(pairs[-1][0]), pairs[-1][1])
    for one, two in reversed(pairs[:-1]):
        total = total.multiply_add(z, condition.select(z.const(one), two))
    return total


def factored(distance: Pair, first: Pair, rest: ScalarOperand) -> Pair:
    """Return distance * (first + rest) as a pair, for small corrections of larger parts."""
    main, lost = two_sum(first[0], rest)
    product, error = two_product(distance[0], main)
    return quick_two_sum(product, error + (distance[0] * (lost + first[1]) + distance[1] * main))


def lgamma_near_zeros(x: ScalarOperand, offset: ScalarOperand) -> Pair:
    """Return lgamma(1 + offset) where x < 1.45, else lgamma(2 + offset)."""
    first = choose(x, table.LGAMMA_ONE_32, table.LGAMMA_ONE_64)
    second = choose(x, table.LGAMMA_TWO_32, table.LGAMMA_TWO_64)
    by_one = x < 1.45
    start, start_low, slope = (by_one.select(x.const(first[i]), second[i]) for i in range(3))
    rest = offset * polynomial_of(by_one, offset, first[3:], second[3:])
    # the two lowest terms cancel in part, so their roundings are kept
    slope, slope_low = two_sum(slope, rest)
    linear, linear_low = two_product(offset, slope)
    start_low = start_low + (linear_low + offset * slope_low)
    return factored((offset, offset.const(0.0)), (start, start_low), linear)


def lgamma_small(x: ScalarOperand) -> Any:
    """Return lgamma(x) for x in (-0.3, 8)."""
    low = x < 0.7
    whole = x.floor()
    steps = (whole >= 3.0).select(whole - 2.0, 0.0)
    offset = low.select(x, (x < 1.45).select(x - 1.0, (x - steps) - 2.0))
    value, value_low = lgamma_near_zeros(x, offset)
    product = (steps >= 1.0).select(x - 1.0, 1.0)
    for k in range(2, 6):
        product = product * (steps >= float(k)).select(x - float(k), 1.0)
    logarithm, log_low = log_pair(low.select(x.absolute(), product))
    added = low.select(-logarithm, logarithm)
    total, lost = two_sum(value, added)
    return total + (lost + (value_low + low.select(-log_low, log_low)))


def lgamma_large(x: ScalarOperand) -> Any:
    """Return lgamma(x) for x >= 8 by Stirling's series."""
    high, low = log_pair(x)
    high, low = quick_two_sum(high - 1.0, low)
    factor = x - 0.5
    product, error = two_product(factor, high)
    inverse = 1.0 / x
    series = polynomial(inverse * inverse, choose(x, table.STIRLING_32, table.STIRLING_64))
    rest = error + factor * low + (inverse * series + HALF_LOG_TWO_PI_MINUS_HALF)
    return (product.absolute() < INFINITY).select(product + rest, INFINITY)


def lgamma_positive(x: ScalarOperand) -> Any:
    small = x < 8.0
    overflow = choose(x, 1e37, 1e306)
    large = small.select(8.0, (x > overflow).select(overflow, x))
    return small.select(lgamma_small(small.select(x, 1.0)), lgamma_large(large))


def lgamma(x: ScalarOperand) -> Any:
    """Return log(abs(gamma(x))); infinite at 0 and the negative integers."""
    magnitude = x.absolute()
    reflected = x <= -0.3
    direct = lgamma_positive(reflected.select(magnitude, x))
    finite = (magnitude < INFINITY).select(magnitude, 0.5)
    (sine, _), _ = sine_and_cosine_of_turns(reflected.select(finite, 0.5))
    mirror = LOG_PI - log((sine * finite).absolute()) - direct
    pole = (x <= 0.0) & x.truncate().eq(x)
    value = (pole | magnitude.eq(INFINITY)).select(INFINITY, reflected.select(mirror, direct))
    return is_nan(x).select(x, value)


def digamma_middle(base: ScalarOperand, low: ScalarOperand) -> Pair:
    """Return digamma(base + low) for base + low in [1, 3]; low is 0 unless base is 1."""
    root = choose(base, *ROOT)
    distance = two_sum((base - root[0]) + low, low.const(-root[1]))
    first, first_low, *others = choose(base, table.DIGAMMA_32, table.DIGAMMA_64)
    t = (base - 2.0) + low
    rest = t * polynomial(t, tuple(others))
    return factored(distance, (base.const(first), base.const(first_low)), rest)


def digamma_positive(x: ScalarOperand) -> Any:
    """Return digamma(x) for x > 0."""
    below = x < 1.0
    small = x < 8.0
    whole = x.floor()
    steps = (small & (whole >= 3.0)).select(whole - 2.0, 0.0)
    reduced = small.select(below.select(x, x - steps), 1.0)
    total, low = digamma_middle(below.select(1.0, reduced), below.select(reduced, 0.0))
    total, lost = two_sum(total, below.select(-1.0 / below.select(x, 1.0), 0.0))
    low = low + lost
    for k in range(1, 6):
        taken = steps >= float(k)
        total, lost = two_sum(total, taken.select(1.0 / taken.select(x - float(k), 1.0), 0.0))
        low = low + lost
    large = small.select(8.0, x)
    inverse = 1.0 / large
    square = inverse * inverse
    series = square * polynomial(square, choose(x, table.DIGAMMA_TAIL_32, table.DIGAMMA_TAIL_64))
    high, log_low = log_pair((large < INFINITY).select(large, 8.0))
    far = high + (log_low + (series - 0.5 * inverse))
    near = (total.absolute() < INFINITY).select(total + low, total)
    return small.select(near, (large < INFINITY).select(far, large))


def digamma(x: ScalarOperand) -> Any:
    """Return the logarithmic derivative of gamma; NaN at negative integers."""
    negative = x < 0.0
    value = digamma_positive(negative.select(1.0 - x, x))
    finite = (x > -INFINITY) & negative
    (sine, _), (cosine, _) = sine_and_cosine_of_turns(finite.select(x, 0.25))
    pi = choose(x, 3.1415927410125732, 3.141592653589793)
    mirror = value - pi * cosine / sine
    pole = negative & x.truncate().eq(x)
    value = negative.select(mirror, value)
    infinite = with_sign_flipped(x.const(-INFINITY), sign_bits(x))
    return x.eq(0.0).select(infinite, pole.select(NAN, value))


def erfinv_near(x: ScalarOperand) -> Any:
    """Return erfinv(x) for x in [0, 0.75] from x times a polynomial in x**2."""
    first, first_low, *others = choose(x, table.ERFINV_32, table.ERFINV_64)
    square = x * x
    rest = first_low + square * polynomial(square, tuple(others))
    product, error = two_product(x, x.const(first))
    return product + (error + x * rest)


def erfinv(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    inside = magnitude < 1.0
    near_value = erfinv_near(magnitude)
    limited = inside.select((magnitude < 0.5).select(0.5, magnitude), 0.5)
    exponent, f = decompose(1.0 - limited)
    minus_log = -log_of(f, exponent, 0.0)
    root = minus_log.square_root()
    back, back_low = two_product(root, root)
    root_low = ((minus_log - back) - back_low) / (root + root)
    if format_of(x).width == 32:
        share = polynomial(root - 2.5, table.ERFINV_FAR_32)
    else:
        middle = root < 2.42
        offset = root - middle.select(root.const(1.75), 4.25)
        share = polynomial_of(middle, offset, table.ERFINV_FAR_64, table.ERFINV_END_64)
    far = root - (root * share - root_low)
    value = (magnitude < 0.74).select(near_value, far)
    edge = magnitude.eq(1.0).select(x.const(INFINITY), NAN)
    return with_sign_flipped(inside.select(value, edge), sign_bits(x))
