"""Charts of results, as SVG."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.results import Results, RowResult

AHEAD, BEHIND, PEAK = "#2a7f62", "#c2553d", "#3d6fb6"
HEIGHT_PER_ROW = 0.21


def write_plots(results: Results, folder: Path) -> list[Path]:
    """Write the charts and return their paths; needs matplotlib."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    # Without these the same figures would give another file each time.
    matplotlib.rcParams["svg.hashsalt"] = "pumice"
    matplotlib.rcParams["svg.fonttype"] = "none"
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "ratios.svg", folder / "shares.svg"]
    for path, draw in zip(paths, (ratios, shares), strict=True):
        figure = draw(results)
        figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    return paths


def empty(rows: Sequence[RowResult]) -> tuple[Any, Any]:
    """Return a figure and its axes with a line for each row, the first on top."""
    figure_class: Any = importlib.import_module("matplotlib.figure").Figure
    figure = figure_class(figsize=(8, 1.2 + HEIGHT_PER_ROW * len(rows)))
    axes = figure.subplots()
    axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def ratios(results: Results) -> Any:
    """Draw the ratio of each row: right of 1, pumice is ahead."""
    rows = [row for row in results.rows if row.ratio is not None]
    values = [row.ratio or 0.0 for row in rows]
    figure, axes = empty(rows)
    colours = [AHEAD if value >= 1 else BEHIND for value in values]
    # Bars start at 1, so that twice as fast and half as fast are equally long.
    axes.barh(range(len(rows)), [value - 1 for value in values], left=1, color=colours, height=0.7)
    axes.set_xscale("log", base=2)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    for line, (row, value) in enumerate(zip(rows, values, strict=True)):
        side, offset = ("left", 3) if value >= 1 else ("right", -3)
        text = f"{value:.2f} ({row.peer})"
        axes.annotate(
            text,
            (value, line),
            (offset, 0),
            textcoords="offset points",
            fontsize=7,
            ha=side,
            va="center",
        )
    axes.margins(x=0.15)
    axes.set_xlabel("time of the fastest peer / time of pumice")
    return figure


def shares(results: Results) -> Any:
    """Draw how much of the copy bandwidth and of the peak pumice reaches."""
    found = [(row, results.copy_share(row), results.peak_share(row)) for row in results.rows]
    found = [each for each in found if each[1] is not None or each[2] is not None]
    figure, axes = empty([row for row, _, _ in found])
    for offset, column, colour, label in (
        (-0.19, 1, AHEAD, "copy bandwidth"),
        (0.19, 2, PEAK, "peak of multiply-adds"),
    ):
        widths = [100 * float(each[column] or 0.0) for each in found]  # type: ignore[arg-type]
        places = [line + offset for line in range(len(found))]
        axes.barh(places, widths, color=colour, height=0.36, label=label)
    axes.axvline(100, color="black", linewidth=0.8)
    axes.set_xlabel("percent of what the machine reached in the same run")
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    return figure
