"""Sorting, selection, gathering and counting."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.row import Arrays, Forward, Row, Source, nbytes

Ordering = partial(Row, group="ordering")


def scatter_inputs(s: Source) -> Arrays:
    rows, width = s(8192, 40), s(768, 13)
    return {"i": s.integers(0, s(50257, 29), rows), "g": s.normal(rows, width)}


def table_rows(i: Any) -> int:
    """Return how many rows a table has that ``i`` was drawn for."""
    return 50257 if i.shape[0] > 40 else 29


def scatter_add(t: Any, i: Any, g: Any) -> Any:
    return t.zeros(table_rows(i), g.shape[1]).index_add(0, i, g)


ROWS = (
    Ordering(
        name="sort",
        title="sort with indices, 4 Mi float32",
        inputs=lambda s: {"x": s.normal(s(1 << 22, 1003))},
        function=lambda t, x: t.sort(x),
        task=Forward(several=True),
        moved=lambda x: 2 * x.nbytes + 8 * x.size,
    ),
    Ordering(
        name="topk",
        title="top 50 of 1024 x 32768",
        inputs=lambda s: {"x": s.normal(s(1024, 5), s(32768, 203))},
        function=lambda t, x: t.topk(x, 50),
        task=Forward(several=True),
        moved=lambda x: x.nbytes + 50 * 12 * x.shape[0],
    ),
    Ordering(
        name="embedding",
        title="embedding, 8192 rows of 50257 x 768",
        inputs=lambda s: {
            "w": s.normal(s(50257, 29), s(768, 13)),
            "i": s.integers(0, s(50257, 29), s(8192, 40)),
        },
        function=lambda t, w, i: t.nn.functional.embedding(i, w),
        moved=lambda w, i: i.nbytes + 8 * i.size * w.shape[1],
    ),
    Ordering(
        name="scatter_add",
        title="add 8192 rows into 50257 x 768 zeros",
        inputs=scatter_inputs,
        function=scatter_add,
        variants={
            "jax": lambda t, i, g: t.zeros(table_rows(i), g.shape[1]).at[i].add(g),
        },
        moved=lambda i, g: nbytes(i, g) + 4 * table_rows(i) * g.shape[1],
        flop=lambda i, g: g.size,
    ),
    Ordering(
        name="unique",
        title="unique of 4 Mi int32 below 100000",
        inputs=lambda s: {"x": s.integers(0, s(100000, 60), s(1 << 22, 203), dtype=np.int32)},
        function=lambda t, x: t.unique(x),
        task=Forward(captured=False),
        moved=lambda x: x.nbytes,
    ),
    Ordering(
        name="histogram",
        title="histogram of 16 Mi float32, 256 bins",
        inputs=lambda s: {"x": s.normal(s(1 << 24, 1003))},
        function=lambda t, x: t.histc(x, 256, -4.0, 4.0),
        moved=lambda x: x.nbytes,
    ),
)
