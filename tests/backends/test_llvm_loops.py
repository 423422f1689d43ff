"""Loops, carries, folds, memory access patterns, conditions."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.errors import InternalError
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    If,
    Let,
    Loop,
    LoopKind,
    Prefetch,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from tests.backends.llvm_support import (
    AVX2,
    HOST,
    TARGETS,
    at,
    buffer,
    check,
    kernel,
    lanes,
    numpy_dtype,
    run_compiled,
    scalar,
    serial,
    size,
)

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
F32 = dtypes.float32
LENGTHS = [0, 1, 3, 31, 32, 33, 64, 100]


def numbers(*shape: int, dtype=np.float32, seed: int = 0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def adder(carry: Carry, value: Value) -> Fold:
    return Fold((carry,), (carry.now + value,), lambda x, y: (x[0] + y[0],))


@TARGET
def test_broadcast_add(target):
    a, b, out = buffer("a", F32), buffer("b", F32), buffer("out", F32, True)
    rows, columns, row_a, row_b, column_b = map(size, ("r", "c", "ra", "rb", "cb"))
    i, j = Variable("i"), Variable("j")
    value = load(a, at(i) * at(row_a) + at(j)) + load(b, at(i) * at(row_b) + at(j) * at(column_b))
    code = kernel(
        [a, b, out, rows, columns, row_a, row_b, column_b],
        [(i, at(rows))],
        lanes(j, at(columns), Store(out, at(i) * at(columns) + at(j), value)),
    )
    for columns_now in (1, 7, 64, 77):
        x, whole = numbers(5, columns_now), numbers(5, columns_now, seed=1)
        zero = np.zeros_like(x)
        for y, strides in ((whole, (columns_now, 1)), (whole[:, 0].copy(), (1, 0))):
            arguments = [x.ravel(), y.ravel(), zero.ravel(), 5, columns_now, columns_now, *strides]
            result = check(code, arguments, target, chunk=2)[2]
            expected = x + (y if y.ndim == 2 else y[:, None])
            np.testing.assert_array_equal(result.reshape(5, -1), expected)


@TARGET
@pytest.mark.parametrize(
    "dtype",
    [F32, dtypes.float64, dtypes.int8, dtypes.bfloat16, dtypes.bool_, dtypes.int64],
    ids=repr,
)
@pytest.mark.parametrize("stride", ["run-time", -1, 2, 3])
def test_strided_copy_both_ways(dtype, stride, target):
    a, out, n, step = buffer("a", dtype), buffer("out", dtype, True), size("n"), size("s")
    i, first = Variable("i"), size("first")
    jump = at(step) if stride == "run-time" else index(stride)
    number = 5 if stride == "run-time" else stride
    for count in (0, 1, 16, 33, 70, 130):
        total = max((count - 1) * abs(number) + 1, 1)
        source = (np.arange(total) % 2).astype(numpy_dtype(dtype))
        if dtype is not dtypes.bool_:
            source = np.arange(total).astype(numpy_dtype(dtype))
        start = total - 1 if number < 0 else 0
        far = at(first) + at(i) * jump
        read = kernel(
            [a, out, n, step, first], [], lanes(i, at(n), Store(out, at(i), load(a, far)))
        )
        write = kernel(
            [a, out, n, step, first], [], lanes(i, at(n), Store(out, far, load(a, at(i))))
        )
        check(read, [source, np.zeros(count, source.dtype), count, number, start], target)
        check(write, [source, np.zeros(total, source.dtype), count, number, start], target)


@TARGET
@pytest.mark.parametrize("dtype", [F32, dtypes.int8, dtypes.float64, dtypes.bool_], ids=repr)
def test_streamed_rows_start_anywhere(dtype, target):
    """Rows of odd lengths: whole vectors start where addresses are aligned."""
    a, out, rows, length, i, j = (
        buffer("a", dtype),
        buffer("out", dtype, True),
        size("rows"),
        size("length"),
        Variable("i"),
        Variable("j"),
    )
    place = at(i) * at(length) + at(j)
    double = Store(out, place, load(a, place) | load(a, at(j)), streamed=True)
    if dtype.is_floating_point:
        double = Store(out, place, load(a, place) + load(a, at(j)), streamed=True)
    code = kernel([a, out, rows, length], [(i, at(rows))], lanes(j, at(length), double))
    for count in (1, 17, 130, 515, 1003):
        source = (np.arange(5 * count) % 7).astype(numpy_dtype(dtype))
        for shift in (0, 1):
            memory = np.zeros(5 * count + shift, source.dtype)
            check(code, [source, memory[shift:], 5, count], target, chunk=2)


@TARGET
def test_in_place(target):
    a, b, out, n, i = (
        buffer("a", F32),
        buffer("b", F32),
        buffer("o", F32, True),
        size("n"),
        Variable("i"),
    )
    code = kernel(
        [a, b, out, n], [], lanes(i, at(n), Store(out, at(i), load(a, at(i)) * load(b, at(i))))
    )
    for count in LENGTHS:
        x, y = numbers(count), numbers(count, seed=1)
        expected = x * y
        run_compiled(code, [x, y, x, count], target)
        np.testing.assert_array_equal(x, expected)


@TARGET
def test_in_place_with_two_outputs_reads_before_it_writes(target):
    """The swap of two buffers: both loads come before both stores."""
    a, b = buffer("a", F32), buffer("b", F32)
    p, q, n, i = buffer("p", F32, True), buffer("q", F32, True), size("n"), Variable("i")
    x, y = load(a, at(i)), load(b, at(i))
    body = (Let(x), Let(y), Store(p, at(i), y), Store(q, at(i), x))
    code = kernel([a, b, p, q, n], [], lanes(i, at(n), *body))
    for count in LENGTHS:
        first, second = numbers(count), numbers(count, seed=1)
        expected = second.copy(), first.copy()
        run_compiled(code, [first, second, first, second, count], target)
        np.testing.assert_array_equal(first, expected[0])
        np.testing.assert_array_equal(second, expected[1])


@TARGET
@pytest.mark.parametrize("dtype", [F32, dtypes.float64, dtypes.int32, dtypes.int8], ids=repr)
def test_row_sum(dtype, target):
    a, out, rows, n = buffer("a", dtype), buffer("out", dtype, True), size("rows"), size("n")
    i, j, total = Variable("i"), Variable("j"), Carry("total", dtype, constant(0, dtype))
    loop = lanes(j, at(n), folds=[adder(total, load(a, at(i) * at(n) + at(j)))])
    code = kernel([a, out, rows, n], [(i, at(rows))], loop, Store(out, at(i), total.result))
    for count in LENGTHS:
        x = (numbers(3, count) * 50).astype(numpy_dtype(dtype))
        result = check(code, [x.ravel(), np.zeros(3, x.dtype), 3, count], target)[1]
        np.testing.assert_allclose(result, x.sum(1, dtype=x.dtype), rtol=1e-4, atol=1e-3)


@TARGET
def test_mean_of_bfloat16_in_float32(target):
    a, out, n = buffer("a", dtypes.bfloat16), buffer("out", dtypes.bfloat16, True), size("n")
    j, total = Variable("j"), Carry("total", F32, constant(0, F32))
    loop = lanes(j, at(n), folds=[adder(total, load(a, at(j)).cast(F32))])
    mean = total.result / at(n).cast(F32)
    code = kernel([a, out, n], [], loop, Store(out, index(0), mean.cast(dtypes.bfloat16)))
    x = numbers(77).astype(numpy_dtype(dtypes.bfloat16))
    check(code, [x, np.zeros(1, x.dtype), 77], target)


@TARGET
@pytest.mark.parametrize("dtype", [F32, dtypes.int16, dtypes.float64], ids=repr)
def test_argmax_with_two_carries(dtype, target):
    a, out, n = buffer("a", dtype), buffer("out", dtypes.int64, True), size("n")
    j, least = Variable("j"), -1e30 if dtype.is_floating_point else -32768
    best = Carry("best", dtype, constant(least, dtype))
    where = Carry("where", dtypes.int64, constant(1 << 40, dtypes.int64))

    def better(x, y):
        wins = (y[0] > x[0]) | (y[0].eq(x[0]) & (y[1] < x[1]))
        return wins.select(y[0], x[0]), wins.select(y[1], x[1])

    pair = (load(a, at(j)), at(j).cast(dtypes.int64))
    fold = Fold((best, where), better((best.now, where.now), pair), better)
    code = kernel(
        [a, out, n], [], lanes(j, at(n), folds=[fold]), Store(out, index(0), where.result)
    )
    for count in (1, 5, 32, 45, 200):
        x = (np.random.default_rng(count).integers(-9, 9, count)).astype(numpy_dtype(dtype))
        result = check(code, [x, np.zeros(1, np.int64), count], target)[1]
        assert result[0] == x.argmax()


@TARGET
def test_softmax_row_program(target):
    """Three passes over a row; the shared load is read again in each of them."""
    a, out, rows, n = buffer("a", F32), buffer("out", F32, True), size("rows"), size("n")
    i, j = Variable("i"), Variable("j")
    element = load(a, at(i) * at(n) + at(j))
    top = Carry("top", F32, constant(float("-inf"), F32))
    highest = Fold(
        (top,),
        ((element > top.now).select(element, top.now),),
        lambda x, y: ((y[0] > x[0]).select(y[0], x[0]),),
    )
    shifted = element - top.result
    weight = shifted * shifted + 1.0  # stands for the exponential
    total = Carry("total", F32, constant(0, F32))
    code = kernel(
        [a, out, rows, n],
        [(i, at(rows))],
        lanes(j, at(n), folds=[highest]),
        lanes(j, at(n), folds=[adder(total, weight)]),
        lanes(j, at(n), Store(out, at(i) * at(n) + at(j), weight / total.result)),
    )
    for count in LENGTHS[1:]:
        x = numbers(4, count)
        result = check(code, [x.ravel(), np.zeros(4 * count, np.float32), 4, count], target)[1]
        np.testing.assert_allclose(result.reshape(4, -1).sum(1), 1, rtol=1e-5)


@TARGET
@pytest.mark.parametrize("columns", [1, 16, 50])
def test_column_sum_has_lanes_outside(columns, target):
    a, out, rows, n = buffer("a", F32), buffer("out", F32, True), size("rows"), size("n")
    i, j, total = Variable("i"), Variable("j"), Carry("t", F32, constant(0, F32))
    inner = serial(i, at(rows), folds=[adder(total, load(a, at(i) * at(n) + at(j)))])
    code = kernel(
        [a, out, rows, n], [], lanes(j, at(n), inner, Store(out, at(j), total.result * 2.0))
    )
    for rows_now in (0, 1, 9):
        x = numbers(rows_now, columns)
        check(code, [x.ravel(), np.zeros(columns, np.float32), rows_now, columns], target)


@TARGET
def test_constant_window_is_unrolled(target):
    """A pooling window of 3 with masked edges; the loop has a constant length."""
    a, out, n = buffer("a", F32), buffer("out", F32, True), size("n")
    j, w, total = Variable("j"), Variable("w"), Carry("t", F32, constant(0, F32))
    place = at(j) + at(w) - 1
    inside = (place >= 0) & (place < at(n))
    window = serial(w, index(3), folds=[adder(total, load(a, place, inside))])
    code = kernel([a, out, n], [], lanes(j, at(n), window, Store(out, at(j), total.result)))
    for count in LENGTHS:
        x = numbers(count)
        result = check(code, [x, np.zeros(count, np.float32), count], target)[1]
        padded = np.pad(x, 1)
        expected = (padded[:-2] + padded[1:-1]) + padded[2:]
        np.testing.assert_array_equal(result, expected)


@TARGET
def test_transposed_copy(target):
    a, out, rows, n = buffer("a", F32), buffer("out", F32, True), size("rows"), size("n")
    i, j = Variable("i"), Variable("j")
    code = kernel(
        [a, out, rows, n],
        [(i, at(rows))],
        lanes(j, at(n), Store(out, at(i) * at(n) + at(j), load(a, at(j) * at(rows) + at(i)))),
    )
    x = numbers(37, 21)
    result = check(code, [x.ravel(), np.zeros(x.size, np.float32), 21, 37], target)[1]
    np.testing.assert_array_equal(result.reshape(21, 37), x.T)


@TARGET
def test_cumulative_sum_is_serial(target):
    a, out, rows, n = buffer("a", F32), buffer("out", F32, True), size("rows"), size("n")
    i, j, total = Variable("i"), Variable("j"), Carry("t", F32, constant(0, F32))
    now = total.now + load(a, at(i) * at(n) + at(j))
    fold = Fold((total,), (now,))
    code = kernel(
        [a, out, rows, n],
        [(i, at(rows))],
        serial(j, at(n), Store(out, at(i) * at(n) + at(j), now), folds=[fold]),
    )
    x = numbers(3, 40)
    check(code, [x.ravel(), np.zeros(x.size, np.float32), 3, 40], target)


@TARGET
@pytest.mark.parametrize("dtype", [F32, dtypes.uint8, dtypes.bool_, dtypes.float64], ids=repr)
@pytest.mark.parametrize("masked", ["by lane", "all", "none"])
def test_masks(dtype, masked, target):
    a, keep, out = buffer("a", dtype), buffer("keep", dtypes.bool_), buffer("out", dtype, True)
    n, whole, i = size("n"), scalar("whole", dtypes.bool_), Variable("i")
    mask = load(keep, at(i)) if masked == "by lane" else at(whole)
    for place in (at(i), at(i) * 3):
        body = (
            Store(out, place, load(a, place, mask)),
            Store(out, place + at(n) * 3, load(a, index(0), mask), mask),
        )
        for loop in (lanes(i, at(n), *body), serial(i, at(n), *body)):
            code = kernel([a, keep, out, n, whole], [], loop)
            for count in (1, 16, 45, 70):
                random = np.random.default_rng(count)
                values = random.integers(0, 2, 3 * count).astype(numpy_dtype(dtype))
                flags = random.integers(0, 2, count).astype(bool)
                result = np.ones(6 * count, values.dtype)
                check(code, [values, flags, result, count, masked == "all"], target)


@TARGET
def test_masked_loads_touch_nothing(target):
    """Masked-off lanes address memory far outside any buffer."""
    a, out, n, far, i = (
        buffer("a", F32),
        buffer("o", F32, True),
        size("n"),
        size("far"),
        Variable("i"),
    )
    for place in (at(i), at(i) * 2, load(a, at(i)).cast(INDEX)):
        mask = at(i) < 3
        shifted = place + mask.select(index(0), at(far))
        code = kernel(
            [a, out, n, far],
            [],
            lanes(
                i,
                at(n),
                Store(out, at(i), load(a, shifted, mask)),
                Store(out, shifted, load(a, at(i)), mask),
            ),
        )
        x = np.zeros(70, np.float32)
        run_compiled(code, [x, np.zeros(70, np.float32), 70, 1 << 44], target)


@TARGET
@pytest.mark.parametrize("dtype", [F32, dtypes.int16, dtypes.int64], ids=repr)
def test_gather_and_scatter(dtype, target):
    table, places = buffer("t", dtype), buffer("p", dtypes.int64)
    out, n, i = buffer("o", dtype, True), size("n"), Variable("i")
    place = load(places, at(i)).cast(INDEX)
    read = kernel(
        [table, places, out, n], [], lanes(i, at(n), Store(out, at(i), load(table, place)))
    )
    write = kernel(
        [table, places, out, n], [], lanes(i, at(n), Store(out, place, load(table, at(i))))
    )
    for count in LENGTHS:
        values = np.arange(count).astype(numpy_dtype(dtype))
        order = np.random.default_rng(0).permutation(count)
        zero = np.zeros_like(values)
        np.testing.assert_array_equal(
            check(read, [values, order, zero, count], target)[2], values[order]
        )
        check(write, [values, order, zero, count], target)


@TARGET
def test_gather_reads_only_active_lanes_of_a_tail(target):
    """The tail's idle lanes would read index 0 of an offset table that has no element there."""
    table, places = buffer("t", F32), buffer("p", dtypes.int64)
    out, n, i, base = buffer("o", F32, True), size("n"), Variable("i"), size("base")
    value = load(table, load(places, at(i)).cast(INDEX) - at(base))
    code = kernel([table, places, out, n, base], [], lanes(i, at(n), Store(out, at(i), value)))
    far = 1 << 44
    x, order = numbers(5), np.array([4, 3, 2, 1, 0]) + far
    out_now = np.zeros(5, np.float32)
    run_compiled(code, [x, order, out_now, 5, far], target)
    np.testing.assert_array_equal(out_now, x[::-1])


