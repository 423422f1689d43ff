"""Passes: what they change, what they must leave, and that results never differ."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.arithmetic import Array, cast, numpy_dtype
from pumice.kernel.interpret import interpret_kernel
from pumice.kernel.ir import (
    INDEX,
    Carry,
    FaultCode,
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
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.passes.hoist import hoist
from pumice.kernel.passes.number import number
from pumice.kernel.passes.pipeline import PASSES, optimise
from pumice.kernel.passes.simplify import simplify
from pumice.kernel.printer import print_kernel
from pumice.kernel.verify import verify_kernel
from pumice.kernel.walk import all_values

A = Parameter("a", Role.BUFFER, dtypes.float32)
B = Parameter("b", Role.BUFFER, dtypes.float32)
OUT = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
N = Parameter("n", Role.INDEX, INDEX)
D = Parameter("d", Role.INDEX, INDEX)
ROW, COLUMN = Variable("i"), Variable("j")
F32 = dtypes.float32


def use(leaf: Parameter | Variable) -> Value:
    if isinstance(leaf, Variable):
        return Value(Instruction.VARIABLE, INDEX, (), leaf)
    return Value(Instruction.PARAMETER, leaf.dtype, (), leaf)


def kernel_of(*body: Statement) -> Kernel:
    return Kernel((A, B, OUT, N, D), Grid((ROW,), (use(N),)), body)


def simplified(value: Value) -> Value:
    """Return what `simplify` makes of one value."""
    out = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
    if value.dtype is not INDEX:
        out = Parameter("out", Role.BUFFER, value.dtype, writable=True)
    fault = Parameter("fault", Role.BUFFER, dtypes.int64, writable=True)
    parameters = (A, B, N, D, out, fault)
    # An INDEX cannot be stored, so it is looked at as an address.
    zero = constant(0.0, F32)
    store = Store(out, value, zero) if value.dtype is INDEX else Store(out, index(0), value)
    kernel = Kernel(parameters, Grid((ROW,), (use(N),)), (store,), faults=True)
    verify_kernel(kernel)
    result = simplify(kernel)
    verify_kernel(result)
    (store,) = result.body
    assert isinstance(store, Store)
    return store.at if value.dtype is INDEX else store.value


# -- golden texts -------------------------------------------------------------------------------


def test_golden(
    name: str, build: Callable[[str], Kernel], golden: Callable[[str, str], None]
) -> None:
    golden(f"{name}_optimised", print_kernel(optimise(build(name))))


def test_optimise_is_stable(name: str, build: Callable[[str], Kernel]) -> None:
    once = optimise(build(name))
    verify_kernel(once)
    assert print_kernel(optimise(once)) == print_kernel(once)


# -- simplify -----------------------------------------------------------------------------------


def test_constants_are_folded() -> None:
    result = simplified((constant(2.0, F32) * 1.5).cast(dtypes.int8) + 100)
    assert (result.instruction, result.attribute) == (Instruction.CONSTANT, 103)
    wrapped = simplified(constant(100, dtypes.int8) + 100)
    assert wrapped.attribute == -56
    rounded = simplified(constant(0.1, F32) + 0.2)
    assert rounded.attribute == float(np.float32(0.1) + np.float32(0.2))


def test_neutral_integer_operations_vanish() -> None:
    i = use(ROW)
    assert simplified(i + 0) is i
    assert simplified(0 + i) is i
    assert simplified(i - 0) is i
    assert simplified(i * 1) is i
    assert simplified(i.quotient(1)) is i
    assert simplified(i & -1) is i
    assert simplified(i << 0) is i
    assert simplified(i * 0).attribute == 0
    assert simplified(i.modulus(1)).attribute == 0
    regrouped = simplified(((i + 5) + use(N) * 0) - 3)
    assert regrouped.arguments[0] is i
    assert regrouped.arguments[1].attribute == 2


def test_float_operations_that_can_change_bits_stay() -> None:
    x = load(A, use(ROW))
    for value in (x + 0.0, x - (-0.0), x * 0.0, x - x, x * -1.0, x / 2.0, x + x * 0.0, 0.0 - x):
        assert simplified(value) is value


def test_float_operations_that_change_no_bit_vanish() -> None:
    x = load(A, use(ROW))
    negated = -x
    for value in (x * 1.0, 1.0 * x, x / 1.0, x - 0.0, x + -0.0, -negated):
        assert simplified(value) is x


def test_no_constant_nan_is_computed() -> None:
    for value in (constant(math.inf, F32) - math.inf, constant(-1.0, F32).square_root()):
        assert simplified(value).instruction is value.instruction


def test_undefined_integer_operations_are_not_folded() -> None:
    one = constant(1, dtypes.int32)
    for value in (one.quotient(0), one.modulus(0), one << 32, one >> -1):
        assert simplified(value).instruction is value.instruction


def test_select_with_known_condition() -> None:
    x, y = load(A, use(ROW)), load(B, use(ROW))
    yes = constant(1.0, F32) < 2.0
    assert simplified(yes.select(x, y)) is x
    assert simplified((~yes).select(x, y)) is y
    assert simplified((x < y).select(x, x)) is x


def test_exact_cast_chains_shorten() -> None:
    i8, x = load(A, use(ROW)).cast(dtypes.int8), load(A, use(ROW))
    half = x.cast(dtypes.float16)
    assert simplified(half.cast(F32).cast(dtypes.float16)) is half
    assert simplified(i8.cast(F32).cast(dtypes.int8)) is i8
    assert simplified(half.cast(F32)).arguments == (half,), "rounding must stay"
    wide = x.cast(dtypes.uint32)
    through = wide.cast(dtypes.float64).cast(dtypes.int32)
    assert simplified(through).arguments[0].dtype is dtypes.float64, "3e9 does not wrap this way"


@pytest.mark.parametrize("origin", dtypes.ALL, ids=str)
def test_cast_chains_keep_every_value(origin: DType) -> None:
    """Through every type to every type: what the pass makes of two casts gives the same."""
    if origin.kind is dtypes.Kind.BOOL:
        numbers = np.array([False, True])
    elif origin.is_floating_point:
        numbers = np.array(
            [0.0, -0.0, 0.5, -1.5, 1, 2, 3, 200, -200, 6e4, 7e4, 3e9, np.inf, np.nan]
        )
    else:
        limits = np.iinfo(numpy_dtype(origin))
        numbers = np.array(
            [0, 1, 2, 3, 4, 100, limits.max, limits.max - 1, limits.min, limits.min + 1]
        )
    chains = list(itertools.product(dtypes.ALL, dtypes.ALL))
    source = Parameter("x", Role.BUFFER, origin)
    targets = {
        each: Parameter(f"to_{each.name}", Role.BUFFER, each, writable=True) for each in dtypes.ALL
    }
    leaf = load(source, use(ROW))
    body = tuple(
        Store(targets[target], index(place), leaf.cast(middle).cast(target))
        for place, (middle, target) in enumerate(chains)
    )
    kernel = Kernel((source, N, *targets.values()), Grid((ROW,), (use(N),)), body)
    stores = [each for each in simplify(kernel).body if isinstance(each, Store)]
    with np.errstate(all="ignore"):
        values = numbers.astype(numpy_dtype(origin))
        for (middle, target), store in zip(chains, stores, strict=True):
            expected = cast(cast(values, origin, middle), middle, target)
            found = values
            for step in _casts(store.value):
                found = cast(found, step.arguments[0].dtype, step.dtype)
            assert found.dtype == expected.dtype, (middle, target)
            if target.is_floating_point:  # NumPy cannot compare NaN of foreign types
                found, expected = found.astype(np.float64), expected.astype(np.float64)
            np.testing.assert_array_equal(found, expected, f"{origin} {middle} {target}")


def _casts(value: Value) -> list[Value]:
    """Return the casts between a load and a value, the innermost first."""
    if value.instruction is Instruction.LOAD:
        return []
    assert value.instruction is Instruction.CAST
    return [*_casts(value.arguments[0]), value]


def test_checks_are_kept_unless_they_cannot_fail() -> None:
    checked = use(ROW).fail_if(use(ROW) < use(N), FaultCode.INDEX_OUT_OF_RANGE.value)
    for value in (
        checked * 0,
        constant(False, dtypes.bool_).select(checked, use(ROW)),
        checked.ne(0) & False,
    ):
        kept = simplified(value)
        assert any(
            found.instruction is Instruction.CHECKED
            for found in all_values(kernel_of(Store(OUT, index(0), kept)))
        )
    row = use(ROW)
    never = row.fail_if(constant(False, dtypes.bool_), FaultCode.INDEX_OUT_OF_RANGE.value)
    assert simplified(never) is row


def test_idle_statements_vanish() -> None:
    yes, no = constant(True, dtypes.bool_), constant(False, dtypes.bool_)
    x = load(A, use(ROW), yes)
    store = Store(OUT, use(ROW), x, yes)
    body = (
        Let(use(ROW) + 0),
        Store(OUT, use(ROW), x, no),
        If(no, (store,)),
        store,
        Loop(COLUMN, index(3), index(3), LoopKind.SERIAL, (store,)),
    )
    text = print_kernel(simplify(kernel_of(*body)))
    assert text.splitlines()[2:] == ["    %0 = load p0[v0]", "    store p2[v0] = %0"]


def test_a_condition_that_always_holds_keeps_its_scope() -> None:
    again = load(OUT, use(ROW)) + 1.0
    store = Store(OUT, use(ROW), again)
    kernel = kernel_of(If(constant(True, dtypes.bool_), (store,)), store)
    assert print_kernel(simplify(kernel)).count("load") == 2


# -- number -------------------------------------------------------------------------------------


def test_merging_of_partial_results_is_rewritten_too() -> None:
    total = Carry("total", F32, constant(0.0, F32))
    fold = Fold((total,), (total.now + 1.0,), lambda x, y: (x[0] * 1.0 + y[0] / 1.0,))
    loop = Loop(COLUMN, index(0), use(N), LoopKind.LANES, (), (fold,))
    kernel = simplify(kernel_of(loop, Store(OUT, use(ROW), total.result)))
    text = print_kernel(kernel)
    assert "add.f32 l0, r0" in text
    assert "mul" not in text
    empty, out = np.zeros(0, np.float32), np.zeros(1, np.float32)
    interpret_kernel(kernel, [empty, empty, np.resize(out, 9), 9, 0])
    interpret_kernel(kernel, [empty, empty, out, 1, 0])
    assert out[0] == 1.0


def test_equal_values_become_one() -> None:
    first, second = load(A, use(ROW) * 2), load(A, use(ROW) * 2)
    kernel = number(kernel_of(Store(OUT, use(ROW), first + second)))
    assert print_kernel(kernel).count("load") == 1
    assert print_kernel(kernel).count("mul.index") == 1


def test_constants_of_other_bits_stay_apart() -> None:
    x = load(A, use(ROW))
    body = (Store(OUT, use(ROW), (x + 0.0) * (x + -0.0) + (x + math.nan) * (x + math.nan)),)
    text = print_kernel(number(kernel_of(*body)))
    assert text.count("add.f32") == 4, "two zeros, one shared NaN, one sum"


def test_loads_from_written_buffers_stay_apart() -> None:
    first, second = load(OUT, use(ROW)), load(OUT, use(ROW))
    body = (Let(first), Store(OUT, use(ROW), first + 1.0), Store(OUT, use(ROW), second + 1.0))
    assert print_kernel(number(kernel_of(*body))).count("load") == 2


def test_numbering_makes_text_independent_of_sharing() -> None:
    x = load(A, use(ROW))
    shared = kernel_of(Store(OUT, use(ROW), x * x))
    copied = kernel_of(Store(OUT, use(ROW), load(A, use(ROW)) * load(A, use(ROW))))
    assert print_kernel(shared) != print_kernel(copied)
    assert print_kernel(number(shared)) == print_kernel(number(copied))


# -- hoist --------------------------------------------------------------------------------------


def looped(*body: Statement, stop: Value | None = None) -> Kernel:
    loop = Loop(COLUMN, index(0), use(N) if stop is None else stop, LoopKind.LANES, body)
    return kernel_of(loop)


def test_invariant_values_move_in_front_and_are_guarded() -> None:
    at = use(ROW) * use(N) + use(COLUMN)
    kernel = hoist(looped(Store(OUT, at, load(A, at) * load(B, use(ROW).quotient(use(D))))))
    assert print_kernel(kernel).splitlines()[1:] == [
        "  grid v0 < p3",
        "    %0 = mul.index v0, p3",
        "    let %0",
        "    %1 = lt.index 0, p3",
        "    %2 = select.index %1, p4, 1",
        "    %3 = quotient.index v0, %2",
        "    %4 = load p1[%3] if %1",
        "    let %4",
        "    lanes v1 in 0..p3",
        "      %5 = add.index %0, v1",
        "      %6 = load p0[%5]",
        "      %7 = mul.f32 %6, %4",
        "      store p2[%5] = %7",
    ]


def test_no_guard_where_the_loop_is_known_to_run() -> None:
    kernel = hoist(looped(Store(OUT, use(COLUMN), load(B, use(ROW))), stop=index(4)))
    assert "load p1[v0]\n    let %0\n    lanes" in print_kernel(kernel)


def test_a_loop_that_does_not_run_stays_harmless() -> None:
    body = (Store(OUT, use(COLUMN), load(B, use(ROW).quotient(use(D)) + 7)),)
    loop = Loop(COLUMN, index(0), use(D), LoopKind.SERIAL, body)
    kernel = hoist(kernel_of(loop))
    verify_kernel(kernel)
    empty, out = np.zeros(0, np.float32), np.ones(1, np.float32)
    interpret_kernel(kernel, [empty, empty, out, 3, 0])
    assert out[0] == 1.0


def test_a_loop_known_not_to_run_is_guarded_too() -> None:
    total = Carry("total", F32, constant(1.0, F32))
    fold = Fold((total,), (total.now + load(B, use(ROW)),))
    loop = Loop(COLUMN, index(4), index(4), LoopKind.SERIAL, (), (fold,))
    kernel = hoist(kernel_of(loop, Store(OUT, use(ROW), total.result)))
    empty, out = np.zeros(0, np.float32), np.zeros(2, np.float32)
    interpret_kernel(kernel, [empty, empty, out, 2, 0])
    assert out.tolist() == [1.0, 1.0]


def test_conditions_move_and_what_they_guard_does_not() -> None:
    body = If(use(ROW) < use(D), (Store(OUT, use(COLUMN), load(B, use(ROW) * 2)),))
    loop = Loop(COLUMN, index(0), use(N), LoopKind.SERIAL, (body,))
    front, inside = print_kernel(hoist(kernel_of(loop))).split("    serial")
    assert "lt.index" in front
    assert "load" in inside


def test_what_may_change_or_fail_stays_in_the_loop() -> None:
    checked = use(ROW).fail_if(use(ROW) < 3, FaultCode.INDEX_OUT_OF_RANGE.value)
    total = Carry("total", F32, constant(0.0, F32))
    following = total.now + load(OUT, use(ROW))
    body = (
        Store(OUT, use(COLUMN), load(A, checked)),
        If(use(ROW) < use(COLUMN), (Store(OUT, use(ROW) * 2, load(A, use(ROW) * 3)),)),
    )
    loop = Loop(COLUMN, index(0), use(N), LoopKind.SERIAL, body, (Fold((total,), (following,)),))
    kernel = Kernel(
        (A, OUT, N, Parameter("fault", Role.BUFFER, dtypes.int64, True)),
        Grid((ROW,), (use(N),)),
        (loop,),
        faults=True,
    )
    verify_kernel(kernel)
    text = print_kernel(hoist(kernel))
    front, inside = text.split("    serial")
    assert not any(word in front for word in ("load", "checked", "mul"))
    assert "lt.index v0, 3" in front, "the condition alone may move"
    assert inside.count("load") == 3


def test_values_climb_out_of_nested_loops() -> None:
    third = Variable("k")
    scale = load(B, use(ROW)) * 2.0
    at = use(COLUMN) * use(N) + use(third)
    inner = Loop(third, index(0), use(N), LoopKind.LANES, (Store(OUT, at, scale),))
    outer = Loop(COLUMN, index(0), use(N), LoopKind.SERIAL, (inner,))
    kernel = hoist(kernel_of(outer))
    verify_kernel(kernel)
    lines = [line.strip() for line in print_kernel(kernel).splitlines()]
    serial, lanes = (
        next(place for place, line in enumerate(lines) if line.startswith(word))
        for word in ("serial", "lanes")
    )
    assert any(line.startswith("load", 5) for line in lines[:serial])
    assert any(line.startswith("mul.index", 5) for line in lines[serial:lanes])
    assert not any("mul" in line for line in lines[lanes:])


# -- all together -------------------------------------------------------------------------------


def test_deep_chains() -> None:
    value = load(A, use(ROW))
    for step in range(5000):
        value = value * 1.0001 + (0.0 if step % 2 else -0.0)
    total = Carry("total", F32, value)
    loop = Loop(
        COLUMN,
        index(0),
        use(N),
        LoopKind.LANES,
        (Store(OUT, use(COLUMN), value),),
        (Fold((total,), (total.now + value,), lambda x, y: (x[0] + y[0],)),),
    )
    kernel = kernel_of(loop)
    verify_kernel(optimise(kernel))


TYPES = (
    dtypes.bool_,
    dtypes.uint8,
    dtypes.int16,
    dtypes.int32,
    dtypes.uint32,
    dtypes.int64,
    dtypes.uint64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 255.0, 3e9, -3e9, math.inf, -math.inf, math.nan]


class Growing:
    """A random expression DAG, grown from what hypothesis draws."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], leaves: list[Value]) -> None:
        self.draw = draw
        self.values = leaves

    def pick(self, dtype: DType) -> Value:
        """Return some value of a dtype: an existing one, a cast or a constant."""
        choice = self.draw(st.integers(0, 3))
        same = [value for value in self.values if value.dtype is dtype]
        if choice == 0 or not self.values:
            special = self.draw(st.sampled_from(SPECIAL if dtype.is_floating_point else [0, 1, 2]))
            return constant(special, dtype)
        if same and choice > 1:
            return self.draw(st.sampled_from(same))  # type: ignore[no-any-return]
        return self.draw(st.sampled_from(self.values)).cast(dtype)  # type: ignore[no-any-return]

    def grow(self) -> None:
        dtype = self.draw(st.sampled_from((*TYPES, INDEX)))
        x, y = self.pick(dtype), self.pick(dtype)
        kinds: list[Callable[[], Value]] = [
            lambda: self.pick(dtypes.bool_).select(x, y),
            lambda: x.cast(self.draw(st.sampled_from(TYPES))),
            lambda: x < y,
            lambda: x.eq(y),
        ]
        if dtype.is_floating_point:
            kinds += [
                lambda: x + y,
                lambda: x - y,
                lambda: x * y,
                lambda: x / y,
                lambda: -x,
                lambda: x.square_root(),
                lambda: x.round_even(),
                lambda: x.multiply_add(y, x),
            ]
        else:
            kinds += [lambda: x & y, lambda: x | y, lambda: x ^ y, lambda: ~x]
        if dtype.is_integral:
            kinds += [
                lambda: x + y,
                lambda: x - y,
                lambda: x * y,
                lambda: x.quotient(y),
                lambda: x.modulus(y),
                lambda: x << (y & 7),
                lambda: x >> (y & 7),
            ]
        self.values.append(self.draw(st.sampled_from(kinds))())


