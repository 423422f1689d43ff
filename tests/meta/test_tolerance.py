"""The measure of errors is itself measured: a tolerance that accepts everything tests nothing."""

from dataclasses import replace

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Samples, registry
from pumice.ops.reduction import AMAX, SUM
from pumice.testing import cases, tolerance
from pumice.testing.expect import check_elementwise, check_reduction

NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64], ids=repr)
def test_spacing_is_numpys(dtype: DType) -> None:
    limits = np.finfo(to_numpy(dtype))
    values = [1.0, 1.999, -3.5, 1e10, 1e-30, 0.0, limits.tiny, limits.tiny / 4, limits.max / 2]
    array = np.array(values, to_numpy(dtype))
    expected = np.abs(np.spacing(array))
    np.testing.assert_array_equal(tolerance.spacing(array, dtype).astype(array.dtype), expected)


@pytest.mark.parametrize("dtype", dtypes.FLOATS, ids=repr)
def test_neighbours_are_one_unit_apart(dtype: DType) -> None:
    one = np.ones(1, to_numpy(dtype))
    next_up = (one.astype(np.float64) + 2.0**-dtype.mantissa).astype(to_numpy(dtype))
    assert tolerance.ulp_error(next_up, one, dtype) == 1.0
    assert tolerance.ulp_error(one, one, dtype) == 0.0


@pytest.mark.parametrize(
    ("got", "exact", "error"),
    [
        (NAN, NAN, 0.0),
        (NAN, 1.0, INFINITY),
        (1.0, NAN, INFINITY),
        (INFINITY, INFINITY, 0.0),
        (-INFINITY, INFINITY, INFINITY),
        (3.4028235e38, INFINITY, INFINITY),
        (INFINITY, 3.4028235e38, 1.0),
        (0.0, -0.0, INFINITY),
        (-0.0, -0.0, 0.0),
        (1e-45, 0.0, 1.0),
    ],
)
def test_special_values(got: float, exact: float, error: float) -> None:
    result = tolerance.ulp_error(np.float32([got]), np.float32([exact]), dtypes.float32)
    assert result == error


def test_one_wrong_element_is_found_and_shown() -> None:
    entry = next(iter(registry.elementwise()))
    dtype = next(each for each in dtypes.ALL if cases.accepts(entry, each))
    operands = cases.ordinary_operands(entry, dtype, [(cases.COUNT,)] * entry.arity)
    with np.errstate(all="ignore"):
        right = np.asarray(entry.reference(np, *operands))
    result = to_numpy(entry.result_dtype(entry.computation_dtype(dtype)))
    wrong = right.astype(result)
    check_elementwise(entry, dtype, operands, wrong)
    wrong[17] = ~wrong[17] if result.kind == "b" else wrong[17] + 1
    with pytest.raises(AssertionError, match=r"1 of 517 elements are wrong\n  at \(.*17"):
        check_elementwise(entry, dtype, operands, wrong, entry.name)


def test_promised_accuracy_is_the_limit() -> None:
    some = next(entry for entry in registry.elementwise() if entry.samples.ulp)
    strict = replace(some, samples=Samples(domain=some.samples.domain, ulp=1))
    operands = cases.ordinary_operands(strict, dtypes.float32, [(9,)] * strict.arity)
    wide = [operand.astype(np.float64) for operand in operands]
    right = np.asarray(strict.reference(np, *wide)).astype(np.float32)
    check_elementwise(strict, dtypes.float32, operands, right)
    right[3] += 2 * np.spacing(right[3])
    with pytest.raises(AssertionError, match="allowed 1"):
        check_elementwise(strict, dtypes.float32, operands, right)


def test_a_sum_that_loses_one_element_is_found() -> None:
    array = cases.draw(cases.generator("sum"), dtypes.float32, (4097,), 0.8, 1.2)
    right = array.astype(np.float64).sum(keepdims=True).astype(np.float32)
    check_reduction(SUM, array, (0,), dtypes.float32, right)
    with pytest.raises(AssertionError, match="wrong"):
        check_reduction(SUM, array, (0,), dtypes.float32, right - array[0])


def test_extremes_are_exact() -> None:
    array = np.float32([[1.0, 2.0, 3.0]])
    check_reduction(AMAX, array, (1,), dtypes.float32, np.float32([[3.0]]))
    with pytest.raises(AssertionError, match="wrong"):
        check_reduction(
            AMAX,
            array,
            (1,),
            dtypes.float32,
            np.nextafter(np.float32([[3.0]]), np.inf, dtype=np.float32),
        )