@TARGET
def test_condition(target):
    a, out, n, i, j = (
        buffer("a", F32),
        buffer("o", F32, True),
        size("n"),
        Variable("i"),
        Variable("j"),
    )
    total = Carry("t", F32, constant(0, F32))
    first = load(a, at(i) * 4)
    code = kernel(
        [a, out, n],
        [(i, at(n))],
        If(
            first > 0,
            (
                lanes(j, index(4), folds=[adder(total, load(a, at(i) * 4 + at(j)))]),
                Store(out, at(i), total.result + first),
            ),
        ),
    )
    x = numbers(9, 4)
    check(code, [x.ravel(), np.full(9, 7, np.float32), 9], target)


def test_loads_of_an_empty_loop_are_not_executed():
    """An invariant load may move out of its loop, but not past the test that the loop runs."""
    a, out, n, far, j = (
        buffer("a", F32),
        buffer("o", F32, True),
        size("n"),
        size("far"),
        Variable("j"),
    )
    body = Store(out, at(j), load(a, at(far)))
    for loop in (lanes(j, at(n), body), serial(j, at(n), body)):
        code = kernel([a, out, n, far], [], loop)
        run_compiled(code, [np.zeros(1, np.float32)] * 2 + [0, 1 << 44])


def test_loads_of_written_buffers_stay_in_the_loop():
    out, n, j = buffer("o", dtypes.int64, True), size("n"), Variable("j")
    body = Store(out, index(0), load(out, index(0)) + 1)
    code = kernel([out, n], [], serial(j, at(n), body))
    assert check(code, [np.zeros(1, np.int64), 1000])[0][0] == 1000


