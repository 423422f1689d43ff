"""Whether a row computes the same in two frameworks, on small inputs."""

from dataclasses import replace

import ml_dtypes
import numpy as np

from benchmarks.frameworks import prepare
from benchmarks.row import Array, FirstCall, Import, Row, Shapes, data_of

RUNS = 3
"""Enough for a captured function to be replayed, and for an optimizer to have a state."""
SHAPES = 40
TOLERANCES = {np.dtype(ml_dtypes.bfloat16): 2e-2, np.dtype(np.float64): 1e-11}
TOLERANCE = 1e-4


def comparable(row: Row) -> bool:
    """Whether the row computes something."""
    return not isinstance(row.task, Import | FirstCall)


def outcomes(framework: str, row: Row) -> list[Array]:
    """Return what the row computes on small inputs, in the last of a few runs."""
    if isinstance(row.task, Shapes):
        row = replace(row, task=Shapes(SHAPES))
    prepared = prepare(framework, row, data_of(row, small=True))
    with prepared.mode():
        for _ in range(RUNS - 1):
            prepared.outcome()
        return prepared.outcome()


def difference(row: Row, got: list[Array], wanted: list[Array]) -> str:
    """Return what differs, nothing if the results agree within rounding."""
    if len(got) != len(wanted):
        return f"{len(got)} results, not {len(wanted)}"
    types = {array.dtype for array in data_of(row, small=True).inputs.values()}
    tolerance = max((TOLERANCES.get(dtype, TOLERANCE) for dtype in types), default=TOLERANCE)
    for position, (left, right) in enumerate(zip(got, wanted, strict=True)):
        if left.shape != right.shape:
            return f"result {position} has shape {left.shape}, not {right.shape}"
        limit = 0.0 if right.dtype.kind in "biu" else tolerance * float(np.abs(right).max())
        error = float(np.abs(left.astype(np.float64) - right.astype(np.float64)).max())
        if not error <= limit:
            return f"result {position} differs by {error:.3g}, more than {limit:.3g}"
    return ""
