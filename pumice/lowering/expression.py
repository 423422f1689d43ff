"""Scalar expressions for nodes that are computed where they are read.

A *reading* is a pair (node, view): the node's row-major elements read through a view over the
loops of a kernel. `reading_order` lists every reading an expression needs, operands first;
`Expressions` turns them into kernel values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pumice import dtypes
from pumice.errors import InternalError
from pumice.graph.node import Node
from pumice.kernel.ir import INDEX, FaultCode, Instruction, Value, index, load
from pumice.kernel.operators import apply_meaning, can_fail
from pumice.lowering.builder import KernelBuilder
from pumice.ops import structure
from pumice.ops.definition import Elementwise
from pumice.ops.view import Shape, View
from pumice.schedule import sources

Reading = tuple[Node, View]
IsStored = Callable[[Node], bool]


@dataclass(frozen=True, slots=True)
class Frame:
    """Loops over a space, after adjacent axes were merged.

    Attributes
    ----------
    members : tuple of tuple of int
        For each loop, the axes of the space it covers.
    variables : tuple of Value
        The position of each loop.
    """

    members: tuple[tuple[int, ...], ...]
    variables: tuple[Value, ...]


def operand_readings(node: Node, view: View) -> list[Reading]:
    """Return the readings a fused node needs for one of its own."""
    if node.op is structure.VIEW:
        composed = node.argument.compose(view)
        if composed is None:
            raise InternalError(f"{node!r} cannot be read through {view}")
        return [(node.sources[0], composed)]
    if node.op is structure.GATHER:
        return [(source, view) for source in node.sources[1:]]
    if sources.is_padding(node):
        value, offset = sources.boxed_value(node)
        inner = _box(node, view).view
        shifted = View(inner.shape, inner.strides, inner.offset + offset)
        return [(node.sources[0], view), (value, shifted)]
    return [(source, view) for source in node.sources]


def _box(node: Node, view: View) -> sources.BoxReading:
    found = sources.box_reading(node, view)
    if found is None:
        raise InternalError(f"{node!r} cannot be read through {view}")
    return found


def reading_order(roots: Sequence[Reading], is_leaf: IsStored) -> list[Reading]:
    """Return all readings below the roots, operands first, each once."""
    order: list[Reading] = []
    seen: set[Reading] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        reading, expanded = stack.pop()
        if expanded:
            order.append(reading)
            continue
        if reading in seen:
            continue
        seen.add(reading)
        node, view = reading
        stack.append((reading, True))
        if not is_leaf(node):
            stack.extend((each, False) for each in reversed(operand_readings(node, view)))
    return order


def affine_views(readings: Sequence[Reading], is_stored: IsStored) -> list[View]:
    """Return every view that becomes index arithmetic, so that axes can be merged."""
    views = []
    for node, view in readings:
        if is_stored(node) or node.op is structure.IOTA:
            views.append(view)
        elif node.op is structure.GATHER:
            for axis in node.argument.axes:
                if axis < 0:
                    place = sources.coordinate(node.shape, -1 - axis, view)
                    assert place is not None
                    views.append(place)
        elif sources.is_padding(node):
            views += [bound.place for bound in _box(node, view).bounds]
    return views


def merge_axes(shape: Shape, axes: Sequence[int], views: Sequence[View]) -> list[tuple[int, ...]]:
    """Merge neighbouring axes that every view steps through as one; drop axes of extent 1."""
    merged: list[tuple[int, ...]] = []
    for axis in axes:
        if shape[axis] == 1:
            continue
        if merged:
            previous = merged[-1][-1]
            if all(view.strides[previous] == view.strides[axis] * shape[axis] for view in views):
                merged[-1] = (*merged[-1], axis)
                continue
        merged.append((axis,))
    return merged


class Expressions:
    """Values of readings inside one kernel."""

    def __init__(
        self,
        builder: KernelBuilder,
        is_stored: IsStored,
        results: dict[Node, Value],
    ) -> None:
        self._builder = builder
        self._is_stored = is_stored
        self.results = results
        self._values: dict[tuple[Node, View, int], Value] = {}
        # Values are kept by the identity of their frame, so no frame may die and lend its own.
        self._frames: dict[int, Frame] = {}
        self.mask: Value | None = None

    def is_leaf(self, node: Node) -> bool:
        """Tell whether a node is not computed from its sources here."""
        return self._is_stored(node) or node in self.results

    def value(self, node: Node, view: View, frame: Frame) -> Value:
        """Return the value of one reading."""
        self._frames[id(frame)] = frame
        for each, through in reading_order([(node, view)], self.is_leaf):
            key = (each, through, id(frame))
            if key not in self._values:
                self._values[key] = self._compute(each, through, frame)
        return self._values[node, view, id(frame)]

    def provide(self, reading: Reading, frame: Frame, value: Value) -> None:
        """Give the value of a reading instead of computing it."""
        self._frames[id(frame)] = frame
        self._values[(*reading, id(frame))] = value

    def size(self, value: int, name: str) -> Value:
        """Return a run-time size."""
        return self._builder.size(value, name)

    def position(self, view: View, frame: Frame) -> Value:
        """Return the flat element a view points at, its offset left out."""
        strides = tuple(view.strides[members[-1]] for members in frame.members)
        total: Value | None = None
        for stride, variable in zip(self._builder.strides(strides), frame.variables, strict=True):
            if _is_number(stride, 0):
                continue
            term = variable if _is_number(stride, 1) else variable * stride
            total = term if total is None else total + term
        return index(0) if total is None else total

    def _compute(self, node: Node, view: View, frame: Frame) -> Value:
        if node in self.results:
            return self.results[node]
        if self._is_stored(node):
            buffer = self._builder.readable(node, node.dtype, view.offset)
            return load(buffer, self.position(view, frame), self.mask)
        op = node.op
        if op is structure.CONSTANT:
            return self._builder.number(node)
        if op is structure.IOTA:
            position = self.position(view, frame)
            if view.offset:
                position = position + self.size(view.offset, "offset")
            return position.cast(node.dtype)
        operands = [
            self._values[each, through, id(frame)] for each, through in operand_readings(node, view)
        ]
        if op in (structure.VIEW, structure.COPY):
            return operands[0]
        if op is structure.CAST:
            return operands[0].cast(node.dtype)
        if op is structure.BITCAST:
            return operands[0].bitcast(node.dtype)
        if op is structure.GATHER:
            return self._gather(node, view, frame, operands)
        if sources.is_padding(node):
            return self._padded(node, view, frame, operands)
        if isinstance(op, Elementwise):
            if can_fail(op, tuple(each.dtype for each in operands)):
                self._builder.suspects[node] = None
            return apply_meaning(op, operands, node.dtype)
        raise InternalError(f"{node!r} cannot be computed inside a loop")

    def _gather(self, node: Node, view: View, frame: Frame, indices: list[Value]) -> Value:
        operand = node.sources[0]
        coordinates = [
            self.coordinate(node.shape, -1 - axis, view, frame) if axis < 0 else indices[axis]
            for axis in node.argument.axes
        ]
        if not node.argument.fill:
            self._builder.suspects[node] = None
        place, mask = self.indexed_position(operand.shape, node.argument, coordinates)
        if self.mask is not None:
            mask = self.mask if mask is None else mask & self.mask
        return load(self._builder.readable(operand, operand.dtype), place, mask)

    def _padded(self, node: Node, view: View, frame: Frame, operands: list[Value]) -> Value:
        """Read a box where the coordinates lie in it, the constant around it."""
        fill, element = operands
        inside: Value | None = None
        for bound in _box(node, view).bounds:
            position = self.position(bound.place, frame)
            low, high = bound.place.bounds()
            shift = bound.place.offset - bound.start
            if shift:
                position = position + self.size(shift, "offset")
            tests = []
            if low < bound.start:
                tests.append(index(0) <= position)
            if high >= bound.start + bound.length:
                tests.append(position < self.size(bound.length, "extent"))
            for test in tests:
                inside = test if inside is None else inside & test
        if inside is None:
            return element
        if element.instruction is Instruction.LOAD:
            mask = inside if self.mask is None else inside & self.mask
            element = load(element.attribute, element.arguments[0], mask)
        return inside.select(element, fill)

    def coordinate(self, shape: Shape, axis: int, view: View, frame: Frame) -> Value:
        """Return the coordinate along an axis of the space a view reads."""
        place = sources.coordinate(shape, axis, view)
        assert place is not None
        position = self.position(place, frame)
        if place.offset:
            position = position + self.size(place.offset, "offset")
        return position

    def indexed_position(
        self, shape: Shape, argument: structure.Indexing, coordinates: list[Value]
    ) -> tuple[Value, Value | None]:
        """Return the flat element at computed coordinates, and where it may be touched."""
        total: Value = index(0)
        mask: Value | None = None
        for axis, coordinate in enumerate(coordinates):
            extent = self.size(shape[axis], "extent")
            if argument.axes[axis] >= 0:
                wide = coordinate.cast(dtypes.int64)
                limit = extent.cast(dtypes.int64)
                wrapped = (wide < 0).select(wide + limit, wide)
                # Negative numbers are large ones without a sign.
                inside = wrapped.bitcast(dtypes.uint64) < limit.bitcast(dtypes.uint64)
                if not argument.fill:
                    outside = ~inside if self.mask is None else ~inside & self.mask
                    wrapped = wrapped.fail_if(outside, FaultCode.INDEX_OUT_OF_RANGE.value)
                mask = inside if mask is None else mask & inside
                coordinate = wrapped.cast(INDEX)
            total = coordinate if axis == 0 else total * extent + coordinate
        return total, mask


def _is_number(value: Value, number: int) -> bool:
    return value.attribute == number and isinstance(value.attribute, int)