@TARGET
@pytest.mark.parametrize("extents", [(3, 4, 5), (1, 1, 7), (6, 1, 2)])
def test_grid_steps_like_an_odometer(extents, target):
    out = buffer("o", dtypes.int64, True)
    sizes, variables = [size(f"n{k}") for k in range(3)], [Variable(f"i{k}") for k in range(3)]
    i, j, k = map(at, variables)
    flat = (i * at(sizes[1]) + j) * at(sizes[2]) + k
    code = kernel(
        [out, *sizes],
        [(v, at(s)) for v, s in zip(variables, sizes, strict=True)],
        Store(out, flat, (i * 100 + j * 10 + k).cast(dtypes.int64)),
    )
    for chunk in (1, 4, 1000):
        check(code, [np.zeros(int(np.prod(extents)), np.int64), *extents], target, chunk)


def test_scalars_of_every_dtype():
    for dtype in dtypes.ALL:
        out, value = buffer("o", dtype, True), scalar("v", dtype)
        i = Variable("i")
        code = kernel([out, value], [], lanes(i, index(20), Store(out, at(i), at(value))))
        check(code, [np.zeros(20, numpy_dtype(dtype)), 1])


def test_affine_values_survive_narrow_types():
    """Lane numbers as values: wrapped, converted to floats, multiplied by run-time sizes."""
    n, i = size("n"), Variable("i")
    for dtype in (dtypes.int8, dtypes.int32, dtypes.uint8, F32, dtypes.float64):
        out = buffer("o", dtype, True)
        value = (at(i) * at(n) - 5).cast(dtypes.int32).cast(dtype) + at(i).cast(dtype)
        code = kernel([out, n], [], lanes(i, at(n), Store(out, at(i), -value * 3)))
        check(code, [np.zeros(300, numpy_dtype(dtype)), 300])


