"""Gradients of attention on devices whose workgroups share memory.

Nothing is added up by several workgroups at once, so results do not depend on their order. One
kernel owns panels of queries and goes over blocks of keys::

    slopes = values x gradient                (tiles)
    weights = keys x queries
    slopes = 2 ** (weights - norm) * (slopes - delta)
    query_gradient += keys^T x slopes

The other one owns panels of keys and goes over blocks of queries::

    weights = queries x keys
    slopes = gradient x values
    weights, slopes = 2 ** (weights - norm), the same * (slopes - delta)
    value_gradient += gradient^T x weights
    key_gradient += queries^T x slopes

Both compute the probabilities again: seven products instead of five, but memory grows with the
length only.
"""

from collections.abc import Callable, Iterator

from pumice.graph.node import Node
from pumice.kernel.ir import Let, Statement, Store, Value, Variable, index
from pumice.lowering.attention_space import LOG2_E, ceiling, lanes, read, smaller
from pumice.lowering.attention_sweep import SharedSpace, swept
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Step
from pumice.ops.attention import KEY, QUERY, VALUE
from pumice.ops.exponential_core import exp2_below_one
from pumice.schedule.items import Group
from pumice.schedule.shared_blocks import SharedNeed, key_gradient_need, query_gradient_need
from pumice.target import Target


class GradientSpace(SharedSpace):
    """What both kernels share."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target, rests: bool) -> None:
        super().__init__(group, is_stored, target, group.root.argument.attention, rests)
        self.wanted: dict[int, Node] = {node.argument.operand: node for node in group.stored}
        self.gradient, self.norm, self.delta = group.root.sources[-3:]
        self.declare_range()
        self.stage_pitch = max(self.features, self.width) + 1
        self.staged = self.local("staged", self.block * self.stage_pitch)
        self.weights = self.local("weights", self.block * self.panel)
        self.slopes = self.local("slopes", self.block * self.panel)
        self.slopes_wanted = True

    def _sizes(self) -> tuple[int, int, int]:
        features, width = self.nodes.key.shape[-1], self.nodes.value.shape[-1]
        return features, width, self.accumulator.itemsize

    def _factor(self) -> Value:
        """Return the factor of scores in units of log(2)."""
        return self.scale() * self.number(LOG2_E)

    def _convert(self, place: Callable[[Value, Value], tuple[Value, Value]]) -> Statement:
        """Turn scores into weights, and the gradients of weights into those of scores.

        `place` gives the query and the key of a row and a column of the tiles.
        """
        item = Variable("item")
        at = variable_value(item)
        query, key = place(at.quotient(self.panel), at.modulus(self.panel))
        before, score = read(self.weights, at)
        norm = self.element(self.norm, query, index(0)) * self.number(LOG2_E)
        weight = exp2_below_one(self.hidden(score, query, key) - norm)
        stores: list[Statement] = [Store(self.weights, at, self.kept(weight, query, key))]
        if self.slopes_wanted:
            also, slope = read(self.slopes, at)
            slope = self.kept(slope, query, key) - self.element(self.delta, query, index(0))
            stores = [also, Let(weight), *stores, Store(self.slopes, at, weight * slope)]
        return lanes(item, index(self.block * self.panel), before, *stores)


class QueryGradientLowering(GradientSpace):
    """Lowers the gradient of the queries."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target, rests: bool) -> None:
        super().__init__(group, is_stored, target, rests)
        self.query = self.local("query", self.features * self.pitch)
        self.incoming = self.local("incoming", self.width * self.pitch)
        self.to_query = self.sums("to_query", self.features * self.pitch)

    def _need(self) -> SharedNeed:
        return query_gradient_need(*self._sizes())

    def lower(self) -> list[Step] | None:
        """Return the launches, if sums rest in memory as often as it takes."""
        seen = self.key_count
        if self.spec.causal:
            seen = smaller(seen, self.first + self.panel)
        finish = self.results(self.wanted[QUERY], self.to_query, self.scale())
        body = (
            self.settle(self.query, self.nodes.query, self._factor()),
            self.settle(self.incoming, self.gradient, None),
            *self.sweep(index(0), ceiling(seen, self.block), self._keys, iter((finish,))),
        )
        return self.launches(body, self.panel * self.keys * (2 * self.features + self.width))

    def _keys(self, number: Value) -> Iterator[Statement]:
        start = number * self.block
        count = smaller(self.key_count - start, index(self.block))

        def place(row: Value, column: Value) -> tuple[Value, Value]:
            query = smaller(self.first + column, self.query_count - 1)
            return query, smaller(start + row, self.key_count - 1)

        yield self.stage(self.staged, self.nodes.value, start, self.key_count)
        yield self.across(self.slopes, self.staged, self.incoming, self.width)
        yield self.stage(self.staged, self.nodes.key, start, self.key_count)
        yield self.across(self.weights, self.staged, self.query, self.features)
        yield self._convert(place)
        yield from self.gather_up(self.to_query, self.staged, self.slopes, self.features, count)


