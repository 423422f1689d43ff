"""Rebuilding kernels: the machinery all passes share.

Values are rewritten bottom-up, each object once, so sharing survives and depth does not matter.
What does not change keeps its identity.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from pumice.errors import InternalError
from pumice.kernel.ir import (
    Carry,
    Contract,
    Fold,
    Grid,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    Prefetch,
    Statement,
    Store,
    TileStatement,
    Value,
)
from pumice.kernel.printer import fold_operands
from pumice.kernel.walk import postorder, values_of

Rule = Callable[[Value], Value]
Clean = Callable[[Statement], tuple[Statement, ...]]


def unchanged(value: Value) -> Value:
    """Return a value as it is: the rule that rewrites nothing."""
    return value


def alone(statement: Statement) -> tuple[Statement, ...]:
    """Return a statement as it is: the cleaning that removes nothing."""
    return (statement,)


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """A `Fold.combine` given by its result on the operands `left` and `right`."""

    left: tuple[Value, ...]
    right: tuple[Value, ...]
    merged: tuple[Value, ...]

    def __call__(self, left: tuple[Value, ...], right: tuple[Value, ...]) -> tuple[Value, ...]:
        rewriter = Rewriter(unchanged)
        rewriter.values.update(zip(self.left + self.right, left + right, strict=True))
        return tuple(rewriter.value(value) for value in self.merged)


class Rewriter:
    """One traversal of a kernel.

    Attributes
    ----------
    rule : function
        Given a value whose operands are rewritten already, returns what to use instead.
    clean : function
        Given a statement whose parts are rewritten already, returns what to put in its place.
    values : dict
        What each value became.
    """

    def __init__(self, rule: Rule, clean: Clean = alone) -> None:
        self.rule = rule
        self.clean = clean
        self.values: dict[Value, Value] = {}
        self.carries: dict[Carry, Carry] = {}

    def value(self, root: Value) -> Value:
        """Rewrite an expression."""
        values = self.values
        for value in postorder(root, values):
            values[value] = self.rule(self._rebuilt(value))
        return values[root]

    def _rebuilt(self, value: Value) -> Value:
        if value.instruction in (Instruction.CARRIED, Instruction.RESULT):
            carry = self.carries.get(value.attribute, value.attribute)
            if carry is value.attribute:
                return value
            return Value(value.instruction, value.dtype, (), carry)
        arguments = tuple([self.values[operand] for operand in value.arguments])
        if all(new is old for new, old in zip(arguments, value.arguments, strict=True)):
            return value
        return Value(value.instruction, value.dtype, arguments, value.attribute)

    def kernel(self, kernel: Kernel) -> Kernel:
        """Rewrite a kernel."""
        extents = tuple(self.value(extent) for extent in kernel.grid.extents)
        body = self.body(kernel.body)
        if body is kernel.body and _same(extents, kernel.grid.extents):
            return kernel
        return replace(kernel, grid=Grid(kernel.grid.variables, extents), body=body)

    def body(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Rewrite statements in order."""
        rewritten = tuple(
            cleaned for statement in body for cleaned in self.clean(self.statement(statement))
        )
        return body if _same(rewritten, body) else rewritten

    def statement(self, statement: Statement) -> Statement:
        """Rewrite one statement and what it contains."""
        match statement:
            case Let(value=value):
                new = self.value(value)
                return statement if new is value else Let(new)
            case Store():
                return self._store(statement)
            case Loop():
                return self._loop(statement)
            case If(condition=condition, body=body):
                new, inner = self.value(condition), self.body(body)
                return statement if new is condition and inner is body else If(new, inner)
            case Contract():
                return self._contract(statement)
            case TileStatement():
                return self._tile_statement(statement)
            case Prefetch(at=at):
                moved = self.value(at)
                return statement if moved is at else replace(statement, at=moved)
            case _:
                raise InternalError(f"rewrite: unknown statement {statement!r}")

    def _store(self, store: Store) -> Store:
        at, value = self.value(store.at), self.value(store.value)
        mask = None if store.mask is None else self.value(store.mask)
        if at is store.at and value is store.value and mask is store.mask:
            return store
        return replace(store, at=at, value=value, mask=mask)

    def _loop(self, loop: Loop) -> Loop:
        start, stop = self.value(loop.start), self.value(loop.stop)
        for fold in loop.folds:
            for carry in fold.carries:
                initial = self.value(carry.initial)
                if initial is not carry.initial:
                    self.carries[carry] = Carry(carry.name, carry.dtype, initial)
        body = self.body(loop.body)
        folds = tuple(self._fold(fold) for fold in loop.folds)
        rebuilt = (start, stop, body, *folds)
        if _same(rebuilt, (loop.start, loop.stop, loop.body, *loop.folds)):
            return loop
        return Loop(loop.variable, start, stop, loop.kind, body, folds)

    def _fold(self, fold: Fold) -> Fold:
        carries = tuple(self.carries.get(carry, carry) for carry in fold.carries)
        following = tuple(self.value(value) for value in fold.next)
        combine = fold.combine
        if combine is not None:
            left, right = fold_operands(fold, "left"), fold_operands(fold, "right")
            original = combine(left, right)
            merged = tuple(self.value(value) for value in original)
            if not _same(merged, original):
                combine = Combination(left, right, merged)
        if _same(carries, fold.carries) and _same(following, fold.next) and combine is fold.combine:
            return fold
        return Fold(carries, following, combine)

    def _contract(self, contract: Contract) -> Contract:
        values = tuple(values_of(contract))
        rewritten = tuple(self.value(value) for value in values)
        epilogue = self.body(contract.epilogue)
        if epilogue is contract.epilogue and _same(rewritten, values):
            return contract
        batches, m, n, k, left, right = rewritten
        return replace(
            contract,
            batches=batches,
            m=m,
            n=n,
            k=k,
            left=left,
            right=right,
            epilogue=epilogue,
        )

    def _tile_statement(self, statement: TileStatement) -> TileStatement:
        values = iter(rewritten := tuple(self.value(value) for value in statement.operands))
        if _same(rewritten, statement.operands):
            return statement

        def changed(found: object) -> object:
            """Return a field with the values that `operands` takes from it in turn."""
            if isinstance(found, tuple):
                return tuple(changed(each) for each in found)
            return next(values) if isinstance(found, Value) else found

        names = [each.name for each in fields(statement)]  # type: ignore[arg-type]
        changes = {name: changed(getattr(statement, name)) for name in names}
        return replace(statement, **changes)  # type: ignore[type-var]


def _same(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    return len(first) == len(second) and all(
        one is other for one, other in zip(first, second, strict=True)
    )
