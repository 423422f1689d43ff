"""Arithmetic, comparison and bit instructions on registers."""

from collections.abc import Sequence

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.narrow import Narrow
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.pairs import Pairs
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.whole import rounded, truncated
from pumice.dtypes import DType
from pumice.errors import InternalError
from pumice.kernel.ir import Instruction, Value

_FLOAT_OPS = {
    Instruction.ADD: Op.F_ADD,
    Instruction.SUB: Op.F_SUB,
    Instruction.MUL: Op.F_MUL,
    Instruction.DIV: Op.F_DIV,
    Instruction.NEG: Op.F_NEGATE,
}
_FLOAT_CALLS = {
    Instruction.MULTIPLY_ADD: Extended.FMA,
    Instruction.ABS: Extended.F_ABS,
    Instruction.SQRT: Extended.SQRT,
    Instruction.FLOOR: Extended.FLOOR,
    Instruction.CEIL: Extended.CEIL,
}
_WHOLE = {Instruction.TRUNCATE: truncated, Instruction.ROUND_EVEN: rounded}
_ROUNDING = frozenset(
    (
        Instruction.ADD,
        Instruction.SUB,
        Instruction.MUL,
        Instruction.DIV,
        Instruction.MULTIPLY_ADD,
        Instruction.SQRT,
    )
)
_INTEGER_OPS = {
    Instruction.ADD: Op.I_ADD,
    Instruction.SUB: Op.I_SUB,
    Instruction.MUL: Op.I_MUL,
    Instruction.NEG: Op.S_NEGATE,
    Instruction.AND: Op.BITWISE_AND,
    Instruction.OR: Op.BITWISE_OR,
    Instruction.XOR: Op.BITWISE_XOR,
    Instruction.NOT: Op.NOT,
    Instruction.SHL: Op.SHIFT_LEFT_LOGICAL,
}
_BOOL_OPS = {
    Instruction.AND: Op.LOGICAL_AND,
    Instruction.OR: Op.LOGICAL_OR,
    Instruction.XOR: Op.LOGICAL_NOT_EQUAL,
    Instruction.NOT: Op.LOGICAL_NOT,
    Instruction.ADD: Op.LOGICAL_OR,
    Instruction.MUL: Op.LOGICAL_AND,
}
_COMPARISONS = frozenset((Instruction.EQ, Instruction.NE, Instruction.LT, Instruction.LE))
_FLOAT_COMPARISONS = {
    Instruction.EQ: Op.F_ORD_EQUAL,
    Instruction.NE: Op.F_UNORD_NOT_EQUAL,
    Instruction.LT: Op.F_ORD_LESS_THAN,
    Instruction.LE: Op.F_ORD_LESS_THAN_EQUAL,
}
_SIGNED_COMPARISONS = {
    Instruction.EQ: Op.I_EQUAL,
    Instruction.NE: Op.I_NOT_EQUAL,
    Instruction.LT: Op.S_LESS_THAN,
    Instruction.LE: Op.S_LESS_THAN_EQUAL,
}
_UNSIGNED_COMPARISONS = {
    Instruction.EQ: Op.I_EQUAL,
    Instruction.NE: Op.I_NOT_EQUAL,
    Instruction.LT: Op.U_LESS_THAN,
    Instruction.LE: Op.U_LESS_THAN_EQUAL,
}


