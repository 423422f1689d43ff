"""``pumice selftest``: every operator on a device against the CPU, and what cures what fails."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from pumice.cli.examination import WORKER, examine
from pumice.cli.report import write_report
from pumice.config import config
from pumice.engine.devices import parse_device, runtime_of
from pumice.errors import InvalidArgument
from pumice.runtime.vulkan.selection import enumerate_devices, find
from pumice.runtime.vulkan.switches import SWITCHES
from pumice.target import Device, DeviceKind
from pumice.testing.selftest import checks

TRIED_PER_SWITCH = 24
SHOWN = 30


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chose.

    Attributes
    ----------
    only : str
        Checks whose name has this text; all by default.
    report : Path or None
        Where the report goes; where nothing is given one is written if something fails.
    switches : bool
        Whether to look for switches that cure failures.
    seconds : float or None
        Time for the checks; those that are not done by then are counted.
    worker : sequence of str
        The command that runs checks.
    """

    device: str = "vulkan"
    only: str = ""
    report: Path | None = None
    switches: bool = True
    seconds: float | None = None
    worker: Sequence[str] = WORKER


@dataclass(slots=True)
class Outcome:
    """What the checks gave.

    Attributes
    ----------
    problems : dict
        What is wrong, by check.
    cures : dict
        The switch that makes a check pass, by check.
    """

    device: Device
    count: int
    problems: dict[str, str] = field(default_factory=dict)
    cures: dict[str, str] = field(default_factory=dict)
    skipped: int = 0


def run(settings: Settings, console: Console) -> int:
    """Check a device; the status is 0 when everything is right, 1 otherwise."""
    device = parse_device(settings.device)
    runtime = runtime_of(device)
    names = [each.name for each in checks(runtime.target.unsupported)]
    names = [name for name in names if settings.only in name]
    if not names:
        raise InvalidArgument(f"selftest: no check has {settings.only!r} in its name")
    console.print(f"Checking {device} ({runtime.name})", markup=False)
    outcome = Outcome(device, len(names))
    if settings.seconds is not None:
        names.sort(key=lambda name: crc32(name.encode()))  # some of each kind, however few
    with _progress(console, "checks", len(names)) as advance:
        found = examine(device, names, advance, worker=settings.worker, seconds=settings.seconds)
    outcome.count, outcome.skipped = len(found), len(names) - len(found)
    outcome.problems = {each.name: each.problem for each in found if each.problem}
    if outcome.problems and settings.switches and device.kind is DeviceKind.VULKAN:
        _find_cures(settings, outcome, console)
    console.print(summary(outcome))
    path = settings.report
    if path is None and outcome.problems:
        path = Path(f"pumice-selftest-{device.type}-{device.index}.md")
    if path is not None:
        write_report(path, device, outcome.count, outcome.problems, outcome.cures)
        console.print(f"The report is in {path}; attach it to an issue", markup=False)
    return 1 if outcome.problems else 0


@contextmanager
def _progress(console: Console, what: str, total: int) -> Iterator[Callable[[str], None]]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[name]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total, name="")
        yield lambda name: progress.update(task, advance=1, name=name)


def _find_cures(settings: Settings, outcome: Outcome, console: Console) -> None:
    """Try each switch on what fails, those first that cost least."""
    description = find(enumerate_devices(), str(outcome.device.index))
    switches = [
        name
        for name, features in SWITCHES.items()
        if name not in config().vulkan_disable
        and any(description.features.get(feature) for feature in features)
    ]
    # A switch that makes a device refuse a dtype is the last resort.
    switches.sort(key=lambda name: name in ("float64", "int64", "storage8", "storage16"))
    for switch in switches:
        waiting = [name for name in outcome.problems if name not in outcome.cures]
        tried = _various(waiting, TRIED_PER_SWITCH)
        if not tried:
            return
        with _progress(console, f"without {switch}", len(tried)) as advance:
            found = examine(outcome.device, tried, advance, (switch,), settings.worker)
        for each in found:
            if not each.problem:
                outcome.cures[each.name] = f"{switch} (refused then)" if each.refused else switch


def _various(names: Sequence[str], most: int) -> list[str]:
    """Return some names, those of different operators first."""
    first = {name.rsplit(" ", 1)[0]: name for name in reversed(names)}
    chosen = [name for name in names if first[name.rsplit(" ", 1)[0]] == name]
    rest = [name for name in names if name not in set(chosen)]
    return [*chosen, *rest][:most]


def summary(outcome: Outcome) -> Table | Text:
    """Return what failed, by how much, and what cures it."""
    problems, cures = outcome.problems, outcome.cures
    rest = f", {outcome.skipped} not reached in time" if outcome.skipped else ""
    if not problems:
        return Text(f"{outcome.count} checks, every result is right{rest}", style="green")
    title = f"{len(problems)} of {outcome.count} checks failed{rest}"
    proposed = sorted({cure.split(" ")[0] for cure in cures.values()})
    caption = None
    if proposed:
        caption = f"PUMICE_VULKAN_DISABLE={','.join(proposed)} cures {len(cures)} of those tried"
    table = Table(title=title, caption=caption)
    for heading in ("check", "what is wrong", "cured without"):
        table.add_column(heading, overflow="fold")
    for name, problem in list(problems.items())[:SHOWN]:
        table.add_row(Text(name), Text(problem.splitlines()[0]), Text(cures.get(name, "")))
    if len(problems) > SHOWN:
        table.add_row(f"and {len(problems) - SHOWN} more", "see the report", "")
    return table
