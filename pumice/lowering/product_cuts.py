"""How a product on a GPU is cut: the tile of a workgroup, and the parts of k."""

from dataclasses import dataclass

from pumice.dtypes import DType
from pumice.target import ProductTile, Target, Tile

FEW_ELEMENTS = 1 << 18
"""Elements of a result from which its tiles alone keep a device busy."""
SHORTEST_PART = 256
PART_STEPS = 32
"""Parts begin at multiples of so many steps, which keeps their accesses aligned."""
ENOUGH_GROUPS = 48
"""Workgroups that keep a device busy; with fewer a smaller tile is taken."""
FEWEST_ROWS = 4
"""Rows up to which nothing is staged: a step is read by few invocations."""
THIN_COLUMNS = 4
REGISTER_BYTES = 4
"""What an element of a narrow type takes in shared memory."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of k: how many, and the steps of each but the last."""

    count: int
    depth: int


def choose_parts(elements: int, k: int, most: int) -> Parts:
    """Cut k if a product has few elements. The shape alone decides, so that results do, too.

    No part has more steps than `most`.
    """
    wanted = FEW_ELEMENTS // elements
    if wanted < 2 or k < 2 * SHORTEST_PART:
        return Parts(1, k)
    wanted = min(wanted, k // SHORTEST_PART)
    depth = min(-(-k // (wanted * PART_STEPS)), most // PART_STEPS) * PART_STEPS
    return Parts(-(-k // depth), depth)


def is_thin(m: int, n: int) -> bool:
    """Tell whether so few invocations need a step of an operand that each reads for itself."""
    return m <= FEWEST_ROWS or n <= FEWEST_ROWS


def choose_tile(
    target: Target, sizes: tuple[int, int, int], dtype: DType, operand: DType | None = None
) -> ProductTile:
    """Return the tile for sizes of batch (times parts of k), m and n.

    Sums are of `dtype`. Where both operands hold values of another type, and the target multiplies
    matrices of that one, the tile is one of matrices.
    """
    batches, m, n = sizes
    if is_thin(m, n):
        return ProductTile(1 if m == 1 else FEWEST_ROWS, THIN_COLUMNS)
    if not target.products:
        return _packed_tile(target.tiles.get(dtype.name, Tile(4, 4)), m, n)
    shared = target.shared_bytes
    itemsize = max(dtype.itemsize, REGISTER_BYTES)
    matrices, plain = [], []
    for each in target.products:
        tile = each.within(shared, itemsize)
        if tile is None:
            continue
        if tile.matrix is None:
            plain.append(tile)
        elif operand is not None and tile.matrix.serves(operand, dtype):
            matrices.append(tile)
    fitting = matrices or plain
    for tile in fitting[:-1]:
        rows, columns = tile.block
        if 2 * m > rows and 2 * n > columns:
            groups = batches * -(-m // rows) * -(-n // columns)
            if groups >= ENOUGH_GROUPS:
                return tile
    return fitting[-1]


def _packed_tile(tile: Tile, m: int, n: int) -> ProductTile:
    """Return the tile of packed panels, halved along what is short."""
    rows, columns = tile.rows, tile.columns
    if rows > 8 and m <= rows // 2:
        rows //= 2
    if columns > 8 and n <= columns // 2:
        columns //= 2
    return ProductTile(rows, columns)
