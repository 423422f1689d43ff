"""Products on every CPU target: the compiled kernels give the interpreter's bits, and numpy's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType, accumulation_dtype
from pumice.engine import memory
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.printer import print_kernel
from pumice.lowering import blocking, sweep
from pumice.lowering.lower import lower
from pumice.lowering.operand import Product, Side
from pumice.lowering.steps import Memory, Number, Scratch, Step
from pumice.ops.definition import registry
from pumice.ops.structure import Contraction
from pumice.schedule.fuse import fuse
from pumice.schedule.items import Group, GroupKind, Space
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU, Target, Tile
from tests.backends.llvm_support import HOST, TARGETS, VECTORS, check, numpy_dtype
from tests.engine.graphs import Source
from tests.lowering.interpreted import run

Array = Any


class Runner:
    """Runs the launches of a graph with arrays for memory, compiled and interpreted."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.arrays: dict[Node | Scratch, Array] = {}

    def run(self, node: Node) -> Array:
        order, (wanted,) = rewrite(topological([node]), [node], self.target)
        for step in lower(fuse(order, [wanted]), self.target):
            self._launch(step)
        return self.arrays[wanted].reshape(node.shape)

    def _launch(self, step: Step) -> None:
        arguments: list[Any] = []
        for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True):
            match binding:
                case Memory(owner=owner, offset=offset):
                    array = self._array(owner, parameter.dtype).view(numpy_dtype(parameter.dtype))
                    arguments.append(array[offset // array.itemsize :])
                case Number(node=number):
                    arguments.append(number.argument.value)
                case size:
                    arguments.append(size)
        results = check(optimise(step.kernel), arguments, self.target)
        for binding, parameter, result in zip(
            step.bindings, step.kernel.parameters, results, strict=True
        ):
            if isinstance(binding, Memory) and parameter.writable:
                self.arrays[binding.owner].view(result.dtype)[
                    binding.offset // result.itemsize :
                ] = result

    def _array(self, owner: Node | Scratch, dtype: DType) -> Array:
        if owner not in self.arrays:
            if isinstance(owner, Node) and owner.value is not None:
                found = memory.download(owner.value, owner.dtype, owner.shape).reshape(-1)
                self.arrays[owner] = np.ascontiguousarray(found)
            else:
                count = owner.numel if isinstance(owner, Node) else owner.nbytes // dtype.itemsize
                self.arrays[owner] = np.zeros(count, numpy_dtype(dtype))
        return self.arrays[owner]


def small(source: Source, *shape: int, dtype: Any = np.float32) -> Node:
    """Return whole numbers whose products and sums are exact in any order."""
    return source.put(source.random.integers(-4, 5, shape).astype(dtype))


def turned(node: Node) -> Node:
    rank = len(node.shape)
    return build.permute(node, (*range(rank - 2), rank - 1, rank - 2))


Make = Callable[[Source], tuple[Node, Array]]


def values(node: Node) -> Array:
    assert node.value is not None
    return memory.download(node.value, node.dtype, node.shape).astype(np.float64)


def plain(
    m: int, n: int, k: int, layout: str, batch: tuple[int, ...] = (), dtype: DType = dtypes.float32
) -> Make:
    """Return a product whose operands lie as ``layout`` says: N in order, T turned."""
    kind = numpy_dtype(dtype)
    accumulator = dtypes.int32 if dtype.bits == 8 else accumulation_dtype(dtype)

    def make(source: Source) -> tuple[Node, Array]:
        left = small(source, *batch, *((k, m) if layout[0] == "T" else (m, k)), dtype=kind)
        right = small(source, *batch, *((n, k) if layout[1] == "T" else (k, n)), dtype=kind)
        a, b = values(left), values(right)
        if layout[0] == "T":
            left, a = turned(left), a.swapaxes(-1, -2)
        if layout[1] == "T":
            right, b = turned(right), b.swapaxes(-1, -2)
        spec = Contraction(len(batch), 1, 1, 1, accumulator)
        expected = (a @ b).astype(np.int64).astype(kind) if dtype.bits == 8 else a @ b
        return build.contract(left, turned(right), spec), expected

    return make


def widened(m: int, n: int, k: int, left: DType, right: DType) -> Make:
    """Return a product of bytes of any value, converted to int32."""

    def make(source: Source) -> tuple[Node, Array]:
        nodes = []
        for shape, dtype in (((m, k), left), ((k, n), right)):
            low = -128 if dtype.is_signed else 0
            raw = source.random.integers(low, low + 256, shape).astype(numpy_dtype(dtype))
            nodes.append(source.put(raw))
        a, b = (values(node) for node in nodes)
        first, second = (build.cast(node, dtypes.int32) for node in nodes)
        return build.contract(first, turned(second), Contraction(0, 1, 1, 1, dtypes.int32)), a @ b

    return make


def fused(source: Source) -> tuple[Node, Array]:
    """Operands that are computed, cheaply and dearly, and an epilogue with a transposed store."""
    left, right, bias = small(source, 37, 70), small(source, 70, 45), small(source, 45)
    a, b, c = values(left), values(right), values(bias)
    tanh: Any = registry["tanh"]
    product = build.contract(
        left * 2.0, turned(tanh(right * 0.0) + right), Contraction(0, 1, 1, 1, dtypes.float32)
    )
    result = build.permute(product + build.expand(bias, (37, 45)), (1, 0)) * 0.5
    return result, ((2 * a) @ b + c).T * 0.5


def many_axes(source: Source) -> tuple[Node, Array]:
    """Rows and sums that no single stride walks through."""
    left, right = small(source, 4, 3, 9, 5), small(source, 3, 5, 20)
    a, b = values(left), values(right)
    moved = build.permute(left, (0, 2, 1, 3))
    spec = Contraction(0, 2, 1, 2, dtypes.float32)
    product = build.contract(moved, build.permute(right, (2, 0, 1)), spec)
    return product, np.einsum("xhyd,hdn->xyn", a, b)


CASES: dict[str, Make] = {
    "one_row": plain(1, 100, 70, "NN"),
    "one_row_turned": plain(1, 101, 75, "NT"),
    "one_column": plain(100, 1, 70, "NN"),
    "one_column_turned": plain(70, 1, 66, "TN"),
    "three_rows": plain(3, 50, 100, "NT"),
    "few_columns_turned": plain(90, 3, 64, "NT"),
    "few_rows": plain(5, 300, 20, "NN"),
    "narrow": plain(40, 10, 33, "NT"),
    "edges": plain(17, 33, 20, "NN"),
    "edges_turned": plain(30, 70, 19, "TT"),
    "many_tiles": plain(130, 75, 24, "TN"),
    "one_step": plain(20, 20, 1, "NN"),
    "no_step": plain(9, 9, 0, "NT"),
    "batches": plain(18, 20, 17, "NT", (2, 3)),
    "batches_of_rows": plain(1, 40, 80, "NN", (5,)),
    "float64": plain(17, 40, 21, "NT", dtype=dtypes.float64),
    "bfloat16": plain(17, 40, 21, "NT", dtype=dtypes.bfloat16),
    "pairs": plain(40, 70, 64, "NN", dtype=dtypes.bfloat16),
    "pairs_turned": plain(33, 45, 96, "NT", dtype=dtypes.bfloat16),
    "pairs_few_rows": plain(5, 70, 64, "NT", dtype=dtypes.bfloat16),
    "pairs_few_rows_turned": plain(31, 32, 32, "TN", dtype=dtypes.bfloat16),
    "pairs_batches": plain(64, 32, 32, "TT", (3,), dtype=dtypes.bfloat16),
    "pairs_ragged": plain(40, 70, 47, "NN", dtype=dtypes.bfloat16),
    "pairs_ragged_turned": plain(35, 45, 101, "NT", dtype=dtypes.bfloat16),
    "pairs_ragged_aligned": plain(33, 45, 38, "NT", dtype=dtypes.bfloat16),
    "pairs_packed": plain(260, 170, 37, "NN", dtype=dtypes.bfloat16),
    "pairs_packed_turned": plain(257, 45, 33, "NT", (2,), dtype=dtypes.bfloat16),
    "bytes_packed": plain(259, 40, 140, "NN", (2,), dtype=dtypes.int8),
    "bytes_packed_turned": plain(256, 133, 64, "NT", dtype=dtypes.int8),
    "bytes_packed_many_words": plain(256, 33, 332, "NT", dtype=dtypes.int8),
    "bytes": plain(40, 70, 64, "NN", dtype=dtypes.int8),
    "bytes_turned": plain(33, 45, 128, "NT", dtype=dtypes.int8),
    "bytes_ragged": plain(65, 40, 67, "NN", dtype=dtypes.int8),
    "bytes_ragged_turned": plain(34, 33, 131, "TT", dtype=dtypes.int8),
    "bytes_ragged_aligned": plain(50, 60, 76, "NT", dtype=dtypes.int8),
    "bytes_few_rows": plain(5, 40, 70, "NN", dtype=dtypes.int8),
    "bytes_few_steps": plain(40, 32, 9, "NT", dtype=dtypes.int8),
    "bytes_batches": plain(32, 32, 64, "NT", (2, 3), dtype=dtypes.int8),
    "bytes_unsigned": widened(40, 70, 90, dtypes.uint8, dtypes.uint8),
    "bytes_mixed": widened(33, 45, 64, dtypes.uint8, dtypes.int8),
    "bytes_mixed_other": widened(33, 45, 75, dtypes.int8, dtypes.uint8),
    "float16_row": plain(1, 40, 70, "NT", dtype=dtypes.float16),
    "int32": plain(17, 40, 21, "NT", dtype=dtypes.int32),
    "int64": plain(3, 40, 70, "NN", dtype=dtypes.int64),
    "int8": plain(17, 40, 7, "NN", dtype=dtypes.int8),
    "fused": fused,
    "many_axes": many_axes,
}


NARROW = [name for name in CASES if name.startswith(("pairs", "bytes"))]


@pytest.mark.parametrize("name", NARROW)
def test_narrow_product_without_tile_registers(name: str) -> None:
    test_product(name, VECTORS)


@pytest.mark.parametrize("name", [name for name in NARROW if name.startswith("pairs")])
def test_pairs_in_vectors(name: str) -> None:
    """Targets without tile registers take one word of k at a time, in tiles of other sizes."""
    target = replace(VECTORS, tiles={**VECTORS.tiles, "bfloat16": Tile(12, 32)})
    node, expected = CASES[name](Source(CPU))
    order, (wanted,) = rewrite(topological([node]), [node], target)
    steps = lower(fuse(order, [wanted]), target)
    assert "multiply words" in print_kernel(steps[-1].kernel)
    leaves = {
        each: memory.download(each.value, each.dtype, each.shape)
        for each in topological([node])
        if each.value is not None
    }
    found = run(steps, leaves, wanted).astype(np.float64)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("name", CASES)
def test_product(name: str, target: Target) -> None:
    node, expected = CASES[name](Source(CPU))
    found = Runner(target).run(node).astype(np.float64)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("layout", ["NN", "NT", "TN"])
@pytest.mark.parametrize("size", [(60, 70, 95), (31, 45, 64), (90, 33, 129)], ids=str)
def test_runs_of_k(
    size: tuple[int, int, int], layout: str, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tiles are kept between runs of k, and finished with the last one."""
    monkeypatch.setattr(blocking, "DEEPEST", 32)
    node, expected = plain(*size, layout, (2,))(Source(CPU))
    np.testing.assert_array_equal(Runner(target).run(node * 1.0 + 1.0), expected + 1)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("near, middle", [(32 << 10, 256 << 10), (48 << 10, 2 << 20)])
@pytest.mark.parametrize(
    "m, n, k", [(1024, 1024, 1024), (50, 3000, 5000), (3000, 70, 1), (40, 9, 0)]
)
def test_cut_fits_the_caches(m: int, n: int, k: int, near: int, middle: int, threads: int) -> None:
    limits = {"near_bytes": near, "middle_bytes": middle, "threads": threads}
    target = replace(HOST, limits=limits)
    source = Source(CPU)
    left, right = source.put(np.zeros((m, k), np.float32)), source.put(np.zeros((n, k), np.float32))
    node = build.contract(left, right, Contraction(0, 1, 1, 1, dtypes.float32))
    sides = [Side(each, 0, 1, lambda each: True) for each in (left, right)]
    group = Group(node, GroupKind.CONTRACT, Space(node.shape, ()))
    t = blocking.choose_tiling(Product(group, node, *sides, False, lambda each: True, target))
    assert t.panels * t.column_blocks * t.columns >= n
    assert t.tiles_per_block * t.row_blocks >= t.row_tiles
    assert t.panel_bytes + t.kept_bytes <= middle
    assert t.panels * t.columns * t.depth * 4 <= t.panel_bytes
    if t.depth < k:
        assert t.tiles_per_block * t.panels * t.rows * t.columns * 4 <= t.kept_bytes


def swept_columns(source: Source) -> tuple[Node, Array]:
    """The turned operand of one column is swept, with a bias and a bound after it."""
    left, right, bias = small(source, 44, 60), small(source, 44, 2), small(source, 60, 1)
    a, b, c = values(left), values(right), values(bias)
    product = build.contract(turned(left), turned(right), Contraction(0, 1, 1, 1, dtypes.float32))
    maximum: Any = registry["maximum"]
    result = maximum(product + build.expand(bias, (60, 2)), product * 0.0)
    return result, np.maximum(a.T @ b + c, 0)


SWEPT: dict[str, Make] = {
    **{f"rows_{m}": plain(m, 83, 43, "NN") for m in (1, 2, 3)},
    "turned_left": plain(3, 129, 41, "TN"),
    "batches": plain(2, 57, 40, "NN", (2, 3)),
    "few_steps_left": plain(1, 250, 39, "NN"),
    **{
        dtype.name: plain(2, 83, 43, "NN", dtype=dtype)
        for dtype in (dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.int64, dtypes.int32)
    },
    "columns": swept_columns,
}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("name", SWEPT)
def test_swept_product(name: str, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of few rows whose right operand lies by rows."""
    monkeypatch.setattr(sweep, "FEWEST_BYTES", 0)
    monkeypatch.setattr(sweep, "FEWEST_COLUMNS", 50)
    monkeypatch.setattr(sweep, "FEWEST_NARROW_COLUMNS", 50)
    monkeypatch.setattr(sweep, "SHORTEST", 16)
    monkeypatch.setattr(sweep, "LONGEST", 64)
    node, expected = SWEPT[name](Source(CPU))
    order, (wanted,) = rewrite(topological([node]), [node], target)
    *_, step = lower(fuse(order, [wanted]), target)
    assert [local.name for local in step.kernel.locals] == ["sums"]
    found = Runner(target).run(node).astype(np.float64)
    np.testing.assert_array_equal(found, expected)


def sparse(layout: str, dtype: DType) -> Make:
    """Return a product of many steps of k whose sums stay exact in any dtype."""
    k, kind = 40_000, numpy_dtype(dtype)

    def make(source: Source) -> tuple[Node, Array]:
        a, b = np.zeros((40, k)), source.random.integers(-2, 3, (k, 36)).astype(np.float64)
        a[:, ::1999] = source.random.integers(-2, 3, a[:, ::1999].shape)
        left = source.put((a.T if layout[0] == "T" else a).astype(kind))
        right = source.put((b.T if layout[1] == "T" else b).astype(kind))
        left = turned(left) if layout[0] == "T" else left
        right = right if layout[1] == "T" else turned(right)
        accumulator = dtypes.float32 if dtype.is_floating_point else dtypes.int32
        return build.contract(left, right, Contraction(0, 1, 1, 1, accumulator)), a @ b

    return make


DEEP = [dtypes.float32, dtypes.bfloat16, dtypes.int8]


@pytest.mark.parametrize("dtype", DEEP, ids=lambda each: each.name)
@pytest.mark.parametrize("layout", ["NN", "NT", "TN"])
def test_deep_product(layout: str, dtype: DType) -> None:
    """More steps of k than fit local memory."""
    make = sparse(layout, dtype)
    node, expected = make(Source(CPU))
    pieces = build.contract(*node.sources, node.argument)
    np.testing.assert_array_equal(_evaluated(pieces), expected)


def _evaluated(node: Node) -> Array:
    from pumice.engine.realize import realize

    realize([node])
    assert node.value is not None
    return memory.download(node.value, node.dtype, node.shape)
