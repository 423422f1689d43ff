"""Running the checks of the self-test in processes of their own, which a driver may end."""

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json import JSONDecodeError, loads
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from pumice.errors import DeviceError
from pumice.target import Device

WORKER = (sys.executable, "-m", "pumice.testing.selftest")
SILENCE = 180.0
"""Seconds after which a check that says nothing has hung."""
MOST_PROCESSES = 20
"""How many may end early before the rest is given up."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check gave: an empty problem is a right result, or a refused dtype."""

    name: str
    problem: str
    refused: bool = False


def examine(
    device: Device,
    names: Sequence[str],
    advance: Callable[[str], None],
    switches: Sequence[str] = (),
    worker: Sequence[str] = WORKER,
    silence: float = SILENCE,
    seconds: float | None = None,
) -> list[Finding]:
    """Run checks and return what each gave, all of them or those done in some seconds.

    Parameters
    ----------
    advance : callable
        Called with the name of each check that is done.
    switches : sequence of str
        Features to do without.
    worker : sequence of str
        The command that runs checks.
    silence : float
        Seconds without an answer after which a process is ended.

    Raises
    ------
    DeviceError
        When the checks cannot even be started.
    """
    findings: list[Finding] = []
    waiting = list(names)
    until = inf if seconds is None else monotonic() + seconds
    for _ in range(MOST_PROCESSES):
        if not waiting:
            break
        process = _Process([*worker, str(device), *switches], waiting, silence, until)
        for finding in process.findings():
            findings.append(finding)
            advance(finding.name)
        done = {finding.name for finding in findings}
        waiting = [name for name in waiting if name not in done]
        if monotonic() >= until:
            return findings
    findings += [Finding(name, "not run: too many checks ended the process") for name in waiting]
    return findings


class _Process:
    """One process that runs checks until it is done, gone or silent."""

    def __init__(
        self, command: Sequence[str], names: Sequence[str], silence: float, until: float
    ) -> None:
        self._until = until
        self._command = command
        self._names = names
        self._silence = silence
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._hung = False

    def findings(self) -> list[Finding]:
        """Return what the checks gave; the last of them is what ended the process, if it did."""
        found: list[Finding] = []
        running = ""
        with tempfile.TemporaryFile("w+") as complaints:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()
            with process:
                while (said := self._next(process)) is not None:
                    running = said.get("start", running)
                    if "name" in said:
                        found.append(
                            Finding(said["name"], said["problem"], said.get("refused") == "yes")
                        )
            late = monotonic() >= self._until
            if late or found and (len(found) == len(self._names) or found[-1].name == running):
                return found
            complaints.seek(0)
            last = complaints.read().strip().splitlines()[-1:]
        ending = f"the process ended with status {process.returncode}"
        if self._hung:
            ending = f"no answer for {self._silence:.0f} s"
        message = "; ".join([ending, *last])
        if not running:
            raise DeviceError(f"selftest: the checks cannot be started: {message}")
        return [*found, Finding(running, message)]

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        """Send the names and hand on what comes back."""
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write("\n".join(self._names) + "\n")
            process.stdin.close()
        except OSError:
            pass  # it is gone already, which its end will tell
        for line in process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _next(self, process: "subprocess.Popen[str]") -> dict[str, Any] | None:
        """Return the next thing that was said, None at the end."""
        while True:
            try:
                wait = min(self._silence, max(self._until - monotonic(), 0.0))
                line = self._lines.get(timeout=wait)
            except Empty:
                self._hung = True
                process.kill()
                return None
            if line is None:
                return None
            try:
                said = loads(line)
            except JSONDecodeError:
                continue  # drivers print what they like
            if isinstance(said, dict):
                return said
