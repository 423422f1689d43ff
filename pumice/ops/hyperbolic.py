"""Entries of the hyperbolic functions and their inverses."""

from typing import Any

from pumice.ops import hyperbolic_core as core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import unary
from pumice.ops.exponential import rsqrt
from pumice.ops.scalar import INFINITY

SPECIAL = (0.0, -0.0, 1.0, -1.0, 89.0, -89.0, 1e20, 1e-8, 1e-40, INFINITY, -INFINITY, float("nan"))


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
    aliases: tuple[str, ...] = (),
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
            samples=Samples(domain=(domain,), special=SPECIAL, ulp=2),
            singular=singular,
            aliases=aliases,
            doc=unary(summary, notes=notes + " Error at most 2 ulp.", example=example),
        )
    )


sinh: Elementwise = _function(
    "sinh",
    "Return the hyperbolic sine.",
    "Gradient: g * cosh(input).",
    ">>> pumice.sinh(pumice.tensor([0., 1.]))\ntensor([0.0000, 1.1752])",
    meaning=core.sinh,
    reference=lambda np, x: np.sinh(x),
    gradient=lambda g, out, x: g * cosh(x),
    domain=(-3.0, 3.0),
)
cosh: Elementwise = _function(
    "cosh",
    "Return the hyperbolic cosine.",
    "Gradient: g * sinh(input).",
    ">>> pumice.cosh(pumice.tensor([0., 1.]))\ntensor([1.0000, 1.5431])",
    meaning=core.cosh,
    reference=lambda np, x: np.cosh(x),
    gradient=lambda g, out, x: g * sinh(x),
    domain=(-3.0, 3.0),
)
tanh = _function(
    "tanh",
    "Return the hyperbolic tangent.",
    "tanh(inf) is 1. Gradient: g * (1 - out**2).",
    ">>> pumice.tanh(pumice.tensor([0., 1.]))\ntensor([0.0000, 0.7616])",
    meaning=core.tanh,
    reference=lambda np, x: np.tanh(x),
    gradient=lambda g, out, x: g * (1 - out * out),
    domain=(-3.0, 3.0),
)
asinh = _function(
    "asinh",
    "Return the inverse hyperbolic sine.",
    "Gradient: g / sqrt(input**2 + 1).",
    ">>> pumice.asinh(pumice.tensor([0., 1.]))\ntensor([0.0000, 0.8814])",
    meaning=core.asinh,
    reference=lambda np, x: np.arcsinh(x),
    gradient=lambda g, out, x: g * rsqrt(x * x + 1),
    domain=(-5.0, 5.0),
    aliases=("arcsinh",),
)
acosh = _function(
    "acosh",
    "Return the inverse hyperbolic cosine.",
    "NaN below 1. Gradient: g / sqrt(input**2 - 1).",
    ">>> pumice.acosh(pumice.tensor([1., 2.]))\ntensor([0.0000, 1.3170])",
    meaning=core.acosh,
    reference=lambda np, x: np.arccosh(x),
    gradient=lambda g, out, x: g * rsqrt((x - 1) * (x + 1)),
    domain=(1.1, 5.0),
    singular=True,
    aliases=("arccosh",),
)
atanh = _function(
    "atanh",
    "Return the inverse hyperbolic tangent.",
    "Infinite at -1 and 1, NaN outside. Gradient: g / (1 - input**2).",
    ">>> pumice.atanh(pumice.tensor([0., 0.5]))\ntensor([0.0000, 0.5493])",
    meaning=core.atanh,
    reference=lambda np, x: np.arctanh(x),
    gradient=lambda g, out, x: g / ((1 - x) * (1 + x)),
    domain=(-0.9, 0.9),
    singular=True,
    aliases=("arctanh",),
)
