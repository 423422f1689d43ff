"""The sum of the gradients that reach one node.

A loop over steps reads a sequence one step at a time and multiplies by the same weight in each,
so as many gradients as there are steps arrive at the sequence and at the weight. Added one by one
they would pass over all of it that often:

    zeros[0:1] = g0  +  zeros[1:2] = g1  + ...   becomes   empty[0:1] = g0; [1:2] = g1; ...
    contract(a0, b0) + contract(a1, b1)  + ...   becomes   contract(cat(a0, a1 ...), cat(b0, ...))
"""

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import add

from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.definition import OpDef
from pumice.ops.structure import Contraction
from pumice.ops.view import View

FEW = 4
"""Parts up to which one kernel adds them at least as fast as they are placed one by one."""


def total(parts: Sequence[Node]) -> Node:
    """Return the sum of gradients of one shape and dtype."""
    if len(parts) > FEW:
        parts = _joined(_placed(parts))
    return reduce(add, parts)


# -- parts that do not overlap --------------------------------------------------------------------


def _placed(parts: Sequence[Node]) -> list[Node]:
    """Put parts that are a box of elements among zeros into one tensor."""
    boxes = [part for part in parts if _is_box(part)]
    shape = parts[0].shape
    if len(boxes) <= FEW or not _disjoint([part.argument for part in boxes], shape):
        return list(parts)
    first = boxes[0]
    filled = sum(part.argument.numel for part in boxes) == prod(shape)
    base = build.empty(first.dtype, shape, first.device) if filled else first.sources[0]
    for part in boxes:
        base = build.update(base, part.sources[1], part.argument)
    return [base, *(part for part in parts if not _is_box(part))]


def _is_box(part: Node) -> bool:
    if part.op is not structure.UPDATE or part.value is not None:
        return False
    base = part.sources[0]
    return base.op is structure.CONSTANT and base.argument.value == 0


def _disjoint(boxes: Sequence[View], shape: tuple[int, ...]) -> bool:
    """Tell whether boxes surely share no element, being apart along one axis."""
    for axis in range(len(shape)):
        ranges = [_range(box, shape, axis) for box in boxes]
        known = sorted(each for each in ranges if each is not None)
        if len(known) == len(boxes) and all(
            earlier[1] < later[0] for earlier, later in zip(known, known[1:], strict=False)
        ):
            return True
    return False


def _range(box: View, shape: tuple[int, ...], axis: int) -> tuple[int, int] | None:
    """Return the first and last index along an axis that a box reaches, or None if unclear."""
    outer, inner = prod(shape[axis:]), prod(shape[axis + 1 :])
    if not box.numel or any(stride < 0 for stride in box.strides):
        return None
    first = last = box.offset % outer
    for extent, stride in zip(box.shape, box.strides, strict=True):
        if stride % outer:
            last += (extent - 1) * stride
    # Beyond `outer` a position carries into the axes before this one.
    return (first // inner, last // inner) if last < outer else None


# -- products -------------------------------------------------------------------------------------


def _joined(parts: Sequence[Node]) -> list[Node]:
    """Make one product of parts that are products, or equal views of products, of equal shapes."""
    groups: dict[tuple[object, ...], list[Node]] = {}
    for part in parts:
        product = part.sources[0] if _is_unread(part, structure.VIEW) else part
        key: tuple[object, ...] = (id(part),)
        if _is_unread(product, structure.CONTRACT) and product.argument.k:
            left, right = product.sources
            reading = None if product is part else part.argument
            key = (reading, product.argument, left.shape, right.shape, left.dtype, product.dtype)
        groups.setdefault(key, []).append(part)
    return [part for group in groups.values() for part in _product(group)]


def _is_unread(node: Node, op: OpDef) -> bool:
    return node.op is op and node.value is None and bool(node.sources)


def _product(group: list[Node]) -> list[Node]:
    first = group[0]
    products = [part.sources[0] for part in group] if first.op is structure.VIEW else group
    if len(group) <= FEW or not _worthwhile(products[0]):
        return group
    spec: Contraction = products[0].argument
    left = _end_to_end([part.sources[0] for part in products], spec.batch + spec.m)
    right = _end_to_end([part.sources[1] for part in products], spec.batch + spec.n)
    result = build.contract(left, right, spec, products[0].dtype)
    return [build.view(result, first.argument) if first.op is structure.VIEW else result]


def _end_to_end(operands: Sequence[Node], axis: int) -> Node:
    """Join operands along an axis that lies outermost in memory, so each is copied in one piece."""
    rank = len(operands[0].shape)
    others = tuple(place for place in range(rank) if place != axis)
    whole = build.concatenate([build.permute(each, (axis, *others)) for each in operands], 0)
    return build.permute(whole, (*range(1, axis + 1), 0, *range(axis + 1, rank)))


def _worthwhile(part: Node) -> bool:
    """Tell whether joining operands moves less than adding up results."""
    return sum(prod(source.shape) for source in part.sources) < prod(part.shape)