class KeyGradientLowering(GradientSpace):
    """Lowers the gradients of keys and values, or one of them."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target, rests: bool) -> None:
        super().__init__(group, is_stored, target, rests)
        self.slopes_wanted = KEY in self.wanted
        self.key = self.local("key", self.features * self.pitch)
        if VALUE in self.wanted:
            self.to_value = self.sums("to_value", self.width * self.pitch)
        if KEY in self.wanted:
            self.value = self.local("value", self.width * self.pitch)
            self.to_key = self.sums("to_key", self.features * self.pitch)

    def _need(self) -> SharedNeed:
        return key_gradient_need(*self._sizes())

    def _rows_owned(self) -> int:
        return int(self.nodes.key.shape[-2])

    def _owned(self) -> tuple[int, Value]:
        return self.keys, self.key_count

    def _swept(self) -> int:
        return int(self.queries)

    def _longest_last(self) -> bool:
        return False

    def lower(self) -> list[Step] | None:
        """Return the launches, if sums rest in memory as often as it takes."""
        begin = self.first.quotient(self.block) if self.spec.causal else index(0)
        stop = ceiling(self.query_count, self.block)
        body: list[Statement] = [self.settle(self.key, self.nodes.key, self._factor())]
        if KEY in self.wanted:
            body.append(self.settle(self.value, self.nodes.value, None))
        body += self.sweep(begin, stop, self._queries, self._finish())
        work = self.panel * self.queries * 2 * (self.features + self.width)
        return self.launches(tuple(body), work)

    def _queries(self, number: Value) -> Iterator[Statement]:
        start = number * self.block
        count = smaller(self.query_count - start, index(self.block))

        def place(row: Value, column: Value) -> tuple[Value, Value]:
            query = smaller(start + row, self.query_count - 1)
            return query, smaller(self.first + column, self.key_count - 1)

        yield self.stage(self.staged, self.nodes.query, start, self.query_count)
        yield self.across(self.weights, self.staged, self.key, self.features)
        yield self.stage(self.staged, self.gradient, start, self.query_count)
        if KEY in self.wanted:
            yield self.across(self.slopes, self.staged, self.value, self.width)
        yield self._convert(place)
        if VALUE in self.wanted:
            yield from self.gather_up(self.to_value, self.staged, self.weights, self.width, count)
        if KEY in self.wanted:
            yield self.stage(self.staged, self.nodes.query, start, self.query_count)
            yield from self.gather_up(self.to_key, self.staged, self.slopes, self.features, count)

    def _finish(self) -> Iterator[Statement]:
        if KEY in self.wanted:
            yield self.results(self.wanted[KEY], self.to_key, self.scale())
        if VALUE in self.wanted:
            yield self.results(self.wanted[VALUE], self.to_value, None)


def lower_shared_gradient(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a group of attention gradients."""
    wanted = {node.argument.operand: node for node in group.stored}
    steps: list[Step] = []
    if QUERY in wanted and wanted[QUERY].numel:
        steps += swept(QueryGradientLowering, group, is_stored, target)
    if any(each in wanted and wanted[each].numel for each in (KEY, VALUE)):
        steps += swept(KeyGradientLowering, group, is_stored, target)
    return steps
