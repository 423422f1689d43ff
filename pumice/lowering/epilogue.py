"""What becomes of a product's elements: the elementwise group that reads it, or plain stores."""

from dataclasses import dataclass
from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import Instruction, Parameter, Store, Value
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import (
    Expressions,
    Frame,
    IsStored,
    affine_views,
    merge_axes,
    reading_order,
)
from pumice.ops.view import Shape, View
from pumice.schedule.items import Group

Axes = tuple[int, ...]


class Positions:
    """Positions of merged axes inside a flattened one; each extent is one argument."""

    def __init__(self, builder: KernelBuilder, shape: Shape) -> None:
        self._builder = builder
        self._shape = shape
        self._extents: dict[Axes, Value] = {}

    def split(self, position: Value, groups: list[Axes]) -> tuple[Value, ...]:
        """Return the position of each group of axes, last one fastest."""
        values: list[Value] = []
        rest = position
        for number, members in enumerate(reversed(groups)):
            if number == len(groups) - 1:
                values.append(rest)
                break
            extent = self._extents.get(members)
            if extent is None:
                count = prod(self._shape[axis] for axis in members)
                extent = self._extents[members] = self._builder.size(count, "extent")
            values.append(rest.modulus(extent))
            rest = rest.quotient(extent)
        return tuple(reversed(values))


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element of a result goes, and the distance between rows."""

    buffer: Parameter
    at: Value
    row: Value


class Epilogue:
    """Stores elements of a product, or what the group computes from them."""

    def __init__(
        self,
        builder: KernelBuilder,
        group: Group,
        product: Node,
        is_stored: IsStored,
        apart: int = 0,
    ) -> None:
        """Take how many of the first column axes count as batch."""
        self._builder = builder
        self._root = group.root
        self._product = product
        self._is_stored = is_stored
        spec, shape = product.argument, product.shape
        # Views over the group's space are read over the product's space.
        self._view = View.contiguous(shape) if group.inverse is None else group.inverse
        views = affine_views(reading_order([(self._root, self._view)], self._is_leaf), is_stored)
        views.append(self._view)
        first, second = spec.batch, spec.batch + spec.m
        self._groups = (
            merge_axes(shape, (*range(first), *range(second, second + apart)), views),
            merge_axes(shape, range(first, second), views),
            merge_axes(shape, range(second + apart, len(shape)), views),
        )
        self._positions = Positions(builder, shape)
        self._output = builder.writable(self._root, self._root.dtype, self._view.offset)

    def _is_leaf(self, node: Node) -> bool:
        return node is self._product or self._is_stored(node)

    def place(self, batch: Value, row: Value, column: Value) -> Place | None:
        """Return where an element goes as it is, and how far from it that of the next row.

        None if something is computed from it, or if columns do not lie side by side.
        """
        rows, columns = (
            self._view.strides[group[0][-1]] if len(group) == 1 else 0 for group in self._groups[1:]
        )
        if columns != 1 or len(self._groups[1]) > 1:
            return None
        element = Value(Instruction.ACCUMULATOR, self._product.argument.accumulator)
        (store,) = self.store(batch, row, column, element)
        if store.value is not element:
            return None
        return Place(store.buffer, store.at, self._builder.strides((rows,))[0])

    def store(self, batch: Value, row: Value, column: Value, element: Value) -> tuple[Store]:
        """Return the statement for one finished element."""
        variables: tuple[Value, ...] = ()
        for value, members in zip((batch, row, column), self._groups, strict=True):
            if members:
                variables += self._positions.split(value, members)
        frame = Frame(tuple(axes for group in self._groups for axes in group), variables)
        finished = element.cast(self._product.dtype)
        expressions = Expressions(self._builder, self._is_stored, {self._product: finished})
        value = expressions.value(self._root, self._view, frame)
        return (Store(self._output, expressions.position(self._view, frame), value),)
