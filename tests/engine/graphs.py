"""Graphs that exercise every lowering, with the number of kernels each should take on the CPU."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import pumice.ops.entries  # noqa: F401  (fills the registry)
from pumice import dtypes
from pumice.engine import memory
from pumice.graph import build
from pumice.graph.node import Node
from pumice.numpy_types import from_numpy
from pumice.ops import reduction, scan
from pumice.ops.attention import Attention, AttentionGradient
from pumice.ops.definition import registry
from pumice.ops.structure import Contraction, Indexing, ScatterMode
from pumice.ops.view import View
from pumice.target import Device


class Source:
    """Makes leaf nodes on one device from a fixed seed."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.random = np.random.default_rng(7)

    def put(self, array: Any) -> Node:
        array = np.ascontiguousarray(array)
        storage = memory.upload(array, self.device)
        return build.buffer(storage, from_numpy(array.dtype), array.shape)

    def normal(self, *shape: int, dtype: Any = np.float32) -> Node:
        return self.put(self.random.standard_normal(shape).astype(dtype))

    def integers(self, low: int, high: int, *shape: int, dtype: Any = np.int64) -> Node:
        return self.put(self.random.integers(low, high, shape).astype(dtype))


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[Source], list[Node]]
    kernels: int


def unary(name: str, node: Node) -> Node:
    entry: Any = registry[name]
    result: Node = entry(node)
    return result


def total(node: Node, *axes: int) -> Node:
    return build.reduce(reduction.SUM, node, axes)


def softmax(node: Node, axis: int) -> Node:
    top = build.expand(build.reduce(reduction.AMAX, node, (axis,)), node.shape)
    powers = unary("exp", node - top)
    return powers / build.expand(total(powers, axis), node.shape)


def layer_norm(node: Node) -> Node:
    count = node.shape[1]
    mean = total(node, 1) * (1.0 / count)
    centred = node - build.expand(mean, node.shape)
    variance = total(centred * centred, 1) * (1.0 / count)
    return centred * build.expand(unary("rsqrt", variance + 1e-5), node.shape)


def product(left: Node, right: Node, batch: int = 0) -> Node:
    return build.contract(left, right, Contraction(batch, 1, 1, 1, left.dtype))


def windows(image: Node, kernel: int) -> Node:
    batch, channels, height, width = image.shape
    rows, columns = height - kernel + 1, width - kernel + 1
    strides = (channels * height * width, width, 1, height * width, width, 1)
    return build.view(image, View((batch, rows, columns, channels, kernel, kernel), strides))


def padded(source: Source, rows: int, columns: int) -> Node:
    return build.pad(source.normal(rows, columns), (1, 1), (2, 3), 7.0)


def pooled_windows(source: Source, op: reduction.Reduction) -> Node:
    image = build.pad(source.normal(2, 3, 5, 41), (0, 0, 1, 1), (0, 0, 1, 2), -1.0)
    return build.reduce(op, windows(image, 3), (4, 5))


def convolution(source: Source) -> Node:
    image = build.pad(source.normal(2, 3, 9, 10), (0, 0, 1, 1), (0, 0, 1, 1))
    weight = source.normal(4, 3, 3, 3)
    spec = Contraction(0, 1, 3, 3, dtypes.float32)
    return build.permute(build.contract(weight, windows(image, 3), spec), (1, 0, 2, 3))


def with_bias(s: Source) -> Node:
    bias = build.expand(s.normal(45), (33, 45))
    return unary("relu", product(s.normal(33, 70), s.normal(45, 70)) + bias)


def embedding(s: Source) -> Node:
    rows = build.expand(s.integers(0, 37, 8, 1), (8, 50))
    return build.gather(s.normal(37, 50), (rows,), Indexing((0, -2)), (8, 50))


def scattered(s: Source, mode: ScatterMode, width: int = 50) -> Node:
    rows = build.expand(s.integers(0, 37, 8, 1), (8, width))
    argument = Indexing((0, -2), mode=mode)
    return build.scatter(s.normal(37, width), s.normal(8, width), (rows,), argument)


