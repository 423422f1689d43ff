"""Products of very few rows whose right operand lies by rows: it is swept through memory once.

Register tiles would read a short piece of each row of that operand, a row apart; memory delivers
less that way than it can. Here an item takes a long piece of several rows together, which are
streams of memory side by side, and keeps its sums in local memory, one for each column. Every
element is summed in the order of k, as tiles do it::

    lanes j: sums[j] = 0
    for k in steps of 8:
      lanes j: sums[j] = sums[j] + left[0, k] * right[k, j] + ... + left[0, k + 7] * right[k + 7, j]
    lanes j: out[j] = epilogue(sums[j])
"""

from pumice.kernel.ir import (
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.few_rows import FewRows
from pumice.lowering.loops import multiply_added, variable_value
from pumice.lowering.operand import Product
from pumice.lowering.steps import Step
from pumice.lowering.tiling import FEWEST_ITEMS
from pumice.sizes import called

MOST_ROWS, MOST_NARROW_ROWS = 3, 4
"""Rows up to which a sweep beats tiles; more where the other way packs operands of two bytes."""
SHORTEST, LONGEST = 256, 2048
"""Columns of an item."""
FEWEST_COLUMNS, FEWEST_NARROW_COLUMNS = 2048, 512
"""Columns from which long pieces of rows come faster from memory than short ones."""
STEP = 16
"""What the columns of an item are a multiple of."""
ITEMS_OF_THREAD = 2
STREAMS, MOST_FACTORS = 8, 16
"""Rows of the right operand that are read together, and elements of the left one held meanwhile."""
FEWEST_BYTES = 1 << 20
"""Bytes of a right operand that stays in a cache and is read as fast by tiles."""


def suits_sweep(product: Product) -> bool:
    """Tell whether the right operand is worth sweeping."""
    right = product.right
    _, n, k = right.extents
    is_narrow = right.node.dtype.itemsize < product.node.argument.accumulator.itemsize
    return (
        product.left.extents[1] <= (MOST_NARROW_ROWS if is_narrow else MOST_ROWS)
        and n >= (FEWEST_NARROW_COLUMNS if is_narrow else FEWEST_COLUMNS)
        and k >= STREAMS
        and n * k * product.node.argument.accumulator.itemsize >= FEWEST_BYTES
        and right.is_simple
        and right.follows_lines
        and right.is_cheap
    )


class SweepLowering(FewRows):
    """Lowers a product of few rows."""

    def __init__(self, product: Product) -> None:
        super().__init__(product)
        self.streams = min(STREAMS, MOST_FACTORS // self.rows)

    def step(self) -> Step:
        """Return the launch."""
        threads = self.product.target.limits.get("threads", FEWEST_ITEMS)
        self.open(called(_length, self.batches, self.n, threads * ITEMS_OF_THREAD, least=1))
        self.sums = self.builder.local(self.accumulator, self.rows * LONGEST, "sums")
        groups = self.depth.quotient(index(self.streams))
        rest = self.depth - groups * self.streams
        body = [
            self._start(),
            self._steps(index(0), groups, self.streams, index(0)),
            self._steps(index(0), rest, 1, groups * self.streams),
        ]
        return self.launch(body, self._sum)

    def _start(self) -> Statement:
        lane = Variable("lane")
        zero = constant(0, self.accumulator)
        stores = tuple(
            Store(self.sums, variable_value(lane) + row * LONGEST, zero) for row in range(self.rows)
        )
        return Loop(lane, index(0), self.width, LoopKind.LANES, stores)

    def _steps(self, first: Value, stop: Value, streams: int, offset: Value) -> Statement:
        """Add the products of some rows of the right operand at a time."""
        step, lane = Variable("step"), Variable("lane")
        place = variable_value(lane)
        depths = [offset + variable_value(step) * streams + stream for stream in range(streams)]
        column = self.first + place
        rights = [self.right.value(column, depth, self.accumulator) for depth in depths]
        stores = []
        for row in range(self.rows):
            total = self._sum(row, place)
            for depth, right in zip(depths, rights, strict=True):
                left = self.left.value(index(row), depth, self.accumulator)
                total = multiply_added(left, right, total)
            stores.append(Store(self.sums, place + row * LONGEST, total))
        lanes = Loop(lane, index(0), self.width, LoopKind.LANES, tuple(stores))
        return Loop(step, first, stop, LoopKind.SERIAL, (lanes,))

    def _sum(self, row: int, place: Value) -> Value:
        return load(self.sums, place + row * LONGEST)


def _length(batches: int, n: int, items: int) -> int:
    """Return the columns of an item: about so many items in all, of about the same length."""
    wanted = -(-items // max(batches, 1))
    while wanted > 1 and n < wanted * SHORTEST:
        wanted //= 2
    blocks = max(wanted, -(-n // LONGEST))
    return -(-n // (blocks * STEP)) * STEP
