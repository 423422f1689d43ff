"""Scalar algorithms of the exponential and logarithm families.

Exponentials: x = k ln 2 + r with abs(r) <= ln 2 / 2; ``k * LN2_HIGH`` is exact because LN2_HIGH
has few bits. Logarithms: x = 2**k * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
"""

from typing import Any

from pumice.ops import coefficients as table
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    Pair,
    bits,
    choose,
    clamp_to,
    format_of,
    is_nan,
    magnitude_bits,
    pair_product,
    polynomial,
    power_of_two,
    quick_two_sum,
    scale,
    two_product,
    two_sum,
    upper,
)
from pumice.ops.vocabulary import ScalarOperand

LOG2_E = 1.4426950408889634
LN2_HIGH = (0.693145751953125, 0.693147180559663)  # 15 and 41 bits
LN2_LOW = (1.428606765330187e-06, 2.8235290563031577e-13)


def rounded_exponent(x: ScalarOperand, factor: float) -> Pair:
    """Return x * factor rounded to an integer, as a signed integer and as a float."""
    layout = format_of(x)
    shifted = x.multiply_add(factor, layout.magic)
    return bits(shifted) - layout.magic_bits, shifted - layout.magic


def reduce_by_ln2(x: ScalarOperand) -> tuple[Any, Any, Any, Any]:
    """Return (k, float k, r, correction): x = k ln 2 + r + correction, correction below an ulp."""
    exponent, count = rounded_exponent(x, LOG2_E)
    high = count.multiply_add(-choose(x, *LN2_HIGH), x)  # exact
    low = count * choose(x, *LN2_LOW)
    rest = high - low
    return exponent, count, rest, (high - rest) - low


def exp_pair(x: ScalarOperand) -> tuple[Any, Pair]:
    """Return (k, (high, low)) with exp(x) = 2**k * (high + low), high near 1."""
    exponent, _, rest, correction = reduce_by_ln2(x)
    quadratic = polynomial(rest, choose(x, table.EXP_32, table.EXP_64))
    tail = (rest * rest).multiply_add(quadratic, correction)
    high, low = quick_two_sum(x.const(1.0), rest)
    return exponent, quick_two_sum(high, low + tail)


def exp(x: ScalarOperand) -> Any:
    least, most = choose(x, (-104.0, 89.0), (-746.0, 710.0))
    vanishes = x < least
    # Processors take a hundred cycles to underflow, so what is 0 anyway is not computed.
    limited = vanishes.select(0.0, (x > most).select(most, x))
    return vanishes.select(0.0, exp_of_limited(limited))


def exp_of_limited(x: ScalarOperand) -> Any:
    """Return exp(x) for an x of at most a few hundred in size: results may round to 0 or inf."""
    _, count = rounded_exponent(x, LOG2_E)
    high = count.multiply_add(-choose(x, *LN2_HIGH), x)
    rest = count.multiply_add(-choose(x, *LN2_LOW), high)
    quadratic = polynomial(rest, choose(x, table.EXP_32, table.EXP_64))
    return ((rest * rest).multiply_add(quadratic, rest) + 1.0).scaled(count)


def exp2(x: ScalarOperand) -> Any:
    least, most = choose(x, (-152.0, 129.0), (-1077.0, 1025.0))
    vanishes = x < least
    limited = vanishes.select(0.0, (x > most).select(most, x))
    _, count = rounded_exponent(limited, 1.0)
    rest = limited - count
    value = polynomial(rest, choose(x, table.EXP2_32, table.EXP2_64))
    return vanishes.select(0.0, rest.multiply_add(value, 1.0).scaled(count))


def exp2_below_one(x: ScalarOperand) -> Any:
    """Return 2**x for x <= 0; what lies below the normal numbers is 0."""
    layout = format_of(x)
    shifted = x + layout.magic
    rest = x - (shifted - layout.magic)
    power = ((bits(shifted) + (layout.bias - layout.magic_bits)) << layout.mantissa).bitcast(
        x.dtype
    )
    value = polynomial(rest, choose(x, table.EXP2_32, table.EXP2_64))
    return (x < float(1 - layout.bias)).select(0.0, rest.multiply_add(value, 1.0) * power)


def exp2_of_pair(high: ScalarOperand, low: ScalarOperand) -> Any:
    """Return 2**(high + low)."""
    low_limit, high_limit = choose(high, (-152.0, 129.0), (-1077.0, 1025.0))
    limited = clamp_to(high, low_limit, high_limit)
    tail = ((high < low_limit) | (high > high_limit)).select(0.0, low)
    _, count = rounded_exponent(limited, 1.0)
    rest = (limited - count) + tail
    value = polynomial(rest, choose(high, table.EXP2_32, table.EXP2_64))
    return rest.multiply_add(value, 1.0).scaled(count)


