"""Operators by themselves on Vulkan: few modules, and one pipeline for all shapes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine.builder import PlanBuilder
from pumice.engine.cache import load_kernels
from pumice.engine.devices import parse_device, runtime_of
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.kernel.operators import (
    BINARY,
    UNARY,
    WHERE,
    family,
    operand_dtypes,
    stands_alone,
)
from pumice.lowering.steps import Step
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Elementwise
from pumice.ops.view import View
from pumice.target import Device
from tests.engine.graphs import Source

Layout = Callable[[Node], Node]


def viewed(shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Layout:
    return lambda node: build.view(node, View(shape, strides, offset))


LAYOUTS: dict[str, tuple[Layout, Layout, Layout]] = {
    "vector": (viewed((9,), (1,)),) * 3,
    "long": (viewed((200,), (1,)),) * 3,
    "offset": (viewed((50,), (1,), 3), viewed((50,), (1,), 8), viewed((50,), (1,))),
    "rows": (viewed((8, 12), (12, 1)), viewed((8, 12), (0, 1)), viewed((8, 12), (12, 1))),
    "columns": (viewed((8, 12), (1, 0)), viewed((8, 12), (12, 1)), viewed((8, 12), (0, 1))),
    "transposed": (viewed((7, 9), (1, 7)), viewed((7, 9), (9, 1)), viewed((7, 9), (9, 1))),
    "flipped": (viewed((30,), (-1,), 29), viewed((30,), (2,)), viewed((30,), (0,))),
    "four": (
        viewed((2, 3, 4, 5), (60, 20, 5, 1)),
        viewed((2, 3, 4, 5), (1, 2, 6, 24)),
        viewed((2, 3, 4, 5), (0, 1, 0, 3)),
    ),
    "eight": (
        viewed((2,) * 8, tuple(1 << axis for axis in range(8))),
        viewed((2,) * 8, tuple(1 << (7 - axis) for axis in range(8))),
        viewed((2,) * 8, (0, 1) * 4),
    ),
}


def cases(name: str) -> Iterator[tuple[Elementwise, DType]]:
    unsupported = runtime_of(parse_device("vulkan")).target.unsupported
    for op, dtype in product(family(name), dtypes.ALL):
        if stands_alone(op, dtype) and dtype not in unsupported:
            yield op, dtype


def steps_of(
    op: Elementwise, dtype: DType, layouts: tuple[Layout, ...], source: Source
) -> list[Step]:
    operands = [
        layout(source.put(np.ones(256, to_numpy(each))))
        for layout, each in zip(layouts, operand_dtypes(op, dtype), strict=False)
    ]
    node = op(*operands)
    return PlanBuilder(topological([node]), [node], source.device).steps


def pipelines(
    name: str, layouts: tuple[Layout, ...], device: Device, kinds: Sequence[DType] = dtypes.ALL
) -> tuple[int, int]:
    """Make what all operators of a family need for a layout; return what there is then."""
    source = Source(device)
    for op, dtype in cases(name):
        if dtype not in kinds:
            continue
        steps = steps_of(op, dtype, layouts, source)
        assert len(steps) == 1 and steps[0].kernel.operator is not None, (op, dtype)
        load_kernels([steps[0].kernel], device)
    return runtime_of(device).created  # type: ignore[attr-defined,no-any-return]


@pytest.mark.vulkan
@pytest.mark.parametrize("name", [UNARY, BINARY, WHERE])
def test_layouts_share_modules_and_pipelines(name: str, vulkan_device: str) -> None:
    device = parse_device(vulkan_device)
    runtime: Any = runtime_of(device)
    modules, made = runtime.created
    pipelines(name, LAYOUTS["vector"], device)
    count = sum(1 for _ in cases(name))
    first = runtime.created
    assert first[0] - modules <= 1
    assert first[1] - made <= count
    for layouts in LAYOUTS.values():
        assert pipelines(name, layouts, device, (dtypes.float32, dtypes.bool_)) == first


@pytest.mark.vulkan
def test_more_axes_than_the_form_has(vulkan_device: str) -> None:
    """Nine axes that cannot be merged are a kernel of their own, and as right."""
    array = np.random.default_rng(5).normal(size=(2,) * 9).astype(np.float32)
    x = pumice.tensor(array, device=vulkan_device)
    order = tuple(reversed(range(9)))
    found = (x + x.permute(order)).cpu().numpy()
    np.testing.assert_array_equal(found, array + array.transpose(order))
