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
    Transpose,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.operand import Product, Side
from pumice.lowering.panels import PanelLowering, Part, lanes, serial
from pumice.lowering.tiling import PANEL_BYTES, ROWS_BYTES, WORD, Tiling, word_tile

FEWEST = 8
"""Columns and steps of k from which words are worth packing."""
TURNED_BYTES = 1 << 14
"""What is turned at once where words do not lie aligned in memory."""


def suits_words(product: Product) -> bool:
    """Tell whether operands are narrow enough for words, and sizes large enough."""
    tile = word_tile(product)
    _, m, k = product.left.extents
    return tile is not None and product.right.extents[1] >= FEWEST and k >= FEWEST


def is_readable(side: Side) -> bool:
    """Tell whether words of a right operand can be packed from where its elements lie."""
    return side.memory is not None and side.is_simple and (side.follows_k or side.follows_lines)


def _holds_words(side: Side) -> bool:
    """Tell whether neighbours along k lie in memory as aligned words."""
    assert side.memory is not None
    view = side.memory[1]
    group = WORD // side.node.dtype.itemsize
    k_axes = side.groups[2][0]
    others = [
        stride
        for axis, stride in enumerate(view.strides)
        if axis not in k_axes and view.shape[axis] > 1
    ]
    return view.offset % group == 0 and all(stride % group == 0 for stride in others)


