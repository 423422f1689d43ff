"""Rows longer than an invocation of some Vulkan devices may loop over, against the CPU."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import Tensor
from pumice.nn import functional

LENGTH = 70_001
ROWS = 2
random = np.random.default_rng(9)
FLOATS = (random.integers(-1000, 1000, (ROWS, LENGTH)) / 800).astype(np.float32)
INTEGERS = random.integers(-1000, 1000, (ROWS, LENGTH)).astype(np.int32)
PLACES = random.integers(0, LENGTH, (ROWS, LENGTH))
FEW_PLACES = random.integers(0, 7, (ROWS, LENGTH))

Make = Callable[[Any], Tensor]


def gradient(function: Callable[[Tensor], Tensor], values: Tensor) -> Tensor:
    values.requires_grad_()
    function(values).backward()
    assert values.grad is not None
    return values.grad


CASES: dict[str, Callable[[Make], Any]] = {
    "sum": lambda t: t(FLOATS).sum(1),
    "sum of columns": lambda t: t(FLOATS.T).sum(0),
    "sum around an axis": lambda t: t(np.stack([FLOATS.T] * 3, 1)).sum((0, 2)),
    "argmax": lambda t: t(INTEGERS).argmax(1),
    "softmax": lambda t: t(FLOATS).softmax(1),
    "cumsum": lambda t: t(INTEGERS).cumsum(1),
    "cumsum of columns": lambda t: t(FLOATS.T).cumsum(0),
    "cumsum of many rows": lambda t: t(FLOATS.T).cumsum(1),
    "cummax": lambda t: t(INTEGERS).cummax(1),
    "cumprod": lambda t: (1 + t(FLOATS) / 1000).cumprod(1),
    "logcumsumexp": lambda t: t(FLOATS).logcumsumexp(1),
    "cumsum, gradient": lambda t: gradient(lambda x: (x.cumsum(1) * t(FLOATS)).mean(), t(FLOATS)),
    "sort": lambda t: t(INTEGERS).sort(1, descending=True),
    "sort, gradient": lambda t: gradient(lambda x: (x.sort(1).values * t(FLOATS)).sum(), t(FLOATS)),
    "argsort of int64": lambda t: t(INTEGERS.astype(np.int64)).argsort(1),
    "sort of many rows": lambda t: t(INTEGERS.T).sort(1),
    "topk": lambda t: t(INTEGERS).topk(50, 1),
    "kthvalue": lambda t: t(INTEGERS).kthvalue(LENGTH // 2, 1),
    "median": lambda t: t(FLOATS).median(1),
    "quantile": lambda t: t(FLOATS).quantile(0.3, 1),
    "gather": lambda t: t(FLOATS).gather(1, t(PLACES)),
    "gather, gradient": lambda t: gradient(
        lambda x: (x.gather(1, t(FEW_PLACES)) * t(FLOATS)).mean(), t(FLOATS[:, :9])
    ),
    "scatter": lambda t: t(FLOATS).scatter(1, t(PLACES), t(FLOATS + 1)),
    "scatter_add": lambda t: t(INTEGERS[:, :7]).scatter_add(1, t(FEW_PLACES), t(INTEGERS)),
    "index_add": lambda t: t(INTEGERS[0, :7]).index_add(0, t(FEW_PLACES[0]), t(INTEGERS[0])),
    "scatter_reduce": lambda t: t(FLOATS[:, :7]).scatter_reduce(
        1, t(FEW_PLACES), t(FLOATS), "mean"
    ),
    "masked_select": lambda t: pumice.masked_select(t(FLOATS), t(INTEGERS) > 0),
    "nonzero": lambda t: (t(INTEGERS) > 0).nonzero(),
    "unique": lambda t: pumice.unique(t(INTEGERS), return_inverse=True, return_counts=True),
    "bincount": lambda t: pumice.bincount(t(FEW_PLACES[0])),
    "searchsorted": lambda t: pumice.searchsorted(t(np.sort(FLOATS, 1)), t(FLOATS[:, :100])),
    "attention": lambda t: functional.scaled_dot_product_attention(
        t(FLOATS[:, :12].reshape(1, 2, 3, 4)),
        t(FLOATS[:, : 17_500 * 4].reshape(1, 2, 17_500, 4)),
        t(FLOATS[:, : 17_500 * 4].reshape(1, 2, 17_500, 4)),
    ),
    "cross_entropy": lambda t: functional.cross_entropy(t(FLOATS), t(PLACES[:, 0])),
    "cross_entropy, gradient": lambda t: gradient(
        lambda x: functional.cross_entropy(x, t(PLACES[:, 0])), t(FLOATS)
    ),
    "cross_entropy of many rows": lambda t: functional.cross_entropy(
        t(FLOATS.T), t(PLACES[0] % ROWS)
    ),
    "dot": lambda t: t(FLOATS[0]) @ t(FLOATS[1]),
    "product": lambda t: t(np.tile(FLOATS, (5, 1))) @ t(np.tile(FLOATS, (4, 1))).T * 2,
    "product of integers": lambda t: t(np.tile(INTEGERS, (5, 1))) @ t(INTEGERS.T),
    "convolution, gradient": lambda t: gradient(
        lambda w: (functional.conv1d(t(FLOATS)[:, None], w) ** 2).mean(),
        t(FLOATS[None, :3, :5].mean(1)[None]),
    ),
    "average": lambda t: functional.avg_pool1d(t(FLOATS)[:, None], LENGTH - 1, 1),
}


def flattened(result: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(result, Tensor):
        return [result.detach().cpu().numpy()]
    return [array for each in result for array in flattened(each)]


@pytest.mark.vulkan
@pytest.mark.parametrize("name", CASES)
def test_long_rows_agree_with_the_cpu(name: str, vulkan_device: str) -> None:
    on_cpu, on_vulkan = (
        flattened(CASES[name](lambda array, place=place: pumice.tensor(array, device=place)))  # type: ignore[misc]
        for place in ("cpu", vulkan_device)
    )
    for expected, found in zip(on_cpu, on_vulkan, strict=True):
        assert expected.dtype == found.dtype
        if expected.dtype.kind in "iub":
            np.testing.assert_array_equal(found, expected)
        else:
            scale = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 * scale)
