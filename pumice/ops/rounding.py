"""Entries that round, and those that take a number apart: sign, magnitude, fraction."""

from typing import Any

from pumice.dtypes import Kind
from pumice.ops.comparison import signbit
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, unary
from pumice.ops.scalar import (
    INFINITY,
    bits,
    copy_sign,
    format_of,
    is_bool,
    is_float,
    is_nan,
)
from pumice.ops.vocabulary import Operand, ScalarOperand

SPECIAL = (0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 8388609.0, INFINITY, -INFINITY, float("nan"))
RANGE = (-10.0, 10.0)


def _zero(g: Operand, out: Operand, x: Operand) -> Any:
    return g.const(0)


def _rounding(
    name: str, words: str, meaning: Any, reference: Any, result: str, *aliases: str
) -> Elementwise:
    """Build a rounding function; integers are returned as they are."""
    return register(
        Elementwise(
            name=name,
            parameters=("input",),
            accepts=Accepts.NUMERIC,
            meaning=lambda x: meaning(x) if is_float(x) else x,
            reference=lambda np, x: reference(np, x) if x.dtype.kind == "f" else x,
            gradient=_zero,
            samples=Samples(domain=(RANGE,), special=SPECIAL, smooth=False),
            aliases=aliases,
            doc=unary(
                f"Round to an integer {words}.",
                notes="The sign of zero is kept; NaN and infinities are returned; integers are "
                "unchanged. The gradient is zero.",
                example=f">>> pumice.{name}(pumice.tensor([-1.5, 0.5, 2.5]))\ntensor({result})",
            ),
        )
    )


floor = _rounding(
    "floor",
    "toward minus infinity",
    lambda x: x.floor(),
    lambda np, x: np.floor(x),
    "[-2.,  0.,  2.]",
)
ceil = _rounding(
    "ceil",
    "toward plus infinity",
    lambda x: x.ceil(),
    lambda np, x: np.ceil(x),
    "[-1.,  1.,  3.]",
)
trunc = _rounding(
    "trunc",
    "toward zero",
    lambda x: x.truncate(),
    lambda np, x: np.trunc(x),
    "[-1.,  0.,  2.]",
    "fix",
)
round_ = _rounding(
    "round",
    "to the nearest, halves to even",
    lambda x: x.round_even(),
    lambda np, x: np.rint(x),
    "[-2.,  0.,  2.]",
)

frac = register(
    Elementwise(
        name="frac",
        parameters=("input",),
        accepts=Accepts.ONLY_FLOAT,
        meaning=lambda x: x - x.truncate(),
        reference=lambda np, x: x - np.trunc(x),
        gradient=lambda g, out, x: g,
        samples=Samples(domain=(RANGE,), special=SPECIAL, smooth=False),
        doc=unary(
            "Return the fractional part.",
            notes="``input - trunc(input)``, with the sign of the input; NaN for infinities. The "
            "gradient is g.",
            example=">>> pumice.frac(pumice.tensor([-1.5, 2.25]))\ntensor([-0.5000,  0.2500])",
        ),
    )
)

neg = register(
    Elementwise(
        name="neg",
        parameters=("input",),
        accepts=Accepts.NUMERIC,
        meaning=lambda x: -x,
        reference=lambda np, x: np.negative(x),
        gradient=lambda g, out, x: -g,
        samples=Samples(domain=(RANGE,), special=SPECIAL),
        aliases=("negative",),
        doc=unary(
            "Negate.",
            notes="Flips the sign bit of floats; integers wrap. The gradient is -g.",
            example=">>> pumice.neg(pumice.tensor([1., -2.]))\ntensor([-1.,  2.])",
        ),
    )
)

positive = register(
    Elementwise(
        name="positive",
        parameters=("input",),
        accepts=Accepts.NUMERIC,
        meaning=lambda x: x,
        reference=lambda np, x: np.positive(x),
        gradient=lambda g, out, x: g,
        samples=Samples(domain=(RANGE,), special=SPECIAL),
        inplace=False,
        doc=unary(
            "Return the operand unchanged.",
            notes="The gradient is g.",
            example=">>> pumice.positive(pumice.tensor([1., -2.]))\ntensor([ 1., -2.])",
        ),
    )
)


