"""Four elements of an operator at a time: reading, computing and writing them.

Neighbours that lie together and aligned are one access. Others are read one by one into the same
vector, so an operator's expression is emitted once, for vectors.
"""

from collections.abc import Callable, Mapping

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import ALIGNED, Op, StorageClass
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH, Vectors
from pumice.dtypes import DType
from pumice.kernel.ir import Instruction, Parameter, Value
from pumice.kernel.walk import postorder


class OperatorBlock:
    """Emits what is done to some elements of a grid item.

    In `loops` elements are read one by one in a loop, else in a row of conditions, so that they
    may be on their way together.
    """

    def __init__(self, code: Code, values: Values, count: int, loops: bool) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._count = count
        self._loops = loops
        self._vectors = Vectors(code, values)

    def register(self, dtype: DType) -> int:
        """Return the type of four elements."""
        return self._vectors.types.register(dtype)

    def zero(self, dtype: DType) -> int:
        """Return four zeros."""
        return self._vectors.types.constant(0, dtype)

    def repeated(self, dtype: DType, element: int) -> int:
        """Return an element four times."""
        return self._splat(self.register(dtype), element)

    def _splat(self, type_id: int, element: int) -> int:
        return self._code.emit(Op.COMPOSITE_CONSTRUCT, type_id, *[element] * WIDTH)

    def _times(self, count: int, do: Callable[[int, int], int], type_id: int, first: int) -> int:
        """Do something for the numbers below a count, which is at most four, to a running value."""
        code, types = self._code, self._types
        running = first
        if not self._loops:
            for number in range(WIDTH):
                before = code.block
                with code.when(code.truth(Op.U_LESS_THAN, types.unsigned(number), count)):
                    changed = do(types.unsigned(number), running)
                    inside = code.block
                running = code.phi(type_id, (changed, inside), (running, before))
            return running
        frame = code.loop([(types.uint, types.unsigned(0)), (type_id, running)])
        number, running = frame.phis
        code.test(frame, code.truth(Op.U_LESS_THAN, number, count))
        changed = do(number, running)
        code.end(frame, [code.emit(Op.I_ADD, types.uint, number, types.unsigned(1)), changed])
        return running

    # -- memory ---------------------------------------------------------------------------------

    def _address(self, buffer: Parameter, offset: int) -> int:
        code, types = self._code, self._types
        long = types.integer(64)
        size = types.unsigned(buffer.dtype.itemsize, 64)
        moved = code.emit(Op.I_MUL, long, offset, size)
        return code.emit(Op.I_ADD, long, self._values.arguments.words[buffer], moved)

    def _together(self, address: int, dtype: DType) -> int:
        """Tell whether there are four elements, and their address is that of one access."""
        code, types = self._code, self._types
        low = code.emit(Op.U_CONVERT, types.uint, address)
        mask = types.unsigned(self._vectors.alignment(dtype) - 1)
        rest = code.emit(Op.BITWISE_AND, types.uint, low, mask)
        aligned = code.truth(Op.I_EQUAL, rest, types.unsigned(0))
        return code.truth(Op.LOGICAL_AND, self._is_whole(), aligned)

    def _pointer(self, address: int, dtype: DType) -> int:
        code, types = self._code, self._types
        memory = self._vectors.type_of(dtype)
        block = types.buffer_pointer(memory, dtype.itemsize * WIDTH, coherent=False)
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, memory)
        zero = types.unsigned(0)
        whole = code.emit(Op.CONVERT_U_TO_PTR, block, address)
        return code.emit(Op.ACCESS_CHAIN, pointer, whole, zero, zero)

    def read(self, buffer: Parameter, offset: int, step: int) -> int:
        """Return elements from one on, a step apart."""
        code, types, dtype = self._code, self._types, buffer.dtype
        register = self.register(dtype)
        address = self._address(buffer, offset)
        same = code.truth(Op.I_EQUAL, step, types.index(0))
        following = code.truth(Op.I_EQUAL, step, types.index(1))
        together = code.truth(Op.LOGICAL_AND, following, self._together(address, dtype))
        found = self._where(together, register, self.zero(dtype), lambda: self._at(address, dtype))
        found = self._where(
            same,
            register,
            found,
            lambda: self._splat(register, self._values.load(buffer, offset)),
        )
        done = code.truth(Op.LOGICAL_OR, together, same)

        def element(number: int) -> int:
            moved = code.emit(Op.I_MUL, types.integer(64), self._long(number), step)
            at = code.emit(Op.I_ADD, types.integer(64), offset, moved)
            return self._values.load(buffer, at)

        return self._times(
            code.select(types.uint, done, types.unsigned(0), self._count),
            lambda number, vector: code.emit(
                Op.VECTOR_INSERT_DYNAMIC, register, vector, element(number), number
            ),
            register,
            found,
        )

    def _where(self, condition: int, type_id: int, other: int, make: Callable[[], int]) -> int:
        """Return what is made where a condition holds."""
        code = self._code
        before = code.block
        with code.when(condition):
            made = make()
            inside = code.block
        return code.phi(type_id, (made, inside), (other, before))

    def _at(self, address: int, dtype: DType) -> int:
        """Return four elements in one access."""
        memory, alignment = self._vectors.type_of(dtype), self._vectors.alignment(dtype)
        pointer = self._pointer(address, dtype)
        word = self._code.emit(Op.LOAD, memory, pointer, ALIGNED, alignment)
        return self._vectors.unpack(word, dtype)

    def _is_whole(self) -> int:
        return self._code.truth(Op.I_EQUAL, self._count, self._types.unsigned(WIDTH))

    def _long(self, number: int) -> int:
        return self._code.emit(Op.U_CONVERT, self._types.integer(64), number)

    def write(self, buffer: Parameter, offset: int, vector: int) -> None:
        """Write neighbouring elements."""
        code, types, dtype = self._code, self._types, buffer.dtype
        address = self._address(buffer, offset)
        together = self._together(address, dtype)
        with code.when(together):
            word = self._vectors.pack(vector, dtype)
            pointer, alignment = self._pointer(address, dtype), self._vectors.alignment(dtype)
            code.effect(Op.STORE, pointer, word, ALIGNED, alignment)
        apart = code.select(types.uint, together, types.unsigned(0), self._count)
        register = types.register(dtype)

        def element(number: int, running: int) -> int:
            part = code.emit(Op.VECTOR_EXTRACT_DYNAMIC, register, vector, number)
            at = code.emit(Op.I_ADD, types.integer(64), offset, self._long(number))
            self._values.store(buffer, at, part)
            return running

        self._times(apart, element, types.uint, types.unsigned(0))

    # -- values ---------------------------------------------------------------------------------

    def cast(self, vector: int, source: DType, target: DType) -> int:
        """Convert elements."""
        return self._vectors.casts.cast(vector, source, target)

    def value(self, root: Value, leaves: Mapping[Value, int]) -> int:
        """Return the vector of an expression, given those of its leaves."""
        ids = dict(leaves)
        for value in postorder(root, ids):
            ids[value] = self._emit(value, [ids[each] for each in value.arguments])
        return ids[root]

    def _emit(self, value: Value, operands: list[int]) -> int:
        vectors = self._vectors
        match value.instruction:
            case Instruction.CONSTANT:
                return vectors.types.constant(value.attribute, value.dtype)
            case Instruction.SELECT:
                return vectors.select(self.register(value.dtype), *operands)
            case Instruction.CAST:
                return vectors.casts.cast(operands[0], value.arguments[0].dtype, value.dtype)
            case Instruction.BITCAST:
                return vectors.casts.bitcast(operands[0], value.arguments[0].dtype, value.dtype)
            case Instruction.CHECKED:
                self._check(value, *operands)
                return operands[0]
            case _:
                return vectors.arithmetic.apply(value, operands)

    def _check(self, value: Value, checked: int, condition: int) -> None:
        """Record the faults of those elements that there are."""
        code, types = self._code, self._types
        vectors = self._vectors.types
        numbers = [types.unsigned(each) for each in range(WIDTH)]
        ramp, count = (
            vectors.composite(vectors.uint, numbers),
            self._splat(vectors.uint, self._count),
        )
        present = code.emit(Op.U_LESS_THAN, vectors.boolean, ramp, count)
        condition = code.emit(Op.LOGICAL_AND, vectors.boolean, condition, present)
        with code.when(code.truth(Op.ANY, condition)):
            for number in range(WIDTH):
                element = code.emit(
                    Op.COMPOSITE_EXTRACT, types.register(value.dtype), checked, number
                )
                wrong = code.truth(Op.COMPOSITE_EXTRACT, condition, number)
                self._values.check(value, element, wrong)
