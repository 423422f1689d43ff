"""Stable radix sort for devices whose grid items are invocations: one of them sorts one row.

A launch writes the keys, then eight bits at a time are sorted by counting.
"""

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Carry,
    Fold,
    Instruction,
    Let,
    Loop,
    LoopKind,
    Parameter,
    Store,
    Value,
    Variable,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import Ordering
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Scratch, Step

DIGIT_BITS = 8
BUCKETS = 1 << DIGIT_BITS


class ItemSortLowering:
    """Lowers one order along the last axis."""

    def __init__(self, ordering: Ordering) -> None:
        self.ordering = ordering
        self.node = ordering.node
        self.length = ordering.length
        self.rows = ordering.rows
        self.key_type = ordering.key_type
        count = self.rows * self.length
        self.keys = [Scratch(count * self.key_type.itemsize) for _ in range(2)]
        self.orders = [Scratch(count * 8) for _ in range(2)]
        self.counts = Scratch(self.rows * BUCKETS * 8)

    def lower(self) -> list[Step]:
        """Return the launches: keys, then one counting pass per digit."""
        passes = self.key_type.itemsize
        steps = [self._make_keys()]
        for digit in range(passes):
            steps.append(self._pass(digit, last=digit == passes - 1))
        return steps

    def _make_keys(self) -> Step:
        builder = KernelBuilder()
        item = Variable("row")
        place = Variable("i")
        length = builder.size(self.length, "length")
        at = variable_value(item) * length + variable_value(place)
        key, given = self.ordering.elements(builder)(variable_value(item), variable_value(place))
        keys = builder.writable(self.keys[0], self.key_type)
        orders = builder.writable(self.orders[0], dtypes.int64)
        body = (
            Store(keys, at, key),
            Store(orders, at, given.cast(dtypes.int64)),
        )
        rows = builder.size(self.rows, "rows")
        grid = ((item, rows, self.rows), (place, length, self.length))
        return builder.finish(grid, body, 2, self.node)

    def _pass(self, digit: int, last: bool) -> Step:
        builder = KernelBuilder()
        source, target = digit % 2, (digit + 1) % 2
        row = Variable("row")
        item = variable_value(row)
        length = builder.size(self.length, "length")
        base = item * length
        keys = builder.readable(self.keys[source], self.key_type)
        orders = builder.readable(self.orders[source], dtypes.int64)
        counts = builder.writable(self.counts, dtypes.int64)
        bucket_base = item * index(BUCKETS)
        shift = builder.size(digit * DIGIT_BITS, "shift")
        clear, prefix, count, move = (Variable(name) for name in ("c", "p", "n", "m"))

        def bucket_of(place: Variable) -> tuple[Value, Value]:
            key = load(keys, base + variable_value(place))
            digit_value = (key >> shift.cast(self.key_type)) & (BUCKETS - 1)
            return key, bucket_base + digit_value.cast(INDEX)

        zero = Store(counts, bucket_base + variable_value(clear), _int64(0))
        _, bucket = bucket_of(count)
        before = load(counts, bucket)
        tally = (Let(before), Store(counts, bucket, before + 1))
        key, slot = bucket_of(move)
        position = load(counts, slot)
        final = builder.writable(self.node if last else self.orders[target], dtypes.int64)
        order = load(orders, base + variable_value(move))
        at = base + position.cast(INDEX)
        moves: list[Let | Store] = [Let(position)]
        if last and self.ordering.count < self.length:
            wanted = builder.size(self.ordering.count, "count")
            within = position.cast(INDEX) - builder.size(self.ordering.start, "start")
            mask = (within >= 0) & (within < wanted)
            moves.append(Store(final, item * wanted + within, order, mask))
        else:
            moves.append(Store(final, at, order))
        if not last:
            sorted_keys = builder.writable(self.keys[target], self.key_type)
            moves.append(Store(sorted_keys, at, key))
        moves.append(Store(counts, slot, position + 1))
        body = (
            _serial(clear, index(BUCKETS), (zero,)),
            _serial(count, length, tally),
            self._prefix_sum(prefix, counts, bucket_base),
            _serial(move, length, tuple(moves)),
        )
        grid = ((row, builder.size(self.rows, "rows"), self.rows),)
        return builder.finish(grid, body, self.length * 4, self.node)

    def _prefix_sum(self, variable: Variable, counts: Parameter, base: Value) -> Loop:
        carry = Carry("total", dtypes.int64, _int64(0))
        here = base + variable_value(variable)
        amount = load(counts, here)
        body = (Let(amount), Store(counts, here, carry.now))
        fold = Fold((carry,), (carry.now + amount,))
        return Loop(variable, index(0), index(BUCKETS), LoopKind.SERIAL, body, (fold,))


def _serial(variable: Variable, stop: Value, body: tuple[Let | Store, ...]) -> Loop:
    return Loop(variable, index(0), stop, LoopKind.SERIAL, body)


def _int64(value: int) -> Value:
    return Value(Instruction.CONSTANT, dtypes.int64, (), value)


def lower_item_sort(ordering: Ordering) -> list[Step]:
    """Return the launches that sort each row by one grid item."""
    return ItemSortLowering(ordering).lower()