def _sign(x: ScalarOperand) -> Any:
    if is_bool(x):
        return x
    one = x.const(1)
    positive_part = (x > 0).select(one, 0)
    if x.dtype.kind is Kind.UNSIGNED:
        return positive_part
    return (x < 0).select(x.const(-1), positive_part)


def _sign_reference(np: Any, x: Any) -> Any:
    return ((x > 0).astype(x.dtype) - (x < 0)).astype(x.dtype) if x.dtype != bool else x


sign = register(
    Elementwise(
        name="sign",
        parameters=("input",),
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_sign,
        reference=_sign_reference,
        gradient=_zero,
        samples=Samples(domain=(RANGE,), special=SPECIAL, smooth=False),
        doc=unary(
            "Return -1, 0 or 1 by the sign of the operand.",
            notes="0 for NaN and for both zeros. The gradient is zero.",
            example=">>> pumice.sign(pumice.tensor([-3., 0., 2.]))\ntensor([-1.,  0.,  1.])",
        ),
    )
)


def _absolute(x: ScalarOperand) -> Any:
    return x.absolute() if x.dtype.kind >= Kind.SIGNED else x


abs_ = register(
    Elementwise(
        name="abs",
        parameters=("input",),
        accepts=Accepts.NUMERIC,
        meaning=_absolute,
        reference=lambda np, x: np.abs(x),
        gradient=lambda g, out, x: g * sign(x),
        samples=Samples(domain=((0.1, 10.0),), special=SPECIAL),
        aliases=("absolute",),
        doc=unary(
            "Return the magnitude.",
            notes="Clears the sign bit of floats; the smallest signed integer is returned "
            "unchanged. Gradient: g * sign(input).",
            example=">>> pumice.abs(pumice.tensor([-1., 2.]))\ntensor([1., 2.])",
        ),
    )
)


def _copysign_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    aligned = signbit(x) ^ signbit(y)
    return x.eq(0).select(g.const(0), aligned.select(-g, g)), g.const(0)


copysign = register(
    Elementwise(
        name="copysign",
        parameters=("input", "other"),
        accepts=Accepts.FLOAT,
        meaning=copy_sign,
        reference=lambda np, x, y: np.copysign(x, y),
        gradient=_copysign_gradient,
        samples=Samples(domain=((0.1, 10.0), (0.1, 10.0)), special=SPECIAL),
        doc=binary(
            "Return the magnitude of the first operand with the sign of the second.",
            notes="The sign bit is copied, that of -0.0 and NaN too. Gradient: g where the signs "
            "agree, -g where they differ, 0 at input 0.",
            example=">>> pumice.copysign(pumice.tensor([1., 2.]), -0.)\ntensor([-1., -2.])",
        ),
    )
)


def _next_after(x: ScalarOperand, y: ScalarOperand) -> Any:
    """Step the bit pattern: away from zero when the target lies further out."""
    layout = format_of(x)
    pattern = bits(x)
    outward = (x < y) ^ (pattern < 0)
    stepped = outward.select(pattern + 1, pattern - 1)
    from_zero = (bits(y) & layout.sign_bit) | 1
    moved = x.eq(0).select(from_zero, stepped).bitcast(x.dtype)
    value = x.eq(y).select(y, moved)
    return (is_nan(x) | is_nan(y)).select(x + y, value)


nextafter = register(
    Elementwise(
        name="nextafter",
        parameters=("input", "other"),
        accepts=Accepts.ONLY_FLOAT,
        meaning=_next_after,
        reference=lambda np, x, y: np.nextafter(x, y),
        samples=Samples(domain=(RANGE, RANGE), special=SPECIAL, smooth=False),
        no_gradient="it is a step in the last bit, not a differentiable function",
        doc=binary(
            "Return the next representable value toward the second operand.",
            notes="The second operand where both are equal; NaN if either is NaN. There is no "
            "gradient.",
            example=">>> pumice.nextafter(pumice.tensor([1.]), 2) > 1\ntensor([True])",
        ),
    )
)
