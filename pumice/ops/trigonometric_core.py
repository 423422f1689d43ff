"""Scalar algorithms of the trigonometric family.

Ordinary arguments are reduced by subtracting the parts of a multiple of pi/2 that are exact
products. Large ones, which are rare, are reduced exactly: the significand, an integer, is
multiplied by a window of the bits of 2/pi that starts where the product matters modulo 4 (Payne
and Hanek), in words of 32 bits for float32 and of 64 bits for float64.
"""

import math
from functools import lru_cache
from typing import Any

from pumice.dtypes import DType
from pumice.ops import coefficients as table
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    Pair,
    bits,
    choose,
    format_of,
    is_nan,
    magnitude_bits,
    polynomial,
    quick_two_sum,
    sign_bits,
    upper,
    with_sign_flipped,
)
from pumice.ops.vocabulary import ScalarOperand

QUARTER_PI = 0.7853981633974483
NEAR = (3200.0, 6000.0)
"""Arguments whose multiple of pi/2 has at most 11 (float32) or 12 bits."""
HALF_PI_PARTS = (
    (1.570556640625, 0.0002396702766418457, 1.5890691429376602e-08, 2.5633440682570896e-12),
    (1.5707963267941523, 7.443547480484391e-13, 2.232414100744803e-25, 1.0085854035872483e-37),
)
"""pi/2 in parts of 13 and 41 bits, the last one rounded."""
# The first 1344 bits of 2/pi after the point, computed with mpmath.
TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e00649"
    "2eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8b"
    "bdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5"
    "f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361da9e391615ee61b08",
    16,
)


@lru_cache(maxsize=4)
def window_words(width: int, leading: int, count: int) -> tuple[int, ...]:
    """Return `count` words of the bits of 2/pi after `leading` zero bits."""
    total = width * count
    value = TWO_OVER_PI >> (1344 - (total - leading))
    return tuple((value >> (width * (count - 1 - i))) & ((1 << width) - 1) for i in range(count))


def pick(conditions: tuple[Any, ...], like: Any, words: tuple[int, ...]) -> Any:
    """Return ``words[i]`` where condition b is bit b of i; further words repeat the last one."""
    if not conditions:
        return like.const(words[0])
    half = 1 << (len(conditions) - 1)
    low = pick(conditions[:-1], like, words[:half])
    if len(words) <= half:
        return low
    return conditions[-1].select(pick(conditions[:-1], like, words[half:]), low)


def window(start: Any, width: int, words: tuple[int, ...]) -> list[Any]:
    """Return three words holding the bits of the table from bit `start` on."""
    shift = start & (width - 1)
    position = start >> (width.bit_length() - 1)
    levels = (len(words) - 4).bit_length()
    conditions = tuple(((position >> level) & 1).ne(0) for level in range(levels))
    chosen = [pick(conditions, start, words[i : len(words) - 3 + i]) for i in range(4)]
    back = (width - 1) - shift
    return [(chosen[i] << shift) | ((chosen[i + 1] >> 1) >> back) for i in range(3)]


def quarter_turns(x: ScalarOperand) -> tuple[Any, Any, Any, Any]:
    """Return (quadrant, upper word, lower word, negative mask) of abs(x) * 2 / pi.

    The words are the magnitude of the distance to the nearest quadrant, in units of 2**-62 of a
    quadrant for float32 and 2**-126 for float64.
    """
    layout = format_of(x)
    unsigned: DType = layout.unsigned
    magnitude = magnitude_bits(x).bitcast(unsigned)
    exponent = magnitude >> layout.mantissa
    # abs(x) = significand * 2**(exponent - bias - mantissa); the window starts at bias - 1
    significand = (magnitude & layout.mantissa_bits) | (1 << layout.mantissa)
    usable = exponent > layout.bias - 1
    start = usable.select(exponent - (layout.bias - 1), 0)
    longest = layout.bias + 1
    count = longest // layout.width + 4
    words = window_words(layout.width, layout.mantissa + 3, count)
    first, second, third = window(start, layout.width, words)
    carried = significand.high_product(third)
    middle = significand * second + carried
    carry = (middle < carried).select(significand.const(1), 0)
    top = significand * first + significand.high_product(second) + carry
    eighth = 1 << (layout.width - 3)
    quadrant = (top + eighth) >> (layout.width - 2)
    signed = (top - (quadrant << (layout.width - 2))).bitcast(layout.signed)
    mask = signed >> (layout.width - 1)
    return quadrant, signed ^ mask, middle ^ mask.bitcast(unsigned), mask


