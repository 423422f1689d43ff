"""Gradients of structural operations, and of graphs as a whole."""

from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.autograd import GraphReleasedError, gradcheck, gradgradcheck, gradients
from pumice.errors import UnsupportedOperation
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.ops import entries, reduction  # noqa: F401 - fills the registry
from pumice.ops.definition import registry
from pumice.ops.structure import Contraction, Indexing, ScatterMode
from pumice.ops.view import View
from pumice.testing.gradients import GraphTensor, evaluate, host_node, on_nodes

RANDOM = np.random.default_rng(3)


def values(*shape: int) -> GraphTensor:
    return GraphTensor.leaf(RANDOM.uniform(-2, 2, shape))


def check(rule: Any, *leaves: GraphTensor) -> None:
    """Check both orders; squaring makes the second one non-zero."""
    assert gradcheck(on_nodes(rule), list(leaves))
    assert gradgradcheck(on_nodes(lambda *nodes: square(rule(*nodes))), list(leaves), atol=1e-4)


def square(node: Node) -> Node:
    return node * node


def indices(*numbers: Any) -> Node:
    return host_node(np.array(numbers, np.int64))


@pytest.mark.parametrize(
    "argument",
    [
        View((3, 2), (1, 3)),
        View((2, 3), (-3, -1), 5),
        View((2, 2), (3, 1), 1),
        View((4, 2, 3), (0, 3, 1)),
        View((4, 3), (1, 1)),
        View((2, 2, 3), (1, 0, 1)),
        View((3,), (2,)),
        View((0, 3), (3, 1)),
        View((2,), (-5,), 5),
        View((3, 3), (1, 1), 1),
    ],
    ids=str,
)
def test_view(argument: View) -> None:
    check(lambda x: build.view(x, argument), values(2, 3))


def test_update() -> None:
    box = View((2, 2), (3, 1), 1)
    check(lambda x, y: build.update(x, y, box), values(2, 3), values(2, 2))


def test_pad_and_concatenate() -> None:
    check(lambda x: build.pad(x, (1, 0), (0, 2)), values(2, 3))
    check(lambda x, y: build.concatenate([x, y, x], 1), values(2, 3), values(2, 1))


def test_contract() -> None:
    argument = Contraction(1, 1, 1, 1, dtypes.float64)
    check(lambda x, y: build.contract(x, y, argument), values(2, 3, 4), values(2, 5, 4))


def test_contract_of_several_axes() -> None:
    argument = Contraction(0, 2, 1, 2, dtypes.float64)
    check(lambda x, y: build.contract(x, y, argument), values(2, 3, 2, 2), values(3, 2, 2))


def test_cast_gradient_has_the_source_dtype() -> None:
    leaf = build.leaf(build.constant(1.5, dtypes.float32, (2,)))
    wide = build.cast(leaf, dtypes.float64)
    (found,) = gradients([wide], [build.constant(1, dtypes.float64, (2,))], [leaf])
    assert found is not None
    assert found.dtype is dtypes.float32


def test_gather_with_repeated_indices() -> None:
    rows = indices([0, 2, 0], [1, 1, 2])
    argument = Indexing((0, -2))
    check(lambda x: build.gather(x, [rows], argument, (2, 3)), values(3, 3))


def test_gather_out_of_range_fills() -> None:
    rows = indices(0, 7, 1)
    argument = Indexing((0,), fill=True)
    check(lambda x: build.gather(x, [rows], argument, (3,)), values(3))


@pytest.mark.parametrize("mode", [ScatterMode.SET, ScatterMode.ADD], ids=str)
def test_scatter_with_repeated_indices(mode: ScatterMode) -> None:
    rows = indices(0, 2, 0)
    argument = Indexing((0,), mode=mode)
    check(lambda x, y: build.scatter(x, y, [rows], argument), values(4), values(3))


def test_diamond_accumulates() -> None:
    check(lambda x: x * x + x * 3.0 - square(x + x), values(3))


def test_thousands_deep() -> None:
    leaf = GraphTensor.leaf([1.0])
    node = leaf.node
    for _ in range(5000):
        node = node * 1.0
    (found,) = gradients([node], [build.constant(1, dtypes.float64, (1,))], [leaf.node])
    assert found is not None
    assert evaluate([found])[0] == [1.0]


