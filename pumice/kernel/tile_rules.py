"""What the tile of a product must be; part of the verifier."""

from collections.abc import Iterator

from pumice.dtypes import BY_NAME, DType
from pumice.target import ProductTile


def tile_problems(tile: ProductTile, accumulator: DType) -> Iterator[str]:
    """Yield what is wrong with a tile for sums of a type."""
    if tile.rows <= 0 or tile.columns <= 0:
        yield f"tile of {tile.rows} x {tile.columns}"
    if not tile.depth:
        return
    if not tile.rows % 4 == tile.columns % 4 == tile.depth % 4 == 0:
        yield f"a staged tile of {tile.rows} x {tile.columns} with depth {tile.depth}"
    if not tile.is_even:
        yield (
            f"{tile.invocations} invocations cannot share {tile.depth} steps of "
            f"{tile.block[0]} and {tile.block[1]} lines"
        )
    rows, columns = tile.subgroup_rows, tile.subgroup_columns
    if tile.group_rows % rows or tile.group_columns % columns:
        yield f"subgroups of {rows} x {columns} in {tile.group_rows} x {tile.group_columns}"
    matrix = tile.matrix
    if matrix is None:
        return
    whole = (
        tile.rows % matrix.rows == tile.columns % matrix.columns == tile.depth % matrix.steps == 0
    )
    if not matrix.is_usable or not whole:
        yield f"matrices of {matrix} in a tile of {tile.rows} x {tile.columns} x {tile.depth}"
    if not matrix.serves(BY_NAME[matrix.operand], accumulator):
        yield f"matrices of {matrix} for sums of {accumulator.name}"
