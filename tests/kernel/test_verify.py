"""Each rule of the IR is seen to be enforced."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InternalError
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
    Let,
    Loop,
    LoopKind,
    Multiply,
    MultiplyWords,
    Parameter,
    Prefetch,
    Role,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.kernel.verify import verify_kernel
from pumice.target import MatrixShape, ProductTile

A = Parameter("a", Role.BUFFER, dtypes.float32)
OUT = Parameter("out", Role.BUFFER, dtypes.float32, writable=True)
N = Parameter("n", Role.INDEX, INDEX)
S = Parameter("s", Role.SCALAR, dtypes.int32)
FAULT = Parameter("fault", Role.BUFFER, dtypes.int64, writable=True)
ROW, COLUMN = Variable("i"), Variable("j")


def value(
    instruction: Instruction, dtype: DType, *arguments: Value, attribute: Any = None
) -> Value:
    return Value(instruction, dtype, arguments, attribute)


def use(leaf: Parameter | Variable) -> Value:
    if isinstance(leaf, Variable):
        return value(Instruction.VARIABLE, INDEX, attribute=leaf)
    return value(Instruction.PARAMETER, leaf.dtype, attribute=leaf)


F32, I32 = constant(1.0, dtypes.float32), constant(1, dtypes.int32)
YES = constant(True, dtypes.bool_)
ELEMENT = load(A, use(ROW))


def kernel_of(*body: Statement, **changes: Any) -> Kernel:
    kernel = Kernel((A, OUT, N, S), Grid((ROW,), (use(N),)), body)
    return replace(kernel, **changes) if changes else kernel


def let(instruction: Instruction, dtype: DType, *arguments: Value, attribute: Any = None) -> Kernel:
    return kernel_of(Let(value(instruction, dtype, *arguments, attribute=attribute)))


def loop(*body: Statement, kind: LoopKind = LoopKind.SERIAL, **changes: Any) -> Loop:
    made = Loop(COLUMN, index(0), use(N), kind, body)
    return replace(made, **changes) if changes else made


def total(dtype: DType = dtypes.float32) -> Carry:
    return Carry("total", dtype, constant(0, dtype))


HALVES = MatrixShape(16, 16, 16, "float16", "float32", 8)


def contract(**changes: Any) -> Contract:
    sizes = (index(1), use(N), use(N), use(N))
    variables = (Variable("b"), Variable("r"), Variable("c"), Variable("p"))
    made = Contract(F32, F32, *sizes, *variables, ProductTile(2, 4), ())
    return replace(made, **changes) if changes else made


def checked() -> Value:
    return use(ROW).fail_if(use(ROW) < 3, FaultCode.INDEX_OUT_OF_RANGE.value)


def fold(carry: Carry, following: Value, combine: Any = None) -> Fold:
    return Fold((carry,), (following,), combine)


def running(element: Any, after: bool = False) -> Kernel:
    carry = total()
    own = Fold((carry,), (element(carry),), lambda x, y: (x[0] + y[0],))
    body: tuple[Statement, ...] = (loop(kind=LoopKind.RUNNING, folds=(own,)),)
    return kernel_of(*body, Store(OUT, use(ROW), carry.result)) if after else kernel_of(*body)


def folded(combine: Any) -> Kernel:
    carry = total()
    return kernel_of(loop(kind=LoopKind.LANES, folds=(fold(carry, carry.now, combine),)))


def twice() -> Kernel:
    carry = total()
    one = loop(folds=(fold(carry, carry.now),))
    return kernel_of(one, one)


def alone(statement: Contract, **changes: Any) -> Kernel:
    return kernel_of(statement, grid=Grid((), ()), **changes)


def local(name: str, dtype: DType = dtypes.float32, extent: int = 8) -> Parameter:
    return Parameter(name, Role.LOCAL, dtype, writable=True, extent=extent)


B = Parameter("b", Role.BUFFER, dtypes.float32)
TILE, OTHER, WHOLE = local("tile"), local("other"), local("whole", dtypes.int32)
EMPTY, HUGE = local("empty", extent=0), local("huge", extent=1 << 20)


def tiled(in_lanes: bool = False, **changes: Any) -> Kernel:
    zero, one = index(0), index(1)
    made = Multiply(TILE, zero, 4, YES, A, zero, use(N), one, A, zero, use(N), use(N), 2, 4)
    statement = replace(made, **changes) if changes else made
    lanes = loop(statement, kind=LoopKind.LANES)
    return replace(kernel_of(lanes if in_lanes else statement), locals=(TILE, WHOLE))


def turned(in_lanes: bool = False, **changes: Any) -> Kernel:
    made = Transpose(TILE, index(0), 4, A, index(0), use(N), use(N), 4)
    statement = replace(made, **changes) if changes else made
    lanes = loop(statement, kind=LoopKind.LANES)
    return replace(kernel_of(lanes if in_lanes else statement), locals=(TILE, WHOLE))


def paired(in_lanes: bool = False, **changes: Any) -> Kernel:
    half = Parameter("half", Role.BUFFER, dtypes.bfloat16)
    pairs = Parameter("pairs", Role.LOCAL, dtypes.uint32, writable=True, extent=64)
    at, kind = index(0), dtypes.bfloat16
    made = MultiplyWords(TILE, at, YES, half, at, use(N), pairs, at, use(N), kind, 32, 32)
    statement = replace(made, **changes) if changes else made
    lanes = loop(statement, kind=LoopKind.LANES)
    kernel = kernel_of(lanes if in_lanes else statement, parameters=(A, OUT, N, S, half))
    return replace(kernel, locals=(TILE, WHOLE, pairs))


BROKEN: list[tuple[str, Callable[[], Kernel]]] = [
    # instructions
    (
        r"ADD of float32 has operands \(float32, int32\), needs \(float32, float32\), in .*let",
        lambda: let(Instruction.ADD, dtypes.float32, F32, I32),
    ),
    ("NEG of float32 has operands", lambda: let(Instruction.NEG, dtypes.float32, F32, F32)),
    ("ADD is not defined for bool", lambda: let(Instruction.ADD, dtypes.bool_, YES, YES)),
    ("DIV is not defined for int32", lambda: let(Instruction.DIV, dtypes.int32, I32, I32)),
    ("SQRT is not defined for int32", lambda: let(Instruction.SQRT, dtypes.int32, I32)),
    (
        "QUOTIENT is not defined for float32",
        lambda: let(Instruction.QUOTIENT, dtypes.float32, F32, F32),
    ),
    (
        "HIGH_PRODUCT is not defined for int32",
        lambda: let(Instruction.HIGH_PRODUCT, dtypes.int32, I32, I32),
    ),
    ("AND is not defined for float32", lambda: let(Instruction.AND, dtypes.float32, F32, F32)),
    ("SHL is not defined for bool", lambda: let(Instruction.SHL, dtypes.bool_, YES, YES)),
    ("LT gives float32, must be bool", lambda: let(Instruction.LT, dtypes.float32, F32, F32)),
    (
        r"EQ of bool has operands \(float32, int32\)",
        lambda: let(Instruction.EQ, dtypes.bool_, F32, I32),
    ),
    (
        "SELECT of float32 has operands",
        lambda: let(Instruction.SELECT, dtypes.float32, I32, F32, F32),
    ),
    (
        "BITCAST from float32 to int64",
        lambda: let(Instruction.BITCAST, dtypes.int64, F32),
    ),
    ("BITCAST from bool to uint8", lambda: let(Instruction.BITCAST, dtypes.uint8, YES)),
    ("BITCAST from index to int64", lambda: let(Instruction.BITCAST, dtypes.int64, use(ROW))),
    ("CAST of 2 operands", lambda: let(Instruction.CAST, dtypes.int64, F32, F32)),
    (
        "CONSTANT 300 does not fit uint8",
        lambda: let(Instruction.CONSTANT, dtypes.uint8, attribute=300),
    ),
    (
        "CONSTANT 1 does not fit float32",
        lambda: let(Instruction.CONSTANT, dtypes.float32, attribute=1),
    ),
    ("CONSTANT True does not fit", lambda: let(Instruction.CONSTANT, INDEX, attribute=True)),
    ("CONSTANT 1 does not fit bool", lambda: let(Instruction.CONSTANT, dtypes.bool_, attribute=1)),
    ("LOAD has attribute None", lambda: let(Instruction.LOAD, dtypes.float32, use(ROW))),
    (
        "LOAD from n, which is no buffer",
        lambda: let(Instruction.LOAD, INDEX, use(ROW), attribute=N),
    ),
    (
        "LOAD gives int32, must be float32",
        lambda: let(Instruction.LOAD, dtypes.int32, use(ROW), attribute=A),
    ),
    (
        r"LOAD of float32 has operands \(int32\), needs \(index\)",
        lambda: let(Instruction.LOAD, dtypes.float32, I32, attribute=A),
    ),
    (
        r"LOAD of float32 has operands \(index, int32\), needs \(index, bool\)",
        lambda: let(Instruction.LOAD, dtypes.float32, use(ROW), I32, attribute=A),
    ),
    (
        "buffer a is used as a number",
        lambda: let(Instruction.PARAMETER, dtypes.float32, attribute=A),
    ),
    ("PARAMETER gives int64", lambda: let(Instruction.PARAMETER, dtypes.int64, attribute=S)),
    # scopes
    (
        "other is no parameter of the kernel",
        lambda: kernel_of(Let(use(Parameter("other", Role.INDEX, INDEX)))),
    ),
    (
        "load from other, which is no parameter",
        lambda: kernel_of(Let(load(Parameter("other", Role.BUFFER, dtypes.int8), use(ROW)))),
    ),
    ("variable j is used outside its scope", lambda: kernel_of(Let(use(COLUMN)))),
    (
        "variable j is used outside its scope",
        lambda: kernel_of(loop(Let(use(COLUMN))), Let(use(COLUMN))),
    ),
    ("variable j is used outside", lambda: kernel_of(loop(stop=use(COLUMN)))),
    ("variable i is already in scope", lambda: kernel_of(loop(variable=ROW))),
    ("carry total is read outside its loop", lambda: kernel_of(Let(total().now))),
    ("result of total is read before", lambda: kernel_of(Let(total().result))),
    ("carry total is defined twice", twice),
    (
        "no contraction here accumulates in float32",
        lambda: let(Instruction.ACCUMULATOR, dtypes.float32),
    ),
    ("CHECKED in a kernel without faults", lambda: kernel_of(Let(checked()))),
    # statements
    ("store to a, which is read-only", lambda: kernel_of(Store(A, use(ROW), F32))),
    ("store to n, which is no buffer", lambda: kernel_of(Store(N, use(ROW), F32))),
    (
        "store to other, which is no parameter",
        lambda: kernel_of(Store(Parameter("other", Role.BUFFER, INDEX, True), use(ROW), use(ROW))),
    ),
    ("address is int32 where index is needed", lambda: kernel_of(Store(OUT, I32, F32))),
    (
        "stored value is int32 where float32 is needed, in grid > store out",
        lambda: kernel_of(Store(OUT, use(ROW), I32)),
    ),
    ("mask is int32 where bool", lambda: kernel_of(Store(OUT, use(ROW), F32, I32))),
    ("start is int32 where index", lambda: kernel_of(loop(start=I32))),
    ("stop is float32 where index", lambda: kernel_of(loop(stop=F32))),
    ("condition is int32 where bool", lambda: kernel_of(If(I32, ()))),
    ("If inside lanes", lambda: kernel_of(loop(If(YES, ()), kind=LoopKind.LANES))),
    (
        "a LANES loop inside lanes",
        lambda: kernel_of(
            loop(loop(variable=Variable("k"), kind=LoopKind.LANES), kind=LoopKind.LANES)
        ),
    ),
    (
        "a RUNNING loop inside lanes",
        lambda: kernel_of(
            loop(loop(variable=Variable("k"), kind=LoopKind.RUNNING), kind=LoopKind.LANES)
        ),
    ),
    # folds
    ("a fold without carries", lambda: kernel_of(loop(folds=(Fold((), ()),)))),
    ("1 carries with 0 next values", lambda: kernel_of(loop(folds=(Fold((total(),), ()),)))),
    ("a fold of lanes without combine", lambda: folded(None)),
    ("carry total is read outside its loop", lambda: running(lambda carry: carry.now)),
    ("result of total is read before", lambda: running(lambda _: F32, after=True)),
    ("combine returns 2 values for 1 carries", lambda: folded(lambda x, y: x + y)),
    (
        "variable j is used outside its scope, in .* > combine",
        lambda: folded(lambda x, y: ((use(COLUMN) < 3).select(x[0], y[0]),)),
    ),
    ("combine reads memory", lambda: folded(lambda x, y: (x[0] + load(A, use(N)),))),
    ("combined value of total is bool", lambda: folded(lambda x, y: (x[0] < y[0],))),
    (
        "next value of total is int32 where float32",
        lambda: kernel_of(loop(folds=(fold(total(), I32),))),
    ),
    (
        "initial value of total is int32 where float32",
        lambda: kernel_of(loop(folds=(fold(Carry("total", dtypes.float32, I32), F32),))),
    ),
    # contractions
    ("a Contract must stand alone", lambda: kernel_of(contract())),
    (
        "a Contract must stand alone",
        lambda: kernel_of(contract(), Let(F32), grid=Grid((), ())),
    ),
    ("a Contract must stand alone", lambda: kernel_of(loop(contract()))),
    ("operand is int32 where float32", lambda: alone(contract(right=I32))),
    ("tile of 0 x 4", lambda: alone(contract(tile=ProductTile(0, 4)))),
    (
        "a staged tile of 2 x 4 with depth 4",
        lambda: alone(contract(tile=ProductTile(2, 4, 4, 4, 2, 2, 4))),
    ),
    (
        "32 invocations cannot share 4 steps of 16 and 32 lines",
        lambda: alone(contract(tile=ProductTile(4, 4, 4, 8, 2, 4, 4))),
    ),
    (
        "subgroups of 3 x 2 in 4 x 4",
        lambda: alone(contract(tile=ProductTile(4, 4, 4, 4, 3, 2, 4))),
    ),
    (
        "matrices of 16 x 16 x 16 float16 to float32 in a tile of 8 x 16 x 16",
        lambda: alone(contract(tile=ProductTile(8, 16, 2, 1, depth=16, matrix=HALVES))),
    ),
    (
        "matrices of 16 x 16 x 16 float16 to int32 for sums of float32",
        lambda: alone(
            contract(
                tile=ProductTile(
                    16, 16, 2, 1, depth=16, matrix=replace(HALVES, accumulator="int32")
                )
            )
        ),
    ),
    ("size is int32 where index", lambda: alone(contract(m=I32))),
    ("k is int32 where index", lambda: alone(contract(k=I32))),
    (
        "variable j is already in scope",
        lambda: alone(contract(batch=COLUMN, row=COLUMN, column=COLUMN)),
    ),
    ("If inside lanes", lambda: alone(contract(epilogue=(If(YES, ()),)))),
    # tiles in local memory
    ("Multiply inside lanes", lambda: tiled(in_lanes=True)),
    ("product into a, which is no local", lambda: tiled(tile=A)),
    ("product of tile into itself", lambda: tiled(right=TILE)),
    (r"product of a \(float32\) in int32", lambda: tiled(tile=WHOLE)),
    ("tile of 2 x 8 with pitch 4", lambda: tiled(columns=8)),
    ("operand is int32 where index", lambda: tiled(depth=I32)),
    ("operand is index where bool", lambda: tiled(fresh=index(1))),
    ("product into other, which is no parameter", lambda: tiled(tile=OTHER)),
    ("a count and two strides each", lambda: tiled(repeats=(use(N),))),
    ("operand is int32 where index", lambda: tiled(repeats=(use(N), I32, use(N)))),
    ("2 buffers ahead, 4 numbers", lambda: tiled(ahead=(A, A), ahead_at=(use(N),) * 4)),
    ("prefetch of n, which is no buffer", lambda: tiled(ahead=(N,), ahead_at=(use(N),) * 4)),
    ("operand is int32 where index", lambda: tiled(ahead=(A,), ahead_at=(I32,) * 4)),
    ("a result has a place and a distance", lambda: tiled(result=OUT)),
    ("a result has a place and a distance", lambda: tiled(result_at=(use(N),) * 2)),
    ("product to a, which is not writable", lambda: tiled(result=A, result_at=(use(N),) * 2)),
    ("product of float32 to whole", lambda: tiled(result=WHOLE, result_at=(use(N),) * 2)),
    ("operand is int32 where index", lambda: tiled(result=OUT, result_at=(use(N), I32))),
    ("MultiplyWords inside lanes", lambda: paired(in_lanes=True)),
    ("float32 by words of bfloat16", lambda: paired(left=A)),
    ("words of float16", lambda: paired(kind=dtypes.float16)),
    ("words of int8 in float32", lambda: paired(kind=dtypes.int8)),
    ("tile of 0 x 32", lambda: paired(rows=0)),
    ("tile must be uint32", lambda: paired(right=TILE)),
    ("out, which is no local", lambda: paired(tile=OUT)),
    ("operand is int32 where index", lambda: paired(depth=I32)),
    ("Transpose inside lanes", lambda: turned(in_lanes=True)),
    ("transpose into a, which is no local", lambda: turned(target=A)),
    ("transpose of tile into itself", lambda: turned(source=TILE)),
    (r"transpose of a \(float32\) into int32", lambda: turned(target=WHOLE)),
    ("8 columns with pitch 4", lambda: turned(columns=8)),
    ("operand is int32 where index", lambda: turned(depth=I32)),
    ("prefetch of n, which is no buffer", lambda: kernel_of(Prefetch(N, index(0)))),
    ("b is no local", lambda: replace(kernel_of(), locals=(B,))),
    ("local tile as parameter", lambda: kernel_of(parameters=(A, N, TILE))),
    ("local empty cannot be used", lambda: replace(kernel_of(), locals=(EMPTY,))),
    ("bytes of locals", lambda: replace(kernel_of(), locals=(HUGE,))),
    # kernels
    ("1 grid variables with 0 extents", lambda: kernel_of(grid=Grid((ROW,), ()))),
    ("extent is int32 where index", lambda: kernel_of(grid=Grid((ROW,), (I32,)))),
    (
        "a grid extent may not load",
        lambda: kernel_of(grid=Grid((ROW,), (load(A, index(0)).cast(INDEX),))),
    ),
    ("variable i is already in scope", lambda: kernel_of(grid=Grid((ROW, ROW), (use(N), use(N))))),
    ("a parameter is listed twice", lambda: kernel_of(parameters=(A, N, N))),
    (
        "k has role INDEX and dtype int64",
        lambda: kernel_of(parameters=(Parameter("k", Role.INDEX, dtypes.int64), N)),
    ),
    (
        "k has role SCALAR and dtype index",
        lambda: kernel_of(parameters=(Parameter("k", Role.SCALAR, INDEX), N)),
    ),
    (
        "k is writable but no buffer",
        lambda: kernel_of(parameters=(Parameter("k", Role.INDEX, INDEX, True), N)),
    ),
    ("a kernel with faults needs", lambda: kernel_of(faults=True)),
    ("a kernel with faults needs", lambda: kernel_of(faults=True, parameters=(FAULT, N))),
]


@pytest.mark.parametrize(
    ("problem", "build"), BROKEN, ids=[f"{i}-{text[:30]}" for i, (text, _) in enumerate(BROKEN)]
)
def test_broken_kernels_are_refused(problem: str, build: Callable[[], Kernel]) -> None:
    kernel = build()
    with pytest.raises(InternalError, match="please report it") as caught:
        verify_kernel(kernel)
    assert caught.match(problem)


def test_good_kernels_pass(name: str, build: Callable[[str], Kernel]) -> None:
    verify_kernel(build(name))


def test_a_kernel_with_faults_passes() -> None:
    kernel = kernel_of(Let(checked()), faults=True, parameters=(A, OUT, N, FAULT))
    verify_kernel(kernel)


def test_deep_chains_pass() -> None:
    element = ELEMENT
    for _ in range(20_000):
        element = element * 1.25
    verify_kernel(kernel_of(Store(OUT, use(ROW), element)))
    with pytest.raises(InternalError, match="stored value is bool"):
        verify_kernel(kernel_of(Store(OUT, use(ROW), element.ne(0.0))))
