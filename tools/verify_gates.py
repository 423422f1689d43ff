"""Break a copy of the tree on purpose and require that the right check turns red.

    python tools/verify_gates.py            every gate
    python tools/verify_gates.py types      the gates whose name contains a text
    python tools/verify_gates.py --list     their names

Every check first has to pass on the untouched copy: a gate that is always red proves nothing.
Takes minutes; run it when a check is added or changed. The Vulkan gates need a device.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = (
    "pumice",
    "tests",
    "tools",
    "benchmarks",
    "docs",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
)

PYTHON = sys.executable
PYTEST = (PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
RUFF = (PYTHON, "-m", "ruff")
IMPORTS = (PYTHON, "-c", "import sys; from importlinter.cli import lint_imports; "
           "sys.exit(lint_imports())")  # fmt: skip
GENERATED = (PYTHON, "tools/gen_docs.py", "--check")
COMPLAINT = """
import subprocess, sys
command = [sys.executable, "tools/gen_docs.py", "--check"]
sys.exit(sys.argv[1] in subprocess.run(command, capture_output=True, text=True).stderr)
"""
VALUES = "tests/ops/test_generated_values.py"


def complaint(text: str) -> tuple[str, ...]:
    """Return a command that fails when the check of the pages says a text.

    The check itself would be red because pages are stale.
    """
    return (PYTHON, "-c", COMPLAINT, text)


@dataclass(frozen=True, slots=True)
class Gate:
    """One way to break the tree, and the check that must notice.

    Attributes
    ----------
    name : str
        What is broken.
    path : str
        The file to change.
    new : str
        Text that replaces ``old``, or is appended where ``old`` is empty.
    check : tuple of str
        Command that must fail afterwards.
    """

    name: str
    path: str
    old: str
    new: str
    check: tuple[str, ...]


GATES = (
    Gate("style: unused import", "pumice/errors.py", "", "import json\n", (*RUFF, "check", ".")),
    Gate(
        "style: environment read outside config",
        "pumice/target.py",
        "",
        "import os\n\nHOME = os.environ\n",
        (*RUFF, "check", "--select", "TID251", "."),
    ),
    Gate("format", "pumice/errors.py", "", "x = {1:2}\n", (*RUFF, "format", "--check", ".")),
    Gate(
        "types: a text for a number",
        "pumice/dtypes.py",
        "",
        '\nWRONG: int = "text"\n',
        (PYTHON, "-m", "mypy"),
    ),
    Gate(
        "types: an untyped function",
        "pumice/dtypes.py",
        "",
        "\n\ndef wrong(x):\n    return x\n",
        (PYTHON, "-m", "mypy"),
    ),
    Gate("imports: upwards", "pumice/graph/walk.py", "", "import pumice.engine.realize\n", IMPORTS),
    Gate(
        "imports: runtime learns of kernels",
        "pumice/runtime/base.py",
        "",
        "import pumice.kernel.ir\n",
        IMPORTS,
    ),
    Gate(
        "imports: one backend knows the other",
        "pumice/backends/spirv/types.py",
        "",
        "import pumice.backends.llvm.types\n",
        IMPORTS,
    ),
    Gate(
        "imports: tests' tools in the package",
        "pumice/cli/main.py",
        "",
        "import pumice.testing.cases\n",
        IMPORTS,
    ),  # fmt: skip
    Gate(
        "structure: a giant module",
        "pumice/target.py",
        "",
        "X = 1\n" * 401,
        (*PYTEST, "tests/meta/test_structure.py", "-k", "test_size"),
    ),
    Gate(
        "structure: a package without its stage",
        "pumice/kernel/__init__.py",
        "Stage:",
        "Part:",
        (*PYTEST, "tests/meta/test_structure.py", "-k", "stage"),
    ),
    Gate(
        "structure: llvmlite where it does not belong",
        "pumice/graph/walk.py",
        "",
        "import llvmlite\n",
        (*PYTEST, "tests/meta/test_structure.py", "-k", "confined"),
    ),
    Gate(
        "import time: a heavy import",
        "pumice/target.py",
        "",
        "import llvmlite.binding\n",
        (*PYTEST, "tests/meta/test_import_time.py"),
    ),
    Gate(
        "operator: wrong meaning",
        "pumice/ops/arithmetic.py",
        "meaning=lambda x, y: x - y",
        "meaning=lambda x, y: y - x",
        (*PYTEST, VALUES, "-k", "test_value and sub-float32 and cpu"),
    ),
    Gate(
        "operator: wrong gradient",
        "pumice/ops/arithmetic.py",
        "(g, -g)",
        "(g, g)",
        (*PYTEST, "tests/autograd/test_entries.py", "-k", "test_first_order and sub"),
    ),
    Gate(
        "operator: wrong dtype rule",
        "pumice/ops/arithmetic.py",
        "accepts=Accepts.FLOAT",
        "accepts=Accepts.NUMERIC",
        (*PYTEST, VALUES, "-k", "test_value and div-int32 and cpu"),
    ),
    Gate(
        "operator: neither gradient nor reason",
        "pumice/ops/arithmetic.py",
        "gradient=lambda g, out, x, y: (g, -g),",
        "",
        (*PYTEST, "tests/meta/test_registry.py", "-k", "gradient and sub"),
    ),
    Gate(
        "operator: undocumented",
        "pumice/ops/arithmetic.py",
        '"Subtract the second tensor from the first."',
        '""',
        (*PYTEST, "tests/meta/test_registry.py", "-k", "documentation and sub"),
    ),
    Gate(
        "CPU code: a wrong instruction",
        "pumice/backends/llvm/arithmetic.py",
        'Instruction.SUB: "fsub"',
        'Instruction.SUB: "fadd"',
        (*PYTEST, VALUES, "-k", "test_value and sub-float32 and cpu"),
    ),
    Gate(
        "CPU code: NaN compares equal",
        "pumice/backends/llvm/arithmetic.py",
        '"fcmp une"',
        '"fcmp one"',
        (*PYTEST, VALUES, "-k", "test_special and not_equal-float32 and cpu"),
    ),
    Gate(
        "GPU code: a wrong instruction",
        "pumice/backends/spirv/arithmetic.py",
        "Instruction.SUB: Op.F_SUB",
        "Instruction.SUB: Op.F_ADD",
        (*PYTEST, VALUES, "-k", "test_value and sub-float32 and vulkan"),
    ),
    Gate(
        "fold: ties choose the last",
        "pumice/ops/reduction.py",
        "second = better | (equal & (j < i))",
        "second = better | (equal & (i < j))",
        (*PYTEST, "tests/ops/test_generated_reductions.py", "-k", "equal and argmax and cpu"),
    ),
    Gate(
        "benchmarks: a network that computes something else",
        "benchmarks/networks/small.py",
        "return layer(x)[0]",
        "return layer(x)[0] * 2",
        (*PYTEST, "tests/benchmarks/test_rows.py", "-k", "torch_computes and lstm"),
    ),
    Gate("pages: stale", "docs/operators.md", "# Functions", "# Function", GENERATED),
    Gate("pages: a dead link", "docs/architecture.md", "", "\n[x](nowhere.md)\n", GENERATED),
    Gate(
        "pages: a link to a part that is not there",
        "docs/architecture.md",
        "",
        "\n[x](how-to-change.md#nowhere)\n",
        complaint("has no such part"),
    ),
    Gate(
        "pages: an undocumented function",
        "pumice/tensor/products.py",
        '"""Return the sum of the main diagonal',
        'f"""Return the sum of the main diagonal',
        complaint("trace (pumice/tensor/products.py"),
    ),
    Gate(
        "pages: a function without an example",
        "pumice/tensor/products.py",
        ">>> pumice.trace(",
        "pumice.trace(",
        complaint("has no example"),
    ),
    Gate(
        "pages: an example that calls another function",
        "pumice/tensor/products.py",
        ">>> pumice.trace(",
        ">>> pumice.tensor(",
        complaint("is not called by its example"),
    ),
    Gate(
        "pages: an example that prints something else",
        "pumice/tensor/products.py",
        ">>> pumice.trace(",
        ">>> 1 + pumice.trace(",
        (*PYTEST, "tests/meta/test_documentation.py", "-k", "prints and trace"),
    ),
    Gate(
        "promises: a line without a test",
        "docs/contracts.md",
        "",
        "\n- **9.9** Nothing.\n",
        (*PYTEST, "tests/contracts/test_complete.py"),
    ),
    Gate(
        "pages: stale after a changed entry",
        "pumice/ops/arithmetic.py",
        '"Multiply two tensors."',
        '"Multiply tensors."',
        GENERATED,
    ),
    Gate(
        "methods: stale",
        "pumice/tensor/_generated.py",
        "",
        "\n",
        (PYTHON, "tools/gen_api.py", "--check"),
    ),
    Gate(
        "readme: an example that fails",
        "README.md",
        "y.backward()",
        "y.backwards()",
        (*PYTEST, "tests/meta/test_documentation.py", "-k", "blocks and README"),
    ),
)


