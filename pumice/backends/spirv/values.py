"""Scalar expressions: each value is emitted once per scope, operands first."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from pumice import dtypes
from pumice.backends.spirv.arguments import Arguments
from pumice.backends.spirv.arithmetic import Arithmetic
from pumice.backends.spirv.bounds import Bounds
from pumice.backends.spirv.casts import Casts
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.narrow import Narrow
from pumice.backends.spirv.opcodes import ALIGNED, Op
from pumice.backends.spirv.pairs import Pairs
from pumice.backends.spirv.shared import SharedMemory
from pumice.backends.spirv.types import Register
from pumice.dtypes import DType, Kind
from pumice.errors import InternalError
from pumice.kernel.ir import INDEX, Carry, Instruction, Parameter, Role, Value, Variable
from pumice.kernel.walk import postorder
from pumice.target import Access


class Values:
    """Maps values to ids. `bind` gives variables, carries and results their ids."""

    def __init__(self, code: Code, arguments: Arguments) -> None:
        self.code = code
        self.types = code.types
        self.arguments = arguments
        self.narrow = Narrow(code)
        self.casts = Casts(code, self.narrow)
        self._shared = SharedMemory(code)
        self._arithmetic = Arithmetic(code, self.narrow)
        self._ids: dict[Value, int] = {}
        self._trail: list[list[Value]] = [[]]
        self._bound: dict[Variable | Carry, int] = {}
        self._results: dict[Carry, int] = {}
        self._accumulator = 0
        arguments.load(self.narrow, self.casts)
        self.bounds = Bounds(code, arguments)

    # -- scopes and bindings --------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget on leaving what was emitted inside, since it does not dominate what follows."""
        self._trail.append([])
        yield
        for value in self._trail.pop():
            del self._ids[value]

    @contextmanager
    def fresh_scope(self) -> Iterator[None]:
        """Know nothing inside, since the same values are computed anew with other variables."""
        known, trail = self._ids, self._trail
        self._ids, self._trail = {}, [[]]
        yield
        self._ids, self._trail = known, trail

    def bind(self, name: Variable | Carry, identity: int) -> None:
        self._bound[name] = identity

    def bind_result(self, carry: Carry, identity: int) -> None:
        self._results[carry] = identity

    def provide(self, value: Value, identity: int) -> None:
        """Say what a value is in this scope, in place of emitting it."""
        self._ids[value] = identity
        self._trail[-1].append(value)

    def bind_accumulator(self, identity: int) -> None:
        self._accumulator = identity

    # -- emission -------------------------------------------------------------------------------

    def value(self, root: Value) -> int:
        """Return the id of a value, emitting whatever of it is not known in this scope."""
        for value in postorder(root, self._ids):
            self._ids[value] = self._emit(value)
            self._trail[-1].append(value)
        return self._ids[root]

    def _emit(self, value: Value) -> int:
        operands = [self._ids[argument] for argument in value.arguments]
        match value.instruction:
            case Instruction.CONSTANT:
                if value.dtype is INDEX:
                    return self.types.index(value.attribute)
                return self.types.constant(value.attribute, value.dtype)
            case Instruction.PARAMETER:
                return self.arguments.ids[value.attribute]
            case Instruction.VARIABLE | Instruction.CARRIED:
                return self._bound[value.attribute]
            case Instruction.RESULT:
                return self._results[value.attribute]
            case Instruction.ACCUMULATOR:
                return self._accumulator
            case Instruction.LOAD:
                mask = operands[1] if len(operands) == 2 else None
                return self.load(value.attribute, operands[0], mask)
            case Instruction.SELECT:
                return self.code.select(self.types.register(value.dtype), *operands)
            case Instruction.CAST:
                return self.casts.cast(operands[0], value.arguments[0].dtype, value.dtype)
            case Instruction.BITCAST:
                return self.casts.bitcast(operands[0], value.arguments[0].dtype, value.dtype)
            case Instruction.CHECKED:
                self.check(value, *operands)
                return operands[0]
            case _:
                return self._arithmetic.apply(value, operands)

    def check(self, value: Value, checked: int, condition: int) -> None:
        """Record a fault with the checked number where the condition holds."""
        source = value.arguments[0].dtype
        kind = self.types.kind(source)
        with self.code.when(condition):
            if kind not in (Register.INT64, Register.INT32, Register.PAIR):
                checked, source, kind = (
                    self.casts.cast(checked, source, dtypes.int32),
                    dtypes.int32,
                    Register.INT32,
                )
            low, high = self._halves(checked, source, kind)
            self.arguments.record_fault(value.attribute.value, low, high)

    def report(self) -> None:
        """Tell of accesses outside their buffers, at the end of the entry point."""
        kind = self.types.kind(INDEX)
        self.bounds.report(lambda place: self._halves(place, INDEX, kind))

    def _halves(self, value: int, source: DType, kind: Register) -> tuple[int, int]:
        code, types = self.code, self.types
        if kind is Register.PAIR:
            pairs = Pairs(code)
            return pairs.low(value), pairs.high(value)
        if kind is Register.INT64:
            long = types.integer(64)
            upper = code.emit(Op.SHIFT_RIGHT_LOGICAL, long, value, types.unsigned(32, 64))
            return (
                code.emit(Op.U_CONVERT, types.uint, value),
                code.emit(Op.U_CONVERT, types.uint, upper),
            )
        if not source.is_signed:
            return value, types.unsigned(0)
        sign = code.emit(Op.SHIFT_RIGHT_ARITHMETIC, types.uint, value, types.unsigned(31))
        return value, sign

    # -- memory ---------------------------------------------------------------------------------

    def load(self, buffer: Parameter, at: int, mask: int | None = None) -> int:
        """Read an element into a register; zero where the mask is false."""
        if buffer.role not in (Role.BUFFER, Role.LOCAL):
            raise InternalError(f"spirv: load from {buffer.name}, which is no buffer")
        mask = self.bounds.mask(Access.READ, buffer, at, mask)
        if mask is None:
            return self._load(buffer, at)
        before = self.code.block
        with self.code.when(mask):
            loaded = self._load(buffer, at)
            inside = self.code.block
        zero = self.types.constant(0, buffer.dtype)
        register = self.types.register(buffer.dtype)
        return self.code.phi(register, (loaded, inside), (zero, before))

    def _load(self, buffer: Parameter, at: int) -> int:
        code, types, dtype = self.code, self.types, buffer.dtype
        if buffer.role is Role.LOCAL:
            return self._shared.load(buffer, at)
        if types.in_words(dtype):
            pointer, shift = self.arguments.word(buffer, at)
            word = code.emit(Op.LOAD, types.uint, pointer, ALIGNED, 4)
            moved = code.emit(Op.SHIFT_RIGHT_LOGICAL, types.uint, word, shift)
            mask = types.unsigned((1 << dtype.bits) - 1)
            wide = code.emit(Op.BITWISE_AND, types.uint, moved, mask)
            wide = self.narrow.wrap(wide, dtype)
        else:
            pointer, memory = self.arguments.element(buffer, at)
            loaded = code.emit(Op.LOAD, memory, pointer, ALIGNED, dtype.itemsize)
            if dtype.itemsize > 2:
                return loaded
            signed = dtype.kind is Kind.SIGNED
            wide = code.emit(Op.S_CONVERT if signed else Op.U_CONVERT, types.uint, loaded)
        if dtype.kind is Kind.BOOL:
            return code.truth(Op.I_NOT_EQUAL, wide, types.unsigned(0))
        return self.narrow.from_bits(wide, dtype) if dtype.is_small_float else wide

    def store(self, buffer: Parameter, at: int, value: int) -> None:
        """Write a register to an element."""
        mask = self.bounds.mask(Access.WRITE, buffer, at)
        with nullcontext() if mask is None else self.code.when(mask):
            self._store(buffer, at, value)

    def _store(self, buffer: Parameter, at: int, value: int) -> None:
        code, types, dtype = self.code, self.types, buffer.dtype
        if buffer.role is Role.LOCAL:
            self._shared.store(buffer, at, value)
            return
        if dtype.kind is Kind.BOOL:
            value = code.select(types.uint, value, types.unsigned(1), types.unsigned(0))
        elif dtype.is_small_float:
            value = self.narrow.to_bits(value, dtype)
        if types.in_words(dtype):
            self._store_part(buffer, at, value)
            return
        pointer, memory = self.arguments.element(buffer, at)
        if dtype.itemsize <= 2:
            value = code.emit(Op.U_CONVERT, memory, value)
        code.effect(Op.STORE, pointer, value, ALIGNED, dtype.itemsize)

    def _store_part(self, buffer: Parameter, at: int, value: int) -> None:
        """Write a small element into its word; others may write the rest of it meanwhile."""
        code, types = self.code, self.types
        pointer, shift = self.arguments.word(buffer, at)
        mask = types.unsigned((1 << buffer.dtype.bits) - 1)
        field = code.emit(Op.SHIFT_LEFT_LOGICAL, types.uint, mask, shift)
        others = code.emit(Op.NOT, types.uint, field)
        small = code.emit(Op.BITWISE_AND, types.uint, value, mask)
        placed = code.emit(Op.SHIFT_LEFT_LOGICAL, types.uint, small, shift)
        device, relaxed = types.unsigned(types.atomic_scope), types.unsigned(0)
        code.emit(Op.ATOMIC_AND, types.uint, pointer, device, relaxed, others)
        code.emit(Op.ATOMIC_OR, types.uint, pointer, device, relaxed, placed)
