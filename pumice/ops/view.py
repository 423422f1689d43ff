"""Strided boxes: how an index space reads a flat buffer (`design.md` D6).

A `View` maps a multi-index ``i`` to the flat element ``offset + sum(i[k] * strides[k])``. Stride 0
broadcasts, negative strides flip. Strides and offset count elements.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import prod
from typing import NamedTuple

from pumice.choices import derived

Shape = tuple[int, ...]


@lru_cache(maxsize=4096)
def contiguous_strides(shape: Shape) -> Shape:
    """Return the row-major strides of a shape, in elements."""
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


class View(NamedTuple):
    """A strided box over a flat buffer. A tuple: making and comparing them is most of indexing."""

    shape: Shape
    strides: Shape
    offset: int = 0

    @staticmethod
    def contiguous(shape: Shape) -> "View":
        """Return the row-major view of a shape."""
        return _contiguous(shape)

    @property
    def numel(self) -> int:
        return prod(self.shape)

    def is_contiguous(self) -> bool:
        """Tell whether elements lie in row-major order without gaps, from any offset."""
        if self.strides == contiguous_strides(self.shape):
            return True
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent == 0:
                return True
            if extent != 1:
                if stride != expected:
                    return False
                expected *= extent
        return True

    def permute(self, order: Shape) -> "View":
        """Reorder the axes."""
        return View(
            tuple(self.shape[axis] for axis in order),
            tuple(self.strides[axis] for axis in order),
            self.offset,
        )

    def expand(self, shape: Shape) -> "View":
        """Broadcast to a shape; the caller has checked that it is allowed."""
        extra = len(shape) - len(self.shape)
        strides = [0] * extra
        for extent, stride, wanted in zip(self.shape, self.strides, shape[extra:], strict=True):
            strides.append(0 if extent == 1 and wanted != 1 else stride)
        return View(shape, tuple(strides), self.offset)

    def slice_axis(self, axis: int, start: int, length: int, step: int) -> "View":
        """Take ``length`` elements of one axis from ``start`` in steps of ``step``."""
        shape = list(self.shape)
        strides = list(self.strides)
        offset = self.offset + (start * strides[axis] if length else 0)
        shape[axis] = length
        strides[axis] *= step
        return View(tuple(shape), tuple(strides), offset)

    def remove_axis(self, axis: int) -> "View":
        """Drop an axis of extent 1 (or take its first element)."""
        return View(
            self.shape[:axis] + self.shape[axis + 1 :],
            self.strides[:axis] + self.strides[axis + 1 :],
            self.offset,
        )

    def insert_axis(self, axis: int) -> "View":
        """Add an axis of extent 1."""
        stride = self.shape[axis] * self.strides[axis] if axis < len(self.shape) else 1
        return View(
            self.shape[:axis] + (1,) + self.shape[axis:],
            self.strides[:axis] + (stride,) + self.strides[axis:],
            self.offset,
        )

    def reshape(self, shape: Shape) -> "View | None":
        """Return the same elements in another shape, or None when strides cannot express it."""
        if self.numel == 0 or self.is_contiguous():
            return View(shape, contiguous_strides(shape), self.offset)
        merged = _merge_axes(self.shape, self.strides)
        remaining, step = next(merged)
        found: list[int | None] = []
        for extent in shape:
            if extent == 1:
                found.append(None)
                continue
            while remaining == 1:
                remaining, step = next(merged)
            if remaining % extent:
                return None
            remaining //= extent
            found.append(remaining * step)
        strides: list[int] = []
        following = 1
        for extent, stride in zip(reversed(shape), reversed(found), strict=True):
            strides.append(following if stride is None else stride)
            following = strides[-1] * extent
        strides.reverse()
        return View(shape, tuple(strides), self.offset)

    def compose(self, outer: "View") -> "View | None":
        """Return ``outer`` read through this view, or None when it is no strided box.

        ``outer`` indexes the row-major flattening of this view's shape.
        """
        if outer.numel == 0:
            return View(outer.shape, (0,) * len(outer.shape), 0)
        if self.is_contiguous():
            return View(outer.shape, outer.strides, self.offset + outer.offset)
        found = derived(
            _composed, self.shape, self.strides, outer.shape, outer.strides, outer.offset
        )
        if found is None:
            return None
        return View(outer.shape, found[0], self.offset + found[1])

    def _composed(self, outer: "View") -> "View | None":
        merged = list(_merge_axes(self.shape, self.strides))
        plain = self._compose_by(outer, merged, _plain_digits)
        return plain if plain is not None else self._compose_by(outer, merged, _nearest_digits)

    def _compose_by(
        self,
        outer: "View",
        merged: list[tuple[int, int]],
        digits_of: Callable[[int, Shape, Shape], list[int]],
    ) -> "View | None":
        extents = tuple(extent for extent, _ in merged)
        place = contiguous_strides(extents)
        start = _plain_digits(outer.offset, place, extents)
        if outer.offset < 0 or start[0] >= extents[0]:
            return None
        low = list(start)
        high = list(start)
        strides = []
        for extent, stride in zip(outer.shape, outer.strides, strict=True):
            total = 0
            if extent > 1:
                for axis, digit in enumerate(digits_of(stride, place, extents)):
                    reach = digit * (extent - 1)
                    low[axis] += min(reach, 0)
                    high[axis] += max(reach, 0)
                    total += digit * merged[axis][1]
            strides.append(total)
        for axis, extent in enumerate(extents):
            if low[axis] < 0 or high[axis] >= extent:
                return None
        offset = sum(digit * step for digit, (_, step) in zip(start, merged, strict=True))
        return View(outer.shape, tuple(strides), self.offset + offset)

    def is_injective(self) -> bool:
        """Tell whether no two indices surely read the same element (may say False needlessly)."""
        axes = sorted(
            (abs(stride), extent)
            for extent, stride in zip(self.shape, self.strides, strict=True)
            if extent > 1
        )
        reach = 0
        for stride, extent in axes:
            if stride <= reach:
                return False
            reach += stride * (extent - 1)
        return True

    def bounds(self) -> tuple[int, int]:
        """Return the lowest and highest flat element read; the view must not be empty."""
        low = high = self.offset
        for extent, stride in zip(self.shape, self.strides, strict=True):
            reach = stride * (extent - 1)
            low += min(reach, 0)
            high += max(reach, 0)
        return low, high


@lru_cache(maxsize=4096)
def _composed(
    shape: Shape, strides: Shape, outer: Shape, outer_strides: Shape, offset: int
) -> tuple[Shape, int] | None:
    """Return the strides and offset of a view read through another one, None for no box."""
    found = View(shape, strides)._composed(View(outer, outer_strides, offset))
    return None if found is None else (found.strides, found.offset)


@lru_cache(maxsize=4096)
def _contiguous(shape: Shape) -> View:
    return View(shape, contiguous_strides(shape), 0)


def _merge_axes(shape: Shape, strides: Shape) -> Iterator[tuple[int, int]]:
    """Yield (extent, stride) of the fewest axes that read the same elements in order."""
    merged: list[tuple[int, int]] = []
    for extent, stride in zip(shape, strides, strict=True):
        if extent == 1:
            continue
        if merged and merged[-1][1] == stride * extent:
            merged[-1] = (merged[-1][0] * extent, stride)
        else:
            merged.append((extent, stride))
    return iter(merged or [(1, 1)])


def _plain_digits(value: int, place: Shape, extents: Shape) -> list[int]:
    """Return the mixed-radix digits of a flat distance, all of its sign."""
    sign = -1 if value < 0 else 1
    rest = abs(value)
    digits = []
    for step in place:
        digit, rest = divmod(rest, step)
        digits.append(sign * digit)
    return digits


def _nearest_digits(value: int, place: Shape, extents: Shape) -> list[int]:
    """Return mixed-radix digits of a distance, each between minus and plus half its extent.

    A distance such as ``n - 1`` over rows of ``n`` is one row down and one column left, so digits
    above half their radix are written as a borrow from the next higher place.
    """
    digits = _plain_digits(abs(value), place, extents)
    for axis in range(len(place) - 1, 0, -1):
        if digits[axis] * 2 > extents[axis]:
            digits[axis] -= extents[axis]
            digits[axis - 1] += 1
    return [-digit for digit in digits] if value < 0 else digits


def inverse_permutation(argument: View, shape: Shape) -> View | None:
    """Return the view that undoes a pure reordering of axes, or None when it is none."""
    if argument.numel != prod(shape) or argument.offset:
        return None
    order = sorted(range(len(argument.shape)), key=lambda axis: -argument.strides[axis])
    order = [axis for axis in order if argument.shape[axis] != 1]
    expected = 1
    for axis in reversed(order):
        if argument.strides[axis] != expected:
            return None
        expected *= argument.shape[axis]
    strides = contiguous_strides(argument.shape)
    extents = tuple(argument.shape[axis] for axis in order)
    return View(extents, tuple(strides[axis] for axis in order)).reshape(shape)
