"""Matrix products of packed panels at every edge size."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import (
    Contract,
    Grid,
    Instruction,
    Kernel,
    Store,
    Value,
    Variable,
    load,
)
from tests.backends.llvm_support import (
    BASELINE,
    TARGETS,
    at,
    buffer,
    check,
    numpy_dtype,
    run_compiled,
    size,
)

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())


def product(left: DType, accumulator: DType, rows: int, columns: int) -> Kernel:
    """Return ``out = left @ right + bias``."""
    a, b = buffer("a", left), buffer("b", left)
    bias, out = buffer("bias", accumulator), buffer("out", accumulator, True)
    batches, m, n, k = map(size, ("batches", "m", "n", "k"))
    batch, row, column = map(Variable, ("batch", "row", "column"))
    accumulated = Value(Instruction.ACCUMULATOR, accumulator)
    place = (at(batch) * at(m) + at(row)) * at(n) + at(column)
    contract = Contract(
        a,
        b,
        accumulator,
        at(batches),
        at(m),
        at(n),
        at(k),
        rows,
        columns,
        batch,
        row,
        column,
        (Store(out, place, accumulated + load(bias, at(column))),),
    )
    return Kernel((a, b, bias, out, batches, m, n, k), Grid((), ()), (contract,))


def packed(matrix, tile: int):
    """Pack [batch][extent][k] as [batch][panel][k][tile], zero padded."""
    batches, extent, k = matrix.shape
    panels = -(-extent // tile)
    whole = np.zeros((batches, panels * tile, k), matrix.dtype)
    whole[:, :extent] = matrix
    return np.ascontiguousarray(
        whole.reshape(batches, panels, tile, k).transpose(0, 1, 3, 2)
    ).ravel()


def operands(left: DType, accumulator: DType, sizes, rows: int, columns: int):
    batches, m, n, k = sizes
    random = np.random.default_rng(0)
    kind = numpy_dtype(left)
    least = -4 if left.is_signed else 0
    a = random.integers(least, 5, (batches, m, k)).astype(kind)
    b = random.integers(least, 5, (batches, k, n)).astype(kind)
    wide = np.float64 if accumulator.is_floating_point else np.int64
    exact = a.astype(wide) @ b.astype(wide)
    bias = np.arange(n).astype(numpy_dtype(accumulator))
    out = np.zeros(batches * m * n, bias.dtype)
    arguments = [packed(a, rows), packed(b.transpose(0, 2, 1), columns), bias, out, *sizes]
    return arguments, (exact + bias.astype(wide)).astype(bias.dtype).ravel()


@TARGET
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_edges(dtype, target):
    accumulator = dtypes.BY_NAME[dtype]
    tile = target.tiles[dtype]
    code = product(accumulator, accumulator, tile.rows, tile.columns)
    r, c = tile.rows, tile.columns
    cases = [(1, 1, 1, 1), (2, r, c, 3), (1, r + 1, c - 1, 5), (3, 2 * r - 1, 2 * c + 3, 7)]
    cases += [(1, 5 * r + 2, 3 * c + 1, 40), (1, 4, 5, 0), (2, 20 * r + 3, c + 5, 2)]
    for sizes in cases:
        arguments, expected = operands(accumulator, accumulator, sizes, r, c)
        for chunk in (None, 3):
            actual = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
            run_compiled(code, actual, target, chunk)
            np.testing.assert_array_equal(actual[3], expected, err_msg=str((sizes, chunk)))


@TARGET
def test_agrees_with_the_interpreter(target):
    tile = target.tiles["float32"]
    code = product(dtypes.float32, dtypes.float32, tile.rows, tile.columns)
    sizes = (2, tile.rows + 3, tile.columns + 7, 12)
    arguments, _ = operands(dtypes.float32, dtypes.float32, sizes, tile.rows, tile.columns)
    check(code, arguments, target)


@TARGET
@pytest.mark.parametrize("k", [1023, 6000, 12001])
def test_blocks_of_k(k, target):
    """Above some length k is done in blocks; the sums stay exact and in order."""
    tile = target.tiles["float32"]
    code = product(dtypes.float32, dtypes.float32, tile.rows, tile.columns)
    sizes = (1, 3 * tile.rows + 1, tile.columns + 1, k)
    arguments, expected = operands(dtypes.float32, dtypes.float32, sizes, tile.rows, tile.columns)
    for chunk in (None, 2):
        actual = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
        run_compiled(code, actual, target, chunk)
        np.testing.assert_array_equal(actual[3], expected)


@TARGET
@pytest.mark.parametrize(
    ("left", "accumulator"),
    [("bfloat16", "float32"), ("float16", "float32"), ("int8", "int32"), ("uint8", "uint16")],
)
def test_narrower_operands(left, accumulator, target):
    wide, narrow = dtypes.BY_NAME[accumulator], dtypes.BY_NAME[left]
    tile = target.tiles["float32"]
    code = product(narrow, wide, tile.rows, tile.columns)
    sizes = (1, tile.rows + 1, tile.columns + 1, 33)
    arguments, expected = operands(narrow, wide, sizes, tile.rows, tile.columns)
    run_compiled(code, arguments, target)
    np.testing.assert_array_equal(arguments[3], expected)


def test_operands_wider_than_the_accumulator_are_refused():
    code = product(dtypes.float64, dtypes.float32, 4, 8)
    arguments, _ = operands(dtypes.float64, dtypes.float32, (1, 4, 8, 2), 4, 8)
    with pytest.raises(InternalError, match="a contraction of float64 in float32"):
        run_compiled(code, arguments)


def test_results_do_not_depend_on_chunks():
    tile = BASELINE.tiles["float32"]
    code = product(dtypes.float32, dtypes.float32, tile.rows, tile.columns)
    random = np.random.default_rng(1)
    sizes = (2, 50, 37, 700)
    a = random.standard_normal((2, 50, 700)).astype(np.float32)
    b = random.standard_normal((2, 37, 700)).astype(np.float32)
    results = []
    for chunk in (1, 7, None):
        out = np.zeros(2 * 50 * 37, np.float32)
        bias = np.zeros(37, np.float32)
        arguments = [packed(a, tile.rows), packed(b, tile.columns), bias, out, *sizes]
        run_compiled(code, arguments, BASELINE, chunk)
        results.append(out)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
