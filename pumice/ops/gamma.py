"""Entries of the gamma family, of sinc and of the inverse error function."""

import math
from typing import Any

from pumice.ops import gamma_core as core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import unary
from pumice.ops.exponential import exp
from pumice.ops.scalar import INFINITY, NAN
from pumice.ops.trigonometric import cos, sin
from pumice.ops.vocabulary import Operand

REFERENCE_SHIFT = 24
TRIGAMMA_SHIFT = 12
TRIGAMMA_TERMS = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _shifted_sums(np: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return (x + shift, sum of logs, sum of reciprocals) for the recurrences."""
    logs, reciprocals = np.zeros_like(x), np.zeros_like(x)
    for k in range(REFERENCE_SHIFT):
        logs, reciprocals = logs + np.log(x + k), reciprocals + 1 / (x + k)
    return x + REFERENCE_SHIFT, logs, reciprocals


def _lgamma_reference(np: Any, x: Any) -> Any:
    """Stirling's series after shifting, and the reflection formula below 0.5."""
    pi = 4 * np.arctan(np.ones_like(x))
    positive = np.where(x < 0.5, 1 - x, x)
    y, logs, _ = _shifted_sums(np, positive)
    w = 1 / (y * y)
    tail = (x.dtype.type(1) / 12 + w * _stirling_tail(x, w)) / y
    value = (y - 0.5) * np.log(y) - y + np.log(2 * pi) / 2 + tail - logs
    sine = np.abs(np.sin(pi * (x - np.rint(x))))
    value = np.where(x < 0.5, np.log(pi / sine) - value, value)
    value = np.where((x == 1) | (x == 2), 0, value)
    return np.where(np.isinf(x) | ((x <= 0) & (x == np.rint(x))), np.inf, value)


def _stirling_tail(x: Any, w: Any) -> Any:
    one = x.dtype.type(1)
    terms = (-one / 360, one / 1260, -one / 1680, one / 1188, -691 * one / 360360, one / 156)
    total = 0 * w
    for term in reversed(terms):
        total = total * w + term
    return total


def _digamma_reference(np: Any, x: Any) -> Any:
    one = x.dtype.type(1)
    pi = 4 * np.arctan(np.ones_like(x))
    positive = np.where(x < 0, 1 - x, x)
    y, _, reciprocals = _shifted_sums(np, positive)
    w = 1 / (y * y)
    terms = (one / 12, -one / 120, one / 252, -one / 240, one / 132, -691 * one / 32760, one / 12)
    tail = 0 * w
    for term in reversed(terms):
        tail = (tail + term) * w
    value = np.log(y) - one / 2 / y - tail - reciprocals
    angle = pi * (x - np.rint(x))
    value = np.where(x < 0, value - pi / np.tan(angle), value)
    value = np.where(x == 0, -np.copysign(np.inf, x), value)
    return np.where((x < 0) & (x == np.rint(x)), np.nan, value)


def _trigamma(x: Operand) -> Any:
    """Compose the derivative of digamma of operands, so that it can be differentiated again.

    Twelve terms of its sum, the asymptotic series of the rest, reflection below 0.5.
    """
    below = x < 0.5
    positive = below.select(1 - x, x)
    inverse = 1 / (positive + TRIGAMMA_SHIFT)
    square = inverse * inverse
    tail: Any = x.const(0)
    for term in reversed(TRIGAMMA_TERMS):
        tail = (tail + term) * square
    total = inverse + (inverse * tail + square * 0.5)
    for k in reversed(range(TRIGAMMA_SHIFT)):
        term = 1 / (positive + k)
        total = total + term * term
    ratio = math.pi / sin(below.select(x, x.const(0.5)) * math.pi)
    return below.select(ratio * ratio - total, total)


def _inverse_erf(x: float) -> float:
    """Invert math.erf by Newton's method, on erfc where that is more accurate."""
    if abs(x) >= 1:
        return math.copysign(INFINITY, x) if abs(x) == 1 else NAN
    if x != x or x == 0:
        return x
    from statistics import NormalDist  # late: it takes a tenth of the time of `import pumice`

    rest = 1 - abs(x)
    if abs(x) < 1e-5:
        return x * math.sqrt(math.pi) / 2 * (1 + math.pi / 12 * x * x)
    value = -NormalDist().inv_cdf(rest / 2) / math.sqrt(2)
    for _ in range(3):
        slope = 2 / math.sqrt(math.pi) * math.exp(-value * value)
        low = abs(x) < 0.5
        missing = abs(x) - math.erf(value) if low else math.erfc(value) - rest
        value += missing / slope
    return math.copysign(value, x)


def _sinc_reference(np: Any, x: Any) -> Any:
    pi = 4 * np.arctan(np.ones_like(x))
    nearest = np.rint(x)
    sine = np.sin(pi * (x - nearest)) * np.where(np.mod(nearest, 2) == 0, 1, -1)
    sine = np.where(x == nearest, 0 * x, sine)
    return np.where(np.isinf(x), np.nan, np.where(x == 0, 1, sine / (pi * np.where(x == 0, 1, x))))


def _function(
    name: str,
    summary: str,
    notes: str,
    example: str,
    *,
    meaning: Any,
    reference: Any,
    samples: Samples,
    gradient: Any,
    singular: bool = False,
) -> Elementwise:
    """Build a unary function of floats; integers become the default float."""
    return register(
        Elementwise(
            name=name,
            parameters=("input",),
            accepts=Accepts.FLOAT,
            meaning=meaning,
            reference=reference,
            gradient=gradient,
            samples=samples,
            singular=singular,
            doc=unary(summary, notes=notes, example=example),
        )
    )


def _sinc_gradient(g: Operand, out: Operand, x: Operand) -> Any:
    """Use the series near 0, where the formula cancels."""
    small = (x < 0.01) & (x > -0.01)
    square = x * x
    near = x * (square * (math.pi**4 / 30) - math.pi**2 / 3)
    safe = small.select(x.const(1), x)
    angle = safe * math.pi
    far = (cos(angle) - sin(angle) / angle) / safe
    return g * small.select(near, far)


sinc = _function(
    "sinc",
    "Return sin(pi * input) / (pi * input), 1 at zero.",
    "NaN for infinities. Error at most 2 ulp. Gradient: g * (cos(pi * input) - out) / input.",
    ">>> pumice.sinc(pumice.tensor([0., 0.5]))\ntensor([1.0000, 0.6366])",
    meaning=core.sinc,
    reference=_sinc_reference,
    gradient=_sinc_gradient,
    samples=Samples(
        domain=((-3.0, 3.0),), special=(0.0, -0.0, 0.5, 1e-8, INFINITY, -INFINITY, NAN), ulp=2
    ),
)
digamma = _function(
    "digamma",
    "Return the logarithmic derivative of the gamma function.",
    "-inf at 0.0, inf at -0.0, NaN at the negative integers. Error at most 2 ulp for positive "
    "operands; for negative\nones that near the zeros is relative to the terms of the reflection "
    "formula. Gradient: g * polygamma(1, input).",
    ">>> pumice.digamma(pumice.tensor([1., 0.5]))\ntensor([-0.5772, -1.9635])",
    meaning=core.digamma,
    reference=_digamma_reference,
    gradient=lambda g, out, x: g * _trigamma(x),
    samples=Samples(
        domain=((0.2, 10.0),), special=(0.0, -0.0, -1.0, -2.0, 1.5, 30.0, 1e8, INFINITY, NAN), ulp=2
    ),
    singular=True,
)
lgamma = _function(
    "lgamma",
    "Return the logarithm of the magnitude of the gamma function.",
    "inf at 0 and the negative integers. Error at most 2 ulp for positive operands; for negative "
    "ones that near the zeros\nis relative to the terms of the reflection formula. Gradient: "
    "g * digamma(input).",
    ">>> pumice.lgamma(pumice.tensor([0.5, 10.]))\ntensor([ 0.5724, 12.8018])",
    meaning=core.lgamma,
    reference=_lgamma_reference,
    gradient=lambda g, out, x: g * digamma(x),
    samples=Samples(
        domain=((2.5, 10.0),),
        special=(0.0, -0.0, -1.0, -2.0, 0.5, 30.0, 1e8, INFINITY, -INFINITY, NAN),
        ulp=2,
    ),
    singular=True,
)
erfinv = _function(
    "erfinv",
    "Return the inverse of the error function.",
    "Infinite at -1 and 1, NaN outside. Error at most 2 ulp. Gradient: "
    "g * sqrt(pi) / 2 * exp(out**2).",
    ">>> pumice.erfinv(pumice.tensor([0., 0.5]))\ntensor([0.0000, 0.4769])",
    meaning=core.erfinv,
    reference=lambda np, x: np.vectorize(_inverse_erf, otypes=[np.float64])(x.astype(np.float64)),
    gradient=lambda g, out, x: g * (exp(out * out) * (math.sqrt(math.pi) / 2)),
    samples=Samples(
        domain=((-0.9, 0.9),), special=(0.0, -0.0, 1.0, -1.0, 0.99, 2.0, 1e-8, NAN), ulp=2
    ),
    singular=True,
)
