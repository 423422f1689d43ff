"""Cooperation of the invocations of one workgroup: lanes, barriers, the reduction tree."""

from collections.abc import Sequence

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op, StorageClass
from pumice.backends.spirv.shared import require_shared
from pumice.backends.spirv.subgroup import RUN, Subgroup
from pumice.backends.spirv.values import Values
from pumice.kernel.ir import Carry, Fold, Instruction, Value
from pumice.kernel.printer import fold_operands
from pumice.kernel.walk import reached

MOST_WRITTEN_OUT = 24
"""Operations of a join up to which the tree is written out, once for each node."""
Place = tuple[int, int]
"""A shared array and the type of its elements."""
FoldPlaces = tuple[Fold, Sequence[Place]]


class Workgroup:
    """One workgroup that runs a grid item together, an invocation per virtual lane."""

    def __init__(
        self,
        code: Code,
        values: Values,
        lane: int,
        lanes: int,
        shared_bytes: int,
        taken: int,
        wide: bool,
        subgroup: Subgroup | None,
    ) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._arrays: dict[tuple[int, int], int] = {}
        self._shared_bytes = shared_bytes
        self._taken = taken
        self.wide = wide
        self._subgroup = subgroup
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

        Lane ``l`` takes in lane ``l + lanes / 2``, then ``l + lanes / 4`` and so on. One set of
        barriers serves all folds.
        """
        code = self._code
        places: list[list[Place]] = []
        position = 0
        for fold, partials in folds:
            places.append([])
            for carry, partial in zip(fold.carries, partials, strict=True):
                type_id = self._types.register(carry.dtype)
                array = self._array(type_id, position)
                places[-1].append((array, type_id))
                code.effect(Op.STORE, self._slot(array, type_id, self.lane), partial)
                position += 1
        pairs = [(fold, arrays) for (fold, _), arrays in zip(folds, places, strict=True)]
        code.barrier()
        if self.lanes % RUN or sum(_size(fold) for fold, _ in pairs) > MOST_WRITTEN_OUT:
            totals = self._halve(pairs)
        else:
            totals = self._join_runs(pairs)
        code.barrier()
        return totals

    def _join_runs(self, pairs: Sequence[FoldPlaces]) -> list[list[int]]:
        """Join lanes a multiple of eight apart, then the eight that are left, in registers.

        That is the same tree with two barriers; the eight are joined by every invocation.
        """
        code, types = self._code, self._types
        if self._subgroup is not None:
            return self._shuffle_runs(pairs, self._subgroup)
        with code.when(code.truth(Op.U_LESS_THAN, self.lane, types.unsigned(RUN))):
            for fold, arrays in pairs:
                joined = self._tree(fold, self._partials(arrays, self._strided(self.lane)))
                for (array, type_id), value in zip(arrays, joined, strict=True):
                    code.effect(Op.STORE, self._slot(array, type_id, self.lane), value)
        code.barrier()
        numbers = [types.unsigned(number) for number in range(RUN)]
        return [list(self._tree(fold, self._partials(arrays, numbers))) for fold, arrays in pairs]

    def _strided(self, first: int) -> list[int]:
        """Return a lane below eight and those a multiple of eight behind it."""
        emit, types = self._code.emit, self._types
        steps = range(0, self.lanes, RUN)
        return [emit(Op.I_ADD, types.uint, first, types.unsigned(step)) for step in steps]

    def _shuffle_runs(self, pairs: Sequence[FoldPlaces], subgroup: Subgroup) -> list[list[int]]:
        """Join the last eight within subgroups: each of their runs of eight holds them all.

        Of two invocations that exchange the lower one joins in the right order; what the upper
        one gets is not used.
        """
        code, types = self._code, self._types
        first = code.emit(Op.BITWISE_AND, types.uint, self.lane, types.unsigned(RUN - 1))
        places = self._strided(first)
        totals = []
        for fold, arrays in pairs:
            own = self._tree(fold, self._partials(arrays, places))
            kinds = [types.kind(carry.dtype) for carry in fold.carries]
            step = RUN // 2
            while step:
                other = [
                    subgroup.neighbour(value, kind, step)
                    for value, kind in zip(own, kinds, strict=True)
                ]
                own = self._joined(fold, own, other)
                step //= 2
            totals.append(
                [subgroup.first_of_run(value, kind) for value, kind in zip(own, kinds, strict=True)]
            )
        return totals

    def _partials(self, arrays: Sequence[Place], places: Sequence[int]) -> list[Sequence[int]]:
        """Return the partial results of some lanes, read where this stands."""
        return [[self._read(place, at) for place in arrays] for at in places]

    def _tree(self, fold: Fold, partials: list[Sequence[int]]) -> Sequence[int]:
        """Return the total of partial results, each half joined with the other."""
        while len(partials) > 1:
            half = len(partials) // 2
            both = zip(partials[:half], partials[half:], strict=True)
            partials = [self._joined(fold, first, second) for first, second in both]
        return partials[0]

    def _halve(self, pairs: Sequence[FoldPlaces]) -> list[list[int]]:
        """Join lanes in a loop, the upper half with the lower one: for folds of many operations."""
        code, types = self._code, self._types
        frame = code.loop([(types.uint, types.unsigned(self.lanes // 2))])
        step = frame.phis[0]
        code.test(frame, code.truth(Op.I_NOT_EQUAL, step, types.unsigned(0)))
        with code.when(code.truth(Op.U_LESS_THAN, self.lane, step)):
            other = code.emit(Op.I_ADD, types.uint, self.lane, step)
            for fold, arrays in pairs:
                first, second = self._partials(arrays, (self.lane, other))
                joined = self._joined(fold, first, second)
                for (array, type_id), value in zip(arrays, joined, strict=True):
                    code.effect(Op.STORE, self._slot(array, type_id, self.lane), value)
        code.barrier()
        half = code.emit(Op.SHIFT_RIGHT_LOGICAL, types.uint, step, types.unsigned(1))
        code.end(frame, [half])
        zero = types.unsigned(0)
        return [[self._read(place, zero) for place in arrays] for _, arrays in pairs]

    def _read(self, place: Place, at: int) -> int:
        array, type_id = place
        return self._code.emit(Op.LOAD, type_id, self._slot(array, type_id, at))

    def _joined(self, fold: Fold, first: Sequence[int], second: Sequence[int]) -> list[int]:
        values = self._values

        def operands(name: str, identities: Sequence[int]) -> tuple[Value, ...]:
            made = []
            for carry, identity in zip(fold.carries, identities, strict=True):
                partial = Carry(name, carry.dtype, carry.initial)
                values.bind(partial, identity)
                made.append(Value(Instruction.CARRIED, carry.dtype, (), partial))
            return tuple(made)

        combined = fold.combine(operands("first", first), operands("second", second))
        with values.scope():
            return [values.value(each) for each in combined]


def _size(fold: Fold) -> int:
    """Return the operations that joining two partial results takes."""
    left, right = fold_operands(fold, "left"), fold_operands(fold, "right")
    return len(reached(fold.combine(left, right)))
