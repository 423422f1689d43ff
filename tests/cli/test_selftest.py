"""The self-test finds a fault that was put in, names the switch that cures it, and reports it."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pumice.cli import examination, selftest
from pumice.cli.main import main
from pumice.cli.selftest import Outcome, Settings, summary
from pumice.config import config
from pumice.errors import DeviceError, InvalidArgument
from pumice.target import CPU
from pumice.testing.selftest import checks

FAULTY = """
import os, sys, time
os.environ["PUMICE_DISK_CACHE"] = "0"
from pumice.engine import artifacts
from pumice.engine.devices import runtime_of
from pumice.testing import selftest

right = artifacts.module_code
ADD, SUBTRACT = 0x00050081, 0x00050083


def wrong(name, device):
    code = right(name, device)
    if not runtime_of(device).target.limits["int16"]:
        return code
    return code.replace(ADD.to_bytes(4, "little"), SUBTRACT.to_bytes(4, "little"))


artifacts.module_code = wrong
sys.exit(selftest.main())
"""

ENDING = """
import os, sys, time
from pumice.testing import selftest


def tried(name):
    def run(device):
        if name.startswith("sub"):
            os.write(2, b"the driver is gone\\n")
            os._exit(7)
        if name.startswith("mul"):
            time.sleep(60)
        print("a driver says what it likes")
        assert not name.startswith("div"), "3 ulp, allowed 1"
    return run


names = sys.argv[2:]
del sys.argv[2:]
selftest.checks = lambda unsupported: [selftest.Check(name, tried(name)) for name in names]
sys.exit(selftest.main())
"""


def worker(tmp_path: Path, program: str) -> tuple[str, ...]:
    """Return the command of a process that runs checks with something wrong in it."""
    path = tmp_path / "worker.py"
    path.write_text(program)
    return (sys.executable, str(path))


def run(settings: Settings) -> tuple[int, str]:
    console = Console(file=io.StringIO(), width=200)
    status = selftest.run(settings, console)
    return status, console.file.getvalue()  # type: ignore[attr-defined]


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in checks()]
    assert len(set(names)) == len(names)
    assert {"add float32", "sum int8", "sort, float32", "random program 0"} <= set(names)


def test_a_right_device_passes(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    status, shown = run(Settings("cpu", "add float", report))
    assert status == 0
    assert "Checking cpu" in shown and "3 checks, every result is right" in shown
    text = report.read_text()
    assert "0 of 3 checks failed." in text and "- numpy: " in text and "None." in text


@pytest.mark.vulkan
def test_a_fault_is_found_measured_and_cured(
    vulkan_device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PUMICE_VULKAN_DISABLE", raising=False)  # the fault comes with a feature
    everything = replace(config(), vulkan_disable=())
    monkeypatch.setattr("pumice.cli.selftest.config", lambda: everything)
    report = tmp_path / "report.md"
    status, shown = run(
        Settings(vulkan_device, "add float32", report, worker=worker(tmp_path, FAULTY))
    )
    assert status == 1
    assert "1 of 1 checks failed" in shown
    assert "add-float32" in shown and "elements are wrong" in shown
    assert "PUMICE_VULKAN_DISABLE=int16 cures 1 of those tried" in shown
    text = report.read_text()
    for part in ("### add float32", "Cured without int16.", "exact", "UUID", "- pumice: "):
        assert part in text


def test_checks_that_end_or_hang_a_process_are_blamed_and_the_others_run(tmp_path: Path) -> None:
    names = ["add a", "sub a", "div a", "mul a", "add b"]
    seen: list[str] = []
    found = examination.examine(
        CPU, names, seen.append, names, worker(tmp_path, ENDING), silence=8.0
    )
    assert {each.name: each.problem for each in found} == {
        "add a": "",
        "sub a": "the process ended with status 7; the driver is gone",
        "div a": "3 ulp, allowed 1",
        "mul a": "no answer for 8 s",
        "add b": "",
    }
    assert seen == names


def test_checks_that_cannot_be_started_are_an_error(tmp_path: Path) -> None:
    broken = worker(tmp_path, "raise SystemExit('no driver here')")
    with pytest.raises(DeviceError, match="cannot be started: .* status 1; no driver here"):
        examination.examine(CPU, ["add a"], print, (), broken)


def test_a_dtype_that_is_refused_is_no_failure(tmp_path: Path) -> None:
    (found,) = examination.examine(CPU, ["nothing of this name"], lambda name: None)
    assert found.refused and not found.problem


def test_a_name_that_fits_nothing_is_an_error() -> None:
    with pytest.raises(InvalidArgument, match="no check has 'frobnicate' in its name"):
        run(Settings("cpu", "frobnicate"))


def test_a_long_list_is_cut_short() -> None:
    problems = {f"add {number}": "wrong\nmore" for number in range(selftest.SHOWN + 5)}
    console = Console(file=io.StringIO(), width=120)
    console.print(summary(Outcome(CPU, 99, problems, {"add 1": "int64 (refused then)"})))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "and 5 more" in shown and "PUMICE_VULKAN_DISABLE=int64 cures 1" in shown
    assert "more" not in shown.split("add 0")[1].splitlines()[0]


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    arguments = ["selftest", "--device", "cpu", "--only", "neg float32", "--report", str(report)]
    assert main([*arguments, "--no-switches"]) == 0
    assert "1 checks, every result is right" in capsys.readouterr().out
    assert report.exists()
