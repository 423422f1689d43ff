"""The order of rows after exchanges, one item per list of exchanges."""

from math import prod

from pumice import dtypes
from pumice.graph.node import Node
from pumice.kernel.ir import INDEX, FaultCode, Let, Value
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.lowering.matrix_memory import Body, Launch, Row
from pumice.lowering.statements import lanes, serial
from pumice.lowering.steps import Step
from pumice.ops.view import View
from pumice.target import Target


def lower_permutation(node: Node, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launch that exchanges places and inverts the order."""
    (source,) = node.sources
    rows, count = node.argument, source.shape[-1]
    launch = Launch.of(prod(source.shape[:-1]))
    view, last = View.contiguous(source.shape), len(source.shape) - 1
    views = affine_views(reading_order([(source, view)], is_stored), is_stored)
    groups = merge_axes(source.shape, range(last), views)
    split = Positions(launch.builder, source.shape).split(launch.number, groups)
    expressions = Expressions(launch.builder, is_stored, {})
    matrix = launch.matrix(node, node.dtype, 2 * rows, rows)
    size = launch.builder.size(rows, "rows")
    order, inverse = Row(matrix.memory, matrix.base), Row(matrix.memory, matrix.base + size)
    launch.builder.suspects[node] = None

    def swap(i: Value) -> Body:
        given = expressions.value(source, view, Frame((*groups, (last,)), (*split, i)))
        outside = (given < 1) | (given > size.cast(dtypes.int32))
        sure = given.fail_if(outside, FaultCode.INDEX_OUT_OF_RANGE.value)
        other = outside.select(i.cast(dtypes.int32), sure - 1).cast(INDEX)
        first, second = order.get(i), order.get(other)
        return (
            *(Let(each) for each in (other, first, second)),
            order.put(i, second),
            order.put(other, first),
        )

    def invert(i: Value) -> Body:
        place = order.get(i)
        return (inverse.put(place.cast(INDEX), i.cast(dtypes.int32)),)

    body = (
        lanes("i", size, lambda i: (order.put(i, i.cast(dtypes.int32)),)),
        serial("s", launch.builder.size(count, "exchanges"), swap),
        serial("o", size, invert),
    )
    return [launch.finish(body, rows * 3, node)]
