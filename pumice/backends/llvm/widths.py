"""How many lanes a loop gets, and which loops are unrolled."""

from pumice.dtypes import Kind
from pumice.kernel.ir import INDEX, Instruction, Loop, Statement, Value, values_of
from pumice.kernel.walk import all_statements, postorder

LIGHT_BODY = 24
MOST_LANES = 64
COLUMN_FACTOR = 4
UNROLL_ITERATIONS = 16
UNROLL_VALUES = 400


def values_in(body: tuple[Statement, ...]) -> set[Value]:
    """Return all values that statements use, nested ones included."""
    known: set[Value] = set()
    for statement in all_statements(body):
        for root in values_of(statement):
            for value in postorder(root, known):
                known.add(value)
    return known


def lane_width(loop: Loop, vector_bits: int) -> int:
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
    width = vector_bits // widest * (2 if size <= LIGHT_BODY else 1)
    width = min(width, MOST_LANES)
    if is_constant(loop.start) and is_constant(loop.stop):
        count = loop.stop.attribute - loop.start.attribute
        while width > 2 and width // 2 >= count:
            width //= 2
    return width


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
