"""What a run measured, and the file it is kept in."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PUMICE = "pumice"
TORCH = "torch"


@dataclass(slots=True)
class RowResult:
    """What was measured of one row.

    Attributes
    ----------
    seconds, first : dict
        The shortest call and the shortest first call by framework.
    errors : dict
        Why a framework has no time.
    bytes, flop : float
        What the row has to move and to compute, zero where that says nothing.
    arithmetic : str
        Which measured peak bounds it.
    threads : dict
        The seconds of pumice by number of threads, where that was asked for.
    quoted : dict
        Seconds that another framework, and PyTorch beside it, took in an earlier run.
    """

    name: str
    title: str
    group: str
    seconds: dict[str, float] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    bytes: float = 0.0
    flop: float = 0.0
    arithmetic: str = "float32"
    threads: dict[str, float] = field(default_factory=dict)
    quoted: dict[str, float] = field(default_factory=dict)

    def add(self, framework: str, timing: dict[str, float]) -> None:
        """Keep the times of one process if they are the shortest."""
        for mine, key in ((self.seconds, "seconds"), (self.first, "first")):
            if key in timing:
                mine[framework] = min(mine.get(framework, float("inf")), timing[key])
        self.bytes = timing.get("bytes", self.bytes)
        self.flop = timing.get("flop", self.flop)

    @property
    def peer(self) -> str | None:
        """The fastest of the other frameworks."""
        peers = [name for name in self.seconds if name != PUMICE]
        return min(peers, key=lambda name: self.seconds[name], default=None)

    @property
    def ratio(self) -> float | None:
        """How many times faster pumice is than the fastest of the others."""
        if self.peer is None or PUMICE not in self.seconds:
            return None
        return self.seconds[self.peer] / self.seconds[PUMICE]


@dataclass(slots=True)
class Results:
    """A whole run.

    Attributes
    ----------
    limits : dict
        ``copy`` in bytes per second, ``float32`` and ``float64`` in operations per second.
    """

    command: str
    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    frameworks: list[str]
    limits: dict[str, float] = field(default_factory=dict)
    rows: list[RowResult] = field(default_factory=list)

    def copy_share(self, row: RowResult) -> float | None:
        """Return the share of the copy bandwidth that pumice reaches."""
        return self._share(row, row.bytes, "copy")

    def peak_share(self, row: RowResult) -> float | None:
        """Return the share of the peak of fused multiply-adds that pumice reaches."""
        return self._share(row, row.flop, row.arithmetic)

    def _share(self, row: RowResult, amount: float, limit: str) -> float | None:
        if not amount or PUMICE not in row.seconds or limit not in self.limits:
            return None
        return amount / row.seconds[PUMICE] / self.limits[limit]

    def write(self, path: Path) -> None:
        """Write all as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")


def read(path: Path) -> Results:
    """Read what `Results.write` wrote."""
    fields: dict[str, Any] = json.loads(path.read_text())
    rows = [RowResult(**row) for row in fields.pop("rows")]
    return Results(**fields, rows=rows)
