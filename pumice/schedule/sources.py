"""Small questions about nodes that scheduling and lowering both ask."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.definition import Accepts, Elementwise, Reduction, Scan
from pumice.ops.matrix_operations import WITH_GRADIENTS
from pumice.ops.size import code_size
from pumice.ops.view import Shape, View, contiguous_strides

WIDE_ROW = 64
TALL = 32

IDENTITIES = frozenset((structure.LEAF, structure.DETACH, structure.CUSTOM, *WITH_GRADIENTS))
_PASSED = IDENTITIES | {structure.AFTER}
TRANSPARENT = frozenset((structure.CONSTANT, structure.IOTA, structure.VIEW))


def resolve(node: Node) -> Node:
    """Skip operations that only mean something to autograd."""
    while node.op in _PASSED and node.value is None:
        sources = node.sources
        if not sources:  # another thread has just settled it
            break
        node = sources[0]
    return node


def is_available(node: Node) -> bool:
    """Tell whether a node already has memory."""
    return node.value is not None


def is_padding(node: Node) -> bool:
    """Tell whether a node is a constant with a box of another tensor in it."""
    if node.op is not structure.UPDATE or node.value is not None:
        return False
    return node.sources[0].op is structure.CONSTANT


def is_fusible(node: Node) -> bool:
    """Tell whether a node can be computed where it is read."""
    op = node.op
    if is_padding(node):
        return True
    return isinstance(op, Elementwise) or op in (
        structure.CONSTANT,
        structure.IOTA,
        structure.VIEW,
        structure.CAST,
        structure.BITCAST,
        structure.GATHER,
    )


def code_size_of(node: Node) -> int:
    """Return about how many instructions computing a node adds to a kernel."""
    if isinstance(node.op, Elementwise):
        return code_size(node.op, tuple([source.dtype for source in node.sources]))
    return 0 if node.op in TRANSPARENT else 1


def weight_of(node: Node) -> int:
    """Return roughly how many instructions an element of a fused node takes."""
    if isinstance(node.op, Elementwise):
        return 8 if node.op.accepts is Accepts.FLOAT else 1
    return 0 if node.op in TRANSPARENT else 1


def is_reduction(node: Node) -> bool:
    return isinstance(node.op, Reduction)


def is_scan(node: Node) -> bool:
    return isinstance(node.op, Scan)


def coordinate_view(shape: Shape, axis: int) -> View:
    """Return the view whose flat position is the coordinate along one axis."""
    strides = tuple(1 if position == axis else 0 for position in range(len(shape)))
    return View(shape, strides, 0)


def coordinate(shape: Shape, axis: int, reader: View) -> View | None:
    """Return the coordinate along one axis of ``shape`` as ``reader`` meets it, if it is affine."""
    if reader.shape == shape and reader.offset == 0 and reader.is_contiguous():
        return coordinate_view(shape, axis)
    return coordinate_view(shape, axis).compose(reader)


@dataclass(frozen=True, slots=True)
class Bound:
    """A coordinate that must lie in ``start .. start + length`` for an element to be read."""

    place: View
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class BoxReading:
    """How a padded tensor is read: elements of the value where all bounds hold, else the constant.

    Where a bound does not hold, `view` may point outside of the value's memory.
    """

    view: View
    bounds: tuple[Bound, ...]


def box_reading(node: Node, reader: View) -> BoxReading | None:
    """Return how a padding (`is_padding`) is read, None when its coordinates are not affine."""
    return _box_reading(node.shape, node.argument, reader)


def boxed_value(node: Node) -> tuple[Node, int]:
    """Return the node whose memory holds a padding's value, and the flat element it starts at."""
    value, offset = node.sources[1], 0
    while value.op is structure.VIEW and not is_available(value) and value.argument.is_contiguous():
        offset += value.argument.offset
        value = value.sources[0]
    return value, offset


@lru_cache(maxsize=4096)
def _box_reading(shape: Shape, box: View, reader: View) -> BoxReading | None:
    steps = contiguous_strides(box.shape)
    strides = [0] * len(reader.shape)
    offset = 0
    bounds = []
    free = {axis for axis, extent in enumerate(box.shape) if extent > 1}
    for axis, extent in enumerate(shape):
        within = coordinate(shape, axis, box)
        place = coordinate(shape, axis, reader)
        if within is None or place is None:
            return None
        moving = [each for each in range(len(box.shape)) if _moves(within, each)]
        if len(moving) > 1 or not free.issuperset(moving):
            return None
        length = 1
        for each in moving:
            if within.strides[each] != 1:
                return None
            free.discard(each)
            length = box.shape[each]
            offset += (place.offset - within.offset) * steps[each]
            for position, stride in enumerate(place.strides):
                strides[position] += stride * steps[each]
        if reader.numel and extent != length:
            low, high = place.bounds()
            if low < within.offset or high >= within.offset + length:
                bounds.append(Bound(place, within.offset, length))
    if free or 0 in box.shape:
        return None
    return BoxReading(View(reader.shape, tuple(strides), offset), tuple(bounds))


def _moves(view: View, axis: int) -> bool:
    return view.shape[axis] > 1 and view.strides[axis] != 0


def reduction_source_view(node: Node, reader: View, inner: tuple[int, ...]) -> View | None:
    """Return how a reduction's source is read over (outer axes of ``reader``, reduced axes).

    ``reader`` reads the reduction's result and does not move along its ``inner`` axes. None when
    it is no strided box.
    """
    source = node.sources[0]
    axes = node.argument
    strides = contiguous_strides(source.shape)
    kept = View(node.shape, strides, 0).compose(reader)
    if kept is None:
        return None
    outer = [axis for axis in range(len(reader.shape)) if axis not in inner]
    return View(
        tuple(reader.shape[axis] for axis in outer) + tuple(source.shape[axis] for axis in axes),
        tuple(kept.strides[axis] for axis in outer) + tuple(strides[axis] for axis in axes),
        kept.offset,
    )


def without_axes(view: View, axes: tuple[int, ...]) -> View:
    """Return the view with some axes held at 0."""
    kept = [axis for axis in range(len(view.shape)) if axis not in axes]
    return View(
        tuple(view.shape[axis] for axis in kept),
        tuple(view.strides[axis] for axis in kept),
        view.offset,
    )


def reduced_extent(node: Node) -> int:
    """Return how many elements one result of a reduction folds."""
    source = node.sources[0]
    return prod(source.shape[axis] for axis in node.argument)


def folds_columns(node: Node) -> bool:
    """Tell whether a reduction runs down long columns of a row-major tensor.

    It is worth a kernel of its own, which takes in one row after the other.
    """
    shape = node.sources[0].shape
    last = len(shape) - 1
    return last not in node.argument and shape[last] >= WIDE_ROW and reduced_extent(node) >= TALL