def test_two_folds_and_bool_carries():
    a, out, n, j = buffer("a", F32), buffer("o", dtypes.bool_, True), size("n"), Variable("j")
    everything = Carry("all", dtypes.bool_, constant(True, dtypes.bool_))
    some = Carry("any", dtypes.bool_, constant(False, dtypes.bool_))
    positive = load(a, at(j)) > 0
    folds = [
        Fold((everything,), (everything.now & positive,), lambda x, y: (x[0] & y[0],)),
        Fold((some,), (some.now | positive,), lambda x, y: (x[0] | y[0],)),
    ]
    stores = Store(out, index(0), everything.result), Store(out, index(1), some.result)
    code = kernel([a, out, n], [], lanes(j, at(n), folds=folds), *stores)
    for target in (HOST, AVX2):
        for x in (numbers(40), np.ones(50, np.float32), -np.ones(33, np.float32)):
            result = check(code, [x, np.zeros(2, bool), x.size], target)[1]
            assert result.tolist() == [bool((x > 0).all()), bool((x > 0).any())]


@TARGET
def test_serial_loops_of_different_length_in_each_lane(target):
    """Sums of segments; a lane whose segment is empty or over touches no memory."""
    a, starts, out = buffer("a", F32), buffer("s", dtypes.int64), buffer("o", F32, True)
    n, far, i, j = size("n"), size("far"), Variable("i"), Variable("j")
    begin, end = (load(starts, at(i) + k).cast(INDEX) for k in (0, 1))
    total = Carry("t", F32, constant(0, F32))
    place = at(j) + (begin.eq(end)).select(at(far), 0)
    inner = Loop(j, begin, end, LoopKind.SERIAL, (), (adder(total, load(a, place)),))
    once = load(a, begin + (begin.eq(end)).select(at(far), 0))  # the same in all iterations
    first = Carry("f", F32, constant(-1, F32))
    again = Loop(j, begin, end, LoopKind.SERIAL, (), (Fold((first,), (once,)),))
    body = (inner, again, Store(out, at(i), total.result + first.result * 100.0))
    code = kernel([a, starts, out, n, far], [], lanes(i, at(n), *body))
    for count in (1, 7, 32, 50):
        lengths = np.random.default_rng(count).integers(0, 5, count)
        borders = np.concatenate([[0], np.cumsum(lengths)])
        x = numbers(int(borders[-1]) + 1)
        result = np.zeros(count, np.float32)
        run_compiled(code, [x, borders, result, count, 1 << 44], target)
        pieces = [x[p:q] for p, q in zip(borders, borders[1:], strict=False)]
        expected = [
            np.add.accumulate(piece)[-1] + piece[0] * np.float32(100) if piece.size else -100
            for piece in pieces
        ]
        np.testing.assert_allclose(result, np.array(expected, np.float32), rtol=1e-6)


