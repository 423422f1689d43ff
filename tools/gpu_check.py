"""Check pumice on a machine with a GPU, in under 8 minutes and without a network.

    python tools/gpu_check.py [--device vulkan] [--output DIR] [--wheels DIR] [--seconds 450]

runs the self-test, measures what the device reaches at most, times the rows of the design against
PyTorch on CUDA where that is installed, and writes `gpu_check.md` and `gpu_check.json` beside the
report of the self-test. `--wheels` names a folder with wheels of packages that the machine lacks.
On a software device add `--small`: it takes the sizes that the tests check.
"""

import argparse
import importlib.util
import json
import os
import platform
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("numpy", "llvmlite", "cffi", "ml_dtypes", "safetensors", "rich")
SELF_TEST_SHARE = 0.4
ROW_SECONDS = 0.4
ROW_LIMIT = 60.0
"""Seconds after which a row is given up."""
KNOWN = {
    "H200": (4.8e12, 67e12, 989e12),
    "H100": (3.35e12, 67e12, 989e12),
    "A100": (2.04e12, 19.5e12, 312e12),
    "RTX 4090": (1.008e12, 82.6e12, 165e12),
    "RTX 4070": (504e9, 29.1e12, 58e12),
    "RX 7900 XTX": (960e9, 61.4e12, 123e12),
    "Radeon 780M": (89.6e9, 8.3e12, 16.6e12),
    "Arc A770": (560e9, 19.7e12, 138e12),
}
"""Bytes per second of memory, float32 operations and 16-bit products per second, as published."""


@dataclass
class Result:
    """What the machine is and gave."""

    machine: dict[str, Any] = field(default_factory=dict)
    selftest: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    not_reached: list[str] = field(default_factory=list)


