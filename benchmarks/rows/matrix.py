"""Matrix products."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.row import Array, Arrays, Row, Source, nbytes, product_flop

Matrix = partial(Row, group="matrix")


def matmul(t: Any, x: Any, y: Any) -> Any:
    return x @ y


def operands(rows: int, inner: int, columns: int) -> Callable[[Source], Arrays]:
    """Return the maker of two float32 matrices; the small ones have awkward sizes."""

    def make(s: Source) -> Arrays:
        height, depth, width = s(rows, min(rows, 33)), s(inner, 70), s(columns, 45)
        return {"x": s.normal(height, depth), "y": s.normal(depth, width)}

    return make


def moved(x: Array, y: Array) -> float:
    return nbytes(x, y) + float(x.itemsize * x[..., 0].size * y.shape[-1])


def flop(x: Array, y: Array) -> float:
    return product_flop(x[..., 0].size, x.shape[-1], y.shape[-1])


def whole_products(t: Any, x: Any, y: Any) -> Any:
    return x.to(t.int32) @ y.to(t.int32)


def whole_numbers(s: Source) -> Arrays:
    # PyTorch takes multiples of eight only.
    shapes = ((s(1024, 40), s(1024, 64)), (s(1024, 64), s(1024, 48)))
    first, second = (s.integers(-128, 128, *shape, dtype=np.int8) for shape in shapes)
    return {"x": first, "y": second}


def linear_gelu(t: Any, x: Any, w: Any, b: Any) -> Any:
    return t.nn.functional.gelu(t.nn.functional.linear(x, w, b), approximate="tanh")


def plain(name: str, rows: int, inner: int, columns: int) -> Row:
    """Return the row of a float32 product."""
    return Matrix(
        name=name,
        title=f"matrix product {rows} x {inner} x {columns}",
        inputs=operands(rows, inner, columns),
        function=matmul,
        moved=moved,
        flop=flop,
    )


ROWS = (
    plain("matmul", 1024, 1024, 1024),
    plain("matmul_2048", 2048, 2048, 2048),
    plain("matmul_4096", 4096, 4096, 4096),
    plain("matmul_thin", 4096, 64, 4096),
    plain("matmul_vector", 1, 4096, 4096),
    plain("matmul_odd", 17, 1000, 333),
    Matrix(
        name="matmul_f64",
        title="matrix product 1024 cubed, float64",
        inputs=lambda s: {
            "x": s.double(s(1024, 33), s(1024, 70)),
            "y": s.double(s(1024, 70), s(1024, 45)),
        },
        function=matmul,
        moved=moved,
        flop=flop,
        arithmetic="float64",
    ),
    Matrix(
        name="matmul_bf16",
        title="matrix product 1024 cubed, bfloat16",
        inputs=lambda s: {
            "x": s.brain(s(1024, 33), s(1024, 70)),
            "y": s.brain(s(1024, 70), s(1024, 45)),
        },
        function=matmul,
        moved=moved,
        flop=flop,
    ),
    Matrix(
        name="matmul_int8",
        title="matrix product 1024 cubed, int8 to int32",
        inputs=whole_numbers,
        function=whole_products,
        variants={
            "torch": lambda t, x, y: t._int_mm(x, y),
            "jax": lambda t, x, y: t.matmul(x, y, preferred_element_type="int32"),
        },
        moved=lambda x, y: nbytes(x, y) + 4 * x.shape[0] * y.shape[1],
        flop=flop,
    ),
    Matrix(
        name="bmm",
        title="64 matrix products 128 cubed",
        inputs=lambda s: {
            "x": s.normal(s(64, 3), s(128, 33), s(128, 70)),
            "y": s.normal(s(64, 3), s(128, 70), s(128, 45)),
        },
        function=matmul,
        moved=moved,
        flop=flop,
    ),
    Matrix(
        name="linear_gelu",
        title="linear 1024 to 4096 and gelu, 1024 rows",
        inputs=lambda s: {
            "x": s.normal(s(1024, 33), s(1024, 70)),
            "w": s.normal(s(4096, 45), s(1024, 70)),
            "b": s.normal(s(4096, 45)),
        },
        function=linear_gelu,
        moved=lambda x, w, b: nbytes(x, w, b) + 4 * x.shape[0] * w.shape[0],
        flop=lambda x, w, b: product_flop(x.shape[0], x.shape[1], w.shape[0]),
    ),
)
