"""Memory that nothing owns holds a pattern, so that accesses outside of tensors show.

``PUMICE_VULKAN_GUARD`` asks for it. A piece of memory ends with some bytes more than its owner
asked for. What is in no use holds the pattern: it is written when a block is made and when a piece
comes back. A kernel that reads what nobody wrote, or beyond its buffer, finds numbers that spoil
its result; what it wrote where nothing of its own lies is found when the piece is checked.
"""

from typing import Any

import numpy as np

from pumice.errors import InternalError
from pumice.runtime.vulkan.logical import Memory
from pumice.runtime.vulkan.ranges import Range

PATTERNS = {"nan": 0x7FFFFFFF, "zero": 0}
"""32-bit words by name.

The first is NaN in each float type and beyond every index; the second makes loops over a size that
is not there run on, or not at all.
"""
GUARD_BYTES = 256
"""Bytes between what two owners have, at least."""
_WORD = 4


class Guards:
    """Fills and checks the memory of one pool, which the host must see."""

    def __init__(self, name: str) -> None:
        self._word = PATTERNS[name]
        self._live: dict[Range[Memory], int] = {}

    def fill(self, block: Memory) -> None:
        """Fill a new block."""
        if block.view is not None:
            np.frombuffer(block.view, np.uint32)[:] = self._word

    def take(self, piece: Range[Memory], nbytes: int) -> None:
        """Hand a piece out: nothing may have been written to it since it came back."""
        self._live[piece] = nbytes
        self._check(piece, 0, "that nothing owned")

    def check(self) -> None:
        """Check the bytes behind all that is in use; the device must be idle."""
        for piece, nbytes in self._live.items():
            self._check(piece, nbytes, f"behind {nbytes} of a buffer")

    def give_back(self, piece: Range[Memory]) -> None:
        """Take a piece back."""
        nbytes = self._live.pop(piece)
        self._check(piece, nbytes, f"behind {nbytes} of a buffer")
        if piece.block.view is not None:
            self._words(piece)[:] = self._word

    def _words(self, piece: Range[Memory]) -> Any:
        view = piece.block.view
        assert view is not None
        return np.frombuffer(view, np.uint32, piece.size // _WORD, piece.offset)

    def _check(self, piece: Range[Memory], start: int, where: str) -> None:
        if piece.block.view is None:
            return
        first = start // _WORD
        words = self._words(piece)[first:]
        changed = words != self._word
        if start % _WORD:  # the first word is partly the owner's
            changed[0] = words[0] >> 8 * (start % _WORD) != self._word >> 8 * (start % _WORD)
        if changed.any():
            number = int(changed.sum())
            at = int(changed.argmax()) + first
            text = f"{number} words were written among the bytes {where}, the first at {at * _WORD}"
            self._words(piece)[first + changed.nonzero()[0]] = self._word  # told once
            raise InternalError(text)
