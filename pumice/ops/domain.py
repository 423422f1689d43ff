"""Values that are data errors: the entry passes the others on."""

from typing import Any

from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import unary
from pumice.ops.scalar import bits, is_nan
from pumice.ops.vocabulary import ScalarOperand

NOT_A_PROBABILITY = 5


def _probability(x: ScalarOperand) -> Any:
    # The bits are looked at and not the number, so that the record holds all of it.
    outside = (x < 0.0) | (x > 1.0) | is_nan(x)
    return bits(x).fail_if(outside, NOT_A_PROBABILITY).bitcast(x.dtype)


probability = register(
    Elementwise(
        name="probability",
        parameters=("input",),
        accepts=Accepts.ONLY_FLOAT,
        meaning=_probability,
        reference=lambda np, x: x,
        gradient=lambda g, out, x: g,
        samples=Samples(domain=((0.0, 1.0),), special=(0.0, 1.0)),
        method=False,
        function=False,
        inplace=False,
        doc=unary(
            "Return the input, all of which must be between 0 and 1.",
            notes="Other elements, NaN among them, are data errors. Gradient: g.",
        ),
    )
)
