"""Statements: loops with carries, lanes with tails and fixed trees, conditions, stores."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pumice.backends.llvm.aligned import elements_before, streamed_store
from pumice.backends.llvm.control import choice, conditional, counted_loop, split, start_tail
from pumice.backends.llvm.emitter import Asking, Emitter, Operand, ScopeKind
from pumice.backends.llvm.evaluate import evaluate, scalar_of
from pumice.backends.llvm.interior import Bound, all_hold, bounds_of, take_for_granted
from pumice.backends.llvm.memory import emit_prefetch, emit_store
from pumice.backends.llvm.multiply import emit_multiply
from pumice.backends.llvm.running import emit_running
from pumice.backends.llvm.transpose import emit_transpose
from pumice.backends.llvm.types import scalar_type, vector_of
from pumice.backends.llvm.widths import column_factor, lane_width, lanewise, unroll_count
from pumice.backends.llvm.words import emit_multiply_words
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    If,
    Let,
    Loop,
    LoopKind,
    Multiply,
    MultiplyWords,
    Prefetch,
    Statement,
    Store,
    Transpose,
    Value,
)
from pumice.target import CACHE_LINE

RUNS = 4
"""Parts of a streamed loop that are worked on together."""
_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)


def emit_statements(e: Emitter, body: Sequence[Statement], lanes: int) -> None:
    """Emit statements in order; `lanes` is the virtual lane count of folds."""
    for statement in body:
        match statement:
            case Let(value=value):
                evaluate(e, value)
            case Store():
                _store(e, statement)
            case Loop(kind=LoopKind.LANES) if not e.width:
                _lanes_loop(e, statement, lanes)
            case Loop(kind=LoopKind.RUNNING):
                emit_running(e, statement, partial(_body, e, statement.body, lanes))
            case Loop(kind=kind, folds=folds):
                if kind is LoopKind.LANES and folds:
                    raise InternalError("llvm: a LANES loop with folds inside a LANES loop")
                _serial_loop(e, statement, lanes)
            case Multiply():
                emit_multiply(e, statement)
            case MultiplyWords():
                emit_multiply_words(e, statement)
            case Transpose():
                emit_transpose(e, statement)
            case Prefetch(buffer=buffer, at=at):
                emit_prefetch(e, buffer, evaluate(e, at))
            case If(condition=condition, body=inner):
                test = scalar_of(e, condition)
                conditional(e, test, [], [], partial(_body, e, inner, lanes))
            case _:
                raise InternalError(f"llvm: {type(statement).__name__} is not allowed here")


def _store(e: Emitter, store: Store) -> None:
    index, value = evaluate(e, store.at), evaluate(e, store.value)
    mask = None if store.mask is None else evaluate(e, store.mask)
    emit_store(e, store.buffer, index, value, mask, store.streamed)


def _body(e: Emitter, body: Sequence[Statement], lanes: int) -> list[str]:
    emit_statements(e, body, lanes)
    return []


# -- serial loops -------------------------------------------------------------------------------


def _carries(loop: Loop) -> tuple[list[Carry], list[Value]]:
    carries = [carry for fold in loop.folds for carry in fold.carries]
    return carries, [value for fold in loop.folds for value in fold.next]


def _bind_carries(e: Emitter, stem: str, carries: list[Carry], texts: list[str]) -> None:
    for carry, text in zip(carries, texts, strict=True):
        e.bind((stem, carry), Operand(text, carry.dtype, e.depth, varying=e.width > 0))


def _text(e: Emitter, value: Value) -> str:
    operand = evaluate(e, value)
    return e.vector(operand) if e.width else operand.text


def _kinds(e: Emitter, carries: list[Carry]) -> list[str]:
    return [vector_of(scalar_type(carry.dtype), e.width) for carry in carries]


def _serial_loop(e: Emitter, loop: Loop, lanes: int) -> None:
    carries, following = _carries(loop)
    initial = [_text(e, carry.initial) for carry in carries]
    count = unroll_count(loop)
    if count is not None:
        _unrolled(e, loop, lanes, count, initial)
        return
    bounds = evaluate(e, loop.start), evaluate(e, loop.stop)
    uneven = any(bound.varying for bound in bounds)
    start, stop = _widest(e, bounds) if uneven else (bounds[0].text, bounds[1].text)

    def body(position: str, names: list[str]) -> list[str]:
        outer = e.mask, e.mask_level, e.remaining
        e.bind(("variable", loop.variable), _index(e, position))
        _bind_carries(e, "carried", carries, names)
        if uneven:
            _narrow_mask(e, bounds, position)
        emit_statements(e, loop.body, lanes)
        ends = [_text(e, value) for value in following]
        if uneven:
            ends = _keep_inactive(e, carries, ends, names)
        e.mask, e.mask_level, e.remaining = outer
        return ends

    results = counted_loop(e, start, stop, 1, _kinds(e, carries), initial, body)
    _bind_carries(e, "result", carries, results)


def _widest(e: Emitter, bounds: tuple[Operand, Operand]) -> tuple[str, str]:
    """Return bounds that cover those of every active lane."""
    texts = []
    for operand, name, idle in zip(bounds, ("smin", "smax"), (_MOST, _LEAST), strict=True):
        kind, text = vector_of("i64", e.width), e.vector(operand)
        if e.mask is not None:
            bits = vector_of("i1", e.width)
            text = e.value(f"select {bits} {e.mask}, {kind} {text}, {kind} splat (i64 {idle})")
        full = f"@llvm.vector.reduce.{name}.v{e.width}i64"
        e.declare(f"declare i64 {full}({kind})")
        texts.append(e.value(f"call i64 {full}({kind} {text})"))
    return texts[0], texts[1]


def _narrow_mask(e: Emitter, bounds: tuple[Operand, Operand], position: str) -> None:
    """Keep the lanes whose own bounds hold this position."""
    kind, bits = vector_of("i64", e.width), vector_of("i1", e.width)
    here = e.splat(position, "i64", e.width, e.depth)
    begun = e.value(f"icmp sle {kind} {e.vector(bounds[0])}, {here}")
    left = e.value(f"icmp slt {kind} {here}, {e.vector(bounds[1])}")
    mask = e.value(f"and {bits} {begun}, {left}")
    if e.mask is not None:
        mask = e.value(f"and {bits} {mask}, {e.mask}")
    e.mask, e.mask_level, e.remaining = mask, e.depth, None


def _index(e: Emitter, text: str, step: str | None = None, constant: bool = False) -> Operand:
    return Operand(text, INDEX, e.depth, varying=step is not None, step=step, constant=constant)


def _unrolled(e: Emitter, loop: Loop, lanes: int, count: int, texts: list[str]) -> None:
    carries, following = _carries(loop)
    first = int(loop.start.attribute)
    for iteration in range(first, first + count):
        e.open(ScopeKind.PLAIN)
        e.bind(("variable", loop.variable), _index(e, str(iteration), constant=True))
        _bind_carries(e, "carried", carries, texts)
        emit_statements(e, loop.body, lanes)
        texts = [_text(e, value) for value in following]
        e.scopes[-2].lines += e.scopes[-1].lines
        e.close()
    _bind_carries(e, "result", carries, texts)


# -- lanes --------------------------------------------------------------------------------------


def _lanes_loop(e: Emitter, loop: Loop, lanes: int) -> None:
    start, stop = scalar_of(e, loop.start), scalar_of(e, loop.stop)
    if loop.folds:
        run_lanes(e, loop, start, stop, lanes, lanes)
        return
    width = lane_width(loop, e.machine)
    factor = column_factor(loop)
    if lanewise(loop, e.machine):  # masking single lanes is long code: the rest runs one by one
        _, _, middle = split(e, start, stop, width)
        run_lanes(e, loop, start, middle, width, lanes, whole_only=True)
        counted_loop(e, middle, stop, 1, [], [], partial(_one_item, e, loop, lanes))
        return
    if factor > 1:
        _, _, middle = split(e, start, stop, width * factor)
        run_lanes(e, loop, start, middle, width * factor, lanes, whole_only=True)
        start = middle
    store = streamed_store(e, loop)
    if store is not None:
        _aligned_lanes(e, loop, store, (start, stop), width, lanes)
        return
    run_lanes(e, loop, start, stop, width, lanes)


def _aligned_lanes(
    e: Emitter, loop: Loop, store: Store, bounds: tuple[str, str], width: int, lanes: int
) -> None:
    """Emit whole vectors from the first aligned address of a store on, then both ends."""
    start, stop = bounds
    before = elements_before(e, loop, store, start, stop, width)
    middle = e.value(f"add i64 {start}, {before}")
    whole, rest, tail_at = split(e, middle, stop, width)
    e.width = width
    run = _run_length(e, whole, width)
    first_ends = e.value(f"add i64 {middle}, {run}")

    def across(position: str, _: list[str]) -> list[str]:
        """Take a vector of each run."""
        work = partial(_whole_vector, e, loop, bounds_of(loop), lanes)
        return counted_loop(e, position, tail_at, run, [], [], work)

    counted_loop(e, middle, first_ends, width, [], [], across)

    def end(number: str, _: list[str]) -> list[str]:
        first = e.value(f"icmp eq i64 {number}, 0")
        position = e.value(f"select i1 {first}, i64 {start}, i64 {tail_at}")
        count = e.value(f"select i1 {first}, i64 {before}, i64 {rest}")
        test = e.value(f"icmp ne i64 {count}, 0")
        return conditional(e, test, [], [], partial(masked, position, count))

    def masked(position: str, count: str) -> list[str]:
        start_tail(e, count)
        _iteration(e, loop, lanes, position, [])
        e.mask, e.mask_level, e.remaining = None, 0, None
        return []

    counted_loop(e, "0", "2", 1, [], [], end)
    e.width = 0


def _run_length(e: Emitter, whole: str, width: int) -> str:
    """Return the elements of each of `RUNS` parts of whole vectors, the last may be shorter.

    Going along them together, memory is read from several pages at a time: what a CPU asks for of
    its own accord ends with a page and takes some lines to begin anew in the next.
    """
    vectors = RUNS * width
    more = e.value(f"add i64 {whole}, {vectors - width}")
    parts = e.value(f"udiv i64 {more}, {vectors}")
    return e.value(f"mul i64 {parts}, {width}")


def _one_item(e: Emitter, loop: Loop, lanes: int, position: str, _: list[str]) -> list[str]:
    e.bind(("variable", loop.variable), _index(e, position))
    return _body(e, loop.body, lanes)


def run_lanes(
    e: Emitter,
    loop: Loop,
    start: str,
    stop: str,
    width: int,
    lanes: int,
    whole_only: bool = False,
) -> None:
    """Emit a LANES loop: whole vectors, one masked tail, then the tree that joins the lanes.

    `whole_only` promises that there is no rest.
    """
    carries, _ = _carries(loop)
    whole, rest, tail_at = split(e, start, stop, width)
    initial_operands = [evaluate(e, carry.initial) for carry in carries]
    e.width = width
    kinds = _kinds(e, carries)
    texts = [e.vector(operand) for operand in initial_operands]

    def tail() -> list[str]:
        start_tail(e, rest)
        ends = _iteration(e, loop, lanes, tail_at, texts)
        kept = _keep_inactive(e, carries, ends, texts)
        e.mask, e.mask_level, e.remaining = None, 0, None
        return kept

    e.asking = _asking(e, loop, start, stop)
    if whole != "0":
        work = partial(_whole_vector, e, loop, bounds_of(loop), lanes)
        texts = counted_loop(e, start, tail_at, width, kinds, texts, work)
    if rest != "0" and not whole_only:
        test = e.value(f"icmp ne i64 {rest}, 0")
        texts = conditional(e, test, kinds, texts, tail)
    e.width, e.asking = 0, None
    _join_lanes(e, loop, texts, width)


def _asking(e: Emitter, loop: Loop, start: str, stop: str) -> Asking | None:
    sizes = {each.buffer.dtype.itemsize for each in loop.body if isinstance(each, Prefetch)}
    if not sizes:
        return None
    count = e.value(f"sub i64 {stop}, {start}")
    shares = {}
    for size in sorted(sizes):
        more = e.value(f"add i64 {e.value(f'mul i64 {count}, {size}')}, {4 * CACHE_LINE - 1}")
        shares[size] = e.value(f"udiv i64 {more}, {4 * CACHE_LINE}")
    return Asking(start, shares)


def _whole_vector(
    e: Emitter,
    loop: Loop,
    bounds: tuple[Bound, ...],
    lanes: int,
    position: str,
    names: list[str],
) -> list[str]:
    """Emit a vector of which every lane is active, twice where masks may not be needed."""
    if not bounds:
        return _iteration(e, loop, lanes, position, names)

    def inside() -> list[str]:
        take_for_granted(e, bounds)
        return _iteration(e, loop, lanes, position, names)

    test = all_hold(e, loop, bounds, position)
    otherwise = partial(_iteration, e, loop, lanes, position, names)
    return choice(e, test, _kinds(e, _carries(loop)[0]), inside, otherwise)


def _iteration(e: Emitter, loop: Loop, lanes: int, position: str, names: list[str]) -> list[str]:
    carries, following = _carries(loop)
    if e.asking is not None:
        e.asking = replace(e.asking, position=position)
    e.bind(("variable", loop.variable), _index(e, position, step="1"))
    _bind_carries(e, "carried", carries, names)
    emit_statements(e, loop.body, lanes)
    return [_text(e, value) for value in following]


def _keep_inactive(
    e: Emitter, carries: list[Carry], ends: list[str], before: list[str]
) -> list[str]:
    kept = []
    for carry, end, old in zip(carries, ends, before, strict=True):
        kind = vector_of(scalar_type(carry.dtype), e.width)
        bits = vector_of("i1", e.width)
        kept.append(e.value(f"select {bits} {e.mask}, {kind} {end}, {kind} {old}"))
    return kept


def _join_lanes(e: Emitter, loop: Loop, texts: list[str], width: int) -> None:
    """Combine lane l with lane l + width / 2, halving until one is left."""
    position = 0
    for fold in loop.folds:
        own = texts[position : position + len(fold.carries)]
        position += len(fold.carries)
        lanes = width
        while lanes > 1:
            own = _halve(e, fold, own, lanes)
            lanes //= 2
        e.width = 0
        _bind_carries(e, "result", list(fold.carries), own)


def _halve(e: Emitter, fold: Fold, texts: list[str], lanes: int) -> list[str]:
    if fold.combine is None:
        raise InternalError("llvm: a fold in a LANES loop needs `combine`")
    half = lanes // 2
    sides = []
    for first in (0, half):
        parts = [
            _part(e, carry.dtype, text, lanes, first)
            for carry, text in zip(fold.carries, texts, strict=True)
        ]
        sides.append(parts)
    e.width = half if half > 1 else 0
    operands = []
    for parts in sides:
        stand_ins = [Carry(carry.name, carry.dtype, carry.initial) for carry in fold.carries]
        _bind_carries(e, "carried", stand_ins, parts)
        operands.append(tuple(carry.now for carry in stand_ins))
    return [_text(e, value) for value in fold.combine(operands[0], operands[1])]


def _part(e: Emitter, dtype: DType, text: str, lanes: int, first: int) -> str:
    kind = vector_of(scalar_type(dtype), lanes)
    half = lanes // 2
    if half == 1:
        return e.value(f"extractelement {kind} {text}, i64 {first}")
    order = ", ".join(f"i32 {lane}" for lane in range(first, first + half))
    return e.value(f"shufflevector {kind} {text}, {kind} poison, <{half} x i32> <{order}>")