def in_place_chain(s: Source) -> Node:
    base = s.normal(6, 8) * 2.0
    for row in range(4):
        box = View.contiguous((6, 8)).slice_axis(0, row, 2, 1)
        base = build.update(base, s.normal(2, 8) + 1.0, box)
    return base


def attention(s: Source, mask: bool = False) -> list[Node]:
    sources = [s.normal(2, 37, 8), s.normal(2, 45, 8), s.normal(2, 45, 12)]
    sources.append(build.constant(0.3, dtypes.float32, (), s.device))
    if mask:
        sources.append(build.expand(s.integers(0, 2, 37, 45).cast(dtypes.bool_), (2, 37, 45)))
    node = build.attention(tuple(sources), Attention(not mask, mask, dtypes.float32))
    return [node, build.attention_norm(node.sources, node.argument)]


def attention_gradients(s: Source) -> list[Node]:
    node, norm = attention(s)
    sources = (*node.sources, s.normal(2, 37, 12), norm, total(s.normal(2, 37, 12), 2))
    return [
        build.attention_gradient(sources, AttentionGradient(node.argument, operand))
        for operand in range(3)
    ]


CASES = [
    Case("add", lambda s: [s.normal(37, 50) + s.normal(37, 50)], 1),
    Case(
        "broadcast",
        lambda s: [s.normal(37, 50) * build.expand(s.normal(50), (37, 50)) + 1.0],
        1,
    ),
    Case("transposed", lambda s: [build.permute(s.normal(37, 50), (1, 0)) + 1.0], 1),
    Case("flipped", lambda s: [build.flip(s.normal(37, 50), (0, 1)) * 2.0], 1),
    Case("sliced", lambda s: [build.slice_axis(s.normal(37, 50), 1, 3, 10, 4) * 2.0], 1),
    Case("scalar", lambda s: [s.normal() + s.normal()], 1),
    Case("iota", lambda s: [build.iota((4, 5)) * build.iota((4, 5))], 1),
    Case("where", lambda s: [(s.normal(9) < s.normal(9)).select(s.normal(9), 0.5)], 1),
    Case("sum_rows", lambda s: [total(s.normal(37, 50), 1)], 1),
    Case("sum_columns", lambda s: [total(s.normal(37, 50), 0)], 1),
    Case("sum_all", lambda s: [total(s.normal(37, 50), 0, 1)], 1),
    Case("sum_long", lambda s: [total(s.normal(300000), 0)], 2),
    Case("sum_channels", lambda s: [total(s.normal(64, 5, 6000), 0, 2)], 2),
    Case("mean_epilogue", lambda s: [total(s.normal(37, 50), 1) * 0.02], 1),
    Case("argmax", lambda s: [build.reduce(reduction.ARGMAX, s.normal(37, 50), (1,))], 1),
    Case("argmax_long", lambda s: [build.reduce(reduction.ARGMAX, s.normal(300000), (0,))], 2),
    Case("softmax", lambda s: [softmax(s.normal(37, 50), 1)], 1),
    Case("softmax_columns", lambda s: [softmax(s.normal(37, 50), 0)], 1),
    Case("softmax_short", lambda s: [softmax(s.normal(500, 10), 1)], 1),
    Case("layer_norm", lambda s: [layer_norm(s.normal(37, 50))], 1),
    Case("pad", lambda s: [build.pad(s.normal(5, 6), (1, 2), (3, 0), 7.0)], 1),
    Case("pad_read", lambda s: [padded(s, 7, 40) * 2.0], 1),
    Case("pad_transposed", lambda s: [build.permute(padded(s, 70, 90), (1, 0)) * 2.0], 1),
    Case("pad_flipped", lambda s: [build.flip(padded(s, 5, 40), (0, 1)) + 1.0], 1),
    Case("pad_cropped", lambda s: [build.slice_axis(padded(s, 9, 40), 1, 1, 39, 1) * 2.0], 1),
    Case("pad_strided", lambda s: [build.slice_axis(padded(s, 9, 40), 1, 1, 20, 2) * 2.0], 1),
    Case("pad_twice", lambda s: [build.pad(padded(s, 5, 20), (0, 1), (2, 0), -1.0) * 2.0], 2),
    Case("pad_computed", lambda s: [build.pad(s.normal(5, 20) * 3.0, (0, 1), (2, 0)) * 2.0], 2),
    Case("pad_integers", lambda s: [build.pad(s.integers(-9, 9, 3, 21), (1, 1), (1, 1), 5) * 2], 1),
    Case("pad_product", lambda s: [product(padded(s, 33, 70), s.normal(45, 74))], 1),
    Case(
        "pad_epilogue",
        lambda s: [product(s.normal(36, 70), s.normal(45, 70)) + padded(s, 33, 41)],
        1,
    ),
    Case("pad_windows", lambda s: [pooled_windows(s, reduction.SUM)], 1),
    Case("pad_windows_place", lambda s: [pooled_windows(s, reduction.ARGMAX)], 1),
    Case("concatenate", lambda s: [build.concatenate([s.normal(5, 6), s.normal(4, 6)], 0)], 2),
    Case("in_place_chain", lambda s: [in_place_chain(s)], 5),
    Case("product", lambda s: [product(s.normal(33, 70), s.normal(45, 70))], 1),
    Case("product_bias_relu", lambda s: [with_bias(s)], 1),
    Case(
        "product_transposed",
        lambda s: [product(build.permute(s.normal(70, 33), (1, 0)), s.normal(45, 70))],
        1,
    ),
    Case(
        "product_out_transposed",
        lambda s: [build.permute(product(s.normal(33, 70), s.normal(45, 70)), (1, 0)) * 2.0],
        1,
    ),
    Case("product_batch", lambda s: [product(s.normal(5, 33, 70), s.normal(5, 45, 70), 1)], 1),
    Case(
        "product_float64",
        lambda s: [product(s.normal(20, 31, dtype=np.float64), s.normal(19, 31, dtype=np.float64))],
        1,
    ),
    Case(
        "product_int", lambda s: [product(s.integers(-9, 9, 20, 31), s.integers(-9, 9, 19, 31))], 1
    ),
    Case("matrix_vector", lambda s: [product(s.normal(33, 70), s.normal(1, 70))], 1),
    Case("convolution", lambda s: [convolution(s)], 2),
    Case("convolution_relu", lambda s: [unary("relu", convolution(s))], 2),
    Case("attention", attention, 1),
    Case("attention_mask", lambda s: attention(s, mask=True), 2),
    Case("attention_gradients", attention_gradients, 3),
    Case(
        "max_pool",
        lambda s: [build.reduce(reduction.AMAX, windows(s.normal(2, 3, 8, 9), 2), (4, 5))],
        1,
    ),
    Case("cumsum_rows", lambda s: [build.scan(scan.CUMSUM, s.normal(37, 50) * 2.0, 1)], 1),
    Case("cumsum_columns", lambda s: [build.scan(scan.CUMSUM, s.normal(37, 50), 0)], 1),
    Case("cumsum_many_rows", lambda s: [build.scan(scan.CUMSUM, s.normal(70, 13), 1)], 1),
    Case("logcumsumexp_rows", lambda s: [build.scan(scan.LOGCUMSUMEXP, s.normal(70, 13), 1)], 1),
    Case("argsort", lambda s: [build.argsort(s.normal(37, 50), False)], 1),
    Case(
        "argsort_ties", lambda s: [build.argsort(s.integers(0, 5, 3, 40, dtype=np.int32), True)], 1
    ),
    Case("argsort_rows", lambda s: [build.argsort(s.normal(5, 700), False)], 1),
    Case("argsort_part", lambda s: [build.argsort(s.normal(37, 50), True, 20)], 1),
    Case("select_few", lambda s: [build.argsort(s.normal(300, 210), True, 25)], 1),
    Case(
        "select_ties",
        lambda s: [build.argsort(s.integers(0, 9, 4, 700, dtype=np.uint8), False, 80)],
        1,
    ),
    Case("ranked", lambda s: [build.ranked(s.normal(6, 300), 150)], 1),
    Case("select_many", lambda s: [build.argsort(s.normal(2, 4000), False, 400)], 2),
    Case("embedding", lambda s: [embedding(s) * 2.0], 1),
    Case("scatter_add", lambda s: [scattered(s, ScatterMode.ADD)], 2),
    Case("scatter_set", lambda s: [scattered(s, ScatterMode.SET)], 2),
    Case("scatter_max", lambda s: [scattered(s, ScatterMode.MAXIMUM)], 2),
    Case("int8", lambda s: [total(s.integers(-100, 100, 50, dtype=np.int8), 0)], 1),
    Case("bool", lambda s: [build.reduce(reduction.ANY, s.integers(0, 2, 50) < 1, (0,))], 1),
    Case("float16", lambda s: [total(s.normal(50, dtype=np.float16), 0)], 1),
    Case("bfloat16", lambda s: [s.normal(50, dtype=ml_dtypes.bfloat16) * 3.0], 1),
    Case("empty", lambda s: [s.normal(0, 5) + 1.0], 0),
    Case("sum_of_empty", lambda s: [total(s.normal(0, 5), 0)], 1),
    Case(
        "view_adjoint",
        lambda s: [
            build.view_adjoint(
                s.normal(2, 7, 8, 3, 3, 3),
                View((2, 7, 8, 3, 3, 3), (270, 10, 1, 90, 10, 1)),
                (2, 3, 9, 10),
            )
        ],
        55,
    ),
]


