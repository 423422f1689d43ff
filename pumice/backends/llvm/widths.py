"""How many lanes a loop gets, and which loops are unrolled."""

from collections.abc import Iterator

from pumice.backends.llvm.machine import Machine
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import (
    INDEX,
    Instruction,
    Loop,
    Statement,
    Store,
    Value,
    Variable,
)
from pumice.kernel.walk import all_statements, postorder, values_of

LIGHT_BODY = 24
MOST_LANES = 64
LANEWISE_WIDTH = 16
COLUMN_FACTOR = 4
UNROLL_ITERATIONS = 16
UNROLL_VALUES = 400


def values_in(body: tuple[Statement, ...]) -> dict[Value, None]:
    """Return all values that statements use, operands first, nested statements included."""
    known: dict[Value, None] = {}
    for statement in all_statements(body):
        for root in values_of(statement):
            for value in postorder(root, known):
                known[value] = None
    return known


def lane_width(loop: Loop, machine: Machine) -> int:
    """Fill a register with the widest elements computed with; two of them for light bodies."""
    widest, size = 8, 0
    for value in values_in((loop,)):
        if value.instruction in (Instruction.CONSTANT, Instruction.PARAMETER):
            continue
        if value.dtype is INDEX:
            continue
        size += 1
        if value.dtype.kind is not Kind.BOOL:
            small = value.dtype.is_small_float and value.arguments
            moved = value.instruction is Instruction.LOAD
            widest = max(widest, 32 if small and not moved else value.dtype.bits)
    doubled = size <= LIGHT_BODY and (machine.mask_registers or not _waits(loop))
    width = machine.vector_bits // widest * (2 if doubled else 1)
    width = min(width, LANEWISE_WIDTH if lanewise(loop, machine) else MOST_LANES)
    if is_constant(loop.start) and is_constant(loop.stop):
        count = loop.stop.attribute - loop.start.attribute
        while width > 2 and width // 2 >= count:
            width //= 2
    return width


def _waits(loop: Loop) -> bool:
    """Tell whether a loop reads behind conditions.

    Without registers for masks, a mask of two vectors is packed into one and unpacked for each use.
    """
    return any(
        value.instruction is Instruction.LOAD and len(value.arguments) > 1
        for value in values_in(loop.body)
    )


# -- which accesses are done lane by lane -------------------------------------------------------


def lanewise(loop: Loop, machine: Machine) -> bool:
    """Return whether some access of the loop has no vector instruction."""
    steps = lane_steps(loop)
    for at, dtype, mask, stored in _accesses(loop):
        narrow = dtype.bits < 32
        jumps = machine.scatter if stored else machine.gather
        masks = machine.narrow_masks if narrow else machine.wide_masks
        known = (0, 1, -1) if stored and not masks else (0, 1, -1, 2)
        if steps[at] not in known and (narrow or not jumps):
            return True
        if not masks and (mask is not None or steps[at] in (-1, 2)):
            return True
    return False


def _accesses(loop: Loop) -> Iterator[tuple[Value, DType, Value | None, bool]]:
    """Yield address, dtype, mask and whether it is a store, of each access in a loop."""
    for value in values_in((loop,)):
        if value.instruction is Instruction.LOAD:
            mask = value.arguments[1] if len(value.arguments) > 1 else None
            yield value.arguments[0], value.dtype, mask, False
    for statement in all_statements(loop.body):
        if isinstance(statement, Store):
            yield statement.at, statement.buffer.dtype, statement.mask, True


def lane_steps(loop: Loop) -> dict[Value, int | None]:
    """Return by how much each value grows from lane to lane, None when that is not known."""
    steps: dict[Value, int | None] = {}
    for value in values_in((loop,)):
        operands = [steps[operand] for operand in value.arguments]
        steps[value] = _step(value, loop.variable, operands)
    return steps


def _step(value: Value, variable: Variable, steps: list[int | None]) -> int | None:
    if value.instruction is Instruction.VARIABLE:
        return int(value.attribute is variable)
    if value.instruction in (Instruction.CARRIED, Instruction.RESULT):
        return None
    if all(step == 0 for step in steps):
        return 0
    first, second = (*steps, None, None)[:2]
    match value.instruction:
        case Instruction.ADD if first is not None and second is not None:
            return first + second
        case Instruction.SUB if first is not None and second is not None:
            return first - second
        case Instruction.MUL:
            for factor, step in ((value.arguments[0], second), (value.arguments[1], first)):
                if step is not None and is_constant(factor):
                    return step * int(factor.attribute)
        case Instruction.NEG if first is not None:
            return -first
    return None


# -- other shapes of loops ----------------------------------------------------------------------


def column_factor(loop: Loop) -> int:
    """Return how many times wider the bulk of a loop over columns runs.

    A light serial loop inside lanes, a reduction over rows, reads one short piece of each row; more
    lanes make the pieces long enough for memory to stream.
    """
    inner = [s for s in all_statements(loop.body) if isinstance(s, Loop)]
    if not any(s.folds and unroll_count(s) is None for s in inner):
        return 1
    return COLUMN_FACTOR if len(values_in((loop,))) <= LIGHT_BODY else 1


def is_constant(value: Value) -> bool:
    """Return whether a value is a literal."""
    return value.instruction is Instruction.CONSTANT


def unroll_count(loop: Loop) -> int | None:
    """Return the iterations of a serial loop that is small enough to be written out."""
    if not is_constant(loop.start) or not is_constant(loop.stop):
        return None
    count = int(loop.stop.attribute) - int(loop.start.attribute)
    if count > UNROLL_ITERATIONS or count * len(values_in(loop.body)) > UNROLL_VALUES:
        return None
    return max(count, 0)
