"""Derive the polynomial coefficients of pumice/ops/coefficients.py.

Each table is a weighted minimax fit (least squares reweighted as Lawson did), computed with mpmath.
Its coefficients are rounded to the element type one after the other, lowest order first; after
each rounding the remaining ones are fitted again, so later coefficients absorb the rounding of
earlier ones.

Run ``python tools/fit_polynomial.py`` to print the file, ``--check`` to compare it with the
committed one, ``--only NAME`` to fit a single table and see its error.
"""

import argparse
import struct
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from mpmath import mp, mpf

mp.prec = 260
Function = Callable[[mpf], mpf]
TARGET = Path(__file__).resolve().parent.parent / "pumice" / "ops" / "coefficients.py"


@dataclass(frozen=True)
class Fit:
    """A polynomial in ``z`` for `function` on [low, high], minimising weight * error.

    With `pair` the lowest coefficient is followed by the rounding error it leaves.
    """

    name: str
    function: Function
    low: mpf
    high: mpf
    weight: Function
    terms: tuple[int, int]  # number of coefficients for float32 and float64
    pair: bool = False


def rounded(value: mpf, bits: int) -> mpf:
    """Return the value rounded to float32 or float64."""
    if bits == 64:
        return mpf(float(value))
    nearest: float = struct.unpack("f", struct.pack("f", float(value)))[0]
    return mpf(nearest)


def nodes(low: mpf, high: mpf, count: int) -> list[mpf]:
    """Return Chebyshev extrema of the interval."""
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle + half * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]


def solve(
    columns: list[list[mpf]], values: list[mpf], weights: list[mpf], fixed: list[mpf], count: int
) -> list[mpf]:
    """Return the weighted least-squares coefficients with the lowest ones fixed.

    ``columns[k]`` holds the k-th powers of the points; the normal matrix of monomials depends on
    the sum of its indices only.
    """
    start, size = len(fixed), count - len(fixed)
    rows = zip(*columns[:start], strict=True) if fixed else [()] * len(values)
    rest = [value - mp.fdot(fixed, row) for value, row in zip(values, rows, strict=True)]
    moments = [mp.fdot(weights, columns[k]) for k in range(2 * start, 2 * count - 1)]
    weighted = [w * r for w, r in zip(weights, rest, strict=True)]
    normal, right = mp.matrix(size, size), mp.matrix(size, 1)
    for i in range(size):
        right[i] = mp.fdot(weighted, columns[start + i])
        for j in range(size):
            normal[i, j] = moments[i + j]
    answer = mp.lu_solve(normal, right)
    return fixed + [answer[i] for i in range(size)]


def minimax(fit: Fit, fixed: list[mpf], count: int) -> list[mpf]:
    """Return nearly minimax coefficients by Lawson's reweighting of least squares."""
    scale = max(abs(fit.low), abs(fit.high))
    grid = nodes(fit.low, fit.high, 6 * count + 3)[1:-1]
    values = [fit.function(point) for point in grid]
    columns = [[(point / scale) ** k for point in grid] for k in range(2 * count)]
    scaled = [c * scale**k for k, c in enumerate(fixed)]
    base = [fit.weight(point) for point in grid]
    lawson = [mpf(1)] * len(grid)
    best: tuple[mpf, list[mpf]] | None = None
    for _ in range(3 if fixed else 8):
        weights = [w * w * v for w, v in zip(base, lawson, strict=True)]
        found = solve(columns, values, weights, scaled, count)
        found = [c / scale**k for k, c in enumerate(found)]
        errors = [
            w * abs(value - mp.polyval(found[::-1], p))
            for p, value, w in zip(grid, values, base, strict=True)
        ]
        largest = max(errors)
        if best is None or largest < best[0]:
            best = (largest, found)
        lawson = [v * (e / largest + mpf("0.01")) for v, e in zip(lawson, errors, strict=True)]
    assert best is not None
    return best[1]


def fitted(fit: Fit, bits: int) -> tuple[list[float], float]:
    """Return coefficients in the element type and the base-2 logarithm of the weighted error."""
    count = fit.terms[0 if bits == 32 else 1]
    fit = replace(fit, function=lru_cache(maxsize=4096)(fit.function))
    fixed: list[mpf] = []
    coefficients = minimax(fit, fixed, count)
    rest = mpf(0)
    while len(fixed) < count:
        wanted = coefficients[len(fixed)]
        fixed.append(rounded(wanted, bits))
        if fit.pair and len(fixed) == 1:
            rest = rounded(wanted - fixed[0], bits)
            fixed[0] += rest
        if len(fixed) < count:
            coefficients = minimax(fit, fixed, count)
    grid = nodes(fit.low, fit.high, 400)[1:-1]
    error = max(fit.weight(p) * abs(fit.function(p) - mp.polyval(fixed[::-1], p)) for p in grid)
    listed = [fixed[0] - rest, rest, *fixed[1:]] if fit.pair else fixed
    return [float(c) for c in listed], float(mp.log(error, 2))


