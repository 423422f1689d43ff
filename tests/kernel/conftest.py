"""Small kernels that several tests of the kernel IR use."""

from collections.abc import Callable

import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Contract,
    FaultCode,
    Fold,
    Grid,
    If,
    Instruction,
    Kernel,
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Prefetch,
    Role,
    Store,
    Transpose,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.target import ProductTile


def buffer(name: str, dtype: DType = dtypes.float32, writable: bool = False) -> Parameter:
    return Parameter(name, Role.BUFFER, dtype, writable)


def size(name: str) -> Parameter:
    return Parameter(name, Role.INDEX, INDEX)


def use(leaf: Parameter | Variable) -> Value:
    if isinstance(leaf, Variable):
        return Value(Instruction.VARIABLE, INDEX, (), leaf)
    return Value(Instruction.PARAMETER, leaf.dtype, (), leaf)


def elementwise() -> Kernel:
    """``out[i] = scale * a[i] + 0.5``, the scale an argument."""
    a, out, n = buffer("a"), buffer("out", writable=True), size("n")
    scale, i = Parameter("scale", Role.SCALAR, dtypes.float32), Variable("i")
    value = use(scale) * load(a, use(i)) + 0.5
    return Kernel((a, out, n, scale), Grid((i,), (use(n),)), (Store(out, use(i), value),))


def row_sum() -> Kernel:
    """``out[i] = sum of a[i, :]``, by virtual lanes."""
    a, out, rows, columns = buffer("a"), buffer("out", writable=True), size("m"), size("n")
    i, j = Variable("i"), Variable("j")
    total = Carry("total", dtypes.float32, constant(0.0, dtypes.float32))
    element = load(a, use(i) * use(columns) + use(j))
    fold = Fold((total,), (total.now + element,), lambda x, y: (x[0] + y[0],))
    loop = Loop(j, index(0), use(columns), LoopKind.LANES, (), (fold,))
    body = (loop, Store(out, use(i), total.result))
    return Kernel((a, out, rows, columns), Grid((i,), (use(rows),)), body)


def argmax() -> Kernel:
    """``out[0] = argmax of a``, the first of equal ones."""
    a, out, n = buffer("a"), buffer("out", dtypes.int64, writable=True), size("n")
    j = Variable("j")
    best = Carry("best", dtypes.float32, constant(float("-inf"), dtypes.float32))
    place = Carry("place", dtypes.int64, constant((1 << 63) - 1, dtypes.int64))

    def better(x: tuple[Value, ...], y: tuple[Value, ...]) -> tuple[Value, ...]:
        first = (y[0] < x[0]) | (x[0].eq(y[0]) & (x[1] < y[1]))
        return first.select(x[0], y[0]), first.select(x[1], y[1])

    new = better((best.now, place.now), (load(a, use(j)), use(j).cast(dtypes.int64)))
    fold = Fold((best, place), new, better)
    loop = Loop(j, index(0), use(n), LoopKind.LANES, (), (fold,))
    return Kernel((a, out, n), Grid((), ()), (loop, Store(out, index(0), place.result)))


def padded() -> Kernel:
    """``out[i] = a[i - before]`` inside a, 0 outside; stored where i is even only."""
    a, out = buffer("a", dtypes.bfloat16), buffer("out", dtypes.bfloat16, writable=True)
    before, length, n, i = size("before"), size("length"), size("n"), Variable("i")
    source = use(i) - use(before)
    inside = (source >= 0) & (source < use(length))
    even = (use(i) & 1).eq(0)
    store = Store(out, use(i), load(a, source, inside), even)
    return Kernel((a, out, before, length, n), Grid((i,), (use(n),)), (store,))


def running_sum() -> Kernel:
    """``out[i, j] = a[i, 0] + ... + a[i, j]`` in order."""
    a, out, rows, columns = buffer("a"), buffer("out", writable=True), size("m"), size("n")
    i, j = Variable("i"), Variable("j")
    at = use(i) * use(columns) + use(j)
    total = Carry("total", dtypes.float32, constant(0.0, dtypes.float32))
    following = total.now + load(a, at)
    loop = Loop(
        j,
        index(0),
        use(columns),
        LoopKind.SERIAL,
        (Store(out, at, following),),
        (Fold((total,), (following,)),),
    )
    return Kernel((a, out, rows, columns), Grid((i,), (use(rows),)), (loop,))


