"""Rows turned into columns of local memory, with every edge."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import Grid, Kernel, Parameter, Role, Store, Transpose, Variable, index, load
from pumice.target import Target
from tests.backends.llvm_support import TARGETS, at, buffer, check, lanes, numpy_dtype, serial, size

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
DEEPEST = 70


def turned(source: DType, wanted: DType, columns: int, pitch: int, masked: bool) -> Kernel:
    """``out[item, p, j] = a[item, j, p]`` through a local."""
    a, out = buffer("a", source), buffer("out", wanted, True)
    items, row, depth, width = map(size, ("items", "row", "depth", "width"))
    extent = DEEPEST * pitch + 3
    local = Parameter("turned", Role.LOCAL, wanted, writable=True, extent=extent)
    item, p, j = map(Variable, ("item", "p", "j"))
    statement = Transpose(
        local, index(3), pitch, a, at(item) * at(row) * columns, at(row), at(depth), columns,
        at(width) if masked else None,
    )  # fmt: skip
    place = (at(item) * at(depth) + at(p)) * columns + at(j)
    store = Store(out, place, load(local, at(p) * pitch + at(j) + 3))
    body = (statement, serial(p, at(depth), lanes(j, index(columns), store)))
    parameters = (a, out, items, row, depth, width)
    return Kernel(parameters, Grid((item,), (at(items),)), body, locals=(local,))


@TARGET
@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (dtypes.float32, dtypes.float32),
        (dtypes.float64, dtypes.float64),
        (dtypes.bfloat16, dtypes.float32),
        (dtypes.float16, dtypes.float32),
        (dtypes.float32, dtypes.float64),
        (dtypes.int8, dtypes.int32),
    ],
    ids=lambda dtype: dtype.name,
)
def test_rows_become_columns(target: Target, source: DType, wanted: DType) -> None:
    shapes = ((32, 32), (12, 12), (3, 5)) if source is dtypes.float32 else ((16, 24),)
    for columns, pitch in shapes:
        for masked in (False, True):
            code = turned(source, wanted, columns, pitch, masked)
            for depth in (1, 16, 70):
                row, width = depth + 2, max(columns - 3, 1) if masked else columns
                data = np.arange(2 * columns * row) % 113 - 50
                a = data.astype(numpy_dtype(source))
                out = np.zeros(2 * depth * columns, numpy_dtype(wanted))
                check(code, (a, out, 2, row, depth, width), target)
