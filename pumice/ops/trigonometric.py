"""Entries of the trigonometric functions and their inverses."""

from typing import Any

from pumice.ops import trigonometric_core as core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, unary
from pumice.ops.exponential import rsqrt
from pumice.ops.scalar import INFINITY
from pumice.ops.vocabulary import Operand

HUGE = (0.0, -0.0, 1.0, -1.0, 1e5, 1e22, 3.0e38, 1e-40, INFINITY, -INFINITY, float("nan"))


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
            samples=Samples(domain=(domain,), special=HUGE, ulp=2),
            singular=singular,
            aliases=aliases,
            doc=unary(summary, notes=notes + " Error at most 2 ulp.", example=example),
        )
    )


sin: Elementwise = _function(
    "sin",
    "Return the sine of an angle in radians.",
    "Correct for arguments of any size; NaN for infinities. Gradient: g * cos(input).",
    ">>> pumice.sin(pumice.tensor([0., 1.]))\ntensor([0.0000, 0.8415])",
    meaning=core.sin,
    reference=lambda np, x: np.sin(x),
    gradient=lambda g, out, x: g * cos(x),
    domain=(-5.0, 5.0),
)
cos: Elementwise = _function(
    "cos",
    "Return the cosine of an angle in radians.",
    "Correct for arguments of any size; NaN for infinities. Gradient: -g * sin(input).",
    ">>> pumice.cos(pumice.tensor([0., 1.]))\ntensor([1.0000, 0.5403])",
    meaning=core.cos,
    reference=lambda np, x: np.cos(x),
    gradient=lambda g, out, x: -g * sin(x),
    domain=(-5.0, 5.0),
)
tan = _function(
    "tan",
    "Return the tangent of an angle in radians.",
    "Correct for arguments of any size; NaN for infinities. Gradient: g * (1 + out**2).",
    ">>> pumice.tan(pumice.tensor([0., 1.]))\ntensor([0.0000, 1.5574])",
    meaning=core.tan,
    reference=lambda np, x: np.tan(x),
    gradient=lambda g, out, x: g * (out * out + 1),
    domain=(-1.3, 1.3),
)
asin = _function(
    "asin",
    "Return the inverse sine, in [-pi/2, pi/2].",
    "NaN outside [-1, 1]. Gradient: g / sqrt(1 - input**2).",
    ">>> pumice.asin(pumice.tensor([0., 1.]))\ntensor([0.0000, 1.5708])",
    meaning=core.asin,
    reference=lambda np, x: np.arcsin(x),
    gradient=lambda g, out, x: g * rsqrt((1 - x) * (1 + x)),
    domain=(-0.95, 0.95),
    singular=True,
    aliases=("arcsin",),
)
acos = _function(
    "acos",
    "Return the inverse cosine, in [0, pi].",
    "NaN outside [-1, 1]. Gradient: -g / sqrt(1 - input**2).",
    ">>> pumice.acos(pumice.tensor([1., 0.]))\ntensor([0.0000, 1.5708])",
    meaning=core.acos,
    reference=lambda np, x: np.arccos(x),
    gradient=lambda g, out, x: -g * rsqrt((1 - x) * (1 + x)),
    domain=(-0.95, 0.95),
    singular=True,
    aliases=("arccos",),
)
atan = _function(
    "atan",
    "Return the inverse tangent, in [-pi/2, pi/2].",
    "atan(inf) is pi/2. Gradient: g / (1 + input**2).",
    ">>> pumice.atan(pumice.tensor([0., 1.]))\ntensor([0.0000, 0.7854])",
    meaning=core.atan,
    reference=lambda np, x: np.arctan(x),
    gradient=lambda g, out, x: g / (x * x + 1),
    domain=(-5.0, 5.0),
    aliases=("arctan",),
)


def _atan2_gradient(g: Operand, out: Operand, y: Operand, x: Operand) -> Any:
    scaled = g / (x * x + y * y)
    return scaled * x, -scaled * y


atan2 = register(
    Elementwise(
        name="atan2",
        parameters=("input", "other"),
        accepts=Accepts.FLOAT,
        meaning=core.atan2,
        reference=lambda np, y, x: np.arctan2(y, x),
        gradient=_atan2_gradient,
        samples=Samples(domain=((0.5, 5.0), (-5.0, 5.0)), special=HUGE, ulp=2),
        singular=True,
        aliases=("arctan2",),
        doc=binary(
            "Return the angle of the point (other, input), in [-pi, pi].",
            notes="C's special cases: signed zeros choose between 0 and pi, two infinities give "
            "odd multiples of pi/4. Error at most\n2 ulp. Gradients: g * other / r**2 and "
            "-g * input / r**2 with r**2 = input**2 + other**2.",
            example=">>> pumice.atan2(pumice.tensor([1., -1.]), pumice.tensor([1., -1.]))\n"
            "tensor([ 0.7854, -2.3562])",
        ),
    )
)
