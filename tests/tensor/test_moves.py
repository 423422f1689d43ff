"""Gradients cross from one device to another."""

import pytest

import pumice


@pytest.mark.vulkan
def test_gradient_of_a_moved_tensor(vulkan_device: str) -> None:
    x = pumice.tensor([1.0, 2.0, 3.0], requires_grad=True)
    there = x.to(vulkan_device)
    assert there.requires_grad
    (there * there).sum().backward()
    assert x.grad is not None
    assert x.grad.device == x.device
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


@pytest.mark.vulkan
def test_there_and_back(vulkan_device: str) -> None:
    x = pumice.tensor([1.0, -2.0], requires_grad=True)
    y = (x * 3).to(vulkan_device).exp().to("cpu") * x
    (first,) = pumice.grad(y.sum(), x, create_graph=True)
    (second,) = pumice.grad(first.sum(), x)
    z = pumice.tensor([1.0, -2.0], requires_grad=True)
    (plain,) = pumice.grad(((z * 3).exp() * z).sum(), z, create_graph=True)
    (plain_second,) = pumice.grad(plain.sum(), z)
    assert pumice.allclose(first, plain, rtol=1e-5)
    assert pumice.allclose(second, plain_second, rtol=1e-5)


@pytest.mark.vulkan
def test_without_gradients_a_move_is_a_copy(vulkan_device: str) -> None:
    x = pumice.tensor([1.0], requires_grad=True)
    with pumice.no_grad():
        assert not x.to(vulkan_device).requires_grad
    assert not x.detach().to(vulkan_device).requires_grad
