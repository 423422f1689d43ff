"""Packing windows into local memory, and where a tap finds its elements there."""

from dataclasses import dataclass

from pumice.kernel.ir import (
    Instruction,
    Loop,
    LoopKind,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    index,
)
from pumice.kernel.walk import reached
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.epilogue import Positions
from pumice.lowering.expression import Expressions, Frame, affine_views, merge_axes, reading_order
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.window_plan import Groups, WindowPlan

Loops = list[tuple[Variable, Value]]


class Block:
    """Where a block begins, and how much of it lies inside."""

    def __init__(self, builder: KernelBuilder, number: Value, length: int, total: int) -> None:
        size = builder.size(length, "block")
        self.start = number * size
        self.count = minimum(size, builder.size(total, "total") - self.start)


def nest(loops: Loops, body: tuple[Statement, ...], lanes: bool = True) -> Statement:
    """Return loops inside each other, the innermost over lanes."""
    kind = LoopKind.LANES if lanes else LoopKind.SERIAL
    for variable, extent in reversed(loops):
        body = (Loop(variable, index(0), extent, kind, body),)
        kind = LoopKind.SERIAL
    return body[0]


@dataclass(frozen=True, slots=True)
class Taps:
    """The taps that read shifted memory: loops over them, and what they add to addresses."""

    loops: Loops
    number: Value  # row-major among the loops
    copy: Value
    shift: Value
    is_first: tuple[Value, ...]
    repeats: tuple[tuple[Value, Value], ...] = ()
    """Further taps inside of each: their number and the shift of one, outermost first."""


class PackedBlock:
    """The positions of one block inside a kernel."""

    def __init__(self, plan: WindowPlan, builder: KernelBuilder, outside: list[Value]) -> None:
        """Take the block's number along each axis up to the one that is cut."""
        self._plan, self._builder = plan, builder
        self.axes, self._cut = plan.b.axes, plan.b.cut
        self._outside = outside
        cut = self.axes[self._cut]
        self._place = Block(builder, outside[-1], cut.local, cut.axis.extent)
        self._halos = [builder.size(axis.halo, "halo") for axis in self.axes]
        self._extents = [builder.size(axis.local, "extent") for axis in self.axes]
        self.pitches: list[Value] = [
            builder.size(axis.pitch, "pitch") for axis in self.axes[:-1]
        ] + [index(1)]
        self.steps: list[Value] = [
            builder.size(axis.step, "step") if axis.step > 1 else index(1) for axis in self.axes
        ]
        self.plane = builder.size(plan.b.plane, "plane")

    def count(self, number: int) -> Value:
        """Return how many positions of an axis the block has."""
        if number == self._cut:
            return self._place.count
        return index(1) if number < self._cut else self._extents[number]

    def start(self, number: int) -> Value:
        """Return the first position of an axis in the block."""
        if number < self._cut:
            return self._outside[number]
        return self._place.start if number == self._cut else index(0)

    def positions(self) -> Value:
        """Return the packed positions up to the last one."""
        behind = 1 + sum((axis.local - 1) * axis.pitch for axis in self.axes[self._cut + 1 :])
        pitch = self.pitches[self._cut]
        return (self._place.count - index(1)) * pitch + self._builder.size(behind, "behind")

    def pack(self, target: Parameter, batch: Value, channels: Block) -> Statement:
        """Return the loops that fill ``[copy][channel][positions and halo]``."""
        channel = Variable("channel")
        loops, place, element = self._elements(
            batch, channels.start + variable_value(channel), (channel, channels.count)
        )
        store = Store(target, place, element.cast(self._plan.spec.accumulator))
        return nest(loops, (store,))

    def _elements(
        self, batch: Value, channel: Value, over: tuple[Variable, Value] | None = None
    ) -> tuple[Loops, Value, Value]:
        """Return loops over elements, where one goes and what it is; without `over` the first."""
        plan, builder, spec = self._plan, self._builder, self._plan.spec
        base, view, is_stored = plan.windows.base, plan.packing_view(), plan.is_stored
        views = affine_views(reading_order([(base, view)], is_stored), is_stored)
        lines = spec.batch + len(self.axes)
        copies = lines + len(plan.windows.channels)
        batch_axes = merge_axes(view.shape, range(spec.batch), views)
        channel_axes = merge_axes(view.shape, range(lines, copies), views)
        split = Positions(builder, view.shape).split
        groups: Groups = list(batch_axes)
        variables = list(split(batch, batch_axes))
        loops: Loops = []
        place: Value = index(0)

        def position(variable: Variable) -> Value:
            return index(0) if over is None else variable_value(variable)

        for number, axis in sorted(enumerate(self.axes), key=lambda each: each[1].expanded):
            if axis.copies == 1:
                continue
            copy, size = Variable("copy"), builder.size(axis.copies, "copies")
            loops.append((copy, size))
            place = place * size + position(copy)
            groups.append((copies + number,))
            variables.append(position(copy))
        if over is not None:
            loops.append(over)
            place = (place * over[1] + variable_value(over[0])) * self.plane
        groups += channel_axes
        variables += split(channel, channel_axes)
        for number, axis in enumerate(self.axes):
            groups.append((spec.batch + number,))
            if number < self._cut and not axis.halo:
                variables.append(self.start(number))
                continue
            here = Variable("x")
            extent, start = self.count(number), self.start(number)
            if axis.step > 1:
                extent = (extent - index(1)) * self.steps[number] + index(1)
                start = start * self.steps[number]
            loops.append((here, extent + self._halos[number] if axis.halo else extent))
            variables.append(start + position(here))
            place = place + position(here) * self.pitches[number]
        expressions = Expressions(builder, is_stored, {})
        return loops, place, expressions.value(base, view, Frame(tuple(groups), tuple(variables)))

    def load(self, batch: Value, channel: Value) -> tuple[Parameter, Value] | None:
        """Return where the first element of a channel comes from, None if not from one place."""
        _, _, element = self._elements(batch, channel)
        found = [each for each in reached([element]) if each.instruction is Instruction.LOAD]
        if len(found) != 1:
            return None
        return found[0].attribute, found[0].arguments[0]

    def taps(self, repeated: bool = False) -> Taps:
        """Return the taps that share packed elements.

        With `repeated`, those of the last axes that lie evenly apart are no loops.
        """
        builder = self._builder
        repeats: list[tuple[Value, Value]] = []
        number: Value = index(0)
        shift: Value = index(0)
        copy: Value = index(0)
        loops: Loops = []
        for position, axis in enumerate(self.axes):
            if axis.expanded or axis.axis.taps == 1:
                continue
            tap, size = Variable("tap"), builder.size(axis.axis.taps, "taps")
            if repeated and all(
                other.expanded or other.axis.taps == 1 or other.axis.step == other.step
                for other in self.axes[position:]
            ):
                gap = builder.size(axis.axis.gap, "gap")
                repeats.append((size, gap * self.pitches[position]))
                number = number * size
                continue
            loops.append((tap, size))
            number = number * size + variable_value(tap)
            reach = variable_value(tap) * builder.size(axis.axis.gap, "gap")
            if axis.axis.step > axis.step:
                step = builder.size(axis.axis.step, "step")
                phase = reach.modulus(step)
                reach = reach.quotient(step)
                if axis.copies > 1:
                    copy = copy * builder.size(axis.copies, "copies") + phase
            shift = shift + reach * self.pitches[position]
        is_first = tuple(variable_value(tap).eq(index(0)) for tap, _ in loops)
        return Taps(loops, number, copy, shift, is_first, tuple(repeats))
