"""Running folds along one axis."""

from typing import Any

from pumice.dtypes import accumulation_dtype, int32, int64
from pumice.ops.definition import Scan, register
from pumice.ops.exponential import exp, log, logaddexp
from pumice.ops.reduction import AMAX, AMIN, PROD, SUM


def _cumsum_gradient(g: Any, node: Any, build: Any) -> Any:
    """Sum the gradients of all later elements: a running sum from the other end."""
    axis = node.argument
    reversed_sum = build.scan(CUMSUM, build.flip(g, (axis,)), axis)
    return (build.flip(reversed_sum, (axis,)),)


CUMSUM = register(
    Scan(
        name="cumsum",
        identity=SUM.identity,
        combine=SUM.combine,
        accumulator=SUM.accumulator,
        result=SUM.result,
        reference=lambda np, x, axis: x.cumsum(
            axis=axis, dtype=np.int64 if x.dtype.kind in "biu" else np.float64
        ),
        gradient=_cumsum_gradient,
    )
)


def _from_the_end(op: Scan, node: Any, axis: int, build: Any) -> Any:
    """Return a running fold that starts at the last element."""
    return build.flip(build.scan(op, build.flip(node, (axis,)), axis), (axis,))


def _cumprod_gradient(g: Any, node: Any, build: Any) -> Any:
    """Sum g times the product of the other elements of each prefix.

    Before the first zero that is a quotient; at it, the product without it; behind it, zero.
    """
    axis = node.argument
    (x,) = node.sources
    is_zero = x.eq(0)
    zeros = build.scan(CUMSUM, is_zero.cast(g.dtype), axis)
    first = is_zero & zeros.eq(1)
    without = build.scan(CUMPROD, first.select(1, x), axis)
    at_first = _from_the_end(CUMSUM, (zeros >= 1).select(g * without, 0), axis, build)
    before = _from_the_end(CUMSUM, g * node, axis, build) / is_zero.select(1, x)
    return (first.select(at_first, zeros.eq(0).select(before, 0)),)


def _logcumsumexp_gradient(g: Any, node: Any, build: Any) -> Any:
    """Sum ``g * exp(x - out)`` over later places, as logarithms of either sign of g."""
    axis = node.argument
    (x,) = node.sources
    none = float("-inf")
    reached = node.ne(none)

    def part(slope: Any) -> Any:
        taken = (slope > 0) & reached
        weight = taken.select(log(taken.select(slope, 1)) - reached.select(node, 0), none)
        return exp(_from_the_end(LOGCUMSUMEXP, weight, axis, build) + x)

    return (part(g) - part(-g),)


CUMPROD = register(
    Scan(
        name="cumprod",
        identity=PROD.identity,
        combine=PROD.combine,
        accumulator=PROD.accumulator,
        result=PROD.result,
        reference=lambda np, x, axis: x.cumprod(
            axis=axis, dtype=np.int64 if x.dtype.kind in "biu" else np.float64
        ),
        gradient=_cumprod_gradient,
    )
)
CUMMAX = register(
    Scan(
        name="cummax",
        identity=AMAX.identity,
        combine=AMAX.combine,
        accumulator=AMAX.accumulator,
        result=AMAX.result,
        reference=lambda np, x, axis: np.maximum.accumulate(x, axis=axis),
        no_gradient="gather the values at its indices",
    )
)
LAST_PLACE = register(
    Scan(
        name="last_place",
        identity=AMAX.identity,
        combine=AMAX.combine,
        accumulator=AMAX.accumulator,
        # Places below 2**31 take half the lanes, and are given as all places are.
        result=lambda dtype: int64 if dtype is int32 else dtype,
        reference=lambda np, x, axis: np.maximum.accumulate(x, axis=axis),
        no_gradient="it holds places",
    )
)
CUMMIN = register(
    Scan(
        name="cummin",
        identity=AMIN.identity,
        combine=AMIN.combine,
        accumulator=AMIN.accumulator,
        result=AMIN.result,
        reference=lambda np, x, axis: np.minimum.accumulate(x, axis=axis),
        no_gradient="gather the values at its indices",
    )
)
LOGCUMSUMEXP = register(
    Scan(
        name="logcumsumexp",
        identity=lambda dtype: float("-inf"),
        combine=lambda x, y: logaddexp(x, y),
        accumulator=accumulation_dtype,
        result=lambda dtype: dtype,
        reference=lambda np, x, axis: np.logaddexp.accumulate(x.astype(np.float64), axis=axis),
        gradient=_logcumsumexp_gradient,
    )
)
