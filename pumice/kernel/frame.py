"""Lanes that an interpreter runs together, and the values known about them."""

import numpy as np
from numpy.typing import NDArray

from pumice.errors import InternalError
from pumice.kernel.arithmetic import Array
from pumice.kernel.ir import Instruction, Value

Lanes = NDArray[np.int64]


class Frame:
    """Lanes that run together, and what is known about them.

    Attributes
    ----------
    size : int
        Number of lanes.
    parent : Frame or None
        The frame these lanes were taken from.
    selection : array or None
        For each lane its lane in the parent; None when they are the same.
    bindings : dict
        Arrays of variables, carries and the like, by (instruction, attribute).
    values : dict
        Values computed in this scope.
    """

    __slots__ = ("bindings", "parent", "selection", "size", "values")

    def __init__(
        self, size: int, parent: "Frame | None" = None, selection: Lanes | None = None
    ) -> None:
        self.size = size
        self.parent = parent
        self.selection = selection
        self.bindings: dict[tuple[Instruction, object], Array] = {}
        self.values: dict[Value, Array] = {}

    def _taken(self, array: Array) -> Array:
        if self.selection is None or array.ndim == 0:
            return array
        taken: Array = array[self.selection]
        return taken

    def __contains__(self, value: object) -> bool:
        """Say whether a value is known, fetching it from an outer scope if it is."""
        if not isinstance(value, Value):
            return False
        chain: list[Frame] = []
        frame: Frame | None = self
        while frame is not None:
            found = frame.values.get(value)
            if found is not None:
                for inner in reversed(chain):
                    found = inner.values[value] = inner._taken(found)
                return True
            chain.append(frame)
            frame = frame.parent
        return False

    def binding(self, instruction: Instruction, attribute: object) -> Array:
        """Return what a leaf stands for."""
        found = self.bindings.get((instruction, attribute))
        if found is None:
            if self.parent is None:
                raise InternalError(f"interpret_kernel: {attribute!r} is used outside its scope")
            found = self._taken(self.parent.binding(instruction, attribute))
            self.bindings[instruction, attribute] = found
        return found

    def spread(self, array: Array) -> Array:
        """Return one element per lane."""
        return np.broadcast_to(array, (self.size,))


def narrowed(frame: Frame, active: Array) -> Frame | None:
    """Return a scope of the active lanes, None when there are none."""
    if active.all():
        return Frame(frame.size, frame) if frame.size else None
    selection = np.flatnonzero(active)
    return Frame(len(selection), frame, selection) if len(selection) else None
