"""The body of the entry point: straight-line emission and structured control flow."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pumice.backends.spirv.module import Instruction, Module
from pumice.backends.spirv.opcodes import (
    UNROLL,
    Decoration,
    Extended,
    MemorySemantics,
    Op,
    Scope,
    StorageClass,
)
from pumice.backends.spirv.types import Register, Types

_FLOAT_ARITHMETIC = frozenset((Op.F_ADD, Op.F_SUB, Op.F_MUL, Op.F_DIV, Op.F_NEGATE))


@dataclass(slots=True)
class LoopFrame:
    """A loop whose body is being emitted. `phis` are the running values."""

    header: int
    body: int
    proceed: int
    merge: int
    phis: list[int]
    instructions: list[Instruction]


class Code:
    """Appends instructions to one function."""

    def __init__(self, module: Module, types: Types) -> None:
        self.module = module
        self.types = types
        self._body: list[Instruction] = []
        self.block = 0

    @property
    def instructions(self) -> list[Instruction]:
        return self._body

    # -- straight line --------------------------------------------------------------------------

    def emit(self, op: Op, type_id: int, *operands: int) -> int:
        """Append an instruction with a result. Float arithmetic is never contracted."""
        result = self.module.new_id()
        self._body.append([op, type_id, result, *operands])
        if op in _FLOAT_ARITHMETIC:
            self.module.decorate(result, Decoration.NO_CONTRACTION)
        return result

    def effect(self, op: Op, *operands: int) -> None:
        """Append an instruction without a result."""
        self._body.append([op, *operands])

    def call(self, function: Extended, type_id: int, *operands: int) -> int:
        """Append an instruction of the extended set."""
        return self.emit(Op.EXT_INST, type_id, self.module.extended, function, *operands)

    def number(self, value: bool | int | float, register: Register) -> int:
        return self.types.number(value, register)

    def select(self, type_id: int, condition: int, chosen: int, other: int) -> int:
        return self.emit(Op.SELECT, type_id, condition, chosen, other)

    def truth(self, op: Op, *operands: int) -> int:
        """Append a comparison or logical instruction."""
        return self.emit(op, self.types.boolean, *operands)

    # -- control flow ---------------------------------------------------------------------------

    def begin(self, label: int) -> None:
        self._body.append([Op.LABEL, label])
        self.block = label

    def branch(self, label: int) -> None:
        self._body.append([Op.BRANCH, label])

    @contextmanager
    def when(self, condition: int) -> Iterator[None]:
        """Run what is emitted inside only where the condition holds."""
        inside, merge = self.module.new_id(), self.module.new_id()
        self.effect(Op.SELECTION_MERGE, merge, 0)
        self.effect(Op.BRANCH_CONDITIONAL, condition, inside, merge)
        self.begin(inside)
        yield
        self.branch(merge)
        self.begin(merge)

    def either(
        self,
        condition: int,
        first: Callable[[], Sequence[int]],
        second: Callable[[], Sequence[int]],
        type_id: int,
    ) -> list[int]:
        """Run one of two ways, which give as many values of a type; return those."""
        ways = [(self.module.new_id(), first), (self.module.new_id(), second)]
        merge = self.module.new_id()
        self.effect(Op.SELECTION_MERGE, merge, 0)
        self.effect(Op.BRANCH_CONDITIONAL, condition, *(label for label, _ in ways))
        given: list[list[tuple[int, int]]] = []
        for label, way in ways:
            self.begin(label)
            results = way()
            given.append([(result, self.block) for result in results])
            self.branch(merge)
        self.begin(merge)
        return [self.phi(type_id, *pairs) for pairs in zip(*given, strict=True)]

    def switch(
        self, number: int, ways: Sequence[tuple[Sequence[int], Callable[[], int]]]
    ) -> list[tuple[int, int]]:
        """Run the way that lists a number, if one does; return what each gives, and its block."""
        labels = [self.module.new_id() for _ in ways]
        merge = self.module.new_id()
        listed = [
            word
            for label, (numbers, _) in zip(labels, ways, strict=True)
            for each in numbers
            for word in (each, label)
        ]
        self.effect(Op.SELECTION_MERGE, merge, 0)
        self.effect(Op.SWITCH, number, merge, *listed)
        given = []
        for label, (_, way) in zip(labels, ways, strict=True):
            self.begin(label)
            result = way()
            given.append((result, self.block))
            self.branch(merge)
        self.begin(merge)
        return given

    def variable(self, type_id: int) -> int:
        """Declare memory of the invocation; such declarations stand at the function's start."""
        result = self.module.new_id()
        pointer = self.types.pointer(StorageClass.FUNCTION, type_id)
        self._body.insert(2, [Op.VARIABLE, pointer, result, StorageClass.FUNCTION])
        return result

    def phi(self, type_id: int, *pairs: tuple[int, int]) -> int:
        """Join values, each with the block it comes from."""
        return self.emit(Op.PHI, type_id, *(word for pair in pairs for word in pair))

    def loop(self, carried: Sequence[tuple[int, int]]) -> LoopFrame:
        """Open a loop over (type, initial value) pairs; call `test` and then `end`."""
        module = self.module
        header, body, proceed, merge = (module.new_id() for _ in range(4))
        frame = LoopFrame(header, body, proceed, merge, [], [])
        before = self.block
        self.branch(frame.header)
        self.begin(frame.header)
        for type_id, initial in carried:
            result = module.new_id()
            instruction = [Op.PHI, type_id, result, initial, before]
            self._body.append(instruction)
            frame.phis.append(result)
            frame.instructions.append(instruction)
        return frame

    def test(self, frame: LoopFrame, condition: int, unrolled: bool = False) -> None:
        """Enter the body while the condition, computed in the header, holds."""
        self.effect(Op.LOOP_MERGE, frame.merge, frame.proceed, UNROLL if unrolled else 0)
        self.effect(Op.BRANCH_CONDITIONAL, condition, frame.body, frame.merge)
        self.begin(frame.body)

    def end(self, frame: LoopFrame, following: Sequence[int]) -> None:
        """Close the body with the next running values."""
        self.branch(frame.proceed)
        self.begin(frame.proceed)
        for instruction, value in zip(frame.instructions, following, strict=True):
            instruction += [value, frame.proceed]
        self.branch(frame.header)
        self.begin(frame.merge)

    def barrier(self, scope: Scope = Scope.WORKGROUP) -> None:
        """Wait for the workgroup; its writes to shared and device memory become visible.

        Or for the subgroup alone.
        """
        ordered = MemorySemantics.ACQUIRE_RELEASE | MemorySemantics.WORKGROUP_MEMORY
        if scope is Scope.WORKGROUP:
            ordered |= MemorySemantics.UNIFORM_MEMORY
        if self.module.vulkan_memory:
            ordered |= MemorySemantics.MAKE_AVAILABLE | MemorySemantics.MAKE_VISIBLE
        waiting = self.types.unsigned(scope)
        self.effect(Op.CONTROL_BARRIER, waiting, waiting, self.types.unsigned(ordered))
