"""Tables of results for a terminal, and the lines that both tables and the page show."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.results import PUMICE, TORCH, Results, RowResult

RECORDING_UNIT = "record_evaluate"
"""The row whose time in PyTorch is the unit of overheads: an add of ten elements."""
OVERHEADS = ("record", "record_evaluate", "small_add")


def duration(seconds: float | None) -> str:
    """Return a time with three digits and a unit."""
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{digits(seconds / scale)} {unit}"
    return f"{digits(seconds / 1e-9)} ns"


def digits(number: float | None) -> str:
    """Return a number with three digits, or two if it is small."""
    if number is None:
        return "-"
    if number >= 100:
        return f"{number:.0f}"
    if number >= 10:
        return f"{number:.1f}"
    return f"{number:.2f}" if number >= 0.1 else f"{number:.2g}"


def percent(share: float | None) -> str:
    """Return a share as a percentage."""
    return "-" if share is None else f"{100 * share:.0f} %"


def heading(results: Results) -> list[str]:
    """Return the names of the columns."""
    return ["row", "ratio", *results.frameworks, "copy", "peak"]


def cells(results: Results, row: RowResult) -> list[str]:
    """Return one line of the table, ratio first."""
    times = [
        "failed" if name in row.errors else duration(row.seconds.get(name))
        for name in results.frameworks
    ]
    shares = (percent(results.copy_share(row)), percent(results.peak_share(row)))
    return [row.name, digits(row.ratio), *times, *shares]


def summary(results: Results) -> list[str]:
    """Return what the ratios come to."""
    ratios = [row.ratio for row in results.rows if row.ratio is not None]
    if not ratios:
        return ["No row has times of pumice and of a peer."]
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    ahead = sum(ratio >= 1 for ratio in ratios)
    lines = [
        f"pumice is at least level with the fastest peer in {ahead} of {len(ratios)} rows; "
        f"geometric mean of the ratios {mean:.2f}."
    ]
    failed = [row.name for row in results.rows if PUMICE in row.errors]
    if failed:
        lines.append(f"pumice fails in {', '.join(failed)}.")
    return lines


def limits(results: Results) -> str:
    """Return the measured limits of the machine."""
    copy = results.limits.get("copy", 0.0) / 1e9
    peaks = [results.limits.get(name, 0.0) / 1e9 for name in ("float32", "float64")]
    return (
        f"Measured in the same run: copy {copy:.1f} GB/s, "
        f"multiply-adds {peaks[0]:.0f} GFLOP/s in float32 and {peaks[1]:.0f} in float64."
    )


def overheads(results: Results) -> list[tuple[str, str, str]]:
    """Return title, time and units of PyTorch's add of ten elements for each kind of call."""
    by_name = {row.name: row for row in results.rows}
    unit = by_name[RECORDING_UNIT].seconds.get("torch") if RECORDING_UNIT in by_name else None
    rows = [by_name[name] for name in OVERHEADS if name in by_name]
    return [
        (row.title, duration(row.seconds[PUMICE]), digits(row.seconds[PUMICE] / unit))
        for row in rows
        if unit and PUMICE in row.seconds
    ]


def quoted(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of the comparison with frameworks that were run elsewhere.

    Both ratios are above 1 where pumice is ahead: that of the times, and that of the times in
    units of PyTorch's in the same run, which takes the machines out.
    """
    head = ["row", "framework", "its time", "beside torch", "pumice", "torch"]
    head += ["ratio", "ratio in units of torch"]
    lines = []
    for row in results.rows:
        mine, unit, their_unit = row.seconds.get(PUMICE), row.seconds.get(TORCH), None
        for name, seconds in row.quoted.items():
            if name == TORCH:
                continue
            their_unit = row.quoted.get(TORCH)
            plain = seconds / mine if mine else None
            scaled = plain * unit / their_unit if plain and unit and their_unit else None
            times = [duration(each) for each in (seconds, their_unit, mine, unit)]
            lines.append([row.name, name, *times, digits(plain), digits(scaled)])
    return head, lines


def errors(results: Results) -> list[tuple[str, str, str]]:
    """Return row, framework and message of each failure."""
    return [
        (row.name, framework, message)
        for row in results.rows
        for framework, message in row.errors.items()
    ]


def scaling(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of the comparison of numbers of threads."""
    rows = [row for row in results.rows if row.threads]
    numbers = sorted({int(number) for row in rows for number in row.threads})
    head = ["row", *(f"{number} thread{'s' * (number > 1)}" for number in numbers)]
    head += [f"{numbers[0]} / {number}" for number in numbers[1:]]
    lines = []
    for row in rows:
        times = [row.threads[str(number)] for number in numbers]
        gains = [digits(times[0] / time) for time in times[1:]]
        lines.append([row.name, *(duration(time) for time in times), *gains])
    return head, lines


def table(title: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """Return a table whose first column is text."""
    made = Table(title=title, title_justify="left")
    for position, name in enumerate(head):
        made.add_column(name, justify="right" if position else "left", no_wrap=True)
    for line in lines:
        made.add_row(*line)
    return made


def show(results: Results, console: Console) -> None:
    """Print all tables."""
    groups = dict.fromkeys(row.group for row in results.rows)
    for group in groups:
        lines = [cells(results, row) for row in results.rows if row.group == group]
        console.print(table(group, heading(results), lines))
    if found := overheads(results):
        head = ("call", "pumice", "adds of PyTorch")
        console.print(table("overhead in units of PyTorch's add of ten", head, found))
    if any(row.threads for row in results.rows):
        console.print(table("threads", *scaling(results)))
    if any(row.quoted for row in results.rows):
        console.print(table("figures of another run", *quoted(results)))
    for name, framework, message in errors(results):
        console.print(f"{name} failed in {framework}: {message}", markup=False)
    console.print(limits(results), *summary(results), sep="\n", markup=False)
