"""Entries of activations and clamping that are not composed of others."""

from typing import Any

from pumice.ops import hyperbolic_core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import document, unary
from pumice.ops.extremum import maximum, minimum
from pumice.ops.scalar import INFINITY
from pumice.ops.vocabulary import Operand, ScalarOperand

SPECIAL = (0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, float("nan"))
RANGE = (-5.0, 5.0)


def _sigmoid_reference(np: Any, x: Any) -> Any:
    wide = x.astype(np.longdouble)
    return (1 / (1 + np.exp(-wide))).astype(x.dtype)


sigmoid = register(
    Elementwise(
        name="sigmoid",
        parameters=("input",),
        accepts=Accepts.FLOAT,
        meaning=hyperbolic_core.sigmoid,
        reference=_sigmoid_reference,
        gradient=lambda g, out, x: g * (out * (1 - out)),
        samples=Samples(domain=(RANGE,), special=(*SPECIAL, 90.0, -90.0), ulp=2),
        doc=unary(
            "Return the logistic function 1 / (1 + exp(-input)).",
            notes="Accurate in both tails. Error at most 2 ulp. Gradient: g * out * (1 - out).",
            example=">>> pumice.sigmoid(pumice.tensor([0., 2.]))\ntensor([0.5000, 0.8808])",
        ),
    )
)

relu = register(
    Elementwise(
        name="relu",
        parameters=("input",),
        accepts=Accepts.NUMERIC,
        meaning=lambda x: (x < 0).select(0, x),
        reference=lambda np, x: np.where(x < 0, x.dtype.type(0), x),
        gradient=lambda g, out, x: (out <= 0).select(g.const(0), g),
        samples=Samples(domain=((0.1, 5.0),), special=SPECIAL),
        doc=unary(
            "Return the operand where positive, 0 elsewhere.",
            notes="NaN propagates. Gradient: g where input > 0, 0 elsewhere (at 0 too).",
            example=">>> pumice.relu(pumice.tensor([-1., 2.]))\ntensor([0., 2.])",
        ),
    )
)


def _clamp(x: ScalarOperand, low: ScalarOperand, high: ScalarOperand) -> Any:
    return minimum.meaning(maximum.meaning(x, low), high)


def _clamp_gradient(g: Operand, out: Operand, x: Operand, low: Operand, high: Operand) -> Any:
    zero = g.const(0)
    crossed = low > high
    inside = (x >= low) & (x <= high)
    return (
        inside.select(g, zero),
        ((x < low) & ~crossed).select(g, zero),
        ((x > high) | crossed).select(g, zero),
    )


clamp = register(
    Elementwise(
        name="clamp",
        parameters=("input", "min", "max"),
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_clamp,
        reference=lambda np, x, low, high: np.minimum(np.maximum(x, low), high),
        gradient=_clamp_gradient,
        samples=Samples(domain=(RANGE, (-2.0, -1.0), (1.0, 2.0)), special=SPECIAL[2:]),
        method=False,
        function=False,
        inplace=False,
        doc=document(
            "Limit to a range.",
            {"input": "The operand.", "min": "Lower bound.", "max": "Upper bound."},
            notes="NaN in any operand gives NaN. Where min > max the result is max. Gradient: g to "
            "the input inside the range\n(bounds included), else to the bound that was returned.",
        ),
    )
)


def _bound(name: str, parameter: str, words: str, extremum: Elementwise, kept: Any) -> Elementwise:
    """Build clamp_min or clamp_max; the input keeps the gradient on a tie."""

    def gradient(g: Operand, out: Operand, x: Operand, bound: Operand) -> Any:
        zero = g.const(0)
        inside = kept(x, bound)
        return inside.select(g, zero), inside.select(zero, g)

    return register(
        Elementwise(
            name=name,
            parameters=("input", parameter),
            accepts=Accepts.NUMERIC_BOOL,
            meaning=extremum.meaning,
            reference=extremum.reference,
            gradient=gradient,
            samples=Samples(domain=(RANGE, (-2.0, 2.0)), special=SPECIAL[2:]),
            doc=document(
                f"Limit to values {words} a bound.",
                {"input": "The operand.", parameter: "The bound."},
                notes="NaN in either operand gives NaN. Gradient: g to the input where it is "
                "returned (a tie included), else to the bound.",
                example=f">>> pumice.{name}(pumice.tensor([-1., 2.]), 0)\n"
                + ("tensor([0., 2.])" if name == "clamp_min" else "tensor([-1.,  0.])"),
            ),
        )
    )


clamp_min = _bound("clamp_min", "min", "not below", maximum, lambda x, bound: x >= bound)
clamp_max = _bound("clamp_max", "max", "not above", minimum, lambda x, bound: x <= bound)
