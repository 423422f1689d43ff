"""Convolutions of awkward shapes against PyTorch, whole and with little local memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice.engine import compiled
from pumice.engine.builder import PlanBuilder
from pumice.graph.walk import topological
from pumice.lowering import (
    lower,
    window_blocks,
    window_product,
    window_row_blocks,
    window_rows,
    window_sum_blocks,
    window_sums,
)
from pumice.lowering.memo import LoweringMemo
from pumice.ops import structure
from pumice.target import CPU
from tests.tensor.peers import floats, same_call

Case = tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]

CASES: list[Case] = [
    ("conv2d", (2, 5, 11, 37), (17, 5, 3, 3), {"padding": 1}),
    ("conv2d", (1, 3, 30, 33), (20, 3, 7, 7), {"stride": 2, "padding": 3}),
    ("conv2d", (2, 6, 16, 16), (17, 6, 7, 1), {"stride": (2, 1), "padding": (3, 0)}),
    ("conv1d", (2, 6, 33), (17, 6, 5), {"stride": 2, "padding": 1}),
    ("conv2d", (3, 8, 7, 7), (30, 8, 3, 3), {"padding": 1}),
    ("conv2d", (9, 16, 5, 4), (40, 16, 3, 2), {"padding": (1, 0)}),
    ("conv2d", (2, 6, 15, 18), (16, 6, 3, 3), {"stride": (2, 3), "padding": (0, 2)}),
    ("conv2d", (2, 6, 20, 21), (16, 6, 3, 3), {"dilation": (2, 3), "padding": 3}),
    ("conv2d", (2, 6, 20, 21), (16, 6, 3, 3), {"dilation": 3, "stride": 2, "padding": 2}),
    ("conv2d", (2, 6, 20, 21), (16, 6, 2, 3), {"dilation": 2, "stride": 4}),
    ("conv2d", (2, 12, 9, 40), (36, 4, 3, 3), {"groups": 3, "padding": 1}),
    ("conv2d", (1, 4, 3, 700), (16, 4, 3, 5), {"padding": (0, 2)}),
    ("conv2d", (1, 4, 9, 9), (16, 4, 9, 9), {"padding": 4}),
    ("conv2d", (1, 1, 9, 50), (16, 1, 3, 3), {}),
    ("conv1d", (2, 5, 1100), (16, 5, 9), {"padding": 4}),
    ("conv1d", (2, 5, 301), (16, 5, 4), {"stride": 3, "padding": 1}),
    ("conv3d", (2, 3, 6, 7, 9), (15, 3, 3, 2, 3), {"padding": (1, 0, 1)}),
    ("conv3d", (1, 3, 8, 9, 20), (15, 3, 3, 3, 3), {"stride": (2, 1, 2), "padding": 1}),
]


def named(case: Case) -> str:
    operator, image, weight, options = case
    text = "-".join(f"{name}{value}" for name, value in options.items())
    return f"{operator}-{image}-{weight}-{text}".replace(" ", "")


@pytest.fixture
def cramped(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With little local memory every product takes several passes, parts and blocks."""
    blocks = (window_blocks, window_row_blocks, window_sum_blocks)
    for module in (*blocks, window_product, window_rows, window_sums):
        monkeypatch.setattr(module, "PACKED", 3000)
        monkeypatch.setattr(module, "RESULTS", 4000)
    for module in (window_sum_blocks, window_sums):
        monkeypatch.setattr(module, "TURNED", 3000)
    for module in (window_blocks, window_row_blocks):
        monkeypatch.setattr(module, "MOST_POSITIONS", 128)
    forget(monkeypatch)
    for module in blocks:
        module.choose_blocks.cache_clear()
    yield
    for module in blocks:
        module.choose_blocks.cache_clear()


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower and compile anew what was compiled before."""
    monkeypatch.setattr(compiled, "_plans", compiled.PlanCache())
    monkeypatch.setattr(lower, "_memo", LoweringMemo())


def check(case: Case, gradient: bool) -> None:
    operator, image, weight, options = case

    def call(library: Any) -> Any:
        return lambda x, w, b: getattr(library, operator)(x, w, b, **options).relu()

    arrays = (floats(*image), floats(*weight, seed=1) / 4, floats(weight[0], seed=2))
    ours, theirs = call(pumice.nn.functional), call(torch.nn.functional)
    same_call(ours, theirs, *arrays, gradient=gradient, tolerance=2e-4)


@pytest.fixture(params=["columns are positions", "rows are positions"])
def orientation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every product takes one of two lowerings, whichever would be cheaper."""
    forget(monkeypatch)
    other = window_rows.WindowRows if request.param[0] == "c" else window_product.WindowProduct
    monkeypatch.setattr(other, "cut", lambda _: False)
    return str(request.param)


