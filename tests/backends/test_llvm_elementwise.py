"""Scalar instructions as vectors and scalars, bit for bit the interpreter's results."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.backends.llvm.function import module_text
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import (
    FaultCode,
    Instruction,
    LoopKind,
    Store,
    Value,
    Variable,
    constant,
    load,
)
from pumice.kernel.ir import Loop as IrLoop
from pumice.kernel.ir import index as ir_index
from tests.backends.llvm_support import TARGETS, at, buffer, check, kernel, numpy_dtype, size

INTEGERS = [d for d in dtypes.ALL if d.is_integral]
TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())


def map_kernel(result: DType, sources: list[DType], function, kind=LoopKind.LANES, faults=False):
    """Return ``out[i] = function(a[i], b[i] ...)`` over one axis."""
    inputs = [buffer(f"a{k}", dtype) for k, dtype in enumerate(sources)]
    out, n, i = buffer("out", result, writable=True), size("n"), Variable("i")
    value = function(*[load(source, at(i)) for source in inputs])
    loop = IrLoop(i, ir_index(0), at(n), kind, (Store(out, at(i), value),))
    parameters = [*inputs, out, n]
    if faults:
        parameters.append(buffer("fault", dtypes.int64, writable=True))
    return kernel(parameters, [], loop, faults=faults)


def sample(dtype: DType, count: int, seed: int = 0):
    random = np.random.default_rng(seed)
    kind = numpy_dtype(dtype)
    if dtype.is_floating_point:
        values = random.standard_normal(count) * 10.0 ** random.integers(-6, 6, count)
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 2.5, 0.5, 6e-8, 65520.0, 1e-40]
        values[: len(special)] = special
        with np.errstate(all="ignore"):
            return values.astype(kind)
    if dtype is dtypes.bool_:
        return random.integers(0, 2, count).astype(bool)
    information = np.iinfo(kind)
    values = random.integers(information.min, information.max, count, kind, endpoint=True)
    values[:4] = [information.min, information.max, 0, 1]
    return values


@TARGET
@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64], ids=repr)
def test_float_instructions(dtype, kind, target):
    def everything(x: Value, y: Value) -> Value:
        total = x + y * 2.0 - x / (y + 3.0)
        total = total + x.absolute().square_root() + (-x).floor() + x.ceil() * y.truncate()
        total = total + (x * 0.5).round_even()
        return (x < y).select(total, x) + (x.eq(y) | (y <= x)).select(y, total)

    code = map_kernel(dtype, [dtype, dtype], everything, kind)
    a, b = sample(dtype, 101), sample(dtype, 101, 1)[::-1].copy()
    check(code, [a, b, np.zeros(101, a.dtype), 101], target)


@TARGET
@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
def test_what_a_product_loses(kind, target):
    """Exactly, with an instruction for it or without."""
    f32 = dtypes.float32
    code = map_kernel(f32, [f32, f32], lambda x, y: x.product_error(y, x * y), kind)
    a, b = (np.random.default_rng(seed).standard_normal(101).astype(np.float32) for seed in (0, 1))
    found = check(code, [a, b, np.zeros(101, np.float32), 101], target)
    exact = a.astype(np.float64) * b - (a * b).astype(np.float64)
    np.testing.assert_array_equal(found[2], exact.astype(np.float32))


@TARGET
@pytest.mark.parametrize("choose", [lambda c, x: c.select(0.0, x), lambda c, x: c.select(x, 0.0)])
def test_choices_of_zero(choose, target):
    """The same comparison chooses twice, once where its value is used again."""

    def chosen(x: Value, y: Value) -> Value:
        return choose(x < y, x * 2.0) + choose(x < y, y) + choose(x <= y, x)

    f32 = dtypes.float32
    a, b = sample(f32, 101), sample(f32, 101, 1)[::-1].copy()
    check(map_kernel(f32, [f32, f32], chosen), [a, b, np.zeros(101, np.float32), 101], target)


@TARGET
@pytest.mark.parametrize("dtype", INTEGERS, ids=repr)
def test_integer_instructions(dtype, target):
    def everything(x: Value, y: Value) -> Value:
        wrapped = (x + y) * 3 - (-x) + x.absolute()
        bits = (x & y) ^ (x | (~y))
        moved = (x << 3) + (y >> 2)
        extra = (x <= y).select(x.const(1), 0)
        return (x < y).select(wrapped, bits) + (x.ne(y)).select(moved, bits) - extra

    code = map_kernel(dtype, [dtype, dtype], everything)
    check(
        code,
        [sample(dtype, 203), sample(dtype, 203, 2), np.zeros(203, numpy_dtype(dtype)), 203],
        target,
    )


@TARGET
@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
@pytest.mark.parametrize("dtype", INTEGERS, ids=repr)
def test_division_is_exact(dtype, kind, target):
    def divide(x: Value, y: Value) -> Value:
        bad = y.eq(0) | (y.eq(-1) if dtype.is_signed else y.eq(0))
        guarded = bad.select(1, y)
        return x.quotient(guarded) ^ (x.modulus(guarded) << 1)

    code = map_kernel(dtype, [dtype, dtype], divide, kind)
    x, y = sample(dtype, 501), sample(dtype, 501, 3)
    y[50:300] >>= y.dtype.type(dtype.bits // 2)
    y[300:] = np.random.default_rng(4).integers(1, 100, 201).astype(y.dtype)
    x[400:] = (x[400:] // y[400:]) * y[400:] - x.dtype.type(1)
    if dtype.bits == 64:  # a stretch of small numbers, which takes the quick way
        x[100:300] >>= x.dtype.type(13)
    check(code, [x, y, np.zeros(501, x.dtype), 501], target)


@TARGET
def test_index_division_in_lanes(target):
    """Addresses taken apart in lanes, with a run-time extent known outside the loop."""
    out, n, m, i = buffer("o", dtypes.int64, True), size("n"), size("m"), Variable("i")
    row, column = at(i).quotient(at(m)), at(i).modulus(at(m))
    code = kernel(
        [out, n, m],
        [],
        IrLoop(
            i,
            ir_index(0),
            at(n),
            LoopKind.LANES,
            (Store(out, at(i), (row * 1000 + column).cast(dtypes.int64)),),
        ),
    )
    for count, width in ((100, 7), (64, 1), (33, 100), (0, 0)):
        result = check(code, [np.zeros(count, np.int64), count, width], target)[0]
        if count:
            expected = np.arange(count) // width * 1000 + np.arange(count) % width
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
@pytest.mark.parametrize("dtype", [dtypes.uint32, dtypes.uint64], ids=repr)
def test_high_product(dtype, kind):
    code = map_kernel(dtype, [dtype, dtype], lambda x, y: x.high_product(y), kind)
    x, y = sample(dtype, 77), sample(dtype, 77, 5)
    result = check(code, [x, y, np.zeros(77, x.dtype), 77])[2]
    assert int(result[1]) == int(x[1]) * int(y[1]) >> dtype.bits


@TARGET
@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16], ids=repr)
def test_small_floats_round_after_every_instruction(dtype, target):
    def some(x: Value, y: Value) -> Value:
        return (x < y).select(x * y, x + y)

    code = map_kernel(dtype, [dtype, dtype], some)
    a, b = sample(dtype, 99), sample(dtype, 99, 1)
    check(code, [a, b, np.zeros(99, a.dtype), 99], target)


@TARGET
def test_multiply_add(target):
    code = map_kernel(dtypes.float32, [dtypes.float32] * 3, lambda x, y, z: x.multiply_add(y, z))
    random = np.random.default_rng(0)
    a, b, c = (random.standard_normal(65).astype(np.float32) for _ in range(3))
    check(code, [a, b, c, np.zeros(65, np.float32), 65], target, exact=False)


@TARGET
@pytest.mark.parametrize(
    ("source", "result"),
    [
        (dtypes.float32, dtypes.int32),
        (dtypes.int64, dtypes.float64),
        (dtypes.float16, dtypes.int16),
        (dtypes.uint16, dtypes.bfloat16),
    ],
    ids=repr,
)
def test_bitcast(source, result, target):
    code = map_kernel(result, [source], lambda x: x.bitcast(result))
    check(code, [sample(source, 70), np.zeros(70, numpy_dtype(result)), 70], target)


@TARGET
def test_bool_logic(target):
    code = map_kernel(
        dtypes.bool_, [dtypes.bool_] * 2, lambda x, y: ((x & ~y) | (x ^ y)).select(x < y, x.eq(y))
    )
    a, b = sample(dtypes.bool_, 300), sample(dtypes.bool_, 300, 1)
    check(code, [a, b, np.zeros(300, bool), 300], target)


@TARGET
@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
@pytest.mark.parametrize("count", [5, 64, 70])
def test_fault_names_a_failing_value(count, kind, target):
    def guarded(x: Value, y: Value) -> Value:
        return x.quotient(y.eq(0).select(1, y)).fail_if(y.eq(0), FaultCode.DIVISION_BY_ZERO.value)

    code = map_kernel(dtypes.int32, [dtypes.int32] * 2, guarded, kind, faults=True)
    x = np.arange(100, 100 + count, dtype=np.int32)
    y = np.ones(count, np.int32)
    out = np.zeros(count, np.int32)
    clean = check(code, [x, y, out, count, np.zeros(2, np.int64)], target)[-1]
    assert clean.tolist() == [0, 0]
    y[count - 2] = 0
    fault = check(code, [x, y, out, count, np.zeros(2, np.int64)], target)[-1]
    assert fault.tolist() == [FaultCode.DIVISION_BY_ZERO.value, 100 + count - 2]


def test_deep_expressions_do_not_recurse():
    def chain(x: Value) -> Value:
        for step in range(5000):
            x = x + float(step % 7)
        return x

    code = map_kernel(dtypes.float32, [dtypes.float32], chain)
    check(code, [np.ones(3, np.float32), np.zeros(3, np.float32), 3])


def test_constants_of_every_dtype():
    for dtype in dtypes.ALL:
        values = {"bool": [True, False]}.get(dtype.name) or [0, 1, 100]
        if dtype.is_floating_point:
            values = [0.1, -3.0, float("inf"), float("nan"), 65504.0, 1e-7]
        for number in values:
            code = map_kernel(
                dtype, [dtype], lambda x, n=number, d=dtype: (x.eq(x)).select(constant(n, d), x)
            )
            count = 20
            a = np.zeros(count, numpy_dtype(dtype))
            check(code, [a, a.copy(), count])


def test_instruction_outside_its_scope_is_an_internal_error():
    stray = Value(Instruction.VARIABLE, ir_index(0).dtype, (), Variable("stray"))
    out = buffer("out", dtypes.float32, writable=True)
    code = kernel([out], [], Store(out, stray, constant(1.0, dtypes.float32)))
    with pytest.raises(InternalError, match="VARIABLE used outside its scope"):
        module_text(code, TARGETS["host"], "stray")


@TARGET
@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64], ids=["float32", "float64"])
def test_scaling_by_powers_of_two(dtype, kind, target):
    code = map_kernel(dtype, [dtype, dtype], lambda x, n: x.scaled(n), kind)
    lowest = -1080 if dtype is dtypes.float64 else -155
    exponents = np.arange(lowest, -lowest, 1).astype(numpy_dtype(dtype))
    near_one = 0.25 + 3.75 * np.random.default_rng(3).random(exponents.size)
    near_one[::7] *= -1
    near_one[::31] = np.nan
    values = near_one.astype(numpy_dtype(dtype))
    check(code, [values, exponents, np.zeros_like(values), values.size], target)


@TARGET
@pytest.mark.parametrize("kind", [LoopKind.LANES, LoopKind.SERIAL])
def test_what_is_rarely_chosen(kind, target):
    """Nested, shared with what is always computed, and wanted by no, one or all elements."""
    wide = dtypes.float64

    def function(x, y):
        shared = x * y + 1.0
        inner = (y > 90.0).rarely(shared * shared - y, x)
        return (x > 90.0).rarely(shared / y + inner, shared) + (y > 50.0).rarely(inner, y)

    code = map_kernel(wide, [wide, wide], function, kind)
    random = np.random.default_rng(1)
    for bounds in ((0.0, 50.0), (0.0, 100.0), (91.0, 100.0)):
        x, y = (random.uniform(*bounds, 203) for _ in range(2))
        check(code, [x, y, np.zeros(203), 203], target)
