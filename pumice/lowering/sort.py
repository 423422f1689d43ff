"""Stable order of rows by least-significant-digit radix sort.

Keys are mapped to unsigned integers whose order is the wanted one (NaN last ascending, -0.0 equal
to 0.0), then eight bits at a time are sorted by counting. Linear in the row; the same on every
device. One grid item sorts one row.
"""

from math import prod

from pumice import dtypes
from pumice.dtypes import Kind
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
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.schedule.items import Group
from pumice.target import Target

DIGIT_BITS = 8
BUCKETS = 1 << DIGIT_BITS

_KEY_TYPES = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}


def ordered_key(value: Value, descending: bool) -> Value:
    """Return an unsigned integer that sorts as the value does."""
    dtype = value.dtype
    if dtype.kind is Kind.BOOL:
        key = value.cast(dtypes.uint8)
    elif dtype.kind is Kind.UNSIGNED:
        key = value
    else:
        unsigned = _KEY_TYPES[dtype.itemsize]
        sign = 1 << (dtype.bits - 1)
        if dtype.is_floating_point:
            # Adding 0 turns -0.0 into 0.0; every NaN becomes the same largest key.
            wide = value.cast(dtypes.float32) if dtype.is_small_float else value
            positive_zero = (wide + 0.0).cast(dtype)
            bits = positive_zero.bitcast(unsigned)
            key = ((bits & sign).ne(0)).select(~bits, bits | sign)
            key = wide.ne(wide).select(key.const((1 << dtype.bits) - 1), key)
        else:
            key = value.bitcast(unsigned) ^ sign
    return ~key if descending else key


class SortLowering:
    """Lowers one argsort along the last axis."""

    def __init__(self, group: Group) -> None:
        self.node = group.root
        self.source = self.node.sources[0]
        self.length = self.node.shape[-1]
        self.rows = prod(self.node.shape[:-1])
        self.key_type = _KEY_TYPES[self.source.dtype.itemsize]
        count = self.rows * self.length
        self.keys = [Scratch(count * self.key_type.itemsize) for _ in range(2)]
        self.orders = [Scratch(count * 8) for _ in range(2)]
        self.counts = Scratch(self.rows * BUCKETS * 8)

    def lower(self) -> list[Step]:
        """Return the launches: keys, then one counting pass per digit."""
        if self.node.numel == 0:
            return []
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
        value = load(builder.readable(self.source, self.source.dtype), at)
        keys = builder.writable(self.keys[0], self.key_type)
        orders = builder.writable(self.orders[0], dtypes.int64)
        body = (
            Store(keys, at, ordered_key(value, self.node.argument)),
            Store(orders, at, variable_value(place).cast(dtypes.int64)),
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
        moves: list[Let | Store] = [Let(position), Store(final, at, order)]
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


def lower_sort(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an argsort."""
    return SortLowering(group).lower()
