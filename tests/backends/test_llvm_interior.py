"""Loops over lanes run without masks where every comparison holds, with the same results."""

import numpy as np
import pytest

from pumice import dtypes
from pumice.backends.llvm.function import module_text
from pumice.dtypes import DType
from pumice.kernel.ir import (
    Carry,
    Fold,
    Kernel,
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from tests.backends.llvm_support import (
    TARGETS,
    at,
    buffer,
    check,
    kernel,
    lanes,
    numpy_dtype,
    size,
)

TARGET = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
DTYPES = (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.int8, dtypes.int64)
MARGIN = 300
LENGTHS = (1, 7, 8, 9, 31, 56, 64, 100)


def added(carry: Carry, value: Value) -> Fold:
    return Fold((carry,), (carry.now + value,), lambda one, other: (one[0] + other[0],))


class Windows:
    """Sums of windows over both ends of a row: ``out[x] = sum of in[x * s + t * d - p]``.

    The rows above and below are conditions too: a row is out of the image when `inside` is not.
    """

    def __init__(self, dtype: DType, taps: int, stride: int) -> None:
        self.image, self.result = buffer("image", dtype), buffer("out", dtype, True)
        self.n, self.extent, self.pad, self.dilation, self.row, self.rows = map(
            size, ("n", "extent", "pad", "dilation", "row", "rows")
        )
        x, tap = Variable("x"), Variable("tap")
        place = at(x) * stride + at(tap) * at(self.dilation) - at(self.pad)
        inside = (index(0) <= place) & (place < at(self.extent))
        inside = (index(0) <= at(self.row)) & (at(self.row) < at(self.rows)) & inside
        carry = Carry("sum", dtype, constant(0, dtype))
        taken = load(self.image, place + MARGIN, inside)
        filled = inside.select(taken, constant(2, dtype))
        loop = Loop(tap, index(0), index(taps), LoopKind.SERIAL, (), (added(carry, filled),))
        self.code = self.finished(x, loop, Store(self.result, at(x), carry.result))

    def finished(self, x: Variable, *body: Statement) -> Kernel:
        parameters = [self.image, self.result, self.n, self.extent, self.pad, self.dilation]
        code = [lanes(x, at(self.n), *body)]
        return kernel([*parameters, self.row, self.rows], [(Variable("one"), index(1))], *code)


@TARGET
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("taps", "stride"), [(1, 1), (3, 1), (5, 1), (20, 1), (3, 2), (3, -1)])
def test_windows_over_both_ends(taps, stride, dtype, target):
    code = Windows(dtype, taps, stride).code
    source = np.random.default_rng(taps)
    for n in LENGTHS:
        for pad, dilation, row in ((taps // 2, 1, 0), (0, 1, 0), (3, 2, 0), (200, 1, 0), (1, 1, 5)):
            image = source.integers(-4, 5, n * 2 + 2 * MARGIN).astype(numpy_dtype(dtype))
            result = np.zeros(n, numpy_dtype(dtype))
            start = pad - (n - 1) * min(stride, 0)
            check(code, [image, result, n, n, start, dilation, row, 3], target)


def test_both_ways_are_there_only_where_lanes_wait():
    windows = Windows(dtypes.float32, 3, 1)
    assert "choice" in module_text(windows.code, TARGETS["avx2"], "entry")
    x = Variable("x")
    value = load(windows.image, at(x), at(windows.row) < at(windows.rows))
    alike = windows.finished(x, Store(windows.result, at(x), value))
    assert "choice" not in module_text(alike, TARGETS["avx2"], "entry")


@TARGET
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int8], ids=str)
def test_stores_and_sums_that_wait(dtype, target):
    windows = Windows(dtype, 3, 1)
    x = Variable("x")
    place = at(x) - at(windows.pad)
    inside = (index(0) <= place) & (place < at(windows.extent))
    carry = Carry("sum", dtype, constant(0, dtype))
    total = added(carry, load(windows.image, place + MARGIN, inside))
    store = Store(windows.result, place + MARGIN, load(windows.image, at(x)), inside)
    loop = Loop(x, index(0), at(windows.n), LoopKind.LANES, (store,), (total,))
    parameters = [windows.image, windows.result, windows.n, windows.extent, windows.pad]
    last = Store(windows.result, index(0), carry.result)
    code = kernel(parameters, [(Variable("one"), index(1))], loop, last)
    for n in LENGTHS:
        for pad in (0, 1, 9, 40, -5):
            image = np.arange(n + 2 * MARGIN).astype(numpy_dtype(dtype)) % 7
            check(code, [image, np.zeros_like(image), n, n - 3, pad], target)


@TARGET
def test_bounds_that_loops_inside_or_memory_decide_stay_masks(target):
    """A loop inside that may not run, and a bound that is read, cannot be tested beforehand."""
    windows = Windows(dtypes.float32, 3, 1)
    limits = buffer("limits", dtypes.int64)
    x, tap = Variable("x"), Variable("tap")
    place = at(x) + at(tap)
    read = load(limits, at(tap))
    inside = (place < at(windows.extent)) & (place.cast(dtypes.int64) < read)
    carry = Carry("sum", dtypes.float32, constant(0, dtypes.float32))
    taken = load(windows.image, place, inside)
    loop = Loop(tap, index(0), at(windows.row), LoopKind.SERIAL, (), (added(carry, taken),))
    body = lanes(x, at(windows.n), loop, Store(windows.result, at(x), carry.result))
    parameters = [windows.image, windows.result, windows.n, windows.extent, windows.row, limits]
    code = kernel(parameters, [(Variable("one"), index(1))], body)
    for n in LENGTHS:
        for taps in (0, 1, 4):
            image = np.arange(n + MARGIN, dtype=np.float32)
            result, bounds = np.zeros(n, np.float32), np.array([3, n, 5, n - 2])
            check(code, [image, result, n, n + 1, taps, bounds], target)
