"""Entries of special functions and of functions of several arguments that need care."""

import math
from typing import Any

from pumice.ops import error_core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, document, unary
from pumice.ops.exponential import exp
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    format_of,
    is_bool,
    is_nan,
    magnitude_bits,
    power_of_two,
    quick_two_sum,
    two_product,
)
from pumice.ops.vocabulary import Operand, ScalarOperand

SPECIAL = (0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 1e-8, 1e-40, 3.0e38, INFINITY, -INFINITY, NAN)
TWO_OVER_ROOT_PI = 1.1283791670955126


def _vectorised(function: Any) -> Any:
    """Return a NumPy reference of double precision from a function of Python floats."""

    def reference(np: Any, x: Any) -> Any:
        return np.vectorize(function, otypes=[np.float64])(x.astype(np.float64))

    return reference


def _function(
    name: str,
    summary: str,
    notes: str,
    example: str,
    *,
    meaning: Any,
    reference: Any,
    gradient: Any,
    domain: tuple[float, float],
    singular: bool = False,
    special: tuple[float, ...] = SPECIAL,
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
            samples=Samples(domain=(domain,), special=special, ulp=2),
            singular=singular,
            doc=unary(summary, notes=notes, example=example),
        )
    )


erf = _function(
    "erf",
    "Return the error function.",
    "erf(inf) is 1. Error at most 2 ulp. Gradient: g * 2 / sqrt(pi) * exp(-input**2).",
    ">>> pumice.erf(pumice.tensor([0., 1.]))\ntensor([0.0000, 0.8427])",
    meaning=error_core.erf,
    reference=_vectorised(math.erf),
    gradient=lambda g, out, x: g * (exp(-(x * x)) * TWO_OVER_ROOT_PI),
    domain=(-3.0, 3.0),
)
erfc = _function(
    "erfc",
    "Return 1 - erf(input), accurate where that is small.",
    "erfc(-inf) is 2. Error at most 2 ulp. Gradient: -g * 2 / sqrt(pi) * exp(-input**2).",
    ">>> pumice.erfc(pumice.tensor([0., 1.]))\ntensor([1.0000, 0.1573])",
    meaning=error_core.erfc,
    reference=_vectorised(math.erfc),
    gradient=lambda g, out, x: -g * (exp(-(x * x)) * TWO_OVER_ROOT_PI),
    domain=(-3.0, 3.0),
)


def _hypot(x: ScalarOperand, y: ScalarOperand) -> Any:
    """Scale by a power of two that brings the larger operand near 1."""
    layout = format_of(x)
    tall, wide = x.absolute(), y.absolute()
    larger = (tall > wide).select(tall, wide)
    smaller = (tall > wide).select(wide, tall)
    exponent = (magnitude_bits(larger) >> layout.mantissa) - layout.bias
    exponent = (exponent > layout.bias - 1).select(layout.bias - 1, exponent)
    down = power_of_two(-exponent, x.dtype)
    unit = (exponent < 2 - layout.bias).select(2.0 ** (layout.bias - 1), down)
    back = (exponent < 2 - layout.bias).select(
        2.0 ** (1 - layout.bias), power_of_two(exponent, x.dtype)
    )
    big, small = larger * unit, smaller * unit
    square, lost = two_product(big, big)
    total, rest = quick_two_sum(square, small * small)
    root = total.square_root()
    value = root + (lost + rest) / (root + root)
    value = root.eq(0.0).select(root, value * back)
    infinite = tall.eq(INFINITY) | wide.eq(INFINITY)
    value = (is_nan(x) | is_nan(y)).select(NAN, value)
    return infinite.select(INFINITY, value)


def _hypot_reference(np: Any, x: Any, y: Any) -> Any:
    return np.hypot(x.astype(np.longdouble), y.astype(np.longdouble)).astype(x.dtype)


