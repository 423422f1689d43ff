"""Reductions, row programs, scans and matrix products on a Vulkan device."""

from dataclasses import replace

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
    lanes,
    numpy_dtype,
    serial,
    size,
)

from pumice import dtypes
from pumice.backends.spirv import workgroup
from pumice.backends.spirv.width import space_words
from pumice.dtypes import DType
from pumice.errors import DeviceError, InternalError
from pumice.kernel.ir import (
    Carry,
    FaultCode,
    Fold,
    If,
    Kernel,
    Loop,
    LoopKind,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.passes.pipeline import optimise
from pumice.runtime.vulkan import VulkanRuntime, program
from pumice.target import Target

pytestmark = pytest.mark.vulkan
F32 = dtypes.float32


@pytest.fixture(params=["narrow", "wide", "halving", "subgroups"])
def vulkan_runtime(
    request: pytest.FixtureRequest, vulkan_runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch
) -> VulkanRuntime:
    """The device, with kernels in 32-bit and 64-bit index arithmetic and all ways to join lanes."""
    match request.param:
        case "wide":
            monkeypatch.setattr(program, "NARROW_LIMIT", 1)
        case "halving":
            monkeypatch.setattr(workgroup, "MOST_WRITTEN_OUT", 0)
        case "subgroups":
            monkeypatch.setattr(vulkan_runtime, "_target", with_subgroups(vulkan_runtime.target))
    return vulkan_runtime


def with_subgroups(target: Target) -> Target:
    """Return a target whose lanes exchange values in subgroups, if they have the size for it."""
    found = target.limits | {"software": 0, "subgroup": 8}
    return replace(target, limits=found)


RANDOM = np.random.default_rng(1)
LENGTHS = [0, 1, 3, 63, 64, 65, 200, 1000]


def add(x: tuple[Value, ...], y: tuple[Value, ...]) -> tuple[Value, ...]:
    return (x[0] + y[0],)


def greater(x: tuple[Value, ...], y: tuple[Value, ...]) -> tuple[Value, ...]:
    return ((x[0] < y[0]).select(y[0], x[0]),)


def row_sum(dtype: DType = F32) -> Kernel:
    a, out = buffer("a", dtype), buffer("out", dtype, writable=True)
    rows, columns, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    total = Carry("total", dtype, constant(0, dtype))
    element = load(a, at(i) * at(columns) + at(j))
    loop = lanes(j, at(columns), folds=[Fold((total,), (total.now + element,), add)])
    store = Store(out, at(i), total.result)
    return kernel((a, out, rows, columns), [(i, at(rows))], loop, store)


@pytest.mark.parametrize("length", LENGTHS)
def test_row_sum(vulkan_runtime: VulkanRuntime, length: int) -> None:
    data = RANDOM.normal(size=5 * max(length, 1)).astype(np.float32)
    check(vulkan_runtime, row_sum(), [data, np.zeros(5, np.float32), 5, length])


@pytest.mark.parametrize("name", ["float64", "int64", "int32", "uint8", "float16", "bfloat16"])
def test_row_sum_of_other_types(vulkan_runtime: VulkanRuntime, name: str) -> None:
    dtype = dtypes.BY_NAME[name]
    data = (RANDOM.normal(size=3 * 333) * 40).astype(numpy_dtype(dtype))
    check(vulkan_runtime, row_sum(dtype), [data, np.zeros(3, data.dtype), 3, 333])


def argmax() -> Kernel:
    a, out, n = buffer("a", F32), buffer("out", dtypes.int64, writable=True), size("n")
    j = Variable("j")
    best = Carry("best", F32, constant(float("-inf"), F32))
    place = Carry("place", dtypes.int64, constant((1 << 63) - 1, dtypes.int64))

    def better(x: tuple[Value, ...], y: tuple[Value, ...]) -> tuple[Value, ...]:
        first = (y[0] < x[0]) | (x[0].eq(y[0]) & (x[1] < y[1]))
        return first.select(x[0], y[0]), first.select(x[1], y[1])

    new = better((best.now, place.now), (load(a, at(j)), at(j).cast(dtypes.int64)))
    loop = lanes(j, at(n), folds=[Fold((best, place), new, better)])
    return kernel((a, out, n), [], loop, Store(out, index(0), place.result))


@pytest.mark.parametrize("length", LENGTHS[1:])
def test_argmax_takes_the_first(vulkan_runtime: VulkanRuntime, length: int) -> None:
    data = RANDOM.integers(0, 5, length).astype(np.float32)
    result = check(vulkan_runtime, argmax(), [data, np.zeros(1, np.int64), length])[1]
    assert result[0] == np.argmax(data)


def normalise() -> Kernel:
    """A row program: the row less its maximum, over the sum of that; the result is read back."""
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    rows, columns, i = size("m"), size("n"), Variable("i")
    j, k, last = Variable("j"), Variable("k"), Variable("l")
    row = at(i) * at(columns)
    most = Carry("most", F32, constant(float("-inf"), F32))
    total = Carry("total", F32, constant(0.0, F32))
    first = lanes(
        j,
        at(columns),
        folds=[Fold((most,), greater((most.now,), (load(a, row + at(j)),)), greater)],
    )
    shifted = load(a, row + at(k)) - most.result
    second = lanes(
        k,
        at(columns),
        Store(out, row + at(k), shifted),
        folds=[Fold((total,), (total.now + shifted,), add)],
    )
    kept = load(out, row + at(last))
    third = lanes(last, at(columns), Store(out, row + at(last), kept / total.result))
    return kernel((a, out, rows, columns), [(i, at(rows))], first, second, third)


@pytest.mark.parametrize("length", [1, 64, 100, 1000])
def test_row_program(vulkan_runtime: VulkanRuntime, length: int) -> None:
    code = normalise()
    data = RANDOM.normal(size=4 * length).astype(np.float32)
    check(vulkan_runtime, code, [data, np.zeros(data.size, np.float32), 4, length])


def test_lanes_read_what_other_lanes_wrote(vulkan_runtime: VulkanRuntime) -> None:
    a, scratch = buffer("a", F32), buffer("scratch", F32, writable=True)
    out, rows, columns = buffer("out", F32, writable=True), size("m"), size("n")
    i, j, k = Variable("i"), Variable("j"), Variable("k")
    row = at(i) * at(columns)
    first = lanes(j, at(columns), Store(scratch, row + at(j), load(a, row + at(j)) * 2.0))
    mirrored = load(scratch, row + (at(columns) - 1 - at(k)))
    second = lanes(k, at(columns), Store(out, row + at(k), mirrored))
    code = kernel((a, scratch, out, rows, columns), [(i, at(rows))], first, second)
    data = RANDOM.normal(size=3 * 777).astype(np.float32)
    zeros = np.zeros(data.size, np.float32)
    result = check(vulkan_runtime, code, [data, zeros, zeros, 3, 777])[2]
    np.testing.assert_array_equal(result.reshape(3, 777), data.reshape(3, 777)[:, ::-1] * 2)


def test_uniform_stores_are_seen_by_all_lanes(vulkan_runtime: VulkanRuntime) -> None:
    a, state = buffer("a", F32), buffer("state", F32, writable=True)
    rows, columns, i = size("m"), size("n"), Variable("i")
    step, j = Variable("s"), Variable("j")
    total = Carry("total", F32, constant(0.0, F32))
    element = load(a, at(j)) * load(state, at(i))
    inner = lanes(j, at(columns), folds=[Fold((total,), (total.now + element,), add)])
    loop = serial(step, index(4), inner, Store(state, at(i), total.result * 0.01))
    code = kernel((a, state, rows, columns), [(i, at(rows))], loop)
    data = RANDOM.normal(size=150).astype(np.float32)
    check(vulkan_runtime, code, [data, np.ones(9, np.float32), 9, 150])


def test_two_folds_and_a_fold_inside_if(vulkan_runtime: VulkanRuntime) -> None:
    a, flags = buffer("a", F32), buffer("flags", dtypes.bool_)
    out, rows, columns = buffer("out", F32, writable=True), size("m"), size("n")
    i, j = Variable("i"), Variable("j")
    element = load(a, at(i) * at(columns) + at(j))
    total = Carry("total", F32, constant(0.0, F32))
    most = Carry("most", F32, constant(float("-inf"), F32))
    some = Carry("some", dtypes.bool_, constant(False, dtypes.bool_))
    folds = [
        Fold((total,), (total.now + element,), add),
        Fold((most,), greater((most.now,), (element,)), greater),
        Fold((some,), (some.now | (element < 0.0),), lambda x, y: (x[0] | y[0],)),
    ]
    loop = lanes(j, at(columns), folds=folds)
    value = some.result.select(total.result + most.result, 0.0)
    body = If(load(flags, at(i)), (loop, Store(out, at(i), value)))
    code = kernel((a, flags, out, rows, columns), [(i, at(rows))], body)
    data = RANDOM.normal(size=20 * 90).astype(np.float32)
    chosen = RANDOM.integers(0, 2, 20).astype(bool)
    check(vulkan_runtime, code, [data, chosen, np.zeros(20, np.float32), 20, 90])


def test_column_sum_is_serial_in_each_item(vulkan_runtime: VulkanRuntime) -> None:
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    rows, columns, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    total = Carry("total", F32, constant(0.0, F32))
    element = load(a, at(i) * at(columns) + at(j))
    loop = serial(i, at(rows), folds=[Fold((total,), (total.now + element,))])
    store = Store(out, at(j), total.result)
    code = kernel((a, out, rows, columns), [(j, at(columns))], loop, store)
    data = RANDOM.normal(size=37 * 70).astype(np.float32)
    check(vulkan_runtime, code, [data, np.zeros(70, np.float32), 37, 70])


def test_running_sum(vulkan_runtime: VulkanRuntime) -> None:
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    rows, columns, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    place = at(i) * at(columns) + at(j)
    total = Carry("total", F32, constant(0.0, F32))
    following = total.now + load(a, place)
    loop = serial(
        j, at(columns), Store(out, place, following), folds=[Fold((total,), (following,))]
    )
    code = kernel((a, out, rows, columns), [(i, at(rows))], loop)
    data = RANDOM.normal(size=5 * 33).astype(np.float32)
    check(vulkan_runtime, code, [data, np.zeros(data.size, np.float32), 5, 33])


def test_serial_loops_inside_lanes(vulkan_runtime: VulkanRuntime) -> None:
    """A sum over two axes: lanes on one, each lane a serial loop on the other."""
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    rows, columns, j, k = size("m"), size("n"), Variable("j"), Variable("k")
    inner = Carry("inner", F32, constant(0.0, F32))
    outer = Carry("outer", F32, constant(0.0, F32))
    element = load(a, at(j) * at(columns) + at(k))
    nested = serial(k, at(columns), folds=[Fold((inner,), (inner.now + element,))])
    fold = Fold((outer,), (outer.now + inner.result,), add)
    loop = lanes(j, at(rows), nested, folds=[fold])
    code = kernel((a, out, rows, columns), [], loop, Store(out, index(0), outer.result))
    data = RANDOM.normal(size=130 * 7).astype(np.float32)
    check(vulkan_runtime, code, [data, np.zeros(1, np.float32), 130, 7])


def test_faults_in_a_workgroup(vulkan_runtime: VulkanRuntime) -> None:
    a, out, n = buffer("a", dtypes.int32), buffer("out", dtypes.int32, True), size("n")
    fault, j = buffer("fault", dtypes.int64, True), Variable("j")
    value = load(a, at(j))
    safe = value.fail_if(value < 0, FaultCode.DIVISION_BY_ZERO.value)
    total = Carry("total", dtypes.int32, constant(0, dtypes.int32))
    loop = lanes(j, at(n), folds=[Fold((total,), (total.now + safe,), add)])
    code = kernel((a, out, n, fault), [], loop, Store(out, index(0), total.result), faults=True)
    data = np.arange(300, dtype=np.int32)
    data[222] = -5
    results = check(vulkan_runtime, code, [data, np.zeros(1, np.int32), 300, np.zeros(2, np.int64)])
    assert results[-1].tolist() == [1, -5]


@pytest.mark.parametrize("target", [FULL, NARROW], ids=["full", "narrow"])
def test_modules_are_valid_for_any_target(target: object) -> None:
    for code in (row_sum(), normalise()):
        compile_valid(code, target)


@pytest.mark.parametrize("length", [1, 65, 1000])
def test_without_optional_features(length: int) -> None:
    """Row programs on a device without 64-bit integers and floats."""
    runtime = VulkanRuntime(validation=True, without=("shaderInt64", "shaderFloat64"))
    data = RANDOM.normal(size=4 * length).astype(np.float32)
    check(runtime, normalise(), [data, np.zeros(data.size, np.float32), 4, length])
    check(
        runtime,
        row_sum(dtypes.float16),
        [data.astype(np.float16), data[:4].astype(np.float16), 4, length],
    )
    runtime.close()


def test_too_many_carries_are_refused() -> None:
    a, out, n, j = buffer("a", F32), buffer("out", F32, writable=True), size("n"), Variable("j")
    carries = [Carry(f"c{k}", F32, constant(0.0, F32)) for k in range(40)]
    folds = [Fold((carry,), (carry.now + load(a, at(j)),), add) for carry in carries]
    code = kernel((a, out, n), [], lanes(j, at(n), folds=folds))
    with pytest.raises(DeviceError, match="needs 16896 bytes of shared memory, and workgroups"):
        compile_valid(code, FULL)


def test_nested_lanes_are_refused() -> None:
    a, out, n = buffer("a", F32), buffer("out", F32, writable=True), size("n")
    i, j = Variable("i"), Variable("j")
    total = Carry("total", F32, constant(0.0, F32))
    inner = lanes(j, at(n), folds=[Fold((total,), (total.now + load(a, at(j)),), add)])
    code = kernel((a, out, n), [], lanes(i, at(n), inner, Store(out, at(i), total.result)))
    with pytest.raises(InternalError):
        compile_valid(code, FULL)


def piece_sums(kind: str) -> Kernel:
    """``out[v] = sum of a[v * chunk:][:chunk]``, the last piece shorter."""
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    pieces, chunk, n, v, j = size("pieces"), size("chunk"), size("n"), Variable("v"), Variable("j")
    begin = at(v) * at(chunk)
    end, rest = begin + at(chunk), at(n) - begin
    whole = at(chunk) < rest
    start, stop, place = {
        "places": (begin, (end < at(n)).select(end, at(n)), at(j)),
        "counted": (index(0), whole.select(at(chunk), rest), begin + at(j)),
        "shifted": (at(v) + begin, at(v) + (end < at(n)).select(end, at(n)), at(j) - at(v)),
        "halves": (index(0), whole.select(at(chunk), rest).quotient(index(2)), begin + at(j)),
    }[kind]
    total = Carry("total", F32, constant(0, F32))
    fold = Fold((total,), (total.now + load(a, place),))
    loop = Loop(j, start, stop, LoopKind.SERIAL, (), (fold,))
    return kernel(
        (a, out, pieces, chunk, n), [(v, at(pieces))], loop, Store(out, at(v), total.result)
    )


@pytest.mark.parametrize("kind", ["places", "counted", "shifted", "halves"])
def test_pieces_of_rows_need_no_wide_arithmetic(vulkan_runtime: VulkanRuntime, kind: str) -> None:
    code = optimise(piece_sums(kind))
    assert space_words(code) == (3,)
    data = RANDOM.integers(-9, 9, 1003).astype(np.float32)
    check(vulkan_runtime, code, [data, np.zeros(11, np.float32), 11, 100, 1003])


def test_an_extent_that_is_loaded_is_wide() -> None:
    a, lengths = buffer("a", F32), buffer("lengths", dtypes.int64)
    n, i, j = size("n"), Variable("i"), Variable("j")
    place = at(i) * at(n) + at(j)
    store = Store(a, place.quotient(at(n)), constant(0, F32))
    loop = serial(j, load(lengths, at(i)).cast(at(n).dtype), store)
    assert space_words(kernel((a, lengths, n), [(i, at(n))], loop)) is None


def test_no_size_of_a_subgroup_is_assumed() -> None:
    """Subgroups of 8 to 128 run the same module; smaller ones exchange through memory."""

    def module(size: int, code: Kernel) -> bytes:
        target = replace(FULL, limits=FULL.limits | {"subgroup": size})
        return compile_valid(code, target).code

    for code in (row_sum(), argmax()):
        shuffled = {module(size, code) for size in (8, 16, 32, 64, 128)}
        plain = {module(size, code) for size in (0, 1, 4)}
        assert len(shuffled) == len(plain) == 1 and shuffled != plain
