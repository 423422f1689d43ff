"""Short ways to write the loops that ordering and indexing are made of."""

from collections.abc import Callable

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    Loop,
    LoopKind,
    Statement,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.loops import variable_value

Body = tuple[Statement, ...]


def serial(
    name: str,
    stop: Value,
    body: Callable[[Value], Body],
    folds: Callable[[Value], tuple[Fold, ...]] = lambda _: (),
    start: Value | None = None,
) -> Loop:
    """Return a loop that runs in order; ``body`` and ``folds`` get the position."""
    variable = Variable(name)
    at = variable_value(variable)
    first = index(0) if start is None else start
    return Loop(variable, first, stop, LoopKind.SERIAL, body(at), folds(at))


def lanes(
    name: str, stop: Value, body: Callable[[Value], Body], start: Value | None = None
) -> Loop:
    """Return a loop whose iterations are vector lanes."""
    variable = Variable(name)
    first = index(0) if start is None else start
    return Loop(variable, first, stop, LoopKind.LANES, body(variable_value(variable)))


def once(condition: Value, body: Body, folds: tuple[Fold, ...] = ()) -> Loop:
    """Return a loop that runs once if a condition holds, so that its folds have results."""
    return Loop(Variable("once"), index(0), condition.cast(INDEX), LoopKind.SERIAL, body, folds)


def count_where(
    stop: Value, holds: Callable[[Value], Value], body: Callable[[Value], Body] = lambda _: ()
) -> tuple[Loop, Value]:
    """Return a vector loop that counts positions below ``stop``, and its result (int32)."""
    variable = Variable("n")
    statements = body(variable_value(variable))
    carry = Carry("count", dtypes.int32, constant(0, dtypes.int32))
    one = holds(variable_value(variable)).cast(dtypes.int32)

    def merge(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        return (first[0] + second[0],)

    fold = Fold((carry,), (carry.now + one,), merge)
    return Loop(variable, index(0), stop, LoopKind.LANES, statements, (fold,)), carry.result


def carried(name: str, initial: Value) -> Carry:
    """Return a carry that starts with a value."""
    return Carry(name, initial.dtype, initial)
