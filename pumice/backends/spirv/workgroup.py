"""Cooperation of the invocations of one workgroup: lanes, barriers, the reduction tree."""

from collections.abc import Sequence

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op, StorageClass
from pumice.backends.spirv.shared import require_shared
from pumice.backends.spirv.values import Values
from pumice.kernel.ir import Carry, Fold, Instruction, Value


class Workgroup:
    """One workgroup that runs a grid item together, an invocation per virtual lane."""

    def __init__(
        self,
        code: Code,
        values: Values,
        lane: int,
        lanes: int,
        shared_bytes: int,
        taken: int = 0,
        wide: bool = False,
    ) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._arrays: dict[tuple[int, int], int] = {}
        self._shared_bytes = shared_bytes
        self._taken = taken
        self.wide = wide
        self.lane = lane
        self.lanes = lanes
        self.first = code.truth(Op.I_EQUAL, lane, self._types.unsigned(0))

    def barrier(self) -> None:
        self._code.barrier()

    def _array(self, type_id: int, position: int) -> int:
        """Return the shared array for one carry of a fold; loops take turns in using it."""
        found = self._arrays.get((type_id, position))
        if found is None:
            module, types = self._code.module, self._types
            # Every element is counted as eight bytes: close enough for carries.
            needed = self._taken + (len(self._arrays) + 1) * self.lanes * 8
            require_shared(needed, self._shared_bytes)
            array = module.intern_type(Op.TYPE_ARRAY, type_id, types.unsigned(self.lanes))
            pointer = types.pointer(StorageClass.WORKGROUP, array)
            found = module.shared_variable((type_id, position), pointer)
            self._arrays[type_id, position] = found
        return found

    def _slot(self, array: int, type_id: int, at: int) -> int:
        pointer = self._types.pointer(StorageClass.WORKGROUP, type_id)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, array, at)

    def reduce(self, folds: Sequence[tuple[Fold, Sequence[int]]]) -> list[list[int]]:
        """Combine each lane's partial results; every invocation gets the totals.

        Lane ``l`` takes in lane ``l + lanes / 2``, then ``l + lanes / 4`` and so on. One loop and
        one set of barriers serve all folds.
        """
        code, types = self._code, self._types
        places: list[list[tuple[int, int]]] = []
        position = 0
        for fold, partials in folds:
            places.append([])
            for carry, partial in zip(fold.carries, partials, strict=True):
                type_id = types.register(carry.dtype)
                array = self._array(type_id, position)
                places[-1].append((array, type_id))
                code.effect(Op.STORE, self._slot(array, type_id, self.lane), partial)
                position += 1
        code.barrier()
        frame = code.loop([(types.uint, types.unsigned(self.lanes // 2))])
        step = frame.phis[0]
        code.test(frame, code.truth(Op.I_NOT_EQUAL, step, types.unsigned(0)))
        with code.when(code.truth(Op.U_LESS_THAN, self.lane, step)):
            other = code.emit(Op.I_ADD, types.uint, self.lane, step)
            for (fold, _), arrays in zip(folds, places, strict=True):
                self._combine(fold, arrays, other)
        code.barrier()
        half = code.emit(Op.SHIFT_RIGHT_LOGICAL, types.uint, step, types.unsigned(1))
        code.end(frame, [half])
        totals = [
            [
                code.emit(Op.LOAD, type_id, self._slot(array, type_id, types.unsigned(0)))
                for array, type_id in arrays
            ]
            for arrays in places
        ]
        code.barrier()
        return totals

    def _combine(self, fold: Fold, arrays: Sequence[tuple[int, int]], other: int) -> None:
        code, values = self._code, self._values
        slots = [self._slot(array, type_id, self.lane) for array, type_id in arrays]

        def operands(name: str, pointers: Sequence[int]) -> tuple[Value, ...]:
            made = []
            for carry, (_, type_id), pointer in zip(fold.carries, arrays, pointers, strict=True):
                partial = Carry(name, carry.dtype, carry.initial)
                values.bind(partial, code.emit(Op.LOAD, type_id, pointer))
                made.append(Value(Instruction.CARRIED, carry.dtype, (), partial))
            return tuple(made)

        first = operands("first", slots)
        second = operands(
            "second", [self._slot(array, type_id, other) for array, type_id in arrays]
        )
        with values.scope():
            merged = [values.value(each) for each in fold.combine(first, second)]
        for slot, value in zip(slots, merged, strict=True):
            code.effect(Op.STORE, slot, value)
