"""Finding sliding windows in a product's operand.

An operand such as the windows of an image reads its base through a view in which a line axis and
a summed axis move along the same axis of the base::

    window[place, tap] = base[stride * place + dilation * tap + start]

Such a pair is a `SlidingAxis`. Other line axes and other summed axes (channels) move alone.
"""

from dataclasses import dataclass

from pumice.errors import InternalError
from pumice.graph.node import Node
from pumice.lowering.expression import IsStored, reading_order
from pumice.ops import structure
from pumice.ops.view import View, contiguous_strides
from pumice.schedule import sources

SHORT_LINE = 8
SHORT_STEP = 4


@dataclass(frozen=True, slots=True)
class LineAxis:
    """One axis of the lines of an operand, with the taps that slide along it.

    Attributes
    ----------
    axes : tuple of int
        Axes of the operand, merged.
    extent, stride : int
        Positions, and elements of the base between them.
    tap_axis : int or None
        The summed axis that moves along the same axis of the base.
    taps, tap_stride : int
        Its extent, and elements of the base between taps.
    unit : int
        Elements of the base between neighbours along its axis.
    room : int
        How far the base reaches along its axis, from the first position.
    """

    axes: tuple[int, ...]
    extent: int
    stride: int
    tap_axis: int | None = None
    taps: int = 1
    tap_stride: int = 0
    unit: int = 1
    room: int = 0

    @property
    def step(self) -> int:
        """Neighbours along the base between positions."""
        return self.stride // self.unit

    @property
    def gap(self) -> int:
        """Neighbours along the base between taps."""
        return self.tap_stride // self.unit


@dataclass(frozen=True, slots=True)
class WindowedOperand:
    """An operand (batch..., lines..., k...) as windows of its base."""

    base: Node
    view: View
    lines: tuple[LineAxis, ...]
    channels: tuple[int, ...]

    @property
    def sliding(self) -> tuple[LineAxis, ...]:
        return tuple(axis for axis in self.lines if axis.tap_axis is not None)


def find_windows(
    node: Node, lines: range, rest: range, is_stored: IsStored, others: list[View]
) -> WindowedOperand | None:
    """Return the windows an operand reads, None when other lowerings read it as well.

    `lines` are the axes that are taken for positions, `rest` those that hold taps and channels.
    `others` are views over the operand's axes in which positions must be able to merge too.
    """
    found = base_of(node, is_stored)
    if found is None:
        return None
    base, view = found
    places = [sources.coordinate(base.shape, axis, view) for axis in range(len(base.shape))]
    rank = len(node.shape)
    taken: dict[int, LineAxis] = {}
    strides = contiguous_strides(base.shape)
    for axis, place in enumerate(places):
        if place is None:
            return None
        moving = [each for each in range(rank) if view.shape[each] > 1 and place.strides[each]]
        rows = [each for each in moving if each in lines]
        taps = [each for each in moving if each in rest]
        if not rows or not taps:
            continue
        pair = (rows[0], taps[0])
        if len(moving) != 2 or min(place.strides[each] for each in pair) < 1:
            return None
        taken[rows[0]] = LineAxis(
            (rows[0],),
            view.shape[rows[0]],
            view.strides[rows[0]],
            taps[0],
            view.shape[taps[0]],
            view.strides[taps[0]],
            strides[axis],
            base.shape[axis] - place.offset,
        )
    if not _move_alone(taken, places, view):
        return None
    tapped = {axis.tap_axis for axis in taken.values()}
    channels = tuple(axis for axis in rest if axis not in tapped)
    merged = _merged_lines(lines, taken, view, others)
    if not taken and not _is_image(merged):
        return None
    return WindowedOperand(base, view, merged, channels)


def base_of(node: Node, is_stored: IsStored) -> tuple[Node, View] | None:
    """Return the node below the views of an operand, and how the operand reads it."""
    view = View.contiguous(node.shape)
    while node.op is structure.VIEW and not is_stored(node):
        composed = node.argument.compose(view)
        if composed is None:
            return None
        node, view = node.sources[0], composed
    return node, view


def _move_alone(taken: dict[int, LineAxis], places: list[View | None], view: View) -> bool:
    """Tell whether no axis that slides moves along a second axis of the base."""
    for row, axis in taken.items():
        for each in (row, axis.tap_axis):
            assert each is not None
            along = sum(place is not None and place.strides[each] != 0 for place in places)
            if along != 1:
                return False
    return True


def _is_image(lines: tuple[LineAxis, ...]) -> bool:
    """Tell whether lines are rows of several pieces of memory, as those of a 1 x 1 kernel are."""
    inner = lines[-1] if lines else None
    return (
        inner is not None
        and len(lines) > 1
        and inner.extent >= SHORT_LINE
        and 1 <= inner.stride <= SHORT_STEP
    )


def _merged_lines(
    lines: range, taken: dict[int, LineAxis], view: View, others: list[View]
) -> tuple[LineAxis, ...]:
    merged: list[LineAxis] = []
    for axis in lines:
        extent = view.shape[axis]
        if axis in taken:
            merged.append(taken[axis])
            continue
        if extent == 1:
            continue
        before = merged[-1] if merged else None
        if before is not None and before.tap_axis is None:
            last = before.axes[-1]
            if all(each.strides[last] == each.strides[axis] * extent for each in (view, *others)):
                axes = (*before.axes, axis)
                merged[-1] = LineAxis(axes, before.extent * extent, view.strides[axis])
                continue
        merged.append(LineAxis((axis,), extent, view.strides[axis]))
    return tuple(merged)


def can_read(node: Node, view: View, is_stored: IsStored) -> bool:
    """Tell whether a node and what is fused into it can be read through a view."""
    try:
        reading_order([(node, view)], is_stored)
    except InternalError:
        return False
    return True
