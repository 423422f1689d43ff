"""Attention with streaming softmax: no pass over memory holds a matrix of scores.

A grid item takes some panels of queries of one head. It goes over blocks of keys; for each panel it
multiplies the block by the queries, raises the running maxima, takes exponentials, and adds the
products with the values to a tile of results that stays in local memory. Written for one panel::

    for block of keys:
      scores = keys x queries                       (tiles)
      scores = where(allowed, scores, -inf)         (only on the diagonal)
      top, before = max(top, max(scores)), top
      scores = 2 ** (scores - top)
      total = total * 2 ** (before - top) + sum(scores)
      result = result * 2 ** (before - top) + values^T x scores

Queries are scaled by ``scale * log2(e)`` once, when they are copied. The causal mask skips blocks
above the diagonal, and within a block the keys no query of the panel may see.
"""

from collections.abc import Iterator
from dataclasses import replace

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
    If,
    Let,
    Loop,
    LoopKind,
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
)
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Step
from pumice.ops.attention import ATTENTION, ATTENTION_NORM
from pumice.ops.exponential_core import exp2_below_one
from pumice.schedule.items import Group
from pumice.target import Target, Tile

MOST_PANELS = 4
CHAINS = 4
"""Independent running maxima, which hide the latency of comparisons."""
FEWEST_ITEMS = 64
NARROWEST = 8
"""Fewest queries of a panel."""


def narrowed(tile: Tile, queries: int) -> Tile:
    """Return a tile whose columns few queries do not leave empty for the most part."""
    columns = tile.columns
    while columns > NARROWEST and columns // 2 >= queries:
        columns //= 2
    return replace(tile, columns=columns)


