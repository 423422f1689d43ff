"""Memory that a workgroup shares: products of tiles in it, and the barriers it needs."""

import numpy as np
import pytest
from spirv_support import FULL, at, buffer, check, compile_valid, kernel, lanes, serial, size

from pumice import dtypes
from pumice.backends.spirv.barriers import Barriers, exchanged_buffers
from pumice.backends.spirv.tiles import part_of
from pumice.dtypes import DType
from pumice.errors import DeviceError, InternalError
from pumice.kernel.ir import (
    Carry,
    Fold,
    If,
    Kernel,
    Let,
    Multiply,
    Parameter,
    Role,
    Statement,
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
RANDOM = np.random.default_rng(3)


@pytest.fixture(params=["narrow", "wide"])
def vulkan_runtime(
    request: pytest.FixtureRequest, vulkan_runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch
) -> VulkanRuntime:
    """The device, with kernels in 32-bit and in 64-bit index arithmetic."""
    if request.param == "wide":
        monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    return vulkan_runtime


def local(name: str, extent: int, dtype: DType = F32) -> Parameter:
    return Parameter(name, Role.LOCAL, dtype, writable=True, extent=extent)


def with_locals(made: Kernel, *locals_: Parameter) -> Kernel:
    return Kernel(made.parameters, made.grid, made.body, made.faults, locals=locals_)


def product(dtype: DType, narrow: DType, rows: int, columns: int) -> Kernel:
    """``out = a @ b + c @ b`` tile by tile: a from shared memory, b and c where they lie."""
    a, b, c = buffer("a", dtype), buffer("b", narrow), buffer("c", narrow)
    out, k, tiles = buffer("out", dtype, writable=True), size("k"), size("tiles")
    most = 40
    tile, left = local("tile", rows * (columns + 1), dtype), local("left", rows * most, dtype)
    item, p, q = (Variable(name) for name in "tpq")
    first = at(item) * rows
    place = at(p).quotient(at(k)) * most + at(p).modulus(at(k))
    copy = lanes(p, at(k) * rows, Store(left, place, load(a, first * at(k) + at(p))))

    def part(memory: Parameter, where: Value, row: Value, fresh: bool) -> Multiply:
        return Multiply(
            tile, index(0), columns + 1, constant(fresh, dtypes.bool_),
            memory, where, row, index(1), b, index(0), index(columns), at(k), rows, columns,
        )  # fmt: skip

    products = (part(left, index(0), index(most), True), part(c, first * at(k), at(k), False))
    element = load(tile, at(q).quotient(columns) * (columns + 1) + at(q).modulus(columns))
    store = lanes(q, index(rows * columns), Store(out, first * columns + at(q), element))
    made = kernel((a, b, c, out, k, tiles), [(item, at(tiles))], copy, *products, store)
    return with_locals(made, tile, left)


@pytest.mark.parametrize(("rows", "columns"), [(32, 32), (16, 8), (1, 1), (5, 12), (48, 32)])
@pytest.mark.parametrize("k", [0, 1, 7, 32])
def test_products(vulkan_runtime: VulkanRuntime, rows: int, columns: int, k: int) -> None:
    def numbers(count: int) -> np.ndarray:
        return RANDOM.integers(-4, 5, max(count, 1)).astype(np.float32)

    data = [numbers(3 * rows * k), numbers(k * columns), numbers(3 * rows * k)]
    out = np.zeros(3 * rows * columns, np.float32)
    check(vulkan_runtime, product(F32, F32, rows, columns), [*data, out, k, 3])


@pytest.mark.parametrize(
    ("dtype", "narrow"),
    [(F32, dtypes.float16), (dtypes.float64, F32), (dtypes.int32, dtypes.int8)],
    ids=str,
)
def test_products_of_narrower_operands(
    vulkan_runtime: VulkanRuntime, dtype: DType, narrow: DType
) -> None:
    rows, columns, k = 8, 16, 9
    wide, short = np.dtype(dtype.name), np.dtype(narrow.name)
    data = [
        RANDOM.integers(-4, 5, count).astype(kind)
        for count, kind in ((2 * rows * k, wide), (k * columns, short), (2 * rows * k, short))
    ]
    out = np.zeros(2 * rows * columns, wide)
    check(vulkan_runtime, product(dtype, narrow, rows, columns), [*data, out, k, 2])


@pytest.mark.parametrize("dtype", [F32, dtypes.bool_, dtypes.int8, dtypes.float16], ids=str)
@pytest.mark.parametrize("length", [1, 63, 200])
def test_lanes_exchange_elements(vulkan_runtime: VulkanRuntime, dtype: DType, length: int) -> None:
    """Elements are reversed twice in shared memory, again and again in a serial loop."""
    a, out = buffer("a", dtype), buffer("out", dtype, writable=True)
    n, rounds = size("n"), size("rounds")
    first, second = local("first", length, dtype), local("second", length, dtype)
    i, j, k, m, r = (Variable(name) for name in "ijkmr")
    last = at(n) - 1
    fill = lanes(i, at(n), Store(first, at(i), load(a, at(i))))
    there = lanes(j, at(n), Store(second, last - at(j), load(first, at(j))))
    turn = lanes(k, at(n), Store(first, (at(k) + 1).modulus(at(n)), load(second, at(k))))
    done = lanes(m, at(n), Store(out, at(m), load(first, at(m))))
    made = kernel((a, out, n, rounds), [], fill, serial(r, at(rounds), there, turn), done)
    data = RANDOM.integers(0, 2, length).astype(np.dtype(dtype.name))
    check(vulkan_runtime, with_locals(made, first, second), [data, np.zeros_like(data), length, 5])


def test_one_element_for_all(vulkan_runtime: VulkanRuntime) -> None:
    """What the first invocation stores all read, and what all read is not overwritten early."""
    a, out, n = buffer("a", F32), buffer("out", F32, writable=True), size("n")
    memory = local("memory", 1)
    i, r = Variable("i"), Variable("r")
    old = load(memory, index(0))
    begin = Store(memory, index(0), constant(1, F32))
    grown = Store(memory, index(0), old * 2.0)
    add = lanes(i, at(n), Store(out, at(i), load(out, at(i)) + old * load(a, at(i))))
    body = (Let(old), grown, If(at(r) > 1, (add,)))
    made = with_locals(kernel((a, out, n), [], begin, serial(r, index(5), *body)), memory)
    data = RANDOM.integers(-4, 5, 130).astype(np.float32)
    check(vulkan_runtime, made, [data, np.zeros(130, np.float32), 130])


def barriers_of(*body: Statement) -> Barriers:
    a, out, n = buffer("a", F32), buffer("out", F32, writable=True), size("n")
    made = kernel((a, out, n), [], *body)
    return Barriers(made, exchanged_buffers(made))


def test_barriers_stand_only_where_something_is_exchanged() -> None:
    first, second, third = local("first", 8), local("second", 8), local("third", 8)
    i, j, k = Variable("i"), Variable("j"), Variable("k")
    zero = constant(0, F32)
    begin = lanes(i, index(8), Store(first, at(i), zero))
    also = lanes(j, index(8), Store(second, at(j), zero))
    mixed = load(first, at(k)) + load(second, at(k))
    read = lanes(k, index(8), Store(third, at(k), mixed))
    found = barriers_of(begin, also, read)
    assert found.before == {read}
    # In a loop, the next iteration must not write what the last one still reads.
    found = barriers_of(serial(Variable("r"), index(3), begin, also, read))
    assert found.before == {begin, read}
    # A fold waits by itself.
    carry = Carry("sum", F32, zero)
    fold = Fold((carry,), (carry.now + load(first, at(k)),), lambda x, y: (x[0] + y[0],))
    total = lanes(k, index(8), folds=[fold])
    assert barriers_of(begin, total, begin).before == {total}
    # A running value that is read behind the body waits for it.
    running = Carry("last", F32, zero)
    following = Fold((running,), (load(first, index(0)),))
    assert barriers_of(serial(k, index(8), begin, folds=[following])).closing == {following}


def test_parts_of_tiles() -> None:
    assert part_of(32, 32, 64, wide=False) == (4, 4)
    assert part_of(32, 32, 64, wide=True) == (4, 8)
    assert part_of(64, 16, 64, wide=False) == (4, 4)
    assert part_of(7, 16, 64, wide=False) == (1, 2)
    with pytest.raises(InternalError, match="128 x 64"):
        part_of(128, 64, 64, wide=False)


def test_more_shared_memory_than_there_is() -> None:
    with pytest.raises(DeviceError, match="262144 bytes of shared memory"):
        i, big = Variable("i"), local("big", 1 << 16)
        fill = lanes(i, index(8), Store(big, at(i), constant(0, F32)))
        compile_valid(with_locals(kernel((), [], fill), big), FULL)
