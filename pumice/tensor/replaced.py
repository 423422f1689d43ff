"""What captures know of tensors whose memory or axes are replaced (`jit`)."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pumice.graph import recording
from pumice.locks import ForkSafeLock

if TYPE_CHECKING:
    from pumice.tensor.core import Cell, TensorBase


@dataclass(slots=True)
class Replaced:
    """Counts tensors given the memory of another (``data``) or other axes: captures know cells.

    Attributes
    ----------
    count : int
        A capture holds as long as it stays the same.
    """

    count: int = 0
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock, repr=False)
    _seen: weakref.WeakKeyDictionary[Cell, weakref.ref[TensorBase] | None] = field(
        default_factory=weakref.WeakKeyDictionary, repr=False
    )

    def note(self) -> None:
        with self._lock:
            self.count += 1

    def see(self, cells: Iterable[Cell], arguments: Sequence[TensorBase]) -> None:
        """Remember what a capture has read; axes of arguments are compared at each call."""
        given = {each._cell: weakref.ref(each) for each in arguments}
        with self._lock:
            for cell in cells:
                if self._seen.get(cell, cell) is not None:
                    self._seen[cell] = given.get(cell)

    def turn(self, tensor: TensorBase) -> None:
        """Note that a tensor has other axes, where a capture may have seen the former ones."""
        cell = tensor._cell
        recorder = recording.active.get()
        if recorder is not None:
            if not recorder.made(cell):
                self.note()
        elif cell in self._seen:
            argument = self._seen[cell]
            if argument is None or argument() is not tensor:
                self.note()


replaced = Replaced()
