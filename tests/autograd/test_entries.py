"""Gradients of every operator entry against finite differences, orders 1 and 2.

The cases come from the registry; the graph interpreter evaluates them.
"""

from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.autograd import gradcheck, gradgradcheck, gradients
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import entries  # noqa: F401 - fills the registry
from pumice.ops.definition import Elementwise, OpDef, Reduction, Scan, registry
from pumice.testing.cases import can_fail, operand_domain
from pumice.testing.gradients import GraphTensor, evaluate, host_node, on_nodes

ELEMENTWISE = [entry for entry in registry.elementwise() if entry.gradient is not None]
SMOOTH = [entry for entry in ELEMENTWISE if entry.samples.smooth]
ROUGH = [entry for entry in ELEMENTWISE if not entry.samples.smooth]
SINGULAR = [entry for entry in ELEMENTWISE if entry.singular]
FOLDS = [
    entry
    for entry in registry.entries.values()
    if isinstance(entry, Reduction | Scan) and entry.gradient is not None
]

CONDITION = np.array([[True, False, True], [False, False, True]])


def operands(entry: Elementwise, shapes: tuple[tuple[int, ...], ...]) -> list[GraphTensor]:
    """Return leaves within the entry's domain, away from its borders."""
    random = np.random.default_rng(len(entry.name))
    result = []
    for position in range(1 if entry.condition_first else 0, entry.arity):
        low, high = operand_domain(entry, position)
        low, high = max(low, -50.0), min(high, 50.0)
        margin = (high - low) * 0.01
        shape = shapes[position % len(shapes)]
        result.append(GraphTensor.leaf(random.uniform(low + margin, high - margin, shape)))
    return result


def function(entry: Elementwise) -> Any:
    """Return the entry as a function of its differentiable operands."""
    first = [host_node(CONDITION)] if entry.condition_first else []
    return on_nodes(lambda *nodes: build.elementwise(entry, *first, *nodes))


@pytest.mark.parametrize("entry", SMOOTH, ids=lambda entry: entry.name)
def test_first_order(entry: Elementwise) -> None:
    assert gradcheck(function(entry), operands(entry, ((2, 3),)))


@pytest.mark.parametrize("entry", SMOOTH, ids=lambda entry: entry.name)
def test_second_order(entry: Elementwise) -> None:
    assert gradgradcheck(function(entry), operands(entry, ((2, 3),)), atol=1e-4)


@pytest.mark.parametrize(
    "entry", [entry for entry in SMOOTH if entry.arity > 1], ids=lambda entry: entry.name
)
def test_broadcasting(entry: Elementwise) -> None:
    assert gradcheck(function(entry), operands(entry, ((2, 1), (3,))))


@pytest.mark.parametrize("entry", ROUGH, ids=lambda entry: entry.name)
def test_between_steps(entry: Elementwise) -> None:
    """Functions with steps are checked where there is none within reach."""
    values = [[0.3, 1.7, -2.4, 5.2], [2.25, 0.9, 1.1, -0.8]]
    if can_fail(entry, dtypes.float64):
        values[1] = [0.1, 0.2, 0.3, 0.4]  # anything else would be reported
    leaves = [GraphTensor.leaf(each) for each in values[: entry.arity]]
    assert gradcheck(function(entry), leaves)


@pytest.mark.parametrize("entry", SINGULAR, ids=lambda entry: entry.name)
def test_no_gradient_in_no_gradient_out(entry: Elementwise) -> None:
    """Where nothing flows in, exactly 0 flows out, whatever the local derivative is."""
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]
    grids = np.meshgrid(*[special] * entry.arity, indexing="ij")
    leaves = [GraphTensor.leaf(grid.reshape(-1)).node for grid in grids]
    out = build.elementwise(entry, *leaves)
    seed = host_node(np.zeros(out.shape))
    found = gradients([out], [seed], leaves)
    for part in evaluate([node for node in found if node is not None]):
        np.testing.assert_array_equal(part, np.zeros(out.shape))


@pytest.mark.parametrize("entry", FOLDS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (0, 1, 2)], ids=str)
def test_fold(entry: OpDef, axes: tuple[int, ...]) -> None:
    if isinstance(entry, Reduction):
        rule: Any = lambda x: build.reduce(entry, x, axes)  # noqa: E731
    else:
        rule = lambda x: build.scan(entry, x, axes[-1])  # noqa: E731
    values = np.random.default_rng(1).uniform(-2, 2, (2, 3, 4))
    assert gradcheck(on_nodes(rule), [GraphTensor.leaf(values)])
    assert gradgradcheck(on_nodes(rule), [GraphTensor.leaf(values)], atol=1e-4)


def test_product_with_zeros() -> None:
    for values in ([2.0, 0.0, 3.0], [0.0, 0.0, 3.0]):
        leaf = GraphTensor.leaf(values)
        product = on_nodes(lambda x: build.reduce(registry.entries["prod"], x, (0,)))  # type: ignore[arg-type]
        assert gradcheck(product, [leaf])


@pytest.mark.parametrize("entry", [*ELEMENTWISE, *FOLDS], ids=lambda entry: entry.name)
def test_small_floats_keep_their_dtype(entry: OpDef) -> None:
    for dtype in (dtypes.float16, dtypes.bfloat16, dtypes.float32):
        if isinstance(entry, Elementwise):
            leaves = [
                build.leaf(build.cast(each.node, dtype)) for each in operands(entry, ((2, 3),))
            ]
            first = [host_node(CONDITION)] if entry.condition_first else []
            out: Node = build.elementwise(entry, *first, *leaves)
        else:
            leaves = [build.leaf(build.constant(1.5, dtype, (2, 3)))]
            fold: Any = build.reduce if isinstance(entry, Reduction) else build.scan
            out = fold(entry, leaves[0], (1,) if isinstance(entry, Reduction) else 1)
        seed = build.constant(1, out.dtype, out.shape)
        for leaf, part in zip(leaves, gradients([out], [seed], leaves), strict=True):
            if part is not None:
                assert part.dtype is dtype
                assert part.shape == leaf.shape


def test_no_entry_is_left_out() -> None:
    """Every entry with a gradient is above, or where its structure is tested."""
    from_registry = {name for name, entry in registry.entries.items() if entry.gradient}
    structural = {"leaf", "custom", "cast", "copy", "view", "update", "contract", "gather"}
    structural |= {"scatter", "attention", "attention_norm", "after"}
    # `tensor/test_linear_algebra.py` compares these with PyTorch.
    matrices = {"cholesky", "det", "eigh", "lu", "pinv", "qr", "solve", "solve_triangular", "svd"}
    covered = {entry.name for entry in (*ELEMENTWISE, *FOLDS)} | structural | matrices
    assert from_registry == covered


def test_entries_without_gradient_say_why() -> None:
    for entry in registry.entries.values():
        assert entry.gradient is not None or entry.no_gradient
