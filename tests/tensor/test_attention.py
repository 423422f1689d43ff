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


def test_what_a_mask_hides_may_be_anything() -> None:
    query, key, value = operands((3, 40, 8), (3, 70, 8), (3, 70, 12))
    allowed = np.random.default_rng(0).random((40, 70)) < 0.5
    allowed[:, 7] = False
    expected = theirs.scaled_dot_product_attention(
        *map(torch.tensor, (query, key, value)), attn_mask=torch.tensor(allowed)
    )
    key[:, 7] = np.nan
    for rows in (40, 1):
        found = ours.scaled_dot_product_attention(
            *map(pumice.tensor, (query[:, :rows], key, value)),
            attn_mask=pumice.tensor(allowed[:rows]),
        )
        np.testing.assert_allclose(found.numpy(), expected[:, :rows].numpy(), atol=1e-6)


def test_a_mask_of_keys() -> None:
    arrays = operands((2, 3, 40, 8), (2, 3, 70, 8), (2, 3, 70, 12))
    padding = np.random.default_rng(0).random((2, 1, 1, 70)) < 0.5
    added = floats(2, 1, 1, 70, seed=5)
    for mask in (padding, added):
        mine = ours.scaled_dot_product_attention(
            *map(pumice.tensor, arrays), attn_mask=pumice.tensor(mask)
        )
        peer = theirs.scaled_dot_product_attention(
            *map(torch.tensor, arrays), attn_mask=torch.tensor(mask)
        )
        np.testing.assert_allclose(mine.numpy(), peer.numpy(), atol=1e-6)


@pytest.mark.parametrize("mask", ["whole", "heads", "row"])
def test_shared_heads_under_masks(mask: str) -> None:
    shape = {"whole": (2, 6, 5, 9), "heads": (6, 5, 9), "row": (1, 9)}[mask]
    arrays = operands((2, 6, 5, 4), (2, 3, 9, 4), (2, 3, 9, 7))
    found = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        q, k, v = leaves(module, arrays)
        bias = module.tensor(floats(*shape, seed=4))
        out = functions.scaled_dot_product_attention(q, k, v, attn_mask=bias, enable_gqa=True)
        (out * out).sum().backward()
        found.append([each.grad.numpy() for each in (q, k, v)])
    for mine, peer in zip(*found, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-4, atol=1e-4)


def test_more_features_than_tiles_are_kept_for() -> None:
    found = []
    for module, functions in ((pumice, ours), (torch, theirs)):
        q, k, v = leaves(module, operands((2, 5, 700), (2, 9, 700), (2, 9, 600)))
        out = functions.scaled_dot_product_attention(q, k, v, is_causal=True)
        (out * out).sum().backward()
        found.append([out.detach().numpy(), *(each.grad.numpy() for each in (q, k, v))])
    for mine, peer in zip(*found, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-4, atol=1e-4)


def test_dropped_weights() -> None:
    q, k, v = leaves(pumice, operands((2, 3, 40, 8), (2, 3, 300, 8), (2, 3, 300, 12)))
    g = pumice.tensor(floats(2, 3, 40, 12, seed=7))

    def mixed(p: float) -> Any:
        pumice.manual_seed(3)
        return ours.scaled_dot_product_attention(q, k, v, dropout_p=p)

    out = mixed(0.5)
    out.backward(g)
    # The result is linear in the values, so their gradient gives it back.
    through = (v.grad * v).sum().item()
    np.testing.assert_allclose(through, (out * g).sum().item(), rtol=1e-4)
    np.testing.assert_array_equal(out.detach().numpy(), mixed(0.5).detach().numpy())
    assert mixed(1.0).detach().abs().max().item() == 0
    ones = pumice.ones(2, 3, 300, 1)
    pumice.manual_seed(3)
    shares = ours.scaled_dot_product_attention(q * 0, k, ones, dropout_p=0.25)
    assert abs(shares.mean().item() - 1) < 0.01
    assert 0.01 < shares.std().item() < 0.06  # of 300 draws that are 0 or 4 / 3: 0.033


def test_dropped_weights_have_second_derivatives() -> None:
    arrays = [array.astype(np.float64) for array in operands((1, 3, 2), (1, 4, 2), (1, 4, 2))]

    def loss(*tensors: Any) -> Any:
        pumice.manual_seed(5)
        return (ours.scaled_dot_product_attention(*tensors, dropout_p=0.3) ** 2).sum()

    q, k, v = leaves(pumice, arrays)
    (first,) = pumice.autograd.grad(loss(q, k, v), (q,), create_graph=True)
    (plain,) = pumice.autograd.grad(loss(q, k, v), (q,))
    np.testing.assert_allclose(first.detach().numpy(), plain.numpy(), rtol=1e-9)
    (second,) = pumice.autograd.grad((first**2).sum(), (k,))
    step = 1e-5
    moved = []
    for sign in (1, -1):
        changed = arrays[1].copy()
        changed[0, 1, 0] += sign * step
        other = leaves(pumice, [arrays[0], changed, arrays[2]])
        (slope,) = pumice.autograd.grad(loss(*other), (other[0],))
        moved.append((slope**2).sum().item())
    expected = (moved[0] - moved[1]) / (2 * step)
    np.testing.assert_allclose(second.numpy()[0, 1, 0], expected, rtol=1e-5, atol=1e-8)
