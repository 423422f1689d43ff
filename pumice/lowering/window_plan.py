"""What the lowerings of products with sliding windows share: sizes, blocks, how memory is read."""

from math import prod

from pumice.graph.node import Node
from pumice.lowering.expression import (
    IsStored,
    affine_views,
    reading_order,
)
from pumice.lowering.window_axes import WindowedOperand, can_read
from pumice.lowering.window_blocks import Geometry, PackedAxis
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target, Tile

Groups = list[tuple[int, ...]]


def result_view(group: Group, product: Node) -> View:
    """Return how the group's space is read over the product's."""
    return View.contiguous(product.shape) if group.inverse is None else group.inverse


def leaf_test(product: Node, is_stored: IsStored) -> IsStored:
    def is_leaf(node: Node) -> bool:
        return node is product or is_stored(node)

    return is_leaf


class WindowPlan:
    """One product whose right operand is windows of its base, and the blocks it is cut into.

    Attributes
    ----------
    m, channel_count, batch_count : int
        Rows of the result, channels that are summed (or tell results apart), independent products.
    """

    b: Geometry
    cost: int

    def __init__(
        self, group: Group, is_stored: IsStored, target: Target, windows: WindowedOperand
    ) -> None:
        self.group, self.windows = group, windows
        self.product = group.contract if group.contract is not None else group.root
        self.spec = self.product.argument
        self.left, self.right = self.product.sources
        self.is_stored, self._is_leaf = is_stored, leaf_test(self.product, is_stored)
        shape = self.left.shape
        self.batch_count = prod(shape[: self.spec.batch])
        self.m = prod(shape[self.spec.batch : self.spec.batch + self.spec.m])
        self.channel_count = prod(self.right.shape[axis] for axis in windows.channels)
        self.tile: Tile = target.tiles[self.spec.accumulator.name]

    @property
    def taps(self) -> int:
        return prod(axis.axis.taps for axis in self.b.axes)

    @property
    def expanded(self) -> list[PackedAxis]:
        return [axis for axis in self.b.axes if axis.expanded]

    @property
    def shifted(self) -> list[PackedAxis]:
        return [axis for axis in self.b.axes if not axis.expanded and axis.axis.taps > 1]

    @property
    def inner_taps(self) -> int:
        """Taps that follow each other in the depth of one multiplication."""
        return prod(axis.axis.taps for axis in self.expanded)

    def packing_view(self) -> View:
        """Return how packed elements read the base: (batch, positions, channels, copies)."""
        windows, spec = self.windows, self.spec
        view, shape = windows.view, self.right.shape
        extents = [*shape[: spec.batch]]
        strides = [*view.strides[: spec.batch]]
        for packed in self.b.axes:
            extents.append(packed.spanned(packed.axis.extent))
            strides.append(packed.stride)
        for axis in windows.channels:
            extents.append(shape[axis])
            strides.append(view.strides[axis])
        for packed in self.b.axes:
            extents.append(packed.copies)
            strides.append(packed.axis.tap_stride if packed.expanded else packed.axis.unit)
        return View(tuple(extents), tuple(strides), view.offset)

    def epilogue_views(self) -> list[View]:
        """Return how the epilogue reads and writes memory, over the product's axes."""
        view = result_view(self.group, self.product)
        order = reading_order([(self.group.root, view)], self._is_leaf)
        return [view, *affine_views(order, self.is_stored)]

    def can_pack(self) -> bool:
        """Tell whether the base can be read as the blocks need it."""
        return can_read(self.windows.base, self.packing_view(), self.is_stored)
