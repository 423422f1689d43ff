"""Free and used ranges of memory blocks: best fit, split, coalesced. Knows no Vulkan."""

from bisect import bisect_left, insort
from typing import Generic, TypeVar

Block = TypeVar("Block")


class Range(Generic[Block]):
    """A piece of a block, linked to its neighbours in address order."""

    __slots__ = ("block", "following", "free", "offset", "previous", "size")

    def __init__(self, block: Block, offset: int, size: int) -> None:
        self.block = block
        self.offset = offset
        self.size = size
        self.free = True
        self.previous: Range[Block] | None = None
        self.following: Range[Block] | None = None

    @property
    def whole(self) -> bool:
        """True when it covers its block."""
        return self.previous is None and self.following is None


class RangeSet(Generic[Block]):
    """All ranges of some blocks. Sizes must come rounded to the alignment wanted."""

    def __init__(self) -> None:
        self._free: list[tuple[int, int, Range[Block]]] = []
        self.free_bytes = 0

    def _key(self, piece: Range[Block]) -> tuple[int, int, Range[Block]]:
        return (piece.size, id(piece), piece)

    def _insert(self, piece: Range[Block]) -> None:
        piece.free = True
        self.free_bytes += piece.size
        insort(self._free, self._key(piece))

    def _remove(self, piece: Range[Block]) -> None:
        position = bisect_left(self._free, self._key(piece))
        del self._free[position]
        self.free_bytes -= piece.size

    def add_block(self, block: Block, size: int) -> None:
        """Take in a new block, all of it free."""
        self._insert(Range(block, 0, size))

    def take(self, size: int) -> Range[Block] | None:
        """Return the smallest free range that holds `size`, cut to it; None if there is none."""
        position = bisect_left(self._free, (size, 0))
        if position == len(self._free):
            return None
        piece = self._free[position][2]
        del self._free[position]
        self.free_bytes -= piece.size
        piece.free = False
        if piece.size > size:
            self._split(piece, size)
        return piece

    def _split(self, piece: Range[Block], size: int) -> None:
        rest = Range(piece.block, piece.offset + size, piece.size - size)
        rest.previous, rest.following = piece, piece.following
        if rest.following is not None:
            rest.following.previous = rest
        piece.following, piece.size = rest, size
        self._insert(rest)

    def give_back(self, piece: Range[Block]) -> None:
        """Free a range and join it with free neighbours."""
        following, previous = piece.following, piece.previous
        if following is not None and following.free:
            self._remove(following)
            self._absorb(piece, following)
        if previous is not None and previous.free:
            self._remove(previous)
            self._absorb(previous, piece)
            piece = previous
        self._insert(piece)

    def _absorb(self, piece: Range[Block], following: Range[Block]) -> None:
        piece.size += following.size
        piece.following = following.following
        if piece.following is not None:
            piece.following.previous = piece

    def remove_free_blocks(self) -> list[Block]:
        """Drop blocks that are wholly free and return them."""
        dropped = [piece for _, _, piece in self._free if piece.whole]
        for piece in dropped:
            self._remove(piece)
        return [piece.block for piece in dropped]
