"""Scatters, run by the kernel interpreter and compared with NumPy."""

from typing import Any

import numpy as np
import pytest

from pumice.engine.builder import PlanBuilder
from pumice.graph import build
from pumice.graph.walk import topological
from pumice.lowering import scatter, scatter_shares
from pumice.ops.structure import Indexing, ScatterMode
from pumice.target import CPU
from pumice.tensor.operands import call
from tests.engine.graphs import Source
from tests.lowering.interpreted import run

FOLDS: dict[ScatterMode, Any] = {
    ScatterMode.ADD: np.add,
    ScatterMode.MULTIPLY: np.multiply,
    ScatterMode.MAXIMUM: np.maximum,
    ScatterMode.MINIMUM: np.minimum,
}


@pytest.mark.parametrize("mode", list(FOLDS))
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.float16])
@pytest.mark.parametrize("shape", [(97,), (19, 5)])
def test_pieces_are_folded_apart(
    mode: ScatterMode, dtype: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scatter_shares, "FEWEST_WRITES", 90)
    random = np.random.default_rng(4)
    source = Source(CPU)
    places = 5
    arrays = [
        random.integers(1, 4, places).astype(dtype),
        random.integers(1, 3, shape).astype(dtype),
        random.integers(-places, places + 1, shape),
    ]
    base, values, index = nodes = [source.put(array) for array in arrays]
    node = build.scatter(base, values, [index], Indexing((0,), fill=True, mode=mode))
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    assert any(step.items == scatter_shares.PIECES for step in steps)
    found = run(steps, dict(zip(nodes, arrays, strict=True)), node)
    expected = arrays[0].copy()
    inside = arrays[2] < places
    FOLDS[mode].at(expected, arrays[2][inside], arrays[1][inside])
    if dtype is np.float16:
        np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=2e-3)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", [ScatterMode.SET, ScatterMode.ADD, ScatterMode.MAXIMUM])
@pytest.mark.parametrize("shape", [(1,), (16,), (97,), (3, 37)])
@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("fill", [False, True])
def test_blocks_are_written_in_order(
    mode: ScatterMode,
    shape: tuple[int, ...],
    computed: bool,
    fill: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scatter, "WRITE_BLOCK", 16)
    monkeypatch.setattr(scatter, "PREFETCHED_BYTES", 100)
    random = np.random.default_rng(5)
    source = Source(CPU)
    places = 30
    arrays = [
        random.integers(0, 50, places).astype(np.float32),
        random.integers(0, 50, shape).astype(np.float32),
        random.integers(-places, places + (9 if fill else 0), shape),
    ]
    nodes = [source.put(array) for array in arrays]
    base, values, index = nodes
    written, expected_values = values, arrays[1]
    if computed:
        written, expected_values = call("neg", values), -arrays[1]
    node = build.scatter(base, written, [index], Indexing((0,), fill=fill, mode=mode))
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    found = run(steps, dict(zip(nodes, arrays, strict=True)), node)
    expected = arrays[0].copy()
    for place, value in zip(arrays[2].ravel(), expected_values.ravel(), strict=True):
        if place < places:
            fold = FOLDS.get(mode, lambda _, new: new)
            expected[place] = fold(expected[place], value)
    np.testing.assert_array_equal(found, expected)
