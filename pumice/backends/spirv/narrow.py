"""Narrow types: rounding to 16-bit floats, their bits, and wrapping of small integers.

Only 32-bit integer operations and exact float ones are used, so the results do not depend on how
a device converts or whether it flushes subnormals.
"""

from pumice import dtypes
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.types import Register
from pumice.dtypes import DType, Kind

_MAGNITUDE = 0x7FFFFFFF
_INFINITY = 0x7F800000
_HALF_LEAST_NORMAL = 0x38800000  # 2**-14
_HALF_REBIAS = 0x38000000  # (127 - 15) << 23
_HALF_GREATEST = 0x477FE000  # 65504


class Narrow:
    """Emits the conversions between narrow types and the 32-bit registers that hold them."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._types = code.types

    def _bits(self, op: Op, value: int, constant: int) -> int:
        return self._code.emit(op, self._types.uint, value, self._types.unsigned(constant))

    def _choose(self, condition: int, chosen: int, other: int) -> int:
        return self._code.select(self._types.uint, condition, chosen, other)

    def _as_bits(self, value: int) -> int:
        return self._code.emit(Op.BITCAST, self._types.uint, value)

    def _as_float(self, bits: int) -> int:
        return self._code.emit(Op.BITCAST, self._types.floating(32), bits)

    # -- integers -------------------------------------------------------------------------------

    def wrap(self, value: int, dtype: DType) -> int:
        """Bring a 32-bit register back into the range of an 8- or 16-bit integer."""
        if dtype.itemsize > 2 or dtype.kind is Kind.BOOL:
            return value
        if not dtype.is_signed:
            return self._bits(Op.BITWISE_AND, value, (1 << dtype.bits) - 1)
        shift = 32 - dtype.bits
        shifted = self._bits(Op.SHIFT_LEFT_LOGICAL, value, shift)
        return self._bits(Op.SHIFT_RIGHT_ARITHMETIC, shifted, shift)

    # -- rounding -------------------------------------------------------------------------------

    def round(self, value: int, dtype: DType) -> int:
        """Round a float32 to the nearest value of a 16-bit float, ties to even."""
        if dtype is dtypes.bfloat16:
            return self._round_bfloat16(value)
        return self._round_float16(value)

    def _nearest(self, bits: int, dropped: int) -> int:
        """Round the low bits away, ties to even; carries run into the exponent as they should."""
        odd = self._bits(Op.BITWISE_AND, self._bits(Op.SHIFT_RIGHT_LOGICAL, bits, dropped), 1)
        raised = self._bits(Op.I_ADD, bits, (1 << (dropped - 1)) - 1)
        total = self._code.emit(Op.I_ADD, self._types.uint, raised, odd)
        return self._bits(Op.BITWISE_AND, total, 0xFFFFFFFF << dropped)

    def _is_nan(self, magnitude: int) -> int:
        return self._code.truth(Op.U_GREATER_THAN, magnitude, self._types.unsigned(_INFINITY))

    def _round_bfloat16(self, value: int) -> int:
        bits = self._as_bits(value)
        magnitude = self._bits(Op.BITWISE_AND, bits, _MAGNITUDE)
        quiet = self._bits(Op.BITWISE_AND, self._bits(Op.BITWISE_OR, bits, 0x400000), 0xFFFF0000)
        return self._as_float(self._choose(self._is_nan(magnitude), quiet, self._nearest(bits, 16)))

    def _round_float16(self, value: int) -> int:
        code, types = self._code, self._types
        bits = self._as_bits(value)
        sign = self._bits(Op.BITWISE_AND, bits, 0x80000000)
        magnitude = self._bits(Op.BITWISE_AND, bits, _MAGNITUDE)
        normal = self._nearest(magnitude, 13)
        over = code.truth(Op.U_GREATER_THAN, normal, types.unsigned(_HALF_GREATEST))
        normal = self._choose(over, types.unsigned(_INFINITY), normal)
        # Adding 0.5, whose last place is 2**-24, rounds to the spacing of subnormal halves.
        half = types.real(0.5)
        near = code.emit(Op.F_ADD, types.floating(32), self._as_float(magnitude), half)
        small = self._as_bits(code.emit(Op.F_SUB, types.floating(32), near, half))
        is_small = code.truth(Op.U_LESS_THAN, magnitude, types.unsigned(_HALF_LEAST_NORMAL))
        rounded = self._choose(is_small, small, normal)
        quiet = self._bits(Op.BITWISE_OR, magnitude, 0x400000)
        rounded = self._choose(self._is_nan(magnitude), quiet, rounded)
        return self._as_float(code.emit(Op.BITWISE_OR, types.uint, rounded, sign))

    # -- bits -----------------------------------------------------------------------------------

    def to_bits(self, value: int, dtype: DType) -> int:
        """Return the 16 bits of a register holding a 16-bit float, in the low half of a word."""
        bits = self._as_bits(value)
        if dtype is dtypes.bfloat16:
            return self._bits(Op.SHIFT_RIGHT_LOGICAL, bits, 16)
        code, types = self._code, self._types
        sign = self._bits(Op.BITWISE_AND, self._bits(Op.SHIFT_RIGHT_LOGICAL, bits, 16), 0x8000)
        magnitude = self._bits(Op.BITWISE_AND, bits, _MAGNITUDE)
        rebased = self._bits(Op.I_SUB, magnitude, _HALF_REBIAS)
        normal = self._bits(Op.SHIFT_RIGHT_LOGICAL, rebased, 13)
        scaled = code.emit(
            Op.F_MUL, types.floating(32), self._as_float(magnitude), types.real(2.0**24)
        )
        # Keep what is converted in range: the result is only used for small magnitudes.
        is_small = code.truth(Op.U_LESS_THAN, magnitude, types.unsigned(_HALF_LEAST_NORMAL))
        scaled = code.select(types.floating(32), is_small, scaled, types.real(0.0))
        small = code.emit(Op.CONVERT_F_TO_U, types.uint, scaled)
        finite = self._choose(is_small, small, normal)
        payload = self._bits(
            Op.BITWISE_AND, self._bits(Op.SHIFT_RIGHT_LOGICAL, magnitude, 13), 0x3FF
        )
        special = self._bits(Op.BITWISE_OR, payload, 0x7C00)
        is_special = code.truth(Op.U_GREATER_THAN_EQUAL, magnitude, types.unsigned(_INFINITY))
        return code.emit(Op.BITWISE_OR, types.uint, self._choose(is_special, special, finite), sign)

    def from_bits(self, bits: int, dtype: DType) -> int:
        """Return the float32 register for 16 bits in the low half of a word, the rest zero."""
        if dtype is dtypes.bfloat16:
            return self._as_float(self._bits(Op.SHIFT_LEFT_LOGICAL, bits, 16))
        code, types = self._code, self._types
        sign = self._bits(Op.SHIFT_LEFT_LOGICAL, self._bits(Op.BITWISE_AND, bits, 0x8000), 16)
        magnitude = self._bits(Op.BITWISE_AND, bits, 0x7FFF)
        shifted = self._bits(Op.SHIFT_LEFT_LOGICAL, magnitude, 13)
        normal = self._bits(Op.I_ADD, shifted, _HALF_REBIAS)
        special = self._bits(Op.I_ADD, shifted, 0x70000000)
        whole = code.emit(Op.CONVERT_U_TO_F, types.floating(32), magnitude)
        small = self._as_bits(code.emit(Op.F_MUL, types.floating(32), whole, types.real(2.0**-24)))
        is_small = code.truth(Op.U_LESS_THAN, magnitude, types.unsigned(0x400))
        is_special = code.truth(Op.U_GREATER_THAN_EQUAL, magnitude, types.unsigned(0x7C00))
        result = self._choose(is_small, small, self._choose(is_special, special, normal))
        return self._as_float(code.emit(Op.BITWISE_OR, types.uint, result, sign))

    def absolute(self, value: int, register: Register) -> int:
        return self._code.call(Extended.F_ABS, self._types.of(register), value)
