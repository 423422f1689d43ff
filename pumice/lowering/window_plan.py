"""A product with sliding windows: what is packed in which order, and the launch for weights."""

from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Loop,
    LoopKind,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.window_axes import WindowedOperand, can_read
from pumice.lowering.window_blocks import (
    PackedAxis,
    choose_blocks,
)
from pumice.ops.view import View
from pumice.schedule.items import Group
from pumice.target import Target, Tile

Groups = list[tuple[int, ...]]


class Block:
    """Where a grid item's block begins, and how much of it lies inside."""

    def __init__(self, builder: KernelBuilder, variable: Variable, length: int, total: int) -> None:
        size = builder.size(length, "block")
        self.start = variable_value(variable) * size
        self.count = minimum(size, builder.size(total, "total") - self.start)


def result_view(group: Group, product: Node) -> View:
    """Return how the group's space is read over the product's."""
    return View.contiguous(product.shape) if group.inverse is None else group.inverse


def leaf_test(product: Node, is_stored: IsStored) -> IsStored:
    def is_leaf(node: Node) -> bool:
        return node is product or is_stored(node)

    return is_leaf


class WindowProduct:
    """Lowers one product whose right operand is windows of its base."""

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
        self.panels = -(-self.m // self.tile.rows)

    def cut(self) -> bool:
        """Decide how the product is cut; tell whether any block of it fits."""
        found = choose_blocks(
            self.windows.lines, self.batch_count, self.m, self.channel_count, self.tile
        )
        if found is None:
            return False
        self.b = found
        return can_read(self.windows.base, self.packing_view(), self.is_stored)

    # -- what both launches agree on ------------------------------------------------------------

    @property
    def taps(self) -> int:
        return prod(axis.axis.taps for axis in self.b.axes)

    @property
    def _expanded(self) -> list[PackedAxis]:
        return [axis for axis in self.b.axes if axis.expanded]

    @property
    def _shifted(self) -> list[PackedAxis]:
        return [axis for axis in self.b.axes if not axis.expanded and axis.axis.taps > 1]

    @property
    def inner_taps(self) -> int:
        """Taps that follow each other in the depth of one multiplication."""
        return prod(axis.axis.taps for axis in self._expanded)

    def pack_weights(self) -> tuple[Scratch, Step]:
        """Pack ``[batch][panel][pass][shifted taps][expanded taps][channel][row]``."""
        left, rows = self.left, self.tile.rows
        shape, spec = left.shape, self.spec
        depth = self.taps * self.channel_count
        count = self.batch_count * self.panels * rows * depth
        scratch = Scratch(count * spec.accumulator.itemsize)
        view = View.contiguous(shape)
        views = affine_views(reading_order([(left, view)], self.is_stored), self.is_stored)
        batch_axes = merge_axes(shape, range(spec.batch), views)
        line_axes = merge_axes(shape, range(spec.batch, spec.batch + spec.m), views)

        builder = KernelBuilder()
        expressions = Expressions(builder, self.is_stored, {})
        output = builder.writable(scratch, spec.accumulator)
        batch, panel, block = Variable("batch"), Variable("panel"), Variable("pass")
        channel, lane = Variable("channel"), Variable("lane")
        passes = -(-self.channel_count // self.b.channels)
        place = Block(builder, block, self.b.channels, self.channel_count)
        line = variable_value(panel) * index(rows) + variable_value(lane)
        inside = line < builder.size(self.m, "m")
        expressions.mask = inside
        taps = [(axis, Variable("tap")) for axis in (*self._shifted, *self._expanded)]
        position: Value = index(0)
        groups: Groups = [*batch_axes, *line_axes]
        variables = [
            *Positions(builder, shape).split(variable_value(batch), batch_axes),
            *Positions(builder, shape).split(line, line_axes),
        ]
        offset = spec.m - spec.n  # from the right operand's summed axes to the left one's
        loops: list[tuple[Variable, Value]] = []
        for axis, variable in taps:
            size = builder.size(axis.axis.taps, "taps")
            position = position * size + variable_value(variable)
            assert axis.axis.tap_axis is not None
            groups.append((axis.axis.tap_axis + offset,))
            variables.append(variable_value(variable))
            loops.append((variable, size))
        merged = merge_axes(shape, [each + offset for each in self.windows.channels], views)
        groups += merged
        variables += Positions(builder, shape).split(place.start + variable_value(channel), merged)
        loops.append((channel, place.count))
        element = expressions.value(left, view, Frame(tuple(groups), tuple(variables)))
        element = inside.select(element.cast(spec.accumulator), constant(0, spec.accumulator))
        panel_size = builder.size(self.panels, "panels")
        base = variable_value(batch) * panel_size + variable_value(panel)
        base = base * builder.size(depth, "depth")
        base = base + place.start * builder.size(self.taps, "taps")
        base = base + position * place.count + variable_value(channel)
        at = base * index(rows) + variable_value(lane)
        body: tuple[Statement, ...] = (Store(output, at, element),)
        for variable, size in reversed(loops):
            body = (Loop(variable, index(0), size, LoopKind.SERIAL, body),)
        body = (Loop(lane, index(0), index(rows), LoopKind.LANES, body),)
        grid = (
            (batch, builder.size(self.batch_count, "batch"), self.batch_count),
            (panel, panel_size, self.panels),
            (block, builder.size(passes, "passes"), passes),
        )
        cost = self.taps * self.b.channels * rows // 2 + 1
        return scratch, builder.finish(grid, body, cost, left)

    def packing_view(self) -> View:
        """Return how packed elements read the base: (batch, positions, channels, copies)."""
        windows, spec = self.windows, self.spec
        view, shape = windows.view, self.right.shape
        extents = [*shape[: spec.batch]]
        strides = [*view.strides[: spec.batch]]
        for packed in self.b.axes:
            extents.append(packed.axis.extent + packed.halo)
            strides.append(packed.axis.stride)
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
