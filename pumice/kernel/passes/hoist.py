"""Loop-invariant code motion: what every iteration computes alike is computed in front.

Before::

    lanes v1 in 0..p3
      %0 = mul.index v0, p3
      %1 = add.index %0, v1
      %2 = load p0[%1]
      %3 = load p1[v0]
      %4 = mul.f32 %2, %3
      store p2[%1] = %4

After::

    %0 = mul.index v0, p3
    let %0
    %1 = lt.index 0, p3
    %2 = load p1[v0] if %1
    let %2
    lanes v1 in 0..p3
      %3 = add.index %0, v1
      %4 = load p0[%3]
      %5 = mul.f32 %4, %2
      store p2[%3] = %5

A loop may run no iteration at all, so what could fail then is guarded: loads get a mask, divisors
are replaced by 1. Checked values, loads from buffers the kernel writes and what stands under an
`If` stay where they are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pumice.kernel.ir import (
    Carry,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Statement,
    Value,
    Variable,
    constant,
)
from pumice.kernel.rewrite import Rewriter, unchanged
from pumice.kernel.walk import (
    LEAVES,
    all_statements,
    children,
    postorder,
    values_of,
    written_buffers,
)

_DIVISIONS = frozenset((Instruction.QUOTIENT, Instruction.MODULUS))


def hoist(kernel: Kernel) -> Kernel:
    """Return the kernel with loop-invariant values computed in front of their loops."""
    body = _body(kernel.body, written_buffers(kernel), set())
    return kernel if body is kernel.body else replace(kernel, body=body)


def _body(
    body: tuple[Statement, ...], written: frozenset[object], known: set[Value]
) -> tuple[Statement, ...]:
    """Return a body with its loops done; `known` is what earlier statements have computed."""
    result: list[Statement] = []
    for statement in body:
        if not isinstance(statement, Loop):
            _learn(values_of(statement), known)
        inner = children(statement)
        match statement:
            case Loop():
                _learn(_before(statement), known)
                improved = _body(inner, written, set(known))
                loop = statement if improved is inner else replace(statement, body=improved)
                moved, loop = _in_front(loop, written, known)
                _learn(moved, known)
                result.extend(Let(value) for value in moved)
                result.append(loop)
            case If():
                improved = _body(inner, written, set(known))
                result.append(statement if improved is inner else replace(statement, body=improved))
            case _:
                result.append(statement)
    same = len(result) == len(body) and all(
        new is old for new, old in zip(result, body, strict=True)
    )
    return body if same else tuple(result)


def _in_front(
    loop: Loop, written: frozenset[object], known: set[Value]
) -> tuple[list[Value], Loop]:
    """Return what to compute in front of a loop whose inner loops are done, and the loop."""
    moved = list(_Invariants(loop, written).movable(known))
    if not moved:
        return moved, loop
    risky = [value for value in _learn(moved, set(known)) if _is_risky(value)]
    if risky and not _runs(loop):
        rewriter = Rewriter(unchanged)
        guard = loop.start < loop.stop
        for value in risky:
            rewriter.values[value] = _guarded(value, guard, rewriter)
        moved = [rewriter.value(value) for value in moved]
        rewritten = rewriter.statement(loop)
        assert isinstance(rewritten, Loop)
        loop = rewritten
    present = frozenset(moved)
    body = tuple(
        statement
        for statement in loop.body
        if not (isinstance(statement, Let) and statement.value in present)
    )
    return moved, replace(loop, body=body)


class _Invariants:
    """Which values of a loop do not change from one iteration to the next."""

    def __init__(self, loop: Loop, written: frozenset[object]) -> None:
        self.loop = loop
        self.written = written
        self.variables: set[Variable] = {loop.variable}
        self.carries: set[Carry] = {carry for fold in loop.folds for carry in fold.carries}
        for statement in all_statements(loop.body):
            if isinstance(statement, Loop):
                self.variables.add(statement.variable)
                self.carries.update(carry for fold in statement.folds for carry in fold.carries)
        self.varies: dict[Value, bool] = {}

    def _varies(self, root: Value) -> bool:
        varies = self.varies
        for value in postorder(root, varies):
            varies[value] = self._changes(value) or any(
                varies[operand] for operand in value.arguments
            )
        return varies[root]

    def _changes(self, value: Value) -> bool:
        """Say whether a value varies by itself, or must not run when the loop does not."""
        match value.instruction:
            case Instruction.VARIABLE:
                return value.attribute in self.variables
            case Instruction.CARRIED | Instruction.RESULT:
                return value.attribute in self.carries
            case Instruction.LOAD:
                return value.attribute in self.written
            case Instruction.CHECKED:
                return True
            case _:
                return False

    def movable(self, known: set[Value]) -> Iterator[Value]:
        """Yield the largest invariant expressions of the loop's own statements, once each."""
        seen = set(known)
        stack = list(_own_values(self.loop))
        stack.reverse()
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            if self._varies(value):
                stack.extend(reversed(value.arguments))
            elif value.instruction not in LEAVES:
                yield value


def _before(loop: Loop) -> Iterator[Value]:
    """Yield what is computed in front of a loop anyway."""
    yield loop.start
    yield loop.stop
    for fold in loop.folds:
        for carry in fold.carries:
            yield carry.initial


def _own_values(loop: Loop) -> Iterator[Value]:
    """Yield the values each iteration of a loop computes, whatever happens in it."""
    for statement in loop.body:
        if isinstance(statement, Loop):
            yield from _before(statement)
        else:
            yield from values_of(statement)
    for fold in loop.folds:
        yield from fold.next


def _learn(roots: Iterable[Value], known: set[Value]) -> list[Value]:
    """Add the values under some roots to the known ones; return the new, operands first."""
    new = []
    for root in roots:
        for value in postorder(root, known):
            known.add(value)
            new.append(value)
    return new


def _is_risky(value: Value) -> bool:
    if value.instruction in _DIVISIONS:
        divisor = value.arguments[1]
        return divisor.instruction is not Instruction.CONSTANT or divisor.attribute in (0, -1)
    return value.instruction is Instruction.LOAD


def _runs(loop: Loop) -> bool:
    """Say whether a loop is known to run at least once."""
    bounds = (loop.start, loop.stop)
    if any(bound.instruction is not Instruction.CONSTANT for bound in bounds):
        return False
    return bool(loop.start.attribute < loop.stop.attribute)


def _guarded(value: Value, guard: Value, rewriter: Rewriter) -> Value:
    """Return a load or division that does nothing harmful when the guard is false."""
    first, *others = (rewriter.value(operand) for operand in value.arguments)
    if value.instruction is Instruction.LOAD:
        mask = others[0] & guard if others else guard
        return Value(Instruction.LOAD, value.dtype, (first, mask), value.attribute)
    divisor = guard.select(others[0], constant(1, others[0].dtype))
    return Value(value.instruction, value.dtype, (first, divisor))
