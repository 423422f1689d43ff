"""Attention of bfloat16 on targets that multiply words: both products take pairs along their sums.

Keys lie in local memory as they are, features along rows; queries are packed so that a row holds a
pair of features of each query. Values are turned, keys along rows, and the shares of a pair of keys
become one word as soon as they are computed. Scores, maxima and sums stay in float32::

    scores = keys x queries * scale                         (words of features)
    shares = 2 ** (scores - top), rounded to bfloat16
    result = result * 2 ** (before - top) + values^T x shares    (words of keys)
"""

from collections.abc import Iterator

from pumice import dtypes
from pumice.kernel.ir import (
    Carry,
    Fold,
    Let,
    Loop,
    LoopKind,
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
from pumice.lowering.attention import AttentionLowering, narrowed
from pumice.lowering.attention_space import (
    LOG2_E,
    ceiling,
    lanes,
    read,
    serial,
    smaller,
)
from pumice.lowering.loops import variable_value
from pumice.ops.attention import Operands
from pumice.ops.exponential_core import exp2_below_one
from pumice.target import Target, Tile

NARROW = dtypes.bfloat16
HALF, UPPER = 0x8000, 0xFFFF0000


def suits_words(operands: Operands, target: Target) -> bool:
    """Tell whether a target multiplies words of what an attention reads."""
    kinds = {node.dtype for node in (operands.query, operands.key, operands.value)}
    return kinds == {NARROW} and NARROW.name in target.tiles


class WordAttentionLowering(AttentionLowering):
    """Lowers one attention of bfloat16, its norm, or both."""

    def tile_of(self, target: Target) -> Tile:
        tile = target.tiles[NARROW.name]
        return tile if tile.step > 1 else narrowed(tile, self.nodes.query.shape[-2])

    def _locals(self) -> None:
        step = self.tile_of(self.target).step
        self.step_k = 2 * step
        self.depth = -(-self.features // self.step_k) * self.step_k
        self.result_rows = -(-self.width // self.rows) * self.rows
        super()._locals()

    def _operand_locals(self) -> None:
        most, panel, narrow = self.most_panels, self.panel, self._narrow
        self.query = self._words("query", most * self.depth // 2 * panel)
        self.query_rows = narrow("query_rows", panel * self.features)
        self.turned = narrow("turned", self.depth * panel)
        self.key = narrow("key", self.block * self.depth)
        if self.mixes:
            self.shares = self._words("shares", self.block // 2 * panel)
            self.value_rows = narrow("value_rows", self.block * self.width)
            self.value = narrow("value", self.result_rows * self.block)

    def _narrow(self, name: str, extent: int) -> Parameter:
        return self.builder.local(NARROW, extent, name)

    def _words(self, name: str, extent: int) -> Parameter:
        return self.builder.local(dtypes.uint32, extent, name)

    def _body(self) -> tuple[Statement, ...]:
        """Clear what no copy reaches, once."""
        clear: list[Statement] = []
        if self.depth > self.features:
            clear.append(self._zeros(self.key, index(0), self.block * self.depth))
            at = self.features * self.panel
            clear.append(self._zeros(self.turned, index(at), self.depth * self.panel - at))
        if self.mixes and self.result_rows > self.width:
            at = self.width * self.block
            clear.append(self._zeros(self.value, index(at), self.result_rows * self.block - at))
        return (*clear, *super()._body())

    def _zeros(self, memory: Parameter, at: Value, count: int) -> Statement:
        item = Variable("item")
        store = Store(memory, at + variable_value(item), constant(0, memory.dtype))
        return lanes(item, index(count), store)

    # -- operands -------------------------------------------------------------------------------

    def _copy_queries(self, panel: Value, first: Value) -> Iterator[Statement]:
        """Pack the queries of a panel: a row holds a pair of features of each."""
        present = smaller(index(self.panel), self.query_count - first)
        yield from self.copy_rows(self.query_rows, self.nodes.query, first, present, self.features)
        yield Transpose(
            self.turned,
            index(0),
            self.panel,
            self.query_rows,
            index(0),
            index(self.features),
            index(self.features),
            self.panel,
            present,
        )
        q, lane = Variable("q"), Variable("lane")
        at = variable_value(q) * (2 * self.panel) + variable_value(lane)
        low, high = (
            load(self.turned, place).bitcast(dtypes.uint16).cast(dtypes.uint32)
            for place in (at, at + self.panel)
        )
        place = panel * (self.depth // 2 * self.panel) + variable_value(q) * self.panel
        join = Store(self.query, place + variable_value(lane), low | (high << 16))
        yield serial(q, index(self.depth // 2), lanes(lane, index(self.panel), join))

    def _copy_block(self, start: Value, count: Value) -> list[Statement]:
        """Copy keys and turn values."""
        padded = ceiling(count, self.rows) * self.rows
        body = self.copy_rows(self.key, self.nodes.key, start, count, self.depth)
        row, column = Variable("row"), Variable("column")
        at = variable_value(row) * self.depth + variable_value(column)
        empty = Store(self.key, at, constant(0, NARROW))
        body.append(serial(row, padded, lanes(column, index(self.depth), empty), start=count))
        if not self.mixes:
            return body
        body += self.copy_rows(self.value_rows, self.nodes.value, start, count, self.width)
        chunk = Variable("chunk")
        first = variable_value(chunk) * self.panel
        turn = Transpose(
            self.value,
            first,
            self.block,
            self.value_rows,
            first * self.width,
            index(self.width),
            index(self.width),
            self.panel,
            smaller(index(self.panel), count - first),
        )
        body.append(serial(chunk, ceiling(count, self.panel), turn))
        return body

    # -- products -------------------------------------------------------------------------------

    def _score(self, panel: Value, count: Value) -> Iterator[Statement]:
        """Multiply keys by the queries of a panel; keys beyond the last one get no share."""
        tile = Variable("tile")
        row = variable_value(tile) * self.rows
        words = self.depth // 2
        product = MultiplyWords(
            self.scores,
            row * self.panel,
            constant(True, dtypes.bool_),
            self.key,
            row * self.depth,
            index(self.depth),
            self.query,
            panel * (words * self.panel),
            index(words),
            NARROW,
            self.rows,
            self.panel,
        )
        yield serial(tile, ceiling(count, self.rows), product)
        item, rest = Variable("item"), Variable("item")
        before, score = read(self.scores, variable_value(item))
        factor = self.scale() * self.number(LOG2_E)
        scaled = Store(self.scores, variable_value(item), score * factor)
        yield lanes(item, count * self.panel, before, scaled)
        at = count * self.panel + variable_value(rest)
        lowest = Store(self.scores, at, self.number(float("-inf")))
        yield lanes(rest, (self._padded(count) - count) * self.panel, lowest)

    def _padded(self, count: Value) -> Value:
        """Return a number of keys filled up to whole instructions."""
        return ceiling(count, self.step_k) * self.step_k

    def _shares(
        self, base: Value, first: Value, start: Value, count: Value, lane: Value
    ) -> tuple[Statement, Value]:
        """Store the shares of pairs of keys; return the loop and their sum."""
        q = Variable("pair")
        key = variable_value(q) * 2
        row = first + lane
        found, mixing = [], []
        for place in (key, key + 1):
            share = exp2_below_one(load(self.scores, place * self.panel + lane) - base)
            inside = (row < self.query_count) & (start + place < self.key_count)
            found.append(share)
            mixing.append(self.kept(share, row, start + place, inside))
        carry = Carry("sum", self.accumulator, self.number(0))
        body: tuple[Statement, ...] = ()
        if self.mixes:
            low, high = (each.bitcast(dtypes.uint32) + HALF for each in mixing)
            word = (low >> 16) | (high & UPPER)
            at = variable_value(q) * self.panel + lane
            body = (*(Let(each) for each in found), Store(self.shares, at, word))
        pairs = self._padded(count).quotient(index(2))
        fold = Fold((carry,), (carry.now + (found[0] + found[1]),))
        return Loop(q, index(0), pairs, LoopKind.SERIAL, body, (fold,)), carry.result

    def _mix_products(self, base: Value, count: Value) -> Iterator[Statement]:
        tile = Variable("tile")
        row = variable_value(tile) * self.rows
        product = MultiplyWords(
            self.result,
            base + row * self.panel,
            constant(False, dtypes.bool_),
            self.value,
            row * self.block,
            index(self.block),
            self.shares,
            index(0),
            self._padded(count).quotient(index(2)),
            NARROW,
            self.rows,
            self.panel,
        )
        yield serial(tile, index(self.result_rows // self.rows), product)