def unweighted(z: mpf) -> mpf:
    """Weight that makes the error absolute."""
    return mpf(1)


def odd_tail(function: Function) -> Function:
    """Return q with function(x) = x + x**3 q(x**2)."""
    return lambda z: (function(mp.sqrt(z)) / mp.sqrt(z) - 1) / z


def odd_weight(function: Function) -> Function:
    """Weight that makes the error of `odd_tail` relative to the function."""
    return lambda z: z * mp.sqrt(z) / abs(function(mp.sqrt(z)))


TINY = mpf(2) ** -20
HALF_LN2 = mp.log(2) / 2
EIGHTH = (mp.sqrt(2) - 1 + mpf(2) ** -10) ** 2
LOW, HIGH = mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(2) - 1
SERIES = (HIGH / (2 + HIGH) * (1 + mpf(2) ** -10)) ** 2


def atanh_rest(z: mpf) -> mpf:
    s = mp.sqrt(z)
    return (mp.atanh(s) / s - 1 - z / 3) / z**2


def log_rest(f: mpf) -> mpf:
    return (mp.log1p(f) - f + f * f / 2) / f**3


def log_ratio(z: mpf) -> mpf:
    s = mp.sqrt(z)
    return 2 * (mp.atanh(s) / s - 1) / z


ODD: list[tuple[str, Function, mpf, tuple[int, int]]] = [
    ("SIN", mp.sin, (mp.pi / 4 + mpf(2) ** -12) ** 2, (4, 7)),
    ("TAN", mp.tan, (mp.pi / 4 + mpf(2) ** -12) ** 2, (7, 15)),
    ("SINH", mp.sinh, mpf(1), (4, 8)),
    ("TANH", mp.tanh, mpf("0.55") ** 2, (5, 11)),
    ("ATAN", mp.atan, EIGHTH, (5, 12)),
    ("ASIN", mp.asin, mpf("0.25"), (6, 14)),
    ("ATANH", mp.atanh, mpf("0.25") ** 2, (5, 10)),
    ("ASINH", mp.asinh, mpf("0.5") ** 2, (6, 14)),
]


