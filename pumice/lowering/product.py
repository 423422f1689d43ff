"""Products on targets whose grid items are serial: operands are read where they lie.

A product of tiles needs the right operand as rows of columns. Where memory holds it that way and
few rows read it, it is read in place; otherwise each grid item copies the panels it uses to local
memory, turning them if need be, while rows of the left operand are read in place or copied a tile
at a time. So nothing is packed beforehand, and an element is always summed in the order of k.

A product of very few rows whose right operand runs along k is a set of dot products, which follow
that operand once through memory (`dot.py`); one that lies by rows is swept likewise (`sweep.py`).
"""

from dataclasses import replace

from pumice.graph.node import Node
from pumice.lowering.blocking import choose_tiling
from pumice.lowering.dot import DotLowering, suits_dot
from pumice.lowering.expression import IsStored
from pumice.lowering.long_rows import lower_loop
from pumice.lowering.operand import Product, Side, right_side
from pumice.lowering.panels import PanelLowering
from pumice.lowering.steps import Step
from pumice.lowering.sweep import SweepLowering, suits_sweep
from pumice.lowering.tiling import word_tiling
from pumice.lowering.words import WordLowering, is_readable, suits_words
from pumice.schedule.items import Group, GroupKind, Space
from pumice.target import Target

FEW = 4
"""Most columns for which a product is turned round, so that they become rows."""


class _Operands:
    """Gives memory to operands that cannot be used as they are."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        self.steps: list[Step] = []
        self._target = target
        self._written: set[Node] = set()

        def stored(node: Node) -> bool:
            return node in self._written or (node is not group.root and is_stored(node))

        self.is_stored: IsStored = stored

    def written(self, side: Side) -> Side:
        """Return the side with its elements stored in order."""
        node = side.node
        if not self.is_stored(node):
            group = Group(node, GroupKind.LOOP, Space(node.shape, ()), settled=True)
            self.steps += lower_loop(group, self.is_stored, self._target)
            self._written.add(node)
        return Side(node, side.batch, side.lines, self.is_stored)


def lower_product(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a product group."""
    node = group.contract if group.contract is not None else group.root
    if node.numel == 0:
        return []
    operands = _Operands(group, is_stored, target)
    spec = node.argument
    left = Side(node.sources[0], spec.batch, spec.m, operands.is_stored)
    right = Side(node.sources[1], spec.batch, spec.n, operands.is_stored)
    m, n = left.extents[1], right.extents[1]
    swapped = n <= FEW and n < m
    if swapped:
        left, right = right, left
    product = Product(group, node, left, right, swapped, operands.is_stored, target)
    if not (swapped or suits_dot(product) or suits_sweep(product) or suits_words(product)):
        right = right_side(node.sources[1], spec.batch, spec.n, operands.is_stored)
        product = replace(product, right=right)
    if suits_dot(product):
        if left.memory is None or not left.follows_k:
            left = operands.written(left)
        step = DotLowering(replace(product, left=left)).step()
        return [*operands.steps, step]
    if suits_sweep(product):
        if not left.is_simple or left.memory is None:
            left = operands.written(left)
        step = SweepLowering(replace(product, left=left)).step()
        return [*operands.steps, step]
    if suits_words(product):
        if not left.is_simple or left.memory is None or not left.follows_k:
            left = operands.written(left)
        if not is_readable(right):
            right = operands.written(right)
        product = replace(product, left=left, right=right)
        return [*operands.steps, *WordLowering(product, word_tiling(product)).steps()]
    left, right = _readable(operands, left, right, product)
    product = replace(product, left=left, right=right)
    return [*operands.steps, PanelLowering(product, choose_tiling(product)).step()]


def _readable(operands: _Operands, left: Side, right: Side, product: Product) -> tuple[Side, Side]:
    """Store operands that are dear to compute or do not follow memory."""
    tiling = choose_tiling(product)
    is_read_once = tiling.row_tiles == 1 and tiling.column_blocks > 1
    if not left.is_simple or (
        left.memory is None and (is_read_once or not left.is_cheap and tiling.column_blocks > 1)
    ):
        left = operands.written(left)
    repeated = not right.is_cheap and tiling.row_blocks > 1
    if not right.is_simple or (right.memory is None and (repeated or not right.follows_lines)):
        right = operands.written(right)
    return left, right
