"""How much of an attention a workgroup holds in shared memory, and whether it can.

A workgroup owns a panel of rows (queries, or keys for their gradients), which stays in shared
memory with what is summed for it, and goes over blocks of the other rows.
"""

from dataclasses import dataclass

from pumice.target import Target, parts_of

MOST_BYTES = 32 << 10
"""What is used of more shared memory, so that a multiprocessor runs several workgroups."""
SIZES = (32, 16, 8, 4)
RUN_KEYS = 512
"""Keys whose scores an item of one query keeps; fewer are not shared out."""


@dataclass(frozen=True, slots=True)
class SharedNeed:
    """What a kernel keeps in shared memory.

    Attributes
    ----------
    resident : int
        Elements per row of the panel.
    swept : int
        Elements per row of a block.
    tiles : int
        Tiles of a block by a panel.
    itemsize : int
        Bytes of an element.
    sides : tuple of int
        Rows of the tiles, as wide as a panel, that are multiplied besides those of a block.
    """

    resident: int
    swept: int
    tiles: int
    itemsize: int
    sides: tuple[int, ...]

    def bytes(self, panel: int, block: int, lanes: int) -> int:
        """Return what a panel and a block take, with a column of padding each."""
        operands = self.resident * (panel + 1) + block * (self.swept + 1)
        return (operands + self.tiles * block * panel + 5 * panel + 2 * lanes) * self.itemsize

    def is_shareable(self, panel: int, block: int, lanes: int) -> bool:
        """Tell whether a workgroup can share each of the tiles."""
        return all(parts_of(rows, panel, lanes) for rows in (*self.sides, block))


@dataclass(frozen=True, slots=True)
class Blocks:
    """Rows of a panel and of a block."""

    panel: int
    block: int


def shared_budget(target: Target) -> int:
    """Return the bytes of shared memory a kernel may take, 0 where grid items have none."""
    return min(target.shared_bytes, MOST_BYTES)


def shared_blocks(need: SharedNeed, rows: int, target: Target) -> Blocks | None:
    """Return the largest panel and block that fit, None if none does.

    A panel is not much larger than the number of rows there are.
    """
    most = shared_budget(target)
    fitting = [
        Blocks(panel, block)
        for panel in SIZES
        for block in SIZES
        if need.bytes(panel, block, target.lanes) <= most
        and need.is_shareable(panel, block, target.lanes)
    ]
    if not fitting:
        return None
    best = max(fitting, key=lambda each: (each.panel * each.block, each.panel))
    panel = best.panel
    while panel > SIZES[-1] and panel // 2 >= rows:
        panel //= 2
    return Blocks(panel, best.block)


def forward_need(features: int, width: int, itemsize: int) -> SharedNeed:
    """Return what the forward kernel keeps: queries and results, keys or values, scores."""
    return SharedNeed(features + width, max(features, width), 1, itemsize, (features, width))


def query_gradient_need(features: int, width: int, itemsize: int) -> SharedNeed:
    """Return what the kernel of query gradients keeps: queries, incoming gradients and sums."""
    sides = (features, width)
    return SharedNeed(2 * features + width, max(features, width), 2, itemsize, sides)


def key_gradient_need(features: int, width: int, itemsize: int) -> SharedNeed:
    """Return what the kernel of key and value gradients keeps: both operands and sums."""
    sides = (features, width)
    return SharedNeed(2 * (features + width), max(features, width), 2, itemsize, sides)


def row_fits(features: int, width: int, itemsize: int, target: Target) -> bool:
    """Tell whether an item can keep one query, its result and a run of scores."""
    # Two folds at a time, of eight bytes per lane each.
    folds = 16 * target.lanes
    return (features + width + RUN_KEYS) * itemsize + folds <= shared_budget(target)
