"""Products whose subgroups multiply cooperative matrices of staged operands.

A subgroup owns a tile of sums: matrices spread over its invocations, a variable each. It takes
matrices of the operands from shared memory, where an operand lies as memory has it, along steps or
along lines; the layout of the load says which. In the end each matrix of sums goes through a part
of shared memory that is the subgroup's own, so that invocations finish four neighbours each as
they do after any other product. ::

    for each depth steps:                     (staged, see contract_staging)
      for each of the steps of a matrix:
        load matrices of both operands
        add the product of each pair to its sums
    for each matrix of sums:
      store it, wait for the subgroup
      finish four elements at a time, wait for the subgroup

Shared memory is one array of 16 bytes each, which makes every row of a matrix aligned. It holds
elements as their buffers do, so what a kernel only copies is never converted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from pumice import dtypes
from pumice.backends.spirv.arguments import Arguments
from pumice.backends.spirv.blocks import Block
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.contract_staging import (
    Constants,
    Cut,
    StagedOperand,
    StagingProduct,
    declare_cut,
)
from pumice.backends.spirv.grid import Invocation
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import (
    NON_PRIVATE,
    Capability,
    FloatEncoding,
    MatrixLayout,
    MatrixSign,
    MatrixUse,
    Op,
    Scope,
    StorageClass,
)
from pumice.backends.spirv.statements import Statements
from pumice.backends.spirv.types import Types
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH, Vectors
from pumice.dtypes import BY_NAME, DType
from pumice.kernel.ir import Contract, Instruction, Value, Variable
from pumice.target import MATRIX_UNIT_BYTES, MatrixShape, ProductTile

UNIT_WORDS = MATRIX_UNIT_BYTES // 4
PAD = 1
"""Units by which a row in shared memory is longer, so that columns of it lie in other banks."""


@dataclass(frozen=True, slots=True)
class MatrixCut:
    """How subgroups share a block, as ids."""

    cut: Cut
    units: int  # of shared memory


def matrix_constants(tile: ProductTile) -> tuple[int, ...]:
    """Return the values of the constants that `declare_matrices` declares."""
    return tile.group_columns, tile.depth, tile.shared_bytes(0) // MATRIX_UNIT_BYTES


def declare_matrices(
    constants: Constants, size: int, tile: ProductTile, shape: MatrixShape
) -> MatrixCut:
    """Declare the constants of a module."""
    subgroups = constants.combined(Op.U_DIV, size, constants.number(shape.subgroup))
    cut = declare_cut(constants, size, subgroups, tile)
    return MatrixCut(cut, constants.declare(matrix_constants(tile)[-1]))


def require_matrices(module: Module, shape: MatrixShape) -> None:
    """Ask for what a module with matrices needs, before any instruction is written."""
    module.use_vulkan_memory()
    module.require(Capability.COOPERATIVE_MATRIX)
    module.extend("SPV_KHR_cooperative_matrix")
    match shape.operand:
        case "float16":
            module.require(Capability.FLOAT16)
        case "bfloat16":
            module.require(Capability.BFLOAT16_TYPE)
            module.require(Capability.BFLOAT16_COOPERATIVE_MATRIX)
            module.extend("SPV_KHR_bfloat16")
        case _:
            module.require(Capability.INT8)


class _MatrixTypes:
    """The types of matrices of one shape."""

    def __init__(self, types: Types, shape: MatrixShape) -> None:
        self._types = types
        operand = self._component(BY_NAME[shape.operand])
        self.component = self._component(BY_NAME[shape.accumulator])
        self.left = self._matrix(operand, shape.rows, shape.steps, MatrixUse.LEFT)
        self.right = self._matrix(operand, shape.steps, shape.columns, MatrixUse.RIGHT)
        use = MatrixUse.ACCUMULATOR
        self.sums = self._matrix(self.component, shape.rows, shape.columns, use)
        zero = types.module.intern_constant(Op.CONSTANT, self.component, 0)
        self.zero = types.module.intern_constant(Op.CONSTANT_COMPOSITE, self.sums, zero)
        self.signs = 0
        if BY_NAME[shape.operand] is dtypes.int8:
            self.signs |= MatrixSign.LEFT | MatrixSign.RIGHT
        if shape.accumulator == "int32":
            self.signs |= MatrixSign.ACCUMULATOR | MatrixSign.RESULT

    def _component(self, dtype: DType) -> int:
        """Return the type of elements of matrices, which carries the sign of integers."""
        module = self._types.module
        if dtype is dtypes.float32:
            return self._types.floating(32)
        if dtype is dtypes.bfloat16:
            return module.intern_type(Op.TYPE_FLOAT, 16, FloatEncoding.BFLOAT16)
        if dtype is dtypes.float16:
            return module.intern_type(Op.TYPE_FLOAT, 16)
        return module.intern_type(Op.TYPE_INT, dtype.bits, int(dtype.is_signed))

    def _matrix(self, component: int, rows: int, columns: int, use: MatrixUse) -> int:
        numbers = [self._types.unsigned(each) for each in (Scope.SUBGROUP, rows, columns, use)]
        return self._types.module.intern_type(Op.TYPE_COOPERATIVE_MATRIX, component, *numbers)


class MatrixProduct(StagingProduct):
    """Emits one `Contract` for a workgroup."""

    def __init__(
        self,
        code: Code,
        values: Values,
        statements: Statements,
        contract: Contract,
        faults: bool,
        cut: MatrixCut,
        invocation: Invocation,
    ) -> None:
        super().__init__(code, values, statements, contract, faults, cut.cut, invocation.lane)
        tile = contract.tile
        assert tile.matrix is not None
        self.shape = shape = tile.matrix
        self.matrices = _MatrixTypes(code.types, shape)
        self._invocation = invocation
        self._down, self._across = tile.rows // shape.rows, tile.columns // shape.columns
        types, module = code.types, code.module
        self.unit = module.intern_type(Op.TYPE_VECTOR, types.uint, UNIT_WORDS)
        array = module.intern_type(Op.TYPE_ARRAY, self.unit, cut.units)
        self.memory = module.shared_variable(
            "matrices", types.pointer(StorageClass.WORKGROUP, array)
        )
        left = _Side(self, _narrowed(contract.left, shape, values), contract.row, 0)
        right = _Side(self, _narrowed(contract.right, shape, values), contract.column, 1)
        self._left, self._right = left, right
        self._sums = [code.variable(self.matrices.sums) for _ in range(self._down * self._across)]

    def _staged(self) -> Sequence[StagedOperand]:
        return self._left, self._right

    def emit(self, item: int) -> None:
        """Compute the block and run the epilogue for each of its elements."""
        code, types, tile = self._code, self._types, self._contract.tile
        row, column = self._begin(item)
        for each in self._sums:
            code.effect(Op.STORE, each, self.matrices.zero)
        own, columns = self._invocation.subgroup, self.cut.group_columns
        down = self._small(Op.U_DIV, own, columns)
        across = self._small(Op.U_MOD, own, columns)
        self._row = self._small(Op.I_MUL, down, types.unsigned(tile.rows))
        self._column = self._small(Op.I_MUL, across, types.unsigned(tile.columns))
        self._right_base = self._left.size()
        self._accumulate([])
        self._end(row, column)

    # -- the sums -------------------------------------------------------------------------------

    def _multiply(self, half: int, sums: list[int]) -> list[int]:
        """Multiply what a half holds, the steps of a matrix at a time."""
        code, types, shape, matrices = self._code, self._types, self.shape, self.matrices
        frame = code.loop([(types.uint, types.unsigned(0))])
        step = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, step, self.cut.depth), unrolled=True)
        rights = []
        for number in range(self._across):
            line = self._small(Op.I_ADD, self._column, types.unsigned(number * shape.columns))
            rights.append(self._right.matrix(matrices.right, half, line, step, MatrixUse.RIGHT))
        for number in range(self._down):
            line = self._small(Op.I_ADD, self._row, types.unsigned(number * shape.rows))
            left = self._left.matrix(matrices.left, half, line, step, MatrixUse.LEFT)
            for beside, right in enumerate(rights):
                variable = self._sums[number * self._across + beside]
                total = code.emit(Op.LOAD, matrices.sums, variable)
                signs = (int(matrices.signs),) if matrices.signs else ()
                operands = (left, right, total, *signs)
                added = code.emit(Op.COOPERATIVE_MATRIX_MULTIPLY_ADD, matrices.sums, *operands)
                code.effect(Op.STORE, variable, added)
        code.end(frame, [self._small(Op.I_ADD, step, types.unsigned(shape.steps))])
        return sums

    def half(self, place: int, half: int) -> int:
        """Return where a half of an operand begins in shared memory."""
        side = (self._left, self._right)[place]
        start = self._small(Op.I_MUL, half, side.half_size())
        return start if place == 0 else self._small(Op.I_ADD, start, self._right_base)

    # -- the end --------------------------------------------------------------------------------

    def _end(self, row: int, column: int) -> None:
        """Take the matrices of sums through shared memory, one after the other, and finish them."""
        code, types, shape = self._code, self._types, self.shape
        four = types.unsigned(shape.columns // WIDTH)
        fours = types.unsigned(shape.rows * shape.columns // WIDTH)
        region = self._small(Op.I_MUL, self._invocation.subgroup, fours)
        frame = code.loop([(types.uint, types.unsigned(0))])
        number = frame.phis[0]
        count = types.unsigned(len(self._sums))
        code.test(frame, code.truth(Op.U_LESS_THAN, number, count))
        for each, variable in enumerate(self._sums):
            with code.when(code.truth(Op.I_EQUAL, number, types.unsigned(each))):
                matrix = code.emit(Op.LOAD, self.matrices.sums, variable)
                layout = types.unsigned(MatrixLayout.ROWS)
                operands = (self.slot(region), matrix, layout, four, NON_PRIVATE)
                code.effect(Op.COOPERATIVE_MATRIX_STORE, *operands)
        code.barrier(Scope.SUBGROUP)
        across = types.unsigned(self._across)
        down, beside = (self._small(op, number, across) for op in (Op.U_DIV, Op.U_MOD))
        first = self._placed(row, self._row, down, shape.rows)
        beside = self._placed(column, self._column, beside, shape.columns)
        inner = code.loop([(types.uint, self._invocation.subgroup_lane)])
        place = inner.phis[0]
        code.test(inner, code.truth(Op.U_LESS_THAN, place, fours))
        unit = code.emit(
            Op.LOAD, self.unit, self.slot(self._small(Op.I_ADD, region, place)), NON_PRIVATE
        )
        sums = unit if self.unit == self._vector else code.emit(Op.BITCAST, self._vector, unit)
        own = self._small(Op.U_DIV, place, four)
        at = self._small(Op.U_MOD, place, four)
        at = self._small(Op.I_MUL, at, types.unsigned(WIDTH))
        self._finish.four(
            sums,
            self._op(Op.I_ADD, first, self._widened(own)),
            self._op(Op.I_ADD, beside, self._widened(at)),
            self._m,
            self._n,
        )
        code.end(inner, [self._small(Op.I_ADD, place, types.unsigned(shape.subgroup))])
        code.barrier(Scope.SUBGROUP)
        code.end(frame, [self._small(Op.I_ADD, number, types.unsigned(1))])

    def _placed(self, block: int, tile: int, number: int, size: int) -> int:
        """Return the first line of a matrix of the tile."""
        within = self._small(Op.I_MUL, number, self._types.unsigned(size))
        within = self._small(Op.I_ADD, tile, within)
        return self._op(Op.I_ADD, block, self._widened(within))

    def slot(self, at: int) -> int:
        """Return a pointer to a unit of shared memory."""
        pointer = self._types.pointer(StorageClass.WORKGROUP, self.unit)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, self.memory, at)

    def word(self, at: int, number: int) -> int:
        """Return a pointer to a word of a unit."""
        pointer = self._types.pointer(StorageClass.WORKGROUP, self._types.uint)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, self.memory, at, number)


class _Side(StagedOperand):
    """One operand in shared memory: rows of neighbours, steps of a line or lines of a step."""

    def __init__(self, product: MatrixProduct, operand: Value, line: Variable, place: int) -> None:
        self._packing = Vectors(product._code, product._values)
        super().__init__(product, operand, line, place)
        self._owner = product
        self._place = place
        self._unit = product.shape.unit

    def _held_type(self) -> int:
        return self._packing.words_type(self._operand.dtype)

    def _at_once(self, block: Block) -> int:
        return block.words(self._operand)

    def _joined(self, elements: list[int]) -> int:
        return self._packing.words(super()._joined(elements), self._operand.dtype)

    # -- places ---------------------------------------------------------------------------------

    def _lines(self) -> int:
        return self._owner._small(Op.I_MUL, self._vectors, self._types.unsigned(WIDTH))

    def _pitch(self) -> int:
        """Return the units of a row; the driver knows the number once constants are given."""
        along = self._owner.cut.depth if self._along_steps else self._lines()
        whole = self._owner._small(Op.U_DIV, along, self._types.unsigned(self._unit))
        return self._owner._small(Op.I_ADD, whole, self._types.unsigned(PAD))

    def half_size(self) -> int:
        """Return the units of half the operand's memory."""
        rows = self._lines() if self._along_steps else self._owner.cut.depth
        return self._owner._small(Op.I_MUL, rows, self._pitch())

    def size(self) -> int:
        return self._owner._small(Op.I_MUL, self.half_size(), self._types.unsigned(2))

    def put(self, half: int) -> None:
        product, code, types = self._owner, self._code, self._types
        base, pitch = product.half(self._place, half), self._pitch()
        words = self._operand.dtype.itemsize  # of four elements
        parts = types.unsigned(UNIT_WORDS // words)
        with self._each() as (number, unit):
            held = self._taken(number)
            line, step = self._shares(unit)
            row, four = (line, step) if self._along_steps else (step, line)
            at = product._small(Op.I_ADD, base, product._small(Op.I_MUL, row, pitch))
            at = product._small(Op.I_ADD, at, product._small(Op.U_DIV, four, parts))
            part = product._small(Op.U_MOD, four, parts)
            first = product._small(Op.I_MUL, part, types.unsigned(words))
            for offset in range(words):
                word = held
                if words > 1:
                    word = code.emit(Op.COMPOSITE_EXTRACT, types.uint, held, offset)
                own = product._small(Op.I_ADD, first, types.unsigned(offset))
                code.effect(Op.STORE, product.word(at, own), word, NON_PRIVATE)

    def matrix(self, type_id: int, half: int, line: int, step: int, use: MatrixUse) -> int:
        """Return the matrix from a line and a step of a half on."""
        product, types = self._owner, self._types
        pitch = self._pitch()
        row, along = (line, step) if self._along_steps else (step, line)
        at = product._small(Op.I_MUL, row, pitch)
        whole = product._small(Op.U_DIV, along, types.unsigned(self._unit))
        at = product._small(Op.I_ADD, at, whole)
        at = product._small(Op.I_ADD, product.half(self._place, half), at)
        # Lines are rows of the left operand and columns of the right one.
        by_rows = self._along_steps is (use is MatrixUse.LEFT)
        layout = types.unsigned(MatrixLayout.ROWS if by_rows else MatrixLayout.COLUMNS)
        operands = (product.slot(at), layout, pitch, NON_PRIVATE)
        return self._code.emit(Op.COOPERATIVE_MATRIX_LOAD, type_id, *operands)


# -- operands in the type of the matrices ----------------------------------------------------------


def _narrowed(value: Value, shape: MatrixShape, values: Values) -> Value:
    """Return an operand as elements of the matrices, as their bits where nothing is computed."""
    dtype = BY_NAME[shape.operand]
    cast = value.instruction is Instruction.CAST and value.arguments[0].dtype is dtype
    narrow = value.arguments[0] if cast else value.cast(dtype)
    if not dtype.is_floating_point:
        return narrow
    bits = _bits_of(narrow, values.arguments)
    return narrow if bits is None else bits


def _bits_of(value: Value, arguments: Arguments) -> Value | None:
    """Return the bits of 16-bit floats that are only read and chosen, None if they are computed."""
    match value.instruction:
        case Instruction.LOAD:
            buffer = arguments.alias(value.attribute, dtypes.uint16)
            return Value(Instruction.LOAD, dtypes.uint16, value.arguments, buffer)
        case Instruction.CONSTANT:
            kind = ml_dtypes.bfloat16 if value.dtype is dtypes.bfloat16 else np.float16
            bits = int(np.array(value.attribute).astype(kind).view(np.uint16))
            return Value(Instruction.CONSTANT, dtypes.uint16, (), bits)
        case Instruction.SELECT:
            condition, *ways = value.arguments
            found = [_bits_of(each, arguments) for each in ways]
            if all(each is not None for each in found):
                chosen = (condition, *(each for each in found if each is not None))
                return Value(Instruction.SELECT, dtypes.uint16, chosen)
    return None