def momentum_step(s: Source) -> list[Node]:
    gradient, momentum, weight = s.normal(30, 40), s.normal(30, 40), s.normal(30, 40)
    updated = momentum * 0.9 + gradient
    return [updated, weight - updated * 0.1]


def diamond(s: Source) -> list[Node]:
    """The product reads what the last sum reads too, so they cannot share a loop."""
    first = unary("exp", s.normal(40, 40))
    return [first, first + product(first, s.normal(40, 40))]


def siblings(s: Source) -> list[Node]:
    """Both gradients of a product read what comes from above, which may be in memory already."""
    above, given = unary("tanh", s.normal(3000)), s.normal(40, 50)
    gradients = [above * s.normal(3000), above * s.normal(3000), above * s.normal(2, 3000)]
    return [*gradients, given * s.normal(40, 50), given * s.normal(40, 50)]


CASES += [
    Case("momentum_step", momentum_step, 1),
    Case("diamond", diamond, 2),
    Case("siblings", siblings, 3),
]


CASES += [
    Case("transposed_large", lambda s: [build.copy(build.permute(s.normal(130, 200), (1, 0)))], 1),
    Case(
        "transposed_sum",
        lambda s: [build.permute(s.normal(3, 130, 200), (2, 0, 1)) + s.normal(200, 3, 130)],
        1,
    ),
    Case(
        "short_last_axis",
        lambda s: [build.permute(s.normal(3, 90, 50), (1, 2, 0)) * 2.0],
        1,
    ),
    Case(
        "pooled_gradient",
        lambda s: [
            build.view_adjoint(
                s.normal(2, 30, 4, 4, 2, 2),
                View((2, 30, 4, 4, 2, 2), (1920, 64, 16, 2, 8, 1)),
                (2, 30, 8, 8),
            )
        ],
        2,
    ),
]


