"""Writes docs/performance.md from results; what is written by hand is kept."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.results import Results

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
PLOTS = ROOT / "docs" / "benchmarks"
START, END = "<!-- generated: figures -->", "<!-- end of generated figures -->"


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """Return a table, all columns but the first aligned right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *lines)]


def figures(results: Results) -> str:
    """Return the generated part."""
    machine = [f"{name}: {value}" for name, value in results.machine.items()]
    versions = [f"{name} {value}" for name, value in results.versions.items()]
    lines = [
        f"`{results.command}`, {results.date}.",
        "",
        *(f"- {each}" for each in (*machine, ", ".join(versions))),
        "",
        *report.summary(results),
        report.limits(results),
        "",
        "![ratio of each row](benchmarks/ratios.svg)",
        "",
        "![share of copy bandwidth and peak of each row](benchmarks/shares.svg)",
    ]
    for group in dict.fromkeys(row.group for row in results.rows):
        rows = [row for row in results.rows if row.group == group]
        body = [[f"{row.title} (`{row.name}`)", *report.cells(results, row)[1:]] for row in rows]
        lines += ["", f"### {group.capitalize()}", ""]
        lines += markdown(report.heading(results), body)
    if found := report.overheads(results):
        lines += ["", "### Calls in units of PyTorch's add of ten elements", ""]
        lines += markdown(("call", "pumice", "adds of PyTorch"), found)
    if any(row.threads for row in results.rows):
        lines += ["", "### Threads", "", *markdown(*report.scaling(results))]
    if any(row.quoted for row in results.rows):
        lines += ["", "### Figures of another run", "", *markdown(*report.quoted(results))]
    if failures := report.errors(results):
        lines += ["", "### Failures", ""]
        lines += markdown(("row", "framework", "message"), [escaped(each) for each in failures])
    return "\n".join(lines)


def escaped(cells: Sequence[str]) -> list[str]:
    """Return texts that do not end a cell."""
    return [cell.replace("|", "\\|") for cell in cells]


def replaced(page: str, results: Results) -> str:
    """Return the page with its generated part written anew.

    Raises
    ------
    ValueError
        If the page has no generated part.
    """
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the page has no part between {START} and {END}")
    return f"{before}{START}\n{figures(results)}\n{END}{after}"


def write_page(results: Results, path: Path = PAGE) -> None:
    """Write the generated part of the page anew."""
    path.write_text(replaced(path.read_text(), results))