def gather() -> Kernel:
    """``out[i] = table[ids[i]]``, ids checked; rows with flag only."""
    table, ids = buffer("table"), buffer("ids", dtypes.int32)
    flags, out = buffer("flags", dtypes.bool_), buffer("out", writable=True)
    n, length, i = size("n"), size("length"), Variable("i")
    fault = buffer("fault", dtypes.int64, writable=True)
    wanted = load(ids, use(i)).cast(INDEX)
    wrong = (wanted < 0) | (wanted >= use(length))
    safe = wanted.fail_if(wrong, FaultCode.INDEX_OUT_OF_RANGE.value)
    store = Store(out, use(i), load(table, safe, ~wrong))
    body = (If(load(flags, use(i)), (store,)),)
    parameters = (table, ids, flags, out, n, length, fault)
    return Kernel(parameters, Grid((i,), (use(n),)), body, faults=True)


def product() -> Kernel:
    """``out[b, i, j] = relu(sum of left * right + bias[j])``, later batches with fewer steps."""
    left, right, bias = buffer("left"), buffer("right"), buffer("bias")
    out = buffer("out", writable=True)
    batches, m, n, k = size("batches"), size("m"), size("n"), size("k")
    b, i, j, p = Variable("b"), Variable("i"), Variable("j"), Variable("p")
    element = Value(Instruction.ACCUMULATOR, dtypes.float32) + load(bias, use(j))
    positive = (element < 0.0).select(0.0, element)
    at = (use(b) * use(m) + use(i)) * use(n) + use(j)
    first = use(b) * use(k)
    contract = Contract(
        load(left, use(i) * use(k) * use(batches) + first + use(p)),
        load(right, (first + use(p)) * use(n) + use(j)) * 2.0,
        use(batches), use(m), use(n), use(k) - use(b),
        b, i, j, p,
        ProductTile(4, 8, 2, 4, 1, 2, 4),
        (Store(out, at, positive),),
    )  # fmt: skip
    return Kernel((left, right, bias, out, batches, m, n, k), Grid((), ()), (contract,))


def tiled() -> Kernel:
    """``out = a @ b`` for one 2 x 4 tile in local memory."""
    a, b, out, k = buffer("a"), buffer("b"), buffer("out", writable=True), size("k")
    tile = Parameter("tile", Role.LOCAL, dtypes.float32, writable=True, extent=8)
    i, fresh = Variable("i"), constant(True, dtypes.bool_)
    multiply = Multiply(
        tile, index(0), 4, fresh, a, index(0), use(k), index(1),
        b, index(0), index(4), use(k), 2, 4,
        ahead=(b, a), ahead_at=(use(k) * 4, index(4), index(0), use(k), index(9), *[index(1)] * 3),
    )  # fmt: skip
    store = Store(out, use(i), load(tile, use(i)))
    body = (multiply, Loop(i, index(0), index(8), LoopKind.LANES, (store,)))
    return Kernel((a, b, out, k), Grid((), ()), body, locals=(tile,))


def resumed() -> Kernel:
    """``out = a @ b`` for one 2 x 4 tile, its second half of k added on the way to ``out``."""
    a, b, out, k = buffer("a"), buffer("b"), buffer("out", writable=True), size("k")
    tile = Parameter("tile", Role.LOCAL, dtypes.float32, writable=True, extent=8)
    half = use(k).quotient(2)
    first = Multiply(
        tile, index(0), 4, constant(True, dtypes.bool_), a, index(0), use(k), index(1),
        b, index(0), index(4), half, 2, 4,
    )  # fmt: skip
    second = Multiply(
        tile, index(0), 4, constant(False, dtypes.bool_), a, half, use(k), index(1),
        b, half * 4, index(4), use(k) - half, 2, 4, result=out, result_at=(index(0), index(4)),
    )  # fmt: skip
    return Kernel((a, b, out, k), Grid((), ()), (first, second), locals=(tile,))


def turned() -> Kernel:
    """``out = a.T`` for 4 rows of a, through local memory."""
    a, out, k = buffer("a"), buffer("out", writable=True), size("k")
    local = Parameter("local", Role.LOCAL, dtypes.float32, writable=True, extent=64)
    i = Variable("i")
    transpose = Transpose(local, index(0), 4, a, index(0), use(k), use(k), 4)
    store = Store(out, use(i), load(local, use(i)))
    body = (
        Prefetch(a, use(k) * 4),
        transpose,
        Loop(i, index(0), use(k) * 4, LoopKind.LANES, (store,)),
    )
    return Kernel((a, out, k), Grid((), ()), body, locals=(local,))


BUILDERS: dict[str, Callable[[], Kernel]] = {
    build.__name__: build
    for build in (
        elementwise,
        row_sum,
        argmax,
        padded,
        running_sum,
        gather,
        product,
        tiled,
        resumed,
        turned,
    )
}


@pytest.fixture
def build() -> Callable[[str], Kernel]:
    """Return a function that builds one of the kernels above afresh."""
    return lambda name: BUILDERS[name]()


@pytest.fixture(params=list(BUILDERS))
def name(request: pytest.FixtureRequest) -> str:
    """The name of each of the kernels above in turn."""
    return str(request.param)
