"""Running folds along one axis."""

from typing import Any

from pumice.ops.definition import Scan, register
from pumice.ops.reduction import SUM


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
