"""Parametrized weights, fused norms, vectors of parameters and more fillings, against PyTorch."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from pumice import nn
from pumice.autograd import no_grad
from pumice.errors import InvalidArgument, ShapeError
from pumice.nn.utils import parametrizations, parametrize
from pumice.tensor.convert import tensor
from pumice.tensor.creation import empty, zeros
from pumice.tensor.jit import jit
from pumice.tensor.tensor import Tensor
from tests.nn.test_against_torch import close, pair, values


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Any:
        return x * 2

    def right_inverse(self, x: Tensor) -> Any:
        return x / 2


class Shifted(nn.Module):
    def forward(self, x: Tensor) -> Any:
        return x + 1


def test_reads_compute_and_writes_invert() -> None:
    layer = nn.Linear(2, 2, bias=False)
    before = layer.weight.tolist()
    parametrize.register_parametrization(layer, "weight", Doubled())
    assert layer.weight.tolist() == before
    assert list(layer.state_dict()) == ["parametrizations.weight.original"]
    layer.weight = tensor([[2.0, 4.0], [6.0, 8.0]])
    assert layer.parametrizations.weight.original.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    (layer(tensor([[1.0, 1.0]]))).sum().backward()
    assert layer.parametrizations.weight.original.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert type(layer).__name__ == "ParametrizedLinear"
    assert isinstance(layer, nn.Linear)
    assert type(nn.Linear(2, 2)).__name__ == "Linear"


def test_several_in_order_and_removal() -> None:
    layer = nn.Linear(1, 1, bias=False)
    parametrize.register_parametrization(layer, "weight", Doubled())
    value = layer.weight.item()
    parametrize.register_parametrization(layer, "weight", Shifted())
    assert layer.weight.item() == pytest.approx(value + 1)
    copied = copy.deepcopy(layer)
    assert copied.weight.item() == layer.weight.item()
    with pytest.raises(InvalidArgument, match="Shifted has no right_inverse"):
        layer.weight = tensor([[1.0]])
    assert parametrize.is_parametrized(layer)
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(layer, "bias")
    parametrize.remove_parametrizations(layer, "weight")
    assert not parametrize.is_parametrized(layer)
    assert type(layer) is nn.Linear
    assert isinstance(layer.weight, nn.Parameter)
    assert layer.weight.item() == pytest.approx(value + 1)
    parametrize.remove_parametrizations(copied, "weight", leave_parametrized=False)
    assert copied.weight.item() == pytest.approx(value / 2)


def test_buffers_may_be_parametrized() -> None:
    norm = nn.BatchNorm1d(2)
    parametrize.register_parametrization(norm, "running_mean", Shifted())
    assert norm.running_mean.tolist() == [1.0, 1.0]
    assert "parametrizations.running_mean.original" in norm.state_dict()


class Longer(nn.Module):
    def forward(self, x: Tensor) -> Any:
        return x.repeat(2, 1)


def test_errors() -> None:
    layer = nn.Linear(2, 2, bias=False)
    with pytest.raises(InvalidArgument, match="Linear has no parameter or buffer 'other'"):
        parametrize.register_parametrization(layer, "other", Shifted())
    with pytest.raises(ShapeError, match=r"the result has shape \[4, 2\]; the shape of the param"):
        parametrize.register_parametrization(layer, "weight", Longer())
    parametrize.register_parametrization(layer, "weight", Shifted())
    with pytest.raises(ShapeError, match="does not have the shape"):
        parametrize.register_parametrization(layer, "weight", Longer())
    assert layer.weight.shape == (2, 2)
    with pytest.raises(InvalidArgument, match="Linear has no parametrization on 'bias'"):
        parametrize.remove_parametrizations(layer, "bias")
    with pytest.raises(InvalidArgument, match="spectral_norm: Linear has no parameter 'x'"):
        parametrizations.spectral_norm(nn.Linear(1, 1), "x")
    with pytest.raises(InvalidArgument, match="n_power_iterations is 0; 1 or more"):
        parametrizations.spectral_norm(nn.Linear(1, 1), n_power_iterations=0)


WEIGHT_NORMS: list[tuple[Any, Any]] = [
    (lambda n: n.Linear(4, 3), 0),
    (lambda n: n.Linear(4, 3), None),
    (lambda n: n.Conv2d(2, 3, 2), 1),
    (lambda n: n.Conv2d(2, 3, 2), -1),
]


@pytest.mark.parametrize(("build", "dim"), WEIGHT_NORMS)
def test_weight_norm(build: Any, dim: int | None) -> None:
    def normed(n: Any) -> Any:
        tools = n.utils.parametrizations
        return tools.weight_norm(build(n), dim=dim)

    ours, theirs = pair(normed)
    data = values(2, 2, 4, 4) if isinstance(ours, nn.Conv2d) else values(5, 4)
    out, expected = ours(tensor(data)), theirs(torch.tensor(data))
    close(out, expected, "output")
    (out * out).sum().backward()
    (expected * expected).sum().backward()
    for (name, mine), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        close(mine.grad, other.grad, name)


@pytest.mark.parametrize(
    "build", [lambda n: n.Linear(4, 3), lambda n: n.ConvTranspose2d(2, 3, 2)], ids=["linear", "up"]
)
def test_spectral_norm(build: Any) -> None:
    ours, theirs = pair(lambda n: n.utils.parametrizations.spectral_norm(build(n)))
    data = values(2, 2, 4, 4) if isinstance(ours, nn.ConvTranspose2d) else values(5, 4)
    for _ in range(3):
        out, expected = ours(tensor(data)), theirs(torch.tensor(data))
        close(out, expected, "output")
    (out * out).sum().backward()
    (expected * expected).sum().backward()
    for (name, mine), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        close(mine.grad, other.grad, name)
    for (name, mine), other in zip(ours.named_buffers(), theirs.buffers(), strict=True):
        close(mine, other, name)
    ours.eval()
    theirs.eval()
    close(ours(tensor(data)), theirs(torch.tensor(data)), "output in evaluation")


def test_spectral_norm_is_near_one_and_goes_through_jit() -> None:
    layer = parametrizations.spectral_norm(nn.Linear(20, 40), n_power_iterations=5)
    assert np.linalg.norm(layer.weight.detach().numpy(), 2) == pytest.approx(1.0, rel=2e-2)
    step = jit(lambda x: layer(x))
    data = tensor(values(3, 20))
    before = layer.parametrizations.weight[0]._u.tolist()
    with no_grad():
        for _ in range(4):
            step(data)
    assert layer.parametrizations.weight[0]._u.tolist() != before


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("transpose", [False, True])
def test_fused_convolution(bias: bool, transpose: bool) -> None:
    kind = "ConvTranspose2d" if transpose else "Conv2d"
    conv: Any = getattr(nn, kind)(3, 4, 3, bias=bias)
    norm = nn.BatchNorm2d(4)
    data = tensor(values(2, 3, 6, 6))
    for _ in range(3):
        norm(conv(data))
    conv.eval()
    norm.eval()
    fused: Any = nn.utils.fuse_conv_bn_eval(conv, norm, transpose)
    np.testing.assert_allclose(
        fused(data).detach().numpy(), norm(conv(data)).detach().numpy(), rtol=1e-4, atol=1e-5
    )
    with pytest.raises(InvalidArgument, match="a layer is in training"):
        nn.utils.fuse_conv_bn_eval(conv.train(), norm)


def test_fused_linear() -> None:
    linear, norm = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4, affine=False)
    data = tensor(values(6, 3))
    norm(linear(data))
    norm.eval()
    fused: Any = nn.utils.fuse_linear_bn_eval(linear, norm)
    np.testing.assert_allclose(
        fused(data).detach().numpy(), norm(linear(data)).detach().numpy(), rtol=1e-5, atol=1e-6
    )
    with pytest.raises(InvalidArgument, match="the norm has no running statistics"):
        nn.utils.fuse_linear_bn_eval(linear, nn.BatchNorm1d(4, track_running_stats=False).eval())


def test_parameters_as_a_vector() -> None:
    layer = nn.Linear(3, 2)
    vector = nn.utils.parameters_to_vector(layer.parameters())
    assert vector.tolist() == [*layer.weight.reshape(-1).tolist(), *layer.bias.tolist()]
    (vector * vector).sum().backward()
    assert layer.bias.grad is not None
    nn.utils.vector_to_parameters(tensor(np.arange(8, dtype=np.float32)), layer.parameters())
    assert layer.weight.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert layer.bias.tolist() == [6, 7]
    with pytest.raises(ShapeError, match=r"vec has shape \[7\]; \[8\], the elements"):
        nn.utils.vector_to_parameters(zeros(7), layer.parameters())


def test_total_norm() -> None:
    parts = [values(3), values(2, 2, seed=1)]
    for kind in (1.0, 2.0, float("inf")):
        mine = nn.utils.get_total_norm([tensor(each) for each in parts], kind)
        other = torch.nn.utils.get_total_norm([torch.tensor(each) for each in parts], kind)
        assert mine.item() == pytest.approx(other.item(), rel=1e-6)
    with pytest.raises(InvalidArgument, match="get_total_norm: the norm of the gradients is inf"):
        nn.utils.get_total_norm([tensor([float("inf")])], error_if_nonfinite=True)


def test_more_fillings() -> None:
    drawn = nn.init.trunc_normal_(empty(20_000), mean=1.0, std=2.0, a=0.0, b=3.0).numpy()
    assert drawn.min() >= 0.0
    assert drawn.max() <= 3.0
    np.testing.assert_allclose(drawn.mean(), 1.4226, atol=0.02)
    assert nn.init.eye_(empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    for groups, shape in ((1, (4, 3, 3)), (2, (4, 2, 3, 3)), (3, (6, 3, 1, 2, 3))):
        mine = nn.init.dirac_(empty(*shape), groups)
        other = torch.nn.init.dirac_(torch.empty(*shape), groups)
        assert mine.tolist() == other.tolist()
    sparse = nn.init.sparse_(empty(10, 4), 0.25).numpy()
    assert (sparse == 0).sum(0).tolist() == [3, 3, 3, 3]
    with pytest.raises(ShapeError, match=r"eye_: got shape \[2\]; 2 dimensions"):
        nn.init.eye_(empty(2))
    with pytest.raises(InvalidArgument, match="dirac_: 4 outputs in 3 groups"):
        nn.init.dirac_(empty(4, 2, 3), 3)


def test_spectral_norm_knows_a_transposed_convolution_with_another_parametrization() -> None:
    layer = nn.ConvTranspose2d(2, 3, 2)
    parametrize.register_parametrization(layer, "bias", Shifted())
    parametrizations.spectral_norm(layer)
    assert layer.parametrizations.weight[0].dim == 1


class Cut(nn.Module):
    def forward(self, x: Tensor) -> Any:
        return x[:1]

    def right_inverse(self, x: Tensor) -> Any:
        return x * 0


def test_a_refused_parametrization_changes_nothing() -> None:
    layer = nn.Linear(2, 2, bias=False)
    parametrize.register_parametrization(layer, "weight", Doubled())
    before = layer.weight.tolist()
    with pytest.raises(ShapeError, match="does not have the shape"):
        parametrize.register_parametrization(layer, "weight", Cut())
    assert layer.weight.tolist() == before
    assert len(layer.parametrizations.weight) == 1
