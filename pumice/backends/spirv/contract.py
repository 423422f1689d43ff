"""Matrix products of packed panels: each invocation owns one tile of accumulators."""

from pumice.backends.spirv.code import Code
from pumice.backends.spirv.opcodes import Extended, Op
from pumice.backends.spirv.statements import Statements
from pumice.backends.spirv.types import Register
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH, Vectors
from pumice.kernel.ir import Contract, Parameter

BAND = 8
"""Row panels that neighbouring invocations share, so that a workgroup covers a square block."""


class Product:
    """Emits one `Contract` for the grid item of an invocation."""

    def __init__(
        self, code: Code, values: Values, statements: Statements, contract: Contract
    ) -> None:
        self._code = code
        self._types = code.types
        self._values = values
        self._statements = statements
        self._contract = contract
        self._index = self._types.integer(self._types.index_bits)
        self._wide = Vectors(code, values) if values.arguments.has_words else None

    # -- index arithmetic -----------------------------------------------------------------------

    def _op(self, op: Op, first: int, second: int) -> int:
        return self._code.emit(op, self._index, first, second)

    def _multiply_add(self, first: int, second: int, third: int) -> int:
        return self._op(Op.I_ADD, self._op(Op.I_MUL, first, second), third)

    def _panels(self, extent: int, size: int) -> int:
        raised = self._op(Op.I_ADD, extent, self._types.index(size - 1))
        return self._op(Op.U_DIV, raised, self._types.index(size))

    def _place(self, item: int, row_panels: int, column_panels: int) -> tuple[int, int, int]:
        """Return batch, row panel and column panel of an item.

        Within a batch, items run down bands of `BAND` row panels, column by column; any order
        that visits each tile once is right, and this one lets a workgroup read fewer panels.
        """
        tiles = self._op(Op.I_MUL, row_panels, column_panels)
        batch = self._op(Op.U_DIV, item, tiles)
        tile = self._op(Op.U_MOD, item, tiles)
        width = self._types.index(BAND)
        band_tiles = self._op(Op.I_MUL, column_panels, width)
        band = self._op(Op.U_DIV, tile, band_tiles)
        within = self._op(Op.U_MOD, tile, band_tiles)
        above = self._op(Op.I_MUL, band, width)
        left = self._op(Op.I_SUB, row_panels, above)
        short = self._code.truth(Op.U_LESS_THAN, left, width)
        height = self._code.select(self._index, short, left, width)
        column_panel = self._op(Op.U_DIV, within, height)
        row_panel = self._op(Op.I_ADD, above, self._op(Op.U_MOD, within, height))
        return batch, row_panel, column_panel

    # -- the product ----------------------------------------------------------------------------

    def emit(self, item: int) -> None:
        """Compute the tile and run the epilogue for each of its elements."""
        contract, values = self._contract, self._values
        if self._wide is not None:
            self._wide.declare(contract.left)
            self._wide.declare(contract.right)
        m, n, k = (values.value(each) for each in (contract.m, contract.n, contract.k))
        row_panels = self._panels(m, contract.rows)
        column_panels = self._panels(n, contract.columns)
        batch, row_panel, column_panel = self._place(item, row_panels, column_panels)
        lefts = self._multiply_add(batch, row_panels, row_panel)
        rights = self._multiply_add(batch, column_panels, column_panel)
        sums = self._accumulate(self._op(Op.I_MUL, lefts, k), self._op(Op.I_MUL, rights, k), k)
        row = self._op(Op.I_MUL, row_panel, self._types.index(contract.rows))
        column = self._op(Op.I_MUL, column_panel, self._types.index(contract.columns))
        values.bind(contract.batch, batch)
        for i in range(contract.rows):
            for j in range(contract.columns):
                self._finish(sums[i * contract.columns + j], (row, i, m), (column, j, n))

    def _accumulate(self, left: int, right: int, k: int) -> list[int]:
        """Run over k; `left` and `right` are the panels' first steps."""
        code, types, contract = self._code, self._types, self._contract
        kind = types.kind(contract.accumulator)
        register, zero = types.of(kind), types.constant(0, contract.accumulator)
        count = contract.rows * contract.columns
        frame = code.loop([(self._index, types.index(0)), *[(register, zero)] * count])
        step, *sums = frame.phis
        code.test(frame, code.truth(Op.S_LESS_THAN, step, k))
        rows = self._panel(contract.left, self._op(Op.I_ADD, left, step), contract.rows)
        columns = self._panel(contract.right, self._op(Op.I_ADD, right, step), contract.columns)
        following = [
            self._fused(kind, x, y, sums[i * contract.columns + j])
            for i, x in enumerate(rows)
            for j, y in enumerate(columns)
        ]
        code.end(frame, [self._op(Op.I_ADD, step, types.index(1)), *following])
        return sums

    def _panel(self, buffer: Parameter, step: int, width: int) -> list[int]:
        """Load one step of a panel, converted to the accumulator's type."""
        if self._wide is not None and width % WIDTH == 0:
            return self._wide_panel(self._wide, buffer, step, width)
        types, values = self._types, self._values
        start = self._op(Op.I_MUL, step, types.index(width))
        loaded = []
        for position in range(width):
            at = self._op(Op.I_ADD, start, types.index(position))
            element = values.load(buffer, at)
            loaded.append(values.casts.cast(element, buffer.dtype, self._contract.accumulator))
        return loaded

    def _wide_panel(self, vectors: Vectors, buffer: Parameter, step: int, width: int) -> list[int]:
        """Load four elements at a time; panels start on 64-byte boundaries."""
        types, accumulator = self._types, self._contract.accumulator
        start = self._op(Op.I_MUL, step, types.index(width // WIDTH))
        loaded = []
        for position in range(width // WIDTH):
            block = self._op(Op.I_ADD, start, types.index(position))
            vector = vectors.load(buffer, block)
            vector = vectors.casts.cast(vector, buffer.dtype, accumulator)
            register = types.register(accumulator)
            loaded += [
                self._code.emit(Op.COMPOSITE_EXTRACT, register, vector, number)
                for number in range(WIDTH)
            ]
        return loaded

    def _fused(self, kind: Register, x: int, y: int, total: int) -> int:
        code, register = self._code, self._types.of(kind)
        if kind in (Register.FLOAT32, Register.FLOAT64):
            return code.call(Extended.FMA, register, x, y, total)
        return code.emit(Op.I_ADD, register, code.emit(Op.I_MUL, register, x, y), total)

    def _finish(self, total: int, row: tuple[int, int, int], column: tuple[int, int, int]) -> None:
        """Run the epilogue for one element, if it is one of the result."""
        code, values, contract = self._code, self._values, self._contract
        places = []
        for first, offset, extent in (row, column):
            at = self._op(Op.I_ADD, first, self._types.index(offset))
            places.append((at, code.truth(Op.S_LESS_THAN, at, extent)))
        (row_at, row_inside), (column_at, column_inside) = places
        inside = code.truth(Op.LOGICAL_AND, row_inside, column_inside)
        with code.when(inside), values.scope():
            values.bind(contract.row, row_at)
            values.bind(contract.column, column_at)
            values.bind_accumulator(total)
            self._statements.emit(contract.epilogue)