def reduce_to_quadrant(x: ScalarOperand) -> tuple[Any, Pair, Any]:
    """Return (quadrant, (r, low), sign): abs(x) = quadrant * pi/2 +- (r + low), r in [0, pi/4].

    `sign` holds the sign bit of the reduced argument.
    """
    layout = format_of(x)
    quadrant, top, low_word, mask = quarter_turns(x)
    spare = layout.width - 2 - layout.mantissa
    kept = top & -(1 << spare)
    rest = ((top & ((1 << spare) - 1)) << (layout.width - 1 - spare)) | (
        low_word >> (spare + 1)
    ).bitcast(layout.signed)
    unit = 2.0 ** (2 - layout.width)
    high = kept.cast(x.dtype) * unit
    low = rest.cast(x.dtype) * (unit * 2.0 ** (spare + 1 - layout.width))
    half_pi = choose(
        x, (1.5703125, 0.0004838267923332751), (1.5707963109016418, 1.5893254773528196e-08)
    )
    short = upper(high)
    remainder = (high - short) + low
    main = short * half_pi[0]  # exact
    tail = short * half_pi[1] + remainder * (half_pi[0] + half_pi[1])
    reduced, reduced_low = quick_two_sum(main, tail)
    small = x.absolute() < QUARTER_PI
    return (
        small.select(0, quadrant),
        (small.select(x.absolute(), reduced), small.select(0.0, reduced_low)),
        small.select(0, mask) & layout.sign_bit,
    )


def reduce_near(magnitude: ScalarOperand) -> tuple[Any, Pair]:
    """Return (n, (r, low)): magnitude = k * pi/2 + r + low, n = k modulo 4, for ordinary sizes."""
    layout = format_of(magnitude)
    shifted = magnitude.multiply_add(2.0 / math.pi, layout.magic)
    count = shifted - layout.magic
    parts = choose(magnitude, *HALF_PI_PARTS)
    first = count.multiply_add(-parts[0], magnitude)  # exact
    second = count.multiply_add(-parts[1], first)
    second_low = count.multiply_add(-parts[1], first - second)
    third = count.multiply_add(-parts[2], second)
    third_low = count.multiply_add(-parts[2], second - third)
    return bits(shifted), (third, count.multiply_add(-parts[3], second_low + third_low))


def where_ordinary(x: ScalarOperand, near: Any, anywhere: Any) -> Any:
    """Choose between the results of the short reduction and of the exact one."""
    return (~(x.absolute() <= choose(x, *NEAR))).rarely(anywhere, near)


def sine_terms(r: ScalarOperand, low: ScalarOperand) -> Pair:
    """Return two terms of sin(r + low), the first larger, for r in [0, pi/4]."""
    square = r * r
    cubic = r * square * polynomial(square, choose(r, table.SIN_32, table.SIN_64))
    return r, cubic + low


def cosine_terms(r: ScalarOperand, low: ScalarOperand) -> Pair:
    """Return two terms of cos(r + low), the first larger, for r in [0, pi/4]."""
    square = r * r
    half = square * 0.5
    quartic = square * square * polynomial(square, choose(r, table.COS_32, table.COS_64))
    main = 1.0 - half
    return main, ((1.0 - main) - half) + (quartic - r * low)


def sine_of_reduced(r: ScalarOperand, low: ScalarOperand) -> Any:
    main, rest = sine_terms(r, low)
    return main + rest


def cosine_of_reduced(r: ScalarOperand, low: ScalarOperand) -> Any:
    main, rest = cosine_terms(r, low)
    return main + rest


def finite_only(x: ScalarOperand, value: ScalarOperand) -> Any:
    """NaN for infinite and NaN arguments."""
    return (x.absolute() < INFINITY).select(value, NAN)


