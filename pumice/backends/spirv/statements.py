"""Statements, run by one invocation per grid item or by a workgroup together."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

from pumice.backends.spirv.barriers import Barriers
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op
from pumice.backends.spirv.tiles import TileProduct
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.workgroup import Workgroup
from pumice.errors import InternalError
from pumice.kernel.ir import (
    Contract,
    Fold,
    If,
    Instruction,
    Kernel,
    Let,
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Statement,
    Store,
)
from pumice.kernel.walk import all_statements


def runs_together(kernel: Kernel) -> bool:
    """Tell whether a workgroup runs an item: there are lanes, or memory they share."""
    return bool(kernel.locals) or any(
        isinstance(statement, Loop) and statement.kind is LoopKind.LANES
        for statement in all_statements(kernel.body)
    )


class Statements:
    """Emits statements.

    With a workgroup, statements outside LANES loops run in every invocation on equal values, and
    the first invocation alone stores.
    """

    def __init__(
        self,
        code: Code,
        values: Values,
        workgroup: Workgroup | None = None,
        barriers: Barriers | None = None,
    ) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._workgroup = workgroup
        self._barriers = barriers
        self._uniform = workgroup is not None

    def emit(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            if self._uniform and self._barriers and statement in self._barriers.before:
                self._code.barrier()
            match statement:
                case Let(value=value):
                    self._values.value(value)
                case Store():
                    self._store(statement)
                case Loop(kind=LoopKind.SERIAL):
                    self._serial(statement)
                case Loop():
                    self._lanes(statement)
                case If(condition=condition, body=body):
                    with self._code.when(self._values.value(condition)), self._values.scope():
                        self.emit(body)
                case Multiply() if self._workgroup is not None:
                    self._multiply(self._workgroup, statement)
                case Contract():
                    raise InternalError("spirv: a contraction must stand alone in its kernel")
                case _:
                    raise InternalError(f"spirv: unknown statement {type(statement).__name__}")

    def _store(self, statement: Store) -> None:
        code, values = self._code, self._values
        at, value = values.value(statement.at), values.value(statement.value)
        mask = None if statement.mask is None else values.value(statement.mask)
        if self._workgroup is None or not self._uniform:
            self._write(statement.buffer, at, value, mask)
            return
        alone = self._workgroup.first
        mask = alone if mask is None else code.truth(Op.LOGICAL_AND, mask, alone)
        if self._barriers and statement in self._barriers.inside:
            self._workgroup.barrier()
        self._write(statement.buffer, at, value, mask)

    def _multiply(self, workgroup: Workgroup, multiply: Multiply) -> None:
        lane, lanes = workgroup.lane, workgroup.lanes
        TileProduct(self._code, self._values, lane, lanes, workgroup.wide, multiply).emit()

    def _write(self, buffer: Parameter, at: int, value: int, mask: int | None) -> None:
        if mask is None:
            self._values.store(buffer, at, value)
            return
        with self._code.when(mask):
            self._values.store(buffer, at, value)

    # -- loops ----------------------------------------------------------------------------------

    def _serial(self, loop: Loop) -> None:
        start, stop = self._values.value(loop.start), self._values.value(loop.stop)
        partials = self._iterate(loop, start, stop, self._types.index(1))
        for fold, results in zip(loop.folds, partials, strict=True):
            for carry, result in zip(fold.carries, results, strict=True):
                self._values.bind_result(carry, result)

    def _lanes(self, loop: Loop) -> None:
        workgroup = self._workgroup
        if workgroup is None or not self._uniform:
            raise InternalError("spirv: a LANES loop inside another one")
        code, types = self._code, self._types
        start, stop = self._values.value(loop.start), self._values.value(loop.stop)
        lane = workgroup.lane
        if types.index_bits == 64:
            lane = code.emit(Op.U_CONVERT, types.integer(64), lane)
        if self._at_once(loop, lane):
            return
        first = code.emit(Op.I_ADD, types.integer(types.index_bits), start, lane)
        self._uniform = False
        partials = self._iterate(loop, first, stop, types.index(workgroup.lanes))
        self._uniform = True
        if loop.folds:
            totals = workgroup.reduce(list(zip(loop.folds, partials, strict=True)))
            for fold, results in zip(loop.folds, totals, strict=True):
                for carry, result in zip(fold.carries, results, strict=True):
                    self._values.bind_result(carry, result)

    def _at_once(self, loop: Loop, lane: int) -> bool:
        """Emit a loop without folds of which each lane has one iteration at most, if it is one."""
        assert self._workgroup is not None
        ends = (loop.start, loop.stop)
        if loop.folds or any(each.instruction is not Instruction.CONSTANT for each in ends):
            return False
        start, stop = (int(each.attribute) for each in ends)
        if start or stop > self._workgroup.lanes:
            return False
        self._uniform = False
        inside: AbstractContextManager[None] = nullcontext()
        if stop < self._workgroup.lanes:
            inside = self._code.when(
                self._code.truth(Op.S_LESS_THAN, lane, self._types.index(stop))
            )
        with inside, self._values.scope():
            self._values.bind(loop.variable, lane)
            self.emit(loop.body)
        self._uniform = True
        return True

    def _iterate(self, loop: Loop, start: int, stop: int, step: int) -> list[Sequence[int]]:
        """Emit the loop itself; return the final value of each fold's carries."""
        code, types, values = self._code, self._types, self._values
        index = types.integer(types.index_bits)
        carries = [carry for fold in loop.folds for carry in fold.carries]
        carried = [(index, start)]
        for carry in carries:
            carried.append((types.register(carry.dtype), values.value(carry.initial)))
        frame = code.loop(carried)
        counter, *running = frame.phis
        code.test(frame, code.truth(Op.S_LESS_THAN, counter, stop))
        with values.scope():
            values.bind(loop.variable, counter)
            for carry, phi in zip(carries, running, strict=True):
                values.bind(carry, phi)
            self.emit(loop.body)
            following = []
            for fold in loop.folds:
                if self._uniform and self._barriers and fold in self._barriers.closing:
                    code.barrier()
                following += [values.value(each) for each in fold.next]
            advanced = code.emit(Op.I_ADD, index, counter, step)
            code.end(frame, [advanced, *following])
        return _grouped(loop.folds, running)


def _grouped(folds: Sequence[Fold], flat: Sequence[int]) -> list[Sequence[int]]:
    groups: list[Sequence[int]] = []
    position = 0
    for fold in folds:
        groups.append(flat[position : position + len(fold.carries)])
        position += len(fold.carries)
    return groups