class Worker:
    """A process that times rows; started again when a row ends it."""

    def __init__(
        self, framework: str, device: str, small: bool, switched_off: tuple[str, ...] = ()
    ) -> None:
        off = os.environ.get("PUMICE_VULKAN_DISABLE", "")
        self._off = ",".join(filter(None, (off, *switched_off)))
        self._command = [sys.executable, "-m", "benchmarks.gpu", framework, device]
        self._command += [str(ROW_SECONDS), *(["--small"] if small else [])]
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def _start(self) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env={**os.environ, "PUMICE_VULKAN_DISABLE": self._off},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()

        def listen() -> None:
            assert process.stdout is not None and process.stderr is not None
            for line in process.stdout:
                lines.put(line)
            ending = process.stderr.read().strip().splitlines() or ["the process ended"]
            lines.put(json.dumps({"problem": ending[-1][:300]}))

        self._listener = threading.Thread(target=listen, daemon=True)
        self._listener.start()
        self._lines = lines
        return process

    def run(self, name: str, limit: float) -> dict[str, Any]:
        """Return what a row takes, or its problem."""
        if self._process is not None and self._process.poll() is not None:
            self.stop()
        if self._process is None:
            self._process = self._start()
        assert self._process.stdin is not None
        until = time.monotonic() + limit
        try:
            self._process.stdin.write(name + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # the end of the process will be told
        while True:
            try:
                line = self._lines.get(timeout=max(until - time.monotonic(), 0.01))
            except queue.Empty:
                self.stop()
                return {"problem": f"took longer than {limit:.0f} s"}
            if line.startswith("{"):
                said: dict[str, Any] = json.loads(line)
                if "row" not in said:
                    self.stop()
                return said

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._listener.join()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                assert stream is not None
                with suppress(OSError):  # what was written last may not have been read
                    stream.close()
            self._process = None


# -- packages --------------------------------------------------------------------------------------


def missing() -> list[str]:
    """Return the packages that pumice needs and the machine lacks."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def unpack(wheels: Path, names: Sequence[str], target: Path) -> None:
    """Unpack the wheels of packages that fit this Python."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    for wheel in sorted(wheels.glob("*.whl")):
        package, _, python, *_ = wheel.stem.split("-")
        fits = python in (tag, "py3", "py2.py3") or "abi3" in wheel.stem
        known = package.lower().replace("-", "_")
        if fits and (known in names or not _installed(known)):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(target)


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


# -- the steps -------------------------------------------------------------------------------------


def describe_machine() -> dict[str, Any]:
    """Return what may explain a result, or why there is none."""
    found: dict[str, Any] = {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Python": platform.python_version(),
        "cores": os.cpu_count(),
    }
    folders = (Path("/usr/share/vulkan/icd.d"), Path("/etc/vulkan/icd.d"))
    found["Vulkan drivers"] = [str(each) for folder in folders for each in folder.glob("*.json")]
    if shutil.which("nvidia-smi"):
        query = "--query-gpu=name,driver_version,memory.total"
        command = ["nvidia-smi", query, "--format=csv,noheader"]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        found["nvidia-smi"] = said.stdout.strip() or said.stderr.strip()
    return found


def pumice_command(arguments: Sequence[str], seconds: float) -> tuple[int, str]:
    """Run the command of pumice and return its status and what it printed."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pumice", *arguments],
            cwd=ROOT,
            env={**os.environ, "COLUMNS": "110"},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, f"took longer than {seconds:.0f} s"
    return done.returncode, (done.stdout + done.stderr).strip()


def cuda_device() -> str:
    """Return PyTorch's CUDA device, empty where there is none."""
    if not _installed("torch"):
        return ""
    program = "import torch; print('cuda' if torch.cuda.is_available() else '')"
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    return said.stdout.strip()


def ordered(rows: Sequence[str]) -> Iterator[str]:
    """Yield the limits of the device first, then the rows."""
    from benchmarks.gpu import CHECKED, LIMITS

    yield from LIMITS
    yield from rows or CHECKED


def time_rows(options: argparse.Namespace, result: Result, until: float, write: Any) -> None:
    """Time the rows in pumice and PyTorch in turn, until the time is up."""
    from benchmarks.gpu import PRODUCTS

    workers = {"pumice": Worker("pumice", options.device, options.small)}
    plain = Worker("pumice", options.device, options.small, ("cooperative_matrix",))
    torch_device = "cpu" if options.torch_cpu else cuda_device()
    if torch_device:
        workers["torch"] = Worker("torch", torch_device, options.small)
    result.machine["torch"] = torch_device or "no PyTorch with CUDA"
    for name in ordered(options.rows):
        if time.monotonic() > until - 5:
            result.not_reached.append(name)
            continue
        row: dict[str, Any] = {}
        for framework, worker in workers.items():
            row[framework] = worker.run(name, min(ROW_LIMIT, max(until - time.monotonic(), 5.0)))
        if name in PRODUCTS and row["pumice"].get("matrices", "none") != "none":
            row["plain"] = plain.run(name, min(ROW_LIMIT, max(until - time.monotonic(), 5.0)))
        result.rows[name] = row
        write()
    for worker in (*workers.values(), plain):
        worker.stop()


# -- what is shown ---------------------------------------------------------------------------------


def published(result: Result) -> tuple[float, float, float] | None:
    """Return the published limits of the device, where they are known."""
    text = f"{result.machine.get('device', '')} {result.machine.get('nvidia-smi', '')}"
    return next((limits for name, limits in KNOWN.items() if name in text), None)


def reached(result: Result) -> dict[str, float]:
    """Return the most that pumice reached: bytes and operations per second."""
    found = {}
    from benchmarks.gpu import LIMITS

    for name in LIMITS:
        cost = "bytes" if name == "copy" else "flop"
        row = result.rows.get(name, {}).get("pumice", {})
        if "seconds" in row:
            found[name] = row[cost] / row["seconds"]
    return found


def table(result: Result) -> list[str]:
    """Return the rows as lines of Markdown."""
    known = published(result)
    copy, peak, products = known or (0.0, 0.0, 0.0)
    most = reached(result)
    lines = [
        "| row | pumice | torch | ratio | of the copy reached | of bandwidth | of peak | predicted "
        "| predicted / reached |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, row in result.rows.items():
        mine, peer = row.get("pumice", {}), row.get("torch", {})
        if "seconds" not in mine:
            lines.append(f"| {name} | {mine.get('problem', '')} | | | | | | | |")
            continue
        seconds = mine["seconds"]
        other = peer.get("seconds")
        rate, work = mine["bytes"] / seconds, mine["flop"] / seconds
        narrow = "bf16" in name or name in ("products", "products_f16")
        matrix = products if narrow else peak
        bandwidth, arithmetic = copy or most.get("copy", 0.0), matrix or most.get("multiply_adds")
        predicted = max(
            mine["bytes"] / bandwidth if bandwidth else 0.0,
            mine["flop"] / arithmetic if arithmetic else 0.0,
        )
        cells = (
            name,
            _time(seconds),
            _time(other) if other else peer.get("problem", "")[:40],
            f"{other / seconds:.2f}" if other else "",
            _share(rate, most.get("copy", 0.0)),
            _share(rate, copy),
            _share(work, matrix),
            _time(predicted) if predicted else "",
            _share(predicted, seconds),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _matrices(row: dict[str, Any]) -> str:
    """Say which cooperative matrices a product was computed by, and what they gain."""
    mine, plain = row.get("pumice", {}), row.get("plain", {})
    used = mine.get("matrices")
    if not used:
        return ""
    if used == "none":
        return ", without cooperative matrices"
    gain = f", {plain['seconds'] / mine['seconds']:.1f} times" if "seconds" in plain else ""
    return f", by matrices of {used}{gain and gain + ' the speed without'}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if part and whole else ""


def page(result: Result) -> str:
    """Return everything as Markdown."""
    lines = ["# pumice on this machine", ""]
    lines += [f"- {name}: {value}" for name, value in result.machine.items() if name != "details"]
    lines += ["", "## Self-test", "", "```", *str(result.selftest.get("said")).splitlines(), "```"]
    lines += ["", "## Most that was reached", ""]
    for name, value in reached(result).items():
        scale, unit = (1e9, "GB/s") if name == "copy" else (1e12, "T/s")
        how = _matrices(result.rows[name])
        lines.append(f"- {name}: {value / scale:.1f} {unit}{how}")
    lines += ["", "## Rows", "", *table(result), ""]
    if result.not_reached:
        lines += [f"Not reached in time: {', '.join(result.not_reached)}.", ""]
    lines += ["## Device", "", "```", *str(result.machine.get("details")).splitlines(), "```", ""]
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(description="Check pumice on a machine with a GPU.")
    made.add_argument("--device", default="vulkan", help="the device (default: vulkan)")
    made.add_argument("--output", type=Path, default=None, help="where results go (default: $OUT)")
    made.add_argument(
        "--wheels", type=Path, help="a folder of wheels for packages that are missing"
    )
    made.add_argument("--seconds", type=float, default=450.0, help="all the time there is")
    made.add_argument("--rows", nargs="*", default=[], help="rows of benchmarks/rows to time")
    made.add_argument("--only", default="", help="checks of the self-test with this in their name")
    made.add_argument("--small", action="store_true", help="small sizes, for software devices")
    made.add_argument("--torch-cpu", action="store_true", help="compare with PyTorch on the CPU")
    return made


def main() -> int:
    """Run all steps; the status is 0 when the device works and the self-test passes."""
    options = parser().parse_args()
    begun = time.monotonic()
    lacking = missing()
    if lacking and options.wheels:
        target = Path(tempfile.mkdtemp(prefix="gpu-check-"))
        unpack(options.wheels, lacking, target)
        paths = [str(target), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        sys.path.insert(0, str(target))
        importlib.invalidate_caches()
        lacking = missing()
    if lacking:
        print(f"missing: {', '.join(lacking)}; give a folder of their wheels with --wheels")
        return 2
    sys.path.insert(0, str(ROOT))
    output = options.output or Path(os.environ.get("OUT", "."))
    output.mkdir(parents=True, exist_ok=True)
    result = Result(machine=describe_machine())

    def write() -> None:
        (output / "gpu_check.json").write_text(json.dumps(vars(result), indent=1))
        (output / "gpu_check.md").write_text(page(result))

    _, result.machine["details"] = pumice_command(["devices", "-v"], 60)
    program = f"import pumice; print(pumice.vulkan.get_device_name({options.device!r}))"
    named = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    result.machine["device"] = named.stdout.strip() or named.stderr.strip().splitlines()[-1]
    write()
    if named.returncode:
        print(page(result))
        return 1
    share = options.seconds * SELF_TEST_SHARE
    arguments = ["selftest", "--device", options.device, "--seconds", f"{share:.0f}"]
    arguments += ["--report", str((output / "selftest.md").resolve()), "--only", options.only]
    status, said = pumice_command(arguments, share + 60)
    result.selftest = {"status": status, "said": said}
    write()
    time_rows(options, result, begun + options.seconds, write)
    write()
    print(page(result))
    print(f"took {time.monotonic() - begun:.0f} s; results in {output}")
    return status


if __name__ == "__main__":
    sys.exit(main())
