"""Products of tiles in local memory, packed and read in place, with every edge."""

from dataclasses import replace

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import (
    Grid,
    If,
    Kernel,
    Loop,
    LoopKind,
    Multiply,
    MultiplyWords,
    Parameter,
    Role,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.verify import verify_kernel
from tests.backends.llvm_support import (
    HOST,
    TARGETS,
    VECTORS,
    at,
    buffer,
    check,
    lanes,
    numpy_dtype,
    serial,
    size,
)

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
BLOCK = 8


def local(name: str, dtype: DType, extent: int) -> Parameter:
    return Parameter(name, Role.LOCAL, dtype, writable=True, extent=extent)


def smaller(first: Value, second: Value) -> Value:
    return (first < second).select(first, second)


def in_place(operand: DType, tile_type: DType, rows: int, columns: int) -> Kernel:
    """``out[r] = a[rows of r] @ b`` read in place, an item per band of rows."""
    a, b, out = buffer("a", operand), buffer("b", operand), buffer("out", tile_type, True)
    bands, n, k, row, step = map(size, ("bands", "n", "k", "row", "step"))
    tile = local("tile", tile_type, rows * columns)
    band, panel, i, j = map(Variable, ("band", "panel", "i", "j"))
    first = at(panel) * columns
    stop = smaller(first + columns, at(n))

    def multiply(width: Value | None) -> Multiply:
        return Multiply(
            tile, index(0), columns, constant(True, dtypes.bool_),
            a, at(band) * rows * at(row), at(row), at(step),
            b, first, at(n), at(k), rows, columns, width,
        )  # fmt: skip

    whole = first + columns <= at(n)
    element = load(tile, at(i) * columns + at(j) - first)
    place = (at(band) * rows + at(i)) * at(n) + at(j)
    store = Loop(j, first, stop, LoopKind.LANES, (Store(out, place, element),))
    body = (
        If(whole, (multiply(None),)),
        If(~whole, (multiply(stop - first),)),
        serial(i, index(rows), store),
    )
    panels = (at(n) + (columns - 1)).quotient(columns)
    parameters = (a, b, out, bands, n, k, row, step)
    return Kernel(
        parameters,
        Grid((band,), (at(bands),)),
        (serial(panel, panels, *body),),
        locals=(tile,),
    )


def blocked(dtype: DType, rows: int, columns: int, pitch: int = 0) -> Kernel:
    """``out = a @ b`` for one tile: blocks of k packed into a local, the tile resumed.

    With a `pitch` the last block's sums go to rows of ``out`` at once.
    """
    a, b, out, k = buffer("a", dtype), buffer("b", dtype), buffer("out", dtype, True), size("k")
    tile, panel = local("tile", dtype, rows * columns), local("panel", dtype, BLOCK * columns)
    block, p, j, item = map(Variable, ("block", "p", "j", "item"))
    first = at(block) * BLOCK
    depth = smaller(index(BLOCK), at(k) - first)
    pack = Store(
        panel,
        at(p) * columns + at(j),
        load(b, (first + at(p)) * columns + at(j)) + dtype_one(dtype),
    )
    multiply = Multiply(
        tile, index(0), columns, at(block).eq(index(0)),
        a, first, at(k), index(1),
        panel, index(0), index(columns), depth, rows, columns,
    )  # fmt: skip
    store = lanes(item, index(rows * columns), Store(out, at(item), load(tile, at(item))))
    products: tuple[Statement, ...] = (multiply,)
    if pitch:
        to_out = replace(multiply, result=out, result_at=(index(1), index(pitch)))
        is_last = at(k) <= first + BLOCK
        products = (If(is_last, (to_out,)), If(~is_last, products))
    body = (
        serial(
            block,
            (at(k) + (BLOCK - 1)).quotient(BLOCK),
            serial(p, depth, lanes(j, index(columns), pack)),
            *products,
        ),
        *(() if pitch else (store,)),
    )
    return Kernel((a, b, out, k), Grid((), ()), body, locals=(tile, panel))


def dtype_one(dtype: DType) -> Value:
    return constant(1, dtype)


def integers(dtype: DType, *shape: int):
    least = -4 if dtype.is_signed else 0
    return np.random.default_rng(0).integers(least, 5, shape).astype(numpy_dtype(dtype))


PAIRS = [
    ("float32", "float32"),
    ("float64", "float64"),
    ("int32", "int32"),
    ("bfloat16", "float32"),
    ("float16", "float32"),
    ("int8", "int32"),
    ("uint8", "uint32"),
]


@TARGET
@pytest.mark.parametrize(("operand", "tile"), PAIRS)
@pytest.mark.parametrize("rows", [1, 3, 4, 7])
def test_in_place(operand, tile, rows, target):
    operand, tile = dtypes.BY_NAME[operand], dtypes.BY_NAME[tile]
    columns = target.tiles[tile.name].columns if tile.name in target.tiles else 8
    code = in_place(operand, tile, rows, columns)
    for bands, n, k in [(1, 1, 1), (2, columns, 3), (2, columns + 1, 5), (3, 2 * columns - 1, 0)]:
        m = bands * rows
        for transposed in (False, True):
            a, b = integers(operand, m, k), integers(operand, k, n)
            wide = np.float64 if tile.is_floating_point else np.int64
            expected = (a.astype(wide) @ b.astype(wide)).astype(numpy_dtype(tile)).ravel()
            stored = np.ascontiguousarray(a.T if transposed else a).ravel()
            strides = (1, m) if transposed else (k, 1)
            out = np.zeros(m * n, numpy_dtype(tile))
            arguments = [stored, b.ravel(), out, bands, n, k, *strides]
            actual = check(code, arguments, target)
            np.testing.assert_array_equal(actual[2], expected)


@TARGET
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("k", [1, 7, 8, 9, 40])
def test_blocks_packed_into_a_local(dtype, k, target):
    kind = dtypes.BY_NAME[dtype]
    rows, columns = 5, 16
    a, b = integers(kind, rows, k), integers(kind, k, columns)
    out = np.zeros(rows * columns, numpy_dtype(kind))
    actual = check(blocked(kind, rows, columns), [a.ravel(), b.ravel(), out, k], target)
    np.testing.assert_array_equal(actual[2], (a @ (b + 1)).ravel())


@TARGET
@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("k", [1, 8, 9, 40])
def test_sums_stored_where_they_belong(dtype, k, target):
    kind = dtypes.BY_NAME[dtype]
    rows, columns, pitch = 5, 16, 19
    a, b = integers(kind, rows, k), integers(kind, k, columns)
    out = np.full(rows * pitch + 1, 99, numpy_dtype(kind))
    expected = out.copy()
    expected[1:].reshape(rows, pitch)[:, :columns] = a @ (b + 1)
    code = blocked(kind, rows, columns, pitch)
    actual = check(code, [a.ravel(), b.ravel(), out, k], target)
    np.testing.assert_array_equal(actual[2], expected)


def windows(dtype: DType, rows: int, columns: int, hints: bool) -> Kernel:
    """``out[r, j] = sum of a[r + 2 t + u * ahead + p * step] * b[(t, u, p), j]``, one tile.

    With `hints` it asks for elements, of which some lie outside of memory.
    """
    a, b, out = buffer("a", dtype), buffer("b", dtype), buffer("out", dtype, True)
    outer, inner, k, ahead, step = map(size, ("outer", "inner", "k", "ahead", "step"))
    tile, item = local("tile", dtype, rows * columns), Variable("item")
    repeats = (
        at(outer),
        index(2),
        at(inner) * at(k) * columns,
        at(inner),
        at(ahead),
        at(k) * columns,
    )
    multiply = Multiply(
        tile, index(0), columns, constant(True, dtypes.bool_),
        a, index(0), index(1), at(step),
        b, index(0), index(columns), at(k), rows, columns, None, repeats,
    )  # fmt: skip
    if hints:
        far = (at(k), at(step), index(1), at(inner), index(1 << 30), *[index(9)] * 3)
        multiply = replace(multiply, ahead=(a, b), ahead_at=far)
    store = Store(out, at(item), load(tile, at(item)))
    body = (multiply, lanes(item, index(rows * columns), store))
    parameters = (a, b, out, outer, inner, k, ahead, step)
    return Kernel(parameters, Grid((), ()), body, locals=(tile,))


@TARGET
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize(
    "counts",
    [(1, 1, 1), (3, 2, 5), (2, 4, 1), (0, 3, 2), (3, 0, 2), (2, 2, 0), (1, 1, 19), (2, 1, 12)],
)
@pytest.mark.parametrize("hints", [False, True])
def test_runs_repeated_further_on(dtype, counts, hints, target):
    kind = dtypes.BY_NAME[dtype]
    rows, columns, ahead, step = 5, 16, 7, 3
    outer, inner, k = counts
    a, b = integers(kind, 96), integers(kind, max(outer * inner * k, 1), columns)
    expected = np.zeros((rows, columns), a.dtype)
    for number, (t, u, p) in enumerate(np.ndindex(*counts)):
        first = 2 * t + u * ahead + p * step
        expected += a[first : first + rows, None] * b[number]
    out = np.zeros(rows * columns, a.dtype)
    code = windows(kind, rows, columns, hints)
    actual = check(code, [a, b.ravel(), out, *counts, ahead, step], target)
    np.testing.assert_array_equal(actual[2], expected.ravel())


def by_words(left: DType, right: DType, tile_type: DType, rows: int, columns: int) -> Kernel:
    """``out = a @ words`` in two calls, the tile resumed."""
    a, b, out, k = (
        buffer("a", left),
        buffer("b", dtypes.uint32),
        buffer("out", tile_type, True),
        size("k"),
    )
    tile, item, half = local("tile", tile_type, rows * columns), Variable("item"), Variable("half")
    group = 4 // left.itemsize
    words = at(k).quotient(2 * group)
    first = at(half) * words
    multiply = MultiplyWords(
        tile, index(0), at(half).eq(index(0)), a, first * group, at(k),
        b, first * columns, words, right, rows, columns,
    )  # fmt: skip
    store = Store(out, at(item), load(tile, at(item)))
    body = (serial(half, index(2), multiply), lanes(item, index(rows * columns), store))
    return Kernel((a, b, out, k), Grid((), ()), body, locals=(tile,))


WORDS = [
    ("avx512bf16", dtypes.bfloat16, dtypes.bfloat16, dtypes.float32),
    *(
        ("avx512vnni", left, right, dtypes.int32)
        for left in (dtypes.int8, dtypes.uint8)
        for right in (dtypes.int8, dtypes.uint8)
    ),
]


@pytest.mark.parametrize(("feature", "left", "right", "tile_type"), WORDS)
@pytest.mark.parametrize(("rows", "columns"), [(1, 8), (5, 16), (12, 32)])
def test_words_in_vectors(
    feature: str, left: DType, right: DType, tile_type: DType, rows: int, columns: int
) -> None:
    """Vectors give the interpreter's bits for words of every type."""
    random, k = np.random.default_rng(1), 48
    if left.is_floating_point:
        a = random.integers(-4, 5, (rows, k)).astype(numpy_dtype(left))
        b = random.integers(-4, 5, (k // 2, columns, 2)).astype(numpy_dtype(left))
    else:
        a = random.integers(0, 256, (rows, k)).astype(np.uint8).view(numpy_dtype(left))
        b = random.integers(0, 256, (k // 4, columns, 4)).astype(np.uint8)
    words = b.view(np.uint32)
    code = by_words(left, right, tile_type, rows, columns)
    out = np.zeros(rows * columns, numpy_dtype(tile_type))
    arguments = [a.reshape(-1), words.reshape(-1), out, k]
    targets = [each for each in (HOST, VECTORS) if f"+{feature}" in each.identity]
    for target in targets:
        check(code, arguments, target)
    verify_kernel(code)