def expm1(x: ScalarOperand) -> Any:
    limited = clamp_to(x, *choose(x, (-18.0, 89.0), (-38.0, 710.0)))
    exponent, _, rest, correction = reduce_by_ln2(limited)
    layout = format_of(x)
    inverse = (-exponent < layout.bias - 1).select(-exponent, 1 - layout.bias)
    inverse = (exponent > layout.bias - 2).select(exponent.const(2 - layout.bias), inverse)
    offset = 1.0 - power_of_two(inverse, x.dtype)
    high, low = two_sum(offset, rest)
    quadratic = polynomial(rest, choose(x, table.EXPM1_32, table.EXPM1_64))
    value = high + (low + (rest * rest).multiply_add(quadratic, correction))
    return magnitude_is_tiny(x).select(x, scale(value, exponent))


def magnitude_is_tiny(x: ScalarOperand) -> Any:
    """True where x is so small (or a signed zero) that f(x) = x to within half an ulp."""
    return x.absolute() < choose(x, 2.0**-26, 2.0**-55)


def decompose(x: ScalarOperand) -> Pair:
    """Return (k, f): x = 2**k * (1 + f) for positive finite x, subnormals included."""
    layout = format_of(x)
    small = x < layout.smallest_normal
    raised = small.select(x * 2.0 ** (layout.mantissa + 1), x)
    root = choose(x, 0x3F3504F3, 0x3FE6A09E667F3BCD)  # bits of sqrt(1/2)
    pattern = bits(raised) + ((layout.bias << layout.mantissa) - root)
    exponent = (pattern >> layout.mantissa) - layout.bias
    exponent = small.select(exponent - (layout.mantissa + 1), exponent)
    reduced = ((pattern & layout.mantissa_bits) + root).bitcast(x.dtype)
    return exponent, reduced - 1.0


def log_rest(f: ScalarOperand, half_square: ScalarOperand) -> Any:
    """Return log(1 + f) - f + f**2 / 2."""
    if format_of(f).width == 32:
        return (f * f * f) * polynomial(f, table.LOG_32)
    ratio = f / (f + 2.0)
    z = ratio * ratio
    series = z * polynomial(z, table.LOG_RATIO_64)
    return ratio * (half_square + series)


def edges_of_log(x: ScalarOperand, value: ScalarOperand) -> Any:
    """Put in the results for zero, negative, infinite and NaN arguments."""
    outside = x.eq(0.0).select(-INFINITY, (x < 0.0).select(NAN, x))
    return ((x > 0.0) & (x < INFINITY)).select(value, outside)


def log_of(f: ScalarOperand, exponent: ScalarOperand, tail: Any) -> Any:
    """Return exponent * ln 2 + log(1 + f) + tail."""
    count = exponent.cast(f.dtype)
    half_square = f * f * 0.5
    low = log_rest(f, half_square) + (count * choose(f, *LN2_LOW) + tail)
    return count * choose(f, *LN2_HIGH) + (f - (half_square - low))


def log(x: ScalarOperand) -> Any:
    exponent, f = decompose(x)
    return edges_of_log(x, log_of(f, exponent, 0.0))


def scaled_log(x: ScalarOperand, factor: Pair, unit: Pair) -> Any:
    """Return log(x) * factor; `unit` is ln 2 * factor. Both are pairs whose first part is short."""
    exponent, f = decompose(x)
    half_square = f * f * 0.5
    high = upper(f - half_square)
    low = (f - high) - half_square + log_rest(f, half_square)
    count = exponent.cast(x.dtype)
    main = high * factor[0]
    base = count * unit[0]
    total, error = two_sum(base, main)
    rest = (low + high) * factor[1] + low * factor[0] + count * unit[1]
    return edges_of_log(x, total + (error + rest))


def log2(x: ScalarOperand) -> Any:
    single = (1.4423828125, 0.00031222839606925845)
    double = (1.4426950216293335, 1.9259629911266175e-08)
    return scaled_log(x, choose(x, single, double), (1.0, 0.0))


def log10(x: ScalarOperand) -> Any:
    single = (0.4342041015625, 9.038033749675378e-05)
    double = (0.4342944771051407, 4.798111141615973e-09)
    unit = choose(
        x, (0.301025390625, 4.605039066518657e-06), (0.30102999566383914, 1.42050232272661e-13)
    )
    return scaled_log(x, choose(x, single, double), unit)


