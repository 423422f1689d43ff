"""64-bit integers as pairs of 32-bit words, low word first, for devices that lack them."""

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.whole import truncated

_BITS = 64


class Pairs:
    """Emits arithmetic on pairs; every result is exact modulo 2**64."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._types = code.types

    # -- words ----------------------------------------------------------------------------------

    @property
    def _type(self) -> int:
        return self._types.pair

    def make(self, low: int, high: int) -> int:
        """Return a pair of two words."""
        return self._code.emit(Op.COMPOSITE_CONSTRUCT, self._type, low, high)

    def low(self, pair: int) -> int:
        return self._code.emit(Op.COMPOSITE_EXTRACT, self._types.uint, pair, 0)

    def high(self, pair: int) -> int:
        return self._code.emit(Op.COMPOSITE_EXTRACT, self._types.uint, pair, 1)

    def _word(self, op: Op, *operands: int) -> int:
        return self._code.emit(op, self._types.uint, *operands)

    def _number(self, value: int) -> int:
        return self._types.unsigned(value)

    def _pick(self, condition: int, chosen: int, other: int) -> int:
        return self._code.select(self._types.uint, condition, chosen, other)

    def _pick_pair(self, condition: int, chosen: int, other: int) -> int:
        return self._code.select(self._type, condition, chosen, other)

    def constant(self, value: int) -> int:
        return self._types.number(value, Register.PAIR)

    def extend(self, word: int, signed: bool) -> int:
        """Return a word as a pair."""
        sign = self._word(Op.SHIFT_RIGHT_ARITHMETIC, word, self._number(31))
        return self.make(word, sign if signed else self._number(0))

    # -- sums and products ------------------------------------------------------------------------

    def add(self, x: int, y: int) -> int:
        low = self._word(Op.I_ADD, self.low(x), self.low(y))
        over = self._code.truth(Op.U_LESS_THAN, low, self.low(x))
        high = self._word(Op.I_ADD, self.high(x), self.high(y))
        return self.make(
            low, self._word(Op.I_ADD, high, self._pick(over, self._number(1), self._number(0)))
        )

    def subtract(self, x: int, y: int) -> int:
        low = self._word(Op.I_SUB, self.low(x), self.low(y))
        under = self._code.truth(Op.U_LESS_THAN, self.low(x), self.low(y))
        high = self._word(Op.I_SUB, self.high(x), self.high(y))
        return self.make(
            low, self._word(Op.I_SUB, high, self._pick(under, self._number(1), self._number(0)))
        )

    def negate(self, x: int) -> int:
        return self.subtract(self.constant(0), x)

    def multiply(self, x: int, y: int) -> int:
        whole = self._product(self.low(x), self.low(y))
        first = self._word(Op.I_MUL, self.low(x), self.high(y))
        second = self._word(Op.I_MUL, self.high(x), self.low(y))
        mixed = self._word(Op.I_ADD, first, second)
        return self.make(self.low(whole), self._word(Op.I_ADD, self.high(whole), mixed))

    def _product(self, x: int, y: int) -> int:
        """Return the whole product of two words."""
        uint = self._types.uint
        struct = self._code.module.intern_type(Op.TYPE_STRUCT, uint, uint)
        return self._code.emit(Op.U_MUL_EXTENDED, struct, x, y)

    def high_product(self, x: int, y: int) -> int:
        """Return the upper 64 bits of the product of two unsigned numbers."""

        def product(first: int, second: int) -> int:
            made = self._product(first, second)
            return self.make(self.low(made), self.high(made))

        zero = self._number(0)
        lows = product(self.low(x), self.low(y))
        middle = product(self.high(x), self.low(y))
        middle = self.add(middle, self.make(self.high(lows), zero))
        other = product(self.low(x), self.high(y))
        other = self.add(other, self.make(self.low(middle), zero))
        highs = product(self.high(x), self.high(y))
        highs = self.add(highs, self.make(self.high(middle), zero))
        return self.add(highs, self.make(self.high(other), zero))

    def bitwise(self, op: Op, *operands: int) -> int:
        """Apply a bitwise instruction to both words."""
        return self._code.emit(op, self._type, *operands)

    # -- comparisons ------------------------------------------------------------------------------

    def equal(self, x: int, y: int) -> int:
        code = self._code
        lows = code.truth(Op.I_EQUAL, self.low(x), self.low(y))
        return code.truth(Op.LOGICAL_AND, lows, code.truth(Op.I_EQUAL, self.high(x), self.high(y)))

    def less(self, x: int, y: int, signed: bool) -> int:
        code = self._code
        op = Op.S_LESS_THAN if signed else Op.U_LESS_THAN
        above = code.truth(op, self.high(x), self.high(y))
        level = code.truth(Op.I_EQUAL, self.high(x), self.high(y))
        below = code.truth(Op.U_LESS_THAN, self.low(x), self.low(y))
        return code.truth(Op.LOGICAL_OR, above, code.truth(Op.LOGICAL_AND, level, below))

    def is_zero(self, x: int) -> int:
        either = self._word(Op.BITWISE_OR, self.low(x), self.high(x))
        return self._code.truth(Op.I_EQUAL, either, self._number(0))

    def is_negative(self, x: int) -> int:
        return self._code.truth(Op.S_LESS_THAN, self.high(x), self._number(0))

    def absolute(self, x: int) -> int:
        return self._pick_pair(self.is_negative(x), self.negate(x), x)

    # -- shifts -----------------------------------------------------------------------------------

    def shift_left(self, x: int, count: int) -> int:
        """Shift by a word from 0 to 63."""
        step, back, far = self._steps(count)
        over = self._crossing(Op.SHIFT_RIGHT_LOGICAL, self.low(x), step, back)
        low = self._word(Op.SHIFT_LEFT_LOGICAL, self.low(x), step)
        high = self._word(Op.SHIFT_LEFT_LOGICAL, self.high(x), step)
        near = self.make(low, self._word(Op.BITWISE_OR, high, over))
        return self._pick_pair(far, self.make(self._number(0), low), near)

    def shift_right(self, x: int, count: int, signed: bool) -> int:
        """Shift by a word from 0 to 63."""
        step, back, far = self._steps(count)
        over = self._crossing(Op.SHIFT_LEFT_LOGICAL, self.high(x), step, back)
        op = Op.SHIFT_RIGHT_ARITHMETIC if signed else Op.SHIFT_RIGHT_LOGICAL
        low = self._word(Op.SHIFT_RIGHT_LOGICAL, self.low(x), step)
        high = self._word(op, self.high(x), step)
        near = self.make(self._word(Op.BITWISE_OR, low, over), high)
        sign = self._word(Op.SHIFT_RIGHT_ARITHMETIC, self.high(x), self._number(31))
        return self._pick_pair(far, self.make(high, sign if signed else self._number(0)), near)

    def _steps(self, count: int) -> tuple[int, int, int]:
        """Return a shift within a word, the one the other way, and whether it passes a word."""
        step = self._word(Op.BITWISE_AND, count, self._number(31))
        back = self._word(Op.I_SUB, self._number(32), step)
        back = self._word(Op.BITWISE_AND, back, self._number(31))
        passes = self._word(Op.BITWISE_AND, count, self._number(32))
        return step, back, self._code.truth(Op.I_NOT_EQUAL, passes, self._number(0))

    def _crossing(self, op: Op, word: int, step: int, back: int) -> int:
        """Return the bits that pass from one word to the other."""
        none = self._code.truth(Op.I_EQUAL, step, self._number(0))
        return self._pick(none, self._number(0), self._word(op, word, back))

    # -- division ---------------------------------------------------------------------------------

    def quotient(self, x: int, y: int, signed: bool) -> int:
        """Divide toward zero; a zero divisor gives 0, and minimum / -1 wraps."""
        if not signed:
            return self._pick_pair(self.is_zero(y), self.constant(0), self._divide(x, y))
        result = self._divide(self.absolute(x), self.absolute(y))
        code = self._code
        differ = code.truth(Op.LOGICAL_NOT_EQUAL, self.is_negative(x), self.is_negative(y))
        result = self._pick_pair(differ, self.negate(result), result)
        return self._pick_pair(self.is_zero(y), self.constant(0), result)

    def _divide(self, x: int, y: int) -> int:
        """Divide unsigned numbers bit by bit."""
        code, uint, pair = self._code, self._types.uint, self._type
        zero = self.constant(0)
        frame = code.loop([(uint, self._number(0)), (pair, x), (pair, zero)])
        step, rest, part = frame.phis
        code.test(frame, code.truth(Op.U_LESS_THAN, step, self._number(_BITS)))
        top = self._word(Op.SHIFT_RIGHT_LOGICAL, self.high(rest), self._number(31))
        carried = self.is_negative(part)  # its top bit leaves it: it is above any divisor then
        shifted = self.shift_left(part, self._number(1))
        shifted = self.make(self._word(Op.BITWISE_OR, self.low(shifted), top), self.high(shifted))
        fits = code.truth(Op.LOGICAL_NOT, self.less(shifted, y, signed=False))
        fits = code.truth(Op.LOGICAL_OR, carried, fits)
        remaining = self._pick_pair(fits, self.subtract(shifted, y), shifted)
        moved = self.shift_left(rest, self._number(1))
        bit = self._pick(fits, self._number(1), self._number(0))
        moved = self.make(self._word(Op.BITWISE_OR, self.low(moved), bit), self.high(moved))
        code.end(frame, [self._word(Op.I_ADD, step, self._number(1)), moved, remaining])
        return rest

    # -- floats -----------------------------------------------------------------------------------

    def to_float(self, x: int, signed: bool, wanted: Register) -> int:
        """Return the nearest float."""
        code, types = self._code, self._types
        real = types.of(wanted)
        if wanted is Register.FLOAT64:
            op = Op.CONVERT_S_TO_F if signed else Op.CONVERT_U_TO_F
            high = code.emit(
                Op.F_MUL, real, code.emit(op, real, self.high(x)), types.real(2.0**32, 64)
            )
            return code.emit(Op.F_ADD, real, high, code.emit(Op.CONVERT_U_TO_F, real, self.low(x)))
        magnitude = self.absolute(x) if signed else x
        # The upper 32 bits that count, the last of which tells of any below.
        found = code.call(Extended.FIND_U_MSB, types.uint, self.high(magnitude))
        shift = self._word(Op.I_ADD, found, self._number(1))  # 0 for a high word of 0
        kept = self.shift_right(magnitude, shift, signed=False)
        again = self.shift_left(kept, shift)
        lost = code.truth(Op.LOGICAL_NOT, self.equal(again, magnitude))
        sticky = self._pick(lost, self._number(1), self._number(0))
        word = self._word(Op.BITWISE_OR, self.low(kept), sticky)
        exponent = self._word(Op.I_ADD, shift, self._number(127))
        scale = self._word(Op.SHIFT_LEFT_LOGICAL, exponent, self._number(23))
        rounded = code.emit(Op.CONVERT_U_TO_F, real, word)
        result = code.emit(Op.F_MUL, real, rounded, code.emit(Op.BITCAST, real, scale))
        if not signed:
            return result
        return code.select(real, self.is_negative(x), code.emit(Op.F_NEGATE, real, result), result)

    def from_float(self, value: int, held: Register) -> int:
        """Truncate to a signed number; what does not fit gives the minimum."""
        code, types = self._code, self._types
        real = types.of(held)

        def number(value: float) -> int:
            return code.number(value, held)

        whole = truncated(code, real, held, value)
        low = code.truth(Op.F_ORD_GREATER_THAN_EQUAL, whole, number(-(2.0**63)))
        high = code.truth(Op.F_ORD_LESS_THAN, whole, number(2.0**63))
        fits = code.truth(Op.LOGICAL_AND, low, high)
        safe = code.select(real, fits, whole, number(0.0))
        size = code.call(Extended.F_ABS, real, safe)
        turns = code.emit(Op.F_MUL, real, size, number(2.0**-32))
        turns = code.call(Extended.FLOOR, real, turns)
        rest = code.emit(Op.F_SUB, real, size, code.emit(Op.F_MUL, real, turns, number(2.0**32)))
        made = self.make(
            code.emit(Op.CONVERT_F_TO_U, types.uint, rest),
            code.emit(Op.CONVERT_F_TO_U, types.uint, turns),
        )
        negative = code.truth(Op.F_ORD_LESS_THAN, safe, number(0.0))
        made = self._pick_pair(negative, self.negate(made), made)
        return self._pick_pair(fits, made, self.constant(1 << 63))
