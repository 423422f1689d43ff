"""Weight gradients of depthwise convolutions: all taps of a window in one pass."""

from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice.engine.builder import PlanBuilder
from pumice.graph.walk import topological
from pumice.kernel.ir import Loop, LoopKind
from pumice.kernel.walk import all_statements
from pumice.schedule.sources import resolve
from pumice.target import CPU
from tests.tensor.peers import floats, same_call

CASES: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 9, 6, 14), (9, 1, 3, 3), {"padding": 1}),
    ((1, 12, 11, 37), (12, 1, 5, 5), {"padding": 2}),
    ((3, 8, 9, 8), (8, 1, 3, 3), {"stride": 2, "padding": 1}),
    ((2, 8, 13, 15), (8, 1, 3, 2), {"stride": (1, 3), "dilation": (2, 1)}),
    ((2, 8, 12, 17), (16, 1, 7, 7), {"padding": 3}),
    ((2, 10, 5, 4), (10, 1, 3, 3), {"padding": 1}),
    ((2, 10, 33), (10, 1, 4), {"padding": 2}),
    ((1, 8, 4, 5, 9), (8, 1, 2, 3, 3), {"padding": (0, 1, 1)}),
]


def operator(library: Any, rank: int, **options: Any) -> Any:
    convolve = getattr(library.nn.functional, f"conv{rank}d")
    return lambda x, w: convolve(x, w, None, **options, groups=x.shape[1])


@pytest.mark.parametrize(("image", "weight", "options"), CASES, ids=str)
def test_gradients_agree_with_pytorch(image, weight, options):
    rank = len(image) - 2
    arrays = (floats(*image), floats(*weight, seed=1))
    ours, theirs = (operator(library, rank, **options) for library in (pumice, torch))
    same_call(ours, theirs, *arrays, gradient=True, tolerance=2e-4)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_element_types(dtype):
    numbers = np.random.default_rng(0)
    x, w, g = (numbers.integers(-2, 3, s) for s in ((1, 8, 6, 14), (8, 1, 3, 3), (1, 8, 6, 14)))
    results = []
    for library in (pumice, torch):
        kind = getattr(library, dtype if library is pumice else "float64")
        leaf = library.tensor(w).to(kind).requires_grad_(True)
        result = operator(library, 2, padding=1)(library.tensor(x).to(kind), leaf)
        (found,) = library.autograd.grad(result, leaf, library.tensor(g).to(kind))
        results.append(found.to(library.float64).numpy())
    # Small integers: exact in each type.
    np.testing.assert_array_equal(*results)


def test_rows_are_read_once():
    x, w = pumice.tensor(floats(2, 16, 9, 20)), pumice.tensor(floats(16, 1, 3, 3))
    g = pumice.tensor(floats(2, 16, 9, 20))
    leaf = w.requires_grad_(True)
    (found,) = pumice.autograd.grad(operator(pumice, 2, padding=1)(x, leaf), leaf, g)
    node = resolve(found.node)
    (step,) = PlanBuilder(topological([node]), [node], CPU).steps
    assert step.grid == (16,)
    (outer,) = (each for each in step.kernel.body if isinstance(each, Loop))
    assert outer.kind is LoopKind.LANES
    assert len(outer.folds) == 9
    inner = [each for each in all_statements(outer.body) if isinstance(each, Loop)]
    assert all(each.kind is LoopKind.SERIAL for each in inner)
