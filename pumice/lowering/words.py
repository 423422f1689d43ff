"""Products of narrow elements on targets that multiply words of them: panels hold words along k.

A word holds as many neighbours along k as fit 32 bits: two of bfloat16, four bytes. A panel of the
right operand is packed so that a row of it holds one word for each column; rows of the left one
are read where they lie. Where k is no multiple of what an instruction takes, or there are fewer
rows than a tile has, rows are copied first; what is beyond the last step or row is 0.
"""

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import (
    MultiplyWords,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.loops import variable_value
from pumice.lowering.operand import Product, Side
from pumice.lowering.panels import PanelLowering, Part, lanes, serial
from pumice.lowering.steps import Step
from pumice.lowering.tiling import PANEL_BYTES, ROWS_BYTES, WORD, Tiling, word_tile
from pumice.lowering.word_panels import WordPanels, pack_panels

FEWEST = 8
"""Columns and steps of k from which words are worth packing."""


def suits_words(product: Product) -> bool:
    """Tell whether operands are narrow enough for words, and sizes large enough."""
    tile = word_tile(product)
    _, m, k = product.left.extents
    return tile is not None and product.right.extents[1] >= FEWEST and k >= FEWEST


def is_readable(side: Side) -> bool:
    """Tell whether words of a right operand can be packed from where its elements lie."""
    return side.memory is not None and side.is_simple and (side.follows_k or side.follows_lines)


class WordLowering(PanelLowering):
    """Lowers a product of narrow elements whose left operand lies along k."""

    def __init__(self, product: Product, tiling: Tiling) -> None:
        self.narrow: DType = product.left.node.dtype
        self.packing: list[Step] = []
        super().__init__(product, tiling)

    def steps(self) -> list[Step]:
        """Return the launches."""
        step = self.step()
        return [*self.packing, step]

    def _plan_left(self, k: int) -> None:
        self.words_of = WordPanels(self.builder, self.product, self.tiling, self.right, self.n)
        self.group = self.words_of.group
        self.step_k, self.is_ragged = self.words_of.step_k, self.words_of.is_ragged
        self.is_padded = self.product.left.extents[1] < self.tiling.rows
        self.left_in_place = not self.is_padded and not self.is_ragged
        self.left_strides = self.left.strides()
        if not self.left_in_place:
            self.by_columns = False
            pitch = -(-min(k, self.tiling.depth) // self.step_k) * self.step_k
            self.left_strides = self.builder.size(pitch, "pitch"), index(1)
            self.copied = self.builder.local(
                self.narrow, ROWS_BYTES // self.narrow.itemsize, "rows"
            )

    def _panel_memory(self) -> Parameter:
        if not self.tiling.packed:
            return self.builder.local(dtypes.uint32, PANEL_BYTES // WORD, "panel")
        scratch, packing = pack_panels(self.product, self.tiling)
        self.packing.append(packing)
        self.all_words = self.builder.size(
            -(-self.product.left.extents[2] // self.step_k) * self.step_k // self.group, "words"
        )
        return self.builder.readable(scratch, dtypes.uint32)

    def _first_row(self, tile: Value) -> Value:
        return index(0) if self.is_padded else super()._first_row(tile)

    def _last_row(self) -> Value:
        return self.m if self.is_padded else super()._last_row()

    def _copy_rows(self, tile: Value, part: Part) -> tuple[Statement, ...]:
        """Copy a tile of rows; what is beyond the last row or step of k is 0."""
        row, p = Variable("row"), Variable("p")
        r, step = variable_value(row), variable_value(p)
        first, pitch = self._first_row(tile), self.left_strides[0]
        element = self.left.value(first + r, part.start + step, self.narrow)
        zero = constant(0, self.narrow)
        body: list[Statement] = [
            lanes(p, index(0), part.depth, Store(self.copied, r * pitch + step, element))
        ]
        full = self.words_of.words(part) * self.group
        if self.is_ragged:
            q = Variable("p")
            empty = Store(self.copied, r * pitch + variable_value(q), zero)
            body.append(lanes(q, part.depth, full, empty))
        copy = serial(row, index(0), self._last_row(), *body)
        if not self.is_padded:
            return (copy,)
        rest, q = Variable("row"), Variable("p")
        empty = Store(self.copied, variable_value(rest) * pitch + variable_value(q), zero)
        rows = index(self.tiling.rows)
        return (copy, serial(rest, self.m, rows, lanes(q, index(0), full, empty)))

    def _pack_panels(self, part: Part) -> tuple[Statement, ...]:
        if self.tiling.packed:
            return ()
        panel = Variable("panel")
        pack = self._pack(variable_value(panel), part)
        return (serial(panel, index(0), self.panel_count, *pack),)

    def _pack(self, panel: Value, part: Part) -> tuple[Statement, ...]:
        base = panel * self.words_of.words(part) * self.tiling.columns
        return self.words_of.pack(self.panel, self._first_column(panel), base, part)

    def _panel_at(self, panel: Value, part: Part) -> Value:
        """Return where the words of a run of k of a panel begin."""
        if not self.tiling.packed:
            return panel * self.words_of.words(part) * self.tiling.columns
        all_panels = (self.n + (self.tiling.columns - 1)).quotient(index(self.tiling.columns))
        number = variable_value(self.batch) * all_panels + (self.first_panel + panel)
        begin = part.start.quotient(index(self.group))
        return (number * self.all_words + begin) * self.tiling.columns

    def _multiply(self, tile: Value, panel: Value, part: Part) -> tuple[Statement, ...]:
        words = self.words_of.words(part)
        left, left_at = self._left_place(tile, part)
        multiply = MultiplyWords(
            self.tile,
            self._tile_at(tile, panel),
            part.fresh,
            left,
            left_at,
            self.left_strides[0],
            self.panel,
            self._panel_at(panel, part),
            words,
            self.product.right.node.dtype,
            self.tiling.rows,
            self.tiling.columns,
        )
        return (multiply,)