def test_unrelated_leaf_gives_none() -> None:
    leaf, other = values(2), values(2)
    found = gradients([square(leaf.node)], [build.constant(1, dtypes.float64, (2,))], [other.node])
    assert found == [None]


def test_gradient_by_an_inner_node_and_what_is_below() -> None:
    leaf = values(2)
    inner = leaf.node * 2.0
    outer = square(inner)
    seed = build.constant(1, dtypes.float64, (2,))
    by_inner, by_leaf = gradients([outer], [seed], [inner, leaf.node])
    assert by_inner is not None
    assert by_leaf is not None
    first, second, value = evaluate([by_inner, by_leaf, inner])
    np.testing.assert_allclose(first, 2 * value)
    np.testing.assert_allclose(second, 4 * value)


def test_gradients_are_not_recorded_unless_asked() -> None:
    leaf = values(2)
    seed = build.constant(1, dtypes.float64, (2,))
    for create_graph in (False, True):
        (found,) = gradients([square(leaf.node)], [seed], [leaf.node], create_graph=create_graph)
        assert found is not None
        assert found.requires_grad is create_graph
    assert gradient_mode.get()


def test_nothing_is_recorded_below_detach_and_comparisons() -> None:
    leaf = values(2).node
    assert not build.detach(square(leaf)).requires_grad
    assert not (leaf > 0).requires_grad
    assert not (leaf > 0).cast(dtypes.float64).requires_grad


def test_an_operation_without_gradient_stops_backward() -> None:
    leaf = values(2).node
    node = leaf.apply(registry.entries["nextafter"], leaf)  # type: ignore[arg-type]
    assert node.requires_grad
    with pytest.raises(UnsupportedOperation, match="nextafter: backward cannot pass.*last bit"):
        gradients([node + leaf], [build.constant(1, dtypes.float64, (2,))], [leaf])


def test_second_backward_needs_retain_graph() -> None:
    leaf = values(2).node
    seed = build.constant(1, dtypes.float64, (2,))
    out = square(leaf)
    gradients([out], [seed], [leaf], retain_graph=True)
    gradients([out], [seed], [leaf])
    with pytest.raises(GraphReleasedError, match="backward through the graph a second time.*mul"):
        gradients([out], [seed], [leaf])


def test_second_backward_through_operations_that_saved_nothing() -> None:
    leaf = values(2).node
    seed = build.constant(1, dtypes.float64, (1,))
    out = build.reduce(reduction.SUM, -leaf * 3.0, (0,))
    for _ in range(2):
        (found,) = gradients([out], [seed], [leaf])
        assert found is not None
        assert evaluate([found])[0].tolist() == [-3.0, -3.0]


def test_gradient_by_a_released_node_itself() -> None:
    leaf = values(2).node
    inner = square(leaf)
    seed = build.constant(1, dtypes.float64, (2,))
    gradients([inner * 2.0], [seed], [leaf])
    (found,) = gradients([inner * 3.0], [seed], [inner])
    assert found is not None
    assert evaluate([found])[0].tolist() == [3.0, 3.0]
    with pytest.raises(GraphReleasedError):
        gradients([inner * 3.0], [seed], [inner, leaf])


def test_wrong_gradients_are_seen() -> None:
    """The check itself fails when it should."""
    leaf = values(3)

    def wrong(x: GraphTensor) -> GraphTensor:
        return GraphTensor(square(x.node) + build.detach(x.node))

    with pytest.raises(Exception, match="gradcheck: input 0, element 0: the gradient is"):
        gradcheck(wrong, [leaf])
    assert not gradcheck(wrong, [leaf], raise_exception=False)


def test_what_waits_passes_the_gradient_to_what_it_equals() -> None:
    check(lambda x, y: square(build.after(x, (y,))), values(3), values(2))
    first, second = values(3).node, values(2).node
    seed = build.constant(1, dtypes.float64, (3,))
    found = gradients([build.after(first, (second,))], [seed], [first, second])
    assert found[0] is not None and found[1] is None