CASES += [
    Case("sum_columns_long", lambda s: [total(s.normal(300, 500), 0)], 1),
    Case("sum_columns_batch", lambda s: [total(s.normal(3, 300, 130), 1)], 1),
    Case("max_columns", lambda s: [build.reduce(reduction.AMAX, s.normal(300, 90), (0,))], 1),
    Case("sum_columns_fused", lambda s: [total(unary("exp", s.normal(90, 300)) * 2.0, 0)], 1),
    Case("sum_columns_int", lambda s: [total(s.integers(-9, 9, 90, 300), 0)], 1),
]


def scattered_bool(s: Source, mode: ScatterMode) -> Node:
    """Sums of bool are or, products are and."""
    rows = s.integers(0, 3, 20)
    base = s.integers(0, 2, 3) < 1
    return build.scatter(base, s.integers(0, 2, 20) < 1, (rows,), Indexing((0,), mode=mode))


CASES += [
    Case("scatter_add_bool", lambda s: [scattered_bool(s, ScatterMode.ADD)], 3),
    Case("scatter_product_bool", lambda s: [scattered_bool(s, ScatterMode.MULTIPLY)], 3),
    Case("scatter_max_bool", lambda s: [scattered_bool(s, ScatterMode.MAXIMUM)], 3),
]


