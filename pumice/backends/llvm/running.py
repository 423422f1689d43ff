"""RUNNING loops: the prefixes of a group of iterations are made in vector lanes.

Each step combines every lane with the one 1, 2, 4 ... lanes before it. Only joining a group with
what came before it waits for the last group.
"""

from collections.abc import Callable, Sequence
from functools import partial

from pumice.backends.llvm.control import conditional, counted_loop, split, start_tail
from pumice.backends.llvm.emitter import Emitter, Operand
from pumice.backends.llvm.evaluate import evaluate, scalar_of
from pumice.backends.llvm.types import scalar_type, vector_of
from pumice.errors import InternalError
from pumice.kernel.ir import INDEX, RUNNING_GROUP, Carry, Fold, Loop


def emit_running(e: Emitter, loop: Loop, body: Callable[[], object]) -> None:
    """Emit a RUNNING loop; ``body`` emits its statements."""
    if e.width:
        raise InternalError("llvm: a RUNNING loop inside a LANES loop")
    start, stop = scalar_of(e, loop.start), scalar_of(e, loop.stop)
    _, rest, tail_at = split(e, start, stop, RUNNING_GROUP)
    carries = [carry for fold in loop.folds for carry in fold.carries]
    initials = [evaluate(e, carry.initial) for carry in carries]
    e.width = RUNNING_GROUP
    kinds = [vector_of(scalar_type(carry.dtype), e.width) for carry in carries]
    before = [e.vector(operand) for operand in initials]
    group = partial(_group, e, loop, body)
    before = counted_loop(e, start, tail_at, RUNNING_GROUP, kinds, before, group)

    def tail() -> list[str]:
        start_tail(e, rest)
        group(tail_at, before)
        e.mask, e.mask_level, e.remaining = None, 0, None
        return []

    if rest != "0":
        conditional(e, e.value(f"icmp ne i64 {rest}, 0"), [], [], tail)
    e.width = 0


def _group(
    e: Emitter, loop: Loop, body: Callable[[], object], position: str, before: Sequence[str]
) -> list[str]:
    """Run one group of iterations; return the last running values in all lanes."""
    here = Operand(position, INDEX, e.depth, varying=True, step="1")
    e.bind(("variable", loop.variable), here)
    values = [[e.vector(evaluate(e, value)) for value in fold.next] for fold in loop.folds]
    ends: list[str] = []
    for fold, own in zip(loop.folds, values, strict=True):
        prefixes = own
        distance = 1
        while distance < e.width:
            prefixes = _step(e, fold, prefixes, distance)
            distance *= 2
        earlier = list(before[len(ends) : len(ends) + len(own)])
        for carry, text in zip(fold.carries, _combined(e, fold, earlier, prefixes), strict=True):
            e.bind(("carried", carry), Operand(text, carry.dtype, e.depth, varying=True))
        last = [
            _shuffled(e, carry, text, [e.width - 1] * e.width)
            for carry, text in zip(fold.carries, prefixes, strict=True)
        ]
        ends += _combined(e, fold, earlier, last)
    body()
    return ends


def _step(e: Emitter, fold: Fold, texts: list[str], distance: int) -> list[str]:
    """Combine the lanes from ``distance`` on with those so far before them."""
    lanes = range(e.width)
    moved = [
        _shuffled(e, carry, text, [max(lane - distance, 0) for lane in lanes])
        for carry, text in zip(fold.carries, texts, strict=True)
    ]
    bits = vector_of("i1", e.width)
    chosen = "<" + ", ".join(f"i1 {int(lane >= distance)}" for lane in lanes) + ">"
    result = []
    merged = _combined(e, fold, moved, texts)
    for carry, new, old in zip(fold.carries, merged, texts, strict=True):
        kind = vector_of(scalar_type(carry.dtype), e.width)
        result.append(e.value(f"select {bits} {chosen}, {kind} {new}, {kind} {old}"))
    return result


def _shuffled(e: Emitter, carry: Carry, text: str, lanes: Sequence[int]) -> str:
    kind = vector_of(scalar_type(carry.dtype), e.width)
    order = ", ".join(f"i32 {lane}" for lane in lanes)
    return e.value(f"shufflevector {kind} {text}, {kind} poison, <{e.width} x i32> <{order}>")


def _combined(e: Emitter, fold: Fold, first: list[str], second: list[str]) -> list[str]:
    """Return two partial results, one value per lane each, merged."""
    operands = []
    for texts in (first, second):
        stand_ins = [Carry(carry.name, carry.dtype, carry.initial) for carry in fold.carries]
        for carry, text in zip(stand_ins, texts, strict=True):
            e.bind(("carried", carry), Operand(text, carry.dtype, e.depth, varying=True))
        operands.append(tuple(carry.now for carry in stand_ins))
    return [e.vector(evaluate(e, value)) for value in fold.combine(*operands)]
