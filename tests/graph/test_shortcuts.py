"""Views and writes that need less than they name; values stay what they were."""

import numpy as np
import pytest

import pumice
from pumice import dtypes
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.view import View


def source() -> Node:
    return pumice.tensor(np.arange(12, dtype=np.float32)).node


def cleared(base: Node, start: int, length: int, value: float = 0.0) -> Node:
    box = View((length,), (1,), start)
    return build.update(base, build.constant(value, dtypes.float32, (length,)), box)


def test_a_view_looks_past_a_write_elsewhere() -> None:
    x = source()
    read = build.view(cleared(x, 4, 3), View((2, 2), (1, 2), 7))
    assert read.op is structure.VIEW
    assert read.sources == (x,)


@pytest.mark.parametrize("start", [3, 5, 6])
def test_a_view_of_what_was_written_stays(start: int) -> None:
    x = source()
    read = build.view(cleared(x, 4, 3), View((2,), (1,), start))
    expected = np.arange(12.0)
    expected[4:7] = 0
    assert read.sources[0].op is structure.UPDATE
    (values,) = interpret([read], {x: np.arange(12, dtype=np.float32)})
    np.testing.assert_array_equal(values, expected[start : start + 2])


def test_writes_beside_each_other_become_one() -> None:
    for first, second in ((2, 5), (5, 2)):
        x = source()
        written = cleared(cleared(x, first, 3), second, 3)
        assert written.sources[0].op is not structure.UPDATE
        expected = np.arange(12.0)
        expected[2:8] = 0
        (values,) = interpret([written], {x: np.arange(12, dtype=np.float32)})
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(("start", "value"), [(6, 0.0), (5, 1.0), (5, -0.0), (4, 0.0)])
def test_other_writes_stay_apart(start: int, value: float) -> None:
    written = cleared(cleared(source(), 2, 3), start, 3, value)
    assert written.sources[0].op is structure.UPDATE


def test_nothing_is_left_out_of_a_recorded_graph() -> None:
    x = build.leaf(source())
    read = build.view(cleared(x, 4, 3), View((2,), (1,), 8))
    assert read.sources[0].op is structure.UPDATE
