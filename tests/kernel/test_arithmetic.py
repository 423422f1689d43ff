"""Scalar instructions against Python's exact arithmetic and PyTorch's conversions."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.arithmetic import Array, cast, evaluate, numpy_dtype
from pumice.kernel.ir import Instruction

INTEGERS = [dtype for dtype in dtypes.ALL if dtype.is_integral]
UNSIGNED = [dtypes.uint32, dtypes.uint64]


def limits(dtype: DType) -> tuple[int, int]:
    information = np.iinfo(numpy_dtype(dtype))
    return int(information.min), int(information.max)


def wrapped(number: int, dtype: DType) -> int:
    low, _ = limits(dtype)
    return (number - low) % (1 << dtype.bits) + low


def samples(dtype: DType) -> list[int]:
    low, high = limits(dtype)
    some = {0, 1, 2, 3, 7, 100, high, high - 1, high // 3, low, low + 1, low // 3}
    some |= {-1, -2, -7} if low else set()
    return sorted(some)


def pairs(dtype: DType) -> tuple[list[int], list[int]]:
    numbers = samples(dtype)
    return [x for x in numbers for _ in numbers], [y for _ in numbers for y in numbers]


def run(instruction: Instruction, dtype: DType, *operands: list[Any], result: Any = None) -> Array:
    arrays = [np.array(operand, numpy_dtype(dtype)) for operand in operands]
    with np.errstate(all="ignore"):
        return np.asarray(evaluate(instruction, result or dtype, arrays, dtype))


# -- integers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    ("instruction", "exact"),
    [
        (Instruction.ADD, lambda x, y: x + y),
        (Instruction.SUB, lambda x, y: x - y),
        (Instruction.MUL, lambda x, y: x * y),
        (Instruction.AND, lambda x, y: x & y),
        (Instruction.OR, lambda x, y: x | y),
        (Instruction.XOR, lambda x, y: x ^ y),
    ],
)
def test_integers_wrap(dtype: DType, instruction: Instruction, exact: Any) -> None:
    x, y = pairs(dtype)
    got = run(instruction, dtype, x, y)
    assert got.dtype == numpy_dtype(dtype)
    assert got.tolist() == [wrapped(exact(a, b), dtype) for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_is_toward_zero(dtype: DType) -> None:
    x, y = pairs(dtype)
    quotients = run(Instruction.QUOTIENT, dtype, x, y).tolist()
    remainders = run(Instruction.MODULUS, dtype, x, y).tolist()
    for a, b, quotient, remainder in zip(x, y, quotients, remainders, strict=True):
        if b == 0:
            assert (quotient, remainder) == (0, a)
            continue
        exact = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        assert quotient == wrapped(exact, dtype)
        assert remainder == a - exact * b


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_high_product(dtype: DType) -> None:
    x, y = pairs(dtype)
    got = run(Instruction.HIGH_PRODUCT, dtype, x, y).tolist()
    assert got == [a * b >> dtype.bits for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype: DType) -> None:
    numbers, counts = samples(dtype), [0, 1, 3, dtype.bits - 1]
    x = [number for number in numbers for _ in counts]
    y = [count for _ in numbers for count in counts]
    left = run(Instruction.SHL, dtype, x, y).tolist()
    right = run(Instruction.SHR, dtype, x, y).tolist()
    assert left == [wrapped(a << b, dtype) for a, b in zip(x, y, strict=True)]
    assert right == [a >> b for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_signs(dtype: DType) -> None:
    x = samples(dtype)
    assert run(Instruction.NEG, dtype, x).tolist() == [wrapped(-a, dtype) for a in x]
    assert run(Instruction.ABS, dtype, x).tolist() == [wrapped(abs(a), dtype) for a in x]
    assert run(Instruction.NOT, dtype, x).tolist() == [wrapped(~a, dtype) for a in x]


def test_bool_operations() -> None:
    x, y = [False, False, True, True], [False, True, False, True]
    assert run(Instruction.AND, dtypes.bool_, x, y).tolist() == [False, False, False, True]
    assert run(Instruction.OR, dtypes.bool_, x, y).tolist() == [False, True, True, True]
    assert run(Instruction.XOR, dtypes.bool_, x, y).tolist() == [False, True, True, False]
    assert run(Instruction.NOT, dtypes.bool_, x).tolist() == [True, True, False, False]


# -- floats -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.FLOATS)
def test_float_arithmetic_rounds_once(dtype: DType) -> None:
    torch_type = getattr(torch, dtype.name)
    x = torch.tensor([1.0, 0.1, -3.5, 1e4, 0.0, -0.0, math.inf, math.nan, 6e-8], dtype=torch_type)
    y = torch.tensor([3.0, 0.7, 1e-3, 7.0, -0.0, 0.0, -math.inf, 1.0, 0.3], dtype=torch_type)
    first, second = x.double().tolist(), y.double().tolist()
    for instruction, function in (
        (Instruction.ADD, torch.add),
        (Instruction.SUB, torch.sub),
        (Instruction.MUL, torch.mul),
        (Instruction.DIV, torch.div),
    ):
        got = run(instruction, dtype, first, second)
        np.testing.assert_array_equal(got.astype(np.float64), function(x, y).double().numpy())
        assert got.dtype == numpy_dtype(dtype)


@pytest.mark.parametrize("dtype", dtypes.FLOATS)
def test_rounding_keeps_signs_and_ties_to_even(dtype: DType) -> None:
    x = [0.5, 1.5, 2.5, -0.5, -1.5, -0.0, 0.25, -0.25, math.inf, math.nan]
    expected = {
        Instruction.ROUND_EVEN: [0.0, 2.0, 2.0, -0.0, -2.0, -0.0, 0.0, -0.0, math.inf, math.nan],
        Instruction.FLOOR: [0.0, 1.0, 2.0, -1.0, -2.0, -0.0, 0.0, -1.0, math.inf, math.nan],
        Instruction.CEIL: [1.0, 2.0, 3.0, -0.0, -1.0, -0.0, 1.0, -0.0, math.inf, math.nan],
        Instruction.TRUNCATE: [0.0, 1.0, 2.0, -0.0, -1.0, -0.0, 0.0, -0.0, math.inf, math.nan],
        Instruction.ABS: [0.5, 1.5, 2.5, 0.5, 1.5, 0.0, 0.25, 0.25, math.inf, math.nan],
    }
    for instruction, values in expected.items():
        got = run(instruction, dtype, x).astype(np.float64).tolist()
        for one, other in zip(got, values, strict=True):
            same = one == other and math.copysign(1, one) == math.copysign(1, other)
            assert same or (math.isnan(one) and math.isnan(other)), instruction


@pytest.mark.parametrize("dtype", dtypes.FLOATS)
def test_negation_flips_the_sign_bit_of_everything(dtype: DType) -> None:
    bits = f"u{dtype.itemsize}"
    x = np.array([0.0, -0.0, 1.0, math.inf, math.nan], numpy_dtype(dtype))
    got = evaluate(Instruction.NEG, dtype, [x], dtype)
    flipped = x.view(bits) ^ np.array(1 << (dtype.bits - 1), bits)
    assert got.view(bits).tolist() == flipped.tolist()


def test_multiply_add_rounds_twice() -> None:
    x = [1.0 + 2.0**-12]
    got = run(Instruction.MULTIPLY_ADD, dtypes.float32, x, x, [-(1.0 + 2.0**-11)])
    assert got.tolist() == [0.0]


def test_what_a_product_loses() -> None:
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    y = x[::-1].copy()
    got = evaluate(Instruction.PRODUCT_ERROR, dtypes.float32, [x, y, x * y], dtypes.float32)
    exact = x.astype(np.float64) * y
    np.testing.assert_array_equal(got, (exact - x * y).astype(np.float32))


@pytest.mark.parametrize("dtype", dtypes.FLOATS)
def test_comparisons_are_ordered_except_not_equal(dtype: DType) -> None:
    x, y = [math.nan, 1.0, -0.0, 2.0], [math.nan, math.nan, 0.0, 1.0]
    table = {
        Instruction.EQ: [False, False, True, False],
        Instruction.NE: [True, True, False, True],
        Instruction.LT: [False, False, False, False],
        Instruction.LE: [False, False, True, False],
    }
    for instruction, expected in table.items():
        got = run(instruction, dtype, x, y, result=dtypes.bool_)
        assert got.tolist() == expected


def test_bitcast_keeps_bits() -> None:
    assert run(Instruction.BITCAST, dtypes.float32, [-0.0], result=dtypes.uint32).tolist() == [
        0x80000000
    ]
    assert run(Instruction.BITCAST, dtypes.int16, [0x3F80], result=dtypes.bfloat16) == 1.0
    assert run(Instruction.BITCAST, dtypes.int64, [-1], result=dtypes.uint64) == (1 << 64) - 1


# -- conversions ------------------------------------------------------------------------------

FINITE = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 100.7, 255.0, 256.0, 300.0, -1.0, -129.0, -300.0]
LARGE = [70000.0, -70000.0, 2.0**31 - 128, -(2.0**31)]
OUTSIDE = [math.nan, math.inf, -math.inf, 2.0**31, 1e10, -1e10, 2.0**63, -1e19, 1e19, 1e30]


def by_torch(numbers: list[float], source: DType, target: DType) -> tuple[Array, list[Any]]:
    tensor = torch.tensor(numbers, dtype=torch.float64).to(getattr(torch, source.name))
    array = np.array(tensor.double().tolist(), numpy_dtype(source))
    return array, tensor.to(getattr(torch, target.name)).tolist()


@pytest.mark.parametrize("source", dtypes.FLOATS)
@pytest.mark.parametrize("target", INTEGERS)
def test_floats_to_integers_as_torch(source: DType, target: DType) -> None:
    numbers = FINITE + (LARGE if source.itemsize > 2 else [])
    # Torch's answers outside the 32-bit range depend on the position in the array for narrow
    # types and uint32; the rule for those is tested below.
    if target in (dtypes.int32, dtypes.int64, dtypes.uint64):
        numbers = numbers + OUTSIDE
    array, expected = by_torch(numbers, source, target)
    with np.errstate(all="ignore"):
        assert cast(array, source, target).tolist() == expected


@pytest.mark.parametrize("source", [dtypes.float32, dtypes.float64])
@pytest.mark.parametrize("target", [dtypes.uint8, dtypes.int8, dtypes.uint16, dtypes.int16])
def test_far_floats_to_narrow_integers_are_zero(source: DType, target: DType) -> None:
    array = np.array(OUTSIDE, numpy_dtype(source))
    with np.errstate(all="ignore"):
        assert cast(array, source, target).tolist() == [0] * len(OUTSIDE)


@pytest.mark.parametrize(
    ("target", "expected"),
    [(dtypes.uint8, 5), (dtypes.int8, 0), (dtypes.uint16, 0), (dtypes.int16, 0)],
)
def test_narrow_integers_take_the_low_bits_of_a_wider_one(target: DType, expected: int) -> None:
    far = 2.0**32 + 5
    assert cast(np.array([far]), dtypes.float64, target).tolist() == [expected]
    torch_type = getattr(torch, target.name)
    assert torch.tensor([far], dtype=torch.float64).to(torch_type).tolist() == [expected]


@pytest.mark.parametrize("source", [dtypes.float32, dtypes.float64])
def test_floats_to_uint32_go_through_int64(source: DType) -> None:
    array = np.array([-1.0, 3e9, 2.0**32, 1e10, -1e10, math.nan, math.inf], numpy_dtype(source))
    with np.errstate(all="ignore"):
        got = cast(array, source, dtypes.uint32).tolist()
    assert got == [2**32 - 1, 3_000_000_000, 0, 10**10 % 2**32, -(10**10) % 2**32, 0, 0]


@pytest.mark.parametrize("source", dtypes.ALL)
@pytest.mark.parametrize("target", dtypes.ALL)
def test_ordinary_conversions_as_torch(source: DType, target: DType) -> None:
    numbers = [0, 1, 2, 100] if source.kind.value < 2 else [0, 1, -1, 2, 100, -100]
    tensor = torch.tensor(numbers).to(getattr(torch, source.name))
    array = np.array(tensor.double().tolist()).astype(numpy_dtype(source))
    expected = tensor.to(getattr(torch, target.name))
    got = cast(array, source, target)
    assert got.dtype == numpy_dtype(target)
    assert got.astype(np.float64).tolist() == expected.double().tolist()


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integers_wrap_when_converted(source: DType, target: DType) -> None:
    numbers = samples(source)
    got = cast(np.array(numbers, numpy_dtype(source)), source, target)
    assert got.tolist() == [wrapped(number, target) for number in numbers]


@pytest.mark.parametrize("target", dtypes.FLOATS)
def test_to_float_rounds_as_torch(target: DType) -> None:
    wide = [1 + 2**-11 + 2**-40, 1 + 2**-8 + 2**-40, 1 + 2**-24 + 2**-40, 0.1, 1e300, 65520.0]
    whole = [2**24 + 1, 2**53 + 1, 2**40 + 2**32 + 1, 2**63 - 1, -(2**63), 65519, 257]
    torch_type = getattr(torch, target.name)
    with np.errstate(all="ignore"):
        floats = cast(np.array(wide), dtypes.float64, target).astype(np.float64)
        integers = cast(np.array(whole), dtypes.int64, target).astype(np.float64)
    assert floats.tolist() == torch.tensor(wide, dtype=torch.float64).to(torch_type).tolist()
    assert integers.tolist() == torch.tensor(whole).to(torch_type).tolist()


def test_anything_but_zero_is_true() -> None:
    numbers = np.array([0.0, -0.0, math.nan, 1e-45], np.float32)
    assert cast(numbers, dtypes.float32, dtypes.bool_).tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    ("dtype", "exponents"),
    [
        (dtypes.float32, [0, 1, -1, 127, 128, 200, -126, -140, -149, -150, -151]),
        (dtypes.float64, [0, 5, -1022, -1060, -1074, -1075, 1023, 1024]),
    ],
)
def test_scaling_rounds_once(dtype: DType, exponents: list[int]) -> None:
    numbers = [1.0, 0.7071067, 1.4142135, -1.0, 0.75000006, 4.0, 0.25, math.nan]
    x = [number for number in numbers for _ in exponents]
    n = [exponent for _ in numbers for exponent in exponents]
    values = np.array(x, numpy_dtype(dtype))
    with np.errstate(all="ignore"):
        got = evaluate(Instruction.SCALE, dtype, [values, np.array(n, values.dtype)], dtype)
        exact = np.ldexp(values.astype(np.longdouble), np.array(n)).astype(values.dtype)
    np.testing.assert_array_equal(got, exact)
