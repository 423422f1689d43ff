"""The end of a product: its epilogue is run for every element of a tile.

Four neighbouring columns are finished at once where the result takes them in one access, else one
after the other.
"""

from collections.abc import Callable

from pumice.backends.spirv.affine import Neighbours, accesses
from pumice.backends.spirv.blocks import Block
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op, StorageClass
from pumice.backends.spirv.statements import Statements
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH, VectorTypes
from pumice.dtypes import DType
from pumice.kernel.ir import Contract, Store
from pumice.kernel.walk import all_statements, reached, values_of

MOST_UNROLLED = 600
"""Values up to which the epilogues of a tile are written out; longer ones become a loop."""

Place = Callable[[int, int], tuple[int, int]]
"""Row and column where four elements begin, given the row and the four columns in the tile."""


class Finish:
    """Emits the epilogue of one contraction."""

    def __init__(
        self, code: Code, values: Values, statements: Statements, contract: Contract, faults: bool
    ) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._statements = statements
        self._contract = contract
        inside = tuple(all_statements(contract.epilogue))
        self._roots = tuple(reached(each for part in inside for each in values_of(part)))
        known = (contract.batch, contract.row, contract.column)
        self._neighbours = Neighbours(contract.column, known)
        self._accesses = list(accesses(self._roots, inside))
        self._wide = (
            values.arguments.has_words
            and not faults
            and all(isinstance(each, Store) for each in inside)
            and any(self._neighbours.is_contiguous(at) for _, at in self._accesses)
        )

    @property
    def _dtype(self) -> DType:
        return self._contract.left.dtype

    def _vector(self) -> int:
        return VectorTypes(self._types).register(self._dtype)

    def tile(self, sums: list[int], per_row: int, place: Place, m: int, n: int) -> None:
        """Finish a tile: vectors of four sums, row by row."""
        code, types = self._code, self._types
        if len(sums) * (len(self._roots) + WIDTH) <= MOST_UNROLLED:
            for number, vector in enumerate(sums):
                row, column = place(
                    types.unsigned(number // per_row), types.unsigned(number % per_row)
                )
                self.four(vector, row, column, m, n)
            return
        vector_type = self._vector()
        length = types.unsigned(len(sums))
        array = code.variable(code.module.intern_type(Op.TYPE_ARRAY, vector_type, length))
        pointer = types.pointer(StorageClass.FUNCTION, vector_type)
        for number, vector in enumerate(sums):
            slot = code.emit(Op.ACCESS_CHAIN, pointer, array, types.unsigned(number))
            code.effect(Op.STORE, slot, vector)
        frame = code.loop([(types.uint, types.unsigned(0))])
        number = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, number, length))
        width = types.unsigned(per_row)
        row, column = place(
            code.emit(Op.U_DIV, types.uint, number, width),
            code.emit(Op.U_MOD, types.uint, number, width),
        )
        slot = code.emit(Op.ACCESS_CHAIN, pointer, array, number)
        self.four(code.emit(Op.LOAD, vector_type, slot), row, column, m, n)
        code.end(frame, [code.emit(Op.I_ADD, types.uint, number, types.unsigned(1))])

    def four(self, vector: int, row: int, column: int, m: int, n: int) -> None:
        """Finish four neighbouring elements, as far as they are elements of the result."""
        code, types, values = self._code, self._types, self._values
        contract = self._contract
        index = types.integer(types.index_bits)
        with code.when(code.truth(Op.S_LESS_THAN, row, m)), values.scope():
            values.bind(contract.row, row)
            slow = types.truth(True)
            if self._wide:
                values.bind(contract.column, column)
                last = code.emit(Op.I_ADD, index, column, types.index(WIDTH - 1))
                fast = code.truth(Op.S_LESS_THAN, last, n)
                block = Block(code, values, self._accesses, self._neighbours)
                block.bind_accumulator(vector, self._dtype)
                fast = code.truth(Op.LOGICAL_AND, fast, block.condition())
                with code.when(fast), values.scope():
                    block.emit(contract.epilogue)
                slow = code.truth(Op.LOGICAL_NOT, fast)
            with code.when(slow):
                self._one_by_one(vector, column, n)

    def _one_by_one(self, vector: int, column: int, n: int) -> None:
        code, types, values = self._code, self._types, self._values
        frame = code.loop([(types.uint, types.unsigned(0))])
        number = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, number, types.unsigned(WIDTH)))
        index = types.integer(types.index_bits)
        offset = number
        if types.index_bits == 64:
            offset = code.emit(Op.U_CONVERT, index, number)
        at = code.emit(Op.I_ADD, index, column, offset)
        with code.when(code.truth(Op.S_LESS_THAN, at, n)), values.fresh_scope():
            values.bind(self._contract.column, at)
            register = types.register(self._dtype)
            if types.kind(self._dtype) is Register.PAIR:
                element = self._pair_of(vector, number)
            else:
                element = code.emit(Op.VECTOR_EXTRACT_DYNAMIC, register, vector, number)
            values.bind_accumulator(values.narrow.wrap(element, self._dtype))
            self._statements.emit(self._contract.epilogue)
        code.end(frame, [code.emit(Op.I_ADD, types.uint, number, types.unsigned(1))])

    def _pair_of(self, pairs: int, number: int) -> int:
        """Return one of four pairs."""
        code, types = self._code, self._types
        found = code.emit(Op.COMPOSITE_EXTRACT, types.pair, pairs, 0)
        for each in range(1, WIDTH):
            other = code.emit(Op.COMPOSITE_EXTRACT, types.pair, pairs, each)
            wanted = code.truth(Op.I_EQUAL, number, types.unsigned(each))
            found = code.select(types.pair, wanted, other, found)
        return found
