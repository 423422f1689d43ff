"""What four neighbouring items of a kernel have in common: analysis for the vector path."""

from collections.abc import Collection, Iterable, Iterator

from pumice.backends.spirv.statements import runs_together
from pumice.backends.spirv.vectors import WIDTH
from pumice.kernel.ir import (
    INDEX,
    Contract,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
)
from pumice.kernel.walk import all_statements, all_values, postorder

VALUE_LIMIT = 1000
"""Larger kernels keep to one item at a time, for the sake of compile time."""

_LOOP_LEAVES = (Instruction.CARRIED, Instruction.RESULT, Instruction.ACCUMULATOR)


class Neighbours:
    """How values change from one item to the next along the innermost grid variable."""

    def __init__(self, inner: Variable, known: Collection[Variable]) -> None:
        """Take the variable that steps from neighbour to neighbour, the first of four of which is
        a multiple of four, and all that are known before the loops of the body."""
        self._inner = inner
        self._grid = frozenset(known)
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
        if self._is_split(value):
            return int(value.instruction is Instruction.MODULUS)
        return None

    def _is_split(self, value: Value) -> bool:
        """Tell whether a value is the quotient or rest of the inner variable by four, eight ..."""
        if value.instruction not in (Instruction.QUOTIENT, Instruction.MODULUS):
            return False
        inner, divisor = value.arguments
        return (
            inner.attribute is self._inner
            and divisor.instruction is Instruction.CONSTANT
            and int(divisor.attribute) > 0
            and int(divisor.attribute) % WIDTH == 0
        )

    def _is_fixed(self, root: Value) -> bool:
        """Tell whether a value is known before the loops of the body."""
        for value in postorder(root, self._fixed):
            leaf = value.instruction in _LOOP_LEAVES or value.instruction is Instruction.LOAD
            inside = isinstance(value.attribute, Variable) and value.attribute not in self._grid
            below = all(self._fixed[each] for each in value.arguments)
            self._fixed[value] = below and not leaf and not inside
        return self._fixed[root]

    def is_contiguous(self, at: Value) -> bool:
        """Tell whether neighbours' elements may be one aligned access."""
        return self.step(at) == 1 and self.aligned_if(at) is not None

    def aligned_if(self, at: Value) -> list[Value] | None:
        """Return values that, all multiples of four, make an index one at the first neighbour.

        None when no such values are known before the loops, or one is a constant that is none.
        """
        needed: list[Value] = []
        pending = [at]
        while pending:
            value = pending.pop()
            if value.instruction is Instruction.MODULUS and self._is_split(value):
                continue
            is_sum = value.instruction in (Instruction.ADD, Instruction.SUB)
            if any(_is_odd(each) for each in (value, *(value.arguments if is_sum else ()))):
                return None
            if self._is_fixed(value):
                needed.append(value)
            elif is_sum:
                pending += value.arguments
            elif value.instruction is Instruction.MUL:
                fixed = [each for each in value.arguments if self._is_fixed(each)]
                if not fixed:
                    return None
                needed.append(fixed[0])
            else:
                return None
        return needed


def _is_odd(value: Value) -> bool:
    """Tell whether a value is a constant and no multiple of four."""
    return value.instruction is Instruction.CONSTANT and bool(int(value.attribute) % WIDTH)


def accesses(
    values: Iterable[Value], statements: Iterable[Statement] = ()
) -> Iterator[tuple[Parameter, Value]]:
    """Yield the buffer and index of each load and store without a mask."""
    for value in values:
        if value.instruction is Instruction.LOAD and len(value.arguments) == 1:
            yield value.attribute, value.arguments[0]
    for statement in statements:
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
    if kernel.faults or not kernel.grid.variables or runs_together(kernel):
        return None
    if any(isinstance(statement, Contract) for statement in kernel.body):
        return None
    if sum(1 for _ in all_values(kernel)) > VALUE_LIMIT:
        return None
    found = Neighbours(kernel.grid.variables[-1], kernel.grid.variables)
    if not _uniform(kernel.body, found):
        return None
    vectors = sum(found.is_contiguous(at) for _, at in kernel_accesses(kernel))
    return found if vectors and vectors >= _single_accesses(kernel, found) else None


def _single_accesses(kernel: Kernel, neighbours: Neighbours) -> int:
    """Count accesses a known step apart that are no vectors.

    Items of a workgroup that take four neighbours each make them far apart.
    """
    statements = [each for each in all_statements(kernel.body) if isinstance(each, Store)]
    masked = [each.at for each in statements if each.mask is not None]
    for value in all_values(kernel):
        if value.instruction is Instruction.LOAD and len(value.arguments) == 2:
            masked.append(value.arguments[0])
    plain = [at for _, at in kernel_accesses(kernel) if not neighbours.is_contiguous(at)]
    return sum(bool(neighbours.step(at)) for at in (*masked, *plain))


def kernel_accesses(kernel: Kernel) -> Iterator[tuple[Parameter, Value]]:
    """Yield the buffer and index of each load and store of a kernel without a mask."""
    return accesses(all_values(kernel), all_statements(kernel.body))
