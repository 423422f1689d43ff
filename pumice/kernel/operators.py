"""Operators by themselves: one form of kernel for operands of all shapes and strides.

A kernel that is one elementwise operator and nothing else has the same parameters and the same text
whatever its operands look like, each a tensor of any strides or a number. What differs is in the
numbers it is launched with, so a backend may have one piece of code for all of them.

Example, an axis of two written out::

    kernel(buffer f32 a, buffer f32 b, buffer f32 out writable, index length,
           index blocks, index a0, index b0, index extent1, index a1, index b1) add.float32
      grid i1 < extent1, block < blocks
        loop j in 0..4
          i0 = block * 4 + j
          if i0 < length
            store out[i1 * length + i0] = add.f32(load a[i1 * a1 + i0 * a0], load b[...])

The last axis stands first among the parameters and is cut into blocks of four elements. The result
lies in order. Axes that there are not have one element.
"""

from collections.abc import Sequence
from functools import lru_cache

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import DTypeError
from pumice.kernel.ir import (
    INDEX,
    Grid,
    If,
    Instruction,
    Kernel,
    Loop,
    LoopKind,
    Parameter,
    Role,
    Store,
    Value,
    Variable,
    index,
    load,
)
from pumice.kernel.operator import Operator
from pumice.kernel.walk import postorder
from pumice.ops.definition import Elementwise, OpDef
from pumice.ops.entries import ELEMENTWISE

MOST_AXES = 8
"""Axes a kernel of this form has; of tensors, those that cannot be merged with a neighbour."""
BLOCK = 4
"""Elements of the last axis that one grid item computes."""
UNARY, BINARY, WHERE = "unary", "binary", "where"


def apply_meaning(op: Elementwise, operands: Sequence[Value], dtype: DType) -> Value:
    """Return an entry's scalar expression; 16-bit floats are computed in float32."""
    if any(each.dtype.is_small_float for each in operands):
        operands = [
            each.cast(dtypes.float32) if each.dtype.is_small_float else each for each in operands
        ]
    result: Value = op.meaning(*operands)
    return result.cast(dtype)


@lru_cache(maxsize=1024)
def can_fail(op: Elementwise, operand_dtypes: tuple[DType, ...]) -> bool:
    """Tell whether an entry's expression can report a data error for these dtypes."""
    wide = [dtypes.float32 if each.is_small_float else each for each in operand_dtypes]
    operands = [Value(Instruction.VARIABLE, each) for each in wide]
    known: set[Value] = set()
    for value in postorder(op.meaning(*operands), known):
        known.add(value)
        if value.instruction is Instruction.CHECKED:
            return True
    return False


# -- which operators ------------------------------------------------------------------------------


def family_of(op: OpDef) -> str:
    """Return which operators an entry shares code with: those of as many operands, or ""."""
    if not isinstance(op, Elementwise) or op not in ELEMENTWISE:
        return ""
    if op.condition_first:
        return WHERE if op.arity == 3 else ""
    return {1: UNARY, 2: BINARY}.get(op.arity, "")


@lru_cache(maxsize=4)
def family(name: str) -> tuple[Elementwise, ...]:
    """Return the entries of a family."""
    return tuple(op for op in ELEMENTWISE if family_of(op) == name)


def operand_dtypes(op: Elementwise, dtype: DType) -> tuple[DType, ...]:
    """Return the element types of the operands of an entry that computes in a dtype."""
    types = (dtype,) * op.arity
    return (dtypes.bool_, *types[1:]) if op.condition_first else types


@lru_cache(maxsize=2048)
def stands_alone(op: Elementwise, dtype: DType) -> bool:
    """Tell whether an entry on operands of a dtype is a kernel by itself: nothing is converted."""
    try:
        return bool(family_of(op)) and op.computation_dtype(dtype) is dtype
    except DTypeError:
        return False


# -- the form -------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def operator_kernel(operator: Operator) -> Kernel:
    """Return the kernel of an operator."""
    op, dtype = operator.op, operator.dtype
    types = operand_dtypes(op, dtype)
    operands = [
        Parameter(f"in{place}", Role.SCALAR if number else Role.BUFFER, each)
        for place, (each, number) in enumerate(zip(types, operator.numbers, strict=True))
    ]
    output = Parameter("out", Role.BUFFER, op.result_dtype(dtype), writable=True)
    length = Parameter("length", Role.INDEX, INDEX)
    extents = [_size("blocks"), *[_size(f"extent{axis}") for axis in range(1, MOST_AXES)]]
    strides = [[_size(f"stride{axis}") for _ in operands] for axis in range(MOST_AXES)]
    axes = [each for pair in zip(extents, strides, strict=True) for each in (pair[0], *pair[1])]
    variables = [Variable("block"), *[Variable("o") for _ in range(1, MOST_AXES)]]
    element = Variable("i")
    within = _use(variables[0]) * index(BLOCK) + _use(element)
    places = [within, *map(_use, variables[1:])]
    row: Value = index(0)
    for axis in range(MOST_AXES - 1, 0, -1):
        row = row * _use(extents[axis]) + places[axis]
    values = []
    for number, operand in enumerate(operands):
        at: Value = index(0)
        for axis in range(MOST_AXES):
            at = at + places[axis] * _use(strides[axis][number])
        values.append(_use(operand) if operand.role is Role.SCALAR else load(operand, at))
    value = apply_meaning(op, values, output.dtype)
    store = Store(output, row * _use(length) + within, value)
    inside = If(within < _use(length), (store,))
    faults = can_fail(op, types)
    record = (Parameter("fault", Role.BUFFER, dtypes.int64, writable=True),) if faults else ()
    return Kernel(
        (*operands, output, length, *axes, *record),
        Grid(tuple(reversed(variables)), tuple(_use(each) for each in reversed(extents))),
        (Loop(element, index(0), index(BLOCK), LoopKind.SERIAL, (inside,)),),
        faults,
        operator,
    )


def _size(name: str) -> Parameter:
    return Parameter(name, Role.INDEX, INDEX)


def _use(item: Parameter | Variable) -> Value:
    if isinstance(item, Variable):
        return Value(Instruction.VARIABLE, INDEX, (), item)
    return Value(Instruction.PARAMETER, item.dtype, (), item)


def operator_problem(kernel: Kernel) -> str:
    """Return in what a kernel that says it is an operator has not the form of one, or ""."""
    if kernel.operator is None:
        return ""
    form = operator_kernel(kernel.operator)
    told, expected = (
        [(each.role, each.dtype, each.writable) for each in one.parameters]
        for one in (kernel, form)
    )
    grids = len(kernel.grid.variables), len(form.grid.variables)
    same = told == expected and grids[0] == grids[1]
    return "" if same else f"no kernel of {kernel.operator.text} has these parameters"
