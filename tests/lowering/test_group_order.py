"""Kernels by which workgroups put rows in order: interpreted, and run on a Vulkan device."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pumice
from pumice.engine.builder import PlanBuilder  # noqa: F401  (loads devices)
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.lowering import sort
from pumice.lowering.lower import lower
from pumice.lowering.steps import Step
from pumice.lowering.tile_order import EXTENT, STEPS
from pumice.lowering.trips import Trips
from pumice.schedule.fuse import fuse
from pumice.schedule.rewrite import rewrite
from pumice.target import CPU
from tests.backends.spirv_support import FULL, compile_valid
from tests.engine.graphs import Source
from tests.lowering.interpreted import Array, run
from tests.lowering.test_order import elements, expected

SMALLEST = replace(FULL, limits=FULL.limits | {"shared_memory_bytes": 16384})
SOFTWARE = replace(FULL, limits=FULL.limits | {"software": 1})


def steps_of(node: Node, target: Any = SMALLEST) -> list[Step]:
    order, wanted = rewrite(topological([node]), [node], target)
    return lower(fuse(order, wanted), target)


WAYS = [
    (3, 5, 5),  # ranked
    (2, 131, 20),
    (2, 300, 300),  # a tile
    (2, 1200, 7),  # tiles offer, then their offers are ranked
    (1, 9000, 3),  # a bound first
    (2, 2100, 2100),  # radix
]


@pytest.mark.parametrize("kind", ["random", "ties", "falling", "constant"])
@pytest.mark.parametrize(("dtype", "descending"), [(np.float32, True), (np.int8, False)])
@pytest.mark.parametrize(("rows", "length", "count"), WAYS)
def test_values(
    kind: str, dtype: Any, descending: bool, rows: int, length: int, count: int
) -> None:
    array = elements(kind, rows, length, dtype)
    source = Source(CPU).put(array)
    node = build.argsort(source, descending, count)
    found = run(steps_of(node), {source: array}, node)
    np.testing.assert_array_equal(found, expected(array, descending, count))


@pytest.mark.parametrize("rank", [150, 1100])
def test_one_rank(rank: int) -> None:
    array = elements("ties", 2, rank + 60, np.float16)
    source = Source(CPU).put(array)
    node = build.ranked(source, rank)
    found = run(steps_of(node), {source: array}, node)
    order = np.argsort(array, axis=-1, kind="stable")
    np.testing.assert_array_equal(found, order[..., rank : rank + 1])


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
@pytest.mark.parametrize(("rows", "length", "count"), WAYS)
def test_modules_are_valid_and_launches_short(
    dtype: Any, rows: int, length: int, count: int
) -> None:
    """They fit the least shared memory a device may have, and take no more steps than promised."""
    source = Source(CPU).put(elements("random", rows, length, dtype))
    for step in steps_of(build.argsort(source, False, count)):
        compile_valid(step.kernel, SMALLEST)
        assert Trips(step, SMALLEST.lanes).steps(step.kernel.body) <= STEPS


def test_many_rows_are_sorted_by_items_where_shaders_run_on_a_processor() -> None:
    source = Source(CPU).put(elements("random", sort.MANY_ROWS, 300, np.float32))
    node = build.argsort(source, False, 300)
    assert any(step.kernel.locals for step in steps_of(node))
    assert not any(step.kernel.locals for step in steps_of(node, SOFTWARE))


@pytest.mark.vulkan
@pytest.mark.parametrize("dtype", ["float32", "int64", "float16", "bool"])
@pytest.mark.parametrize(("rows", "length", "count"), [*WAYS, (2, EXTENT, 400), (3, EXTENT + 1, 1)])
def test_devices_agree(vulkan_device: str, dtype: str, rows: int, length: int, count: int) -> None:
    array = elements("ties", rows, length, np.dtype(dtype))
    here, there = pumice.tensor(array), pumice.tensor(array, device=vulkan_device)
    wanted = here.topk(count, -1, largest=False)[1].numpy()
    np.testing.assert_array_equal(there.topk(count, -1, largest=False)[1].cpu().numpy(), wanted)
    np.testing.assert_array_equal(
        there.argsort(-1, descending=True, stable=True).cpu().numpy(),
        expected(array, True, length),
    )


def test_small_keys_take_few_passes() -> None:
    """A pass of the radix sort takes eight bits."""

    def launches(dtype: Any) -> int:
        array: Array = elements("random", 1, 3000, dtype)
        return len(steps_of(build.argsort(Source(CPU).put(array), False, 3000)))

    assert launches(np.int8) * 4 == launches(np.float32) == launches(np.int64) / 2
