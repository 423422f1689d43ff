"""Contractions written by hand, over operands in several layouts."""

from typing import Any

import numpy as np

from pumice.dtypes import DType
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
from pumice.target import ProductTile
from tests.backends.spirv_support import at, buffer, numpy_dtype, size

LAYOUTS = ("rows", "columns", "strided", "packed", "masked")


def _element(layout: str, memory: Any, line: Value, step: Value, stride: Value, tile: int) -> Value:
    """Return an element of an operand stored as a layout says."""
    match layout:
        case "rows":  # steps are neighbours
            return load(memory, line * stride + step)
        case "columns":  # lines are neighbours
            return load(memory, step * stride + line)
        case "packed":  # panels of lines
            place = (line.quotient(tile) * stride + step) * tile + line.modulus(tile)
            return load(memory, place)
        case "masked":  # every third step counts as 0
            return load(memory, line * stride + step, step.modulus(3).ne(1))
        case _:
            return load(memory, (line * stride + step) * 2)


def stored(matrix: np.ndarray[Any, Any], layout: str, tile: int) -> tuple[Any, int]:
    """Return ``[line][step]`` as a layout stores it, and its stride."""
    lines, steps = matrix.shape
    if layout == "columns":
        padded = np.zeros((max(steps, 1), -(-lines // 4) * 4), matrix.dtype)
        padded[:steps, :lines] = matrix.T
        return padded.ravel(), padded.shape[1]
    if layout == "packed":
        panels = -(-lines // tile)
        padded = np.zeros((panels * tile, max(steps, 1)), matrix.dtype)
        padded[:lines, :steps] = matrix
        return padded.reshape(panels, tile, -1).transpose(0, 2, 1).ravel().copy(), padded.shape[1]
    if layout == "strided":
        return np.repeat(matrix.ravel(), 2), steps
    return matrix.ravel().copy(), steps


def product(
    tile: ProductTile,
    dtype: DType,
    accumulator: DType,
    layouts: tuple[str, str] = ("rows", "columns"),
) -> Kernel:
    """``out[b, i, j] = max(left @ right + bias[j], 0)``; all batches share the left operand."""
    a, b, bias = buffer("a", dtype), buffer("b", dtype), buffer("bias", accumulator)
    out = buffer("out", accumulator, writable=True)
    names = [size(name) for name in ("batches", "m", "n", "k", "x", "y", "z")]
    batches, m, n, k, left_stride, right_stride, distance = (at(name) for name in names)
    batch, i, j, p = Variable("batch"), Variable("i"), Variable("j"), Variable("p")
    left = _element(layouts[0], a, at(i), at(p), left_stride, tile.rows)
    right = _element(layouts[1], b, at(j), at(p), right_stride, tile.columns)
    shifted = right.arguments[0] + at(batch) * distance
    right = Value(Instruction.LOAD, dtype, (shifted, *right.arguments[1:]), b)
    element = Value(Instruction.ACCUMULATOR, accumulator) + load(bias, at(j))
    positive = (element < 0).select(0, element)
    place = (at(batch) * m + at(i)) * n + at(j)
    contract = Contract(
        left.cast(accumulator),
        right.cast(accumulator),
        batches,
        m,
        n,
        k,
        batch,
        i,
        j,
        p,
        tile,
        (Store(out, place, positive),),
    )
    return Kernel((a, b, bias, out, *names), Grid((), ()), (contract,))


def arguments_of(
    code: Kernel,
    sizes: tuple[int, int, int, int],
    layouts: tuple[str, str],
    random: np.random.Generator,
) -> tuple[list[Any], Any]:
    """Return arguments of whole numbers, and the result: exact in any order of summing."""
    (contract,) = code.body
    assert isinstance(contract, Contract)
    tile, kinds = contract.tile, [numpy_dtype(each.dtype) for each in code.parameters[:4]]
    batches, m, n, k = sizes
    left = random.integers(-4, 5, (m, k)).astype(kinds[0])
    rights = random.integers(-4, 5, (batches, n, k)).astype(kinds[1])
    bias = random.integers(-4, 5, n).astype(kinds[2])
    held, left_stride = stored(left, layouts[0], tile.rows)
    pieces = [stored(right, layouts[1], tile.columns) for right in rights]
    every = np.concatenate([piece for piece, _ in pieces])
    first, second = left.astype(np.float64), rights.astype(np.float64)
    if layouts[0] == "masked":
        first[:, 1::3] = 0
    if layouts[1] == "masked":
        second[:, :, 1::3] = 0
    expected = np.maximum(first @ second.transpose(0, 2, 1) + bias, 0)
    strides = [left_stride, pieces[0][1], pieces[0][0].size]
    held, every = (each if each.size else np.zeros(1, each.dtype) for each in (held, every))
    out = np.full(batches * m * n, 99, kinds[3])
    return [held, every, bias, out, *sizes, *strides], expected
