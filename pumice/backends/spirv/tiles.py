"""Products of tiles by a workgroup: each invocation owns a small part of the tile.

An invocation keeps its part in registers, reads a column of the left operand and a row of the right
one for each step of the sum, and writes the part back. Operands lie in shared or device memory.
"""

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.values import Values
from pumice.errors import InternalError
from pumice.kernel.ir import Instruction, Multiply, Parameter, Value
from pumice.target import parts_of

UNROLLED = 4
"""Steps of the sum that one step of the loop takes."""


def part_of(rows: int, columns: int, lanes: int, wide: bool) -> tuple[int, int]:
    """Return rows and columns of the part of a tile that an invocation owns.

    The smallest parts keep all invocations busy; wide ones read less for each product and leave
    some idle. Among equals the squarest reads least.
    """
    fitting = parts_of(rows, columns, lanes)
    if not fitting:
        raise InternalError(f"spirv: {lanes} invocations share no tile of {rows} x {columns}")
    sign = -1 if wide else 1
    return min(fitting, key=lambda part: (sign * part[0] * part[1], part[0] + part[1], part))


class TileProduct:
    """Emits one `Multiply`."""

    def __init__(
        self, code: Code, values: Values, lane: int, lanes: int, wide: bool, multiply: Multiply
    ) -> None:
        if multiply.width is not None or multiply.repeats or multiply.result is not None:
            raise InternalError("spirv: a product of tiles with a width, repeats or a result")
        self._code = code
        self._types = code.types
        self._values = values
        self._multiply = multiply
        self._index = self._types.integer(self._types.index_bits)
        self._lane, self._lanes = lane, lanes
        self._wide = wide
        self._part = part_of(multiply.rows, multiply.columns, lanes, wide)

    def _op(self, op: Op, first: int, second: int) -> int:
        return self._code.emit(op, self._index, first, second)

    def _sum(self, *terms: int) -> int:
        total = terms[0]
        for each in terms[1:]:
            total = self._op(Op.I_ADD, total, each)
        return total

    def _times(self, first: int, second: int) -> int:
        return self._op(Op.I_MUL, first, second)

    def emit(self) -> None:
        """Add the product to the tile."""
        multiply, code, types = self._multiply, self._code, self._types
        for value in multiply.operands:
            self._values.value(value)
        height, width = self._part
        across = multiply.columns // width
        count = multiply.rows // height * across
        if count == self._lanes:
            self._own(across)
            return
        busy = code.truth(Op.U_LESS_THAN, self._lane, types.unsigned(count))
        with code.when(busy):
            self._own(across)

    def _own(self, across: int) -> None:
        """Compute the part of one invocation."""
        multiply, code, types = self._multiply, self._code, self._types
        height, width = self._part
        lane = self._lane
        if types.index_bits == 64:
            lane = code.emit(Op.U_CONVERT, self._index, lane)
        row = self._times(self._op(Op.U_DIV, lane, types.index(across)), types.index(height))
        column = self._times(self._op(Op.U_MOD, lane, types.index(across)), types.index(width))
        pitch = types.index(multiply.pitch)
        begin = self._sum(self._known(multiply.tile_at), self._times(row, pitch), column)
        places = [
            self._sum(begin, types.index(i * multiply.pitch + j))
            for i in range(height)
            for j in range(width)
        ]
        left_row = self._known(multiply.left_row)
        first = self._sum(self._known(multiply.left_at), self._times(row, left_row))
        lefts = [
            self._sum(first, self._times(left_row, types.index(i))) if i else first
            for i in range(height)
        ]
        start = self._sum(self._known(multiply.right_at), column)
        rights = [self._sum(start, types.index(j)) if j else start for j in range(width)]
        totals = self._sums(lefts, rights, self._initial(places))
        for place, total in zip(places, totals, strict=True):
            self._values.store(multiply.tile, place, total)

    def _known(self, value: Value) -> int:
        return self._values.value(value)

    def _initial(self, places: list[int]) -> list[int]:
        """Return what the sums start from."""
        multiply = self._multiply
        zero = self._types.constant(0, multiply.tile.dtype)
        fresh = multiply.fresh
        if fresh.instruction is Instruction.CONSTANT:
            if fresh.attribute:
                return [zero] * len(places)
            return [self._values.load(multiply.tile, place) for place in places]
        register = self._types.register(multiply.tile.dtype)
        condition = self._known(fresh)
        return [
            self._code.select(register, condition, zero, self._values.load(multiply.tile, place))
            for place in places
        ]

    # -- the sums -------------------------------------------------------------------------------

    def _sums(self, lefts: list[int], rights: list[int], totals: list[int]) -> list[int]:
        """Run over the depth, some steps at a time and then one at a time."""
        depth, types = self._multiply.depth, self._types
        stop, zero = self._known(depth), types.index(0)
        steps = 1 if self._wide else UNROLLED
        if steps == 1:
            return self._loop(zero, stop, 1, lefts, rights, totals)
        mask = types.index(~(steps - 1))
        whole = self._op(Op.BITWISE_AND, stop, mask)
        totals = self._loop(zero, whole, steps, lefts, rights, totals)
        known = depth.instruction is Instruction.CONSTANT
        if known and depth.attribute % steps == 0:
            return totals
        return self._loop(whole, stop, 1, lefts, rights, totals)

    def _loop(
        self,
        start: int,
        stop: int,
        steps: int,
        lefts: list[int],
        rights: list[int],
        totals: list[int],
    ) -> list[int]:
        multiply, code, types = self._multiply, self._code, self._types
        kind = types.kind(multiply.tile.dtype)
        register = types.of(kind)
        frame = code.loop([(self._index, start), *((register, total) for total in totals)])
        p, *totals = frame.phis
        code.test(frame, code.truth(Op.S_LESS_THAN, p, stop))
        for step in range(steps):
            at = self._sum(p, types.index(step)) if step else p
            left_at = self._times(at, self._known(multiply.left_step))
            right_at = self._times(at, self._known(multiply.right_step))
            left = [self._element(multiply.left, each, left_at) for each in lefts]
            right = [self._element(multiply.right, each, right_at) for each in rights]
            pairs = [(x, y) for x in left for y in right]
            totals = [
                self._fused(kind, x, y, total) for (x, y), total in zip(pairs, totals, strict=True)
            ]
        code.end(frame, [self._sum(p, types.index(steps)), *totals])
        return frame.phis[1:]

    def _element(self, buffer: Parameter, base: int, offset: int) -> int:
        loaded = self._values.load(buffer, self._sum(base, offset))
        return self._values.casts.cast(loaded, buffer.dtype, self._multiply.tile.dtype)

    def _fused(self, kind: Register, x: int, y: int, total: int) -> int:
        code, register = self._code, self._types.of(kind)
        if kind in (Register.FLOAT32, Register.FLOAT64):
            return code.call(Extended.FMA, register, x, y, total)
        return code.emit(Op.I_ADD, register, code.emit(Op.I_MUL, register, x, y), total)
