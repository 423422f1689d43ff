"""Entries that choose the larger or smaller of two values."""

from typing import Any

from pumice.ops.comparison import greater_equal, isnan, less_equal
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary
from pumice.ops.scalar import INFINITY, is_bool, is_float, is_nan
from pumice.ops.vocabulary import Operand, ScalarOperand

WIDE = (-100.0, 100.0)
SPECIAL = (1.0, -1.0, INFINITY, -INFINITY, float("nan"), 1e-40, 3.0e38)
PAIR = ("input", "other")


def _greater_or_nan(x: ScalarOperand, y: ScalarOperand) -> Any:
    if is_bool(x):
        return x | y
    chosen = x > y
    return (chosen | is_nan(x) if is_float(x) else chosen).select(x, y)


def _less_or_nan(x: ScalarOperand, y: ScalarOperand) -> Any:
    if is_bool(x):
        return x & y
    chosen = x < y
    return (chosen | is_nan(x) if is_float(x) else chosen).select(x, y)


def _greater_ignoring_nan(x: ScalarOperand, y: ScalarOperand) -> Any:
    return (is_nan(y) | (x >= y)).select(x, y) if is_float(x) else _greater_or_nan(x, y)


def _less_ignoring_nan(x: ScalarOperand, y: ScalarOperand) -> Any:
    return (is_nan(y) | (x <= y)).select(x, y) if is_float(x) else _less_or_nan(x, y)


def _extremum_gradient(wins: Any) -> Any:
    """Return a gradient that goes to the winner, half to each on a tie."""

    def gradient(g: Operand, out: Operand, x: Operand, y: Operand) -> Any:
        zero = g.const(0)
        half = x.eq(y).select(g * 0.5, g)
        return wins(x, y).select(half, zero), wins(y, x).select(half, zero)

    return gradient


def _loses_to_none(wins: Any) -> Any:
    """Return ``wins`` for extrema that ignore a single NaN."""
    return lambda x, y: isnan(y) | (wins(x, y) & ~isnan(x))


maximum = register(
    Elementwise(
        name="maximum",
        parameters=PAIR,
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_greater_or_nan,
        reference=lambda np, x, y: np.maximum(x, y),
        gradient=_extremum_gradient(lambda x, y: greater_equal(x, y)),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        commutative=True,
        inplace=False,
        doc=binary(
            "Return the larger of two values.",
            notes="NaN if either is NaN. The gradient goes to the larger operand, half to each on "
            "a tie.",
            example=">>> pumice.maximum(pumice.tensor([1., 5.]), pumice.tensor([2., 3.]))\n"
            "tensor([2., 5.])",
        ),
    )
)

minimum = register(
    Elementwise(
        name="minimum",
        parameters=PAIR,
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_less_or_nan,
        reference=lambda np, x, y: np.minimum(x, y),
        gradient=_extremum_gradient(lambda x, y: less_equal(x, y)),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        commutative=True,
        inplace=False,
        doc=binary(
            "Return the smaller of two values.",
            notes="NaN if either is NaN. The gradient goes to the smaller operand, half to each on "
            "a tie.",
            example=">>> pumice.minimum(pumice.tensor([1., 5.]), pumice.tensor([2., 3.]))\n"
            "tensor([1., 3.])",
        ),
    )
)

fmax = register(
    Elementwise(
        name="fmax",
        parameters=PAIR,
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_greater_ignoring_nan,
        # equal zeros: the first, as PyTorch (NumPy gives the second)
        reference=lambda np, x, y: np.where(x == y, x, np.fmax(x, y)),
        gradient=_extremum_gradient(_loses_to_none(lambda x, y: greater_equal(x, y))),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        inplace=False,
        doc=binary(
            "Return the larger of two values, ignoring a single NaN.",
            notes="NaN only if both are NaN. The gradient goes to the operand returned, half to "
            "each on a tie.",
            example=">>> pumice.fmax(pumice.tensor([1., float('nan')]), pumice.tensor([2., 3.]))\n"
            "tensor([2., 3.])",
        ),
    )
)

fmin = register(
    Elementwise(
        name="fmin",
        parameters=PAIR,
        accepts=Accepts.NUMERIC_BOOL,
        meaning=_less_ignoring_nan,
        reference=lambda np, x, y: np.where(x == y, x, np.fmin(x, y)),
        gradient=_extremum_gradient(_loses_to_none(lambda x, y: less_equal(x, y))),
        samples=Samples(domain=(WIDE, WIDE), special=SPECIAL),
        inplace=False,
        doc=binary(
            "Return the smaller of two values, ignoring a single NaN.",
            notes="NaN only if both are NaN. The gradient goes to the operand returned, half to "
            "each on a tie.",
            example=">>> pumice.fmin(pumice.tensor([1., float('nan')]), pumice.tensor([2., 3.]))\n"
            "tensor([1., 3.])",
        ),
    )
)
