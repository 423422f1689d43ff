"""Kernels that run four items at once: every access pattern, aligned and not, bit for bit."""

import numpy as np
import pytest
from spirv_support import (
    FULL,
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
from pumice.backends.spirv.affine import neighbours_of
from pumice.dtypes import DType
from pumice.kernel.ir import (
    Carry,
    Fold,
    If,
    Kernel,
    Let,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.runtime.vulkan import VulkanRuntime

pytestmark = pytest.mark.vulkan
F32 = dtypes.float32
RANDOM = np.random.default_rng(2)
GROUP = 64


def values(dtype: DType, count: int) -> np.ndarray:
    if dtype is dtypes.bool_:
        return RANDOM.integers(0, 2, count).astype(bool)
    return (RANDOM.normal(size=count) * 50).astype(numpy_dtype(dtype))


def copy(dtype: DType, place: Value | None = None) -> Kernel:
    """``out[i] = a[offset + i]``, or from another place."""
    a, out = buffer("a", dtype), buffer("out", dtype, writable=True)
    n, offset, i = size("n"), size("offset"), Variable("i")
    source = at(offset) + at(i)
    return kernel((a, out, n, offset), [(i, at(n))], Store(out, at(i), load(a, source)))


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_every_type_and_alignment(vulkan_runtime: VulkanRuntime, dtype: DType) -> None:
    code = copy(dtype)
    assert compile_valid(code, FULL).items_per_group == 4 * GROUP
    for count, offset, shift in ((512, 0, 0), (258, 4, 0), (260, 3, 0), (260, 0, 1), (3, 0, 0)):
        data = values(dtype, count + offset)
        out = np.zeros(count, numpy_dtype(dtype))
        result = check(vulkan_runtime, code, [data, out, count, offset], shift=shift)[1]
        assert result.tobytes() == data[offset:].tobytes()


def patterns(length: Value, i: Value) -> dict[str, Value]:
    """Places to read from: along, against, across and beside the items."""
    return {
        "along": i,
        "against": length - 1 - i,
        "every second": (i * 2).modulus(length),
        "times two": i.quotient(2) + i - i.quotient(2),
        "folded": i.modulus(7),
        "shared": length - 1,
        "shifted": i + 1 - index(1),
    }


@pytest.mark.parametrize("name", list(patterns(index(1), index(0))))
def test_patterns(vulkan_runtime: VulkanRuntime, name: str) -> None:
    a, b, out = buffer("a", F32), buffer("b", F32), buffer("out", F32, writable=True)
    n, i = size("n"), Variable("i")
    place = patterns(at(n), at(i))[name]
    other = load(b, place)
    store = Store(out, at(i), load(a, at(i)) * 2.0 + other)
    scatter = Store(out, at(n) + at(n) - 1 - at(i), other)
    code = kernel((a, b, out, n), [(i, at(n))], store, scatter)
    assert neighbours_of(code) is not None
    for count in (256, 301):
        arguments = [values(F32, count), values(F32, count), np.zeros(2 * count, np.float32), count]
        check(vulkan_runtime, code, arguments)


@pytest.mark.parametrize("columns", [64, 72, 70])
def test_rows_of_many_lengths(vulkan_runtime: VulkanRuntime, columns: int) -> None:
    a, row, column = buffer("a", F32), buffer("row", F32), buffer("column", F32)
    out, rows, width = buffer("out", F32, writable=True), size("m"), size("n")
    i, j = Variable("i"), Variable("j")
    place = at(i) * at(width) + at(j)
    value = load(a, place) + load(row, at(j)) * load(column, at(i))
    code = kernel(
        (a, row, column, out, rows, width),
        [(i, at(rows)), (j, at(width))],
        Store(out, place, value),
    )
    data = values(F32, 9 * columns)
    arguments = [data, values(F32, columns), values(F32, 9), np.zeros_like(data), 9, columns]
    check(vulkan_runtime, code, arguments)


@pytest.mark.parametrize("columns", [64, 72, 70])
def test_column_folds(vulkan_runtime: VulkanRuntime, columns: int) -> None:
    a, out, place_of = buffer("a", F32), buffer("out", F32, True), buffer("p", dtypes.int64, True)
    rows, width, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    most = Carry("most", F32, constant(float("-inf"), F32))
    place = Carry("place", dtypes.int64, constant(0, dtypes.int64))
    total = Carry("total", F32, constant(0.0, F32))
    element = load(a, at(i) * at(width) + at(j))
    better = most.now < element
    folds = [
        Fold(
            (most, place),
            (
                better.select(element, most.now),
                better.select(at(i).cast(dtypes.int64), place.now),
            ),
        ),
        Fold((total,), (total.now + element,)),
    ]
    loop = serial(i, at(rows), folds=folds)
    stores = (Store(out, at(j), most.result + total.result), Store(place_of, at(j), place.result))
    code = kernel((a, out, place_of, rows, width), [(j, at(width))], loop, *stores)
    assert neighbours_of(code) is not None
    arguments = [values(F32, 33 * columns), np.zeros(columns, np.float32)]
    check(vulkan_runtime, code, [*arguments, np.zeros(columns, np.int64), 33, columns])


def test_running_sums_down_columns(vulkan_runtime: VulkanRuntime) -> None:
    a, out = buffer("a", dtypes.float16), buffer("out", dtypes.float16, writable=True)
    rows, width, i, j = size("m"), size("n"), Variable("i"), Variable("j")
    place = at(i) * at(width) + at(j)
    total = Carry("total", F32, constant(0.0, F32))
    following = total.now + load(a, place).cast(F32)
    store = Store(out, place, following.cast(dtypes.float16))
    loop = serial(i, at(rows), store, folds=[Fold((total,), (following,))])
    code = kernel((a, out, rows, width), [(j, at(width))], loop)
    data = values(dtypes.float16, 20 * 64)
    check(vulkan_runtime, code, [data, np.zeros_like(data), 20, 64])


def test_masks_differ_between_neighbours(vulkan_runtime: VulkanRuntime) -> None:
    a, b, out = buffer("a", F32), buffer("b", F32), buffer("out", F32, writable=True)
    n, before, i = size("n"), size("before"), Variable("i")
    source = at(i) - at(before)
    inside = (source >= 0) & (source < at(n) - 50)
    padded = load(a, source, inside)
    odd = (at(i) & 1).eq(1)
    code = kernel(
        (a, b, out, n, before),
        [(i, at(n))],
        Store(out, at(i), load(b, at(i))),
        Store(out, at(i), padded, odd),
    )
    arguments = [values(F32, 250), values(F32, 300), np.zeros(300, np.float32), 300, 21]
    check(vulkan_runtime, code, arguments)


def test_indices_read_from_memory(vulkan_runtime: VulkanRuntime) -> None:
    table, ids, out = buffer("table", F32), buffer("ids", dtypes.int32), buffer("out", F32, True)
    n, i = size("n"), Variable("i")
    wanted = load(ids, at(i)).cast(at(n).dtype)
    code = kernel((table, ids, out, n), [(i, at(n))], Store(out, at(i), load(table, wanted)))
    places = RANDOM.integers(0, 40, 256).astype(np.int32)
    check(vulkan_runtime, code, [values(F32, 40), places, np.zeros(256, np.float32), 256])


def test_indices_as_data_and_shared_conditions(vulkan_runtime: VulkanRuntime) -> None:
    flag, out, n, i = (
        buffer("flag", dtypes.bool_),
        buffer("out", F32, True),
        size("n"),
        Variable("i"),
    )
    number = at(i).cast(F32) * 0.5 + at(n).cast(F32)
    code = kernel(
        (flag, out, n),
        [(i, at(n))],
        Store(out, at(i), number),
        If(load(flag, index(0)), (Store(out, at(i), number * number),)),
    )
    assert neighbours_of(code) is not None
    for choice in (False, True):
        arguments = [np.array([choice]), np.zeros(256, np.float32), 256]
        check(vulkan_runtime, code, arguments)


def test_reading_before_writing_in_place(vulkan_runtime: VulkanRuntime) -> None:
    a, n, i = buffer("a", F32, writable=True), size("n"), Variable("i")
    old = load(a, at(i))
    new = load(a, at(i))
    code = kernel(
        (a, n),
        [(i, at(n))],
        Let(old),
        Store(a, at(i), old + 1.0),
        Store(a, at(i), new * old),
    )
    check(vulkan_runtime, code, [values(F32, 256), 256])


def test_what_keeps_to_one_item() -> None:
    a, out, n = buffer("a", F32), buffer("out", F32, writable=True), size("n")
    i, j = Variable("i"), Variable("j")
    strided = kernel((a, out, n), [(i, at(n))], Store(out, at(i) * at(n), load(a, at(i) * at(n))))
    parting = kernel(
        (a, out, n), [(i, at(n))], If(load(a, at(i)) < 0.0, (Store(out, at(i), load(a, at(i))),))
    )
    rows = kernel((a, out, n), [(i, at(n))], lanes(j, at(n), Store(out, at(j), load(a, at(j)))))
    for code in (strided, parting, rows):
        assert neighbours_of(code) is None
        assert compile_valid(code, FULL).items_per_group in (1, GROUP)


def test_neighbours_stay_apart_where_few_accesses_are_vectors() -> None:
    """A window reads elements side by side, which no vector can: items of a workgroup do better."""
    a, out, n, i = buffer("a", F32), buffer("out", F32, writable=True), size("n"), Variable("i")
    assert neighbours_of(copy(F32)) is not None
    for taps in ((1,), (1, 2, 3)):
        total = sum((load(a, at(i) + tap) for tap in taps[1:]), load(a, at(i) + taps[0]))
        code = kernel((a, out, n), [(i, at(n))], Store(out, at(i), total))
        assert (neighbours_of(code) is None) == (len(taps) > 1)
