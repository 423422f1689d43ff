"""Attention of one or two queries, as in decoding: keys and values are read once, at their pace.

A grid item takes one query of one head and a run of keys. Lanes run along the features, which lie
together in memory, so nothing is copied or transposed::

    for block of keys:
      scores[key] = sum(query * keys[key])                  (lanes along features)
      top, before = max(top, max(scores)), top
      scores = 2 ** (scores - top)                          (lanes along keys)
      total = total * 2 ** (before - top) + sum(scores)
      result = result * 2 ** (before - top) + sum(scores[key] * values[key])

Long runs are shared out over several items, how many depends on the shape only; a second launch
joins what they found. Items that read the same keys (heads that share them) follow each other.
"""

from collections.abc import Callable
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
    ceiling,
    lanes,
    larger,
    read,
    serial,
    smaller,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.trips import FOLD_STEPS
from pumice.ops.attention import ATTENTION, ATTENTION_NORM
from pumice.ops.exponential_core import exp2_below_one
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.schedule.shared_blocks import RUN_KEYS
from pumice.target import Target

MOST_QUERIES = 2
FEWEST_ITEMS = 16

Scalars = tuple[Value, ...]


def fold_lanes(
    variable: Variable,
    count: Value,
    first: Value,
    merge: Callable[[Value, Value], Value],
    element: Value,
    *body: Statement,
) -> tuple[Loop, Value]:
    """Return a loop over lanes that folds an element, and its result."""
    carry = Carry("fold", first.dtype, first)

    def combine(left: Scalars, right: Scalars) -> Scalars:
        return (merge(left[0], right[0]),)

    fold = Fold((carry,), (merge(carry.now, element),), combine)
    loop = Loop(variable, index(0), count, LoopKind.LANES, body, (fold,))
    return loop, carry.result


def add(first: Value, second: Value) -> Value:
    return first + second