def merging(dtype: DType) -> Callable[[tuple[Value], tuple[Value]], tuple[Value]]:
    """Return a combine that gives every pass something to do."""
    outer = use(D).cast(dtype)
    if not dtype.is_floating_point:
        return lambda x, y: ((x[0] | constant(0, dtype)) ^ (y[0] & outer),)
    return lambda x, y: ((x[0] * 1.0 + y[0]) - use(D).cast(dtype) * outer,)


@st.composite
def kernels(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Kernel:
    """A loop nest whose bounds, folds, masks and stores hold random expressions."""
    store_type, fold_type = draw(st.sampled_from(TYPES)), draw(st.sampled_from(TYPES))
    out = Parameter("out", Role.BUFFER, store_type, writable=True)
    last = Parameter("last", Role.BUFFER, fold_type, writable=True)
    at = use(ROW) * use(N) + use(COLUMN)
    carry = Carry("carry", fold_type, constant(draw(st.sampled_from([0, 1])), fold_type))
    leaves = [load(A, at), load(A, use(ROW)), load(B, use(COLUMN)), load(B, use(ROW) * 2)]
    leaves += [use(ROW), use(COLUMN), use(D), load(out, at), load(A, at, use(COLUMN) < use(D))]
    growing = Growing(draw, [*leaves, carry.now])
    for _ in range(draw(st.integers(1, 25))):
        growing.grow()
    kind = draw(st.sampled_from([LoopKind.SERIAL, LoopKind.LANES]))
    mask = growing.pick(dtypes.bool_) if draw(st.booleans()) else None
    body: tuple[Statement, ...] = (Store(out, at, growing.pick(store_type), mask),)
    if kind is LoopKind.SERIAL and draw(st.booleans()):
        body = (If(growing.pick(dtypes.bool_), body), *body)
    fold = Fold((carry,), (growing.pick(fold_type),), merging(fold_type))
    stop = draw(st.sampled_from([use(N), use(D), index(0), index(3)]))
    loop = Loop(COLUMN, index(0), stop, kind, body, (fold,))
    after = Growing(draw, [carry.result, load(A, use(ROW)), use(ROW)])
    for _ in range(draw(st.integers(0, 5))):
        after.grow()
    store = Store(last, use(ROW), after.pick(fold_type))
    return Kernel((A, B, out, last, N, D), Grid((ROW,), (use(N),)), (loop, store))


def results(kernel: Kernel, divisor: int) -> list[Array]:
    random = np.random.default_rng(7)
    a, b = (random.standard_normal(16).astype(np.float32) * 3 for _ in range(2))
    a[3], b[5], b[1] = np.nan, np.inf, -0.0
    outputs = [np.ones(16, numpy_dtype(parameter.dtype)) for parameter in kernel.parameters[2:4]]
    interpret_kernel(kernel, [a, b, *outputs, 4, divisor])
    return outputs


def same_bits(first: Array, second: Array) -> bool:
    """Compare bit for bit, any NaN equal to any other."""
    if first.dtype.kind not in "fV":
        return bool((first == second).all())
    nan = first != first
    bits = f"u{first.dtype.itemsize}"
    return bool(
        (nan == (second != second)).all() and (first.view(bits) == second.view(bits))[~nan].all()
    )


@pytest.mark.parametrize("improve", [*PASSES, optimise])
@settings(max_examples=60, deadline=None)
@given(kernel=kernels(), divisor=st.sampled_from([0, 1, 3, 4]))
def test_passes_change_no_result(
    improve: Callable[[Kernel], Kernel], kernel: Kernel, divisor: int
) -> None:
    verify_kernel(kernel)
    note(print_kernel(kernel))
    improved = improve(kernel)
    note(print_kernel(improved))
    verify_kernel(improved)
    before, after = results(kernel, divisor), results(improved, divisor)
    assert all(same_bits(one, other) for one, other in zip(before, after, strict=True))
