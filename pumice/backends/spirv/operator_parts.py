"""Which operators on which element types stand in the entry points of a shared module."""

from dataclasses import dataclass

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.expansion import expanded
from pumice.kernel.ir import Grid, Instruction, Kernel, Parameter, Role, Store, Value, index, load
from pumice.kernel.operators import (
    apply_meaning,
    can_fail,
    family,
    operand_dtypes,
    stands_alone,
)
from pumice.kernel.passes.pipeline import optimise
from pumice.kernel.walk import reached
from pumice.ops.definition import Elementwise
from pumice.ops.size import code_size
from pumice.target import Target

SHORT = 32
"""Instructions up to which operators share an entry point with others."""


@dataclass(frozen=True, slots=True)
class Case:
    """An operator: its number, its expression, and the values of operands in it."""

    number: int
    result: DType
    value: Value
    operands: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What an entry point has: operators computed in the last of some element types.

    Operands are converted from one of them, and results to it.
    """

    types: tuple[DType, ...]
    cases: tuple[Case, ...]

    @property
    def dtype(self) -> DType:
        return self.types[-1]


def part_of(op: Elementwise, dtype: DType) -> tuple[str, DType]:
    """Return the name of the entry points with an operator, and what it is computed in there."""
    if code_size(op, operand_dtypes(op, dtype)) <= SHORT:
        return dtype.name, dtype
    if dtype.is_small_float:
        dtype = dtypes.float32
    return f"{dtype.name} {op.name}", dtype


def parts_of(name: str, target: Target) -> dict[str, Part]:
    """Return the entry points of a family by their names."""
    types: dict[str, list[DType]] = {}
    cases: dict[str, list[Case]] = {}
    for number, op in enumerate(family(name)):
        for dtype in dtypes.ALL:
            if dtype in target.unsupported or not stands_alone(op, dtype):
                continue
            part, computed = part_of(op, dtype)
            members = types.setdefault(part, [])
            if dtype not in members:
                members.append(dtype)
            if computed is dtype:
                cases.setdefault(part, []).append(case_of(number, op, dtype))
    return {part: Part(tuple(members), tuple(cases[part])) for part, members in types.items()}


def case_of(number: int, op: Elementwise, dtype: DType) -> Case:
    """Return the expression that a kernel of the operator stores."""
    types = operand_dtypes(op, dtype)
    buffers = [Parameter(f"in{place}", Role.BUFFER, each) for place, each in enumerate(types)]
    out = Parameter("out", Role.BUFFER, op.result_dtype(dtype), writable=True)
    value = apply_meaning(op, [load(each, index(0)) for each in buffers], out.dtype)
    faults = can_fail(op, types)
    record = (Parameter("fault", Role.BUFFER, dtypes.int64, writable=True),) if faults else ()
    body = (Store(out, index(0), value),)
    kernel = expanded(optimise(Kernel((*buffers, out, *record), Grid((), ()), body, faults)))
    (store,) = kernel.body
    assert isinstance(store, Store)
    inside = reached([store.value])
    loads = {each.attribute: each for each in inside if each.instruction is Instruction.LOAD}
    return Case(number, out.dtype, store.value, tuple(loads.get(each) for each in buffers))
