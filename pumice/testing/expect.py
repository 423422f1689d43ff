"""What an operator should return, from its entry's NumPy reference in higher precision."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType, accumulation_dtype
from pumice.graph.interpret import convert
from pumice.kernel.ir import Instruction
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Elementwise, Reduction
from pumice.testing import tolerance
from pumice.testing.cases import combine_instruction

Array = NDArray[Any]


def check_elementwise(
    entry: Elementwise, dtype: DType, operands: list[Array], got: Array, where: str = ""
) -> None:
    """Fail unless ``got`` is what an entry returns for operands of a promoted dtype.

    Parameters
    ----------
    dtype : DType
        The dtype the operands promote to; the arrays may have others.
    where : str
        Named in the message.
    """
    computed = entry.computation_dtype(dtype)
    result = entry.result_dtype(computed)
    assert got.dtype == to_numpy(result), f"{where}: dtype {got.dtype}, expected {result.name}"
    wanted = [
        array if entry.condition_first and position == 0 else convert(array, computed)
        for position, array in enumerate(operands)
    ]
    exact, margin = _reference(entry, computed, wanted)
    assert got.shape == exact.shape, f"{where}: shape {got.shape}, expected {exact.shape}"
    if not result.is_floating_point:
        _require(got == exact.astype(got.dtype), got, exact, operands, where)
    elif entry.samples.ulp == 0:
        _require(same_bits(got, round_once(exact, result)), got, exact, operands, where)
    else:
        error = tolerance.ulp_error(got, exact, result)
        allowed = tolerance.elementwise_ulp(entry, result) + margin
        worst = f"{where}: {np.max(error, initial=0.0):.3g} ulp, allowed {allowed:.3g}"
        _require(error <= allowed, got, exact, operands, worst)


def _reference(entry: Elementwise, computed: DType, operands: list[Array]) -> tuple[Array, float]:
    """Return the reference and the error it may itself have, in units in the last place."""
    if not computed.is_floating_point:
        with np.errstate(all="ignore"):
            return np.asarray(entry.reference(np, *operands)), 0.0
    if entry.samples.ulp == 0:
        # Rounded once by definition, so NumPy must give the same bits in the same type.
        wide, margin = accumulation_dtype(computed), 0.0
        operands = [_widen(operand, to_numpy(wide)) for operand in operands]
    elif computed is dtypes.float64:
        margin = tolerance.REFERENCE_ULP
        operands = [_widen(operand, np.longdouble) for operand in operands]
    else:
        margin = 0.0
        operands = [_widen(operand, np.float64) for operand in operands]
    with np.errstate(all="ignore"):
        exact = np.asarray(entry.reference(np, *operands))
    if exact.dtype == np.longdouble and np.finfo(np.longdouble).nmant > computed.mantissa:
        margin = 0.0
    return exact, margin


def _widen(operand: Array, wide: Any) -> Array:
    return operand if operand.dtype == bool else operand.astype(wide)


def round_once(exact: Array, dtype: DType) -> Array:
    """Return the exact values in a dtype; the 16-bit floats go through float32 as kernels do."""
    with np.errstate(all="ignore"):
        if dtype.is_small_float:
            exact = exact.astype(np.float32)
        return exact.astype(to_numpy(dtype))


def same_bits(got: Array, expected: Array) -> Array:
    """Return where elements are equal, zeros with the same sign, NaN equal to NaN."""
    with np.errstate(all="ignore"):
        wide, other = got.astype(np.float64), expected.astype(np.float64)
    equal = (wide == other) & (np.signbit(wide) == np.signbit(other))
    both: Array = equal | (np.isnan(wide) & np.isnan(other))
    return both


def check_reduction(
    entry: Reduction, array: Array, axes: tuple[int, ...], dtype: DType, got: Array
) -> None:
    """Fail unless ``got`` is the fold of an array over axes, kept with extent 1."""
    result = entry.result(dtype)
    assert got.dtype == to_numpy(result), f"dtype {got.dtype}, expected {result.name}"
    wide = array.astype(np.float64) if dtype.is_floating_point else array
    with np.errstate(all="ignore"):
        exact = np.asarray(entry.reference(np, wide, axes))
    assert got.shape == exact.shape, f"shape {got.shape}, expected {exact.shape}"
    length = int(np.prod([array.shape[axis] for axis in axes]))
    where = f"over axes {axes} of {array.shape}"
    if not result.is_floating_point:
        _require(got == exact.astype(got.dtype), got, exact, [], where)
        return
    match combine_instruction(entry, dtype):
        case Instruction.ADD:
            magnitudes = np.abs(wide).sum(axis=axes, keepdims=True)
            bound = tolerance.sum_bound(magnitudes, length, result)
        case Instruction.MUL:
            bound = tolerance.product_bound(exact, length, result)
        case _:
            _require(same_bits(got, round_once(exact, result)), got, exact, [], where)
            return
    if result is dtypes.float64:
        bound = 2 * bound  # the reference is such a fold itself
    with np.errstate(all="ignore"):
        difference = np.abs(got.astype(np.longdouble) - exact)
    both_nan = np.isnan(got.astype(np.float64)) & np.isnan(exact)
    infinite = np.isinf(exact) & (got.astype(np.float64) == exact)
    _require((difference <= bound) | both_nan | infinite, got, exact, [], where)


def _require(good: Array, got: Array, exact: Array, operands: list[Array], where: str) -> None:
    if np.all(good):
        return
    bad = np.argwhere(~np.atleast_1d(good))
    lines = [f"{where}: {len(bad)} of {got.size} elements are wrong"]
    for position in bad[:5]:
        index = tuple(position) if got.ndim else ()
        given = [str(np.broadcast_to(operand, got.shape)[index]) for operand in operands]
        lines.append(f"  at {index}: ({', '.join(given)}) -> {got[index]}, exact {exact[index]}")
    raise AssertionError("\n".join(lines))
