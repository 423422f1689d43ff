"""Walks over values and statements that no depth of expression can overflow."""

from collections.abc import Container, Iterable, Iterator

from pumice.kernel.ir import (
    Contract,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Multiply,
    MultiplyWords,
    Parameter,
    Prefetch,
    Role,
    Statement,
    Store,
    TileStatement,
    Transpose,
    Value,
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


def children(statement: Statement) -> tuple[Statement, ...]:
    """Return the statements nested in a statement."""
    match statement:
        case Loop(body=body) | If(body=body):
            return body
        case Contract(epilogue=epilogue):
            return epilogue
        case _:
            return ()


def values_of(statement: Statement) -> Iterator[Value]:
    """Yield the values a statement uses itself, nested statements left out."""
    match statement:
        case Let(value=value):
            yield value
        case Store(at=at, value=value, mask=mask):
            yield at
            yield value
            if mask is not None:
                yield mask
        case Loop(start=start, stop=stop, folds=folds):
            yield start
            yield stop
            for fold in folds:
                for carry in fold.carries:
                    yield carry.initial
                yield from fold.next
        case If(condition=condition):
            yield condition
        case Contract(batches=batches, m=m, n=n, k=k, left=left, right=right):
            yield from (batches, m, n, k, left, right)
        case Prefetch(at=at):
            yield at
        case TileStatement(operands=operands):
            yield from operands


def multiply_parts(multiply: Multiply) -> tuple[int, int, int]:
    """Return where `repeats`, `result_at` and `ahead_at` begin among the operands."""
    last = len(multiply.operands) - len(multiply.ahead_at)
    place = last - len(multiply.result_at)
    return place - len(multiply.repeats), place, last


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


def reached(roots: Iterable[Value]) -> dict[Value, None]:
    """Return all values that some values need, operands first, themselves included."""
    known: dict[Value, None] = {}
    for root in roots:
        for value in postorder(root, known):
            known[value] = None
    return known


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


def bounded_buffers(kernel: Kernel) -> tuple[Parameter, ...]:
    """Return the buffers a kernel computes with: all but the record of its data errors."""
    parameters = kernel.parameters[:-1] if kernel.faults else kernel.parameters
    return tuple(each for each in parameters if each.role is Role.BUFFER)


def written_buffers(kernel: Kernel) -> frozenset[Parameter]:
    """Return the parameters and locals some statement of the kernel writes to."""
    return stored_buffers(kernel.body)


def stored_buffers(body: tuple[Statement, ...]) -> frozenset[Parameter]:
    """Return the parameters and locals that these statements and those inside write to."""
    written: set[Parameter] = set()
    for statement in all_statements(body):
        match statement:
            case Store(buffer=buffer):
                written.add(buffer)
            case Multiply(tile=tile, result=result):
                written.add(tile if result is None else result)
            case MultiplyWords(tile=tile):
                written.add(tile)
            case Transpose(target=target):
                written.add(target)
    return frozenset(written)
