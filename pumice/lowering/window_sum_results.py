"""Writing what `window_sums` has summed: results lie tap by tap, memory wants taps side by side.

Local memory holds ``[shifted tap][expanded tap][channel][row]``, and the result of one row is
``[channel][tap]``. Some rows and channels at a time are turned into that order, then written as
runs of memory::

    for channel: for 16 taps: turned[row, channel, taps] = transpose of results[taps, channel, rows]
    for row: for x in lanes: output[row, channels and taps] = epilogue(turned[row, x])
"""

from dataclasses import dataclass

from pumice.kernel.ir import Parameter, Statement, Transpose, Value, Variable, index
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.window_packing import nest
from pumice.lowering.window_plan import WindowPlan

SIDE = 16
"""Taps that are turned at once."""
TURNED_ROW = 1024
"""Results of one row that are turned before they are written."""


def in_order(plan: WindowPlan) -> bool:
    """Tell whether results can be turned: channels come first, then taps as local memory has them.

    A transposition may write some elements too many, over those that are written next.
    """
    taps = [axis for axis in plan.b.axes if axis.axis.taps > 1]
    expanded = [axis.expanded for axis in taps]
    places = [axis.axis.tap_axis for axis in plan.b.axes if axis.axis.tap_axis is not None]
    order = [*plan.windows.channels, *places]
    return expanded == sorted(expanded) and order == sorted(order) and 1 < plan.taps <= TURNED_ROW


@dataclass(frozen=True, slots=True)
class Run:
    """Some channels of those that local memory holds."""

    start: Value
    count: Value
    total: Value


class TurnedResults:
    """Some rows of results in the order of memory."""

    def __init__(self, plan: WindowPlan, builder: KernelBuilder, results: Parameter) -> None:
        self.plan, self.builder, self.results = plan, builder, results
        self.columns = plan.tile.columns
        self.pitch = TURNED_ROW + SIDE
        self.turned = builder.local(plan.spec.accumulator, self.columns * self.pitch, "ordered")
        self.channels = TURNED_ROW // plan.taps
        self.taps = builder.size(plan.taps, "taps")

    def turn(self, first: Value, width: Value, chosen: Run, lines: Value, line: int) -> Statement:
        """Turn ``width`` rows from the ``first`` on, of some channels.

        ``lines`` counts the lines of a shifted tap, each of ``line`` elements.
        """
        plan, builder = self.plan, self.builder
        channel, shift, group = (Variable(name) for name in ("channel", "shift", "taps"))
        here = chosen.start + variable_value(channel)
        place = variable_value(channel) * self.taps
        copies = plan.inner_taps
        loops = [(channel, chosen.count)]
        count, between = plan.taps // copies, lines
        if copies > 1:
            size = builder.size(copies, "copies")
            if count > 1:
                loops.append((shift, builder.size(count, "shifts")))
                here = here + variable_value(shift) * lines
                place = place + variable_value(shift) * size
            count, between = copies, chosen.total
        rest = builder.size(count, "count")
        if count > SIDE:
            loops.append((group, (rest + index(SIDE - 1)).quotient(index(SIDE))))
            start = variable_value(group) * index(SIDE)
            here = here + start * between
            place = place + start
            rest = minimum(index(SIDE), rest - start)
        transpose = Transpose(
            target=self.turned,
            target_at=place,
            pitch=self.pitch,
            source=self.results,
            source_at=here * index(line) + first,
            source_row=between * index(line),
            depth=width,
            columns=SIDE,
            width=rest,
        )
        return nest(loops, (transpose,), lanes=False)