class AttentionRowLowering(AttentionSpace):
    """Lowers an attention of few queries, its norm, or both."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        super().__init__(group, is_stored, target, group.root.argument)
        self.outputs: dict[object, Node] = {node.op: node for node in group.stored}
        self.mixes = ATTENTION in self.outputs
        self.row = Variable("query")
        self.query = self.local("query", self.features)
        self.scores = self.local("scores", RUN_KEYS)
        if self.mixes:
            self.result = self.local("result", self.width)

    def lower(self) -> list[Step]:
        """Return the launches."""
        root = self.group.root
        if root.numel == 0:
            return []
        outer = self.outer_grid()
        rows = prod(extent for _, _, extent in outer) * self.queries
        blocks = -(-self.keys // RUN_KEYS)
        parts = max(1, min(-(-FEWEST_ITEMS // rows), blocks))
        length = min(-(-blocks // parts), self._most_runs())
        parts = -(-blocks // length)
        part = Variable("part")
        count = self.builder.size(parts, "parts")
        self.length = self.builder.size(length, "length")
        shared = self._reads_same_keys()
        apart = [axis for axis, same in zip(outer, shared, strict=True) if not same]
        together = [axis for axis, same in zip(outer, shared, strict=True) if same]
        queries = (self.row, self.query_count, self.queries)
        grid = (*apart, (part, count, parts), *together, queries)
        own = variable_value(part)
        body, top, total = self._runs(own)
        joined: list[Step] = []
        if parts == 1:
            body += self._store(top, total)
        else:
            join = Join(self, rows, parts)
            line = self._line()
            body += join.store(self, line * count + own, top, total)
            joined.append(join.step())
        work = min(self.keys, length * RUN_KEYS) * (self.features + self.width) // 16
        return [self.builder.finish(grid, tuple(body), max(work, 1), root), *joined]

    def _most_runs(self) -> int:
        """Return how many runs of keys an item may take before it has taken too many steps."""
        limit, count = self.target.most_steps, self.target.lanes
        if not limit:
            return int(self.keys)
        scores = -(-RUN_KEYS // count) * (self.features + 2)
        mixing = -(-self.width // count) * (RUN_KEYS + 2)
        others = 4 * (-(-RUN_KEYS // count) + FOLD_STEPS + 2)
        most = (limit - self.features - self.width) // (scores + mixing + others)
        return int(max(most, 1))

    def _reads_same_keys(self) -> list[bool]:
        """Tell for each leading axis whether keys and values repeat along it."""
        strides = []
        for node in (self.nodes.key, self.nodes.value):
            views = self.views_of(node)
            found = [[view.strides[members[-1]] for view in views] for members in self.axes]
            strides.append([any(each) for each in found])
        return [not (first or second) for first, second in zip(*strides, strict=True)]

    def _line(self) -> Value:
        """Return the number of the query among those of all heads."""
        shape = (*self.nodes.query.shape[:-1], 1)
        frame = self.frame(variable_value(self.row), index(0))
        return self.expressions.position(View.contiguous(shape), frame)

    # -- one grid item --------------------------------------------------------------------------

    def _runs(self, part: Value) -> tuple[list[Statement], Value, Value]:
        """Return the loop over runs of keys, the highest score and the sum of exponentials."""
        feature = Variable("feature")
        at = variable_value(feature)
        row = variable_value(self.row)
        element = self.element(self.nodes.query, row, at)
        scaled = element * (self.scale() * self.number(LOG2_E))
        body: list[Statement] = [
            lanes(feature, index(self.features), Store(self.query, at, scaled))
        ]
        if self.mixes:
            body.append(self.fill(self.result, index(0), self.width, 0))
        seen = smaller(self.key_count, row + 1) if self.spec.causal else self.key_count
        first = part * self.length * RUN_KEYS
        number = Variable("run")
        runs = smaller(self.length, ceiling(larger(seen - first, index(0)), RUN_KEYS))
        start = first + variable_value(number) * RUN_KEYS
        count = smaller(seen - start, index(RUN_KEYS))
        top = Carry("top", self.accumulator, self.number(float("-inf")))
        total = Carry("total", self.accumulator, self.number(0))
        inner = [self._scores(start, count)]
        if self.nodes.mask is not None:
            inner.append(self._apply_mask(self.nodes.mask, start, count))
        exponentials, new, factor, added = self._exponentials(top.now, start, count)
        inner += exponentials
        if self.mixes:
            inner.append(self._mix(start, count, factor))
        following = (new, total.now.multiply_add(factor, added))
        folds = (Fold((top, total), following),)
        body.append(Loop(number, index(0), runs, LoopKind.SERIAL, tuple(inner), folds))
        return body, top.result, total.result

    def _scores(self, start: Value, count: Value) -> Statement:
        key, feature = Variable("key"), Variable("feature")
        at = variable_value(feature)
        element = self.element(self.nodes.key, start + variable_value(key), at)
        carry = Carry("dot", self.accumulator, self.number(0))
        following = load(self.query, at).multiply_add(element, carry.now)
        if self.target.grid_lanes:  # folds across invocations cost more than scattered reads
            alone = _serial_fold(feature, index(self.features), carry, following)
            store = Store(self.scores, variable_value(key), carry.result)
            return lanes(key, count, alone, store)

        def combine(left: Scalars, right: Scalars) -> Scalars:
            return (left[0] + right[0],)

        fold = Fold((carry,), (following,), combine)
        size = index(self.features)
        dot = Loop(feature, index(0), size, LoopKind.LANES, (), (fold,))
        return serial(key, count, dot, Store(self.scores, variable_value(key), carry.result))

    def _apply_mask(self, mask: Node, start: Value, count: Value) -> Statement:
        key = Variable("key")
        at = variable_value(key)
        element = self.element(mask, variable_value(self.row), start + at)
        before, score = read(self.scores, at)
        masked = self.with_mask(score, element)
        return lanes(key, count, before, Store(self.scores, at, masked))

    def _exponentials(
        self, old: Value, start: Value, count: Value
    ) -> tuple[list[Statement], Value, Value, Value]:
        """Return loops, and the new highest score, the factor of what was summed, and the sum."""
        key, again = Variable("key"), Variable("key")
        lowest = self.number(float("-inf"))
        score = load(self.scores, variable_value(key))
        highest, most = fold_lanes(key, count, lowest, larger, score)
        new = larger(old, most)
        base = new.eq(float("-inf")).select(0.0, new)
        at = variable_value(again)
        share = exp2_below_one(load(self.scores, at) - base)
        mixing = self.kept(share, variable_value(self.row), start + at)
        stores = (Let(share), Store(self.scores, at, mixing))
        summing, total = fold_lanes(again, count, self.number(0), add, share, *stores)
        return [highest, summing], new, exp2_below_one(old - base), total

    def _mix(self, start: Value, count: Value, factor: Value) -> Statement:
        """Add the products of shares and values to the result."""
        key, feature = Variable("key"), Variable("feature")
        at = variable_value(feature)
        before, result = read(self.result, at)
        element = self.element(self.nodes.value, start + variable_value(key), at)
        carry = Carry("mix", self.accumulator, result * factor)
        following = load(self.scores, variable_value(key)).multiply_add(element, carry.now)
        fold = Fold((carry,), (following,))
        inner = Loop(key, index(0), count, LoopKind.SERIAL, (), (fold,))
        return lanes(
            feature, index(self.width), before, inner, Store(self.result, at, carry.result)
        )

    # -- results --------------------------------------------------------------------------------

    def _store(self, top: Value, total: Value) -> list[Statement]:
        row = variable_value(self.row)
        norm, inverse = self.closing(top, total)
        body: list[Statement] = [Let(inverse)]
        if ATTENTION_NORM in self.outputs:
            node = self.outputs[ATTENTION_NORM]
            memory = self.builder.writable(node, node.dtype)
            body.append(Store(memory, self.place(node, row, index(0)), norm))
        if self.mixes:
            node = self.outputs[ATTENTION]
            feature = Variable("feature")
            at = variable_value(feature)
            value = (load(self.result, at) * inverse).cast(node.dtype)
            store = Store(self.builder.writable(node, node.dtype), self.place(node, row, at), value)
            body.append(lanes(feature, index(self.width), store))
        return body


class Join:
    """What several items found about one query, and the launch that joins it."""

    def __init__(self, space: AttentionRowLowering, rows: int, parts: int) -> None:
        self.space = space
        self.rows, self.parts = rows, parts
        self.dtype = space.accumulator
        size = rows * parts * self.dtype.itemsize
        self.tops, self.totals = Scratch(size), Scratch(size)
        self.results = Scratch(size * space.width)

    def store(
        self, space: AttentionRowLowering, item: Value, top: Value, total: Value
    ) -> list[Statement]:
        """Return statements that keep what one item found."""
        builder = space.builder
        body: list[Statement] = [
            Store(builder.writable(self.tops, self.dtype), item, top),
            Store(builder.writable(self.totals, self.dtype), item, total),
        ]
        if space.mixes:
            feature = Variable("feature")
            at = variable_value(feature)
            memory = builder.writable(self.results, self.dtype)
            store = Store(memory, item * space.width + at, load(space.result, at))
            body.append(lanes(feature, index(space.width), store))
        return body

    def step(self) -> Step:
        """Return the launch that joins the parts of each query."""
        space, builder = self.space, KernelBuilder()
        row = Variable("row")
        line = variable_value(row)
        count = builder.size(self.parts, "parts")
        tops = builder.readable(self.tops, self.dtype)
        totals = builder.readable(self.totals, self.dtype)
        first = line * count
        number = space.number
        part, again = Variable("part"), Variable("part")
        highest = Carry("top", self.dtype, number(float("-inf")))
        found = load(tops, first + variable_value(part))
        body: list[Statement] = [_serial_fold(part, count, highest, larger(highest.now, found))]
        top = highest.result
        base = top.eq(float("-inf")).select(0.0, top)
        total = Carry("total", self.dtype, number(0))
        body.append(
            _serial_fold(
                again, count, total, self._weighed(totals, tops, first, again, base, total)
            )
        )
        norm, inverse = space.closing(top, total.result)
        body.append(Let(inverse))
        if ATTENTION_NORM in space.outputs:
            node = space.outputs[ATTENTION_NORM]
            body.append(Store(builder.writable(node, node.dtype), line, norm))
        if space.mixes:
            node = space.outputs[ATTENTION]
            body.append(self._mixed(builder, node, line, count, tops, base, inverse))
        grid = ((row, builder.size(self.rows, "rows"), self.rows),)
        return builder.finish(
            grid, tuple(body), self.parts * (space.width // 8 + 8), space.group.root
        )

    def _weighed(
        self,
        memory: Parameter,
        tops: Parameter,
        first: Value,
        part: Variable,
        base: Value,
        carry: Carry,
    ) -> Value:
        at = first + variable_value(part)
        factor = exp2_below_one(load(tops, at) - base)
        return load(memory, at).multiply_add(factor, carry.now)

    def _mixed(
        self,
        builder: KernelBuilder,
        node: Node,
        line: Value,
        count: Value,
        tops: Parameter,
        base: Value,
        inverse: Value,
    ) -> Statement:
        width = self.space.width
        part, feature = Variable("part"), Variable("feature")
        at = variable_value(feature)
        item = line * count + variable_value(part)
        results = builder.readable(self.results, self.dtype)
        carry = Carry("mix", self.dtype, self.space.number(0))
        factor = exp2_below_one(load(tops, item) - base)
        following = load(results, item * width + at).multiply_add(factor, carry.now)
        value = (carry.result * inverse).cast(node.dtype)
        store = Store(builder.writable(node, node.dtype), line * width + at, value)
        return lanes(feature, index(width), _serial_fold(part, count, carry, following), store)


def _serial_fold(variable: Variable, count: Value, carry: Carry, following: Value) -> Loop:
    return Loop(variable, index(0), count, LoopKind.SERIAL, (), (Fold((carry,), (following,)),))
