"""Walks over values and statements that no depth of expression can overflow."""

from collections.abc import Container, Iterator

from pumice.kernel.ir import (
    Instruction,
    Kernel,
    Statement,
    Store,
    Value,
    children,
    values_of,
)

LEAVES = frozenset(
    (
        Instruction.CONSTANT,
        Instruction.PARAMETER,
        Instruction.VARIABLE,
        Instruction.CARRIED,
        Instruction.RESULT,
        Instruction.ACCUMULATOR,
    )
)


def postorder(root: Value, known: Container[Value]) -> Iterator[Value]:
    """Yield the values `root` needs, operands first, leaving out those in `known`.

    The consumer must add each value to `known` before asking for the next one.
    """
    if root in known:
        return
    stack = [root]
    while stack:
        value = stack[-1]
        if value in known:
            stack.pop()
            continue
        missing = [operand for operand in value.arguments if operand not in known]
        if missing:
            missing.reverse()
            stack.extend(missing)
            continue
        stack.pop()
        yield value


def all_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield every statement of a body, nested ones included, outer ones first."""
    stack = list(reversed(body))
    while stack:
        statement = stack.pop()
        yield statement
        stack.extend(reversed(children(statement)))


def all_values(kernel: Kernel) -> Iterator[Value]:
    """Yield every distinct value of a kernel (fold combinations are functions, so left out)."""
    known: set[Value] = set()
    for root in _roots(kernel):
        for value in postorder(root, known):
            known.add(value)
            yield value


def _roots(kernel: Kernel) -> Iterator[Value]:
    yield from kernel.grid.extents
    for statement in all_statements(kernel.body):
        yield from values_of(statement)


def written_buffers(kernel: Kernel) -> frozenset[object]:
    """Return the parameters some store of the kernel writes to."""
    return frozenset(
        statement.buffer
        for statement in all_statements(kernel.body)
        if isinstance(statement, Store)
    )