class Arithmetic:
    """Emits the instructions that need nothing but their operands."""

    def __init__(self, code: Code, narrow: Narrow) -> None:
        self._code = code
        self._types = code.types
        self._narrow = narrow
        self._pairs = Pairs(code)

    def apply(self, value: Value, operands: Sequence[int]) -> int:
        """Emit one instruction, given the ids of its arguments."""
        if value.instruction in _COMPARISONS:
            return self._compare(value.instruction, value.arguments[0].dtype, operands)
        register = self._types.kind(value.dtype)
        match register:
            case Register.BOOL:
                return self._code.truth(self._known(_BOOL_OPS, value), *operands)
            case Register.FLOAT32 | Register.FLOAT64:
                return self._float(value, register, operands)
            case Register.INT32 | Register.INT64:
                return self._integer(value, register, operands)
            case Register.PAIR:
                return self._paired(value, operands)

    def _known(self, table: dict[Instruction, Op], value: Value) -> Op:
        op = table.get(value.instruction)
        if op is None:
            name = value.instruction.name
            raise InternalError(f"spirv: {name} is not defined for {value.dtype.name}")
        return op

    def _float(self, value: Value, register: Register, operands: Sequence[int]) -> int:
        type_id = self._types.of(register)
        if value.instruction in _WHOLE:
            return _WHOLE[value.instruction](self._code, type_id, register, *operands)
        call = _FLOAT_CALLS.get(value.instruction)
        if call is not None:
            result = self._code.call(call, type_id, *operands)
        else:
            result = self._code.emit(self._known(_FLOAT_OPS, value), type_id, *operands)
        if value.dtype.is_small_float and value.instruction in _ROUNDING:
            result = self._narrow.round(result, value.dtype)
        return result

    def _compare(self, instruction: Instruction, dtype: DType, operands: Sequence[int]) -> int:
        code = self._code
        match self._types.kind(dtype):
            case Register.BOOL:
                return self._compare_bools(instruction, operands)
            case Register.FLOAT32 | Register.FLOAT64:
                return code.truth(_FLOAT_COMPARISONS[instruction], *operands)
            case Register.INT32 | Register.INT64:
                table = _SIGNED_COMPARISONS if dtype.is_signed else _UNSIGNED_COMPARISONS
                return code.truth(table[instruction], *operands)
            case Register.PAIR:
                return self._compare_pairs(instruction, dtype, *operands)

    def _compare_bools(self, instruction: Instruction, operands: Sequence[int]) -> int:
        code = self._code
        first, second = operands
        if instruction is Instruction.EQ:
            return code.truth(Op.LOGICAL_EQUAL, first, second)
        if instruction is Instruction.NE:
            return code.truth(Op.LOGICAL_NOT_EQUAL, first, second)
        op = Op.LOGICAL_AND if instruction is Instruction.LT else Op.LOGICAL_OR
        return code.truth(op, code.truth(Op.LOGICAL_NOT, first), second)

    # -- pairs of words ---------------------------------------------------------------------------

    def _compare_pairs(self, instruction: Instruction, dtype: DType, x: int, y: int) -> int:
        pairs, negation = self._pairs, Op.LOGICAL_NOT
        match instruction:
            case Instruction.EQ:
                return pairs.equal(x, y)
            case Instruction.NE:
                return self._code.truth(negation, pairs.equal(x, y))
            case Instruction.LT:
                return pairs.less(x, y, dtype.is_signed)
            case _:
                return self._code.truth(negation, pairs.less(y, x, dtype.is_signed))

    def _paired(self, value: Value, operands: Sequence[int]) -> int:
        pairs, signed = self._pairs, value.dtype.is_signed
        match value.instruction:
            case Instruction.ADD:
                return pairs.add(*operands)
            case Instruction.SUB:
                return pairs.subtract(*operands)
            case Instruction.MUL:
                return pairs.multiply(*operands)
            case Instruction.NEG:
                return pairs.negate(*operands)
            case Instruction.ABS:
                return pairs.absolute(operands[0]) if signed else operands[0]
            case Instruction.SHL:
                return pairs.shift_left(operands[0], pairs.low(operands[1]))
            case Instruction.SHR:
                return pairs.shift_right(operands[0], pairs.low(operands[1]), signed)
            case Instruction.QUOTIENT:
                return pairs.quotient(operands[0], operands[1], signed)
            case Instruction.MODULUS:
                whole = pairs.quotient(operands[0], operands[1], signed)
                return pairs.subtract(operands[0], pairs.multiply(whole, operands[1]))
            case Instruction.HIGH_PRODUCT:
                return pairs.high_product(*operands)
            case _:
                return pairs.bitwise(self._known(_INTEGER_OPS, value), *operands)

    # -- integers -------------------------------------------------------------------------------

    def _integer(self, value: Value, register: Register, operands: Sequence[int]) -> int:
        type_id = self._types.of(register)
        match value.instruction:
            case Instruction.SHR:
                signed = value.dtype.is_signed
                op = Op.SHIFT_RIGHT_ARITHMETIC if signed else Op.SHIFT_RIGHT_LOGICAL
                return self._code.emit(op, type_id, *operands)
            case Instruction.QUOTIENT:
                result = self.quotient(value, register, operands)
            case Instruction.MODULUS:
                return self._modulus(value, register, operands)
            case Instruction.HIGH_PRODUCT:
                return self._high_product(register, operands)
            case Instruction.ABS:
                result = self._absolute(value.dtype, register, operands[0])
            case _:
                op = self._known(_INTEGER_OPS, value)
                result = self._code.emit(op, type_id, *operands)
        return self._narrow.wrap(result, value.dtype)

    def _absolute(self, dtype: DType, register: Register, operand: int) -> int:
        if not dtype.is_signed:
            return operand
        code, type_id = self._code, self._types.of(register)
        negative = code.truth(Op.S_LESS_THAN, operand, code.number(0, register))
        negated = code.emit(Op.S_NEGATE, type_id, operand)
        return code.select(type_id, negative, negated, operand)

    def quotient(self, value: Value, register: Register, operands: Sequence[int]) -> int:
        """Divide toward zero; a zero divisor gives 0, and minimum / -1 wraps."""
        code, type_id = self._code, self._types.of(register)
        dividend, divisor = operands
        signed = value.dtype.is_signed
        op = Op.S_DIV if signed else Op.U_DIV
        known = value.arguments[1]
        if known.instruction is Instruction.CONSTANT and known.attribute not in (0, -1):
            return code.emit(op, type_id, dividend, divisor)
        zero, one = code.number(0, register), code.number(1, register)
        by_zero = unsafe = code.truth(Op.I_EQUAL, divisor, zero)
        if signed:
            negating = code.truth(Op.I_EQUAL, divisor, code.number(-1, register))
            unsafe = code.truth(Op.LOGICAL_OR, by_zero, negating)
        result = code.emit(op, type_id, dividend, code.select(type_id, unsafe, one, divisor))
        if signed:
            negated = code.emit(Op.S_NEGATE, type_id, dividend)
            result = code.select(type_id, negating, negated, result)
        return code.select(type_id, by_zero, zero, result)

    def _modulus(self, value: Value, register: Register, operands: Sequence[int]) -> int:
        # OpSRem leaves negative operands undefined in Vulkan, so the remainder is built.
        code, type_id = self._code, self._types.of(register)
        dividend, divisor = operands
        whole = self.quotient(value, register, operands)
        product = code.emit(Op.I_MUL, type_id, whole, divisor)
        return code.emit(Op.I_SUB, type_id, dividend, product)

    def _high_product(self, register: Register, operands: Sequence[int]) -> int:
        code, types = self._code, self._types
        if register is Register.INT32:
            pair = self._pair()
            return code.emit(
                Op.COMPOSITE_EXTRACT, types.uint, code.emit(Op.U_MUL_EXTENDED, pair, *operands), 1
            )
        long = types.integer(64)
        half, mask = types.unsigned(32, 64), types.unsigned(0xFFFFFFFF, 64)

        def low(number: int) -> int:
            return code.emit(Op.BITWISE_AND, long, number, mask)

        def high(number: int) -> int:
            return code.emit(Op.SHIFT_RIGHT_LOGICAL, long, number, half)

        def product(x: int, y: int) -> int:
            return code.emit(Op.I_MUL, long, x, y)

        def total(x: int, y: int) -> int:
            return code.emit(Op.I_ADD, long, x, y)

        first, second = operands
        lows = product(low(first), low(second))
        middle = total(product(high(first), low(second)), high(lows))
        other = total(product(low(first), high(second)), low(middle))
        highs = total(product(high(first), high(second)), high(middle))
        return total(highs, high(other))

    def _pair(self) -> int:
        uint = self._types.uint
        return self._code.module.intern_type(Op.TYPE_STRUCT, uint, uint)
