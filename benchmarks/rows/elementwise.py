"""Elementwise chains, broadcasting and copies."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.row import Array, Arrays, Row, Source, nbytes

Elementwise = partial(Row, group="elementwise")


def pair(s: Source) -> Arrays:
    return {"x": s.normal(s(1 << 24, 1003)), "y": s.normal(s(1 << 24, 1003))}


def integers(s: Source) -> Arrays:
    size = s(1 << 24, 1003)
    return {
        "x": s.integers(-1000, 1000, size, dtype=np.int32),
        "y": s.integers(1, 100, size, dtype=np.int32),
    }


def square(s: Source) -> Array:
    return s.normal(s(4096, 37), s(4096, 67))


def steps(t: Any, x: Any) -> Any:
    for _ in range(50):
        x = t.tanh(x * 1.01 + 0.1)
    return x


ROWS = (
    Elementwise(
        name="gelu_add",
        title="gelu(x + y), 16 Mi float32",
        inputs=pair,
        function=lambda t, x, y: t.nn.functional.gelu(x + y, approximate="tanh"),
        moved=lambda x, y: 3 * x.nbytes,
        flop=lambda x, y: 15 * x.size,
    ),
    Elementwise(
        name="compare_where",
        title="nested where of comparisons, 16 Mi float32",
        inputs=pair,
        function=lambda t, x, y: t.where(x > y, x, t.where(t.eq(x, y), y * 0, y)),
        moved=lambda x, y: 3 * x.nbytes,
    ),
    Elementwise(
        name="floordiv_int",
        title="floor division, 16 Mi int32",
        inputs=integers,
        function=lambda t, x, y: t.div(x, y, rounding_mode="floor"),
        moved=lambda x, y: 3 * x.nbytes,
    ),
    Elementwise(
        name="add_row",
        title="add a row to 4096 x 4096",
        inputs=lambda s: {"x": square(s), "row": s.normal(s(4096, 67))},
        function=lambda t, x, row: x + row,
        moved=lambda x, row: nbytes(x, x, row),
        flop=lambda x, row: x.size,
    ),
    Elementwise(
        name="add_column",
        title="add a column to 4096 x 4096",
        inputs=lambda s: {"x": square(s), "column": s.normal(s(4096, 37), 1)},
        function=lambda t, x, column: x + column,
        moved=lambda x, column: nbytes(x, x, column),
        flop=lambda x, column: x.size,
    ),
    Elementwise(
        name="transposed_copy",
        title="contiguous transpose of 4096 x 4096",
        inputs=lambda s: {"x": square(s)},
        function=lambda t, x: x.mT.contiguous(),
        variants={"jax": lambda t, x: x.mT},
        moved=lambda x: 2 * x.nbytes,
    ),
    Elementwise(
        name="chain100",
        title="50 tanh steps on 1000 elements",
        inputs=lambda s: {"x": s.normal(s(1000, 101))},
        function=steps,
        moved=lambda x: 2 * x.nbytes,
        flop=lambda x: 50 * 20 * x.size,
    ),
)