def turn_sign(quadrant: ScalarOperand, x: ScalarOperand) -> Any:
    """Return the sign bit that the second bit of the quadrant asks for."""
    layout = format_of(x)
    return ((quadrant & 2) << (layout.width - 2)).bitcast(layout.signed)


def sin(x: ScalarOperand) -> Any:
    turns, (r, low) = reduce_near(x.absolute())
    value = (turns & 1).ne(0).select(cosine_of_reduced(r, low), sine_of_reduced(r, low))
    near = with_sign_flipped(value, turn_sign(turns, x) ^ sign_bits(x))
    return where_ordinary(x, near, sin_anywhere(x))


def sin_anywhere(x: ScalarOperand) -> Any:
    quadrant, (r, low), sign = reduce_to_quadrant(x)
    odd = (quadrant & 1).ne(0)
    value = odd.select(cosine_of_reduced(r, low), with_sign_flipped(sine_of_reduced(r, low), sign))
    return finite_only(x, with_sign_flipped(value, turn_sign(quadrant, x) ^ sign_bits(x)))


def cos(x: ScalarOperand) -> Any:
    turns, (r, low) = reduce_near(x.absolute())
    value = (turns & 1).ne(0).select(sine_of_reduced(r, low), cosine_of_reduced(r, low))
    return where_ordinary(x, with_sign_flipped(value, turn_sign(turns + 1, x)), cos_anywhere(x))


def cos_anywhere(x: ScalarOperand) -> Any:
    quadrant, (r, low), sign = reduce_to_quadrant(x)
    odd = (quadrant & 1).ne(0)
    value = odd.select(with_sign_flipped(sine_of_reduced(r, low), sign), cosine_of_reduced(r, low))
    return finite_only(x, with_sign_flipped(value, turn_sign(quadrant + 1, x)))


def tangent_of_reduced(odd: Any, r: ScalarOperand, low: ScalarOperand) -> Any:
    square = r * r
    cubic = r * square * polynomial(square, choose(r, table.TAN_32, table.TAN_64))
    value = r + (cubic + (low + low * square))
    return odd.select(-1.0 / value, value)


def tan(x: ScalarOperand) -> Any:
    turns, (r, low) = reduce_near(x.absolute())
    value = tangent_of_reduced((turns & 1).ne(0), r, low)
    return where_ordinary(x, with_sign_flipped(value, sign_bits(x)), tan_anywhere(x))


def tan_anywhere(x: ScalarOperand) -> Any:
    quadrant, (r, low), sign = reduce_to_quadrant(x)
    chosen = with_sign_flipped(tangent_of_reduced((quadrant & 1).ne(0), r, low), sign)
    return finite_only(x, with_sign_flipped(chosen, sign_bits(x)))


def atan_of_ratio(low: ScalarOperand, high: ScalarOperand) -> tuple[Any, Any]:
    """Return (upper half, t + t**3 q): atan(low / high) = half * pi/4 + value, 0 <= low <= high."""
    middle = low > high * 0.41421356237309503
    ratio = middle.select(low - high, low) / middle.select(low + high, high)
    square = ratio * ratio
    cubic = ratio * square * polynomial(square, choose(low, table.ATAN_32, table.ATAN_64))
    return middle, (ratio, cubic)


PI_QUARTERS_HIGH = (
    (0.0, 0.7853981852531433, 1.5707963705062866, 2.356194496154785, 3.1415927410125732),
    (0.0, 0.7853981633974483, 1.5707963267948966, 2.356194490192345, 3.141592653589793),
)
PI_QUARTERS_LOW = (
    (
        0.0,
        -2.1855694143368964e-08,
        -4.371138828673793e-08,
        -5.962440319251527e-09,
        -8.742277657347586e-08,
    ),
    (
        0.0,
        3.061616997868383e-17,
        6.123233995736766e-17,
        9.184850993605148e-17,
        1.2246467991473532e-16,
    ),
)


def multiple(x: ScalarOperand, swapped: Any, middle: Any, far: int, part: Any) -> Any:
    """Return the multiple of pi/4 an arctangent is measured from; `far` when not swapped."""
    values = choose(x, *part)
    near = values[1] if far == 0 else values[3]
    return middle.select(x.const(near), swapped.select(x.const(values[2]), values[far]))


