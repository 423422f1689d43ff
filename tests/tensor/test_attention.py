"""Attention through tensors: evaluation orders, gradients of gradients, awkward sizes."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as theirs

import pumice
import pumice.nn.functional as ours
from tests.tensor.peers import Array, floats


def leaves(module: Any, arrays: list[Array]) -> list[Any]:
    return [module.tensor(array, requires_grad=True) for array in arrays]


def operands(*shapes: tuple[int, ...]) -> list[Array]:
    return [floats(*shape, seed=seed) for seed, shape in enumerate(shapes)]


CUBES = operands((2, 3, 40, 8), (2, 3, 70, 8), (2, 3, 70, 12))


@pytest.mark.parametrize("causal", [False, True])
def test_second_derivative(causal: bool) -> None:
    found = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        q, k, v = leaves(module, CUBES)
        out = functions.scaled_dot_product_attention(q, k, v, is_causal=causal)
        firsts = module.autograd.grad((out**3).sum(), (q, k, v), create_graph=True)
        sum((first**2).sum() for first in firsts).backward()
        found.append([each.grad.numpy() for each in (q, k, v)])
    for mine, peer in zip(*found, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("evaluated_first", [False, True])
def test_gradients_before_and_after_evaluation(evaluated_first: bool) -> None:
    found = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        q, k, v = leaves(module, CUBES)
        out = functions.scaled_dot_product_attention(q, k, v, is_causal=True)
        if evaluated_first:
            out.sum().item()
        (out * out).sum().backward()
        found.append([each.grad.numpy() for each in (q, k, v)])
    for mine, peer in zip(*found, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-4, atol=1e-4)


def test_a_mask_has_a_gradient() -> None:
    found = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        q, k, v = leaves(module, CUBES)
        bias = module.tensor(floats(3, 1, 70, seed=9), requires_grad=True)
        mask = bias.expand(3, 40, 70)
        out = functions.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        (out * out).sum().backward()
        found.append([each.grad.numpy() for each in (q, k, v, bias)])
    for mine, peer in zip(*found, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3, 0, 4), (2, 3, 5, 4), (2, 3, 5, 4)),
        ((2, 3, 5, 4), (2, 3, 0, 4), (2, 3, 0, 4)),
        ((0, 5, 4), (0, 6, 4), (0, 6, 4)),
        ((1, 4), (1, 4), (1, 3)),
        ((5, 2), (7, 2), (7, 1)),
    ],
    ids=str,
)
def test_few_elements(shapes: tuple[tuple[int, ...], ...]) -> None:
    arrays = operands(*shapes)
    mine = ours.scaled_dot_product_attention(*leaves(pumice, arrays))
    peer = theirs.scaled_dot_product_attention(*leaves(torch, arrays))
    assert mine.shape == peer.shape
    np.testing.assert_allclose(mine.detach().numpy(), peer.detach().numpy(), atol=1e-6)


def test_gradients_have_the_dtype_of_their_operands() -> None:
    q, k, v = (pumice.tensor(array).to(pumice.bfloat16) for array in CUBES)
    for each in (q, k, v):
        each.requires_grad_()
    ours.scaled_dot_product_attention(q, k, v).sum().backward()
    assert {each.grad.dtype for each in (q, k, v)} == {pumice.bfloat16}
    wide = leaves(torch, [each.detach().float().numpy() for each in (q, k, v)])
    theirs.scaled_dot_product_attention(*wide).sum().backward()
    for mine, peer in zip((q, k, v), wide, strict=True):
        np.testing.assert_allclose(mine.grad.float().numpy(), peer.grad.numpy(), atol=3e-2)
