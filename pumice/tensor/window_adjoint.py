"""What each element of the input received from the windows that hold it.

An element at ``stride * place + phase`` is held by the windows ``place + tap`` for a few taps, the
same for all places. So the adjoint of sliding windows reads shifted copies of the windows' values,
and sums them over the taps; nothing is scattered::

    received[s * q + r] = sum over t of value[q + t] where its window holds the element
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from pumice import dtypes
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import Shape, View, contiguous_strides
from pumice.tensor.windows import Sliding


@dataclass(frozen=True, slots=True)
class AdjointAxis:
    """One spatial axis: window ``q + first + t * step`` holds its element ``number(r, t)``."""

    places: int
    phases: int
    taps: int
    first: int
    step: int
    kernel: int
    constant: int
    by_tap: int

    def number(self, phase: int, tap: int) -> int:
        """Return which element of its window an input element is; no such one when outside."""
        return self.constant + (phase if self.phases > 1 else 0) + self.by_tap * tap

    def of_phase(self, phase: int) -> AdjointAxis:
        """Return the axis as elements of one phase meet it; its taps follow each other."""
        taps = [tap for tap in range(self.taps) if self.holds(phase, tap)]
        tap = taps[0] if taps else 0
        first = self.first + tap * self.step
        constant = self.number(phase, tap)
        return AdjointAxis(
            self.places, 1, len(taps), first, self.step, self.kernel, constant, self.by_tap
        )

    def holds(self, phase: int, tap: int) -> bool:
        return 0 <= self.number(phase, tap) < self.kernel


def adjoint_axis(extent: int, kernel: int, stride: int, dilation: int, margin: int) -> AdjointAxis:
    places = -(-extent // stride)
    if stride == 1:
        first = margin - (kernel - 1) * dilation
        return AdjointAxis(places, 1, kernel, first, dilation, kernel, kernel - 1, -1)
    first = -((kernel - 1 - margin) // stride)
    taps = (margin + stride - 1) // stride - first + 1
    return AdjointAxis(places, stride, taps, first, 1, kernel, margin - stride * first, -stride)


def read_holders(node: Node, axes: list[AdjointAxis], fill: int, phases: bool = True) -> Node:
    """Return (lead..., places and phases..., taps...): the values of the windows met there.

    They are the same for all phases, which may be left out.
    """
    lead = len(node.shape) - len(axes)
    before, after = [0] * lead, [0] * lead
    for axis, count in zip(axes, node.shape[lead:], strict=True):
        last = axis.first + axis.step * (axis.taps - 1)
        before.append(max(-axis.first, 0))
        after.append(max(axis.places - 1 + last - (count - 1), 0))
    padded = build.pad(node, tuple(before), tuple(after), fill)
    strides = contiguous_strides(padded.shape)
    shape, steps, offset = list(node.shape[:lead]), list(strides[:lead]), 0
    for axis, margin, stride in zip(axes, before[lead:], strides[lead:], strict=True):
        shape.append(axis.places)
        steps.append(stride)
        if phases:
            shape.append(axis.phases)
            steps.append(0)
        offset += (axis.first + margin) * stride
    for axis, stride in zip(axes, strides[lead:], strict=True):
        shape.append(axis.taps)
        steps.append(axis.step * stride)
    return build.view(padded, View(tuple(shape), tuple(steps), offset))


@dataclass(frozen=True, slots=True)
class WindowAdjoint:
    """The windows of an input of some extents, surrounded by margins that receive nothing."""

    sliding: Sliding
    margins: Shape
    extents: Shape

    @property
    def is_affine(self) -> bool:
        """Tell whether the windows that hold an element follow from place and phase."""
        pairs = zip(self.sliding.stride, self.sliding.dilation, strict=True)
        return all(stride == 1 or dilation == 1 for stride, dilation in pairs)

    def axes(self) -> list[AdjointAxis]:
        sliding = self.sliding
        return [
            adjoint_axis(*each)
            for each in zip(
                self.extents,
                sliding.kernel,
                sliding.stride,
                sliding.dilation,
                self.margins,
                strict=True,
            )
        ]

    def sum(self, g: Node, chosen: Node | None = None) -> Node:
        """Return the sum over the windows that hold an element of their values ``g``.

        With `chosen`, windows give their value only to that one of their elements, numbered in
        row-major order.
        """
        axes = self.axes()
        values = read_holders(g, axes, 0)
        everywhere = all(
            axis.holds(phase, tap)
            for axis in axes
            for phase, tap in product(range(axis.phases), range(axis.taps))
        )
        if chosen is not None:
            number = self._numbers(values.shape, axes, g)
            values = read_holders(chosen, axes, -1).eq(number).select(values, 0)
        elif not everywhere:
            values = (self._numbers(values.shape, axes, g) >= 0).select(values, 0)
        lead = len(g.shape) - len(axes)
        inner = tuple(range(lead + 2 * len(axes), len(values.shape)))
        if any(axis.taps > 1 for axis in axes):
            values = build.reduce(reduction.SUM, values, inner)
        else:
            # Readers see places and phases as one axis, through which nothing can be fused.
            values = build.copy(values)
        whole = tuple(axis.places * axis.phases for axis in axes)
        result = build.reshape(values, (*g.shape[:lead], *whole))
        for position, extent in enumerate(self.extents):
            if whole[position] != extent:
                result = build.slice_axis(result, lead + position, 0, extent)
        return result

    def _numbers(self, shape: Shape, axes: list[AdjointAxis], like: Node) -> Node:
        """Return which element of the window met there an element is, negative for none."""
        rank, count = len(shape), len(axes)
        total: Node | None = None
        for position, axis in enumerate(axes):
            phases = [1] * rank
            taps = [1] * rank
            phases[rank - 3 * count + 2 * position + 1] = axis.phases
            taps[rank - count + position] = axis.taps
            phase = build.expand(_counting(axis.phases, phases, like), shape)
            tap = build.expand(_counting(axis.taps, taps, like), shape)
            number = tap * axis.by_tap + axis.constant
            if axis.phases > 1:
                number = number + phase
            inside = (number >= 0) & (number < axis.kernel)
            number = number * prod(self.sliding.kernel[position + 1 :])
            number = inside.select(number, -prod(self.sliding.kernel))
            total = number if total is None else total + number
        assert total is not None
        return total


def _counting(count: int, shape: list[int], like: Node) -> Node:
    return build.cast(build.reshape(build.iota((count,), like.device), tuple(shape)), dtypes.int32)
