"""What four neighbouring items of a kernel have in common: analysis for the vector path."""

from collections.abc import Iterable, Iterator

from pumice.backends.spirv.statements import has_lanes
from pumice.kernel.ir import (
    INDEX,
    Contract,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Statement,
    Store,
    Value,
    Variable,
)
from pumice.kernel.walk import all_statements, all_values, postorder

VALUE_LIMIT = 1000
"""Larger kernels keep to one item at a time, for the sake of compile time."""

_LOOP_LEAVES = (Instruction.CARRIED, Instruction.RESULT)


class Neighbours:
    """How values change from one item to the next along the innermost grid variable."""

    def __init__(self, kernel: Kernel) -> None:
        self._inner = kernel.grid.variables[-1]
        self._grid = frozenset(kernel.grid.variables)
        self._varies: dict[Value, bool] = {}
        self._steps: dict[Value, int | None] = {}
        self._fixed: dict[Value, bool] = {}

    @property
    def inner(self) -> Variable:
        return self._inner

    def varies(self, root: Value) -> bool:
        """Tell whether a value may differ between neighbours."""
        for value in postorder(root, self._varies):
            own = value.instruction in _LOOP_LEAVES or value.attribute is self._inner
            self._varies[value] = own or any(self._varies[each] for each in value.arguments)
        return self._varies[root]

    def step(self, root: Value) -> int | None:
        """Return how much an index grows per neighbour, None if that is not a constant."""
        for value in postorder(root, self._steps):
            self._steps[value] = self._step(value)
        return self._steps[root]

    def _step(self, value: Value) -> int | None:
        if not self.varies(value):
            return 0
        if value.instruction is Instruction.VARIABLE:
            return 1
        if value.dtype is not INDEX:
            return None
        steps = [self._steps[each] for each in value.arguments]
        match value.instruction, steps:
            case Instruction.ADD, [int(first), int(second)]:
                return first + second
            case Instruction.SUB, [int(first), int(second)]:
                return first - second
            case Instruction.MUL, [int(first), int(second)]:
                for step, other in ((first, value.arguments[1]), (second, value.arguments[0])):
                    if other.instruction is Instruction.CONSTANT:
                        return step * int(other.attribute)
        return None

    def _is_fixed(self, root: Value) -> bool:
        """Tell whether a value is known before the loops of the body."""
        for value in postorder(root, self._fixed):
            leaf = value.instruction in _LOOP_LEAVES or value.instruction is Instruction.LOAD
            inside = isinstance(value.attribute, Variable) and value.attribute not in self._grid
            below = all(self._fixed[each] for each in value.arguments)
            self._fixed[value] = below and not leaf and not inside
        return self._fixed[root]

    def aligned_if(self, at: Value) -> list[Value] | None:
        """Return values that, all multiples of four, make an index one at the first neighbour.

        None when no such values are known before the loops.
        """
        needed: list[Value] = []
        pending = [at]
        while pending:
            value = pending.pop()
            if self._is_fixed(value):
                needed.append(value)
            elif value.instruction in (Instruction.ADD, Instruction.SUB):
                pending += value.arguments
            elif value.instruction is Instruction.MUL:
                fixed = [each for each in value.arguments if self._is_fixed(each)]
                if not fixed:
                    return None
                needed.append(fixed[0])
            else:
                return None
        return needed


def accesses(kernel: Kernel) -> Iterator[tuple[object, Value]]:
    """Yield the buffer and index of each load and store without a mask."""
    for value in all_values(kernel):
        if value.instruction is Instruction.LOAD and len(value.arguments) == 1:
            yield value.attribute, value.arguments[0]
    for statement in all_statements(kernel.body):
        if isinstance(statement, Store) and statement.mask is None:
            yield statement.buffer, statement.at


def _uniform(statements: Iterable[Statement], neighbours: Neighbours) -> bool:
    """Tell whether neighbours take the same way through the statements."""
    for statement in all_statements(tuple(statements)):
        match statement:
            case Let() | Store():
                continue
            case If(condition=condition):
                if neighbours.varies(condition):
                    return False
            case Loop(start=start, stop=stop):
                if neighbours.varies(start) or neighbours.varies(stop):
                    return False
            case _:
                return False
    return True


def neighbours_of(kernel: Kernel) -> Neighbours | None:
    """Return the analysis of a kernel worth running four items at a time, None for others."""
    if kernel.faults or not kernel.grid.variables or has_lanes(kernel.body):
        return None
    if any(isinstance(statement, Contract) for statement in kernel.body):
        return None
    if sum(1 for _ in all_values(kernel)) > VALUE_LIMIT:
        return None
    found = Neighbours(kernel)
    if not _uniform(kernel.body, found):
        return None
    worth = any(
        found.step(at) == 1 and found.aligned_if(at) is not None for _, at in accesses(kernel)
    )
    return found if worth else None
