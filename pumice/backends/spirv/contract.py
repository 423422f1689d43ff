"""Matrix products: what all ways of computing them share."""

from collections.abc import Mapping

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.finish import Finish
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.pairs import Pairs
from pumice.backends.spirv.statements import Statements
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH, VectorTypes
from pumice.kernel.ir import Contract, Instruction, Value, Variable
from pumice.kernel.rewrite import Rewriter

BAND = 8
"""Row blocks that neighbouring grid items share, so that what they read stays in a cache."""


def with_variables(value: Value, variables: Mapping[Variable, Variable]) -> Value:
    """Return an expression in terms of other variables."""

    def replaced(each: Value) -> Value:
        other = variables.get(each.attribute) if isinstance(each.attribute, Variable) else None
        if other is None:
            return each
        return Value(Instruction.VARIABLE, each.dtype, (), other)

    return Rewriter(replaced).value(value)


class ProductEmitter:
    """What the emitters of one `Contract` have in common: places, sizes and sums.

    A sum is a vector: four neighbouring columns of one row.
    """

    def __init__(
        self,
        code: Code,
        values: Values,
        statements: Statements,
        contract: Contract,
        faults: bool = False,
    ) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._contract = contract
        self._finish = Finish(code, values, statements, contract, faults)
        self._index = self._types.integer(self._types.index_bits)
        self._dtype = contract.left.dtype
        self._register = self._types.register(self._dtype)
        self._vector = VectorTypes(self._types).register(self._dtype)
        self._zero = VectorTypes(self._types).constant(0, self._dtype)
        self._m = self._n = self._k = 0

    # -- index arithmetic -----------------------------------------------------------------------

    def _op(self, op: Op, first: int, second: int) -> int:
        return self._code.emit(op, self._index, first, second)

    def _small(self, op: Op, first: int, second: int) -> int:
        """Emit 32-bit arithmetic, for places in a tile."""
        return self._code.emit(op, self._types.uint, first, second)

    def _widened(self, value: int) -> int:
        """Turn a 32-bit number into an index."""
        if self._types.index_bits == 32:
            return value
        return self._code.emit(Op.U_CONVERT, self._index, value)

    def _least(self, first: int, second: int) -> int:
        less = self._code.truth(Op.S_LESS_THAN, first, second)
        return self._code.select(self._index, less, first, second)

    def _blocks(self, extent: int, size: int) -> int:
        raised = self._op(Op.I_ADD, extent, self._op(Op.I_SUB, size, self._types.index(1)))
        return self._op(Op.U_DIV, raised, size)

    def _sizes(self, item: int, rows: int, columns: int) -> tuple[int, int]:
        """Load the sizes, bind the batch of a grid item; return its first row and column."""
        contract, values = self._contract, self._values
        self._m, self._n = values.value(contract.m), values.value(contract.n)
        row_blocks, column_blocks = self._blocks(self._m, rows), self._blocks(self._n, columns)
        batch, row_block, column_block = self._place(item, row_blocks, column_blocks)
        values.bind(contract.batch, batch)
        self._k = values.value(contract.k)
        return self._op(Op.I_MUL, row_block, rows), self._op(Op.I_MUL, column_block, columns)

    def _place(self, item: int, row_blocks: int, column_blocks: int) -> tuple[int, int, int]:
        """Return batch, row block and column block of an item.

        Within a batch, items run down bands of `BAND` row blocks, column by column; any order
        that visits each tile once is right, and this one makes neighbours read the same.
        """
        tiles = self._op(Op.I_MUL, row_blocks, column_blocks)
        batch = self._op(Op.U_DIV, item, tiles)
        tile = self._op(Op.U_MOD, item, tiles)
        width = self._types.index(BAND)
        band_tiles = self._op(Op.I_MUL, column_blocks, width)
        band = self._op(Op.U_DIV, tile, band_tiles)
        within = self._op(Op.U_MOD, tile, band_tiles)
        above = self._op(Op.I_MUL, band, width)
        height = self._least(self._op(Op.I_SUB, row_blocks, above), width)
        column_block = self._op(Op.U_DIV, within, height)
        row_block = self._op(Op.I_ADD, above, self._op(Op.U_MOD, within, height))
        return batch, row_block, column_block

    # -- sums -----------------------------------------------------------------------------------

    def _added(self, lefts: list[int], rights: list[int], sums: list[int]) -> list[int]:
        """Add the products of one step: an element per row, a vector per four columns."""
        following = []
        for row, left in enumerate(lefts):
            spread = self._code.emit(Op.COMPOSITE_CONSTRUCT, self._vector, *[left] * WIDTH)
            for column, right in enumerate(rights):
                total = sums[row * len(rights) + column]
                following.append(self._fused(spread, right, total))
        return following

    def _fused(self, x: int, y: int, total: int) -> int:
        code, vector = self._code, self._vector
        if self._types.kind(self._dtype) in (Register.FLOAT32, Register.FLOAT64):
            return code.call(Extended.FMA, vector, x, y, total)
        if self._types.kind(self._dtype) is Register.PAIR:
            pairs = Pairs(code)
            parts = zip(*(self._components(each) for each in (x, y, total)), strict=True)
            return self._joined([pairs.add(pairs.multiply(a, b), c) for a, b, c in parts])
        return code.emit(Op.I_ADD, vector, code.emit(Op.I_MUL, vector, x, y), total)

    def _components(self, vector: int) -> list[int]:
        return [
            self._code.emit(Op.COMPOSITE_EXTRACT, self._register, vector, number)
            for number in range(WIDTH)
        ]

    def _joined(self, elements: list[int]) -> int:
        return self._code.emit(Op.COMPOSITE_CONSTRUCT, self._vector, *elements)
