"""Products of very few rows: dot products that follow the right operand through memory once.

Several of its lines are read side by side with one piece of the left operand, which hides the
latency of sums and of memory. They lie apart, and the next ones follow each of them in memory, so
that each is a long stream. Each dot product is a sum over the lanes of a LANES loop, so it has the
tree of any other sum. Finished elements are kept until a vector of them meets the epilogue::

    for g < span:
      lanes p < k:
        sum0 += left[0, p] * right[g, p]
        sum1 += left[0, p] * right[span + g, p]
      local[g] = sum0; local[span + g] = sum1
    lanes j: out[j] = epilogue(local[j])
"""

from pumice.kernel.ir import (
    Carry,
    Fold,
    Loop,
    LoopKind,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.few_rows import FewRows
from pumice.lowering.loops import minimum, multiply_added, variable_value
from pumice.lowering.operand import Product
from pumice.lowering.steps import Step

MOST_ROWS = 4
SHORTEST = 64
BLOCK = 128
MOST_SUMS = 8
WANTED_ITEMS = 16


def suits_dot(product: Product) -> bool:
    """Tell whether the right operand is worth following along k."""
    right = product.right
    return (
        product.left.extents[1] <= MOST_ROWS
        and right.extents[2] >= SHORTEST
        and right.is_simple
        and right.follows_k
        and right.is_cheap
    )


class DotLowering(FewRows):
    """Lowers a product of few rows."""

    def __init__(self, product: Product) -> None:
        super().__init__(product)
        tile = product.target.tiles[self.accumulator.name]
        # A running sum takes a register for each vector of virtual lanes; half of them hold sums.
        sums = tile.rows * tile.columns * 4 // 7 // product.target.lanes
        wanted = max(1, min(sums, MOST_SUMS) // self.rows)
        self.together = 1 << wanted.bit_length() - 1

    def step(self) -> Step:
        """Return the launch."""
        length = BLOCK
        while length > self.together and self.batches * self.n < length * WANTED_ITEMS:
            length //= 2
        self.open(length)
        finished = self.builder.local(self.accumulator, self.rows * BLOCK, "finished")
        group = Variable("group")
        span = (self.width + (self.together - 1)).quotient(index(self.together))
        sums = self._sums(finished, variable_value(group), span)
        loop = Loop(group, index(0), span, LoopKind.SERIAL, sums)
        return self.launch([loop], lambda row, place: load(finished, place + row * BLOCK))

    def _sums(self, finished: Parameter, group: Value, span: Value) -> tuple[Statement, ...]:
        """The dot products of some lines of the right operand with every row."""
        p = Variable("p")
        position = variable_value(p)
        zero = constant(0, self.accumulator)
        lefts = [
            self.left.value(index(row), position, self.accumulator) for row in range(self.rows)
        ]
        folds = []
        stores = []
        for offset in range(self.together):
            line = minimum(self.first + span * offset + group, self.columns - 1)
            right = self.right.value(line, position, self.accumulator)
            for row, left in enumerate(lefts):
                carry = Carry("sum", self.accumulator, zero)
                following = multiply_added(left, right, carry.now)
                folds.append(Fold((carry,), (following,), lambda one, other: (one[0] + other[0],)))
                place = span * offset + group + row * BLOCK
                stores.append(Store(finished, place, carry.result))
        loop = Loop(p, index(0), self.depth, LoopKind.LANES, (), tuple(folds))
        return (loop, *stores)
