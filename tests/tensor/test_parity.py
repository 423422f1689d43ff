"""Cases PyTorch's own operator samples brought to light, against PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import pumice
from tests.tensor.peers import Array, floats, integers, same_call, same_value

MATRICES = (integers(-9, 9, 3, 4, 5), integers(-9, 9, 3, 5, 2, seed=1))
Case = tuple[str, Callable[[Any, Any], Any], tuple[Array, ...]]


def cast(name: str, *arrays: Array) -> tuple[Array, ...]:
    return tuple(each.astype(name) for each in arrays)


PIXELS = cast("uint8", integers(0, 255, 1, 2, 5, 7))

CASES: list[Case] = [
    (
        "factors of integer products are whole",
        lambda t, x: t.baddbmm(x[0], x[1], x[2], beta=2.7, alpha=1.4),
        (integers(-9, 9, 3, 4, 2, seed=2), *MATRICES),
    ),
    (
        "factors of int8 vectors are whole",
        lambda t, x: t.addmv(x[0], x[1], x[2], beta=0.2, alpha=3.9),
        cast("int8", integers(-9, 9, 4), MATRICES[0][0], integers(-9, 9, 5)),
    ),
    (
        "outer products of bool",
        lambda t, x: t.addr(x[0] > 0, x[1] > 0, x[2] > 0, beta=3, alpha=2),
        (floats(3, 4), floats(3, seed=1), floats(4, seed=2)),
    ),
    ("bounds of whole ranges", lambda t, x: t.arange(-0.9, 2.1, 2.0, dtype=t.int64), ()),
    ("bounds of narrow ranges", lambda t, x: t.arange(0.5, 5.1, 2, dtype=t.int32), ()),
    ("ends of whole spaces", lambda t, x: t.linspace(4.3, -3, 50, dtype=t.int16), ()),
    ("ends of whole powers", lambda t, x: t.logspace(4.3, 0, 4, 5.0, dtype=t.int32), ()),
    (
        "a margin of integers may be a fraction",
        lambda t, x: t.nn.functional.margin_ranking_loss(*x, margin=0.5, reduction="sum"),
        (integers(-9, 9, 6), integers(-9, 9, 6, seed=1), np.sign(integers(-9, 9, 6, seed=2))),
    ),
    (
        "weights may be wider than what they weigh",
        lambda t, x: t.cov(x[0].to(t.bfloat16), aweights=x[1]),
        (floats(3, 6), np.abs(floats(6, seed=1))),
    ),
    (
        "sums of one integer operand are wide",
        lambda t, x: t.einsum("i...->...", x[0]),
        cast("int8", integers(-99, 99, 9, 4)),
    ),
    (
        "integers keep their dtype within bounds",
        lambda t, x: t.nn.functional.hardtanh(x[0], -2.5, 3.5),
        cast("int16", integers(-9, 9, 7)),
    ),
    (
        "nothing gathered has a gradient",
        lambda t, x: t.gather(x[0], 0, x[1]),
        (floats(5), np.zeros(0, np.int64)),
    ),
    (
        "classes of one score",
        lambda t, x: t.nn.functional.multi_margin_loss(x[0], x[1]),
        (floats(1)[0], np.array(0)),
    ),
    (
        "one sample's class in a vector",
        lambda t, x: t.nn.functional.multi_margin_loss(x[0], x[1], p=2),
        (floats(5), np.array([2])),
    ),
    (
        "labels of one score",
        lambda t, x: t.nn.functional.multilabel_margin_loss(x[0], x[1]),
        (floats(1)[0], np.array(0)),
    ),
    (
        "bool scattered over nothing",
        lambda t, x: t.scatter_reduce(x[0] > 0, 0, x[1], x[0] > 0.3, "sum", include_self=False).to(
            t.int32
        ),
        (floats(5), integers(0, 5, 5)),
    ),
    ("counted differences", lambda t, x: t.cdist(x[0], x[1], p=0.0), (floats(3, 2), floats(4, 2))),
    ("a count of elements", lambda t, x: t.norm(x[0], p=0, dim=1), (floats(3, 4),)),
]


@pytest.mark.parametrize(("name", "call", "arrays"), CASES, ids=[case[0] for case in CASES])
def test_against_torch(
    name: str, call: Callable[[Any, Any], Any], arrays: tuple[Array, ...]
) -> None:
    same_call(lambda *x: call(pumice, x), lambda *x: call(torch, x), *arrays, tolerance=2e-2)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_truncated_quotients_of_narrow_dtypes_are_rounded_first(name: str, device: str) -> None:
    """2085 / 15 is 139 in float16, whatever it is computed in."""
    values = (integers(1, 2000, 500) / 7).astype(np.float32)
    other = (integers(1, 2000, 500, seed=1) / 111).astype(np.float32)
    ours = [
        pumice.tensor(each, device=device).to(getattr(pumice, name)) for each in (values, other)
    ]
    theirs = [torch.tensor(each).to(getattr(torch, name)) for each in (values, other)]
    same_value(
        pumice.div(*ours, rounding_mode="trunc").cpu(),
        torch.trunc(torch.div(*theirs)),
    )


def test_resized_pixels_are_whole() -> None:
    """PyTorch rounds after each axis, pumice once, so pixels may be one apart."""
    found = pumice.nn.functional.interpolate(pumice.tensor(PIXELS[0]), size=(3, 9), mode="bilinear")
    wide = pumice.nn.functional.interpolate(
        pumice.tensor(PIXELS[0].astype(np.float32)), size=(3, 9), mode="bilinear"
    )
    assert found.dtype is pumice.uint8
    np.testing.assert_array_equal(found.numpy(), np.floor(wide.numpy() + 0.5).astype(np.uint8))


@pytest.mark.parametrize("method", ["linear", "lower", "midpoint"])
def test_quantiles_on_every_device(method: str, device: str) -> None:
    array = floats(4, 9)
    found = pumice.tensor(array, device=device).quantile(0.4, 1, interpolation=method)
    same_value(found.cpu(), torch.tensor(array).quantile(0.4, 1, interpolation=method), 1e-6)
