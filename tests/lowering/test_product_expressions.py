"""Products for GPUs, run by the kernel interpreter: what is read, packed, cut or written first."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pumice import dtypes
from pumice.engine import memory
from pumice.graph import build
from pumice.graph.interpret import interpret
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.ir import Contract
from pumice.lowering.lower import lower
from pumice.lowering.product_cuts import Parts, choose_parts, choose_tile
from pumice.lowering.steps import Step
from pumice.ops.structure import Contraction
from pumice.runtime.vulkan.limits import product_tiles
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU, ProductTile, Target, Tile
from tests.backends.spirv_support import FULL
from tests.engine.graphs import Source, unary, windows

STAGED = replace(FULL, products=product_tiles(256, 32768, 32))
PACKED = replace(FULL, tiles={each.name: Tile(4, 4) for each in dtypes.ALL})
F32 = dtypes.float32


def launched(node: Node, target: Target) -> list[Step]:
    """Lower a graph, run it interpreted and compare with the graph interpreter."""
    from tests.lowering.interpreted import run

    order, (wanted,) = rewrite(topological([node]), [node], target)
    steps = lower(fuse(order, [wanted]), target)
    leaves = {
        each: memory.download(each.value, each.dtype, each.shape)
        for each in topological([node])
        if each.value is not None
    }
    (expected,) = interpret([node], leaves)
    found = run(steps, leaves, wanted).reshape(node.shape)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5 * np.abs(expected).max())
    return steps


def tiles_of(steps: list[Step]) -> list[ProductTile]:
    bodies = [step.kernel.body for step in steps]
    return [each.tile for (each, *_) in bodies if isinstance(each, Contract)]


def plain(m: int, n: int, k: int, batch: tuple[int, ...] = ()) -> Callable[[Source], Node]:
    def make(source: Source) -> Node:
        left, right = source.normal(*batch, m, k), source.normal(*batch, n, k)
        return build.contract(left, right, Contraction(len(batch), 1, 1, 1, F32))

    return make


def convolution(source: Source) -> Node:
    """Windows of a padded image as the left operand, one row each."""
    image, weight = source.normal(2, 3, 9, 9), source.normal(6, 3, 3, 3)
    image = build.pad(image, (0, 0, 1, 1), (0, 0, 1, 0))
    return build.contract(windows(image, 3), weight, Contraction(0, 3, 1, 3, F32)) * 2.0


def computed(source: Source) -> Node:
    """An operand that is dear to compute and needed by several blocks."""
    left, right = source.normal(40, 30), source.normal(600, 30)
    dear = unary("tanh", unary("exp", left) * 0.5)
    return build.contract(dear, right, Contraction(0, 1, 1, 1, F32))


MAKERS: dict[str, Callable[[Source], Node]] = {
    "square": plain(33, 40, 20),
    "batches": plain(9, 12, 17, (2, 3)),
    "parts": plain(12, 9, 1000),
    "batches_of_parts": plain(5, 7, 700, (2,)),
    "few_rows": plain(3, 90, 100),
    "no_steps": plain(9, 11, 0),
    "convolution": convolution,
    "computed": computed,
}


@pytest.mark.parametrize("target", [STAGED, PACKED], ids=["staged", "packed"])
@pytest.mark.parametrize("name", MAKERS)
def test_products(name: str, target: Target) -> None:
    launched(MAKERS[name](Source(CPU)), target)


def test_nothing_is_packed_where_operands_are_staged() -> None:
    for name in ("square", "batches", "convolution"):
        (tile,) = tiles_of(launched(MAKERS[name](Source(CPU)), STAGED))
        assert tile.depth
        assert len(launched(MAKERS[name](Source(CPU)), STAGED)) == 1
        assert len(launched(MAKERS[name](Source(CPU)), PACKED)) == 3


def test_what_is_dear_is_computed_once() -> None:
    assert len(launched(computed(Source(CPU)), STAGED)) == 2


def test_long_products_of_many_elements_rest_in_memory() -> None:
    target = replace(STAGED, limits=STAGED.limits | {"steps": 64})
    steps = launched(plain(150, 300, 150)(Source(CPU)), target)
    assert len(steps) == 3


@pytest.mark.parametrize("elements", [1, 100, 4096, 40_000, 1 << 20])
@pytest.mark.parametrize("k", [1, 511, 512, 5000, 1_000_003])
def test_parts_cover_k(elements: int, k: int) -> None:
    parts = choose_parts(elements, k, 16000)
    assert (parts.count - 1) * parts.depth < k <= parts.count * parts.depth
    if parts != Parts(1, k):
        assert parts.depth <= 16000
        assert parts.depth % 32 == 0


@pytest.mark.parametrize(
    ("invocations", "shared", "subgroup"),
    [
        (128, 16384, 4),
        (128, 16384, 32),
        (256, 32768, 32),
        (1024, 16384, 32),
        (1024, 49152, 64),
        (1024, 65536, 16),
    ],
)
def test_tiles_fit_their_device(invocations: int, shared: int, subgroup: int) -> None:
    tiles = product_tiles(invocations, shared, subgroup)
    assert len(tiles) >= 3
    target = replace(FULL, products=tiles, limits=FULL.limits | {"shared_memory_bytes": shared})
    for tile in tiles:
        assert tile.invocations <= invocations
        assert tile.subgroup_rows * tile.subgroup_columns == min(subgroup, tile.invocations)
    for dtype in (F32, dtypes.float64, dtypes.int8):
        for size in (5, 20, 70, 500, 5000):
            tile = choose_tile(target, (1, size, size), dtype)
            assert tile.depth % 4 == 0 < tile.depth
            assert tile.shared_bytes(max(dtype.itemsize, 4)) <= shared
            assert tile.is_even


@pytest.mark.parametrize("target", [STAGED, PACKED], ids=["staged", "packed"])
def test_a_row_follows_memory(target: Target) -> None:
    """A row by a matrix whose columns are neighbours is a product, by one along k a sum."""
    source = Source(CPU)
    row, matrix = source.normal(1, 100), source.normal(100, 90)
    spec = Contraction(0, 1, 1, 1, F32)
    across = launched(build.contract(row, build.permute(matrix, (1, 0)), spec), target)
    assert tiles_of(across) == [ProductTile(1, 4)]
    along = launched(build.contract(row, source.normal(90, 100), spec), target)
    assert tiles_of(along) == []
