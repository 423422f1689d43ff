"""Convolutions and pooling."""

import math
from functools import partial
from typing import Any

from benchmarks.row import Array, Arrays, Row, Source, nbytes

Convolution = partial(Row, group="convolution")


def convolved(x: Array, w: Array, stride: int, padding: int) -> int:
    """Return the number of elements of the result."""
    sizes = zip(x.shape[2:], w.shape[2:], strict=True)
    positions = math.prod((size + 2 * padding - window) // stride + 1 for size, window in sizes)
    return int(x.shape[0] * w.shape[0] * positions)


def convolution(
    name: str,
    title: str,
    shape: tuple[tuple[int, ...], tuple[int, ...]],
    window: tuple[int, ...],
    outputs: tuple[int, int],
    stride: int = 1,
    groups: tuple[int, int] = (1, 1),
) -> Row:
    """Return the row of a convolution whose padding is half its window.

    Shapes, the number of outputs and groups are pairs: what is timed, and what is checked.
    """
    padding = window[0] // 2
    operator = "conv3d" if len(window) == 3 else "conv2d"

    def inputs(s: Source) -> Arrays:
        chosen = [s(full, small) for full, small in zip(*shape, strict=True)]
        depth = chosen[1] // s(*groups)
        scale = 1 / math.sqrt(depth * math.prod(window))
        return {"x": s.normal(*chosen), "w": s.normal(s(*outputs), depth, *window, scale=scale)}

    def function(t: Any, x: Any, w: Any) -> Any:
        groups = x.shape[1] // w.shape[1]
        convolve = getattr(t.nn.functional, operator)
        return convolve(x, w, None, stride=stride, padding=padding, groups=groups)

    return Convolution(
        name=name,
        title=title,
        inputs=inputs,
        function=function,
        moved=lambda x, w: nbytes(x, w) + 4 * convolved(x, w, stride, padding),
        flop=lambda x, w: 2 * convolved(x, w, stride, padding) * math.prod(w.shape[1:]),
    )


def transposed(t: Any, x: Any, w: Any) -> Any:
    return t.nn.functional.conv_transpose2d(x, w, None, stride=2, padding=1)


def doubled(x: Array, w: Array) -> int:
    return 4 * x.size // int(x.shape[1]) * int(w.shape[1])


def pooled(size: int) -> int:
    return (size - 1) // 2 + 1


ROWS = (
    convolution(
        "conv3x3",
        "conv 3x3, 64 to 64, 8 x 56 x 56",
        ((8, 64, 56, 56), (2, 5, 9, 11)),
        (3, 3),
        (64, 7),
    ),
    convolution(
        "conv1x1",
        "conv 1x1, 256 to 64, 8 x 56 x 56",
        ((8, 256, 56, 56), (2, 5, 9, 11)),
        (1, 1),
        (64, 7),
    ),
    convolution(
        "conv5x5_stride2",
        "conv 5x5 stride 2, 64 to 128, 8 x 56 x 56",
        ((8, 64, 56, 56), (2, 5, 9, 11)),
        (5, 5),
        (128, 7),
        stride=2,
    ),
    convolution(
        "conv7x7_stem",
        "conv 7x7 stride 2, 3 to 64, 8 x 224 x 224",
        ((8, 3, 224, 224), (2, 3, 17, 19)),
        (7, 7),
        (64, 7),
        stride=2,
    ),
    convolution(
        "conv3d",
        "conv 3x3x3, 32 to 32, 2 x 16 x 56 x 56",
        ((2, 32, 16, 56, 56), (2, 3, 5, 6, 7)),
        (3, 3, 3),
        (32, 4),
    ),
    convolution(
        "depthwise",
        "depthwise conv 3x3, 8 x 128 x 56 x 56",
        ((8, 128, 56, 56), (2, 6, 9, 11)),
        (3, 3),
        (128, 6),
        groups=(128, 6),
    ),
    Convolution(
        name="conv_transpose",
        title="transposed conv 4x4 stride 2, 64 to 64, 8 x 28 x 28",
        inputs=lambda s: {
            "x": s.normal(s(8, 2), s(64, 5), s(28, 6), s(28, 7)),
            "w": s.normal(s(64, 5), s(64, 3), 4, 4, scale=0.1),
        },
        function=transposed,
        moved=lambda x, w: nbytes(x, w) + 4 * doubled(x, w),
        flop=lambda x, w: 2 * x.size * math.prod(w.shape[1:]),
    ),
    Convolution(
        name="maxpool",
        title="max pool 3 stride 2, 8 x 64 x 112 x 112",
        inputs=lambda s: {"x": s.normal(s(8, 2), s(64, 3), s(112, 9), s(112, 11))},
        function=lambda t, x: t.nn.functional.max_pool2d(x, 3, 2, 1),
        moved=lambda x: (
            x.nbytes + 4 * x.shape[0] * x.shape[1] * pooled(x.shape[2]) * pooled(x.shape[3])
        ),
    ),
)
