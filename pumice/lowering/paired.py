"""Products of bfloat16 on targets that multiply pairs of them: panels hold pairs of steps of k."""

from pumice import dtypes
from pumice.kernel.ir import (
    MultiplyPairs,
    Parameter,
    Statement,
    Store,
    Transpose,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.loops import variable_value
from pumice.lowering.operand import Product, Side
from pumice.lowering.panels import PanelLowering, Part, lanes, serial
from pumice.lowering.tiling import PAIR_STEP, PANEL_BYTES, ROWS_BYTES


def suits_pairs(product: Product) -> bool:
    """Tell whether both operands are bfloat16, and sizes fill tiles of pairs."""
    tile = product.target.tiles.get("bfloat16")
    if tile is None or product.node.argument.accumulator is not dtypes.float32:
        return False
    _, m, k = product.left.extents
    return (
        all(side.node.dtype is dtypes.bfloat16 for side in (product.left, product.right))
        and product.right.extents[1] >= tile.columns
        and k > 0
        and k % PAIR_STEP == 0
        and (m >= tile.rows or k * tile.rows * 2 <= ROWS_BYTES)
    )


def holds_pairs(side: Side) -> bool:
    """Tell whether neighbours along k lie in memory as aligned pairs."""
    if side.memory is None or not side.is_simple or not side.follows_k:
        return False
    view = side.memory[1]
    k_axes = side.groups[2][0]
    others = [
        stride
        for axis, stride in enumerate(view.strides)
        if axis not in k_axes and view.shape[axis] > 1
    ]
    return view.offset % 2 == 0 and all(stride % 2 == 0 for stride in others)


class PairLowering(PanelLowering):
    """Lowers a product of bfloat16 whose left operand lies along k."""

    def _plan_left(self, k: int) -> None:
        self.is_padded = self.product.left.extents[1] < self.tiling.rows
        self.left_in_place = not self.is_padded
        self.left_strides = self.left.strides()
        if self.is_padded:
            self.by_columns = False
            self.left_strides = self.k, index(1)
            self.copied = self.builder.local(dtypes.bfloat16, ROWS_BYTES // 2, "rows")

    def _panel_memory(self) -> Parameter:
        return self.builder.local(dtypes.uint32, PANEL_BYTES // 4, "panel")

    def _first_row(self, tile: Value) -> Value:
        return index(0) if self.is_padded else super()._first_row(tile)

    def _last_row(self) -> Value:
        return self.m if self.is_padded else super()._last_row()

    def _copy_rows(self, tile: Value, part: Part) -> tuple[Statement, ...]:
        """Fill a tile of more rows than there are; the others are 0."""
        row, p, rest, q = Variable("row"), Variable("p"), Variable("row"), Variable("p")
        r, step = variable_value(row), variable_value(p)
        element = self.left.value(r, part.start + step, dtypes.bfloat16)
        copy = Store(self.copied, r * self.k + step, element)
        place = variable_value(rest) * self.k + variable_value(q)
        empty = Store(self.copied, place, constant(0, dtypes.bfloat16))
        return (
            serial(row, index(0), self.m, lanes(p, index(0), part.depth, copy)),
            serial(rest, self.m, index(self.tiling.rows), lanes(q, index(0), part.depth, empty)),
        )

    def _pack(self, panel: Value, part: Part) -> tuple[Statement, ...]:
        columns = self.tiling.columns
        first = self._first_column(panel)
        width = self.n - first
        steps = _half(part.depth)
        base = panel * steps * columns
        side = self.product.right
        if not side.follows_k:
            whole = self._copy_pairs(first, base, index(columns), part)
            return self._by_width(panel, whole, self._copy_pairs(first, base, width, part))
        assert side.memory is not None
        node, view = side.memory
        buffer = self.builder.readable(node, dtypes.uint32, view.offset // 2)
        at = _half(self.right.place(first, part.start))
        line = _half(self.right.strides()[0])

        def transpose(limit: Value | None) -> Statement:
            return Transpose(self.panel, base, columns, buffer, at, line, steps, columns, limit)

        return self._by_width(panel, (transpose(None),), (transpose(width),))

    def _copy_pairs(
        self, first: Value, base: Value, width: Value, part: Part
    ) -> tuple[Statement, ...]:
        """Join two rows of columns to one row of pairs."""
        q, lane, rest = Variable("q"), Variable("lane"), Variable("lane")
        column, step = variable_value(lane), variable_value(q)
        at = base + step * self.tiling.columns
        halves = [
            self.right.value(first + column, part.start + step * 2 + half, dtypes.bfloat16)
            .bitcast(dtypes.uint16)
            .cast(dtypes.uint32)
            for half in (0, 1)
        ]
        pair = halves[0] | (halves[1] << 16)
        body: tuple[Statement, ...] = (
            lanes(lane, index(0), width, Store(self.panel, at + column, pair)),
        )
        if width.arguments:
            empty = Store(self.panel, at + variable_value(rest), constant(0, dtypes.uint32))
            body += (lanes(rest, width, index(self.tiling.columns), empty),)
        return (serial(q, index(0), _half(part.depth), *body),)

    def _multiply(self, tile: Value, panel: Value, part: Part) -> tuple[Statement, ...]:
        steps = _half(part.depth)
        left, left_at = self._left_place(tile, part)
        multiply = MultiplyPairs(
            self.tile,
            self._tile_at(tile, panel),
            part.fresh,
            left,
            left_at,
            self.left_strides[0],
            self.panel,
            panel * steps * self.tiling.columns,
            steps,
            self.tiling.columns,
        )
        return (multiply,)


def _half(value: Value) -> Value:
    return value.quotient(index(2))
