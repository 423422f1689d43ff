"""Gradients of attention: probabilities are computed again, block by block.

A grid item takes a run of keys of one head. It keeps the gradients of a block of keys and values in
local memory while it goes over groups of queries, and adds what each block gives to the gradients
of the queries in memory::

    for block of keys:
      for group of queries:
        weights = 2 ** (queries x keys^T - norm)           (tiles, then lanes along keys)
        slopes = weights * (gradient x values^T - delta)
        value_gradient += weights^T x gradient
        key_gradient += slopes^T x queries
        query_gradient[group] += slopes x keys

With few heads the keys are shared out over several items. Each then adds up query gradients of its
own, and a second launch sums them. How many depends on the shape only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    index,
    load,
)
from pumice.lowering.attention_space import (
    LOG2_E,
    AttentionSpace,
    Tiled,
    ceiling,
    lanes,
    larger,
    read,
    serial,
    smaller,
    split_rows,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.ops.attention import KEY, QUERY, VALUE
from pumice.ops.exponential_core import exp2_below_one
from pumice.schedule.items import Group
from pumice.target import Target

FEWEST_ITEMS = 16
FEWEST_BLOCKS = 2
"""Blocks of keys from which an item's gradients of queries are worth their memory."""
GROUP_QUERIES = 128
GROUP_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Meeting:
    """A block of keys and a group of queries.

    Attributes
    ----------
    number : Value
        Number of the block among those of the item.
    start, count : Value
        First key and keys.
    top, rows : Value
        First query and queries.
    """

    number: Value
    start: Value
    count: Value
    top: Value
    rows: Value


