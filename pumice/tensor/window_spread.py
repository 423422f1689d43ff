"""What each element of a convolution's input receives, as products of windows of what it gives.

Elements at one phase of a stride meet the same taps. All phases are rows of one product, or each
has a product of its own where many of the taps would hold nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import Shape, View, contiguous_strides
from pumice.tensor.products import contraction
from pumice.tensor.window_adjoint import AdjointAxis, adjoint_axis, read_holders
from pumice.tensor.windows import Sliding

FEWEST_APART = 16
"""Channels from which phases of a stride are worth products of their own."""
WASTED = 1.3
"""Taps that all phases meet, over those there are, from which they are."""


def spread_value(g: Node, weight: Node, sliding: Sliding, extents: Shape, before: Shape) -> Node:
    """Return the convolution's adjoint of values, without a gradient rule."""
    numbers = list(zip(sliding.kernel, sliding.stride, sliding.dilation, before, strict=True))
    alone = [size == 1 and step > 1 and not margin for size, step, _, margin in numbers]
    if any(alone):
        # Only every so many elements receive anything: those first, then set apart.
        steps = tuple(
            1 if single else step for single, step in zip(alone, sliding.stride, strict=True)
        )
        near = tuple(
            places if single else extent
            for single, places, extent in zip(alone, g.shape[3:], extents, strict=True)
        )
        thin = Sliding(sliding.kernel, steps, sliding.dilation)
        found = spread_value(g, weight, thin, near, before)
        whole = tuple(
            step if single else 1 for single, step in zip(alone, sliding.stride, strict=True)
        )
        return _set_apart(found, whole, extents)
    if any(step > 1 and gap > 1 for _, step, gap, _ in numbers):
        # No fixed set of windows holds an element: gradients are set apart by the stride.
        sparse = tuple(
            (places - 1) * step + 1
            for places, step in zip(g.shape[3:], sliding.stride, strict=True)
        )
        dense = Sliding(sliding.kernel, (1,) * sliding.count, sliding.dilation)
        return spread_value(_set_apart(g, sliding.stride, sparse), weight, dense, extents, before)
    axes, starts = [], []
    for extent, (size, step, gap, margin) in zip(extents, numbers, strict=True):
        axis, start = adjoint_axis(extent, size, step, gap, margin), 0
        if step > 1 and axis.taps > -(-size // step):
            # Phases counted from the first window meet fewer taps, and begin in the margin.
            start = margin % step
            axis = adjoint_axis(extent + start, size, step, gap, margin - start)
        axes.append(axis)
        starts.append(start)
    if weight.shape[2] >= FEWEST_APART and _taps_met(axes) > WASTED * prod(sliding.kernel):
        return _phase_by_phase(g, weight, axes, extents, starts)
    return _gathered(g, weight, axes, extents, starts)


def _taps_met(axes: list[AdjointAxis]) -> int:
    """Return the taps of all phases, those that hold nothing included."""
    return prod(axis.taps * axis.phases for axis in axes)


def _phase_by_phase(
    g: Node, weight: Node, axes: list[AdjointAxis], extents: Shape, starts: Sequence[int]
) -> Node:
    """Return the adjoint as a product for each phase, of the taps which that phase meets."""
    shape = (g.shape[0], g.shape[1], weight.shape[2], *extents)
    strides = contiguous_strides(shape)
    result = build.empty(g.dtype, shape, g.device)
    for phases in product(*(range(axis.phases) for axis in axes)):
        chosen = [axis.of_phase(phase) for axis, phase in zip(axes, phases, strict=True)]
        firsts, counts, offset = [], [], 0
        for place, (axis, phase) in enumerate(zip(axes, phases, strict=True)):
            begin = starts[place] - phase
            first = -(-max(begin, 0) // axis.phases)
            firsts.append(first)
            counts.append(max((begin + extents[place] - 1) // axis.phases + 1 - first, 0))
            offset += (first * axis.phases - begin) * strides[3 + place]
        if 0 in counts:
            continue
        near = (*shape[:3], *counts)
        steps = [s * axis.phases for s, axis in zip(strides[3:], axes, strict=True)]
        box = View(near, (*strides[:3], *steps), offset)
        if all(axis.taps for axis in chosen):
            found = _gathered(g, weight, chosen, tuple(counts), firsts)
        else:
            found = build.constant(0, g.dtype, near, g.device)
        result = build.update(result, found, box)
    return result


def _set_apart(node: Node, steps: Shape, extents: Shape) -> Node:
    """Return zeros of some spatial extents with the elements of a node ``steps`` apart."""
    shape = (*node.shape[:3], *extents)
    strides = contiguous_strides(shape)
    spatial = tuple(each * step for each, step in zip(strides[3:], steps, strict=True))
    box = View(node.shape, (*strides[:3], *spatial))
    zeros = build.constant(0, node.dtype, shape, node.device)
    return build.update(zeros, node, box) if node.numel else zeros


def _gathered(
    g: Node, weight: Node, axes: list[AdjointAxis], extents: Shape, starts: Sequence[int]
) -> Node:
    """Return the adjoint as a product: elements at one phase of the stride meet the same taps."""
    count = len(axes)
    met = read_holders(g, axes, 0, phases=False)
    places, taps = tuple(range(3, 3 + count)), tuple(range(3 + count, 3 + 2 * count))
    left = _by_phase(weight, axes)
    right = build.permute(met, (1, 0, *places, 2, *taps))
    if weight.shape[0] == 1:
        left = build.reshape(left, left.shape[1:])
        right = build.reshape(right, right.shape[1:])
        result = contraction(left, right, 0, 1 + count, 1 + count, 1 + count)
        result = build.reshape(result, (1, *result.shape))
    else:
        result = contraction(left, right, 1, 1 + count, 1 + count, 1 + count)
    interleaved = [each for axis in range(count) for each in (3 + count + axis, 2 + axis)]
    result = build.permute(result, (2 + count, 0, 1, *interleaved))
    whole = tuple(axis.places * axis.phases for axis in axes)
    result = build.reshape(result, (*result.shape[:3], *whole))
    for position, (extent, start) in enumerate(zip(extents, starts, strict=True)):
        if whole[position] != extent or start:
            result = build.slice_axis(result, 3 + position, start, extent)
    return result


def _by_phase(weight: Node, axes: list[AdjointAxis]) -> Node:
    """Return (groups, in, phases..., out, taps...): the weight an element at a phase meets."""
    before, after = [0] * 3, [0] * 3
    for axis in axes:
        numbers = [
            axis.number(phase, tap) for phase in (0, axis.phases - 1) for tap in (0, axis.taps - 1)
        ]
        before.append(max(-min(numbers), 0))
        after.append(max(max(numbers) - axis.kernel + 1, 0))
    padded = build.pad(weight, tuple(before), tuple(after))
    strides = contiguous_strides(padded.shape)
    spatial = strides[3:]
    shape = (
        weight.shape[0],
        weight.shape[2],
        *(axis.phases for axis in axes),
        weight.shape[1],
        *(axis.taps for axis in axes),
    )
    steps = (
        strides[0],
        strides[2],
        *spatial,
        strides[1],
        *(axis.by_tap * stride for axis, stride in zip(axes, spatial, strict=True)),
    )
    offset = sum(
        (axis.constant + margin) * stride
        for axis, margin, stride in zip(axes, before[3:], spatial, strict=True)
    )
    return build.view(padded, View(shape, steps, offset))
