"""Many writes into few places: pieces of the source are folded apart, then together.

Each piece has a copy of the result of its own, so pieces run in parallel. Their number depends
on the shape only, and they are combined in order, so the result does not depend on threads.
"""

from math import prod

from pumice.kernel.ir import (
    Fold,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.scatter import COMBINE, ScatterLowering
from pumice.lowering.statements import carried, lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.ops.structure import ScatterMode

PIECES = 16
FEWEST_WRITES = 1 << 16
BLOCK = 1024


class ShareLowering(ScatterLowering):
    """Lowers one scatter, in pieces when it writes few places often."""

    def _write_steps(self) -> list[Step]:
        writes = self.source.numel
        apart = (
            not self.target.grid_lanes
            and not self.rank
            and self.node.argument.mode is not ScatterMode.SET
            and writes >= FEWEST_WRITES
            and self.node.numel * PIECES <= writes
        )
        if not apart:
            return super()._write_steps()
        shares = Scratch(PIECES * self.node.numel * self._carried().itemsize)
        return [self._fold_pieces(shares), self._join(shares)]

    def _fold_pieces(self, shares: Scratch) -> Step:
        builder = KernelBuilder()
        _, loops, frame = self._axes(builder)
        carried_dtype = self._carried()
        memory = builder.writable(shares, carried_dtype)
        piece = Variable("piece")
        count = builder.size(self.node.numel, "places")
        base = variable_value(piece) * count
        identity = constant(COMBINE[self.node.argument.mode].identity(carried_dtype), carried_dtype)
        _, size, extent = loops[0]
        length = builder.size(-(-extent // PIECES), "length")
        start = variable_value(piece) * length
        bounds = (start, minimum(start + length, size))
        statements = (
            lanes("c", count, lambda at: (Store(memory, base + at, identity),)),
            *self._in_order(builder, False, loops, frame, (memory, base), bounds),
        )
        grid = ((piece, builder.size(PIECES, "pieces"), PIECES),)
        cost = 2 * prod(self.source.shape) // PIECES
        return builder.finish(grid, statements, cost, self.node)

    def _join(self, shares: Scratch) -> Step:
        """Combine the result with the pieces' copies, in order."""
        builder = KernelBuilder()
        op, carried_dtype = COMBINE[self.node.argument.mode], self._carried()
        memory = builder.readable(shares, carried_dtype)
        output = builder.writable(self.node, self.node.dtype)
        block = Variable("block")
        size, count = builder.size(BLOCK, "block"), builder.size(self.node.numel, "places")
        pieces = builder.size(PIECES, "pieces")
        start = variable_value(block) * size

        def join(at: Value) -> tuple[Statement, ...]:
            total = carried("total", load(output, at).cast(carried_dtype))

            def fold(piece: Value) -> tuple[Fold, ...]:
                share = load(memory, piece * count + at)
                return (Fold((total,), (op.combine(total.now, share),)),)

            loop = serial("piece", pieces, lambda _: (), fold)
            return (loop, Store(output, at, total.result.cast(self.node.dtype)))

        blocks = -(-self.node.numel // BLOCK)
        grid = ((block, builder.size(blocks, "blocks"), blocks),)
        body = lanes("o", minimum(start + size, count), join, start)
        return builder.finish(grid, (body,), BLOCK, self.node)
