"""Mathematical functions against mpmath: at most 2 units in the last place (design D5).

Arguments are random bit patterns over the whole domain, ordinary values and special values; the
meaning is evaluated with `multiply_add` rounding once and twice, since backends may do either.
"""

import importlib.util
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.ops.definition import Elementwise, registry

TOOL = Path(__file__).resolve().parents[2] / "tools" / "measure_accuracy.py"
_spec = importlib.util.spec_from_file_location("measure_accuracy", TOOL)
assert _spec is not None and _spec.loader is not None
accuracy = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(accuracy)

FLOATS = (dtypes.float32, dtypes.float64)
COUNT = 10
WIDE_COUNT = 1500


def entry_of(name: str) -> Elementwise:
    entry: Any = registry[name]
    assert isinstance(entry, Elementwise)
    return entry


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", list(accuracy.MPMATH))
def test_error_against_mpmath(name: str, dtype: DType) -> None:
    manner = accuracy.Manner(COUNT, seed=7)
    [(worst, where)] = accuracy.measure(name, dtype, manner)
    assert worst <= 2.0, f"{name} {dtype.name}: {worst:.3f} ulp at {where}"


@pytest.mark.parametrize("fused", [False, True], ids=["rounded twice", "rounded once"])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", list(accuracy.QUICK))
def test_error_against_a_wider_type(name: str, dtype: DType, fused: bool) -> None:
    if dtype is dtypes.float64 and np.finfo(np.longdouble).nmant <= 52:
        dtype = dtypes.float32  # this platform has no wider type
    manner = accuracy.Manner(WIDE_COUNT, quick=True, fused=fused, seed=11)
    [(worst, where)] = accuracy.measure(name, dtype, manner)
    assert worst <= 2.0, f"{name} {dtype.name}: {worst:.3f} ulp at {where}"


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_float_remainders_are_exact(dtype: DType) -> None:
    entry = entry_of("fmod")
    x, y = accuracy.arguments(entry, dtype, 150, 3)
    got = accuracy.run(entry, dtype, [x, y])
    floored = accuracy.run(entry_of("remainder"), dtype, [x, y])
    for i in range(len(x)):
        a, b = float(x[i]), float(y[i])
        if not math.isfinite(a) or math.isnan(b) or b == 0:
            assert math.isnan(got[i]) and math.isnan(floored[i])
            continue
        if math.isinf(b):
            assert got[i] == a
            continue
        exact = abs(Fraction(a)) % abs(Fraction(b)) * (-1 if a < 0 else 1)
        assert Fraction(float(got[i])) == exact, (a, b)
        wanted = Fraction(a) % Fraction(b)
        assert floored[i] == x.dtype.type(float(wanted)) or dtype is dtypes.float32, (a, b)
        assert abs(Fraction(float(floored[i])) - wanted) <= abs(wanted) * Fraction(1, 2**23)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_floor_divide_is_the_floor_of_the_real_quotient(dtype: DType) -> None:
    entry = entry_of("floor_divide")
    x, y = accuracy.arguments(entry, dtype, 300, 5)
    got = accuracy.run(entry, dtype, [x, y])
    checked = 0
    for a, b, result in zip(x.tolist(), y.tolist(), got.tolist(), strict=True):
        if not (math.isfinite(a) and math.isfinite(b)) or b == 0:
            continue
        exact = Fraction(a) // Fraction(b)
        if abs(exact) < 2 ** (dtype.mantissa + 1):
            assert result == exact, (a, b)
            checked += 1
    assert checked > 500


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_floor_divide_special_values(dtype: DType) -> None:
    inf, nan = math.inf, math.nan
    kind = accuracy.numpy_dtype(dtype)
    x = np.array([1.0, inf, -1.0, 1.0, -1.0, 0.0, 1.0, nan, 0.0, -0.0, 1.0], kind)
    y = np.array([0.1, 2.0, inf, 0.0, 0.0, 0.0, nan, 1.0, -1.0, inf, -inf], kind)
    got = accuracy.run(entry_of("floor_divide"), dtype, [x, y])
    first = 9.0 if dtype is dtypes.float64 else math.floor(Fraction(1) / Fraction(float(y[0])))
    wanted = np.array([first, nan, -1.0, inf, -inf, nan, nan, nan, -0.0, -0.0, -1.0], kind)
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(np.signbit(got[8:10]), [True, True])


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_power_has_the_special_cases_of_c(dtype: DType) -> None:
    values = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 2.5, 1e30, -1e30, 1e-30]
    values += [math.inf, -math.inf, math.nan]
    grid = np.array(values, accuracy.numpy_dtype(dtype))
    x, y = (part.ravel() for part in np.meshgrid(grid, grid))
    got = accuracy.run(entry_of("pow"), dtype, [x, y])
    with np.errstate(all="ignore"):
        wanted = np.power(x.astype(np.longdouble), y.astype(np.longdouble)).astype(x.dtype)
    np.testing.assert_allclose(got, wanted, rtol=4 * float(np.finfo(x.dtype).eps), atol=0)
    real = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(got[real]), np.signbit(wanted[real]))


@pytest.mark.parametrize("name", ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_odd_functions_keep_the_sign_of_zero(name: str, dtype: DType) -> None:
    zeros = np.array([0.0, -0.0], accuracy.numpy_dtype(dtype))
    for odd in (name, "expm1", "log1p", "erf"):
        got = accuracy.run(entry_of(odd), dtype, [zeros])
        np.testing.assert_array_equal(got, [0.0, 0.0])
        np.testing.assert_array_equal(np.signbit(got), [False, True])


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_integer_power_wraps(dtype: DType) -> None:
    if not dtype.is_integral:
        return
    kind = accuracy.numpy_dtype(dtype)
    bases = np.array([0, 1, 2, 3, 5, 7, np.iinfo(kind).max, np.iinfo(kind).min], kind)
    exponents = np.array([0, 1, 2, 3, 13, 64, 100, np.iinfo(kind).max], kind)
    x, y = (part.ravel() for part in np.meshgrid(bases, exponents))
    got = accuracy.run(entry_of("pow"), dtype, [x, y])
    modulus = 1 << dtype.bits
    for a, b, result in zip(x.tolist(), y.tolist(), got.tolist(), strict=True):
        assert result % modulus == pow(a, b, modulus), (a, b)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_nextafter_steps_one_bit(dtype: DType) -> None:
    entry = entry_of("nextafter")
    x, y = accuracy.arguments(entry, dtype, 200, 9)
    got = accuracy.run(entry, dtype, [x, y])
    with np.errstate(all="ignore"):
        wanted = np.nextafter(x, y)
    np.testing.assert_array_equal(got, wanted)
