"""Importing pumice is quick and brings in nothing that a first use does not need."""

import os
import subprocess
import sys
from pathlib import Path

HEAVY = ("llvmlite", "cffi", "torch", "rich", "pumice.backends.llvm.backend")

_TIMED = "import time; start = time.perf_counter(); import {0}; print(time.perf_counter() - start)"


def run(code: str, cache: Path) -> str:
    """Return what a new process prints that keeps its bytecode, as an installed package does."""
    environment = dict(os.environ, PYTHONPYCACHEPREFIX=str(cache))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout


def best_of_five(module: str, cache: Path) -> float:
    run(f"import {module}", cache)
    return min(float(run(_TIMED.format(module), cache)) for _ in range(5))


def test_import_time(tmp_path: Path) -> None:
    """Under 0.25 s; on a slow or busy machine, three times NumPy's own, and ml_dtypes' beside it.

    The library of ml_dtypes alone takes a second to load on some machines.
    """
    allowed = 2 * best_of_five("numpy", tmp_path) + best_of_five("ml_dtypes", tmp_path)
    assert best_of_five("pumice", tmp_path) < max(0.25, allowed)


def test_heavy_packages_wait_for_their_first_use(tmp_path: Path) -> None:
    code = f"import pumice, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code, tmp_path).strip() == "[]"
