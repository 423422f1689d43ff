"""Functions of one example, written once for pumice and PyTorch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import pumice

Array = NDArray[Any]
PUMICE: Any = pumice
TORCH: Any = torch


def floats(*shape: int, seed: int = 0) -> Array:
    """Return normal float64 numbers."""
    return np.random.default_rng(seed).standard_normal(shape)


@dataclass(frozen=True)
class Case:
    """A function of tensors of one example.

    Attributes
    ----------
    function : callable
        Takes the library (``pumice`` or ``torch``) and the tensors.
    shapes : tuple of shape
        Of the arguments.
    positive : bool
        Whether the arguments must be.
    """

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    positive: bool = False

    def arrays(self, *lead: int) -> list[Array]:
        found = [floats(*lead, *shape, seed=seed) for seed, shape in enumerate(self.shapes, 3)]
        return [np.abs(each) + 0.5 for each in found] if self.positive else found

    def ours(self, *tensors: Any) -> Any:
        return self.function(PUMICE, *tensors)

    def theirs(self, *tensors: Any) -> Any:
        return self.function(TORCH, *tensors)


def _written(lib: Any, x: Any) -> Any:
    y = x.clone()
    y[1:3] = y[0:2] * 2
    y[0].mul_(3)
    y += x
    return y


def _scattered(lib: Any, x: Any, y: Any) -> Any:
    index = lib.tensor([[0, 2, 1], [2, 1, 0]])
    return lib.scatter(x, 1, index, y)


def _indexed(lib: Any, x: Any) -> Any:
    rows = lib.tensor([2, 0, 2])
    return x[rows, 1:] * x[lib.tensor([0, 1, 1]), lib.tensor([3, 2, 0])][:, None]


def _normed(lib: Any, x: Any, w: Any, b: Any) -> Any:
    return lib.nn.functional.layer_norm(x, (4,), w, b)


def _grouped(lib: Any, x: Any) -> Any:
    return lib.nn.functional.group_norm(x[None], 2)[0]


def _conv(lib: Any, x: Any, w: Any, b: Any) -> Any:
    return lib.nn.functional.conv2d(x[None], w, b, stride=2, padding=1)[0]


def _transposed_conv(lib: Any, x: Any, w: Any) -> Any:
    return lib.nn.functional.conv_transpose2d(x[None], w, stride=2)[0]


def _attention(lib: Any, q: Any, k: Any, v: Any) -> Any:
    return lib.nn.functional.scaled_dot_product_attention(q, k, v)


def _causal(lib: Any, q: Any, k: Any, v: Any) -> Any:
    return lib.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def _pools(lib: Any, x: Any) -> Any:
    small = lib.nn.functional.max_pool2d(x[None], 2)[0]
    return small + lib.nn.functional.avg_pool2d(x[None], 2)[0]


def _entropy(lib: Any, x: Any) -> Any:
    return lib.nn.functional.cross_entropy(x, lib.tensor([1, 0, 3]))


CASES = [
    Case("polynomial", lambda lib, x: x**3 - 2 * x, ((3,),)),
    Case("elementwise", lambda lib, x, y: lib.sin(x) * lib.exp(y) / (2 + x * x), ((2, 3), (2, 3))),
    Case("broadcast", lambda lib, x, y: lib.tanh(x) * y, ((2, 1, 3), (4, 1))),
    Case("where", lambda lib, x, y: lib.where(x > 0, x * y, x - y), ((2, 3), (2, 3))),
    Case("log", lambda lib, x: lib.log(x) + lib.sqrt(x), ((4,),), positive=True),
    Case("matmul", lambda lib, x, y: x @ y, ((2, 3), (3, 4))),
    Case("batched matmul", lambda lib, x, y: lib.matmul(x, y), ((2, 2, 3), (2, 3, 2))),
    Case("dot", lambda lib, x, y: x @ y, ((4,), (4,))),
    Case("einsum", lambda lib, x, y: lib.einsum("ij,kj->ik", x, y), ((2, 3), (4, 3))),
    Case("sum", lambda lib, x: x.sum(1) * x.mean(), ((2, 3),)),
    Case("var", lambda lib, x: x.var(1), ((2, 4),)),
    Case("prod", lambda lib, x: x.prod(1), ((2, 3),)),
    Case("amax", lambda lib, x: x.amax(1) + x.amin(1), ((2, 3),)),
    Case("max", lambda lib, x: x.max(1).values, ((2, 3),)),
    Case("logsumexp", lambda lib, x: lib.logsumexp(x, 1), ((2, 3),)),
    Case("softmax", lambda lib, x: lib.softmax(x, -1), ((2, 4),)),
    Case("log_softmax", lambda lib, x: lib.log_softmax(x, 0), ((3, 2),)),
    Case("norm", lambda lib, x: x.norm(), ((2, 3),)),
    Case("layer_norm", _normed, ((3, 4), (4,), (4,))),
    Case("group_norm", _grouped, ((4, 3),)),
    Case("cumsum", lambda lib, x: lib.cumsum(x, 1) * x, ((2, 4),)),
    Case("cumprod", lambda lib, x: lib.cumprod(x, 0), ((4, 2),)),
    Case("logcumsumexp", lambda lib, x: lib.logcumsumexp(x, 1), ((2, 4),)),
    Case("cummax", lambda lib, x: lib.cummax(x, 1).values, ((2, 4),)),
    Case("sort", lambda lib, x: lib.sort(x, -1).values * lib.sin(x), ((2, 5),)),
    Case("topk", lambda lib, x: lib.topk(x, 2, -1).values, ((2, 5),)),
    Case("gather", lambda lib, x: x.gather(1, lib.tensor([[0, 2], [1, 1]])), ((2, 3),)),
    Case("scatter", _scattered, ((2, 3), (2, 3))),
    Case(
        "scatter_add",
        lambda lib, x, y: x.scatter_add(1, lib.tensor([[0, 2, 2], [1, 1, 0]]), y) ** 2,
        ((2, 3), (2, 3)),
    ),
    Case("index", _indexed, ((3, 4),)),
    Case("index_select", lambda lib, x: x.index_select(1, lib.tensor([2, 0])), ((2, 3),)),
    Case("slices", lambda lib, x: x[:, ::2] * x[:, 1:3] + x.flip(1)[:, 2:], ((2, 4),)),
    Case("transpose", lambda lib, x: x.permute(2, 0, 1).reshape(4, 6) * 2, ((2, 3, 4),)),
    Case("cat", lambda lib, x, y: lib.cat([x, y, x * y], 0), ((2, 3), (2, 3))),
    Case("stack", lambda lib, x, y: lib.stack([x, y.exp()], 1), ((3,), (3,))),
    Case("pad", lambda lib, x: lib.nn.functional.pad(x, (1, 2), value=3.0), ((2, 3),)),
    Case("tril", lambda lib, x: lib.tril(x @ x), ((3, 3),)),
    Case("diagonal", lambda lib, x: lib.diagonal(x) * lib.diagonal(x, 1).sum(), ((3, 3),)),
    Case("in place", _written, ((3, 2),)),
    Case("unfold", lambda lib, x: x.unfold(0, 3, 1).sum(1) ** 2, ((6,),)),
    Case("conv2d", _conv, ((2, 5, 5), (3, 2, 3, 3), (3,))),
    Case("conv_transpose2d", _transposed_conv, ((2, 3, 3), (2, 2, 2, 2))),
    Case("pooling", _pools, ((2, 4, 4),)),
    Case("attention", _attention, ((2, 3, 4), (2, 5, 4), (2, 5, 4))),
    Case("causal attention", _causal, ((2, 4, 4), (2, 4, 4), (2, 4, 4))),
    Case("cross_entropy", _entropy, ((3, 4),)),
    Case("gelu", lambda lib, x: lib.nn.functional.gelu(x) * lib.relu(x), ((6,),)),
    Case("clamp", lambda lib, x: x.clamp(-0.5, 0.5) * x, ((6,),)),
    Case("float32", lambda lib, x: (x.to(lib.float32) * 2).to(lib.float64), ((3,),)),
]