def _hypot_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    zero = out.eq(0)
    nothing = g.const(0)
    return zero.select(nothing, g * (x / out)), zero.select(nothing, g * (y / out))


hypot = register(
    Elementwise(
        name="hypot",
        parameters=("input", "other"),
        accepts=Accepts.ONLY_FLOAT,
        meaning=_hypot,
        reference=_hypot_reference,
        gradient=_hypot_gradient,
        samples=Samples(domain=((0.5, 5.0), (0.5, 5.0)), special=SPECIAL, ulp=2),
        singular=True,
        commutative=True,
        doc=binary(
            "Return the length of the hypotenuse, sqrt(input**2 + other**2).",
            notes="No overflow or underflow on the way; infinite if either operand is, even with a "
            "NaN. Error at most 2 ulp.\nGradients: g * input / out and g * other / out, 0 at the "
            "origin.",
            example=">>> pumice.hypot(pumice.tensor([3., 5.]), pumice.tensor([4., 12.]))\n"
            "tensor([ 5., 13.])",
        ),
    )
)


def _heaviside(x: ScalarOperand, values: ScalarOperand) -> Any:
    if is_bool(x):
        return x | values
    return x.eq(0).select(values, (x > 0).select(x.const(1), 0))


heaviside = register(
    Elementwise(
        name="heaviside",
        parameters=("input", "values"),
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_heaviside,
        reference=lambda np, x, values: np.where(x == 0, values, x > 0).astype(x.dtype),
        samples=Samples(
            domain=((-5.0, 5.0), (-5.0, 5.0)),
            special=(0.0, -0.0, 1.0, INFINITY, -INFINITY, NAN),
            smooth=False,
        ),
        no_gradient="it is a step function, whose derivative is 0 or undefined",
        doc=document(
            "Return the step function: 0 below zero, `values` at zero, 1 above.",
            {"input": "The operand.", "values": "Results at zero. Shapes broadcast."},
            notes="0 for NaN. There is no gradient.",
            example=">>> pumice.heaviside(pumice.tensor([-1., 0., 2.]), pumice.tensor(0.5))\n"
            "tensor([0.0000, 0.5000, 1.0000])",
        ),
    )
)


def _lerp(start: ScalarOperand, end: ScalarOperand, weight: ScalarOperand) -> Any:
    """Measure from the nearer end, so that weight 1 gives `end` exactly."""
    near = weight.absolute() < 0.5
    span = end - start
    return near.select(start + weight * span, end - span * (1.0 - weight))


def _lerp_reference(np: Any, start: Any, end: Any, weight: Any) -> Any:
    span = end - start
    one = start.dtype.type(1)
    return np.where(np.abs(weight) < 0.5, start + weight * span, end - span * (one - weight))


def _lerp_gradient(g: Operand, out: Operand, start: Operand, end: Operand, weight: Operand) -> Any:
    return g * (1 - weight), g * weight, g * (end - start)


lerp = register(
    Elementwise(
        name="lerp",
        parameters=("input", "end", "weight"),
        accepts=Accepts.ONLY_FLOAT,
        meaning=_lerp,
        reference=_lerp_reference,
        gradient=_lerp_gradient,
        unrounded=(2,),
        samples=Samples(domain=((-5.0, 5.0), (-5.0, 5.0), (-0.4, 0.4)), special=(0.0, 1.0, -1.0)),
        method=False,
        function=False,
        inplace=False,
        doc=document(
            "Interpolate linearly between two tensors.",
            {"input": "Start points.", "end": "End points.", "weight": "0 at start, 1 at end."},
            notes="``input + weight * (end - input)``, or ``end - (end - input) * (1 - weight)`` "
            "from weight 0.5 on.\nGradients: g * (1 - weight), g * weight and g * (end - input).",
            example=">>> pumice.lerp(pumice.tensor([1., 2.]), pumice.tensor([3., 4.]), 0.5)\n"
            "tensor([2., 3.])",
        ),
    )
)
