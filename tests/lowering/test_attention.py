"""Attention kernels against the graph interpreter, and their kernels against the kernel's rules."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pumice.dtypes import accumulation_dtype
from pumice.engine import memory
from pumice.engine.builder import PlanBuilder
from pumice.engine.realize import realize
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.printer import print_kernel
from pumice.kernel.verify import verify_kernel
from pumice.lowering.lower import lower
from pumice.lowering.steps import Memory, Number, Step
from pumice.ops.attention import KEY, QUERY, VALUE, Attention, AttentionGradient
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU, Target, Tile
from tests.backends.llvm_support import HOST, TARGETS, numpy_dtype, run_compiled
from tests.engine.graphs import Source
from tests.lowering.interpreted import run

NUMPY = {
    "float32": np.float32,
    "float64": np.float64,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
}
TOLERANCE = {"float32": 5e-6, "float64": 1e-13, "float16": 2e-3, "bfloat16": 2e-2}

SHAPES = [
    # lead, L, S, E, V
    ((), 1, 1, 1, 1),
    ((2,), 3, 5, 4, 4),
    ((2,), 7, 150, 12, 20),
    ((3,), 16, 40, 8, 8),
    ((2, 3), 33, 31, 5, 7),
    ((1, 2), 130, 300, 16, 24),
    ((2,), 70, 257, 64, 64),
    ((2,), 257, 70, 17, 33),
    ((1,), 40, 260, 200, 130),
    ((2, 3), 1, 300, 64, 64),
    ((2,), 2, 1300, 5, 7),
]


def inputs(source: Source, shape: Any, dtype: str, mask: str | None) -> list[Node]:
    lead, rows, keys, features, width = shape
    kind = NUMPY[dtype]
    nodes = [
        source.normal(*lead, rows, features, dtype=kind),
        source.normal(*lead, keys, features, dtype=kind),
        source.normal(*lead, keys, width, dtype=kind),
    ]
    if mask is not None:
        # One row of queries sees nothing; the mask repeats over the leading axes.
        allowed = source.random.random((rows, keys)) < 0.7
        allowed[rows // 2] = False
        array = allowed if mask == "bool" else np.where(allowed, 1.5, -np.inf).astype(kind)
        nodes.append(build.expand(source.put(array), (*lead, rows, keys)))
    return nodes


def attention(nodes: list[Node], causal: bool, dropped: bool = False) -> Node:
    wide = accumulation_dtype(nodes[0].dtype)
    scale = build.constant(0.3, wide, (), CPU)
    sources = (*nodes[:3], scale, *nodes[3:])
    masked = len(sources) - dropped > 4
    return build.attention(sources, Attention(causal, masked, wide, dropped))


def factors(shape: Any) -> Node:
    """Return factors of weights that are an expression, as those of dropout are."""
    lead, rows, keys, _, _ = shape
    draw = Source(CPU).normal(*lead, rows, keys)
    return (draw > 0).select(build.constant(2.0, draw.dtype, draw.shape, CPU), 0)


def with_norm(nodes: list[Node], causal: bool, dropped: bool = False) -> list[Node]:
    node = attention(nodes, causal, dropped)
    return [node, build.attention_norm(node.sources, node.argument)]


def with_gradients(nodes: list[Node], causal: bool, dropped: bool = False) -> list[Node]:
    """Return the three gradients of an attention from values that need not belong together."""
    node, norms = with_norm(nodes, causal, dropped)
    wide = norms.dtype
    source = Source(CPU)
    g = source.normal(*node.shape, dtype=NUMPY[node.dtype.name])
    delta = source.normal(*norms.shape, dtype=NUMPY[wide.name])
    realize([norms])
    sources = (*node.sources, g, norms, delta)
    return [
        build.attention_gradient(sources, AttentionGradient(node.argument, operand))
        for operand in (QUERY, KEY, VALUE)
    ]


def lowered(results: list[Node]) -> Step:
    (step,) = PlanBuilder(topological(results), results, CPU).steps
    return step


def elements(node: Any) -> Any:
    return memory.download(node.value, node.dtype, node.shape)


def leaves_of(results: list[Node]) -> dict[Node, Any]:
    return {node: elements(node) for node in topological(results) if node.value is not None}


def check(results: list[Node], tolerance: float) -> None:
    expected = interpret(results, leaves_of(results))
    realize(results)
    for node, wanted in zip(results, expected, strict=True):
        found = elements(node)
        np.testing.assert_allclose(
            found.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=tolerance
        )


MASKS = pytest.mark.parametrize(
    ("causal", "mask"), [(False, None), (True, None), (False, "bool"), (False, "added")]
)


@MASKS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_results(shape: Any, causal: bool, mask: str | None) -> None:
    nodes = inputs(Source(CPU), shape, "float32", mask)
    check(with_norm(nodes, causal), TOLERANCE["float32"])


@MASKS
@pytest.mark.parametrize(
    "shape",
    [
        ((2,), 7, 150, 12, 20),
        ((2, 3), 33, 31, 5, 7),
        ((1, 2), 130, 300, 16, 24),
        ((1,), 40, 260, 200, 130),
    ],
    ids=str,
)
def test_results_of_bfloat16(shape: Any, causal: bool, mask: str | None) -> None:
    nodes = inputs(Source(CPU), shape, "bfloat16", mask)
    check(with_norm(nodes, causal), TOLERANCE["bfloat16"])
    nodes.append(factors(shape))
    check(with_norm(nodes, causal, dropped=True), TOLERANCE["bfloat16"])


def test_words_in_vectors() -> None:
    """Without tile registers an instruction takes one word of k, and tiles have other sizes."""
    target = replace(HOST, tiles={**HOST.tiles, "float32": Tile(14, 32), "bfloat16": Tile(12, 32)})
    nodes = inputs(Source(CPU), ((2,), 35, 151, 7, 13), "bfloat16", None)
    (wanted,) = results = [attention(nodes, causal=True)]
    (expected,) = interpret(results, leaves_of(results))
    order, (root,) = rewrite(topological(results), results, target)
    steps = lower(fuse(order, [root]), target)
    assert "multiply words" in print_kernel(steps[0].kernel)
    found = run(steps, leaves_of(results), root).astype(np.float32)
    tolerance = TOLERANCE["bfloat16"]
    np.testing.assert_allclose(found, expected.astype(np.float32), rtol=tolerance, atol=tolerance)


@MASKS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients(shape: Any, causal: bool, mask: str | None) -> None:
    nodes = inputs(Source(CPU), shape, "float32", mask)
    results = with_gradients(nodes, causal)
    check(results, 5e-5)


@MASKS
@pytest.mark.parametrize("shape", [((2, 3), 33, 31, 5, 7), ((2,), 2, 700, 8, 8)], ids=str)
def test_dropped_weights(shape: Any, causal: bool, mask: str | None) -> None:
    nodes = [*inputs(Source(CPU), shape, "float32", mask), factors(shape)]
    results = with_norm(nodes, causal, dropped=True)
    results += with_gradients(nodes, causal, dropped=True)
    plan = PlanBuilder(topological(results), results, CPU)
    launched = {step.node.op.name for step in plan.steps}
    assert launched <= {"attention", "attention_norm", "attention_gradient"}, "factors are stored"
    check(results, 5e-5)


@pytest.mark.parametrize("operand", [QUERY, KEY, VALUE])
def test_one_gradient(operand: int) -> None:
    nodes = inputs(Source(CPU), ((2,), 70, 90, 12, 20), "float32", None)
    check([with_gradients(nodes, causal=True)[operand]], 5e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_keys_shared_out_over_items(causal: bool) -> None:
    nodes = inputs(Source(CPU), ((2,), 700, 1100, 8, 8), "float32", None)
    results = with_gradients(nodes, causal)
    steps = PlanBuilder(topological(results), results, CPU).steps
    assert len(steps) == 2  # the second one sums what the items gave
    assert steps[0].grid[1] > 1
    check(results, 5e-5)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_types(dtype: str) -> None:
    for causal, mask in ((True, None), (False, "added")):
        nodes = inputs(Source(CPU), ((2,), 50, 140, 8, 12), dtype, mask)
        check([attention(nodes, causal)], TOLERANCE[dtype])
        few = inputs(Source(CPU), ((2,), 2, 140, 8, 12), dtype, mask)
        check([attention(few, causal)], TOLERANCE[dtype])
        check(with_gradients(nodes, causal), 10 * TOLERANCE[dtype])


def test_strided_operands_are_read_in_place() -> None:
    source = Source(CPU)
    packed = source.normal(2, 45, 3, 4, 8)  # batch, length, three operands, heads, features
    whole = build.permute(packed, (2, 0, 3, 1, 4))
    parts = [build.reshape(build.slice_axis(whole, 0, i, 1), whole.shape[1:]) for i in range(3)]
    node = attention(parts, causal=True)
    lowered([node])  # one launch, so nothing was copied
    check([node], TOLERANCE["float32"])


def shared_heads(rows: int, keys: int) -> list[Node]:
    source = Source(CPU)
    query = source.normal(2, 2, 3, rows, 8)
    pair = (source.normal(2, 2, 1, keys, 8) for _ in range(2))
    return [query, *(build.expand(each, (2, 2, 3, keys, 8)) for each in pair)]


def test_shared_heads_are_read_in_place() -> None:
    node = attention(shared_heads(37, 41), causal=False)
    lowered([node])
    check([node], TOLERANCE["float32"])


def test_one_query_of_shared_heads() -> None:
    results = with_norm(shared_heads(1, 1100), causal=False)
    first, last = PlanBuilder(topological(results), results, CPU).steps
    # The heads that share keys are innermost, so that they find them in the cache.
    assert first.grid == (4, 2, 3, 1)
    assert last.grid == (12,)
    check(results, TOLERANCE["float32"])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_infinities_and_nan(dtype: str) -> None:
    source = Source(CPU)
    query, key, value = inputs(source, ((), 8, 40, 4, 4), dtype, None)
    wild = elements(query).copy()
    wild[1, 2] = np.nan
    wild[2, 1] = np.inf
    wild[3] = 1e30
    check([attention([source.put(wild), key, value], causal=False)], TOLERANCE[dtype])


@MASKS
@pytest.mark.parametrize(
    ("make", "dtype"),
    [(with_norm, "float32"), (with_norm, "bfloat16"), (with_gradients, "float32")],
)
def test_kernels_stay_inside_their_memory(
    make: Callable[[list[Node], bool], list[Node]], dtype: str, causal: bool, mask: str | None
) -> None:
    results = make(inputs(Source(CPU), ((2,), 50, 140, 8, 12), dtype, mask), causal)
    step = lowered(results)
    verify_kernel(step.kernel)
    kernel = optimise(step.kernel)
    verify_kernel(kernel)
    expected = interpret(results, leaves_of(results))
    outputs: dict[Node, Any] = {
        node: np.full(node.numel, np.nan, NUMPY[node.dtype.name]) for node in results
    }
    arguments: list[Any] = []
    for binding in step.bindings:
        match binding:
            case Memory(owner=owner) if owner in outputs:
                arguments.append(outputs[owner])
            case Memory(owner=owner):
                arguments.append(elements(owner).ravel())
            case Number(node=node):
                arguments.append(node.argument.value)
            case _:
                arguments.append(binding)
    interpret_kernel(kernel, arguments)
    tolerance = max(TOLERANCE[dtype], 5e-5)
    for node, wanted in zip(results, expected, strict=True):
        found = outputs[node].reshape(node.shape).astype(np.float32)
        wanted = wanted.astype(np.float32)
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("make", [with_norm, with_gradients])
@pytest.mark.parametrize("rows", [2, 50])
def test_every_cpu(
    make: Callable[[list[Node], bool], list[Node]], rows: int, target: Target
) -> None:
    nodes = inputs(Source(CPU), ((2,), rows, 170, 9, 20), "float32", None)
    results = make(nodes, True)
    expected = interpret(results, leaves_of(results))
    order, wanted = rewrite(topological(results), results, target)
    memory_of: dict[Any, Any] = {}
    for step in lower(fuse(order, wanted), target):
        arguments: list[Any] = []
        for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True):
            match binding:
                case Memory(owner=Node() as owner) if owner.value is not None:
                    arguments.append(np.ascontiguousarray(elements(owner)).ravel())
                case Memory(owner=owner):
                    count = owner.numel if isinstance(owner, Node) else owner.nbytes // 4
                    empty = np.full(count, np.nan, numpy_dtype(parameter.dtype))
                    arguments.append(memory_of.setdefault(owner, empty))
                case Number(node=number):
                    arguments.append(number.argument.value)
                case size:
                    arguments.append(size)
        run_compiled(optimise(step.kernel), arguments, target)
    for node, correct in zip(wanted, expected, strict=True):
        found = memory_of[node].reshape(node.shape)
        np.testing.assert_allclose(found, correct, rtol=5e-5, atol=5e-5)


@pytest.mark.parametrize(
    "sizes",
    [((2, 50, 140), (3, 17, 1000), (2, 2000, 7)), ((2, 3, 140), (3, 8, 1000), (4, 5, 7))],
    ids=["many queries", "few queries"],
)
def test_sizes_are_arguments(sizes: tuple[tuple[int, int, int], ...]) -> None:
    texts = set()
    for lead, rows, keys in sizes:
        nodes = inputs(Source(CPU), ((lead,), rows, keys, 8, 12), "float32", None)
        texts.add(print_kernel(optimise(lowered([attention(nodes, causal=True)]).kernel)))
    assert len(texts) == 1


def test_memory_grows_with_the_length_only() -> None:
    length = 4096
    nodes = inputs(Source(CPU), ((1,), length, length, 4, 4), "float32", None)
    nodes.append(factors(((1,), length, length, 4, 4)))
    results = with_norm(nodes, causal=False, dropped=True)
    results += with_gradients(nodes, causal=False, dropped=True)
    plan = PlanBuilder(topological(results), results, CPU).build()
    taken = plan.arena + sum(plan.outputs)
    assert taken < length * length  # bytes: a quarter of one matrix of scores
