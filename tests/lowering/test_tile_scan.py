"""Running folds by workgroups, run by the kernel interpreter and compared with NumPy."""

from typing import Any

import numpy as np
import pytest

from pumice.graph import build
from pumice.graph.walk import topological
from pumice.lowering import scan as lowering
from pumice.lowering.lower import lower
from pumice.lowering.steps import Step
from pumice.lowering.tile_scan import EXTENT, STEPS
from pumice.lowering.trips import Trips
from pumice.ops import scan
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU
from tests.backends.spirv_support import FULL, compile_valid
from tests.engine.graphs import Source
from tests.lowering.interpreted import Array, run

REFERENCES: dict[Any, Any] = {
    scan.CUMSUM: np.add,
    scan.CUMPROD: np.multiply,
    scan.CUMMAX: np.maximum,
}


def check(op: Any, array: Array, axis: int) -> list[Step]:
    source = Source(CPU).put(array)
    node = build.scan(op, source, axis)
    order, wanted = rewrite(topological([node]), [node], FULL)
    steps = lower(fuse(order, wanted), FULL)
    for step in steps:
        compile_valid(step.kernel, FULL)
    found = run(steps, {source: array}, wanted[0])
    expected = REFERENCES[op].accumulate(array, axis=axis, dtype=found.dtype)
    if array.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    return steps


def tiled(steps: list[Step]) -> bool:
    return any(step.kernel.locals for step in steps)


@pytest.mark.parametrize("op", list(REFERENCES))
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("length", [128, 129, 1000, EXTENT, EXTENT + 1, 2 * EXTENT + 77])
def test_rows(op: Any, dtype: Any, length: int) -> None:
    random = np.random.default_rng(6)
    array = random.standard_normal((3, length)) if dtype is np.float64 else None
    if array is None:
        array = random.integers(1, 4, (3, length)).astype(dtype)
    else:
        array[1, 50] = np.nan
    steps = check(op, array, 1)
    assert len(steps) == 1 and tiled(steps)
    whole = Trips(steps[0], FULL.lanes).steps(steps[0].kernel.body)
    assert whole <= STEPS * -(-length // EXTENT)


@pytest.mark.parametrize("op", list(REFERENCES))
def test_chunks_of_long_rows(op: Any) -> None:
    array = np.random.default_rng(6).standard_normal((2, lowering.DEVICE_ROW + 300))
    steps = check(op, array, 1)
    assert len(steps) == 3 and tiled(steps[2:])


def test_columns_and_short_rows_stay_with_an_item_each() -> None:
    random = np.random.default_rng(6)
    assert not tiled(check(scan.CUMSUM, random.standard_normal((300, 5)), 0))
    assert not tiled(check(scan.CUMSUM, random.standard_normal((5, 100)), 1))