def run(command: tuple[str, ...], tree: Path) -> subprocess.CompletedProcess[str]:
    """Run a check in the copy, so that it imports the copy."""
    environment = dict(os.environ, PYTHONPATH=str(tree), PYTHONDONTWRITEBYTECODE="1")
    environment.pop("PUMICE_INTERPRET", None)
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)


@contextmanager
def broken(tree: Path, gate: Gate) -> Iterator[None]:
    """Apply the change of a gate, and take it back."""
    path = tree / gate.path
    before = path.read_text()
    if gate.old and gate.old not in before:
        raise SystemExit(f"{gate.name}: {gate.path} no longer holds {gate.old!r}; mend the gate")
    after = before.replace(gate.old, gate.new, 1) if gate.old else before + gate.new
    path.write_text(after)
    try:
        yield
    finally:
        path.write_text(before)


def copy_tree(destination: Path) -> None:
    """Copy what the checks look at."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, destination / name, ignore=ignored)
        else:
            shutil.copy(source, destination / name)


def tail(result: subprocess.CompletedProcess[str]) -> str:
    lines = (result.stdout + result.stderr).strip().splitlines()
    return "\n".join(f"    {line}" for line in lines[-15:])


def verify(gates: list[Gate], tree: Path) -> int:
    """Return how many gates did not do their work."""
    faults = 0
    green: dict[tuple[str, ...], bool] = {}
    for gate in gates:
        if gate.check not in green:
            intact = run(gate.check, tree)
            green[gate.check] = intact.returncode == 0
            if intact.returncode:
                print(f"    red without any change: {' '.join(gate.check)}\n{tail(intact)}")
        if not green[gate.check]:
            print(f"FAULT  {gate.name}: the check is red before anything is broken")
            faults += 1
            continue
        with broken(tree, gate):
            result = run(gate.check, tree)
        # pytest's 5 is "no test ran": the gate would be looking at nothing.
        caught = result.returncode not in (0, 5)
        faults += not caught
        print(f"{'caught' if caught else 'FAULT '} {gate.name}", flush=True)
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("text", nargs="?", default="", help="only gates whose name contains it")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    options = parser.parse_args()
    gates = [gate for gate in GATES if options.text in gate.name]
    if options.list:
        print("\n".join(gate.name for gate in gates))
        return 0
    with tempfile.TemporaryDirectory(prefix="pumice-gates-") as folder:
        copy_tree(Path(folder))
        faults = verify(gates, Path(folder))
    print(f"{len(gates) - faults} of {len(gates)} gates caught what they are for")
    return 1 if faults or not gates else 0


if __name__ == "__main__":
    sys.exit(main())