def erf_rest(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def scaled_erfc(centre: int) -> Function:
    """Return erfc(x) exp(x**2) (1 + 2 x) as a function of t = (x - centre) / (x + centre)."""

    def function(t: mpf) -> mpf:
        x = centre * (1 + t) / (1 - t)
        return mp.erfc(x) * mp.exp(x * x) * (1 + 2 * x)

    return function


def erfc_range(centre: int, low: str, high: str) -> tuple[mpf, mpf]:
    ends = (mpf(low), mpf(high))
    return (ends[0] - centre) / (ends[0] + centre), (ends[1] - centre) / (ends[1] + centre)


def lgamma_around(centre: int) -> Function:
    """Return lgamma(centre + e) / e, for the zeros of lgamma at 1 and 2."""

    def function(e: mpf) -> mpf:
        if abs(e) < TINY**4:
            return mp.digamma(centre)
        return mp.loggamma(centre + e).real / e

    return function


def stirling_rest(w: mpf) -> mpf:
    x = 1 / mp.sqrt(w)
    return (mp.loggamma(x).real - (x - 0.5) * (mp.log(x) - 1) - mp.log(2 * mp.pi) / 2 + 0.5) * x


def digamma_factor(t: mpf) -> mpf:
    """Return digamma(x) / (x - root) at x = 2 + t."""
    root = mp.findroot(mp.digamma, mpf("1.4616321449683623"))
    return mp.digamma(2 + t) / (2 + t - root)


def digamma_rest(w: mpf) -> mpf:
    x = 1 / mp.sqrt(w)
    return (mp.digamma(x) - mp.log(x) + 1 / (2 * x)) / w


def erfinv_near(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return inverse_erfc(-mp.log1p(-x)) / x


def inverse_erfc(minus_log: mpf) -> mpf:
    """Return v with erfc(v) = exp(-minus_log), by Newton's method on the logarithm."""
    value = mp.sqrt(minus_log) if minus_log > 1 else minus_log * mp.sqrt(mp.pi) / 2
    for _ in range(60):
        complement = mp.erfc(value)
        slope = 2 / mp.sqrt(mp.pi) * mp.exp(-value * value) / complement
        step = (mp.log(complement) + minus_log) / slope
        value += step
        if abs(step) < mpf(2) ** -200:
            break
    return value


def erfinv_far(centre: str) -> Function:
    """Return 1 - erfinv(1 - exp(-y**2)) / y as a function of y - centre."""
    return lambda t: 1 - inverse_erfc((t + mpf(centre)) ** 2) / (t + mpf(centre))


FITS: list[Fit] = [
    *(
        Fit(name, odd_tail(function), TINY * high, high, odd_weight(function), terms)
        for name, function, high, terms in ODD
    ),
    Fit(
        "COS",
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
        TINY,
        (mp.pi / 4 + mpf(2) ** -12) ** 2,
        lambda z: z**2 / mp.cos(mp.sqrt(z)),
        (3, 6),
    ),
    Fit(
        "EXP",
        lambda r: (mp.expm1(r) - r) / r**2 if abs(r) > TINY**4 else mpf("0.5"),
        -HALF_LN2 * (1 + mpf(2) ** -7),
        HALF_LN2 * (1 + mpf(2) ** -8),
        lambda r: r**2 + mpf(2) ** -40,
        (5, 10),
    ),
    Fit(
        "EXPM1",
        lambda r: (mp.expm1(r) - r) / r**2 if abs(r) > TINY**4 else mpf("0.5"),
        -HALF_LN2 * (1 + mpf(2) ** -7),
        HALF_LN2 * (1 + mpf(2) ** -8),
        lambda r: abs(r) + mpf(2) ** -20,
        (6, 11),
    ),
    Fit(
        "EXP2",
        lambda r: mp.expm1(r * mp.log(2)) / r if abs(r) > TINY**4 else mp.log(2),
        -mpf("0.51"),
        mpf("0.5"),
        lambda r: abs(r) + mpf(2) ** -20,
        (6, 12),
    ),
    Fit("LOG", log_rest, LOW - TINY, HIGH + TINY, lambda f: abs(f) ** 2 + mpf(2) ** -40, (9, 0)),
    Fit("LOG_SERIES", atanh_rest, TINY * SERIES, SERIES, lambda z: z**2, (3, 8)),
    Fit("LOG_RATIO", log_ratio, TINY * SERIES, SERIES, lambda z: z, (0, 7)),
    Fit("ERF", erf_rest, TINY, mpf("0.9") ** 2, unweighted, (7, 13)),
    Fit("ERF_LOG", lambda x: mp.log(mp.erfc(x)), mpf("0.88"), mpf(4), mp.erfc, (8, 0)),
    Fit(
        "ERFC_WIDE",
        scaled_erfc(2),
        *erfc_range(2, "0.45", "10.3"),
        unweighted,
        (12, 0),
        pair=True,
    ),
    Fit(
        "ERFC_WIDE",
        scaled_erfc(4),
        *erfc_range(4, "0.45", "28"),
        unweighted,
        (0, 26),
        pair=True,
    ),
    Fit("LGAMMA_ONE", lgamma_around(1), mpf("-0.31"), mpf("0.71"), unweighted, (13, 26), pair=True),
    Fit("LGAMMA_TWO", lgamma_around(2), mpf("-0.56"), mpf("1.01"), unweighted, (13, 26), pair=True),
    Fit("STIRLING", stirling_rest, TINY / 64, mpf(1) / 64, lambda w: mp.sqrt(w), (3, 8)),
    Fit("DIGAMMA", digamma_factor, mpf("-1.01"), mpf("1.01"), unweighted, (15, 31), pair=True),
    Fit("DIGAMMA_TAIL", digamma_rest, TINY / 64, mpf(1) / 64, lambda w: w, (3, 8)),
    Fit("ERFINV", erfinv_near, TINY, mpf("0.5625"), unweighted, (12, 24), pair=True),
    Fit("ERFINV_FAR", erfinv_far("2.5"), mpf("-1.34"), mpf("1.6"), unweighted, (16, 0)),
    Fit("ERFINV_FAR", erfinv_far("1.75"), mpf("-0.6"), mpf("0.7"), unweighted, (0, 27)),
    Fit("ERFINV_END", erfinv_far("4.25"), mpf("-1.85"), mpf("1.9"), unweighted, (0, 27)),
]


def layout(name: str, bits: int, coefficients: list[float], error: float) -> str:
    """Return the source of one table."""
    rows = textwrap.fill(
        " ".join(f"{c!r}," for c in coefficients),
        width=100,
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
    return f"# error 2**{error:.1f}\n{name}_{bits} = (\n{rows}\n)\n"


HEADER = '''"""Polynomial coefficients, lowest order first.

Written by tools/fit_polynomial.py, which says what each table approximates: weighted minimax
fits, coefficients rounded one after the other. The figure above a table is its largest weighted
error. Do not edit by hand.
"""

# fmt: off

'''


def main() -> int:
    """Print, check or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    parts = []
    for fit in FITS:
        if options.only and fit.name != options.only:
            continue
        for bits in (32, 64):
            if fit.terms[bits == 64] == 0:
                continue
            parts.append(layout(fit.name, bits, *fitted(fit, bits)))
            if options.only:
                print(parts[-1])
    text = HEADER + "\n".join(parts)
    if options.only:
        return 0
    if options.check:
        return 0 if TARGET.read_text() == text else 1
    if options.write:
        TARGET.write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
