"""Operands of products on GPUs: elements where they are needed, or packed panels of them."""

from dataclasses import dataclass
from math import prod

from pumice.dtypes import DType
from pumice.graph.node import Node
from pumice.kernel.ir import Statement, Store, Value, Variable, constant, index, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Axes, Positions
from pumice.lowering.expression import Expressions, Frame
from pumice.lowering.loops import variable_value
from pumice.lowering.operand import CHEAP, Side
from pumice.lowering.steps import Scratch, Step
from pumice.ops.definition import Elementwise
from pumice.ops.view import View
from pumice.schedule.sources import weight_of

DEAR = 24
"""Weight of computing it again and again from which it is written to memory first."""


@dataclass(frozen=True, eq=False)
class Operand(Side):
    """One side of a product on a GPU, summed in a dtype."""

    accumulator: DType

    def element(self, builder: KernelBuilder, batch: Value, line: Value, step: Value) -> Value:
        """Return an element in the dtype that products are summed in."""
        node = self.node
        positions = Positions(builder, node.shape)
        axes: tuple[Axes, ...] = ()
        variables: tuple[Value, ...] = ()
        for place, members in zip((batch, line, step), self.groups, strict=True):
            if members:
                axes += tuple(members)
                variables += positions.split(place, members)
        expressions = Expressions(builder, self.is_stored, {})
        frame = Frame(axes, variables)
        element = expressions.value(node, View.contiguous(node.shape), frame)
        return element.cast(self.accumulator)

    def dear_nodes(self, repeats: int) -> list[Node]:
        """Return what should be in memory before a product evaluates each element some times."""
        computed = [node for node in self.computed if isinstance(node.op, Elementwise)]
        if not computed:
            return []
        # An element of what is below a window is asked for once per place of the window.
        top = computed[-1]
        again = repeats * -(-self.node.numel // max(top.numel, 1))
        weight = sum(weight_of(node) for node in computed)
        return [top] if weight > CHEAP and weight * (again - 1) >= DEAR else []


def pack(operand: Operand, tile: int) -> tuple[Scratch, Step]:
    """Return the packed memory ``[batch][panel][k][tile]`` of an operand, and its launch."""
    node = operand.node
    shape = node.shape
    batch, lines, k = operand.extents
    panels = -(-lines // tile)
    scratch = Scratch(batch * panels * tile * k * operand.accumulator.itemsize)
    batch_axes, line_axes, k_axes = operand.groups
    builder = KernelBuilder()
    expressions = Expressions(builder, operand.is_stored, {})
    output = builder.writable(scratch, operand.accumulator)
    panel, item, lane = Variable("panel"), Variable("batch"), Variable("lane")
    width = index(tile)
    line = variable_value(panel) * width + variable_value(lane)
    inside = line < builder.size(lines, "lines")
    panel_count = builder.size(panels, "panels")
    base = (variable_value(item) * panel_count + variable_value(panel)) * builder.size(k, "k")
    k_variables = [Variable("k") for _ in k_axes]
    extents = [prod(shape[axis] for axis in members) for members in k_axes]
    k_position: Value = index(0)
    sizes = []
    for variable, extent in zip(k_variables, extents, strict=True):
        size = builder.size(extent, "extent")
        sizes.append(size)
        k_position = k_position * size + variable_value(variable)
    positions = Positions(builder, shape)
    expressions.mask = inside
    frame = Frame(
        (*batch_axes, *line_axes, *k_axes),
        positions.split(variable_value(item), batch_axes)
        + positions.split(line, line_axes)
        + tuple(variable_value(variable) for variable in k_variables),
    )
    element = expressions.value(node, View.contiguous(shape), frame).cast(operand.accumulator)
    # Masked loads give 0, but what is computed from them need not be 0 (exp of it is 1).
    element = inside.select(element, constant(0, operand.accumulator))
    at = (base + k_position) * width + variable_value(lane)
    body: tuple[Statement, ...] = (Store(output, at, element),)
    grid = [(item, builder.size(batch, "batch"), batch), (panel, panel_count, panels)]
    grid += list(zip(k_variables, sizes, extents, strict=True))
    grid.append((lane, width, tile))
    return scratch, builder.finish(tuple(grid), body, 1, node)


def packed_element(
    builder: KernelBuilder,
    operand: Operand,
    scratch: Scratch,
    tile: int,
    places: tuple[Value, Value, Value],
) -> Value:
    """Return an element of packed memory, given batch, line and step."""
    _, lines, k = operand.extents
    batch, line, step = places
    panel = batch * builder.size(-(-lines // tile), "panels") + line.quotient(tile)
    at = (panel * builder.size(k, "k") + step) * tile + line.modulus(tile)
    return load(builder.readable(scratch, operand.accumulator), at)
