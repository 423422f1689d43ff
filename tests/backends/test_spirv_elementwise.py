"""Elementwise kernels on a Vulkan device against the interpreter, bit for bit."""

from collections.abc import Callable

import numpy as np
import pytest
from spirv_support import (
    FULL,
    NARROW,
    at,
    buffer,
    check,
    compile_valid,
    kernel,
    numpy_dtype,
    scalar,
    size,
)

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import DeviceError
from pumice.kernel.ir import (
    INDEX,
    FaultCode,
    If,
    Let,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.runtime.vulkan import VulkanRuntime, program

pytestmark = pytest.mark.vulkan
F32 = dtypes.float32
INTEGERS = [each for each in dtypes.ALL if each.is_integral]


@pytest.fixture(params=["narrow", "wide"])
def vulkan_runtime(
    request: pytest.FixtureRequest, vulkan_runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch
) -> VulkanRuntime:
    """The device, with kernels in 32-bit and in 64-bit index arithmetic."""
    if request.param == "wide":
        monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    return vulkan_runtime


RANDOM = np.random.default_rng(0)


def sample(dtype: DType, count: int = 256) -> np.ndarray:
    """Return values of a type: every bit pattern kind, extremes and special values."""
    kind = numpy_dtype(dtype)
    if dtype is dtypes.bool_:
        return RANDOM.integers(0, 2, count).astype(bool)
    if dtype.is_integral:
        raw = RANDOM.integers(0, 256, count * dtype.itemsize, np.uint8).view(kind).copy()
        information = np.iinfo(kind)
        raw[:4] = information.min, information.max, 0, 1
        if dtype.is_signed:
            raw[4] = -1
        raw[8:64] = (RANDOM.integers(-9, 9, 56)).astype(kind)
        return raw
    values = RANDOM.normal(size=count) * 10.0 ** RANDOM.integers(-3, 6, count)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5]
    limits = [2.0**exponent for exponent in (7, 8, 15, 16, 31, 32, 53, 63, 64)]
    edges = [sign * limit + step for limit in limits for sign in (1, -1) for step in (0, 1, -0.5)]
    values[: len(special)] = special
    values[len(special) : len(special) + len(edges)] = edges
    with np.errstate(over="ignore"):
        return values.astype(kind)


def apply(
    runtime: VulkanRuntime,
    build: Callable[..., list[Value]],
    *operands: np.ndarray,
) -> None:
    """Run a kernel that stores each of ``build(a[i], b[i] ...)``; compare with the interpreter."""
    n, i = size("n"), Variable("i")
    names = {numpy_dtype(each): each for each in dtypes.ALL}
    inputs = [buffer(f"a{k}", names[each.dtype]) for k, each in enumerate(operands)]
    values = build(*(load(each, at(i)) for each in inputs))
    outputs = [buffer(f"out{k}", each.dtype, writable=True) for k, each in enumerate(values)]
    stores = [Store(out, at(i), each) for out, each in zip(outputs, values, strict=True)]
    code = kernel((*inputs, *outputs, n), [(i, at(n))], *stores)
    count = operands[0].size
    zeros = [np.zeros(count, numpy_dtype(out.dtype)) for out in outputs]
    check(runtime, code, [*operands, *zeros, count])


@pytest.mark.parametrize("source", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_casts(vulkan_runtime: VulkanRuntime, source: DType) -> None:
    apply(vulkan_runtime, lambda a: [a.cast(to) for to in dtypes.ALL], sample(source))


def test_float_casts_near_the_limits_of_half(vulkan_runtime: VulkanRuntime) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    apply(vulkan_runtime, lambda a: [a.cast(F32)], every)
    around = every.astype(np.float32)
    with np.errstate(invalid="ignore"):
        next_one = np.nextafter(around, np.float32(np.inf))
        scaled = around * np.float32(1.00048828125)  # halfway to the next half
    inputs = np.concatenate([around, next_one, scaled, np.float32([65519.99, 65520.0])])
    inputs = inputs[(np.abs(inputs) >= 2.0**-126) | (inputs == 0) | np.isnan(inputs)]
    small = (dtypes.float16, dtypes.bfloat16)
    apply(vulkan_runtime, lambda a: [a.cast(to) for to in small], inputs)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.name)
def test_integer_arithmetic(vulkan_runtime: VulkanRuntime, dtype: DType) -> None:
    a, b = sample(dtype), sample(dtype)[::-1].copy()
    b[:16] = np.resize(sample(dtype)[:5], 16)

    def everything(x: Value, y: Value) -> list[Value]:
        count = y & (dtype.bits - 1)
        parts = [x + y, x - y, x * y, -x, x & y, x | y, x ^ y, ~x, x << count, x >> count]
        parts += [x.quotient(y), x.modulus(y), x.quotient(3), x.modulus(7), x.absolute()]
        parts += [x.eq(y).select(x, y), x.ne(y).select(x, y), (x < y).select(x, y)]
        parts += [(x <= y).select(x, y)]
        if dtype in (dtypes.uint32, dtypes.uint64):
            parts.append(x.high_product(y))
        return parts

    apply(vulkan_runtime, everything, a, b)