def test_fold_without_combine_is_refused():
    a, out, n, j = buffer("a", F32), buffer("o", F32, True), size("n"), Variable("j")
    total = Carry("t", F32, constant(0, F32))
    fold = Fold((total,), (total.now + load(a, at(j)),))
    loop = Loop(j, index(0), at(n), LoopKind.LANES, (), (fold,))
    code = kernel([a, out, n], [], loop, Store(out, index(0), total.result))
    with pytest.raises(InternalError, match="needs `combine`"):
        run_compiled(code, [np.zeros(1, np.float32)] * 2 + [1])


@TARGET
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 50])
@pytest.mark.parametrize("dtype", [F32, dtypes.float64, dtypes.int64, dtypes.uint8], ids=repr)
def test_running_folds(dtype, length, target):
    """Two rows scanned together, one of them with its greatest element so far and where it was."""
    a, out, most = buffer("a", dtype), buffer("out", dtype, True), buffer("most", dtype, True)
    where, n, i = buffer("where", dtypes.int32, True), size("n"), Variable("i")
    total = Carry("total", dtype, constant(1, dtype))
    best = Carry("best", dtype, load(a, index(0)))
    place = Carry("place", dtypes.int32, constant(0, dtypes.int32))

    def better(x, y):
        later = x[0] < y[0]
        return later.select(y[0], x[0]), later.select(y[1], x[1])

    second = load(a, at(i) + at(n))
    folds = (
        Fold((total,), (load(a, at(i)),), lambda x, y: (x[0] + y[0],)),
        Fold((best, place), (second, at(i).cast(dtypes.int32)), better),
    )
    stores = (
        Store(out, at(i), total.now, streamed=True),
        Store(most, at(n) - at(i) - 1, best.now),
        Store(where, at(i) * 2, place.now),
    )
    loop = Loop(i, index(0), at(n), LoopKind.RUNNING, stores, folds)
    code = kernel([a, out, most, where, n], [], loop)
    values = (numbers(2 * length + 1) * 20).astype(numpy_dtype(dtype))
    empty = np.zeros(length, values.dtype)
    arguments = [values, empty, empty.copy(), np.zeros(2 * length, np.int32), length]
    found = check(code, arguments, target)
    if length and dtype.is_integral:
        expected = 1 + np.cumsum(values[:length], dtype=values.dtype)
        np.testing.assert_array_equal(found[1], expected.astype(values.dtype))


def test_a_running_loop_inside_lanes_is_an_error():
    out, i, j = buffer("out", F32, True), Variable("i"), Variable("j")
    fold = adder(Carry("total", F32, constant(0.0, F32)), constant(1.0, F32))
    inner = Loop(j, index(0), index(3), LoopKind.RUNNING, (), (fold,))
    code = kernel([out], [], lanes(i, index(4), inner))
    with pytest.raises(InternalError, match="inside"):
        run_compiled(code, [np.zeros(4, np.float32)])


@TARGET
@pytest.mark.parametrize("stride", [1, 2])
def test_asking_ahead_changes_nothing(stride, target):
    """Also behind the end of the buffer, and for lanes that are not neighbours."""
    a, out, n, i = buffer("a", F32), buffer("out", F32, True), size("n"), Variable("i")
    ahead = Prefetch(a, at(i) * stride + at(n) * 1000)
    body = lanes(i, at(n), ahead, Store(out, at(i), load(a, at(i)) * 2.0))
    code = kernel([a, out, n], [], Prefetch(a, at(n)), body)
    x = numbers(77)
    found = check(code, [x, np.zeros_like(x), 77], target)
    np.testing.assert_array_equal(found[1], x * 2)
