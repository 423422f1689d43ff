"""Checkpoints give the same numbers from less memory."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import func, nn
from pumice.utils.checkpoint import checkpoint, checkpoint_sequential


def block(width: int = 6) -> nn.Module:
    return nn.Sequential(
        nn.Linear(width, width),
        nn.Tanh(),
        nn.Dropout(0.3),
        nn.Linear(width, width),
        nn.LayerNorm(width),
    )


def trained(blocks: Any, x: Any, wrapped: bool, steps: int = 3, jit: bool = False) -> Any:
    """Return losses and gradients of some steps of training from the same start."""
    parameters = [each for part in blocks for each in part.parameters()]
    start = [each.detach().clone() for each in parameters]
    optimizer = pumice.optim.SGD(parameters, lr=0.1)

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        hidden = x
        for part in blocks:
            hidden = checkpoint(part, hidden) if wrapped else part(hidden)
        loss = (hidden * hidden.cumsum(0)).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    run: Any = pumice.jit(step) if jit else step
    pumice.manual_seed(5)
    losses = [run(x).item() for _ in range(steps)]
    gradients = [each.grad.numpy() for each in parameters if each.grad is not None]
    with pumice.no_grad():
        for each, value in zip(parameters, start, strict=True):
            each.copy_(value)
            each.grad = None
    return losses, gradients


@pytest.mark.parametrize("jit", [False, True], ids=["eager", "jit"])
def test_same_numbers_with_dropout(jit: bool) -> None:
    blocks = [block() for _ in range(3)]
    x = pumice.randn(5, 6).realize()
    losses, gradients = trained(blocks, x, wrapped=False, steps=4)
    found, others = trained(blocks, x, wrapped=True, steps=4, jit=jit)
    np.testing.assert_allclose(found, losses, rtol=1e-6)
    for got, wanted in zip(others, gradients, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6)


PROGRAM = """
import sys
import pumice
from pumice import nn
from pumice.utils.checkpoint import checkpoint
wrapped, jit = (word == "yes" for word in sys.argv[1:])
pumice.manual_seed(0)
blocks = [nn.Sequential(nn.Linear(32, 256), nn.Tanh(), nn.Linear(256, 32)) for _ in range(6)]
parameters = [each for block in blocks for each in block.parameters()]
x = pumice.randn(512, 32).realize()
def step(x):
    for each in parameters:
        each.grad = None
    hidden = x
    for block in blocks:
        hidden = checkpoint(block, hidden) if wrapped else block(hidden)
    loss = (hidden * hidden).mean()
    loss.backward()
    return [each.grad for each in parameters]
run = pumice.jit(step) if jit else step
for _ in range(4):
    found = run(x)
    pumice.stack([each.sum() for each in found]).sum().item() if jit else [
        each.numpy() for each in found
    ]
print(pumice.memory_stats()["peak"])
"""


@pytest.mark.parametrize("jit", ["no", "yes"])
def test_less_memory(jit: str) -> None:
    peaks = []
    for wrapped in ("no", "yes"):
        command = [sys.executable, "-c", PROGRAM, wrapped, jit]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(result.stdout))
    # Each of six blocks holds 512 x 256 numbers, which one at a time are needed.
    assert peaks[1] < 0.6 * peaks[0], peaks


def test_captured_tensors_and_structures() -> None:
    w = pumice.tensor([2.0, 3.0], requires_grad=True)
    scale = w * 2

    def f(x: Any, extra: Any, *, k: float) -> Any:
        return {"a": x * scale * k, "b": (extra["y"].exp(), x.detach())}

    results = []
    for wrapped in (False, True):
        x = pumice.tensor([1.0, 4.0], requires_grad=True)
        y = pumice.tensor([0.5, 1.5], requires_grad=True)
        found = checkpoint(f, x, {"y": y}, k=3.0) if wrapped else f(x, {"y": y}, k=3.0)
        assert not found["b"][1].requires_grad
        total = (found["a"] * found["b"][0]).sum()
        results.append([each.tolist() for each in pumice.grad(total, (x, y, w), retain_graph=True)])
    assert results[0] == results[1]


def test_second_order() -> None:
    x = pumice.tensor([1.0, 2.0], requires_grad=True)
    y = checkpoint(lambda x: (x**3).sum(), x)
    (first,) = pumice.grad(y, x, create_graph=True)
    (second,) = pumice.grad(first.sum(), x)
    assert first.tolist() == [3, 12] and second.tolist() == [6, 12]


def test_under_transforms() -> None:
    f = lambda x: checkpoint(lambda x: (x.sin() * x).sum(), x)  # noqa: E731
    plain = lambda x: (x.sin() * x).sum()  # noqa: E731
    rows = pumice.tensor([[0.5, 1.0], [2.0, 3.0]])
    for transform in (
        lambda f: func.vmap(func.grad(f)),
        lambda f: func.grad(lambda x: func.vmap(f)(x).sum()),
        lambda f: func.hessian(lambda x: f(x)),
        lambda f: lambda x: func.jvp(f, (x,), (pumice.ones(2, 2),))[1],
    ):
        np.testing.assert_allclose(
            transform(f)(rows).numpy(), transform(plain)(rows).numpy(), rtol=1e-6
        )


def test_running_statistics_move_once() -> None:
    layers = [nn.BatchNorm1d(3) for _ in range(2)]
    x = pumice.randn(8, 3)
    layers[0](x).sum().backward()
    wrapped = x.clone().requires_grad_()
    checkpoint(layers[1], wrapped).sum().backward()
    np.testing.assert_allclose(
        layers[0].running_var.numpy(), layers[1].running_var.numpy(), rtol=1e-6
    )
    assert layers[1].num_batches_tracked.item() == 1


def test_values_may_be_looked_at() -> None:
    x = pumice.tensor([1.0, -2.0], requires_grad=True)

    def f(x: Any) -> Any:
        y = x * 2
        return (y * y).sum() if y.sum().item() < 0 else y.sum()

    checkpoint(f, x).backward()
    assert x.grad is not None and x.grad.tolist() == [8, -16]


def test_nothing_to_do() -> None:
    x = pumice.ones(2)
    assert not checkpoint(lambda x: x * 2, x).requires_grad
    with pumice.no_grad():
        assert not checkpoint(lambda x: x * 2, x.requires_grad_()).requires_grad
    y = pumice.ones(2, requires_grad=True)
    assert checkpoint(lambda y: y, y) is y


def test_sequential() -> None:
    model = nn.Sequential(*[nn.Linear(3, 3) for _ in range(5)])
    results = []
    for segments in (None, 1, 2, 5):
        x = pumice.arange(6.0).reshape(2, 3).requires_grad_()
        y = model(x) if segments is None else checkpoint_sequential(model, segments, x)
        y.sum().backward()
        assert x.grad is not None
        results.append(x.grad.numpy())
    for each in results[1:]:
        np.testing.assert_allclose(each, results[0], rtol=1e-6)
    with pytest.raises(pumice.InvalidArgument, match="segments is 6; 1 to 5"):
        checkpoint_sequential(model, 6, x)


def test_on_each_device(device: str) -> None:
    x = pumice.arange(4.0, device=device).requires_grad_()
    checkpoint(lambda x: (x.sin() * x).sum(), x).backward()
    assert x.grad is not None
    wanted = np.sin(np.arange(4.0)) + np.arange(4.0) * np.cos(np.arange(4.0))
    np.testing.assert_allclose(x.grad.cpu().numpy(), wanted, rtol=1e-5)