@pytest.mark.parametrize("dtype", dtypes.FLOATS, ids=lambda dtype: dtype.name)
def test_float_arithmetic(vulkan_runtime: VulkanRuntime, dtype: DType) -> None:
    a, b = sample(dtype), sample(dtype)[::-1].copy()

    def everything(x: Value, y: Value) -> list[Value]:
        parts = [x + y, x - y, x * y, x / y, -x, x.absolute(), x.absolute().square_root()]
        parts += [x.floor(), x.ceil(), x.truncate(), x.round_even()]
        parts += [x.eq(y).select(x, y), x.ne(y).select(x, y), (x < y).select(x, y)]
        return [*parts, (x <= y).select(x, y), x.eq(x).select(x, 0.0)]

    apply(vulkan_runtime, everything, a, b)


def test_multiply_add_has_one_or_two_roundings(vulkan_runtime: VulkanRuntime) -> None:
    a, b, c = (RANDOM.normal(size=500).astype(np.float32) for _ in range(3))
    n, i, out = size("n"), Variable("i"), buffer("out", F32, writable=True)
    inputs = [buffer(name, F32) for name in "abc"]
    x, y, z = (load(each, at(i)) for each in inputs)
    code = kernel((*inputs, out, n), [(i, at(n))], Store(out, at(i), x.multiply_add(y, z)))
    (*_, result, _) = check(vulkan_runtime, code, [a, b, c, np.zeros(500, np.float32), 500], False)
    once = (a.astype(np.float64) * b + c).astype(np.float32)
    assert ((result == once) | (result == a * b + c)).all()


def test_bools(vulkan_runtime: VulkanRuntime) -> None:
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    apply(
        vulkan_runtime,
        lambda x, y: [x & y, x | y, x ^ y, ~x, x.eq(y), x.ne(y), x < y, x <= y],
        a,
        b,
    )


@pytest.mark.parametrize("pair", [("float16", "uint16"), ("bfloat16", "int16")])
def test_bitcasts_of_16_bits(vulkan_runtime: VulkanRuntime, pair: tuple[str, str]) -> None:
    floating, integer = (dtypes.BY_NAME[name] for name in pair)
    every = np.arange(1 << 16, dtype=np.uint16).view(numpy_dtype(integer))
    numbers = every[~np.isnan(every.view(numpy_dtype(floating)).astype(np.float32))]
    apply(vulkan_runtime, lambda a: [a.bitcast(floating)], numbers)
    values = numbers.view(numpy_dtype(floating))
    apply(vulkan_runtime, lambda a: [a.bitcast(integer)], values)


@pytest.mark.parametrize(
    "pair", [("float32", "int32"), ("float64", "uint64"), ("uint8", "int8"), ("int64", "float64")]
)
def test_bitcasts(vulkan_runtime: VulkanRuntime, pair: tuple[str, str]) -> None:
    source, target = (dtypes.BY_NAME[name] for name in pair)
    apply(vulkan_runtime, lambda a: [a.bitcast(target)], sample(source))


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 7), (2, 1, 130), (4, 64, 1)])
def test_broadcast_over_three_axes(
    vulkan_runtime: VulkanRuntime, shape: tuple[int, int, int]
) -> None:
    a, b, out = buffer("a", F32), buffer("b", F32), buffer("out", F32, writable=True)
    extents = [size(f"n{axis}") for axis in range(3)]
    strides = [size(f"s{axis}") for axis in range(3)]
    i, j, k = variables = [Variable(name) for name in "ijk"]
    flat = (at(i) * at(extents[1]) + at(j)) * at(extents[2]) + at(k)
    place = index(0)
    for variable, stride in zip(variables, strides, strict=True):
        place = place + at(variable) * at(stride)
    code = kernel(
        (a, b, out, *extents, *strides),
        [(variable, at(extent)) for variable, extent in zip(variables, extents, strict=True)],
        Store(out, flat, load(a, flat) + load(b, place)),
    )
    x = RANDOM.normal(size=shape).astype(np.float32)
    y = RANDOM.normal(size=shape[2]).astype(np.float32)
    zeros = np.zeros(x.size, np.float32)
    result = check(vulkan_runtime, code, [x.ravel(), y, zeros, *shape, 0, 0, 1])[2]
    np.testing.assert_array_equal(result.reshape(shape), x + y)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_scalar_parameters(vulkan_runtime: VulkanRuntime, dtype: DType) -> None:
    number, out, n, i = scalar("s", dtype), buffer("out", dtype, True), size("n"), Variable("i")
    code = kernel((number, out, n), [(i, at(n))], Store(out, at(i), at(number)))
    for value in sample(dtype, 128)[:12]:
        check(vulkan_runtime, code, [value, np.zeros(3, numpy_dtype(dtype)), 3])


