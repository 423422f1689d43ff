"""Which lowering a product with sliding windows takes."""

from math import prod

from pumice.graph.node import Node
from pumice.lowering.blocking import COPIED
from pumice.lowering.expression import IsStored, affine_views, reading_order
from pumice.lowering.operand import Side, right_side
from pumice.lowering.steps import Step
from pumice.lowering.tiling import tile_rows
from pumice.lowering.window_axes import WindowedOperand, find_windows
from pumice.lowering.window_blocks import CALL
from pumice.lowering.window_plan import leaf_test, result_view
from pumice.lowering.window_product import WindowProduct
from pumice.lowering.window_rows import WindowRows
from pumice.lowering.window_sums import WindowSums
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.sizes import called
from pumice.target import Target


def lower_windows(group: Group, is_stored: IsStored, target: Target) -> list[Step] | None:
    """Return the launches of a product with sliding windows, None when there are none."""

    def stored_elsewhere(node: Node) -> bool:
        return node is not group.root and is_stored(node)

    product = group.contract if group.contract is not None else group.root
    if target.grid_lanes or product.numel == 0:
        return None
    windows = _by_lines(group, product, stored_elsewhere)
    if windows is None:
        return None
    sliding = windows.sliding
    if sliding and prod(axis.taps for axis in sliding) > prod(axis.extent for axis in sliding):
        found = _by_sums(product, stored_elsewhere)
        if found is not None:
            sums = WindowSums(group, stored_elsewhere, target, found)
            return sums.lower() if sums.cut() else None
    plans = [
        plan
        for kind in (WindowProduct, WindowRows)
        if (plan := kind(group, stored_elsewhere, target, windows)).cut()
    ]
    if not plans:
        return None
    best = min(plans, key=lambda plan: plan.cost)
    if not sliding and _is_cheaper_whole(product, stored_elsewhere, target, best.cost):
        return None
    return best.lower()


def _is_cheaper_whole(product: Node, is_stored: IsStored, target: Target, cost: int) -> bool:
    """Tell whether a product without taps takes less time than blocks of its positions.

    That is one of plain matrices, whose positions follow each other through the whole image.
    """
    spec = product.argument
    left = Side(product.sources[0], spec.batch, spec.m, is_stored)
    right = right_side(product.sources[1], spec.batch, spec.n, is_stored)
    if not (left.is_simple and right.is_simple and right.follows_lines) or right.memory is None:
        return False
    (_, m, k), (batches, n, _) = left.extents, right.extents
    tile = target.tiles[spec.accumulator.name]
    sizes = (batches, m, n, k, tile.rows, tile.columns, int(left.follows_k))
    return bool(called(_cycles, *sizes) < cost)


def _cycles(
    batches: int, m: int, n: int, k: int, most_rows: int, columns: int, follows_k: int
) -> int:
    """Return the rough cycles of a product of matrices, in those of `window_blocks`."""
    rows = tile_rows(m, most_rows)
    tiles, panels = -(-m // rows), -(-n // columns)
    copied = COPIED * k * panels
    if not follows_k:
        copied += COPIED * m * k // columns
    return int(batches * (tiles * panels * (k * rows + CALL) + copied))


def _by_lines(group: Group, product: Node, is_stored: IsStored) -> WindowedOperand | None:
    """Return the windows of the right operand, a position for each line."""
    spec = product.argument
    order = reading_order(
        [(group.root, result_view(group, product))], leaf_test(product, is_stored)
    )
    kept = [*range(spec.batch), *range(spec.batch + spec.m, len(product.shape))]
    others = [
        View(
            tuple(each.shape[axis] for axis in kept),
            tuple(each.strides[axis] for axis in kept),
        )
        for each in (result_view(group, product), *affine_views(order, is_stored))
    ]
    right = product.sources[1]
    first, second = spec.batch, spec.batch + spec.n
    lines, rest = range(first, second), range(second, len(right.shape))
    return find_windows(right, lines, rest, is_stored, others)


def _by_sums(product: Node, is_stored: IsStored) -> WindowedOperand | None:
    """Return the windows of the right operand, a position for each summed place."""
    spec = product.argument
    left, right = product.sources
    order = reading_order([(left, View.contiguous(left.shape))], is_stored)
    first, second = spec.batch, spec.batch + spec.n
    thin = (0,) * second
    others = [
        View(right.shape, (*thin, *each.strides[spec.batch + spec.m :]))
        for each in affine_views(order, is_stored)
    ]
    lines, rest = range(second, len(right.shape)), range(first, second)
    return find_windows(right, lines, rest, is_stored, others)
