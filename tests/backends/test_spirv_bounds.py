"""Kernels that compare every access with the bounds of its buffer (`Target.checks_access`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from spirv_support import (
    FULL,
    NARROW,
    at,
    buffer,
    compile_valid,
    kernel,
    lanes,
    numpy_dtype,
    run_kernel,
    same_bits,
    scalar,
    serial,
    size,
)

from pumice import dtypes
from pumice.backends.spirv import SpirvBackend
from pumice.dtypes import DType
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.ir import (
    Carry,
    Contract,
    FaultCode,
    Fold,
    Instruction,
    Kernel,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.walk import bounded_buffers
from pumice.runtime.vulkan import VulkanRuntime, program
from pumice.target import BUFFER_SHIFT, Access, ProductTile, Target

pytestmark = pytest.mark.vulkan
F32 = dtypes.float32
RANDOM = np.random.default_rng(3)
Held = Mapping[str, tuple[int, int]]
Outside = tuple[str, str, int]


def checking(target: Target, **limits: int) -> Target:
    return replace(target, limits=target.limits | {"check_access": 1} | limits)


@pytest.fixture
def checked(vulkan_runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch) -> VulkanRuntime:
    """The device, its kernels with checks."""
    monkeypatch.setattr(vulkan_runtime, "_target", checking(vulkan_runtime.target))
    return vulkan_runtime


@pytest.fixture(params=["narrow", "wide"])
def both_widths(
    request: pytest.FixtureRequest, checked: VulkanRuntime, monkeypatch: pytest.MonkeyPatch
) -> VulkanRuntime:
    """The same in 32-bit and 64-bit index arithmetic."""
    if request.param == "wide":
        monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    return checked


def run(
    runtime: VulkanRuntime, code: Kernel, arguments: Sequence[Any], held: Held | None = None
) -> tuple[list[Any], Outside | None]:
    """Return the arguments after a run, and what was outside: access, buffer and element.

    `held` are first element and number of elements of buffers that do not hold all they are.
    """
    words: list[int] = []
    given = dict(zip(code.parameters, arguments, strict=True))
    for each in bounded_buffers(code):
        words += (held or {}).get(each.name, (0, given[each].size))
    record = runtime.allocate(16)
    runtime.write(record, 0, memoryview(bytearray(16)))
    results = run_kernel(runtime, code, arguments, behind=[*words, record.address])
    number, element = np.frombuffer(runtime.read(record, 0, 16), np.int64).tolist()
    assert runtime.validation_messages() == []
    if number == 0:
        return results, None
    access = Access(number & ((1 << BUFFER_SHIFT) - 1))
    return results, (access.name, code.parameters[number >> BUFFER_SHIFT].name, element)


def agrees(runtime: VulkanRuntime, code: Kernel, arguments: Sequence[Any]) -> None:
    """Check that accesses inside of buffers do what they do without checks."""
    expected = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    interpret_kernel(code, expected, runtime.target.lanes)
    found, outside = run(runtime, code, arguments)
    assert outside is None
    for one, other in zip(found, expected, strict=True):
        if isinstance(one, np.ndarray):
            same_bits(one, other)


def is_among(outside: Outside | None, access: str, name: str, elements: range) -> bool:
    return outside is not None and outside[:2] == (access, name) and outside[2] in elements


def values(dtype: DType, count: int) -> np.ndarray:
    if dtype is dtypes.bool_:
        return RANDOM.integers(0, 2, count).astype(bool)
    return (RANDOM.normal(size=count) * 50).astype(numpy_dtype(dtype))


def copy(dtype: DType = F32) -> Kernel:
    """``out[i] = a[i]``."""
    a, out = buffer("a", dtype), buffer("out", dtype, writable=True)
    n, i = size("n"), Variable("i")
    return kernel((a, out, n), [(i, at(n))], Store(out, at(i), load(a, at(i))))


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_every_type(checked: VulkanRuntime, dtype: DType) -> None:
    inside_and_outside(checked, dtype)


@pytest.mark.parametrize("name", ["bool", "bfloat16", "float32", "int64"])
def test_types_in_64_bit_arithmetic(
    checked: VulkanRuntime, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    inside_and_outside(checked, dtypes.BY_NAME[name])


def inside_and_outside(runtime: VulkanRuntime, dtype: DType) -> None:
    """Copy with right bounds, and with fewer elements than are read or written."""
    data, code = values(dtype, 515), copy(dtype)
    agrees(runtime, code, [data, np.zeros_like(data), 515])
    before = np.ones_like(data)
    (_, out, _), outside = run(runtime, code, [data, before, 515], {"a": (0, 301)})
    same_bits(out[:300], data[:300])
    assert not out[304:].any()
    assert is_among(outside, "READ", "a", range(300, 515))
    (_, out, _), outside = run(runtime, code, [data, before, 515], {"out": (0, 301)})
    same_bits(out[:300], data[:300])
    same_bits(out[304:], before[304:])
    assert is_among(outside, "WRITE", "out", range(300, 515))


def test_a_buffer_may_begin_before_or_behind_its_address(both_widths: VulkanRuntime) -> None:
    data, before = values(F32, 66), np.ones(66, np.float32)
    (_, out, _), outside = run(both_widths, copy(), [data, before, 66], {"a": (-3, 10)})
    assert is_among(outside, "READ", "a", range(7, 69))
    same_bits(out[:4], data[:4])
    assert not out[8:].any()
    (_, out, _), outside = run(both_widths, copy(), [data, before, 66], {"out": (5, 61)})
    assert is_among(outside, "WRITE", "out", range(-5, 0))
    same_bits(out[:4], before[:4])
    same_bits(out[8:], data[8:])


def padded() -> Kernel:
    """``out[i] = a[i - before]`` inside a, 0 outside; stored where i is even only."""
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    before, length, n, i = size("before"), size("length"), size("n"), Variable("i")
    source = at(i) - at(before)
    inside = (source >= 0) & (source < at(length))
    store = Store(out, at(i), load(a, source, inside), (at(i) & 1).eq(0))
    return kernel((a, out, before, length, n), [(i, at(n))], store)


def test_what_a_mask_leaves_out_is_not_outside(both_widths: VulkanRuntime) -> None:
    data = values(F32, 30)
    agrees(both_widths, padded(), [data, np.ones(100, np.float32), 40, 30, 100])
    wrong = [data, np.ones(100, np.float32), 40, 33, 100]
    (_, out, *_), outside = run(both_widths, padded(), wrong)
    assert is_among(outside, "READ", "a", range(30, 33))
    assert out[70] == out[72] == 0 and out[71] == 1


def row_sum() -> Kernel:
    a, out = buffer("a", F32), buffer("out", F32, writable=True)
    rows, columns, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    total = Carry("total", F32, constant(0, F32))
    element = load(a, at(i) * at(columns) + at(j))
    fold = Fold((total,), (total.now + element,), lambda x, y: (x[0] + y[0],))
    loop = lanes(j, at(columns), folds=[fold])
    return kernel((a, out, rows, columns), [(i, at(rows))], loop, Store(out, at(i), total.result))


def test_rows_of_a_workgroup(both_widths: VulkanRuntime) -> None:
    data = values(F32, 5 * 130)
    agrees(both_widths, row_sum(), [data, np.zeros(5, np.float32), 5, 130])
    arguments = [data, np.ones(5, np.float32), 5, 130]
    (_, out, *_), outside = run(both_widths, row_sum(), arguments, {"out": (0, 4)})
    assert outside == ("WRITE", "out", 4) and out[4] == 1
    _, outside = run(both_widths, row_sum(), arguments, {"a": (0, 649)})
    assert outside == ("READ", "a", 649)


def gather() -> Kernel:
    """``out[i] = table[ids[i]]``, ids checked."""
    table, ids, out = buffer("table", F32), buffer("ids", dtypes.int32), buffer("out", F32, True)
    n, length, i = size("n"), size("length"), Variable("i")
    fault = buffer("fault", dtypes.int64, writable=True)
    wanted = load(ids, at(i)).cast(at(n).dtype)
    wrong = (wanted < 0) | (wanted >= at(length))
    safe = wanted.fail_if(wrong, FaultCode.INDEX_OUT_OF_RANGE.value)
    store = Store(out, at(i), load(table, safe, ~wrong))
    return kernel((table, ids, out, n, length, fault), [(i, at(n))], store, faults=True)


def test_data_errors_have_a_record_of_their_own(both_widths: VulkanRuntime) -> None:
    ids = np.array([0, 3, 9, 1], np.int32)
    arguments = [values(F32, 8), ids, np.zeros(4, np.float32), 4, 8, np.zeros(2, np.int64)]
    found, outside = run(both_widths, gather(), arguments)
    assert outside is None and found[-1].tolist() == [FaultCode.INDEX_OUT_OF_RANGE.value, 9]
    arguments[4] = 10  # a wrong size: the index passes, the access does not
    found, outside = run(both_widths, gather(), arguments)
    assert outside == ("READ", "table", 9) and not found[-1].any()


def product(tile: ProductTile) -> Kernel:
    left, right, out = buffer("left", F32), buffer("right", F32), buffer("out", F32, True)
    m, n, k = size("m"), size("n"), size("k")
    b, i, j, p = Variable("b"), Variable("i"), Variable("j"), Variable("p")
    element = Value(Instruction.ACCUMULATOR, F32)
    contract = Contract(
        load(left, at(i) * at(k) + at(p)),
        load(right, at(p) * at(n) + at(j)),
        index(1),
        *(at(m), at(n), at(k)),
        *(b, i, j, p),
        tile,
        (Store(out, at(i) * at(n) + at(j), element),),
    )
    return kernel((left, right, out, m, n, k), [], contract)


TILES = {
    "direct": ProductTile(4, 4),
    "staged": ProductTile(4, 4, group_rows=4, group_columns=4, depth=4),
}


@pytest.mark.parametrize("name", TILES)
@pytest.mark.parametrize("sizes", [(16, 16, 8), (13, 17, 9)])
def test_products(checked: VulkanRuntime, name: str, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    code = product(TILES[name])
    arguments = [values(F32, m * k), values(F32, k * n), np.ones(m * n, np.float32), *sizes]
    agrees(checked, code, arguments)
    for short, count in (("left", m * k), ("right", k * n)):
        _, outside = run(checked, code, arguments, {short: (0, count - 1)})
        assert is_among(outside, "READ", short, range(count - 4, count))
    (_, _, found, *_), outside = run(checked, code, arguments, {"out": (0, m * n - 1)})
    assert is_among(outside, "WRITE", "out", range(m * n - 4, m * n))
    assert found[-1] == 1


def column_sums() -> Kernel:
    """``out[j] = scale * sum of a[:, j]``, four columns at a time."""
    a, out, scale = buffer("a", F32), buffer("out", F32, writable=True), scalar("scale", F32)
    rows, columns, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    total = Carry("total", F32, constant(0, F32))
    element = load(a, at(i) * at(columns) + at(j))
    loop = serial(i, at(rows), folds=[Fold((total,), (total.now + element,))])
    store = Store(out, at(j), total.result * at(scale))
    return kernel((a, out, scale, rows, columns), [(j, at(columns))], loop, store)


@pytest.mark.parametrize("target", [FULL, NARROW], ids=["full", "narrow"])
def test_modules_are_valid_on_every_target(target: Target) -> None:
    codes = [copy(dtypes.int8), copy(dtypes.bfloat16), padded(), row_sum(), gather(), column_sums()]
    for code in [*codes, *map(product, TILES.values())]:
        compile_valid(code, checking(target))


def test_nothing_is_left_of_the_checks_without_them() -> None:
    for code in (copy(), row_sum(), gather(), product(TILES["staged"])):
        (plain,) = SpirvBackend().compile([code], FULL)
        (off,) = SpirvBackend().compile([code], checking(FULL, check_access=0))
        (on,) = SpirvBackend().compile([code], checking(FULL))
        assert off == plain and on.code != plain.code
        assert on.words == plain.words + 2 * len(bounded_buffers(code)) + 1
