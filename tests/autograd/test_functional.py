"""`autograd.functional` gives what PyTorch gives, in PyTorch's structures."""

from typing import Any

import numpy as np
import pytest
import torch

import pumice
from pumice.autograd import functional

X = np.array([[1.0, -2.0, 0.5], [3.0, 0.25, 1.5]])
Y = np.array([2.0, -1.0, 0.5])


def pair(x: Any, y: Any) -> Any:
    return (x**2 * y).sum(1), x.sum() * y**3


def scalar(x: Any, y: Any) -> Any:
    return ((x**3).sum(0) * y**2).sum()


def both() -> tuple[Any, Any]:
    return (pumice.tensor(X), pumice.tensor(Y)), (torch.tensor(X), torch.tensor(Y))


def same(got: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert isinstance(got, tuple) and len(got) == len(wanted)
        for ours, theirs in zip(got, wanted, strict=True):
            same(ours, theirs)
        return
    assert got.shape == tuple(wanted.shape)
    assert got.requires_grad == wanted.requires_grad
    np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), rtol=1e-12)


class TestProducts:
    def test_vjp_and_jvp(self) -> None:
        ours, theirs = both()
        v = (pumice.tensor([1.0, 2.0]).double(), pumice.tensor([1.0, 0.5, 2.0]).double())
        u = tuple(torch.tensor(each.numpy()) for each in v)
        same(functional.vjp(pair, ours, v), torch.autograd.functional.vjp(pair, theirs, u))
        same(functional.jvp(pair, ours, ours), torch.autograd.functional.jvp(pair, theirs, theirs))
        same(
            functional.vjp(lambda x: (x**2).sum(), ours[0]),
            torch.autograd.functional.vjp(lambda x: (x**2).sum(), theirs[0]),
        )

    def test_vhp_and_hvp(self) -> None:
        ours, theirs = both()
        same(
            functional.vhp(scalar, ours, ours),
            torch.autograd.functional.vhp(scalar, theirs, theirs),
        )
        same(
            functional.hvp(scalar, ours, ours),
            torch.autograd.functional.hvp(scalar, theirs, theirs),
        )

    def test_create_graph(self) -> None:
        x = pumice.tensor(Y, requires_grad=True)
        for product in (functional.vjp, functional.jvp):
            value, found = product(lambda x: x**3, x, pumice.tensor(Y), create_graph=True)
            assert value.requires_grad and found.requires_grad
            (second,) = pumice.grad(found.sum(), x)
            np.testing.assert_allclose(second.numpy(), 6 * Y * Y)
            assert not product(lambda x: x**3, x, pumice.tensor(Y))[1].requires_grad


class TestJacobians:
    @pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
    def test_jacobian(self, strategy: str) -> None:
        ours, theirs = both()
        wanted = torch.autograd.functional.jacobian(pair, theirs)
        same(functional.jacobian(pair, ours, strategy=strategy), wanted)
        single = functional.jacobian(lambda x: x**2, ours[0], strategy=strategy)
        same(single, torch.autograd.functional.jacobian(lambda x: x**2, theirs[0]))

    @pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
    def test_hessian(self, strategy: str) -> None:
        ours, theirs = both()
        wanted = torch.autograd.functional.hessian(scalar, theirs)
        same(functional.hessian(scalar, ours, outer_jacobian_strategy=strategy), wanted)
        cube = lambda x: (x**3).sum()  # noqa: E731
        same(
            functional.hessian(cube, ours[1], outer_jacobian_strategy=strategy),
            torch.autograd.functional.hessian(cube, theirs[1]),
        )

    def test_create_graph(self) -> None:
        x = pumice.tensor(Y, requires_grad=True)
        found = functional.jacobian(lambda x: x**3, x, create_graph=True)
        (second,) = pumice.grad(found.sum(), x)
        np.testing.assert_allclose(second.numpy(), 6 * Y)
        assert not functional.jacobian(lambda x: x**3, x).requires_grad


class TestErrors:
    def test_all(self) -> None:
        x = pumice.ones(2)
        with pytest.raises(pumice.InvalidArgument, match="strict"):
            functional.vjp(lambda x: pumice.ones(1), x, pumice.ones(1), strict=True)
        assert functional.jacobian(lambda x: pumice.ones(1), x).tolist() == [[0, 0]]
        with pytest.raises(pumice.InvalidArgument, match="v is None"):
            functional.vjp(lambda x: x, x)
        with pytest.raises(pumice.ShapeError, match="v has the shapes"):
            functional.jvp(lambda x: x, x, pumice.ones(3))
        with pytest.raises(pumice.DTypeError, match="inputs hold a float"):
            functional.jacobian(lambda x: x, (1.0,))
        with pytest.raises(pumice.InvalidArgument, match="strategy"):
            functional.jacobian(lambda x: x, x, strategy="sideways")
        with pytest.raises(pumice.InvalidArgument, match="several elements"):
            functional.hessian(lambda x: x, x)