def atan2(y: ScalarOperand, x: ScalarOperand) -> Any:
    """Return the angle of (x, y) with the special cases of C's atan2."""
    layout = format_of(y)
    tall, wide = y.absolute(), x.absolute()
    both_infinite = tall.eq(INFINITY) & wide.eq(INFINITY)
    tall = both_infinite.select(1.0, tall)
    wide = both_infinite.select(1.0, wide)
    swapped = tall > wide
    low, high = swapped.select(wide, tall), swapped.select(tall, wide)
    huge = high > 2.0 ** (layout.bias - 1)
    tiny = high < 2.0 ** (layout.mantissa + 4 - layout.bias)
    factor = huge.select(low.const(0.25), tiny.select(low.const(2.0 ** (layout.mantissa + 4)), 1.0))
    high = high.eq(0.0).select(1.0, high * factor)
    middle, (ratio, cubic) = atan_of_ratio(low * factor, high)
    mirrored = sign_bits(x).ne(0)
    base, base_low = (
        mirrored.select(
            multiple(y, swapped, middle, 4, part), multiple(y, swapped, middle, 0, part)
        )
        for part in (PI_QUARTERS_HIGH, PI_QUARTERS_LOW)
    )
    flipped = swapped ^ mirrored
    ratio = flipped.select(-ratio, ratio)
    cubic = flipped.select(-cubic, cubic)
    value = base + (ratio + (cubic + base_low))
    value = (is_nan(x) | is_nan(y)).select(NAN, value)
    return with_sign_flipped(value, sign_bits(y))


def atan(x: ScalarOperand) -> Any:
    magnitude = x.absolute()
    swapped = magnitude > 1.0
    low = swapped.select(magnitude.const(1.0), magnitude)
    high = swapped.select(magnitude, 1.0)
    finite = high.eq(INFINITY).select(choose(x, 2.0**120, 2.0**1000), high)
    middle, (ratio, cubic) = atan_of_ratio(low, finite)
    base = multiple(x, swapped, middle, 0, PI_QUARTERS_HIGH)
    base_low = multiple(x, swapped, middle, 0, PI_QUARTERS_LOW)
    ratio = swapped.select(-ratio, ratio)
    cubic = swapped.select(-cubic, cubic)
    return with_sign_flipped(base + (ratio + (cubic + base_low)), sign_bits(x))


def asin_parts(x: ScalarOperand) -> tuple[Any, Any, Any]:
    """Return (outer, s, tail): asin(s) = s + tail.

    Where outer, s = sqrt((1 - abs(x)) / 2), otherwise abs(x).
    """
    magnitude = x.absolute()
    outer = magnitude > 0.5
    square = outer.select((1.0 - magnitude) * 0.5, magnitude * magnitude)
    root = square.square_root()
    s = outer.select(root, magnitude)
    tail = s * square * polynomial(square, choose(x, table.ASIN_32, table.ASIN_64))
    return outer, s, tail


def asin(x: ScalarOperand) -> Any:
    outer, s, tail = asin_parts(x)
    high, low = choose(x, *PI_QUARTERS_HIGH)[2], choose(x, *PI_QUARTERS_LOW)[2]
    far = high - (2.0 * s - (low - 2.0 * tail))
    return with_sign_flipped(outer.select(far, s + tail), sign_bits(x))


def acos(x: ScalarOperand) -> Any:
    outer, s, tail = asin_parts(x)
    half_high, half_low = choose(x, *PI_QUARTERS_HIGH)[2], choose(x, *PI_QUARTERS_LOW)[2]
    full_high, full_low = choose(x, *PI_QUARTERS_HIGH)[4], choose(x, *PI_QUARTERS_LOW)[4]
    negative = x < 0.0
    inner = half_high - (
        with_sign_flipped(s, sign_bits(x)) + (with_sign_flipped(tail, sign_bits(x)) - half_low)
    )
    far = negative.select(full_high - (2.0 * s + (2.0 * tail - full_low)), 2.0 * (s + tail))
    return outer.select(far, inner)
