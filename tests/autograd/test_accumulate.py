"""Gradients that reach one node from many places are placed and joined, not added one by one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice.autograd.accumulate import total
from pumice.graph import build
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.ops.view import View

Loss = Callable[[Any, Any, Any], Any]


def recurrent(t: Any, x: Any, w: Any) -> Any:
    h = x[0] * 0
    states = []
    for step in range(x.shape[0]):
        h = t.tanh(x[step] + h @ w)
        states.append(h)
    return (t.stack(states) ** 2).sum() + h.sum()


def linear(t: Any, x: Any, w: Any) -> Any:
    h = x[0]
    for step in range(x.shape[0]):
        h = t.tanh(t.nn.functional.linear(h, w) * x[step])
    return h.sum()


def columns(t: Any, x: Any, w: Any) -> Any:
    return (
        sum((x[:, :, column] ** (column + 1)).sum() for column in range(x.shape[2])) + (w**2).sum()
    )


def some_steps(t: Any, x: Any, w: Any) -> Any:
    return sum((x[step] @ w).exp().sum() for step in range(x.shape[0] - 1))


def overlapping(t: Any, x: Any, w: Any) -> Any:
    return sum((x[step : step + 2] ** 2 @ w).sum() for step in range(x.shape[0] - 1))


def flipped(t: Any, x: Any, w: Any) -> Any:
    backwards = t.flip(x, (0, 1))
    return sum((backwards[step] ** 3).sum() * w.sum() for step in range(x.shape[0]))


def batched(t: Any, x: Any, w: Any) -> Any:
    both = t.stack([w, w * 2])
    return sum((x[step] @ both).sin().sum() for step in range(x.shape[0]))


def mixed(t: Any, x: Any, w: Any) -> Any:
    return recurrent(t, x, w) + (x**2).sum() + (w**3).sum() + (x @ w).sum()


CASES = [recurrent, linear, columns, some_steps, overlapping, flipped, batched, mixed]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("loss", CASES, ids=lambda loss: loss.__name__)
def test_gradients_of_loops(loss: Loss, dtype: str) -> None:
    random = np.random.default_rng(0)
    arrays = [random.normal(size=shape).astype(dtype) * 0.5 for shape in ((7, 2, 9), (9, 9))]
    mine = [pumice.tensor(array, requires_grad=True) for array in arrays]
    others = [torch.tensor(array, requires_grad=True) for array in arrays]
    found = pumice.autograd.grad(loss(pumice, *mine), mine, create_graph=True)
    expected = torch.autograd.grad(loss(torch, *others), others, create_graph=True)
    limit = 1e-4 if dtype == "float32" else 1e-11
    for got, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            got.detach().numpy(), other.detach().numpy(), rtol=limit, atol=limit
        )
    again = pumice.autograd.grad(sum((part**2).sum() for part in found), mine)
    reference = torch.autograd.grad(sum((part**2).sum() for part in expected), others)  # type: ignore[arg-type]
    for got, other in zip(again, reference, strict=True):
        scale = float(other.abs().max())
        np.testing.assert_allclose(got.numpy(), other.numpy(), rtol=limit, atol=limit * scale)


def count(root: Node, op: Any) -> int:
    return sum(node.op is op for node in topological([root]))


def source(*shape: int) -> Node:
    return pumice.rand(*shape).realize().node


def test_products_become_one() -> None:
    pairs = [(source(12, 3), source(11, 3)) for _ in range(6)]
    spec = structure.Contraction(0, 1, 1, 1, pairs[0][0].dtype)
    parts = [build.contract(left, right, spec) for left, right in pairs]
    assert count(total(parts), structure.CONTRACT) == 1
    assert count(total(parts[:3]), structure.CONTRACT) == 3
    turned = [build.permute(part, (1, 0)) for part in parts]
    assert count(total(turned), structure.CONTRACT) == 1


def test_products_that_would_not_gain_stay() -> None:
    spec = structure.Contraction(0, 1, 1, 1, pumice.float32)
    parts = [build.contract(source(4, 50), source(3, 50), spec) for _ in range(6)]
    assert count(total(parts), structure.CONTRACT) == 6


def test_boxes_fill_one_tensor() -> None:
    shape, box = (6, 4), View((4,), (1,))
    zeros = build.constant(0, pumice.float32, shape)
    parts = [build.update(zeros, source(4), View(*box[:2], 4 * row)) for row in range(6)]
    filled = total(parts)
    assert count(filled, structure.UPDATE) == 6
    assert count(filled, structure.CONSTANT) == 0
    some = total(parts[:5])
    assert count(some, structure.UPDATE) == 5
    assert count(some, structure.CONSTANT) == 1


def test_gradients_of_a_stack_do_not_copy_it() -> None:
    x = pumice.rand(9, 4, requires_grad=True)
    out = pumice.stack([x[step].exp() for step in range(9)])
    (found,) = pumice.autograd.grad(out, x, pumice.rand(9, 4).realize())
    written = [node for node in topological([found.node]) if node.op is structure.UPDATE]
    # One write for each step's part of the result, none that clears the part of another step.
    assert all(node.sources[1].op is not structure.CONSTANT for node in written)