def test_masked_loads_and_stores(vulkan_runtime: VulkanRuntime) -> None:
    a, out = buffer("a", dtypes.bfloat16), buffer("out", dtypes.bfloat16, writable=True)
    before, length, n, i = size("before"), size("length"), size("n"), Variable("i")
    source = at(i) - at(before)
    inside = (source >= 0) & (source < at(length))
    even = (at(i) & 1).eq(0)
    store = Store(out, at(i), load(a, source, inside) + 1.0, even)
    code = kernel((a, out, before, length, n), [(i, at(n))], store)
    data = RANDOM.normal(size=40).astype(numpy_dtype(dtypes.bfloat16))
    check(vulkan_runtime, code, [data, np.full(100, 7, data.dtype), 30, 40, 100])


def test_if_and_let(vulkan_runtime: VulkanRuntime) -> None:
    a, n, i = buffer("a", F32, writable=True), size("n"), Variable("i")
    old = load(a, at(i))
    code = kernel(
        (a, n),
        [(i, at(n))],
        Let(old),
        Store(a, at(i), constant(1.0, F32)),
        If(old < 0.0, (Store(a, at(i), old * 2.0),)),
    )
    check(vulkan_runtime, code, [RANDOM.normal(size=77).astype(np.float32), 77])


def test_more_words_than_push_constants_hold(vulkan_runtime: VulkanRuntime) -> None:
    inputs = [buffer(f"a{number}", F32) for number in range(20)]
    out, n, i = buffer("out", F32, writable=True), size("n"), Variable("i")
    total = constant(0.0, F32)
    for each in inputs:
        total = total + load(each, at(i))
    code = kernel((*inputs, out, n), [(i, at(n))], Store(out, at(i), total))
    arrays = [RANDOM.normal(size=100).astype(np.float32) for _ in inputs]
    check(vulkan_runtime, code, [*arrays, np.zeros(100, np.float32), 100])


@pytest.mark.parametrize("bad", [None, -3, 10])
def test_faults(vulkan_runtime: VulkanRuntime, bad: int | None) -> None:
    table, ids, out = buffer("table", F32), buffer("ids", dtypes.int64), buffer("out", F32, True)
    n, length, fault, i = (
        size("n"),
        size("length"),
        buffer("fault", dtypes.int64, True),
        Variable("i"),
    )
    wanted = load(ids, at(i)).cast(INDEX)
    wrong = (wanted < 0) | (wanted >= at(length))
    safe = wanted.fail_if(wrong, FaultCode.INDEX_OUT_OF_RANGE.value)
    code = kernel(
        (table, ids, out, n, length, fault),
        [(i, at(n))],
        Store(out, at(i), load(table, safe, ~wrong)),
        faults=True,
    )
    places = RANDOM.integers(0, 10, 200)
    if bad is not None:
        places[123] = bad
    data = RANDOM.normal(size=10).astype(np.float32)
    zeros = np.zeros(200, np.float32)
    results = check(vulkan_runtime, code, [data, places, zeros, 200, 10, np.zeros(2, np.int64)])
    expected = [0, 0] if bad is None else [FaultCode.INDEX_OUT_OF_RANGE.value, bad]
    assert results[-1].tolist() == expected


def test_an_empty_grid_does_nothing(vulkan_runtime: VulkanRuntime) -> None:
    out, n, i = buffer("out", F32, writable=True), size("n"), Variable("i")
    code = kernel((out, n), [(i, at(n))], Store(out, at(i), constant(1.0, F32)))
    result = check(vulkan_runtime, code, [np.zeros(4, np.float32), 0])[0]
    assert not result.any()


def test_a_kernel_without_a_grid_runs_once(vulkan_runtime: VulkanRuntime) -> None:
    out = buffer("out", dtypes.int32, writable=True)
    code = kernel((out,), [], Store(out, index(0), load(out, index(0)) + 1))
    assert check(vulkan_runtime, code, [np.array([41], np.int32)])[0].tolist() == [42]


def test_a_missing_feature_is_named() -> None:
    out, n, i = buffer("out", dtypes.float64, writable=True), size("n"), Variable("i")
    code = kernel((out, n), [(i, at(n))], Store(out, at(i), constant(1.0, dtypes.float64)))
    compile_valid(code, FULL)
    with pytest.raises(DeviceError, match=r"lacks 64-bit floats \(shaderFloat64\)"):
        compile_valid(code, NARROW)


def test_equal_kernels_have_equal_keys() -> None:
    def build(number: float) -> object:
        out, n, i = buffer("out", F32, writable=True), size("n"), Variable("i")
        return kernel((out, n), [(i, at(n))], Store(out, at(i), constant(number, F32)))

    first, again, other = (compile_valid(build(each), FULL) for each in (1.0, 1.0, 2.0))
    assert first.key == again.key != other.key
    assert first.code == again.code
