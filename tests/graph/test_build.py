"""Nodes are checked when they are made; their text and their verifier."""

import inspect

import numpy as np
import pytest

import pumice
from pumice import dtypes
from pumice.errors import DTypeError, InternalError, ShapeError
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.printer import print_graph
from pumice.graph.verify import verify_graph
from pumice.graph.walk import topological
from pumice.ops import reduction, structure
from pumice.ops.definition import registry
from pumice.ops.view import View
from pumice.target import CPU
from tests.engine.graphs import Source, total, unary


def test_text_of_a_graph() -> None:
    source = Source(CPU)
    x = source.normal(3, 4)
    text = print_graph([total(unary("exp", x) * 2.0, 1)])
    assert text.splitlines() == [
        "%0 = buffer float32[3, 4]",
        "%1 = exp float32[3, 4] %0",
        "%2 = constant float32[3, 4] value=2.0",
        "%3 = mul float32[3, 4] %1 %2",
        "%4 = sum float32[3, 1] %3 {(1,)}",
        "return %4",
    ]


def test_shapes_are_checked_at_the_call() -> None:
    source = Source(CPU)
    with pytest.raises(ShapeError, match=r"add: shapes \[2, 3\] and \[4\] do not broadcast.*test_"):
        source.normal(2, 3) + source.normal(4)


def test_dtypes_are_checked_at_the_call() -> None:
    x = build.constant(True, dtypes.bool_, (2,))
    with pytest.raises(DTypeError, match="sub: got bool; allowed are numeric types"):
        x - x


def test_user_lines_are_kept() -> None:
    here = inspect.currentframe()
    assert here is not None
    first = here.f_lineno + 1
    node = build.constant(1.0, dtypes.float32, (2,)) + 1.0
    other = (pumice.zeros(2) - 2).node
    assert node.line == (__file__, first, "")
    assert other.line == (__file__, first + 1, "")
    assert other.sources[1].line == other.line  # of the number


def test_views_of_views_become_one() -> None:
    x = Source(CPU).normal(4, 6)
    moved = build.slice_axis(build.flip(build.permute(x, (1, 0)), (0,)), 1, 1, 2)
    assert moved.op is structure.VIEW
    assert moved.sources[0] is x


def test_constants_take_no_memory_when_moved() -> None:
    node = build.expand(build.constant(3.0, dtypes.float32, (1, 4)), (5, 4))
    assert node.op is structure.CONSTANT


def test_adjoint_of_a_permutation_is_a_view() -> None:
    g = Source(CPU).normal(6, 4)
    argument = View.contiguous((4, 6)).permute((1, 0))
    assert build.view_adjoint(g, argument, (4, 6)).op is structure.VIEW


def test_walk_of_a_graph_too_deep_for_recursion() -> None:
    node = Source(CPU).normal(2)
    for _ in range(20_000):
        node = node + 1.0
    assert len(topological([node])) == 40_001


@pytest.mark.parametrize("problem", ["shape", "dtype", "bounds", "twice"])
def test_the_verifier_notices(problem: str) -> None:
    x = Source(CPU).normal(3, 4)
    if problem == "shape":
        bad = Node(registry["exp"], dtypes.float32, (3,), (x,))
    elif problem == "dtype":
        bad = Node(reduction.SUM, dtypes.float32, (3, 4), (x,), (1,))
    elif problem == "bounds":
        bad = Node(structure.VIEW, dtypes.float32, (5,), (x,), View((5,), (3,)))
    else:
        box = View((2, 2), (0, 1))
        bad = Node(structure.UPDATE, dtypes.float32, (3, 4), (x, Source(CPU).normal(2, 2)), box)
    with pytest.raises(InternalError, match="please report"):
        verify_graph([bad])


def test_promotion_of_operands() -> None:
    """Axes decide before 0-d tensors, those before numbers."""
    row = build.constant(1, dtypes.int8, (3,))
    point = build.constant(1.0, dtypes.float64, ())
    assert build.result_type(row, 2) is dtypes.int8
    assert build.result_type(row, 2.5) is dtypes.float32
    assert build.result_type(row, point) is dtypes.float64
    assert build.result_type(build.constant(1.0, dtypes.float16, (3,)), point) is dtypes.float16


def test_an_evaluated_node_lets_go_of_its_sources() -> None:
    x = pumice.tensor(np.ones(4, np.float32))
    y = (x + 1).realize()
    assert y.node.sources == ()
