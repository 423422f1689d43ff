"""Launches cut to few steps, run by the kernel interpreter and compared with the graph's."""

from dataclasses import replace

import numpy as np
import pytest

from pumice import dtypes
from pumice.engine import memory
from pumice.errors import UnsupportedOperation
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.ir import Loop, LoopKind, Store, Value, Variable, constant, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.loops import variable_value
from pumice.lowering.lower import lower
from pumice.lowering.pieces import within_limit
from pumice.lowering.steps import Step
from pumice.lowering.trips import Trips
from pumice.ops import reduction
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU, Target, Tile
from tests.backends.spirv_support import FULL
from tests.engine.graphs import CASES, Case, Source
from tests.lowering.interpreted import run

TOLERANCE = {np.dtype(np.float64): 1e-11, np.dtype(np.float32): 3e-5}


def limited(steps: int) -> Target:
    tiles = {each.name: Tile(4, 4) for each in dtypes.ALL}
    # Attention in shared memory has launches of its own; without, what it stands for is cut.
    return replace(
        FULL, tiles=tiles, limits=FULL.limits | {"steps": steps, "shared_memory_bytes": 0}
    )


def lowered(nodes: list[Node], target: Target) -> tuple[list[Step], list[Node]]:
    order, wanted = rewrite(topological(nodes), nodes, target)
    return lower(fuse(order, wanted), target), wanted


def check(nodes: list[Node], limit: int) -> list[Step]:
    target = limited(limit)
    leaves = {
        node: memory.download(node.value, node.dtype, node.shape)
        for node in topological(nodes)
        if node.value is not None
    }
    expected = interpret(nodes, leaves)
    steps, wanted = lowered(nodes, target)
    for step in steps:
        assert Trips(step, target.lanes).steps(step.kernel.body) <= limit
    if len(steps) == len(lowered(nodes, limited(0))[0]):
        return steps
    for node, right in zip(wanted, expected, strict=True):
        found = run(steps, leaves, node) if node.numel and node not in leaves else right
        if right.dtype.kind in "iub":
            np.testing.assert_array_equal(found, right)
            continue
        bound = TOLERANCE.get(right.dtype, 1e-2)
        np.testing.assert_allclose(
            found.astype(np.float64), right.astype(np.float64), rtol=bound, atol=bound
        )
    return steps


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cut_kernels_compute_the_same(case: Case) -> None:
    check(case.make(Source(CPU)), 400 if case.name == "select_many" else 40)


@pytest.mark.parametrize("name", ["cumsum_rows", "argsort", "argsort_rows", "product", "sum_long"])
def test_a_low_limit_takes_more_launches(name: str) -> None:
    case = next(each for each in CASES if each.name == name)
    counts = [
        len(lowered(case.make(Source(CPU)), limited(limit))[0]) for limit in (0, 1 << 20, 40, 20)
    ]
    assert counts[0] == counts[1] < counts[2] < counts[3]


@pytest.mark.parametrize("op", [reduction.SUM, reduction.ARGMAX, reduction.PROD])
@pytest.mark.parametrize("shape", [(900, 2, 3), (5, 2, 4000), (41, 2, 2000)])
def test_folds_over_two_axes(op: reduction.Reduction, shape: tuple[int, ...]) -> None:
    """The outer loop is long, the inner one is, or both are."""
    source = Source(CPU)
    values = np.cos(source.random.standard_normal(shape) * 0.01)
    node = build.reduce(op, source.put(values), (0, 2))
    assert len(check([node], 30)) > 2


def test_carries_of_a_loop_with_unequal_rows() -> None:
    """Items whose loop is short leave their result alone while others go on."""
    builder = KernelBuilder()
    node = build.constant(0, dtypes.int64, (40, 40), CPU)
    row, column = Variable("row"), Variable("column")
    output = builder.writable(node, dtypes.int64)
    at = variable_value(row) * index(40) + variable_value(column)
    rows = builder.size(40, "rows")
    store = Store(output, at, variable_value(column).cast(dtypes.int64))
    loop = Loop(column, index(0), variable_value(row), LoopKind.SERIAL, (store,))
    pieces = within_limit([builder.finish(((row, rows, 40),), (loop,), 1, node)], limited(30))
    assert len(pieces) == 2
    out = np.full(1600, -1)
    for piece in pieces:
        arguments = [each if isinstance(each, int) else out for each in piece.bindings]
        interpret_kernel(piece.kernel, arguments)
    expected = np.where(np.arange(40) < np.arange(40)[:, None], np.arange(40), -1)
    np.testing.assert_array_equal(out.reshape(40, 40), expected)


def test_what_cannot_be_cut_is_refused() -> None:
    builder = KernelBuilder()
    node = build.constant(0, dtypes.int64, (64,), CPU)
    lane, inner = Variable("lane"), Variable("inner")
    output = builder.writable(node, dtypes.int64)
    value: Value = constant(1, dtypes.int64)
    body = Loop(
        inner,
        index(0),
        builder.size(100, "inner"),
        LoopKind.SERIAL,
        (Store(output, variable_value(lane), value),),
    )
    loop = Loop(lane, index(0), index(64), LoopKind.LANES, (body,))
    step = builder.finish((), (loop,), 1, node)
    with pytest.raises(UnsupportedOperation, match=r"more steps in a row"):
        within_limit([step], limited(50))