@pytest.mark.parametrize("case", CASES, ids=named)
@pytest.mark.usefixtures("orientation")
def test_either_orientation(case: Case) -> None:
    check(case, gradient=case in CASES[1::4])


@pytest.mark.parametrize("case", CASES[::2], ids=named)
@pytest.mark.usefixtures("cramped", "orientation")
def test_either_orientation_in_little_memory(case: Case) -> None:
    check(case, gradient=case in CASES[::4])


@pytest.mark.parametrize("case", CASES, ids=named)
def test_agrees_with_pytorch(case: Case) -> None:
    check(case, gradient=case in CASES[::2])


@pytest.mark.parametrize("case", CASES[::2], ids=named)
@pytest.mark.usefixtures("cramped")
def test_agrees_with_pytorch_in_little_memory(case: Case) -> None:
    check(case, gradient=case in CASES[::4])


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int32", "int64"])
def test_element_types(dtype: str) -> None:
    kind = getattr(pumice, dtype)
    numbers = np.random.default_rng(0)
    x, w = numbers.integers(-3, 4, (2, 4, 9, 19)), numbers.integers(-3, 4, (16, 4, 3, 3))
    wanted = torch.nn.functional.conv2d(
        torch.tensor(x).double(), torch.tensor(w).double(), padding=1
    )
    result = pumice.nn.functional.conv2d(
        pumice.tensor(x).to(kind), pumice.tensor(w).to(kind), padding=1
    )
    # Small integers: exact in each type.
    np.testing.assert_array_equal(result.to(pumice.float64).numpy(), wanted.numpy())


@pytest.mark.parametrize("case", CASES, ids=named)
def test_nothing_is_unfolded(case: Case) -> None:
    operator, image, weight, options = case
    x, w = pumice.tensor(floats(*image)), pumice.tensor(floats(*weight))
    node = getattr(pumice.nn.functional, operator)(x, w, **options).relu().node
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    assert len(steps) <= 2  # weights where they are not turned on the way, product
    assert any(local.name == "packed" for local in steps[-1].kernel.locals)


WHOLE: list[Case] = [
    ("conv2d", (3, 64, 16, 24), (70, 64, 1, 1), {}),
    ("conv2d", (2, 40, 31, 17), (64, 40, 1, 1), {}),
    ("conv1d", (2, 128, 300), (42, 128, 1), {}),
    ("conv3d", (2, 48, 5, 8, 16), (64, 48, 1, 1, 1), {}),
]


@pytest.mark.parametrize("case", WHOLE, ids=named)
def test_images_without_taps_are_plain_products(case: Case) -> None:
    operator, image, weight, options = case
    x, w = pumice.tensor(floats(*image)), pumice.tensor(floats(*weight))
    node = getattr(pumice.nn.functional, operator)(x, w, **options).relu().node
    (step,) = PlanBuilder(topological([node]), [node], CPU).steps
    assert {local.name for local in step.kernel.locals} == {"panel", "tile"}
    check(case, gradient=True)


APART: list[Case] = [
    ("conv2d", (2, 16, 9, 11), (20, 16, 3, 3), {"stride": 2, "padding": 1}),
    ("conv2d", (2, 18, 10, 13), (8, 18, 5, 4), {"stride": (2, 3), "padding": (1, 2)}),
    ("conv2d", (2, 32, 9, 8), (12, 16, 3, 5), {"stride": 2, "padding": (0, 2), "groups": 2}),
    ("conv2d", (1, 16, 13, 12), (8, 16, 3, 4), {"stride": (4, 3), "padding": 1}),
    ("conv2d", (1, 16, 13, 6), (8, 16, 4, 3), {"stride": (3, 1), "padding": (0, 1)}),
    ("conv1d", (2, 17, 40), (8, 17, 5), {"stride": 4, "padding": 2}),
    ("conv3d", (1, 16, 5, 6, 7), (4, 16, 3, 3, 3), {"stride": (2, 1, 2), "padding": 1}),
]


@pytest.mark.parametrize("case", APART, ids=named)
def test_phases_of_a_stride_are_products_of_their_own(case: Case) -> None:
    operator, image, weight, options = case
    leaf = pumice.tensor(floats(*image), requires_grad=True)
    result = getattr(pumice.nn.functional, operator)(
        leaf, pumice.tensor(floats(*weight)), **options
    )
    (found,) = pumice.autograd.grad(result.sum(), leaf)
    order = topological([found.node])
    assert sum(node.op is structure.CONTRACT for node in order) > 1
    check(case, gradient=True)
