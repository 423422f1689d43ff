"""Numbers beside 16-bit floats are rounded where PyTorch rounds them, and only there."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice

KINDS = ["float16", "bfloat16"]
NUMBERS = (0.1, 1 / 3, 2.7182818284, 1000.3, 2049, 0.5, -3, float("inf"))
# A multiple of every vector: the rest of an array goes through other code in PyTorch.
COUNT = 4096

CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "mul": lambda t, x, s: x * s,
    "rmul": lambda t, x, s: s * x,
    "mul_": lambda t, x, s: x.clone().mul_(s),
    "imul of a slice": lambda t, x, s: _scaled_in_part(x.clone(), s),
    "div": lambda t, x, s: x / s,
    "div_": lambda t, x, s: x.clone().div_(s),
    "div trunc": lambda t, x, s: t.div(x, s, rounding_mode="trunc"),
    "div floor": lambda t, x, s: t.div(x, s, rounding_mode="floor"),
    "floor_divide": lambda t, x, s: x // s,
    "add": lambda t, x, s: x + s,
    "radd": lambda t, x, s: s + x,
    "sub": lambda t, x, s: x - s,
    "rsub": lambda t, x, s: s - x,
    "add alpha": lambda t, x, s: t.add(x, x.flip(0), alpha=s),
    "sub alpha": lambda t, x, s: t.sub(x, x.flip(0), alpha=s),
    "add_ alpha": lambda t, x, s: x.clone().add_(x.flip(0), alpha=s),
    "a number, alpha": lambda t, x, s: t.add(x, s, alpha=0.7),
    "pow": lambda t, x, s: x.abs() ** s,
    "remainder": lambda t, x, s: x % s,
    "fmod": lambda t, x, s: t.fmod(x, s),
    "clamp": lambda t, x, s: t.clamp(x, max=s),
    "where": lambda t, x, s: t.where(x > 0, x, s),
    "threshold": lambda t, x, s: t.nn.functional.threshold(x, s, 2.0),
    "eq": lambda t, x, s: x == s,
    "lt": lambda t, x, s: x < s,
    "ge": lambda t, x, s: x >= s,
    "a chain": lambda t, x, s: ((x * s + s) / s - s) * s,
}


def _scaled_in_part(x: Any, number: Any) -> Any:
    x[: COUNT // 2] *= number
    return x


def _values() -> np.ndarray[Any, Any]:
    random = np.random.default_rng(3)
    parts = [random.uniform(-8, 8, COUNT // 2), random.uniform(-300, 300, COUNT // 2)]
    values: np.ndarray[Any, Any] = np.concatenate(parts).astype(np.float32)
    values[:8] = NUMBERS
    return values


def _both(kind: str, device: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    values = _values()
    theirs = torch.tensor(values).to(getattr(torch, kind))
    return (pumice, pumice.tensor(values, dtype=getattr(pumice, kind), device=device)), (
        torch,
        theirs,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_pytorch(kind: str, device: str) -> None:
    """Bit for bit; a power is exact to a unit in the last place."""
    wrong = []
    for name, call in CALLS.items():
        for number in NUMBERS:
            (own, x), (other, y) = _both(kind, device)
            if "alpha" in name and number == float("inf"):
                continue
            found = call(own, x, number)
            expected = call(other, y, number)
            assert found.dtype.name == str(expected.dtype).removeprefix("torch.")
            ours, theirs = found.cpu().float().numpy(), expected.float().numpy()
            if name == "pow":
                step = 2.0 ** (-10 if kind == "float16" else -7)
                ours, theirs = (np.minimum(each, 6e4) for each in (ours, theirs))
                same = np.abs(ours - theirs) <= step * np.abs(theirs)
            else:
                same = ours == theirs
            same |= np.isnan(ours) & np.isnan(theirs)
            if not same.all():
                wrong.append((name, number, int((~same).sum())))
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_tensor_without_axes_is_a_number_in_the_last_place(kind: str, device: str) -> None:
    (_, x), (_, y) = _both(kind, device)
    for dtype in ("float32", "float64", "int64"):
        number = 2049 if dtype == "int64" else 0.1
        s = pumice.tensor(number, dtype=getattr(pumice, dtype), device=device)
        r = torch.tensor(number, dtype=getattr(torch, dtype))
        for found, expected in (
            (x * s, y * r),
            (s * x, r * y),
            (x / s, y / r),
            (s / x, r / y),
            (x // s, y // r),
            (x + s, y + r),
        ):
            np.testing.assert_array_equal(found.cpu().float().numpy(), expected.float().numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_and_captures(kind: str, device: str) -> None:
    (_, x), (_, y) = _both(kind, device)
    x, y = x.requires_grad_(), y.requires_grad_()

    def step(t: Any) -> Any:
        return t * 0.1 + t / 3.3

    captured = pumice.jit(step)
    for _ in range(3):
        np.testing.assert_array_equal(
            captured(x.detach()).cpu().float().numpy(), step(y).detach().float().numpy()
        )
    for leaf, gradient in ((x, pumice.autograd.grad), (y, torch.autograd.grad)):
        (first,) = gradient((leaf * 0.1 * leaf).sum(), leaf, create_graph=True)
        (second,) = gradient((first * 0.7).sum(), leaf)
        leaf.grad = second
    assert x.grad.dtype is x.dtype
    step_size = 2.0 ** (-9 if kind == "float16" else -6)
    np.testing.assert_allclose(
        x.grad.cpu().float().numpy(), y.grad.float().numpy(), rtol=step_size, atol=1e-6
    )
    (plain,) = pumice.grad((x * 0.1).sum(), x)
    (theirs,) = torch.autograd.grad((y * 0.1).sum(), y)
    np.testing.assert_array_equal(plain.cpu().float().numpy(), theirs.float().numpy())


def test_numbers_that_do_not_fit_scale_all_the_same(device: str) -> None:
    x = pumice.tensor([1e-3, 1.0], dtype=pumice.float16, device=device)
    assert (x * 1e6).tolist() == [1000.5, float("inf")]
    assert (x / 1e5).tolist()[1] == pytest.approx(1e-5, rel=1e-2)
    assert (70000 / (x * 0 + 3)).tolist() == [23328, 23328]
