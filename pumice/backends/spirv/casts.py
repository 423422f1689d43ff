"""CAST and BITCAST between any two element types (the rules are in kernel/arithmetic.py)."""

from pumice import dtypes
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.narrow import Narrow
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.pairs import Pairs
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.whole import truncated
from pumice.dtypes import DType, Kind
from pumice.kernel.ir import INDEX

_FLOATS = (Register.FLOAT32, Register.FLOAT64)


class Casts:
    """Emits conversions on registers."""

    def __init__(self, code: Code, narrow: Narrow) -> None:
        self._code = code
        self._types = code.types
        self._narrow = narrow
        self._pairs = Pairs(code)

    def cast(self, value: int, source: DType, target: DType) -> int:
        """Convert a register of one element type to another."""
        held, wanted = self._types.kind(source), self._types.kind(target)
        if wanted is Register.BOOL:
            return self._to_bool(value, held)
        if held is Register.BOOL:
            one, zero = self._code.number(1, wanted), self._code.number(0, wanted)
            return self._code.select(self._types.of(wanted), value, one, zero)
        if Register.PAIR in (held, wanted):
            return self._paired(value, source, target)
        if wanted in _FLOATS:
            return self._to_float(value, source, target)
        if held in _FLOATS:
            return self._float_to_integer(value, held, target)
        return self._narrow.wrap(self.resize(value, source, wanted), target)

    def _to_bool(self, value: int, held: Register) -> int:
        if held is Register.BOOL:
            return value
        if held is Register.PAIR:
            return self._code.truth(Op.LOGICAL_NOT, self._pairs.is_zero(value))
        op = Op.F_UNORD_NOT_EQUAL if held in _FLOATS else Op.I_NOT_EQUAL
        return self._code.truth(op, value, self._code.number(0, held))

    def _paired(self, value: int, source: DType, target: DType) -> int:
        """Convert from or to a 64-bit integer that is a pair of words."""
        held, wanted = self._types.kind(source), self._types.kind(target)
        pairs = self._pairs
        if held is wanted:
            return value
        if wanted in _FLOATS:
            result = pairs.to_float(value, source.is_signed, wanted)
            return self._narrow.round(result, target) if target.is_small_float else result
        if held is Register.PAIR:
            return self._narrow.wrap(pairs.low(value), target)
        if held not in _FLOATS:
            return pairs.extend(value, source.is_signed)
        if target is not dtypes.uint64:
            return pairs.from_float(value, held)
        real, limit = self._types.of(held), self._code.number(2.0**63, held)
        large = self._code.truth(Op.F_ORD_GREATER_THAN_EQUAL, value, limit)
        reduced = self._code.emit(Op.F_SUB, real, value, limit)
        low = pairs.from_float(self._code.select(real, large, reduced, value), held)
        top = self._code.select(self._types.pair, large, pairs.constant(1 << 63), pairs.constant(0))
        return pairs.bitwise(Op.BITWISE_XOR, low, top)

    def resize(self, value: int, source: DType, wanted: Register) -> int:
        """Extend or cut an integer to 32 or 64 bits."""
        if self._types.kind(source) is wanted:
            return value
        code, type_id = self._code, self._types.of(wanted)
        if not source.is_signed or wanted is not Register.INT64:
            op = Op.S_CONVERT if source.is_signed else Op.U_CONVERT
            return code.emit(op, type_id, value)
        # Mesa 22.3 compares the result of OpSConvert with a constant as if it were unsigned.
        high = code.number(1 << 31, wanted)
        turned = code.emit(Op.BITWISE_XOR, type_id, code.emit(Op.U_CONVERT, type_id, value), high)
        return code.emit(Op.I_SUB, type_id, turned, high)

    def _to_float(self, value: int, source: DType, target: DType) -> int:
        held, wanted = self._types.kind(source), self._types.kind(target)
        if held in _FLOATS:
            if held is not wanted:
                value = self._code.emit(Op.F_CONVERT, self._types.of(wanted), value)
        else:
            op = Op.CONVERT_S_TO_F if source.is_signed else Op.CONVERT_U_TO_F
            value = self._code.emit(op, self._types.of(wanted), value)
        if target.is_small_float and target is not source:
            value = self._narrow.round(value, target)
        return value

    # -- float to integer -----------------------------------------------------------------------

    def _float_to_integer(self, value: int, held: Register, target: DType) -> int:
        if target is dtypes.uint32 or target is dtypes.uint8:
            return self._narrow.wrap(self._to_uint32(value, held), target)
        if target is dtypes.uint64:
            return self._to_uint64(value, held)
        bits = self._types.kind(target).bits if target is INDEX or target.itemsize > 2 else 32
        return self._narrow.wrap(self._truncate(value, held, bits), target)

    def _truncate(self, value: int, held: Register, bits: int) -> int:
        """Truncate to a signed integer; what does not fit gives the minimum."""
        code, types = self._code, self._types
        real = types.of(held)
        least = -(2.0 ** (bits - 1))
        # Compare the truncated value: with 64-bit floats, -2**31 - 0.5 still fits 32 bits.
        whole = truncated(code, real, held, value)
        low = code.truth(Op.F_ORD_GREATER_THAN_EQUAL, whole, code.number(least, held))
        high = code.truth(Op.F_ORD_LESS_THAN, whole, code.number(-least, held))
        fits = code.truth(Op.LOGICAL_AND, low, high)
        safe = code.select(real, fits, whole, code.number(0.0, held))
        integer = types.integer(bits)
        converted = code.emit(Op.CONVERT_F_TO_S, integer, safe)
        return code.select(integer, fits, converted, types.unsigned(1 << (bits - 1), bits))

    def _to_uint32(self, value: int, held: Register) -> int:
        """Wrap the 64-bit integer modulo 2**32, using exact float steps instead of int64."""
        code, types = self._code, self._types
        real = types.of(held)
        whole = truncated(code, real, held, self._narrow.absolute(value, held))
        fits = code.truth(Op.F_ORD_LESS_THAN, whole, code.number(2.0**63, held))
        whole = code.select(real, fits, whole, code.number(0.0, held))
        turns = code.emit(Op.F_MUL, real, whole, code.number(2.0**-32, held))
        turns = code.call(Extended.FLOOR, real, turns)
        excess = code.emit(Op.F_MUL, real, turns, code.number(2.0**32, held))
        rest = code.emit(Op.F_SUB, real, whole, excess)
        converted = code.emit(Op.CONVERT_F_TO_U, types.uint, rest)
        negated = code.emit(Op.S_NEGATE, types.uint, converted)
        negative = code.truth(Op.F_ORD_LESS_THAN, value, code.number(0.0, held))
        return code.select(types.uint, negative, negated, converted)

    def _to_uint64(self, value: int, held: Register) -> int:
        code, types = self._code, self._types
        real, long = types.of(held), types.integer(64)
        limit = code.number(2.0**63, held)
        large = code.truth(Op.F_ORD_GREATER_THAN_EQUAL, value, limit)
        reduced = code.emit(Op.F_SUB, real, value, limit)
        low = self._truncate(code.select(real, large, reduced, value), held, 64)
        top = code.select(long, large, types.unsigned(1 << 63, 64), types.unsigned(0, 64))
        return code.emit(Op.BITWISE_XOR, long, low, top)

    # -- bits -----------------------------------------------------------------------------------

    def bitcast(self, value: int, source: DType, target: DType) -> int:
        """Reinterpret the bits; both types have the same size in memory."""
        if source.kind is Kind.BOOL:
            value = self.cast(value, source, dtypes.uint8)
        if source.is_small_float:
            value = self._narrow.to_bits(value, source)
        if target.kind is Kind.BOOL:
            return self.cast(value, dtypes.uint8, target)
        if target.is_small_float:
            low = self._types.unsigned(0xFFFF)
            bits = self._code.emit(Op.BITWISE_AND, self._types.uint, value, low)
            return self._narrow.from_bits(bits, target)
        if target.itemsize <= 2:
            return self._narrow.wrap(value, target)
        wanted = self._types.register(target)
        if self._types.register(source) == wanted:
            return value
        return self._code.emit(Op.BITCAST, wanted, value)
