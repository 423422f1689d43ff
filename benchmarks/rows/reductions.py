"""Folds, running folds and row programs."""

from functools import partial
from typing import Any

from benchmarks.row import Array, Arrays, Gradient, Row, Source, nbytes

Reductions = partial(Row, group="reductions")


def square(s: Source) -> Arrays:
    return {"x": s.normal(s(4096, 37), s(4096, 67))}


def large_square(s: Source) -> Arrays:
    return {"x": s.normal(s(8192, 37), s(8192, 67))}


def rows_of(s: Source) -> Array:
    return s.normal(s(8192, 37), s(1024, 67))


def layer_norm(t: Any, x: Any, w: Any, b: Any) -> Any:
    return t.nn.functional.layer_norm(x, (x.shape[-1],), w, b)


def rms_norm(t: Any, x: Any, w: Any) -> Any:
    return t.nn.functional.rms_norm(x, (x.shape[-1],), w, 1e-6)


def batch_norm(t: Any, x: Any, w: Any, b: Any) -> Any:
    return t.nn.functional.batch_norm(x, None, None, w, b, training=True)


def images(s: Source) -> Arrays:
    channels = s(64, 5)
    shape = (s(16, 3), channels, s(56, 7), s(56, 9))
    return {
        "x": s.normal(*shape),
        "w": s.normal(channels),
        "b": s.normal(channels),
        "upstream": s.normal(*shape),
    }


ROWS = (
    Reductions(
        name="softmax",
        title="softmax of 4096 x 4096",
        inputs=square,
        function=lambda t, x: t.nn.functional.softmax(x, -1),
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: 15 * x.size,
    ),
    Reductions(
        name="layernorm",
        title="layer norm of 8192 x 1024",
        inputs=lambda s: {
            "x": rows_of(s),
            "w": s.normal(s(1024, 67)),
            "b": s.normal(s(1024, 67)),
        },
        function=layer_norm,
        moved=lambda x, w, b: nbytes(x, x, w, b),
        flop=lambda x, w, b: 8 * x.size,
    ),
    Reductions(
        name="rms_norm",
        title="RMS norm of 8192 x 1024",
        inputs=lambda s: {"x": rows_of(s), "w": s.normal(s(1024, 67))},
        function=rms_norm,
        moved=lambda x, w: nbytes(x, x, w),
        flop=lambda x, w: 4 * x.size,
    ),
    Reductions(
        name="batch_norm_grad",
        title="batch norm 16 x 64 x 56 x 56, forward and backward",
        inputs=images,
        function=batch_norm,
        task=Gradient(of=("x", "w", "b"), upstream="upstream"),
        moved=lambda x, w, b, upstream: 7 * x.nbytes,
        flop=lambda x, w, b, upstream: 18 * x.size,
    ),
    Reductions(
        name="cross_entropy_grad",
        title="cross entropy of 1024 x 32000, forward and backward",
        inputs=lambda s: {
            "x": s.normal(s(1024, 13), s(32000, 101)),
            "y": s.integers(0, s(32000, 101), s(1024, 13)),
        },
        function=lambda t, x, y: t.nn.functional.cross_entropy(x, y),
        task=Gradient(of=("x",)),
        moved=lambda x, y: 3 * x.nbytes,
        flop=lambda x, y: 25 * x.size,
    ),
    Reductions(
        name="sum_all",
        title="sum of 64 Mi float32",
        inputs=lambda s: {"x": s.normal(s(1 << 26, 10007))},
        function=lambda t, x: x.sum(),
        moved=lambda x: x.nbytes,
        flop=lambda x: x.size,
    ),
    Reductions(
        name="sum_axis0",
        title="sum over axis 0 of 8192 x 8192",
        inputs=large_square,
        function=lambda t, x: x.sum(0),
        moved=lambda x: x.nbytes + 4 * x.shape[1],
        flop=lambda x: x.size,
    ),
    Reductions(
        name="argmax",
        title="argmax over axis 1 of 8192 x 8192",
        inputs=large_square,
        function=lambda t, x: x.argmax(-1),
        moved=lambda x: x.nbytes + 8 * x.shape[0],
    ),
    Reductions(
        name="cumsum",
        title="cumsum over axis 1 of 4096 x 4096",
        inputs=square,
        function=lambda t, x: t.cumsum(x, -1),
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: x.size,
    ),
    Reductions(
        name="cumsum_axis0",
        title="cumsum over axis 0 of 4096 x 4096",
        inputs=square,
        function=lambda t, x: t.cumsum(x, 0),
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: x.size,
    ),
)
