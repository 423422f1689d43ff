"""Clipping of gradients, against PyTorch."""

import math

import numpy as np
import pytest
import torch

from pumice import nn
from pumice.errors import InvalidArgument
from pumice.nn.parameter import Parameter
from pumice.tensor.convert import tensor
from pumice.tensor.jit import jit
from pumice.tensor.tensor import Tensor

GRADIENTS = ([3.0, -4.0], [[12.0], [0.5]])


def ours() -> list[Parameter]:
    parameters = [Parameter(tensor(each)) for each in GRADIENTS]
    for each in parameters:
        (each * each.detach()).sum().backward()
    return [*parameters, Parameter(tensor([1.0]))]


def theirs() -> list[torch.nn.Parameter]:
    parameters = [torch.nn.Parameter(torch.tensor(each)) for each in GRADIENTS]
    for each in parameters:
        (each * each.detach()).sum().backward()
    return [*parameters, torch.nn.Parameter(torch.ones(1))]


def assert_same(got: list[Parameter], expected: list[torch.nn.Parameter]) -> None:
    for one, other in zip(got, expected, strict=True):
        if other.grad is None:
            assert one.grad is None
        else:
            assert one.grad is not None
            np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize("limit", [1.0, 100.0])
@pytest.mark.parametrize("kind", [1.0, 2.0, math.inf])
def test_clip_grad_norm(limit: float, kind: float) -> None:
    got, expected = ours(), theirs()
    norm = nn.utils.clip_grad_norm_(got, limit, kind)
    expected_norm = torch.nn.utils.clip_grad_norm_(expected, limit, kind)
    assert math.isclose(norm.item(), expected_norm.item(), rel_tol=1e-6)
    assert_same(got, expected)


def test_clip_grad_value() -> None:
    got, expected = ours(), theirs()
    nn.utils.clip_grad_value_(got, 3.5)
    torch.nn.utils.clip_grad_value_(expected, 3.5)
    assert_same(got, expected)


def test_nothing_to_clip() -> None:
    assert nn.utils.clip_grad_norm_(Parameter(tensor([1.0])), 1.0).item() == 0.0


def test_a_norm_that_is_not_finite() -> None:
    parameter = Parameter(tensor([1.0]))
    (parameter * math.inf).sum().backward()
    with pytest.raises(InvalidArgument, match="clip_grad_norm_: the norm of the gradients is inf"):
        nn.utils.clip_grad_norm_([parameter], 1.0, error_if_nonfinite=True)


def test_inside_jit() -> None:
    parameter = Parameter(tensor([3.0, 4.0]))

    @jit
    def step(x: Tensor) -> Tensor:
        parameter.grad = None
        (parameter * x).sum().backward()
        return nn.utils.clip_grad_norm_([parameter], 1.0)

    for scale in (1.0, 2.0, 3.0, 4.0):
        norm = step(tensor([3.0, 4.0]) * scale)
        assert math.isclose(norm.item(), 5.0 * scale, rel_tol=1e-6)
        assert parameter.grad is not None
        np.testing.assert_allclose(parameter.grad.numpy(), [0.6, 0.8], rtol=1e-5)