class AttentionLowering(AttentionSpace):
    """Lowers one attention, its norm, or both."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        super().__init__(group, is_stored, target, group.root.argument)
        self.outputs: dict[object, Node] = {node.op: node for node in group.stored}
        self.mixes = ATTENTION in self.outputs
        size = self.features + self.width
        self.most_panels = max(1, min(MOST_PANELS, 1024 // size))
        self.result_rows = self.width
        self._locals()

    def tile_of(self, target: Target) -> Tile:
        return narrowed(super().tile_of(target), self.nodes.query.shape[-2])

    def _locals(self) -> None:
        most, panel = self.most_panels, self.panel
        local = self.local
        self._operand_locals()
        self.scores = local("scores", self.block * panel)
        self.top = local("top", most * panel)
        self.total = local("total", most * panel)
        self.factor = local("factor", panel)
        if self.mixes:
            self.result = local("result", most * self.result_rows * panel)
        self.mask_is_shared = False
        if self.nodes.mask is not None:
            views = self.views_of(self.nodes.mask)
            self.mask_is_shared = all(view.strides[self.lead] == 0 for view in views)
        if self.nodes.mask is not None and not self.mask_is_shared:
            # An odd pitch spreads the lanes' reads over the banks of the cache.
            self.mask_pitch = self.block + 1
            self.mask = local("mask", panel * self.mask_pitch)

    def _operand_locals(self) -> None:
        local = self.local
        self.query = local("query", self.most_panels * self.features * self.panel)
        self.key = local("key", self.block * self.features)
        if self.mixes:
            self.value = local("value", self.block * self.width)

    def lower(self) -> list[Step]:
        """Return the launch."""
        root = self.group.root
        if root.numel == 0:
            return []
        outer = self.outer_grid()
        heads = 1
        for _, _, extent in outer:
            heads *= extent
        panels = self.most_panels
        while panels > 1 and heads * -(-self.queries // (panels * self.panel)) < FEWEST_ITEMS:
            panels //= 2
        rows = panels * self.panel
        blocks = -(-self.queries // rows)
        block = Variable("block")
        count = self.builder.size(blocks, "blocks")
        self.panels = self.builder.size(panels, "panels")
        place = variable_value(block)
        if self.spec.causal:  # the longest first, so that the cores end together
            place = count - 1 - place
        self.first = place * (self.panels * self.panel)
        left = ceiling(self.query_count - self.first, self.panel)
        self.present = smaller(self.panels, left)
        work = rows * self.keys * (self.features + self.width) // 50
        cost = max(1, work // 2 if self.spec.causal else work)
        return [self.builder.finish((*outer, (block, count, blocks)), self._body(), cost, root)]

    # -- one grid item --------------------------------------------------------------------------

    def _body(self) -> tuple[Statement, ...]:
        begin, end = Variable("panel"), Variable("panel")
        return (
            serial(begin, self.present, *self._start(variable_value(begin))),
            self._blocks(),
            serial(end, self.present, *self._finish(variable_value(end))),
        )

    def _start(self, panel: Value) -> Iterator[Statement]:
        """Copy the queries of a panel and clear what runs along with it."""
        yield from self._copy_queries(panel, self.first + panel * self.panel)
        yield self.fill(self.top, panel * self.panel, self.panel, float("-inf"))
        yield self.fill(self.total, panel * self.panel, self.panel, 0)
        if self.mixes:
            size = self.result_rows * self.panel
            yield self.fill(self.result, panel * size, size, 0)

    def _copy_queries(self, panel: Value, first: Value) -> Iterator[Statement]:
        factor = self.scale() * self.number(LOG2_E)
        at = panel * (self.features * self.panel)
        yield self.copy_panel(self.query, at, self.nodes.query, first, self.query_count, factor)

    def _blocks(self) -> Statement:
        number, panel = Variable("keys"), Variable("panel")
        start = variable_value(number) * self.block
        seen = self.key_count
        if self.spec.causal:
            seen = smaller(seen, self.first + self.present * self.panel)
        count = smaller(seen - start, index(self.block))
        body = self._copy_block(start, count)
        body.append(serial(panel, self.present, *self._panel(variable_value(panel), start, count)))
        return serial(number, ceiling(seen, self.block), *body)

    def _copy_block(self, start: Value, count: Value) -> list[Statement]:
        """Copy keys and values."""
        padded = ceiling(count, self.rows) * self.rows
        body = self.copy_rows(self.key, self.nodes.key, start, count, self.features)
        body.append(self.clear_rows(self.key, count, padded, self.features))
        if self.mixes:
            body += self.copy_rows(self.value, self.nodes.value, start, count, self.width)
        return body

    def _panel(self, panel: Value, start: Value, count: Value) -> Iterator[Statement]:
        """Take in a block of keys."""
        first = self.first + panel * self.panel
        if not self.spec.causal:
            yield from self._take_in(panel, first, start, count)
            return
        seen = smaller(count, first + self.panel - start)
        yield If(seen > 0, tuple(self._take_in(panel, first, start, seen)))

    def _take_in(
        self, panel: Value, first: Value, start: Value, count: Value
    ) -> Iterator[Statement]:
        yield from self._score(panel, count)
        yield from self._masks(first, start, count)
        yield self._exponentials(panel, first, start, count)
        if self.mixes:
            yield from self._mix(panel, count)

    def _score(self, panel: Value, count: Value) -> Iterator[Statement]:
        """Multiply keys by the queries of a panel."""
        tile = Variable("tile")
        row = variable_value(tile) * self.rows
        queries = (self.query, panel * (self.features * self.panel), self.panel)
        keys = Tiled(self.key, row * self.features, self.features, 1)
        depth = index(self.features)
        product = self.multiply(
            self.scores, row * self.panel, self.panel, keys, queries, depth, self.rows, fresh=True
        )
        yield serial(tile, ceiling(count, self.rows), product)

    def _masks(self, first: Value, start: Value, count: Value) -> Iterator[Statement]:
        """Mask the scores of a panel."""
        if self.spec.causal:
            # Only keys after the panel's first query are hidden from some query of it.
            key, lane = Variable("key"), Variable("lane")
            at = variable_value(key) * self.panel + variable_value(lane)
            seen = start + variable_value(key) <= first + variable_value(lane)
            before, score = read(self.scores, at)
            hidden = seen.select(score, self.number(float("-inf")))
            store = Store(self.scores, at, hidden)
            begin = larger(first + 1 - start, index(0))
            yield serial(key, count, lanes(lane, index(self.panel), before, store), start=begin)
        if self.nodes.mask is not None:
            if not self.mask_is_shared:
                yield self._copy_mask(self.nodes.mask, first, start, count)
            yield self._apply_mask(self.nodes.mask, first, start, count)

    def _apply_mask(self, mask: Node, first: Value, start: Value, count: Value) -> Statement:
        """Mask scores by what was copied for a panel, or by numbers that all queries share."""
        key, lane = Variable("key"), Variable("lane")
        row, column = variable_value(lane), variable_value(key)
        place = column * self.panel + row
        before, score = read(self.scores, place)
        if self.mask_is_shared:
            element = self.element(mask, index(0), start + column)
            present = index(self.panel)
        else:
            element = load(self.mask, row * self.mask_pitch + column)
            present = smaller(index(self.panel), self.query_count - first)
        store = Store(self.scores, place, self.with_mask(score, element))
        return serial(key, count, lanes(lane, present, before, store))

    def _copy_mask(self, mask: Node, first: Value, start: Value, count: Value) -> Statement:
        """Copy the mask of a panel and a block along its rows, as it lies in memory."""
        query, key = Variable("query"), Variable("key")
        row, column = variable_value(query), variable_value(key)
        element = self.element(mask, first + row, start + column)
        copy = lanes(key, count, Store(self.mask, row * self.mask_pitch + column, element))
        present = smaller(index(self.panel), self.query_count - first)
        return serial(query, present, copy)

    def _exponentials(self, panel: Value, first: Value, start: Value, count: Value) -> Statement:
        """Replace scores by their exponentials and keep maxima, sums and factors up to date."""
        lane = Variable("lane")
        own = panel * self.panel + variable_value(lane)
        before_top, old = read(self.top, own)
        before_total, total = read(self.total, own)
        loops, highest = self._highest(variable_value(lane), count)
        new = larger(old, highest)
        # A query that has seen masked keys only must not subtract infinity from infinity.
        base = new.eq(float("-inf")).select(0.0, new)
        factor = exp2_below_one(old - base)
        summing, added = self._shares(base, first, start, count, variable_value(lane))
        body: list[Statement] = [
            before_top,
            before_total,
            *loops,
            Let(base),
            Let(factor),
            summing,
            Store(self.top, own, new),
            Store(self.total, own, total.multiply_add(factor, added)),
            Store(self.factor, variable_value(lane), factor),
        ]
        return lanes(lane, index(self.panel), *body)

    def _shares(
        self, base: Value, first: Value, start: Value, count: Value, lane: Value
    ) -> tuple[Statement, Value]:
        """Replace scores by their exponentials; return the loop and their sum."""
        key = Variable("key")
        at = variable_value(key) * self.panel + lane
        share = exp2_below_one(load(self.scores, at) - base)
        row = first + lane
        inside = row < self.query_count
        mixing = self.kept(share, row, start + variable_value(key), inside)
        carry = Carry("sum", self.accumulator, self.number(0))
        body = (Let(share), Store(self.scores, at, mixing))
        fold = Fold((carry,), (carry.now + share,))
        return Loop(key, index(0), count, LoopKind.SERIAL, body, (fold,)), carry.result

    def _highest(self, lane: Value, count: Value) -> tuple[list[Statement], Value]:
        """Return loops that find the highest score of a query, and their result."""
        lowest = self.number(float("-inf"))
        group, rest = Variable("group"), Variable("key")
        chains = [Carry("top", self.accumulator, lowest) for _ in range(CHAINS)]
        follow = []
        for number, chain in enumerate(chains):
            key = variable_value(group) * CHAINS + number
            follow.append(larger(chain.now, load(self.scores, key * self.panel + lane)))
        groups = count.quotient(CHAINS)
        fast = Loop(
            group,
            index(0),
            groups,
            LoopKind.SERIAL,
            (),
            tuple(Fold((chain,), (next_,)) for chain, next_ in zip(chains, follow, strict=True)),
        )
        first, second, third, fourth = (chain.result for chain in chains)
        joined = larger(larger(first, second), larger(third, fourth))
        last = Carry("top", self.accumulator, joined)
        score = load(self.scores, variable_value(rest) * self.panel + lane)
        slow = Loop(
            rest,
            groups * CHAINS,
            count,
            LoopKind.SERIAL,
            (),
            (Fold((last,), (larger(last.now, score),)),),
        )
        return [fast, slow], last.result

    def _mix(self, panel: Value, count: Value) -> Iterator[Statement]:
        """Add the products of values and shares to the results."""
        lane, feature = Variable("lane"), Variable("feature")
        base = panel * (self.result_rows * self.panel)
        at = base + variable_value(feature) * self.panel + variable_value(lane)
        before, result = read(self.result, at)
        factor = load(self.factor, variable_value(lane))
        rescale = serial(
            feature, index(self.width), before, Store(self.result, at, result * factor)
        )
        yield lanes(lane, index(self.panel), Let(factor), rescale)
        yield from self._mix_products(base, count)

    def _mix_products(self, base: Value, count: Value) -> Iterator[Statement]:
        """Add the products of values and shares to the results of a panel."""
        values = Tiled(self.value, index(0), 1, self.width)
        shares = (self.scores, index(0), self.panel)
        yield from self.product(self.result, base, values, shares, count, self.width)

    # -- results --------------------------------------------------------------------------------

    def _finish(self, panel: Value) -> Iterator[Statement]:
        """Store what a panel gave."""
        first = self.first + panel * self.panel
        lane = Variable("lane")
        own = panel * self.panel + variable_value(lane)
        norm, inverse = self.closing(load(self.top, own), load(self.total, own))
        body = [Store(self.factor, variable_value(lane), inverse)]
        if ATTENTION_NORM in self.outputs:
            node = self.outputs[ATTENTION_NORM]
            row = first + variable_value(lane)
            memory = self.builder.writable(node, node.dtype)
            place = self.place(node, row, index(0))
            body.append(Store(memory, place, norm, row < self.query_count))
        yield lanes(lane, index(self.panel), *body)
        if self.mixes:
            yield self._store(panel, first, self.outputs[ATTENTION])

    def _store(self, panel: Value, first: Value, node: Node) -> Statement:
        row, column = Variable("row"), Variable("column")
        base = panel * (self.result_rows * self.panel)
        query, feature = variable_value(row), variable_value(column)
        result = load(self.result, base + feature * self.panel + query)
        value = result * load(self.factor, query)
        memory = self.builder.writable(node, node.dtype)
        place = self.place(node, first + query, feature)
        store = Store(memory, place, value.cast(node.dtype))
        present = smaller(index(self.panel), self.query_count - first)
        return serial(row, present, lanes(column, index(self.width), store))
