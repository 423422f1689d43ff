"""Scatters that sort where they write, run by the kernel interpreter and compared with NumPy."""

from typing import Any

import numpy as np
import pytest

from pumice.graph import build
from pumice.graph.walk import topological
from pumice.lowering import scatter_sorted
from pumice.lowering.lower import lower
from pumice.lowering.steps import Step
from pumice.ops.structure import Indexing, ScatterMode
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU
from tests.backends.spirv_support import FULL, compile_valid
from tests.engine.graphs import Source
from tests.lowering.interpreted import Array, run
from tests.lowering.test_scatter import FOLDS

RANDOM = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scatter_sorted, "FEWEST_POSITIONS", 8)


def scattered(arrays: list[Array], indexing: Indexing) -> tuple[Array, list[Step]]:
    """Return the result of a base, a source and indices, and the launches."""
    source = Source(CPU)
    base, values, *indices = nodes = [source.put(array) for array in arrays]
    node = build.scatter(base, values, indices, indexing)
    order, wanted = rewrite(topological([node]), [node], FULL)
    steps = lower(fuse(order, wanted), FULL)
    for step in steps:
        compile_valid(step.kernel, FULL)
    return run(steps, dict(zip(nodes, arrays, strict=True)), wanted[0]), steps


@pytest.mark.parametrize("mode", list(FOLDS))
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("shape", [(97,), (19, 5), (300,)])
def test_values(mode: ScatterMode, dtype: Any, shape: tuple[int, ...]) -> None:
    """Some places are written often, some never; writes out of range are dropped."""
    places = 11
    base = RANDOM.integers(1, 4, places).astype(dtype)
    values = RANDOM.integers(1, 3, shape).astype(dtype)
    index = RANDOM.integers(-places, places + 2, shape)
    index[index == 4] = 5
    found, steps = scattered([base, values, index], Indexing((0,), fill=True, mode=mode))
    assert len(steps) > 4
    expected = base.copy()
    inside = index < places
    FOLDS[mode].at(expected, index[inside], values[inside])
    np.testing.assert_array_equal(found, expected)


def test_the_last_write_stays() -> None:
    base, index = np.zeros(7, np.float32), RANDOM.integers(0, 6, 60)
    values = np.arange(60, dtype=np.float32)
    found, _ = scattered([base, values, index], Indexing((0,)))
    expected = base.copy()
    for place, value in zip(index, values, strict=True):
        expected[place] = value
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("axes", [(0, -2), (-1, 0)])
def test_axes_that_go_straight_through(axes: tuple[int, ...]) -> None:
    """Rows, or columns, are added in the order of the source."""
    rows = axes[0] == 0
    values = RANDOM.standard_normal((40, 3) if rows else (3, 40)).astype(np.float32)
    line = RANDOM.integers(0, 5, 40)
    index = np.broadcast_to(line[:, None] if rows else line, values.shape)
    base = RANDOM.standard_normal((5, 3) if rows else (3, 5)).astype(np.float32)
    source = Source(CPU)
    nodes = [source.put(each) for each in (base, values, line)]
    spread = build.expand(build.reshape(nodes[2], (40, 1) if rows else (1, 40)), values.shape)
    indexing = Indexing(axes, mode=ScatterMode.ADD)
    node = build.scatter(nodes[0], nodes[1], [spread], indexing)
    order, wanted = rewrite(topological([node]), [node], FULL)
    steps = lower(fuse(order, wanted), FULL)
    assert len(steps) > 4
    found = run(steps, dict(zip(nodes, (base, values, line), strict=True)), wanted[0])
    expected = base.copy()
    for at in np.ndindex(*values.shape):
        place = (index[at], at[1]) if rows else (at[0], index[at])
        expected[place] += values[at]
    np.testing.assert_array_equal(found, expected)


def test_two_indexed_axes() -> None:
    base = np.zeros((3, 4), np.int64)
    first, second = RANDOM.integers(0, 3, 50), RANDOM.integers(-4, 4, 50)
    values = RANDOM.integers(0, 9, 50)
    found, _ = scattered([base, values, first, second], Indexing((0, 1), mode=ScatterMode.ADD))
    expected = base.copy()
    np.add.at(expected, (first, second), values)
    np.testing.assert_array_equal(found, expected)


def test_places_that_differ_along_a_straight_axis_are_not_sorted() -> None:
    base, values = np.zeros((5, 3), np.float32), np.ones((40, 3), np.float32)
    index = RANDOM.integers(0, 5, (40, 3))
    _, steps = scattered([base, values, index], Indexing((0, -2), mode=ScatterMode.ADD))
    assert len(steps) == 2
