"""Where a workgroup has to wait: before a statement that meets what other invocations have done.

Invocations of a workgroup work on their own until one statement reads what another has written, or
writes what another has read or written. A barrier stands before such a statement, and makes all
earlier accesses harmless::

    lanes i in 0..n:  store a[i] = ...
    lanes i in 0..n:  store b[i] = ...
    -- barrier --
    lanes i in 0..n:  store c[i] = load a[n - i] + load b[n - i]

Iterations of one LANES loop do not depend on each other, so only whole statements are compared.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pumice.kernel.ir import (
    Fold,
    If,
    Instruction,
    Kernel,
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Statement,
    Store,
    Value,
)
from pumice.kernel.walk import (
    all_statements,
    postorder,
    stored_buffers,
    values_of,
    written_buffers,
)

Buffers = frozenset[Parameter]
NOTHING: Buffers = frozenset()


def loads_of(roots: Iterable[Value]) -> set[Parameter]:
    """Return the buffers some values read."""
    known: set[Value] = set()
    found: set[Parameter] = set()
    for root in roots:
        for value in postorder(root, known):
            known.add(value)
            if value.instruction is Instruction.LOAD:
                found.add(value.attribute)
    return found


def loaded_buffers(statements: tuple[Statement, ...]) -> set[Parameter]:
    """Return the buffers that these statements and those inside read."""
    every = list(all_statements(statements))
    found = loads_of(value for each in every for value in values_of(each))
    for each in every:
        if isinstance(each, Multiply):
            found |= {each.left, each.right, each.tile}
    return found


def exchanged_buffers(kernel: Kernel) -> Buffers:
    """Return the buffers and locals a kernel both reads and writes."""
    return written_buffers(kernel) & loaded_buffers(kernel.body)


@dataclass(frozen=True, slots=True)
class Pending:
    """What has been read and written since the last barrier."""

    reads: Buffers = NOTHING
    writes: Buffers = NOTHING

    def __or__(self, other: "Pending") -> "Pending":
        return Pending(self.reads | other.reads, self.writes | other.writes)

    def meets(self, reads: Buffers, writes: Buffers) -> bool:
        """Tell whether an access has to wait for what is pending."""
        return bool(reads & self.writes or writes & (self.reads | self.writes))


class Barriers:
    """Which statements of a kernel wait, for the buffers that its invocations exchange.

    Attributes
    ----------
    before : set of Statement
        Statements with a barrier in front.
    inside : set of Statement
        Stores with a barrier between the evaluation of their operands and the write.
    closing : set of Fold
        Folds of serial loops whose next values are computed behind a barrier.
    """

    def __init__(self, kernel: Kernel, exchanged: Buffers) -> None:
        self.exchanged = exchanged
        self.before: set[Statement] = set()
        self.inside: set[Statement] = set()
        self.closing: set[Fold] = set()
        if exchanged:
            self._body(kernel.body, Pending())

    def _shared(self, buffers: Iterable[Parameter]) -> Buffers:
        return self.exchanged.intersection(buffers)

    def _body(self, body: Iterable[Statement], pending: Pending) -> Pending:
        for statement in body:
            pending = self._statement(statement, pending)
        return pending

    def _statement(self, statement: Statement, pending: Pending) -> Pending:
        match statement:
            case Loop(kind=LoopKind.SERIAL):
                return self._serial(statement, pending)
            case If(condition=condition, body=body):
                pending = self._before(statement, pending, self._shared(loads_of((condition,))))
                return pending | self._body(body, pending)
            case Store():
                reads = self._shared(loads_of(values_of(statement)))
                pending = self._before(statement, pending, reads)
                writes = self._shared((statement.buffer,))
                if pending.meets(NOTHING, writes):
                    self.inside.add(statement)
                    pending = Pending()
                return pending | Pending(NOTHING, writes)
            case _:
                reads = self._shared(loaded_buffers((statement,)))
                writes = self._shared(stored_buffers((statement,)))
                pending = self._before(statement, pending, reads, writes)
                # A fold ends with barriers.
                ended = isinstance(statement, Loop) and statement.folds
                return Pending() if ended else pending

    def _before(
        self, statement: Statement, pending: Pending, reads: Buffers, writes: Buffers = NOTHING
    ) -> Pending:
        if pending.meets(reads, writes):
            self.before.add(statement)
            pending = Pending()
        return pending | Pending(reads, writes)

    def _serial(self, loop: Loop, pending: Pending) -> Pending:
        """Follow a loop until another iteration finds nothing pending that is new."""
        initials = (carry.initial for fold in loop.folds for carry in fold.carries)
        bounds = self._shared(loads_of((loop.start, loop.stop, *initials)))
        entry = self._before(loop, pending, bounds)
        while True:
            end = self._body(loop.body, entry)
            for fold in loop.folds:
                reads = self._shared(loads_of(fold.next))
                if end.meets(reads, NOTHING):
                    self.closing.add(fold)
                    end = Pending()
                end |= Pending(reads)
            if entry | end == entry:
                return entry
            entry |= end
