"""Attention kernels for workgroups that share memory, run by the kernel interpreter."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.engine import memory
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.printer import print_kernel
from pumice.lowering.lower import lower
from pumice.lowering.steps import Memory, Step
from pumice.lowering.trips import Trips
from pumice.ops.attention import ATTENTION_GRADIENT, KEY, QUERY, VALUE
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.schedule.shared_blocks import SharedNeed, forward_need, shared_blocks
from pumice.target import CPU, Target, Tile
from tests.backends.spirv_support import FULL
from tests.engine.graphs import Source
from tests.lowering.interpreted import run
from tests.lowering.test_attention import (
    MASKS,
    attention,
    factors,
    inputs,
    shared_heads,
    with_gradients,
    with_norm,
)

LEAST = 16 << 10
TOLERANCE = {"float32": 2e-5, "float64": 1e-12, "float16": 4e-3, "bfloat16": 3e-2}


def target_of(shared: int, steps: int = 0) -> Target:
    tiles = {each.name: Tile(4, 4) for each in dtypes.ALL}
    limits = FULL.limits | {"shared_memory_bytes": shared, "steps": steps}
    return replace(FULL, tiles=tiles, limits=limits)


def lowered(results: list[Node], target: Target) -> tuple[list[Step], list[Node]]:
    order, wanted = rewrite(topological(results), results, target)
    return lower(fuse(order, wanted), target), wanted


def check(results: list[Node], tolerance: float, shared: int = LEAST, steps: int = 0) -> list[Step]:
    """Run the kernels and compare; return the launches."""
    target = target_of(shared, steps)
    leaves = {
        node: memory.download(node.value, node.dtype, node.shape)
        for node in topological(results)
        if node.value is not None
    }
    expected = interpret(results, leaves)
    launches, wanted = lowered(results, target)
    for step in launches:
        taken = sum(each.extent * each.dtype.itemsize for each in step.kernel.locals)
        assert taken <= shared
        assert not steps or Trips(step, target.lanes).steps(step.kernel.body) <= steps
    for node, right in zip(wanted, expected, strict=True):
        np.testing.assert_allclose(
            run(launches, leaves, node).astype(np.float64),
            right.astype(np.float64),
            rtol=tolerance,
            atol=tolerance,
        )
    return launches


SHAPES = [
    # lead, L, S, E, V
    ((), 3, 1, 1, 1),
    ((2,), 7, 90, 12, 20),
    ((2, 3), 33, 31, 5, 7),
    ((1, 2), 40, 70, 64, 64),
    ((2,), 70, 40, 17, 33),
    ((1,), 9, 50, 130, 200),
    ((2, 3), 1, 600, 64, 64),
    ((2,), 2, 1100, 5, 7),
]


@MASKS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_results(shape: Any, causal: bool, mask: str | None) -> None:
    check(with_norm(inputs(Source(CPU), shape, "float32", mask), causal), TOLERANCE["float32"])


@MASKS
@pytest.mark.parametrize("shape", [*SHAPES[:5], SHAPES[6]], ids=str)
def test_gradients(shape: Any, causal: bool, mask: str | None) -> None:
    results = with_gradients(inputs(Source(CPU), shape, "float32", mask), causal)
    check(results, 5 * TOLERANCE["float32"])


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True])
def test_other_types(dtype: str, causal: bool) -> None:
    for rows in (33, 1):
        nodes = inputs(Source(CPU), ((2,), rows, 45, 24, 12), dtype, "added")
        check(with_norm(nodes, causal), TOLERANCE[dtype])
        check(with_gradients(nodes, causal), 10 * TOLERANCE[dtype])


@pytest.mark.parametrize("operands", [(QUERY,), (KEY,), (VALUE,), (QUERY, VALUE)])
def test_some_gradients(operands: tuple[int, ...]) -> None:
    every = with_gradients(inputs(Source(CPU), ((2,), 40, 50, 8, 12), "float32", None), True)
    check([every[operand] for operand in operands], 5 * TOLERANCE["float32"])


@pytest.mark.parametrize("rows", [40, 1])
def test_dropped_weights(rows: int) -> None:
    shape = ((2,), rows, 50, 8, 12)
    nodes = [*inputs(Source(CPU), shape, "float32", None), factors(shape)]
    check(with_norm(nodes, causal=True, dropped=True), TOLERANCE["float32"])
    check(with_gradients(nodes, causal=True, dropped=True), 5 * TOLERANCE["float32"])


def test_heads_that_share_keys_and_strided_operands() -> None:
    check([attention(shared_heads(37, 41), causal=False)], TOLERANCE["float32"])
    source = Source(CPU)
    packed = source.normal(2, 45, 3, 4, 8)  # batch, length, three operands, heads, features
    whole = build.permute(packed, (2, 0, 3, 1, 4))
    parts = [build.reshape(build.slice_axis(whole, 0, i, 1), whole.shape[1:]) for i in range(3)]
    launches = check([attention(parts, causal=True)], TOLERANCE["float32"])
    assert len(launches) == 1  # nothing was copied


def test_infinities_and_nan() -> None:
    source = Source(CPU)
    query, key, value = inputs(source, ((), 8, 40, 4, 4), "float32", None)
    wild = memory.download(query.value, query.dtype, query.shape).copy()
    wild[1, 2] = np.nan
    wild[2, 1] = np.inf
    wild[3] = 1e30
    check([attention([source.put(wild), key, value], causal=False)], TOLERANCE["float32"])


@pytest.mark.parametrize(("make", "limit"), [(with_norm, 160), (with_gradients, 200)])
def test_long_sequences_take_several_launches(make: Any, limit: int) -> None:
    results = make(inputs(Source(CPU), ((2,), 90, 130, 8, 12), "float32", None), True)
    few = len(lowered(results, target_of(LEAST))[0])
    assert len(check(results, 5 * TOLERANCE["float32"], steps=limit)) > few


def test_long_sequences_of_one_query_take_more_items() -> None:
    results = with_norm(inputs(Source(CPU), ((20,), 1, 2000, 8, 12), "float32", None), False)
    (whole,), _ = lowered(results, target_of(LEAST))
    first, _ = check(results, TOLERANCE["float32"], steps=800)
    assert whole.items == 20
    assert first.items == 80


def test_memory_grows_with_the_length_only() -> None:
    length = 4096
    nodes = inputs(Source(CPU), ((1,), length, length, 8, 8), "float32", None)
    for results in (with_norm(nodes, causal=False), with_gradients(nodes, causal=False)):
        launches, _ = lowered(results, target_of(LEAST, steps=16000))
        bindings = (binding for step in launches for binding in step.bindings)
        owners = {binding.owner for binding in bindings if isinstance(binding, Memory)}
        sizes = [
            owner.numel * owner.dtype.itemsize if isinstance(owner, Node) else owner.nbytes
            for owner in owners
        ]
        assert sum(sizes) < length * length // 4  # bytes: a sixteenth of one matrix of scores


def test_sizes_are_arguments() -> None:
    texts = set()
    for lead, rows, keys in ((2, 50, 140), (3, 170, 1000), (2, 2000, 70)):
        nodes = inputs(Source(CPU), ((lead,), rows, keys, 8, 12), "float32", None)
        launches, _ = lowered([attention(nodes, causal=True)], target_of(LEAST))
        texts.update(print_kernel(optimise(step.kernel)) for step in launches)
    assert len(texts) == 1


def test_what_does_not_fit_is_expanded() -> None:
    nodes = inputs(Source(CPU), ((1,), 4, 6, 300, 300), "float32", None)
    results = with_gradients(nodes, causal=False)
    order, _ = rewrite(topological(results), results, target_of(LEAST))
    assert not any(node.op is ATTENTION_GRADIENT for node in order)
    check(results, 5 * TOLERANCE["float32"])


def test_blocks_fill_what_there_is() -> None:
    need = forward_need(64, 64, 4)
    for shared, panel, block in ((LEAST, 16, 16), (32 << 10, 32, 32), (1 << 20, 32, 32)):
        found = shared_blocks(need, 1000, target_of(shared))
        assert found is not None
        assert (found.panel, found.block) == (panel, block)
    assert shared_blocks(SharedNeed(4000, 10, 1, 4, ()), 9, target_of(LEAST)) is None
    assert shared_blocks(SharedNeed(66, 33, 1, 4, (65,)), 9, target_of(LEAST)) is None
    small = shared_blocks(need, 3, target_of(LEAST))
    assert small is not None
    assert small.panel == 4
