"""Entries of exponentials, logarithms and roots."""

from typing import Any

from pumice.ops import exponential_core as core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, unary
from pumice.ops.scalar import INFINITY, is_nan
from pumice.ops.vocabulary import Operand, ScalarOperand

SPECIAL = (0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, float("nan"), 1e-40, 3.0e38)


def _float_function(
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
    ulp: int = 2,
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
            samples=Samples(domain=(domain,), special=SPECIAL, ulp=ulp),
            singular=singular,
            doc=unary(summary, notes=notes, example=example),
        )
    )


LN2 = 0.6931471805599453
LN10 = 2.302585092994046

exp = _float_function(
    "exp",
    "Return e raised to the operand.",
    "exp(-inf) is 0. Error at most 2 ulp. Gradient: g * out.",
    ">>> pumice.exp(pumice.tensor([0., 1.]))\ntensor([1.0000, 2.7183])",
    meaning=core.exp,
    reference=lambda np, x: np.exp(x),
    gradient=lambda g, out, x: g * out,
    domain=(-5.0, 5.0),
)
exp2 = _float_function(
    "exp2",
    "Return 2 raised to the operand.",
    "exp2(-inf) is 0. Error at most 2 ulp. Gradient: g * out * ln 2.",
    ">>> pumice.exp2(pumice.tensor([0., 3.]))\ntensor([1., 8.])",
    meaning=core.exp2,
    reference=lambda np, x: np.exp2(x),
    gradient=lambda g, out, x: g * out * LN2,
    domain=(-5.0, 5.0),
)
expm1 = _float_function(
    "expm1",
    "Return exp(input) - 1, accurate near zero.",
    "expm1(-inf) is -1. Error at most 2 ulp. Gradient: g * exp(x).",
    ">>> pumice.expm1(pumice.tensor([0., 1.]))\ntensor([0.0000, 1.7183])",
    meaning=core.expm1,
    reference=lambda np, x: np.expm1(x),
    gradient=lambda g, out, x: g * exp(x),
    domain=(-5.0, 5.0),
)
log = _float_function(
    "log",
    "Return the natural logarithm.",
    "log(0) is -inf; negative operands give NaN. Error at most 2 ulp. Gradient: g / input.",
    ">>> pumice.log(pumice.tensor([1., 10.]))\ntensor([0.0000, 2.3026])",
    meaning=core.log,
    reference=lambda np, x: np.log(x),
    gradient=lambda g, out, x: g / x,
    domain=(0.1, 10.0),
    singular=True,
)
log2 = _float_function(
    "log2",
    "Return the logarithm to base 2.",
    "log2(0) is -inf; negative operands give NaN; powers of two are exact. Error at most 2 ulp.\n"
    "Gradient: g / (input * ln 2).",
    ">>> pumice.log2(pumice.tensor([1., 8.]))\ntensor([0., 3.])",
    meaning=core.log2,
    reference=lambda np, x: np.log2(x),
    gradient=lambda g, out, x: g / (x * LN2),
    domain=(0.1, 10.0),
    singular=True,
)
log10 = _float_function(
    "log10",
    "Return the logarithm to base 10.",
    "log10(0) is -inf; negative operands give NaN. Error at most 2 ulp.\n"
    "Gradient: g / (input * ln 10).",
    ">>> pumice.log10(pumice.tensor([1., 1000.]))\ntensor([0., 3.])",
    meaning=core.log10,
    reference=lambda np, x: np.log10(x),
    gradient=lambda g, out, x: g / (x * LN10),
    domain=(0.1, 10.0),
    singular=True,
)
log1p = _float_function(
    "log1p",
    "Return log(1 + input), accurate near zero.",
    "log1p(-1) is -inf; operands below -1 give NaN. Error at most 2 ulp.\n"
    "Gradient: g / (input + 1).",
    ">>> pumice.log1p(pumice.tensor([0., 1.]))\ntensor([0.0000, 0.6931])",
    meaning=core.log1p,
    reference=lambda np, x: np.log1p(x),
    gradient=lambda g, out, x: g / (x + 1),
    domain=(-0.9, 10.0),
    singular=True,
)
sqrt = _float_function(
    "sqrt",
    "Return the square root.",
    "sqrt(-0.0) is -0.0; negative operands give NaN. Correctly rounded. Gradient: g / (2 * out).",
    ">>> pumice.sqrt(pumice.tensor([4., 9.]))\ntensor([2., 3.])",
    meaning=lambda x: x.square_root(),
    reference=lambda np, x: np.sqrt(x),
    gradient=lambda g, out, x: g / (out * 2),
    domain=(0.1, 10.0),
    singular=True,
    ulp=0,
)
rsqrt = _float_function(
    "rsqrt",
    "Return the reciprocal of the square root.",
    "rsqrt(0) is inf; negative operands give NaN. Error at most 2 ulp.\nGradient: -g * out**3 / 2.",
    ">>> pumice.rsqrt(pumice.tensor([4., 16.]))\ntensor([0.5000, 0.2500])",
    meaning=lambda x: 1.0 / x.square_root(),
    reference=lambda np, x: (1 / np.sqrt(x.astype(np.longdouble))).astype(x.dtype),
    gradient=lambda g, out, x: g * (out * out * out) * -0.5,
    domain=(0.1, 10.0),
    singular=True,
)
reciprocal = _float_function(
    "reciprocal",
    "Return 1 / input.",
    "1/0 is inf, 1/-0.0 is -inf. Gradient: -g * out**2.",
    ">>> pumice.reciprocal(pumice.tensor([2., 4.]))\ntensor([0.5000, 0.2500])",
    meaning=lambda x: 1.0 / x,
    reference=lambda np, x: np.reciprocal(x),
    gradient=lambda g, out, x: -g * (out * out),
    domain=(0.1, 10.0),
    singular=True,
    ulp=0,
)