class AttentionGradientLowering(AttentionSpace):
    """Lowers the wanted gradients of one attention."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        super().__init__(group, is_stored, target, group.root.argument.attention)
        self.wanted: dict[int, Node] = {node.argument.operand: node for node in group.stored}
        self.gradient, self.norm, self.delta = group.root.sources[-3:]
        self.block = max(self.most_keys // self.panel, 1) * self.panel
        row_bytes = (self.features + self.width) * self.accumulator.itemsize
        most = min(GROUP_QUERIES, GROUP_BYTES // row_bytes)
        self.rows_of_group = max(most // self.rows, 1) * self.rows
        self.key_rows = split_rows(self.block, self.rows)
        self.feature_pitch = -(-self.features // self.panel) * self.panel
        self.width_pitch = -(-self.width // self.panel) * self.panel
        self.slopes_wanted = QUERY in self.wanted or KEY in self.wanted
        self._locals()

    def _locals(self) -> None:
        block, rows = self.block, self.rows_of_group
        features, width = self.feature_pitch, self.width_pitch
        local = self.local
        # Tiles of keys may reach past the block: what lies there is multiplied but never stored.
        padded = -(-block // self.key_rows) * self.key_rows
        self.key_panels = local("key_panels", block * self.features)
        self.query = local("query", rows * features)
        self.incoming = local("incoming", rows * width)
        self.weights = local("weights", rows * block + padded - block)
        if VALUE in self.wanted:
            self.to_value = local("to_value", padded * width)
        if self.slopes_wanted:
            self.value_panels = local("value_panels", block * self.width)
            self.slopes = local("slopes", rows * block + padded - block)
        if KEY in self.wanted:
            self.to_key = local("to_key", padded * features)
        if QUERY in self.wanted:
            self.key = local("key", block * features)
            self.to_query = local("to_query", rows * features)

    def lower(self) -> list[Step]:
        """Return the launches."""
        root = self.group.root
        if root.numel == 0:
            return []
        outer = self.outer_grid()
        heads = prod(extent for _, _, extent in outer)
        blocks = -(-self.keys // self.block)
        parts = max(1, min(-(-FEWEST_ITEMS // heads), blocks // FEWEST_BLOCKS))
        length = -(-blocks // parts)
        parts = -(-blocks // length)
        part = Variable("part")
        count = self.builder.size(parts, "parts")
        self.part = variable_value(part)
        self.length = self.builder.size(length, "length")
        summed: list[Step] = []
        if QUERY in self.wanted:
            node = self.wanted[QUERY]
            memory: Node | Scratch = node
            if parts > 1:
                memory = Scratch(parts * node.numel * node.dtype.itemsize)
                summed.append(self._sum_parts(node, memory, parts, length * self.block))
            self.query_memory = self.builder.writable(memory, node.dtype)
            self.query_base = self.part * self.builder.size(node.numel if parts > 1 else 0)
        work = self.queries * length * self.block * (self.features + self.width) // 20
        cost = max(1, work // 2 if self.spec.causal else work)
        body = tuple(self._body())
        return [self.builder.finish((*outer, (part, count, parts)), body, cost, root), *summed]

    # -- one grid item --------------------------------------------------------------------------

    def _body(self) -> Iterator[Statement]:
        yield from self._clear_margins()
        number = Variable("keys")
        first = self.part * self.length
        blocks = ceiling(self.key_count, self.block)
        stop = smaller(self.length, blocks - first)
        own = variable_value(number)
        yield serial(number, stop, *self._keys(own, (first + own) * self.block))

    def _clear_margins(self) -> Iterator[Statement]:
        """Write zeros where rows are padded to whole panels, and where stale rows are read."""
        rows = self.rows_of_group
        yield self.fill(self.query, index(0), rows * self.feature_pitch, 0)
        yield self.fill(self.incoming, index(0), rows * self.width_pitch, 0)
        if QUERY in self.wanted:
            yield self.fill(self.key, index(0), self.block * self.feature_pitch, 0)
        for memory in [self.weights, *([self.slopes] if self.slopes_wanted else [])]:
            margin = memory.extent - rows * self.block
            if margin:
                yield self.fill(memory, index(rows * self.block), margin, 0)

    def _keys(self, number: Value, start: Value) -> Iterator[Statement]:
        """Go over the queries with one block of keys."""
        count = smaller(self.key_count - start, index(self.block))
        panel = Variable("panel")
        place = variable_value(panel)
        first = start + place * self.panel
        factor = self.scale() * self.number(LOG2_E)
        copies = [
            self.copy_panel(
                self.key_panels,
                place * (self.features * self.panel),
                self.nodes.key,
                first,
                self.key_count,
                factor,
            )
        ]
        if self.slopes_wanted:
            at = place * (self.width * self.panel)
            copies.append(
                self.copy_panel(
                    self.value_panels, at, self.nodes.value, first, self.key_count, None
                )
            )
        yield serial(panel, index(self.block // self.panel), *copies)
        if QUERY in self.wanted:
            yield from self.copy_rows(self.key, self.nodes.key, start, count, self.feature_pitch)
        if KEY in self.wanted:
            yield self.fill(self.to_key, index(0), self.to_key.extent, 0)
        if VALUE in self.wanted:
            yield self.fill(self.to_value, index(0), self.to_value.extent, 0)
        group = Variable("queries")
        groups = ceiling(self.query_count, self.rows_of_group)
        begin = start.quotient(index(self.rows_of_group)) if self.spec.causal else index(0)
        top = variable_value(group) * self.rows_of_group
        rows = smaller(self.query_count - top, index(self.rows_of_group))
        meeting = Meeting(number, start, count, top, rows)
        yield serial(group, groups, *self._queries(meeting), start=begin)
        if KEY in self.wanted:
            node = self.wanted[KEY]
            yield self._store_rows(
                node, self.to_key, self.feature_pitch, start, count, self.scale()
            )
        if VALUE in self.wanted:
            node = self.wanted[VALUE]
            yield self._store_rows(node, self.to_value, self.width_pitch, start, count, None)

    def _store_rows(
        self,
        node: Node,
        memory: Parameter,
        pitch: int,
        start: Value,
        count: Value,
        factor: Value | None,
    ) -> Statement:
        row, column = Variable("row"), Variable("column")
        r, c = variable_value(row), variable_value(column)
        value = load(memory, r * pitch + c)
        if factor is not None:
            value = value * factor
        output = self.builder.writable(node, node.dtype)
        store = Store(output, self.place(node, start + r, c), value)
        return serial(row, count, lanes(column, index(node.shape[-1]), store))

    # -- a block of keys and a group of queries -------------------------------------------------

    def _queries(self, m: Meeting) -> Iterator[Statement]:
        yield from self.copy_rows(self.query, self.nodes.query, m.top, m.rows, self.feature_pitch)
        yield from self.copy_rows(self.incoming, self.gradient, m.top, m.rows, self.width_pitch)
        queries = Tiled(self.query, index(0), self.feature_pitch, 1)
        yield self._scores(self.weights, queries, self.key_panels, self.features, m)
        if self.slopes_wanted:
            incoming = Tiled(self.incoming, index(0), self.width_pitch, 1)
            yield self._scores(self.slopes, incoming, self.value_panels, self.width, m)
        yield self._probabilities(m)
        if VALUE in self.wanted:
            yield self._to_keys(self.to_value, self.weights, self.incoming, self.width_pitch, m)
        if KEY in self.wanted:
            yield self._to_keys(self.to_key, self.slopes, self.query, self.feature_pitch, m)
        if QUERY in self.wanted:
            yield from self._to_queries(m)

    def _scores(
        self,
        tile: Parameter,
        left: Tiled,
        panels: Parameter,
        depth: int,
        m: Meeting,
    ) -> Statement:
        """Multiply queries by keys, or incoming gradients by values."""
        panel, part = Variable("panel"), Variable("tile")
        place, row = variable_value(panel), variable_value(part) * self.rows
        begin = Tiled(left.memory, row * left.row, left.row, left.step)
        right = (panels, place * (depth * self.panel), self.panel)
        at = row * self.block + place * self.panel
        product = self.multiply(
            tile, at, self.block, begin, right, index(depth), self.rows, fresh=True
        )
        # Rows above the diagonal see no key of the panel.
        hidden = index(0)
        if self.spec.causal:
            hidden = larger(m.start + place * self.panel - m.top, index(0)).quotient(
                index(self.rows)
            )
        tiles = serial(part, ceiling(m.rows, self.rows), product, start=hidden)
        return serial(panel, ceiling(m.count, self.panel), tiles)

    def _probabilities(self, m: Meeting) -> Statement:
        """Turn scores into weights, and the gradients of weights into those of scores."""
        row, key, rest = Variable("row"), Variable("key"), Variable("key")
        query, column = m.top + variable_value(row), variable_value(key)
        at = variable_value(row) * self.block + column
        before, score = read(self.weights, at)
        if self.nodes.mask is not None:
            score = self.with_mask(score, self.element(self.nodes.mask, query, m.start + column))
        norm = self.element(self.norm, query, index(0)) * self.number(LOG2_E)
        weight = exp2_below_one(score - norm)
        mixing = self.kept(weight, query, m.start + column)
        stores: list[Statement] = [before, Store(self.weights, at, mixing)]
        after = variable_value(row) * self.block + variable_value(rest)
        clear: list[Statement] = [Store(self.weights, after, self.number(0))]
        if self.slopes_wanted:
            also, slope = read(self.slopes, at)
            delta = self.element(self.delta, query, index(0))
            stores.insert(1, also)
            slope = self.kept(slope, query, m.start + column)
            stores.append(Store(self.slopes, at, weight * (slope - delta)))
            clear.append(Store(self.slopes, after, self.number(0)))
        if not self.spec.causal:
            return serial(row, m.rows, lanes(key, m.count, *stores))
        seen = smaller(larger(query + 1 - m.start, index(0)), m.count)
        hide = Loop(rest, seen, m.count, LoopKind.LANES, tuple(clear))
        return serial(row, m.rows, lanes(key, seen, *stores), hide)

    def _to_keys(
        self,
        tile: Parameter,
        left: Parameter,
        right: Parameter,
        pitch: int,
        m: Meeting,
    ) -> Statement:
        """Add what a group of queries gives to the gradients of keys or of values."""
        part, panel = Variable("tile"), Variable("panel")
        key = variable_value(part) * self.key_rows
        column = variable_value(panel) * self.panel
        hidden = index(0)
        if self.spec.causal:  # queries before the first key of the tile
            hidden = smaller(larger(m.start + key - m.top, index(0)), m.rows)
        begin = Tiled(left, hidden * self.block + key, 1, self.block)
        operand = (right, hidden * pitch + column, pitch)
        at = key * pitch + column
        product = self.multiply(
            tile, at, pitch, begin, operand, m.rows - hidden, self.key_rows, fresh=False
        )
        panels = serial(panel, index(pitch // self.panel), product)
        return serial(part, ceiling(m.count, self.key_rows), panels)

    def _to_queries(self, m: Meeting) -> Iterator[Statement]:
        """Add what a block of keys gives to the gradients of queries."""
        part, panel = Variable("tile"), Variable("panel")
        row = variable_value(part) * self.rows
        column = variable_value(panel) * self.panel
        seen = m.count
        if self.spec.causal:
            seen = smaller(m.count, m.top + row + self.rows - m.start)
        left = Tiled(self.slopes, row * self.block, self.block, 1)
        right = (self.key, column, self.feature_pitch)
        at = row * self.feature_pitch + column
        product = self.multiply(
            self.to_query, at, self.feature_pitch, left, right, seen, self.rows, fresh=True
        )
        panels = serial(panel, index(self.feature_pitch // self.panel), product)
        yield serial(part, ceiling(m.rows, self.rows), panels)
        line, feature = Variable("row"), Variable("column")
        r, c = variable_value(line), variable_value(feature)
        node = self.wanted[QUERY]
        place = self.query_base + self.place(node, m.top + r, c)
        before, sum_so_far = read_if(self.query_memory, place, m.number > 0)
        addend = load(self.to_query, r * self.feature_pitch + c)
        store = Store(self.query_memory, place, addend.multiply_add(self.scale(), sum_so_far))
        yield serial(line, m.rows, lanes(feature, index(self.features), before, store))

    def _sum_parts(self, node: Node, memory: Scratch, parts: int, keys: int) -> Step:
        """Sum the query gradients of all parts of the keys."""
        builder = KernelBuilder()
        features, queries = node.shape[-1], node.shape[-2]
        row, column, part = Variable("row"), Variable("column"), Variable("part")
        count = builder.size(parts, "parts")
        line = variable_value(row)
        if self.spec.causal:  # queries before a part's first key have no gradient from it
            query = line.modulus(builder.size(queries, "queries"))
            count = smaller(count, query.quotient(builder.size(keys, "keys")) + 1)
        at = line * features + variable_value(column)
        piece = variable_value(part) * builder.size(node.numel, "size")
        carry = Carry("sum", node.dtype, self.number(0))
        element = load(builder.readable(memory, node.dtype), piece + at)
        total = Loop(
            part, index(0), count, LoopKind.SERIAL, (), (Fold((carry,), (carry.now + element,)),)
        )
        store = Store(builder.writable(node, node.dtype), at, carry.result)
        body = lanes(column, index(features), total, store)
        rows = node.numel // features
        grid = ((row, builder.size(rows, "rows"), rows),)
        return builder.finish(grid, (body,), features * parts // 8 + 1, node)


def read_if(memory: Parameter, at: Value, condition: Value) -> tuple[Statement, Value]:
    """Return a statement that reads an element here where a condition holds, and its value or 0."""
    value = load(memory, at, condition)
    return Let(value), value


def lower_attention_gradient(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a group of attention gradients."""
    return AttentionGradientLowering(group, is_stored, target).lower()
