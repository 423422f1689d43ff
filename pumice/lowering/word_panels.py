"""Panels of words: the right operand of a product, packed so that rows hold a word of each column.

Columns that follow each other in memory are joined, rows of elements to rows of words. Lines along
k are turned, whole words at a time where they lie aligned, otherwise element by element, and then
joined. Where many rows of tiles meet a panel, a launch before the product packs all of them once.
"""

from pumice import dtypes
from pumice.kernel.ir import (
    If,
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
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.operand import Elements, Product, Side
from pumice.lowering.panels import Part, lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.tiling import WORD, Tiling, word_tile

TURNED_BYTES = 1 << 14
"""What is turned at once where words do not lie aligned in memory."""
CHUNK = 64
"""Words of k that one item of a packing launch takes."""
TOGETHER = 4
"""Panels that it takes."""


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


class WordPanels:
    """Writes the statements that pack panels, inside one kernel."""

    def __init__(
        self, builder: KernelBuilder, product: Product, tiling: Tiling, right: Elements, n: Value
    ) -> None:
        tile = word_tile(product)
        assert tile is not None
        self.builder, self.right, self.n = builder, right, n
        self.columns = tiling.columns
        self.narrow = product.right.node.dtype
        self.group = WORD // self.narrow.itemsize
        self.step_words = tile.step
        self.step_k = tile.step * self.group
        self.is_ragged = product.left.extents[2] % self.step_k != 0
        self.joins = not product.right.follows_k
        self.turns = not self.joins and not _holds_words(product.right)
        if self.turns:
            self.turned_depth = TURNED_BYTES // self.narrow.itemsize // self.columns
            self.turned = builder.local(self.narrow, self.turned_depth * self.columns, "turned")

    def words(self, part: Part) -> Value:
        """Return the words of a run of k, those that fill the last step up included."""
        if not self.is_ragged:
            return part.depth.quotient(index(self.group))
        steps = (part.depth + (self.step_k - 1)).quotient(index(self.step_k))
        return steps * self.step_words

    def pack(
        self, memory: Parameter, first: Value, base: Value, part: Part
    ) -> tuple[Statement, ...]:
        """Fill a panel that starts at some column; columns beyond the last one are 0."""
        self.memory = memory
        pack = self._join if self.joins else self._turn if self.turns else self._transpose
        whole, partial = (
            (*pack(first, base, limit, part), *self._tail(first, base, limit, part))
            for limit in (index(self.columns), self.n - first)
        )
        inside = first + self.columns <= self.n
        return (If(inside, whole), If(~inside, partial))

    def _transpose(
        self, first: Value, base: Value, width: Value, part: Part
    ) -> tuple[Statement, ...]:
        """Turn rows of whole words."""
        side, columns = self.right.side, self.columns
        assert side.memory is not None
        node, view = side.memory
        buffer = self.builder.readable(node, dtypes.uint32, view.offset // self.group)
        at, line = (
            each.quotient(index(self.group))
            for each in (self.right.place(first, part.start), self.right.strides()[0])
        )
        steps = part.depth.quotient(index(self.group))
        limit = width if width.arguments else None
        return (Transpose(self.memory, base, columns, buffer, at, line, steps, columns, limit),)

    def _turn(self, first: Value, base: Value, width: Value, part: Part) -> tuple[Statement, ...]:
        """Turn rows element by element, some steps of k at a time, and join what came of it."""
        columns, chunk = self.columns, Variable("chunk")
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
        join = lanes(lane, index(0), index(columns), Store(self.memory, at, _word(parts)))
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
        words, q, lane = self.words(part), Variable("q"), Variable("lane")
        begin = part.depth.quotient(index(self.group))
        partial = (part.depth + (self.group - 1)).quotient(index(self.group))
        columns = self.columns
        at = base + variable_value(q) * columns + variable_value(lane)
        empty = Store(self.memory, at, constant(0, dtypes.uint32))
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
        at = base + step * self.columns
        parts = []
        for place in range(self.group):
            p = step * self.group + place
            inside = None
            if start.arguments:
                inside, p = p < part.depth, minimum(p, part.depth - 1)
            part_value = self.right.value(first + column, part.start + p, self.narrow)
            if inside is not None:
                part_value = inside.select(part_value, 0)
            parts.append(part_value)
        body: list[Statement] = [
            lanes(lane, index(0), width, Store(self.memory, at + column, _word(parts)))
        ]
        if width.arguments:
            empty = Store(self.memory, at + variable_value(rest), constant(0, dtypes.uint32))
            body.append(lanes(rest, width, index(self.columns), empty))
        return serial(q, start, stop, *body)


def pack_panels(product: Product, tiling: Tiling) -> tuple[Scratch, Step]:
    """Return memory for all panels ``[batch][panel][word][column]``, and the launch that packs.

    An item takes a run of k of some neighbouring panels.
    """
    builder = KernelBuilder()
    batch, group, chunk, member = (Variable(name) for name in ("batch", "panels", "chunk", "panel"))
    batches, size, k = product.right.extents
    n, depth = builder.size(size, "n"), builder.size(k, "k")
    right = Elements(builder, product.right, variable_value(batch))
    panels = WordPanels(builder, product, tiling, right, n)
    columns, step = tiling.columns, CHUNK * panels.group
    words = -(-k // panels.step_k) * panels.step_k // panels.group
    count = -(-size // columns)
    scratch = Scratch(batches * count * words * columns * WORD)
    memory = builder.writable(scratch, dtypes.uint32)
    all_words, all_panels = builder.size(words, "words"), builder.size(count, "panels")
    start = variable_value(chunk) * step
    yes = constant(True, dtypes.bool_)
    part = Part(start, minimum(index(step), depth - start), yes, yes)
    panel = variable_value(group) * TOGETHER + variable_value(member)
    number = variable_value(batch) * all_panels + panel
    place = (number * all_words + variable_value(chunk) * CHUNK) * columns
    first = panel * columns
    if panels.joins:
        body = panels.pack(memory, first, place, part)
    else:
        local, lane = builder.local(dtypes.uint32, CHUNK * columns, "packed"), Variable("lane")
        store = Store(memory, place + variable_value(lane), load(local, variable_value(lane)))
        copy = lanes(lane, index(0), panels.words(part) * columns, store)
        body = (*panels.pack(local, first, index(0), part), copy)
    left = minimum(index(TOGETHER), all_panels - variable_value(group) * TOGETHER)
    chunks, groups = -(-words // CHUNK), -(-count // TOGETHER)
    grid = (
        (batch, builder.size(batches, "batches"), batches),
        (chunk, builder.size(chunks, "chunks"), chunks),
        (group, builder.size(groups, "groups"), groups),
    )
    cost = CHUNK * columns * TOGETHER // 8
    return scratch, builder.finish(
        grid, (serial(member, index(0), left, *body),), cost, product.node
    )


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