def log1p_pair(high: ScalarOperand, low: Any) -> Any:
    """Return log(1 + high + low) for high > -1 and low far smaller, without special values."""
    near = (high > choose(high, -0.2928932, -0.29289321881345254)) & (high < 0.41421356)
    whole, lost = two_sum(high.const(1.0), high)
    exponent, reduced = decompose(whole)
    tail = (lost + low) / whole
    f = near.select(high, reduced)
    exponent = near.select(0, exponent)
    return log_of(f, exponent, near.select(low / whole, tail))


def log1p(x: ScalarOperand) -> Any:
    tiny = magnitude_is_tiny(x)  # whose powers would underflow
    value = log1p_pair(tiny.select(1.0, x), 0.0)
    outside = x.eq(-1.0).select(-INFINITY, (x < -1.0).select(NAN, x))
    inside = (x > -1.0) & (x < INFINITY)
    return inside.select(tiny.select(x, value), outside)


def log1p_exp(smaller: ScalarOperand, larger: ScalarOperand) -> Any:
    """Return log(1 + exp(smaller - larger)); intermediate roundings are carried along."""
    difference, lost = two_sum(smaller, -larger)
    floor = choose(smaller, -104.0, -746.0)
    inside = difference > floor
    exponent, (high, low) = exp_pair(inside.select(difference, 0.0))
    tail = inside.select(low + high * lost, 0.0)
    power = inside.select(scale(high, exponent), 0.0)
    tiny = magnitude_is_tiny(power)
    value = log1p_pair(tiny.select(1.0, power), tiny.select(0.0, scale(tail, exponent)))
    return tiny.select(power, value)


def log2_pair(x: ScalarOperand) -> Pair:
    """Return log2(x) to about 1.5 times the precision, for positive finite x."""
    exponent, f = decompose(x)
    denominator, lost = two_sum(f, f.const(2.0))
    inverse = 1.0 / denominator
    ratio = f * inverse
    product, error = two_product(ratio, denominator)
    ratio_low = (((f - product) - error) - ratio * lost) * inverse
    s = quick_two_sum(ratio, ratio_low)
    z = pair_product(s, s)
    third = choose(x, (0.3333333432674408, -9.934107481068821e-09), (1 / 3, 1.850371707708594e-17))
    z_third = pair_product(z, (x.const(third[0]), x.const(third[1])))
    rest = z[0] * z[0] * polynomial(z[0], choose(x, table.LOG_SERIES_32, table.LOG_SERIES_64))
    series = quick_two_sum(z_third[0], z_third[1] + rest)
    # log2(1 + f) = 2 / ln 2 * (s + s * series)
    cubic = pair_product(s, series)
    total, error = quick_two_sum(s[0], cubic[0])
    factor = choose(
        x, (2.885390043258667, 3.851926067002e-08), (2.8853900817779268, 4.0710547481862066e-17)
    )
    log_part = pair_product(
        quick_two_sum(total, error + cubic[1] + s[1]), (x.const(factor[0]), x.const(factor[1]))
    )
    high, low = quick_two_sum(exponent.cast(x.dtype), log_part[0])
    unscaled = exponent.eq(0)
    return (
        unscaled.select(log_part[0], high),
        unscaled.select(log_part[1], low + log_part[1]),
    )


def is_odd_integer(y: ScalarOperand) -> Any:
    half = y * 0.5
    return y.truncate().eq(y) & half.truncate().ne(half)


def power(x: ScalarOperand, y: ScalarOperand) -> Any:
    """Return x**y with the special cases of C's pow."""
    limit = choose(x, 2.0**32, 2.0**64)
    exponent = clamp_to(y, -limit, limit)
    base = x.absolute()
    regular = (base > 0.0) & (base < INFINITY)
    high, low = log2_pair(regular.select(base, 1.0))
    product, error = two_product(high, exponent)
    total, rest = quick_two_sum(product, error + low * exponent)
    value = exp2_of_pair(total, rest)
    at_edge = (base.eq(0.0) ^ (y < 0.0)).select(value.const(0.0), INFINITY)
    value = regular.select(value, at_edge)
    odd = is_odd_integer(y) & (magnitude_bits(y) < magnitude_bits(y.const(INFINITY)))
    negative = bits(x) < 0
    fractional = y.truncate().ne(y) & y.absolute().ne(INFINITY)
    value = (negative & odd).select(-value, value)
    value = ((x < 0.0) & (x > -INFINITY) & fractional).select(NAN, value)
    value = (is_nan(x) | is_nan(y)).select(x + y, value)
    infinite_exponent = y.absolute().eq(INFINITY) & base.eq(1.0)
    return (x.eq(1.0) | y.eq(0.0) | infinite_exponent).select(1.0, value)
