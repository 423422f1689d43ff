"""Attention on a Vulkan device, which streams its softmax through shared memory."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as theirs

import pumice
import pumice.nn.functional as ours
from tests.required import computes_with
from tests.tensor.peers import floats

pytestmark = pytest.mark.vulkan
ALLOWED = np.random.default_rng(5).random((40, 70)) < 0.7


def results(module: Any, functions: Any, device: str, dtype: str, mask: Any, **options: Any) -> Any:
    """Return an attention and its gradients, with heads that share keys."""
    kind = getattr(module, dtype)
    shapes = ((2, 4, 40, 8), (2, 2, 70, 8), (2, 2, 70, 12), (2, 4, 40, 12))
    arrays = [floats(*shape, seed=seed) for seed, shape in enumerate(shapes)]
    *parts, g = (module.tensor(array).to(device).to(kind) for array in arrays)
    for part in parts:
        part.requires_grad_(True)
    allowed = None if mask is None else module.tensor(mask).to(device)
    out = functions.scaled_dot_product_attention(
        *parts, attn_mask=allowed, enable_gqa=True, **options
    )
    found = (out, *module.autograd.grad(out, parts, g))
    return [each.detach().to("cpu").to(module.float64).numpy() for each in found]


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-12), ("bfloat16", 3e-2)]
)
@pytest.mark.parametrize("causal", [False, True])
def test_values_and_gradients(
    vulkan_device: str, dtype: str, tolerance: float, causal: bool
) -> None:
    if not computes_with(vulkan_device, dtype):
        return
    mask = None if causal else ALLOWED
    mine = results(pumice, ours, vulkan_device, dtype, mask, is_causal=causal)
    peer = results(torch, theirs, "cpu", dtype, mask, is_causal=causal)
    for found, right in zip(mine, peer, strict=True):
        np.testing.assert_allclose(found, right, rtol=tolerance, atol=tolerance)
    again = results(pumice, ours, vulkan_device, dtype, mask, is_causal=causal)
    for found, before in zip(again, mine, strict=True):
        np.testing.assert_array_equal(found, before)


def test_one_query(vulkan_device: str) -> None:
    q, k, v = floats(2, 3, 1, 16), floats(2, 3, 1500, 16, seed=1), floats(2, 3, 1500, 8, seed=2)
    parts: Any = [pumice.tensor(each).to(vulkan_device) for each in (q, k, v)]
    mine = ours.scaled_dot_product_attention(*parts)
    peer = theirs.scaled_dot_product_attention(*(torch.tensor(each) for each in (q, k, v)))
    np.testing.assert_allclose(mine.cpu().numpy(), peer.numpy(), rtol=1e-5, atol=1e-5)


def test_more_keys_than_one_launch_goes_over(vulkan_device: str) -> None:
    arrays = [floats(1, length, 64, seed=length) for length in (6, 4500, 4501)]
    arrays[2] = arrays[2][:, :4500]
    parts: Any = [pumice.tensor(each).to(vulkan_device) for each in arrays]
    mine = ours.scaled_dot_product_attention(*parts)
    peer = theirs.scaled_dot_product_attention(*(torch.tensor(each) for each in arrays))
    np.testing.assert_allclose(mine.cpu().numpy(), peer.numpy(), rtol=1e-5, atol=1e-6)


def test_second_derivative(vulkan_device: str) -> None:
    found = []
    module: Any
    functions: Any
    for module, functions, device in ((pumice, ours, vulkan_device), (torch, theirs, "cpu")):
        arrays = (floats(2, 5, 4), floats(2, 6, 4, seed=1), floats(2, 6, 3, seed=2))
        parts = [module.tensor(each).to(device).requires_grad_(True) for each in arrays]
        out = functions.scaled_dot_product_attention(*parts)
        firsts = module.autograd.grad((out**3).sum(), parts, create_graph=True)
        squares: Any = sum((first**2).sum() for first in firsts)
        seconds = module.autograd.grad(squares, parts)
        found.append([each.to("cpu").numpy() for each in seconds])
    for mine, peer in zip(*found, strict=True):
        np.testing.assert_allclose(mine, peer, rtol=1e-3, atol=1e-3)


def test_memory_grows_with_the_length_only(vulkan_device: str) -> None:
    length = 1024
    arrays = [floats(1, length, 8, seed=seed) for seed in range(3)]
    parts: Any = [pumice.tensor(each).to(vulkan_device).requires_grad_(True) for each in arrays]
    before = pumice.memory_stats(vulkan_device)
    out = ours.scaled_dot_product_attention(*parts)
    for each in (out, *pumice.autograd.grad((out * out).sum(), parts)):
        each.detach().cpu()
    after = pumice.memory_stats(vulkan_device)
    # A quarter of one matrix of scores, in bytes.
    assert after["peak"] <= max(before["peak"], before["live"] + length * length)