square = register(
    Elementwise(
        name="square",
        parameters=("input",),
        accepts=Accepts.NUMERIC,
        meaning=lambda x: x * x,
        reference=lambda np, x: np.square(x),
        gradient=lambda g, out, x: g * (x * 2),
        samples=Samples(domain=((-10.0, 10.0),), special=SPECIAL),
        doc=unary(
            "Return the product of the operand with itself.",
            notes="Integers wrap. Gradient: g * 2 * input.",
            example=">>> pumice.square(pumice.tensor([-3., 2.]))\ntensor([9., 4.])",
        ),
    )
)


def _logaddexp(x: ScalarOperand, y: ScalarOperand) -> Any:
    larger = (x > y).select(x, y)
    smaller = (x > y).select(y, x)
    value = larger + core.log1p_exp(smaller, larger)
    value = (larger.absolute().eq(INFINITY)).select(larger, value)
    return (is_nan(x) | is_nan(y)).select(x + y, value)


def _logaddexp_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    same = x.eq(y)  # also where both are the same infinity
    half = g * 0.5
    return (
        same.select(half, g * exp(_below(x, out))),
        same.select(half, g * exp(_below(y, out))),
    )


def _below(x: Operand, out: Operand) -> Operand:
    """Return ``x - out``, and 0 where both are the same infinity."""
    infinite = x.eq(out) & (x.eq(INFINITY) | x.eq(-INFINITY))
    difference: Operand = infinite.select(0.0, x - out)
    return difference


logaddexp = register(
    Elementwise(
        name="logaddexp",
        parameters=("input", "other"),
        accepts=Accepts.ONLY_FLOAT,
        meaning=_logaddexp,
        reference=lambda np, x, y: np.logaddexp(x, y),
        gradient=_logaddexp_gradient,
        samples=Samples(domain=((0.0, 5.0), (0.0, 5.0)), special=SPECIAL, ulp=2),
        commutative=True,
        inplace=False,
        doc=binary(
            "Return log(exp(input) + exp(other)) without overflow.",
            notes="``max + log1p(exp(min - max))``; equal infinities give that infinity. The error "
            "is at most 2 ulp of the largest\nof operands and result. Gradients: "
            "g * exp(input - out) and g * exp(other - out).",
            example=">>> pumice.logaddexp(pumice.tensor([0.]), pumice.tensor([0.]))\n"
            "tensor([0.6931])",
        ),
    )
)


def _xlogy(x: ScalarOperand, y: ScalarOperand) -> Any:
    value = x * core.log(y)
    return (x.eq(0.0) & y.eq(y)).select(0.0, value)


def _xlogy_reference(np: Any, x: Any, y: Any) -> Any:
    wide = np.longdouble
    value = (x.astype(wide) * np.log(y.astype(wide))).astype(x.dtype)
    return np.where((x == 0) & ~np.isnan(y), 0, value).astype(x.dtype)


def _xlogy_gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
    ignored = x.eq(0) & (y <= 0)
    return ignored.select(g.const(0), g * log(y)), x.eq(0).select(g.const(0), g * (x / y))


xlogy = register(
    Elementwise(
        name="xlogy",
        parameters=("input", "other"),
        accepts=Accepts.FLOAT,
        meaning=_xlogy,
        reference=_xlogy_reference,
        gradient=_xlogy_gradient,
        unrounded=(0, 1),
        samples=Samples(domain=((-5.0, 5.0), (0.1, 10.0)), special=SPECIAL, ulp=2),
        singular=True,
        doc=binary(
            "Return input * log(other), 0 where input is 0.",
            notes="NaN where `other` is NaN. Gradients: g * log(other) and g * input / other.",
            example=">>> pumice.xlogy(pumice.tensor([0., 2.]), pumice.tensor([0., 1.]))\n"
            "tensor([0., 0.])",
        ),
    )
)
