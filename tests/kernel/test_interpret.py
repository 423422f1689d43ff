"""The kernel interpreter against NumPy and hand-written loops."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from pumice import dtypes
from pumice.errors import InternalError
from pumice.kernel.arithmetic import Array
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    Grid,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Role,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.verify import verify_kernel

Build = Callable[[str], Kernel]


def use(leaf: Parameter | Variable) -> Value:
    if isinstance(leaf, Variable):
        return Value(Instruction.VARIABLE, INDEX, (), leaf)
    return Value(Instruction.PARAMETER, leaf.dtype, (), leaf)


def run(kernel: Kernel, *arguments: object) -> None:
    """Interpret a kernel that has been verified first."""
    verify_kernel(kernel)
    interpret_kernel(kernel, arguments)


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def tree_sum(row: Array, lanes: int) -> np.float32:
    """The documented order of a LANES fold, one addition at a time."""
    parts = [np.float32(0.0)] * lanes
    for position, element in enumerate(row):
        parts[position % lanes] = parts[position % lanes] + element
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [parts[lane] + parts[lane + half] for lane in range(half)]
    return parts[0]


def test_elementwise(build: Build) -> None:
    a, out = floats(100_000), np.zeros(100_000, np.float32)
    interpret_kernel(build("elementwise"), [a, out, 100_000, 1.7])
    np.testing.assert_array_equal(out, np.float32(1.7) * a + np.float32(0.5))


def test_an_empty_grid_does_nothing(build: Build) -> None:
    out = np.zeros(0, np.float32)
    interpret_kernel(build("elementwise"), [out.copy(), out, 0, 1.7])


@pytest.mark.parametrize("lanes", [1, 4, 32])
@pytest.mark.parametrize("columns", [0, 1, 31, 32, 33, 1000])
def test_lanes_fold_in_the_documented_order(build: Build, lanes: int, columns: int) -> None:
    a, out = floats(5, columns), np.ones(5, np.float32)
    interpret_kernel(build("row_sum"), [a.reshape(-1), out, 5, columns], lanes)
    assert out.tolist() == [tree_sum(row, lanes) for row in a]


def test_folds_of_pairs(build: Build) -> None:
    a = np.random.default_rng(1).integers(0, 50, 5000).astype(np.float32)
    out = np.zeros(1, np.int64)
    interpret_kernel(build("argmax"), [a, out, a.size])
    assert out[0] == a.argmax()


def test_masked_loads_and_stores(build: Build) -> None:
    a = np.arange(1, 6).astype(ml_dtypes.bfloat16)
    out = np.full(9, -1, ml_dtypes.bfloat16)
    interpret_kernel(build("padded"), [a, out, 2, 5, 9])
    assert out.tolist() == [0, -1, 1, -1, 3, -1, 5, -1, 0]


def test_serial_loops_carry_in_order(build: Build) -> None:
    a, out = floats(7, 50), np.zeros(350, np.float32)
    interpret_kernel(build("running_sum"), [a.reshape(-1), out, 7, 50])
    np.testing.assert_array_equal(out.reshape(7, 50), a.cumsum(1, dtype=np.float32))


def test_faults_are_recorded_and_the_load_is_masked(build: Build) -> None:
    table, ids = floats(10), np.array([3, 99, 0, -4, 9], np.int32)
    flags = np.array([True, False, True, True, True])
    out, fault = np.full(5, 7, np.float32), np.zeros(2, np.int64)
    interpret_kernel(build("gather"), [table, ids, flags, out, 5, 10, fault])
    assert fault.tolist() == [2, -4]
    assert out.tolist() == [table[3], 7, table[0], 0, table[9]]


def test_no_fault_leaves_the_buffer_alone(build: Build) -> None:
    table, ids, fault = floats(10), np.array([99, 2], np.int32), np.zeros(2, np.int64)
    flags, out = np.array([False, True]), np.zeros(2, np.float32)
    interpret_kernel(build("gather"), [table, ids, flags, out, 2, 10, fault])
    assert fault.tolist() == [0, 0]


@pytest.mark.parametrize(("batches", "m", "n", "k"), [(1, 2, 4, 3), (3, 5, 6, 7), (1, 1, 1, 0)])
def test_products_of_expressions(build: Build, batches: int, m: int, n: int, k: int) -> None:
    left, right, bias = floats(m, batches, k), floats(batches, k, n, seed=1), floats(n, seed=2)
    out = np.zeros(batches * m * n, np.float32)
    arguments = [left.reshape(-1), right.reshape(-1), bias, out, batches, m, n, k]
    interpret_kernel(build("product"), arguments)
    for batch, result in enumerate(out.reshape(batches, m, n)):
        first, second = left[:, batch, : k - batch], right[batch, : k - batch]
        expected = np.maximum(first.astype(np.float64) @ (2 * second) + bias, 0.0)
        np.testing.assert_allclose(result, expected, rtol=0, atol=4e-6)


def test_loops_of_different_length_side_by_side() -> None:
    out = Parameter("out", Role.BUFFER, dtypes.int64, writable=True)
    i, j, k = Variable("i"), Variable("j"), Variable("k")
    count = Carry("count", INDEX, index(0))
    inner = Carry("inner", INDEX, count.now)
    nested = Loop(k, use(j), use(i), LoopKind.SERIAL, (), (Fold((inner,), (inner.now + use(k),)),))
    outer = Loop(
        j, index(0), use(i) - 1, LoopKind.SERIAL, (nested,), (Fold((count,), (inner.result,)),)
    )
    kernel = Kernel(
        (out,),
        Grid((i,), (index(9),)),
        (outer, Store(out, use(i), count.result.cast(dtypes.int64))),
    )
    got = np.zeros(9, np.int64)
    run(kernel, got)
    assert got.tolist() == [sum(k for j in range(i - 1) for k in range(j, i)) for i in range(9)]


@pytest.mark.parametrize("kind", list(LoopKind))
def test_ragged_loops_fill_a_triangle(kind: LoopKind) -> None:
    out, n = Parameter("out", Role.BUFFER, dtypes.int32, True), Parameter("n", Role.INDEX, INDEX)
    i, j = Variable("i"), Variable("j")
    store = Store(out, use(i) * use(n) + use(j), (use(i) + use(j)).cast(dtypes.int32))
    loop = Loop(j, use(i), use(n), kind, (store,))
    got = np.zeros(900, np.int32)
    run(Kernel((out, n), Grid((i,), (use(n),)), (loop,)), got, 30)
    expected = np.add.outer(np.arange(30), np.arange(30))
    np.testing.assert_array_equal(got.reshape(30, 30), np.triu(expected))


def test_a_grid_is_row_major_over_its_variables() -> None:
    out = Parameter("out", Role.BUFFER, dtypes.int64, True)
    i, j, k = Variable("i"), Variable("j"), Variable("k")
    at = (use(i) * 3 + use(j)) * 4 + use(k)
    place = use(i) * 100 + use(j) * 10 + use(k)
    store = Store(out, at, place.cast(dtypes.int64))
    got = np.zeros(24, np.int64)
    grid = Grid((i, j, k), (index(2), index(3), index(4)))
    run(Kernel((out,), grid, (store,)), got)
    assert got.tolist() == [
        i * 100 + j * 10 + k for i in range(2) for j in range(3) for k in range(4)
    ]


def test_a_let_fixes_when_a_load_happens() -> None:
    data = Parameter("data", Role.BUFFER, dtypes.int32, True)
    before = load(data, index(0))
    body = (
        Let(before),
        Store(data, index(0), constant(5, dtypes.int32)),
        Store(data, index(1), before),
        Store(data, index(2), load(data, index(0))),
    )
    got = np.array([1, 2, 3], np.int32)
    run(Kernel((data,), Grid((), ()), body), got)
    assert got.tolist() == [5, 1, 5]


def test_conditions_choose_items() -> None:
    out, i = Parameter("out", Role.BUFFER, dtypes.int64, True), Variable("i")
    odd = (use(i) & 1).eq(1)
    item = use(i).cast(dtypes.int64)
    body = (Store(out, use(i), item), If(odd, (Store(out, use(i), -item),)))
    got = np.zeros(5, np.int64)
    run(Kernel((out,), Grid((i,), (index(5),)), body), got)
    assert got.tolist() == [0, -1, 2, -3, 4]


def test_deep_chains() -> None:
    out, x = (
        Parameter("out", Role.BUFFER, dtypes.float64, True),
        Parameter("x", Role.SCALAR, dtypes.float64),
    )
    value = use(x)
    for _ in range(20_000):
        value = value + 0.25
    got = np.zeros(1)
    interpret_kernel(Kernel((out, x), Grid((), ()), (Store(out, index(0), value),)), [got, 1.0])
    assert got[0] == 5001.0


def test_wide_grids_are_run_in_bounded_pieces(build: Build) -> None:
    a, out = floats(1_000_000), np.zeros(1_000_000, np.float32)
    interpret_kernel(build("elementwise"), [a, out, a.size, 1.0])
    np.testing.assert_array_equal(out, a + np.float32(0.5))


def test_addresses_outside_a_buffer_are_errors(build: Build) -> None:
    a, out = floats(5), np.zeros(10, np.float32)
    with pytest.raises(InternalError, match="element 5 of buffer a, which has 5"):
        interpret_kernel(build("elementwise"), [a, out, 6, 1.0])
    target = Parameter("out", Role.BUFFER, dtypes.float32, True)
    store = Store(target, index(-1), constant(0.0, dtypes.float32))
    with pytest.raises(InternalError, match="element -1 of buffer out, which has 10"):
        interpret_kernel(Kernel((target,), Grid((), ()), (store,)), [out])


def test_wrong_arguments_are_refused(build: Build) -> None:
    kernel, out = build("elementwise"), np.zeros(4, np.float32)
    with pytest.raises(InternalError, match="3 arguments for 4 parameters"):
        interpret_kernel(kernel, [out, out, 4])
    with pytest.raises(InternalError, match="a holds float32, got float64"):
        interpret_kernel(kernel, [np.zeros(4), out, 4, 1.0])
    with pytest.raises(InternalError, match="a must be a flat array"):
        interpret_kernel(kernel, [out.reshape(2, 2), out, 4, 1.0])
    with pytest.raises(InternalError, match="3 lanes are not a power of two"):
        interpret_kernel(kernel, [out, out, 4, 1.0], lanes=3)


def test_running_values_of_groups() -> None:
    """Lane i of a group takes in lane i - d for d = 1, 2, 4, 8, then what came before."""
    data, out = (
        Parameter("x", Role.BUFFER, dtypes.float32),
        Parameter("out", Role.BUFFER, dtypes.float32, True),
    )
    n, j = Parameter("n", Role.INDEX, INDEX), Variable("j")
    carry = Carry("total", dtypes.float32, constant(0.5, dtypes.float32))
    fold = Fold((carry,), (load(data, use(j)),), lambda a, b: (a[0] + b[0],))
    loop = Loop(j, index(1), use(n), LoopKind.RUNNING, (Store(out, use(j), carry.now),), (fold,))
    numbers = np.random.default_rng(4).standard_normal(45).astype(np.float32)
    got = np.zeros(45, np.float32)
    run(Kernel((data, out, n), Grid((), ()), (loop,)), numbers, got, 45)
    before, expected = np.float32(0.5), [np.float32(0)]
    for first in range(1, 45, 16):
        lanes = numbers[first : first + 16].copy()
        for distance in (1, 2, 4, 8):
            lanes[distance:] = lanes[:-distance] + lanes[distance:]
        expected += list(before + lanes)
        before = expected[-1]
    np.testing.assert_array_equal(got, expected)
