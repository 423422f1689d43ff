"""Rows and columns folded several at a time: the same bits as one at a time."""

from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.builder import PlanBuilder
from pumice.graph import build
from pumice.graph.walk import topological
from pumice.kernel.printer import print_kernel
from pumice.lowering import columns, together
from pumice.lowering.memo import LoweringMemo
from pumice.ops import reduction
from pumice.ops.definition import registry
from pumice.target import CPU
from tests.engine.graphs import Source
from tests.lowering.interpreted import run

REDUCTIONS = [reduction.SUM, reduction.AMAX, reduction.ARGMAX, reduction.ARGMIN]
SHAPES = [
    ((131, 70), (1,)),
    ((64, 33), (1,)),
    ((3, 90, 40), (2,)),
    ((2, 70, 3, 37), (1, 3)),
    ((131, 70), (0,)),
    ((67, 200), (0,)),
    ((5, 41, 66), (0, 1)),
]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr("pumice.lowering.lower._memo", LoweringMemo())
    return monkeypatch


def interpreted(op: Any, array: Any, axes: tuple[int, ...]) -> tuple[Any, int]:
    source = Source(CPU).put(array)
    node = build.reduce(op, source, axes)
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    return run(steps, {source: array}, node), steps[0].items


CASES = [
    (op, *case) for op in REDUCTIONS for case in SHAPES if len(case[1]) == 1 or not op.with_index
]


@pytest.mark.parametrize(
    ("op", "shape", "axes"), CASES, ids=lambda each: getattr(each, "name", str(each))
)
def test_same_bits_as_one_at_a_time(
    op: Any, shape: tuple[int, ...], axes: tuple[int, ...], fresh: pytest.MonkeyPatch
) -> None:
    array = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    array.reshape(-1)[::101] = np.nan
    fresh.setattr(together, "FEWEST_ELEMENTS", 1)
    found, items = interpreted(op, array, axes)
    fresh.setattr("pumice.lowering.lower._memo", LoweringMemo())
    fresh.setattr(together, "MOST_TOGETHER", 1)
    fresh.setattr(columns, "MOST_TOGETHER", 1)
    expected, more_items = interpreted(op, array, axes)
    np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))
    assert items < more_items or 0 in axes or shape[0] < 8


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64"])
@pytest.mark.parametrize(("rows", "length"), [(1000, 71), (515, 129), (70001, 3), (3, 70001)])
def test_compiled(rows: int, length: int, dtype: str) -> None:
    numbers = (np.random.default_rng(5).standard_normal((rows, length)) * 9).astype(dtype)
    tensor = pumice.tensor(numbers)
    for axis in (0, 1):
        total = numbers.sum(axis, dtype=np.int64 if dtype[0] == "i" else np.float64)
        np.testing.assert_allclose(tensor.sum(axis).numpy(), total, 1e-4, 1e-2)
        np.testing.assert_array_equal(tensor.argmax(axis).numpy(), numbers.argmax(axis))
        np.testing.assert_array_equal(tensor.amin(axis).numpy(), numbers.min(axis))


@pytest.mark.parametrize("length", [(9 << 15) + 5, 8 << 15, (11 << 16) + 1])
def test_chunks_of_long_rows(length: int) -> None:
    numbers = np.random.default_rng(9).standard_normal((2, length)).astype(np.float32)
    tensor = pumice.tensor(numbers)
    np.testing.assert_allclose(tensor.sum(1).numpy(), numbers.sum(1, dtype=np.float64), 1e-4, 1e-2)
    np.testing.assert_array_equal(tensor.argmax(1).numpy(), numbers.argmax(1))
    np.testing.assert_array_equal(tensor[:, 3:].amax(1).numpy(), numbers[:, 3:].max(1))


def test_the_next_row_is_asked_for_while_one_is_computed_with() -> None:
    numbers = np.random.default_rng(1).standard_normal((1025, 2049)).astype(np.float32)
    rows = Source(CPU).put(numbers)
    top = build.reduce(reduction.AMAX, rows, (1,))
    powers = registry["exp"](registry["sub"](rows, build.expand(top, rows.shape)))
    total = build.expand(build.reduce(reduction.SUM, powers, (1,)), rows.shape)
    node = registry["div"](powers, total)
    (step,) = PlanBuilder(topological([node]), [node], CPU).steps
    assert print_kernel(step.kernel).count("prefetch") == 1
    found = pumice.tensor(numbers).softmax(1).numpy()
    exact = np.exp(numbers.astype(np.float64))
    np.testing.assert_allclose(found, exact / exact.sum(1, keepdims=True), 1e-5)
