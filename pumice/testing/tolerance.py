"""How far a correct result may lie from the exact one. Nothing else in the tests decides that.

Three kinds of result exist.

- Integers, bool and selected elements: no error at all.
- Elementwise functions of floats: an entry promises ``Samples.ulp`` units in the last place of
  the type it computes in. The 16-bit floats compute in float32 and round once more.
- Sums and products of many terms: each of the n - 1 additions rounds by at most half a unit of
  the accumulation type. In the worst case these errors add up to (n - 1) u times the sum of
  magnitudes; independent errors grow with the square root (Higham and Mary, 2019: the factor
  lambda sqrt(n) fails with probability 2 n exp(-lambda^2 / 2), below 1e-6 for lambda = 6 and
  the lengths tested). The smaller of the two is the bound, whatever the order of summation.
"""

from math import sqrt
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from pumice.dtypes import DType, accumulation_dtype, float32
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Elementwise

Array = NDArray[Any]

REFERENCE_ULP = 1.0
"""Error granted to NumPy's own float64 function where it has none of higher precision."""

_LAMBDA = 6.0


def limits_of(dtype: DType) -> Any:
    """Return the ``finfo`` of a floating dtype."""
    finfo: Any = ml_dtypes.finfo  # its constructor has no types
    return finfo(to_numpy(dtype))


def unit_roundoff(dtype: DType) -> float:
    """Return the largest relative error of one rounding."""
    return 2.0 ** -(dtype.mantissa + 1)


def spacing(exact: Array, dtype: DType) -> Array:
    """Return the distance between neighbours of a floating dtype around each exact value."""
    limits = limits_of(dtype)
    magnitude = np.abs(exact.astype(np.longdouble))
    finite = np.where(np.isfinite(magnitude), magnitude, np.longdouble(1))
    _, exponent = np.frexp(finite)
    exponent = np.where(finite == 0, int(limits.minexp), exponent - 1)
    exponent = np.clip(exponent, int(limits.minexp), int(limits.maxexp) - 1)
    result: Array = np.ldexp(np.longdouble(1), exponent - dtype.mantissa)
    return result


def ulp_error(got: Array, exact: Array, dtype: DType) -> Array:
    """Return the error of each element in units in the last place, infinite where it is wrong.

    Where the exact value is NaN or infinite the result must be so too. A value beyond the range
    counts as the next number after the largest.
    """
    limits = limits_of(dtype)
    wide = got.astype(np.longdouble)
    exact = exact.astype(np.longdouble)
    ceiling = min(
        np.ldexp(np.longdouble(1), int(limits.maxexp)), np.longdouble(np.finfo(np.longdouble).max)
    )
    with np.errstate(all="ignore"):
        difference = np.abs(np.clip(wide, -ceiling, ceiling) - np.clip(exact, -ceiling, ceiling))
        error: Array = difference / spacing(exact, dtype)
    special = ~np.isfinite(exact)
    same = (np.isnan(wide) & np.isnan(exact)) | (wide == exact)
    error = np.where(special | np.isnan(wide), np.where(same, 0.0, np.inf), error)
    sign_of_zero = (exact == 0) & (wide == 0) & (np.signbit(wide) != np.signbit(exact))
    return np.where(sign_of_zero, np.inf, error)


def elementwise_ulp(entry: Elementwise, dtype: DType) -> float:
    """Return the error an entry may have in units in the last place of its result's dtype.

    0 means that the result is the exact value rounded once.
    """
    if not dtype.is_small_float or not entry.samples.ulp:
        return float(entry.samples.ulp)
    return 0.5 + entry.samples.ulp * 2.0 ** (dtype.mantissa - float32.mantissa)


def accumulated_roundings(length: int) -> float:
    """Return how many units of roundoff a fold of ``length`` terms may lose."""
    return min(max(length - 1, 0), _LAMBDA * sqrt(length))


def sum_bound(magnitudes: Array, length: int, dtype: DType) -> Array:
    """Return the absolute error of sums of ``length`` terms.

    Parameters
    ----------
    magnitudes : array
        For each sum, the sum of the magnitudes of its terms.
    length : int
        Terms of each sum.
    dtype : DType
        Dtype of the result; it is accumulated in `accumulation_dtype`.
    """
    wide = magnitudes.astype(np.longdouble)
    bound = accumulated_roundings(length) * unit_roundoff(accumulation_dtype(dtype)) * wide
    return bound + _final_rounding(wide, dtype)


def product_bound(exact: Array, length: int, dtype: DType) -> Array:
    """Return the absolute error of products of ``length`` factors without under- or overflow."""
    wide = np.abs(exact.astype(np.longdouble))
    relative = accumulated_roundings(length) * unit_roundoff(accumulation_dtype(dtype))
    return relative * (1 + relative) * wide + _final_rounding(wide, dtype)


def _final_rounding(wide: Array, dtype: DType) -> Array:
    """Return the error of rounding an accumulator of another dtype to the result."""
    if accumulation_dtype(dtype) is dtype:
        return np.zeros_like(wide)
    return 0.5 * spacing(wide, dtype)
