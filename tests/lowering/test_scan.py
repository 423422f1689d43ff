"""Running folds, run by the kernel interpreter and compared with NumPy."""

from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine import memory
from pumice.engine.builder import PlanBuilder
from pumice.engine.realize import realize
from pumice.graph import build
from pumice.graph.walk import topological
from pumice.lowering import scan as lowering
from pumice.lowering.steps import Step
from pumice.ops import scan
from pumice.target import CPU
from tests.engine.graphs import Source
from tests.lowering.interpreted import Array, run

REFERENCES: dict[Any, Any] = {
    scan.CUMSUM: np.add,
    scan.CUMMAX: np.maximum,
    scan.LOGCUMSUMEXP: np.logaddexp,
}


def check(op: Any, array: Array, axis: int) -> list[Step]:
    source = Source(CPU).put(array)
    node = build.scan(op, source, axis)
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    found = run(steps, {source: array}, node)
    expected = REFERENCES[op].accumulate(array.astype(np.float64), axis=axis)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    return steps


@pytest.mark.parametrize("op", list(REFERENCES))
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((9,), 0),  # one row
        ((67, 11), 1),  # rows together, or lanes across them
        ((2, 33, 7), 2),
        ((11, 67), 0),  # lanes across columns
        ((3, 9, 5), 1),
        ((67, 37), 1),
        ((5, 130), 1),
        ((37, 130), 0),
        ((2, 13, 70), 1),
    ],
)
def test_whole_rows(op: Any, shape: tuple[int, ...], axis: int) -> None:
    array = np.random.default_rng(6).standard_normal(shape)
    array.reshape(-1)[5] = -np.inf
    assert len(check(op, array, axis)) == 1


@pytest.mark.parametrize("op", list(REFERENCES))
@pytest.mark.parametrize(
    ("shape", "axis"), [((101,), 0), ((3, 130), 1), ((130, 3), 0), ((2, 110, 3), 1)]
)
def test_chunks_of_long_rows(
    op: Any, shape: tuple[int, ...], axis: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lowering, "LONG_ROW", 100)
    monkeypatch.setattr(lowering, "CHUNK", 20)
    steps = check(op, np.random.default_rng(6).standard_normal(shape), axis)
    assert len(steps) == 3 and steps[0].items >= 6


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool", "int64"])
@pytest.mark.parametrize("shape", [(70, 131), (4, 3), (1030, 11), (3, 70000)])
def test_compiled_sums_and_extremes(shape: tuple[int, ...], dtype: str, axis: int) -> None:
    numbers = (np.random.default_rng(2).standard_normal(shape) * 5).astype(dtype)
    tensor = pumice.tensor(numbers)
    exact = numbers.astype(np.float64).cumsum(axis)
    tolerance = {"float32": 1e-5, "float16": 2e-3}.get(dtype, 0.0)
    scale = np.abs(numbers.astype(np.float64)).cumsum(axis)
    found = tensor.cumsum(axis).numpy().astype(np.float64)
    assert (np.abs(found - exact) <= tolerance * scale).all()
    turned = np.ascontiguousarray(numbers.T)
    found = pumice.tensor(turned).mT.cumsum(axis).numpy().astype(np.float64)
    assert (np.abs(found - exact) <= tolerance * scale).all()
    if dtype != "bool":
        greatest = np.maximum.accumulate(numbers, axis)
        np.testing.assert_array_equal(tensor.cummax(axis).values.numpy(), greatest)


def test_chunks_keep_long_sums_accurate() -> None:
    """One running sum of so many floats would be off by far more."""
    ones = Source(CPU).put(np.full(1 << 17, 0.1, np.float32))
    node = build.scan(scan.CUMSUM, ones, 0)
    realize([node])
    assert node.value is not None
    found = memory.download(node.value, node.dtype, node.shape)[-1]
    serial = np.add.accumulate(np.full(1 << 17, 0.1, np.float32))[-1]
    exact = float(np.float32(0.1)) * (1 << 17)
    assert abs(found - exact) * 10 < abs(serial - exact)