def moments(s: Source, *shape: int, axes: tuple[int, ...]) -> list[Node]:
    """Sums for mean and variance, both wanted: the rows are read once."""
    node = s.normal(*shape)
    first = total(node, *axes)
    centred = node - build.expand(first * 0.0125, shape)
    return [total(centred * centred, *axes), first]


def layer_norm_gradient(s: Source) -> list[Node]:
    """What the gradients by the input and by weights share, they must not store whole."""
    x, gradient = s.normal(700, 130), s.normal(700, 130)
    mean = total(x, 1) * (1.0 / 130)
    centred = x - build.expand(mean, x.shape)
    scale = unary("rsqrt", total(centred * centred, 1) + 1e-5)
    normal = centred * build.expand(scale, x.shape)
    dots = build.expand(total(gradient * normal, 1), x.shape)
    return [gradient - normal * dots, total(gradient * normal, 0), total(gradient, 0)]


def channel_gradient(s: Source) -> list[Node]:
    """Sums over the same rows join the kernel that reads them."""
    x, gradient = s.normal(6, 40, 9, 8), s.normal(6, 40, 9, 8)
    axes = (0, 2, 3)
    mean = total(x, *axes) * (1.0 / 432)
    centred = x - build.expand(mean, x.shape)
    dots = total(gradient * centred, *axes)
    return [
        gradient - centred * build.expand(dots * 0.01, x.shape),
        dots,
        total(gradient * 2.0, *axes),
    ]


def dear_row(s: Source) -> list[Node]:
    """The exponentials of one row are computed once, not once for each row they are added to."""
    return [s.normal(300, 200) + build.expand(unary("exp", s.normal(1, 200)), (300, 200))]


CASES += [
    Case("moments_rows", lambda s: moments(s, 300, 70, axes=(1,)), 1),
    Case("moments_columns", lambda s: moments(s, 70, 20, axes=(0,)), 1),
    Case("layer_norm_gradient", layer_norm_gradient, 2),
    Case("channel_gradient", channel_gradient, 1),
    Case("sums_of_columns", lambda s: [total(x := s.normal(90, 130), 0), total(x * x, 0)], 1),
    Case("sums_of_rows", lambda s: [total(x := s.normal(90, 130), 1), total(x * x, 1)], 1),
    Case(
        "extremes",
        lambda s: [
            build.reduce(r, x, (1,))
            for x in [s.normal(40, 90)]
            for r in (reduction.AMAX, reduction.ARGMAX)
        ],
        1,
    ),
    Case("dear_row", dear_row, 2),
]


def softmax_gradient(s: Source, *shape: int) -> list[Node]:
    """Three loops over each row need the exponentials, which are computed in the first."""
    x, gradient = s.normal(*shape), s.normal(*shape)
    result = softmax(x, len(shape) - 1)
    dots = total(gradient * result, len(shape) - 1)
    return [result * (gradient - build.expand(dots, shape))]


CASES += [
    Case("softmax_gradient", lambda s: softmax_gradient(s, 37, 150), 1),
    Case(
        "softmax_gradient_strided",
        lambda s: [build.permute(x, (1, 0, 2)) * 2.0 for x in softmax_gradient(s, 5, 4, 33)],
        1,
    ),
    Case(
        "softmax_two_axes",
        lambda s: [
            unary("exp", x) / build.expand(total(unary("exp", x), 0, 2), x.shape)
            for x in [s.normal(40, 6, 50)]
        ],
        1,
    ),
]
