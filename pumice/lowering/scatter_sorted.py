"""Scatters on devices whose workgroups share memory: writes to one place stand in a row.

The places that are written are put in order, stably. Then every place takes in what is written to
it, in the order of the source, all places and all axes that go straight through at a time::

    keys:    the place each position of the source is written to; dropped writes behind all others
    order:   positions by place
    bounds:  where the positions of a place begin and end in the order
    writes:  for each place: result[place] = fold of the source at its positions

Places are the same for all elements along the axes that go straight through.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from pumice import dtypes
from pumice.kernel.ir import (
    INDEX,
    Fold,
    Let,
    Statement,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import Expressions, Frame, IsStored, affine_views, reading_order
from pumice.lowering.group_sort import lower_group_sort
from pumice.lowering.keys import ElementAt, Ordering, run_ends
from pumice.lowering.loops import variable_value
from pumice.lowering.scatter import COMBINE
from pumice.lowering.scatter_shares import ShareLowering
from pumice.lowering.statements import carried, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.tile_order import STEPS
from pumice.ops.structure import ScatterMode
from pumice.schedule.items import Group
from pumice.target import Target

FEWEST_POSITIONS = 256
MOST_PLACES = 1 << 31

Loops = Sequence[tuple[Variable, Value, int]]


class SortedLowering(ShareLowering):
    """Lowers one scatter by sorting where it writes."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        super().__init__(group, is_stored, target)
        argument = self.node.argument
        self.positions = prod(self.view.shape[self.rank :])
        self.indexed = [axis for axis, source in enumerate(argument.axes) if source >= 0]
        self.places = prod(self.node.shape[axis] for axis in self.indexed)
        self.keys = Scratch(self.positions * 4)
        self.order = Scratch(self.positions * 4)
        self.bounds = [Scratch(self.places * 4) for _ in range(2)]

    def _write_steps(self) -> list[Step]:
        if not self._applies():
            return super()._write_steps()
        sorting = lower_group_sort(self._ordering(), self.target.lanes)
        return [self._make_keys(), *sorting, self._clear(), self._mark(), self._fold()]

    def _applies(self) -> bool:
        able = self.target.grid_lanes and not 0 < self.target.most_steps < STEPS
        fitting = FEWEST_POSITIONS <= self.positions < MOST_PLACES and self.places < MOST_PLACES
        # Processors that run shaders are quicker without sorting.
        if not able or not fitting or self.target.is_software:
            return False
        roots = [(each, self.view) for each in self.indices]
        views = affine_views(reading_order(roots, self._stored), self._stored)
        free = [axis for axis in range(self.rank) if self.view.shape[axis] > 1]
        return all(view.strides[axis] == 0 for view in views for axis in free)

    # -- keys and their order ---------------------------------------------------------------------

    def _make_keys(self) -> Step:
        builder = KernelBuilder()
        expressions = Expressions(builder, self._stored, {})
        outer, loops, frame = self._axes(builder)
        first = (*(index(0) for _ in outer), *frame.variables[len(outer) :])
        frame = Frame(frame.members, first)
        node, argument = self.node, self.node.argument
        if not argument.fill:
            builder.suspects[node] = None
        reads = [expressions.value(each, self.view, frame) for each in self.indices]
        axes = tuple(argument.axes[axis] for axis in self.indexed)
        place, mask = expressions.indexed_position(
            tuple(node.shape[axis] for axis in self.indexed),
            replace(argument, axes=axes),
            [reads[source] for source in axes],
        )
        assert mask is not None
        key = mask.select(place.cast(dtypes.uint32), constant(self.places, dtypes.uint32))
        number: Value = index(0)
        for variable, size, _ in loops:
            number = number * size + variable_value(variable)
        store = Store(builder.writable(self.keys, dtypes.uint32), number, key)
        return builder.finish(tuple(loops), (store,), 4, node)

    def _ordering(self) -> Ordering:
        def elements(builder: KernelBuilder) -> ElementAt:
            keys = builder.readable(self.keys, dtypes.uint32)
            return lambda _, at: (load(keys, at), at.cast(dtypes.int32))

        return Ordering(
            self.node,
            1,
            self.positions,
            0,
            self.positions,
            dtypes.uint32,
            dtypes.int32,
            elements,
            key_bits=self.places.bit_length(),
            result=self.order,
        )

    def _clear(self) -> Step:
        builder = KernelBuilder()
        place = Variable("place")
        stores = tuple(
            Store(
                builder.writable(bound, dtypes.int32),
                variable_value(place),
                constant(0, dtypes.int32),
            )
            for bound in self.bounds
        )
        grid = ((place, builder.size(self.places, "places"), self.places),)
        return builder.finish(grid, stores, 1, self.node)

    def _mark(self) -> Step:
        """Note where the positions of each place begin and end in the order."""
        builder = KernelBuilder()
        number = Variable("i")
        at = variable_value(number)
        size = builder.size(self.positions, "positions")
        keys = builder.readable(self.keys, dtypes.uint32)
        order = builder.readable(self.order, dtypes.int32)
        begins, ends = (builder.writable(bound, dtypes.int32) for bound in self.bounds)
        places = builder.size(self.places, "places")

        def place(position: Value) -> Value:
            return load(keys, load(order, position).cast(INDEX)).cast(INDEX)

        own, first, last = run_ends(at, size, place)
        valid = own < places
        body = (
            Store(begins, own, at.cast(dtypes.int32), first & valid),
            Store(ends, own, (at + 1).cast(dtypes.int32), last & valid),
        )
        return builder.finish(((number, size, self.positions),), body, 4, self.node)

    # -- writes -----------------------------------------------------------------------------------

    def _fold(self) -> Step:
        builder = KernelBuilder()
        expressions = Expressions(builder, self._stored, {})
        outer, loops, frame = self._axes(builder)
        number = Variable("place")
        own = variable_value(number)
        begin, end = (
            load(builder.readable(bound, dtypes.int32), own).cast(INDEX) for bound in self.bounds
        )
        order = builder.readable(self.order, dtypes.int32)
        output = builder.writable(self.node, self.node.dtype)
        to = self._target_place(builder, expressions, own, frame)

        def source(at: Value) -> Value:
            position = load(order, at).cast(INDEX)
            inner = _decoded(position, [size for _, size, _ in loops])
            here = Frame(frame.members, (*frame.variables[: len(outer)], *inner))
            return expressions.value(self.source, self.view, here)

        written = begin < end
        body: tuple[Statement, ...]
        if self.node.argument.mode is ScatterMode.SET:
            body = (Store(output, to, source(written.select(end - 1, index(0))), written),)
        else:
            combine, dtype = COMBINE[self.node.argument.mode].combine, self._carried()
            before = load(output, to)
            total = carried("total", before.cast(dtype))

            def folds(at: Value) -> tuple[Fold, ...]:
                return (Fold((total,), (combine(total.now, source(at).cast(dtype)),)),)

            loop = serial("j", end, lambda _: (), folds, start=begin)
            result = total.result.cast(output.dtype)
            body = (Let(before), loop, Store(output, to, result, written))
        grid = ((number, builder.size(self.places, "places"), self.places), *outer)
        cost = 4 * (self.positions // self.places + 1)
        return builder.finish(grid, body, cost, self.node)

    def _target_place(
        self, builder: KernelBuilder, expressions: Expressions, place: Value, frame: Frame
    ) -> Value:
        """Return the element of the result that a place stands for."""
        argument, shape = self.node.argument, self.node.shape
        extents = [builder.size(shape[axis], "extent") for axis in self.indexed]
        indexed = dict(zip(self.indexed, _decoded(place, extents), strict=True))
        total: Value = index(0)
        for axis, source in enumerate(argument.axes):
            at = (
                indexed[axis]
                if source >= 0
                else expressions.coordinate(self.source.shape, -1 - source, self.view, frame)
            )
            total = total * builder.size(shape[axis], "extent") + at
        return total


def _decoded(position: Value, sizes: Sequence[Value]) -> tuple[Value, ...]:
    """Return the coordinates of a position, row-major."""
    found: list[Value] = []
    for size in reversed(sizes[1:]):
        found.append(position.modulus(size))
        position = position.quotient(size)
    return (position, *reversed(found)) if sizes else ()


def lower_scatter(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a scatter."""
    return SortedLowering(group, is_stored, target).lower()
