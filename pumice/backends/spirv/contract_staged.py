"""Products whose invocations keep a tile of sums in registers and read staged operands.

A workgroup's block, the depth of a half and the shape of its subgroups are specialisation
constants; the tile of an invocation is written out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.contract_staging import (
    Constants,
    Cut,
    StagedOperand,
    StagingProduct,
    declare_cut,
)
from pumice.backends.spirv.opcodes import Op, StorageClass
from pumice.backends.spirv.statements import Statements
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH
from pumice.kernel.ir import Contract, Value, Variable
from pumice.target import ProductTile

PAD = 1
"""Vectors by which a step in shared memory is longer, so that columns of it lie in other banks."""


@dataclass(frozen=True, slots=True)
class RegisterCut:
    """How invocations share a block, as ids."""

    cut: Cut
    subgroup_columns: int
    subgroup_rows: int
    pitches: tuple[int, int]  # of a step of both operands in shared memory, in vectors
    halves: tuple[int, int]  # vectors of the memory of both halves


def register_constants(tile: ProductTile) -> tuple[int, ...]:
    """Return the values of the constants that `declare_registers` declares."""
    return tile.group_columns, tile.depth, tile.subgroup_columns, tile.subgroup_rows


def declare_registers(constants: Constants, size: int, tile: ProductTile) -> RegisterCut:
    """Declare the constants of a module."""
    cut = declare_cut(constants, size, size, tile)
    columns, rows = constants.declare(tile.subgroup_columns), constants.declare(tile.subgroup_rows)
    pitches, halves = [], []
    for inside in cut.vectors:
        pitch = constants.combined(Op.I_ADD, inside, constants.number(PAD))
        pitches.append(pitch)
        half = constants.combined(Op.I_MUL, pitch, cut.depth)
        halves.append(constants.combined(Op.I_MUL, half, constants.number(2)))
    return RegisterCut(cut, columns, rows, (pitches[0], pitches[1]), (halves[0], halves[1]))


class RegisterProduct(StagingProduct):
    """Emits one `Contract` for a workgroup."""

    def __init__(
        self,
        code: Code,
        values: Values,
        statements: Statements,
        contract: Contract,
        faults: bool,
        cut: RegisterCut,
        lane: int,
    ) -> None:
        super().__init__(code, values, statements, contract, faults, cut.cut, lane)
        self.registers = cut
        operands = ((contract.left, contract.row), (contract.right, contract.column))
        self._sides = [_Side(self, *each, place) for place, each in enumerate(operands)]

    def _staged(self) -> Sequence[StagedOperand]:
        return self._sides

    def emit(self, item: int) -> None:
        """Compute the block and run the epilogue for each of its elements."""
        types, tile = self._types, self._contract.tile
        row, column = self._begin(item)
        sums = self._accumulate([self._zero] * (tile.rows * tile.columns // WIDTH))
        thread_row, thread_column = self._thread()

        def place(number: int, four: int) -> tuple[int, int]:
            rows = self.cut.group_rows
            quad = self._small(Op.U_DIV, number, types.unsigned(WIDTH))
            within = self._small(Op.U_MOD, number, types.unsigned(WIDTH))
            quad = self._small(Op.I_ADD, thread_row, self._small(Op.I_MUL, quad, rows))
            at = self._small(Op.I_ADD, self._small(Op.I_MUL, quad, types.unsigned(WIDTH)), within)
            beside = self._small(Op.I_MUL, four, self.cut.group_columns)
            beside = self._small(Op.I_ADD, thread_column, beside)
            beside = self._small(Op.I_MUL, beside, types.unsigned(WIDTH))
            return (
                self._op(Op.I_ADD, row, self._widened(at)),
                self._op(Op.I_ADD, column, self._widened(beside)),
            )

        self._finish.tile(sums, tile.columns // WIDTH, place, self._m, self._n)

    def _thread(self) -> tuple[int, int]:
        """Return row and column of the invocation in its workgroup, subgroup by subgroup."""
        cut, group_columns = self.registers, self.cut.group_columns
        size = self._small(Op.I_MUL, cut.subgroup_rows, cut.subgroup_columns)
        subgroup = self._small(Op.U_DIV, self.lane, size)
        within = self._small(Op.U_MOD, self.lane, size)
        across = self._small(Op.U_DIV, group_columns, cut.subgroup_columns)
        row = self._small(Op.I_MUL, self._small(Op.U_DIV, subgroup, across), cut.subgroup_rows)
        column = self._small(
            Op.I_MUL, self._small(Op.U_MOD, subgroup, across), cut.subgroup_columns
        )
        return (
            self._small(Op.I_ADD, row, self._small(Op.U_DIV, within, cut.subgroup_columns)),
            self._small(Op.I_ADD, column, self._small(Op.U_MOD, within, cut.subgroup_columns)),
        )

    def _multiply(self, half: int, sums: list[int]) -> list[int]:
        """Multiply what a half holds, four steps in a row."""
        code, types = self._code, self._types
        placed = zip(self._sides, self._thread(), strict=True)
        starts = [side.start(half, place) for side, place in placed]
        frame = code.loop(
            [(types.uint, types.unsigned(0)), *[(self._vector, each) for each in sums]]
        )
        step, *totals = frame.phis
        code.test(frame, code.truth(Op.U_LESS_THAN, step, self.cut.depth))
        for number in range(WIDTH):
            at = self._small(Op.I_ADD, step, types.unsigned(number))
            lefts, rights = (
                side.vectors(start, at) for side, start in zip(self._sides, starts, strict=True)
            )
            elements = [each for vector in lefts for each in self._components(vector)]
            totals = self._added(elements, rights, totals)
        running = frame.phis[1:]
        code.end(frame, [self._small(Op.I_ADD, step, types.unsigned(WIDTH)), *totals])
        return running


class _Side(StagedOperand):
    """One operand: its memory, in steps one after the other."""

    def __init__(
        self, product: RegisterProduct, operand: Value, line: Variable, place: int
    ) -> None:
        super().__init__(product, operand, line, place)
        code, types, cut = self._code, self._types, product.cut
        tile = product._contract.tile
        self._pitch = product.registers.pitches[place]
        self._count = (tile.rows, tile.columns)[place]
        self._across = (cut.group_rows, cut.group_columns)[place]
        module = code.module
        memory = module.intern_type(Op.TYPE_ARRAY, self._vector, product.registers.halves[place])
        pointer = types.pointer(StorageClass.WORKGROUP, memory)
        self._memory = module.declare(Op.VARIABLE, pointer, StorageClass.WORKGROUP)
        module.use_global(self._memory)

    def _half(self, half: int) -> int:
        product = self._product
        size = product._small(Op.I_MUL, self._pitch, product.cut.depth)
        return product._small(Op.I_MUL, half, size)

    def put(self, half: int) -> None:
        product, code, types = self._product, self._code, self._types
        base = self._half(half)
        vectors = types.pointer(StorageClass.WORKGROUP, self._vector)
        elements = types.pointer(StorageClass.WORKGROUP, self._register)
        fours = types.unsigned(WIDTH)
        with self._each() as (number, unit):
            vector = self._taken(number)
            line, step = self._shares(unit)
            if not self._along_steps:
                at = product._small(Op.I_ADD, self._at(base, step), line)
                code.effect(Op.STORE, code.emit(Op.ACCESS_CHAIN, vectors, self._memory, at), vector)
                return
            quad = product._small(Op.U_DIV, line, fours)
            within = product._small(Op.U_MOD, line, fours)
            first = product._small(Op.I_MUL, step, fours)
            for offset, element in enumerate(product._components(vector)):
                own = product._small(Op.I_ADD, first, types.unsigned(offset))
                at = product._small(Op.I_ADD, self._at(base, own), quad)
                place = code.emit(Op.ACCESS_CHAIN, elements, self._memory, at, within)
                code.effect(Op.STORE, place, element)

    def _at(self, base: int, step: int) -> int:
        product = self._product
        return product._small(Op.I_ADD, base, product._small(Op.I_MUL, step, self._pitch))

    def start(self, half: int, thread: int) -> int:
        """Return where an invocation's first vector of a half stands."""
        return self._product._small(Op.I_ADD, self._half(half), thread)

    def vectors(self, start: int, step: int) -> list[int]:
        """Return the invocation's vectors of a step."""
        product, code = self._product, self._code
        pointer = self._types.pointer(StorageClass.WORKGROUP, self._vector)
        at = self._at(start, step)
        found = []
        for number in range(self._count // WIDTH):
            ahead = product._small(Op.I_MUL, self._across, self._types.unsigned(number))
            place = product._small(Op.I_ADD, at, ahead)
            slot = code.emit(Op.ACCESS_CHAIN, pointer, self._memory, place)
            found.append(code.emit(Op.LOAD, self._vector, slot))
        return found
