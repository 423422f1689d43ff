"""Importing pumice is quick and brings in nothing that a first use does not need."""

import subprocess
import sys

HEAVY = ("llvmlite", "cffi", "torch", "rich", "safetensors", "pumice.backends.llvm.backend")

_TIMED = "import time; start = time.perf_counter(); import {0}; print(time.perf_counter() - start)"


def run(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def best_of_five(module: str) -> float:
    return min(float(run(_TIMED.format(module))) for _ in range(5))


def test_import_time() -> None:
    """Under 0.25 s; on a slow or busy machine, under three times NumPy's own import."""
    assert best_of_five("pumice") < max(0.25, 3 * best_of_five("numpy"))


def test_heavy_packages_wait_for_their_first_use() -> None:
    code = f"import pumice, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code).strip() == "[]"
