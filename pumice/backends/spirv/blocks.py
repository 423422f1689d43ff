"""Statements for four neighbouring items at once."""

from collections.abc import Iterable

from pumice.backends.spirv.affine import Neighbours
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Op
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH, Vectors
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import (
    INDEX,
    Carry,
    If,
    Instruction,
    Let,
    Loop,
    Parameter,
    Statement,
    Store,
    Value,
)


class Block:
    """Emits the body of a kernel for an item and the three after it.

    What neighbours share is emitted once, by `values`, in which grid variables are bound to the
    first of the four items; what differs is a vector. `accesses` are those of the body.
    """

    def __init__(
        self,
        code: Code,
        values: Values,
        accesses: Iterable[tuple[Parameter, Value]],
        neighbours: Neighbours,
    ) -> None:
        self._code = code
        self._values = values
        self._accesses = accesses
        self._neighbours = neighbours
        self._accumulator = 0
        self._vectors = Vectors(code, values)
        self._types = self._vectors.types
        self._ids: dict[Value, int] = {}
        self._scopes: list[list[Value]] = [[]]
        self._carried: dict[Carry, int] = {}
        self._results: dict[Carry, int] = {}

    # -- alignment ------------------------------------------------------------------------------

    def bind_accumulator(self, vector: int, dtype: DType) -> None:
        """Say what ACCUMULATOR stands for: the sums of four neighbouring columns."""
        self._accumulator = self._vectors.narrow.wrap(vector, dtype)

    def condition(self) -> int:
        """Emit the test that all vector accesses are aligned; declare their pointers."""
        code, types = self._code, self._types.scalar
        bits: set[int] = set()
        for buffer, at in self._accesses:
            if not self._neighbours.is_contiguous(at):
                continue
            low = self._vectors.declare(buffer)
            if low is not None:
                bits.add(low)
            for value in self._neighbours.aligned_if(at) or ():
                index = self._values.value(value)
                if types.index_bits == 64:
                    index = code.emit(Op.U_CONVERT, types.uint, index)
                mask = types.unsigned(WIDTH - 1)
                bits.add(code.emit(Op.BITWISE_AND, types.uint, index, mask))
        total = types.unsigned(0)
        for each in sorted(bits):
            total = code.emit(Op.BITWISE_OR, types.uint, total, each)
        return code.truth(Op.I_EQUAL, total, types.unsigned(0))

    # -- values ---------------------------------------------------------------------------------

    def _splat(self, value: Value) -> int:
        if value.instruction is Instruction.CONSTANT:
            if value.dtype is INDEX:
                return self._types.index(value.attribute)
            return self._types.constant(value.attribute, value.dtype)
        scalar = self._values.value(value)
        register = self._types.register(value.dtype)
        return self._code.emit(Op.COMPOSITE_CONSTRUCT, register, *[scalar] * WIDTH)

    def value(self, root: Value) -> int:
        """Return the vector of a value, emitting whatever of it is not known in this scope."""
        stack = [root]
        while stack:
            value = stack[-1]
            if value in self._ids:
                stack.pop()
                continue
            missing = [each for each in self._operands(value) if each not in self._ids]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            varies = self._neighbours.varies(value)
            self._ids[value] = self._emit(value) if varies else self._splat(value)
            self._scopes[-1].append(value)
        return self._ids[root]

    def words(self, root: Value) -> int:
        """Return four narrow elements as the words they are in memory, loads as they come."""
        if root.instruction is Instruction.LOAD and len(root.arguments) == 1:
            buffer, at = root.attribute, root.arguments[0]
            if self._neighbours.is_contiguous(at):
                return self._vectors.load_words(buffer, self._block(at))
        return self._vectors.words(self.value(root), root.dtype)

    def _operands(self, value: Value) -> tuple[Value, ...]:
        """Return the operands that are needed as vectors."""
        if not self._neighbours.varies(value):
            return ()
        if value.instruction is Instruction.LOAD:
            return tuple(each for each in value.arguments if self._needs_vector(each))
        return value.arguments

    def _needs_vector(self, value: Value) -> bool:
        return self._neighbours.varies(value) and self._neighbours.step(value) is None

    def _emit(self, value: Value) -> int:
        match value.instruction:
            case Instruction.VARIABLE:
                return self._ramp(value)
            case Instruction.CARRIED:
                return self._carried[value.attribute]
            case Instruction.RESULT:
                return self._results[value.attribute]
            case Instruction.LOAD:
                return self._load(value)
            case Instruction.ACCUMULATOR:
                return self._accumulator
        operands = [self._ids[each] for each in value.arguments]
        source = value.arguments[0].dtype
        match value.instruction:
            case Instruction.SELECT:
                return self._vectors.select(self._types.register(value.dtype), *operands)
            case Instruction.CAST:
                return self._vectors.casts.cast(operands[0], source, value.dtype)
            case Instruction.BITCAST:
                return self._vectors.casts.bitcast(operands[0], source, value.dtype)
            case _:
                return self._vectors.arithmetic.apply(value, operands)

    def _ramp(self, variable: Value) -> int:
        types = self._types
        index = types.integer(types.index_bits)
        offsets = [types.scalar.index(number) for number in range(WIDTH)]
        ramp = types.composite(index, offsets)
        return self._code.emit(Op.I_ADD, index, self._splat(variable), ramp)

    def _component(self, value: Value, number: int) -> int:
        """Return a value as one of the neighbours sees it."""
        code, scalar = self._code, self._types.scalar
        step = self._neighbours.step(value)
        register = scalar.register(value.dtype)
        if step is None:
            return code.emit(Op.COMPOSITE_EXTRACT, register, self.value(value), number)
        first = self._values.value(value)
        if step * number == 0:
            return first
        return code.emit(Op.I_ADD, register, first, scalar.index(step * number))

    # -- memory ---------------------------------------------------------------------------------

    def _block(self, at: Value) -> int:
        """Return the number of the block an aligned index stands for."""
        scalar = self._types.scalar
        index = scalar.integer(scalar.index_bits)
        first = self._values.value(at)
        return self._code.emit(Op.SHIFT_RIGHT_ARITHMETIC, index, first, scalar.index(2))

    def _load(self, value: Value) -> int:
        buffer, at, masks = value.attribute, value.arguments[0], value.arguments[1:]
        if not masks and self._neighbours.is_contiguous(at):
            return self._vectors.load(buffer, self._block(at))
        loaded = []
        for number in range(WIDTH):
            mask = self._component(masks[0], number) if masks else None
            loaded.append(self._values.load(buffer, self._component(at, number), mask))
        register = self._types.register(buffer.dtype)
        return self._code.emit(Op.COMPOSITE_CONSTRUCT, register, *loaded)

    def _store(self, store: Store) -> None:
        vector = self.value(store.value)
        if store.mask is None and self._neighbours.is_contiguous(store.at):
            self._vectors.store(store.buffer, self._block(store.at), vector)
            return
        register = self._types.scalar.register(store.value.dtype)
        for number in range(WIDTH):
            at = self._component(store.at, number)
            element = self._code.emit(Op.COMPOSITE_EXTRACT, register, vector, number)
            if store.mask is None:
                self._values.store(store.buffer, at, element)
                continue
            with self._code.when(self._component(store.mask, number)):
                self._values.store(store.buffer, at, element)

    # -- statements -----------------------------------------------------------------------------

    def emit(self, statements: Iterable[Statement]) -> None:
        """Emit statements; which ones may occur `affine.neighbours_of` has checked."""
        for statement in statements:
            match statement:
                case Let(value=value):
                    self._let(value)
                case Store():
                    self._store(statement)
                case If(condition=condition, body=body):
                    with self._code.when(self._values.value(condition)):
                        self._scoped(body)
                case Loop():
                    self._loop(statement)
                case _:
                    raise InternalError(f"spirv: {type(statement).__name__} in a vector kernel")

    def _let(self, value: Value) -> None:
        if self._neighbours.varies(value):
            self.value(value)
        else:
            self._values.value(value)

    def _scoped(self, body: Iterable[Statement]) -> None:
        with self._values.scope():
            self._scopes.append([])
            self.emit(body)
            self._leave()

    def _leave(self) -> None:
        for value in self._scopes.pop():
            del self._ids[value]

    def _loop(self, loop: Loop) -> None:
        code, types, values = self._code, self._types, self._values
        index = types.scalar.integer(types.index_bits)
        start, stop = values.value(loop.start), values.value(loop.stop)
        carries = [carry for fold in loop.folds for carry in fold.carries]
        carried = [(index, start)]
        for carry in carries:
            carried.append((types.register(carry.dtype), self.value(carry.initial)))
        frame = code.loop(carried)
        counter, *running = frame.phis
        code.test(frame, code.truth(Op.S_LESS_THAN, counter, stop))
        with values.scope():
            self._scopes.append([])
            values.bind(loop.variable, counter)
            self._carried.update(zip(carries, running, strict=True))
            self.emit(loop.body)
            following = [self.value(each) for fold in loop.folds for each in fold.next]
            advanced = code.emit(Op.I_ADD, index, counter, types.scalar.index(1))
            code.end(frame, [advanced, *following])
            self._leave()
        self._results.update(zip(carries, running, strict=True))