class WordLowering(PanelLowering):
    """Lowers a product of narrow elements whose left operand lies along k."""

    def __init__(self, product: Product, tiling: Tiling) -> None:
        tile = word_tile(product)
        assert tile is not None
        self.narrow: DType = product.left.node.dtype
        self.group = WORD // self.narrow.itemsize
        self.step_words = tile.step
        self.step_k = tile.step * self.group
        self.is_ragged = product.left.extents[2] % self.step_k != 0
        super().__init__(product, tiling)

    def _plan_left(self, k: int) -> None:
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
        extent = PANEL_BYTES // WORD
        if self.product.right.follows_k and not _holds_words(self.product.right):
            self.turned_depth = TURNED_BYTES // self.narrow.itemsize // self.tiling.columns
            turned = self.turned_depth * self.tiling.columns
            self.turned = self.builder.local(self.product.right.node.dtype, turned, "turned")
        return self.builder.local(dtypes.uint32, extent, "panel")

    def _first_row(self, tile: Value) -> Value:
        return index(0) if self.is_padded else super()._first_row(tile)

    def _last_row(self) -> Value:
        return self.m if self.is_padded else super()._last_row()

    def _words(self, part: Part) -> Value:
        """Return the words of a run of k, those that fill the last step up included."""
        if not self.is_ragged:
            return part.depth.quotient(index(self.group))
        steps = (part.depth + (self.step_k - 1)).quotient(index(self.step_k))
        return steps * self.step_words

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
        full = self._words(part) * self.group
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

    # -- panels -----------------------------------------------------------------------------------

    def _pack(self, panel: Value, part: Part) -> tuple[Statement, ...]:
        columns = self.tiling.columns
        first = self._first_column(panel)
        width = self.n - first
        base = panel * self._words(part) * columns
        side = self.product.right
        if not side.follows_k:
            pack = self._join
        elif _holds_words(side):
            pack = self._transpose
        else:
            pack = self._turn
        whole, partial = (
            (*pack(first, base, limit, part), *self._tail(first, base, limit, part))
            for limit in (index(columns), width)
        )
        return self._by_width(panel, whole, partial)

    def _transpose(
        self, first: Value, base: Value, width: Value, part: Part
    ) -> tuple[Statement, ...]:
        """Turn rows of whole words."""
        side, columns = self.product.right, self.tiling.columns
        assert side.memory is not None
        node, view = side.memory
        buffer = self.builder.readable(node, dtypes.uint32, view.offset // self.group)
        at, line = (
            each.quotient(index(self.group))
            for each in (self.right.place(first, part.start), self.right.strides()[0])
        )
        steps = part.depth.quotient(index(self.group))
        limit = width if width.arguments else None
        return (Transpose(self.panel, base, columns, buffer, at, line, steps, columns, limit),)

    def _turn(self, first: Value, base: Value, width: Value, part: Part) -> tuple[Statement, ...]:
        """Turn rows element by element, some steps of k at a time, and join what came of it."""
        columns, chunk = self.tiling.columns, Variable("chunk")
        start = variable_value(chunk) * self.turned_depth
        whole = part.depth.quotient(index(self.group)) * self.group
        depth = minimum(whole - start, index(self.turned_depth))
        limit = width if width.arguments else None
        buffer, line = self.right.buffer(), self.right.strides()[0]
        at = self.right.place(first, part.start + start)
        turn = Transpose(self.turned, index(0), columns, buffer, at, line, depth, columns, limit)
        q, lane = Variable("q"), Variable("lane")
        step, column = variable_value(q), variable_value(lane)
        parts = [
            load(self.turned, (step * self.group + place) * columns + column)
            for place in range(self.group)
        ]
        at = base + (start.quotient(index(self.group)) + step) * columns + column
        join = lanes(lane, index(0), index(columns), Store(self.panel, at, _word(parts)))
        words = depth.quotient(index(self.group))
        chunks = (whole + (self.turned_depth - 1)).quotient(index(self.turned_depth))
        return (serial(chunk, index(0), chunks, turn, serial(q, index(0), words, join)),)

    def _join(self, first: Value, base: Value, width: Value, part: Part) -> tuple[Statement, ...]:
        """Join rows of columns to rows of words."""
        words = part.depth.quotient(index(self.group))
        return (self._rows_of_words(first, base, width, part, index(0), words),)

    def _tail(self, first: Value, base: Value, width: Value, part: Part) -> tuple[Statement, ...]:
        """Fill the last step of k up."""
        if not self.is_ragged:
            return ()
        words, q, lane = self._words(part), Variable("q"), Variable("lane")
        begin = part.depth.quotient(index(self.group))
        partial = (part.depth + (self.group - 1)).quotient(index(self.group))
        columns = self.tiling.columns
        at = base + variable_value(q) * columns + variable_value(lane)
        empty = Store(self.panel, at, constant(0, dtypes.uint32))
        return (
            self._rows_of_words(first, base, width, part, begin, partial),
            serial(q, partial, words, lanes(lane, index(0), index(columns), empty)),
        )

    def _rows_of_words(
        self, first: Value, base: Value, width: Value, part: Part, start: Value, stop: Value
    ) -> Statement:
        """Join elements to words; those beyond the last step of k are 0."""
        q, lane, rest = Variable("q"), Variable("lane"), Variable("lane")
        column, step = variable_value(lane), variable_value(q)
        at = base + step * self.tiling.columns
        parts = []
        for place in range(self.group):
            p = step * self.group + place
            inside = None
            if start.arguments:
                inside, p = p < part.depth, minimum(p, part.depth - 1)
            part_value = self.right.value(
                first + column, part.start + p, self.product.right.node.dtype
            )
            if inside is not None:
                part_value = inside.select(part_value, 0)
            parts.append(part_value)
        body: list[Statement] = [
            lanes(lane, index(0), width, Store(self.panel, at + column, _word(parts)))
        ]
        if width.arguments:
            empty = Store(self.panel, at + variable_value(rest), constant(0, dtypes.uint32))
            body.append(lanes(rest, width, index(self.tiling.columns), empty))
        return serial(q, start, stop, *body)

    def _multiply(self, tile: Value, panel: Value, part: Part) -> tuple[Statement, ...]:
        words = self._words(part)
        left, left_at = self._left_place(tile, part)
        multiply = MultiplyWords(
            self.tile,
            self._tile_at(tile, panel),
            part.fresh,
            left,
            left_at,
            self.left_strides[0],
            self.panel,
            panel * words * self.tiling.columns,
            words,
            self.product.right.node.dtype,
            self.tiling.rows,
            self.tiling.columns,
        )
        return (multiply,)


def _word(parts: list[Value]) -> Value:
    """Return the word that holds some elements, the first one lowest."""
    bits = parts[0].dtype.bits
    unsigned = dtypes.uint16 if bits == 16 else dtypes.uint8
    word: Value | None = None
    for place, part in enumerate(parts):
        piece = part.bitcast(unsigned).cast(dtypes.uint32) << (bits * place)
        word = piece if word is None else word | piece
    assert word is not None
    return word
