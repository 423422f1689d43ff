"""All rows, by group."""

from collections.abc import Iterable

from benchmarks.row import Row
from benchmarks.rows import (
    attention,
    convolution,
    elementwise,
    indexing,
    matrix,
    models,
    ordering,
    overheads,
    reductions,
    vulkan,
)

GROUPS: dict[str, tuple[Row, ...]] = {
    module.__name__.rpartition(".")[2]: module.ROWS
    for module in (
        elementwise,
        reductions,
        matrix,
        convolution,
        attention,
        ordering,
        indexing,
        models,
        overheads,
        vulkan,
    )
}

ROWS: dict[str, Row] = {row.name: row for rows in GROUPS.values() for row in rows}


def chosen(names: Iterable[str]) -> list[Row]:
    """Return the rows that names of rows or groups stand for, all on the CPU without a name.

    Raises
    ------
    KeyError
        For a name that is neither.
    """
    wanted = {
        row.name for name in names for row in (GROUPS[name] if name in GROUPS else (ROWS[name],))
    }
    if not wanted:
        return [row for row in ROWS.values() if row.device == "cpu"]
    return [row for row in ROWS.values() if row.name in wanted]
