"""The command line: times rows, prints tables, writes results, charts and the page."""

import argparse
import shlex
import sys
from datetime import date
from pathlib import Path

from rich.console import Console

from benchmarks import page, plots, report
from benchmarks.check import comparable, difference, outcomes
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.machine import machine, versions
from benchmarks.profiles import can_be_profiled, profile_row
from benchmarks.results import Results, RowResult, read
from benchmarks.row import Row
from benchmarks.rows import GROUPS, ROWS, chosen
from benchmarks.runner import Options, run_all


def names(text: str) -> list[str]:
    """Return the frameworks of a list with commas."""
    found = text.split(",")
    unknown = [name for name in found if name not in FRAMEWORKS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not in {', '.join(FRAMEWORKS)}")
    return found


def numbers(text: str) -> list[int]:
    """Return the numbers of a list with commas."""
    return [int(each) for each in text.split(",")]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time pieces of work in pumice and its peers, in turn. A ratio above 1 means "
        "that pumice is faster than the fastest peer.",
        epilog=f"Groups: {', '.join(GROUPS)}. Rows: {', '.join(ROWS)}.",
    )
    made.add_argument("rows", nargs="*", metavar="ROW", help="rows or groups (default: all)")
    made.add_argument("--rounds", type=int, default=3, help="turns of each framework")
    made.add_argument("--seconds", type=float, default=1.0, help="length of a turn")
    made.add_argument(
        "--frameworks", type=names, default=list(FRAMEWORKS), help=",".join(FRAMEWORKS)
    )
    made.add_argument("--timeout", type=float, default=300.0, help="seconds for one process")
    made.add_argument(
        "--threads", type=numbers, default=[], help="also compare pumice with, say, 1,2 threads"
    )
    made.add_argument("--json", type=Path, help="write the results to this file")
    made.add_argument("--plots", type=Path, help="write charts into this folder")
    made.add_argument("--page", action="store_true", help="write docs/performance.md and charts")
    made.add_argument("--from-json", type=Path, help="report the results of an earlier run")
    made.add_argument(
        "--profile", action="store_true", help="print where a call of pumice spends its time only"
    )
    made.add_argument("--check", action="store_true", help="compare results on small inputs only")
    return made


def recorded_command(arguments: list[str]) -> str:
    """Return the command that repeats a run, without where its results went."""
    outputs = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    outputs.add_argument("--json")
    outputs.add_argument("--plots")
    outputs.add_argument("--page", action="store_true")
    _, rest = outputs.parse_known_args(arguments)
    return shlex.join(["python", "-m", "benchmarks", *rest])


def check(rows: list[Row], frameworks: list[str], console: Console) -> bool:
    """Compare what each framework computes with PyTorch, and return whether all agree."""
    agree = True
    for row in filter(comparable, rows):
        wanted = outcomes("torch", row)
        for framework in frameworks:
            if framework == "torch" or not row.runs_in(framework):
                continue
            try:
                found = difference(row, outcomes(framework, row), wanted)
            except Exception as problem:  # reported like any other difference
                found = f"{type(problem).__name__}: {problem}"
            agree &= not found
            console.print(f"{row.name} {framework}: {found or 'agrees'}", markup=False)
    return agree


def progress(results: Results, console: Console, path: Path | None) -> None:
    """Print a line for the latest row, and write what there is: a run may be interrupted."""
    row: RowResult = results.rows[-1]
    name, ratio, *rest = report.cells(results, row)
    console.print(f"{name:20}{ratio:>8}" + "".join(f"{cell:>11}" for cell in rest), markup=False)
    if path:
        results.write(path)


def main() -> None:
    """Run the command line."""
    options = parser().parse_args()
    console = Console(width=None if sys.stdout.isatty() else 140)
    try:
        rows = chosen(options.rows)
    except KeyError as unknown:
        sys.exit(f"no row or group is called {unknown}")
    if options.check:
        sys.exit(0 if check(rows, options.frameworks, console) else 1)
    if options.profile:
        for row in filter(can_be_profiled, rows):
            console.print(f"{row.title} ({row.name})\n{profile_row(row)}\n", markup=False)
        return
    if options.from_json:
        results = read(options.from_json)
    else:
        results = Results(
            command=recorded_command(sys.argv[1:]),
            date=date.today().isoformat(),
            machine=machine(),
            versions=versions(options.frameworks),
            frameworks=options.frameworks,
        )
        run_options = Options(
            options.frameworks, options.rounds, options.seconds, options.timeout, options.threads
        )
        head, ratio, *rest = report.heading(results)
        console.print(f"{head:20}{ratio:>8}" + "".join(f"{name:>11}" for name in rest))
        run_all(rows, run_options, results, lambda _: progress(results, console, options.json))
    report.show(results, console)
    if options.json:
        results.write(options.json)
    if options.page or options.plots:
        plots.write_plots(results, options.plots or page.PLOTS)
    if options.page:
        page.write_page(results)


if __name__ == "__main__":
    main()
