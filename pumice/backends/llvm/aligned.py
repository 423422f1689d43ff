"""Loops that write past the caches: such stores need aligned addresses.

A row of a tensor may begin anywhere, so the loop's whole vectors start where the first streamed
store is aligned. What lies before them and after them is two masked iterations, one text.
"""

from pumice.backends.llvm.emitter import Emitter, Operand, ScopeKind
from pumice.backends.llvm.evaluate import evaluate
from pumice.backends.llvm.memory import pointer_of
from pumice.backends.llvm.types import memory_type
from pumice.backends.llvm.widths import lane_steps
from pumice.kernel.ir import INDEX, Instruction, Loop, Store, Value
from pumice.kernel.walk import postorder
from pumice.target import CACHE_LINE

SHORTEST = 8
"""Vectors in a loop from which aligning them pays."""


def streamed_store(e: Emitter, loop: Loop) -> Store | None:
    """Return the first streamed store of contiguous lanes whose address is cheap to know."""
    steps = None
    for statement in loop.body:
        if not isinstance(statement, Store) or not statement.streamed or statement.mask is not None:
            continue
        narrow = statement.buffer.dtype.bits < 32
        masks = e.machine.narrow_masks if narrow else e.machine.wide_masks
        steps = lane_steps(loop) if steps is None else steps
        if masks and steps[statement.at] == 1 and not _loads(statement.at):
            return statement
    return None


def _loads(root: Value) -> bool:
    known: set[Value] = set()
    for value in postorder(root, known):
        known.add(value)
    return any(value.instruction is Instruction.LOAD for value in known)


def elements_before(e: Emitter, loop: Loop, store: Store, start: str, stop: str, width: int) -> str:
    """Return how many iterations come before the first aligned address."""
    e.open(ScopeKind.PLAIN)
    e.bind(("variable", loop.variable), Operand(start, INDEX, e.depth))
    place = evaluate(e, store.at).text
    lines = e.close()
    e.scopes[-1].lines += lines
    dtype = store.buffer.dtype
    element = memory_type(dtype)
    address = e.value(f"getelementptr {element}, ptr {pointer_of(e, store.buffer)}, i64 {place}")
    number = e.value(f"ptrtoint ptr {address} to i64")
    opposite = e.value(f"sub i64 0, {number}")
    low = e.value(f"and i64 {opposite}, {min(width * dtype.itemsize, CACHE_LINE) - 1}")
    count = e.value(f"lshr i64 {low}, {dtype.itemsize.bit_length() - 1}")
    total = e.value(f"sub i64 {stop}, {start}")
    long = e.value(f"icmp sge i64 {total}, {SHORTEST * width}")
    return e.value(f"select i1 {long}, i64 {count}, i64 0")
