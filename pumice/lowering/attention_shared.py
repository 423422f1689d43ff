"""Attention on devices whose workgroups share memory: softmax is streamed there.

A workgroup takes a panel of queries of one head and goes over blocks of keys::

    for block of keys:
      scores = keys x queries                           (all invocations own a part of the tile)
      scores, highest = masked scores, maxima           (some invocations per query)
      scores, sums = 2 ** (scores - top), sums          (the same)
      top, total = ...                                  (an invocation per query)
      result = result * 2 ** (before - top)             (all)
      result += values^T x scores                       (parts of the tile)

Scores are kept keys down and queries across, as on the CPU.
"""

from collections.abc import Iterator
from functools import reduce

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
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
from pumice.lowering.attention_space import LOG2_E, ceiling, lanes, larger, read, smaller
from pumice.lowering.attention_sweep import SharedSpace, swept
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Step
from pumice.ops.attention import ATTENTION, ATTENTION_NORM
from pumice.ops.exponential_core import exp2_below_one
from pumice.schedule.items import Group
from pumice.schedule.shared_blocks import SharedNeed, forward_need, shared_blocks
from pumice.target import Target


class SharedAttentionLowering(SharedSpace):
    """Lowers one attention, its norm, or both."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target, rests: bool) -> None:
        super().__init__(group, is_stored, target, group.root.argument, rests)
        self.outputs: dict[object, Node] = {node.op: node for node in group.stored}
        self.mixes = ATTENTION in self.outputs
        self.shares = min(max(target.lanes // self.panel, 1), self.block)
        """Invocations that go over the keys of one query."""
        self.chunk = self.block // self.shares
        self.declare_range()
        local, panel = self.local, self.panel
        self.stage_pitch = max(self.features, self.width) + 1
        self.query = local("query", self.features * self.pitch)
        self.staged = local("staged", self.block * self.stage_pitch)
        self.scores = local("scores", self.block * panel)
        self.peaks = local("peaks", self.shares * panel)
        self.added = local("added", self.shares * panel)
        self.factor = local("factor", panel)
        self.top = self.sums("top", panel, float("-inf"))
        self.total = self.sums("total", panel)
        if self.mixes:
            self.result = self.sums("result", self.width * self.pitch)

    def _need(self) -> SharedNeed:
        features, width = self.nodes.key.shape[-1], self.nodes.value.shape[-1]
        return forward_need(features, width, self.accumulator.itemsize)

    def lower(self) -> list[Step] | None:
        """Return the launches, if sums rest in memory as often as it takes."""
        seen = self.key_count
        if self.spec.causal:
            seen = smaller(seen, self.first + self.panel)
        factor = self.scale() * self.number(LOG2_E)
        body = (
            self.settle(self.query, self.nodes.query, factor),
            *self.sweep(index(0), ceiling(seen, self.block), self._block, self._finish()),
        )
        return self.launches(body, self.panel * self.keys * (self.features + self.width))

    # -- one block of keys ------------------------------------------------------------------------

    def _block(self, number: Value) -> Iterator[Statement]:
        start = number * self.block
        count = smaller(self.key_count - start, index(self.block))
        yield self.stage(self.staged, self.nodes.key, start, self.key_count)
        yield self.across(self.scores, self.staged, self.query, self.features)
        if self.mixes:
            yield self.stage(self.staged, self.nodes.value, start, self.key_count)
        yield self._highest(start, count)
        yield self._exponentials(start, count)
        yield self._sum_up()
        if self.mixes:
            yield self._rescale()
            yield from self.gather_up(self.result, self.staged, self.scores, self.width, count)

    def _own_keys(self, item: Value, count: Value) -> tuple[Value, Value, Value]:
        """Return the query of an invocation, its first key and how many it goes over."""
        query, share = item.modulus(self.panel), item.quotient(self.panel)
        begin = share * self.chunk
        return query, begin, smaller(count - begin, index(self.chunk))

    def _highest(self, start: Value, count: Value) -> Statement:
        """Mask the scores and find the highest."""
        item, key = Variable("item"), Variable("key")
        lane = variable_value(item)
        query, begin, most = self._own_keys(lane, count)
        place = begin + variable_value(key)
        at = place * self.panel + query
        before, score = read(self.scores, at)
        row = smaller(self.first + query, self.query_count - 1)
        masked = self.hidden(score, row, start + place)
        carry = Carry("top", self.accumulator, self.number(float("-inf")))
        body: list[Statement] = [before]
        if masked is not score:
            body += [Let(masked), Store(self.scores, at, masked)]
        fold = Fold((carry,), (larger(carry.now, masked),))
        loop = Loop(key, index(0), most, LoopKind.SERIAL, tuple(body), (fold,))
        return lanes(
            item, index(self.shares * self.panel), loop, Store(self.peaks, lane, carry.result)
        )

    def _new_top(self, query: Value) -> tuple[Value, Value]:
        """Return the highest score of a query before and with this block."""
        old = load(self.top, query)
        peaks = [load(self.peaks, query + share * self.panel) for share in range(self.shares)]
        return old, reduce(larger, peaks, old)

    def _exponentials(self, start: Value, count: Value) -> Statement:
        """Replace scores by their exponentials and sum those."""
        item, key = Variable("item"), Variable("key")
        lane = variable_value(item)
        query, begin, most = self._own_keys(lane, count)
        old, new = self._new_top(query)
        # A query that has seen masked keys only must not subtract infinity from infinity.
        base = new.eq(float("-inf")).select(0.0, new)
        factor = exp2_below_one(old - base)
        place = begin + variable_value(key)
        at = place * self.panel + query
        before, score = read(self.scores, at)
        share = exp2_below_one(score - base)
        row = smaller(self.first + query, self.query_count - 1)
        mixing = self.kept(share, row, start + place)
        carry = Carry("sum", self.accumulator, self.number(0))
        fold = Fold((carry,), (carry.now + share,))
        body = (before, Let(share), Store(self.scores, at, mixing))
        loop = Loop(key, index(0), most, LoopKind.SERIAL, body, (fold,))
        stores = (
            Store(self.added, lane, carry.result),
            Store(self.factor, query, factor, lane < self.panel),
        )
        return lanes(item, index(self.shares * self.panel), Let(base), loop, *stores)

    def _sum_up(self) -> Statement:
        """Keep maxima and sums up to date."""
        lane = Variable("lane")
        query = variable_value(lane)
        _, new = self._new_top(query)
        added = [load(self.added, query + share * self.panel) for share in range(self.shares)]
        total = load(self.total, query)
        following = total.multiply_add(load(self.factor, query), reduce(Value.__add__, added))
        stores = (Store(self.top, query, new), Store(self.total, query, following))
        return lanes(lane, index(self.panel), Let(new), Let(following), *stores)

    def _rescale(self) -> Statement:
        item = Variable("item")
        row, query = (
            variable_value(item).quotient(self.panel),
            variable_value(item).modulus(self.panel),
        )
        at = row * self.pitch + query
        before, result = read(self.result, at)
        store = Store(self.result, at, result * load(self.factor, query))
        return lanes(item, index(self.width * self.panel), before, store)

    # -- results ----------------------------------------------------------------------------------

    def _finish(self) -> Iterator[Statement]:
        lane = Variable("lane")
        query = variable_value(lane)
        norm, inverse = self.closing(load(self.top, query), load(self.total, query))
        body = [Store(self.factor, query, inverse)]
        if ATTENTION_NORM in self.outputs:
            node = self.outputs[ATTENTION_NORM]
            row = self.first + query
            memory = self.builder.writable(node, node.dtype)
            body.append(
                Store(memory, self.place(node, row, index(0)), norm, row < self.query_count)
            )
        yield lanes(lane, index(self.panel), *body)
        if self.mixes:
            node = self.outputs[ATTENTION]
            yield self.results(node, self.result, lambda row: load(self.factor, row))


def lower_shared_attention(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an attention on a device whose workgroups share memory."""
    return swept(SharedAttentionLowering, group, is_stored, target) if group.root.numel else []


def fits_panels(root: Node, target: Target) -> bool:
    """Tell whether workgroups can hold panels of several queries."""
    features, width = root.sources[1].shape[-1], root.sources[2].shape[-1]
    need = forward_need(features, width, root.argument.accumulator.itemsize)
    return shared_blocks(need, 1, target) is not None
