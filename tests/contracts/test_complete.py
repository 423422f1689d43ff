"""Every line of docs/contracts.md has a test, and every test a line."""

import importlib
import re
from pathlib import Path

HERE = Path(__file__).parent
LINE = re.compile(r"^- \*\*(\d+\.\d+)\*\*", re.MULTILINE)


def test_every_line_has_a_test() -> None:
    lines = LINE.findall((HERE.parent.parent / "docs" / "contracts.md").read_text())
    assert len(lines) == len(set(lines))
    tested: set[str] = set()
    count = 0
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"tests.contracts.{path.stem}")
        for value in vars(module).values():
            numbers = getattr(value, "promises", ())
            count += bool(numbers)
            tested.update(numbers)
    missing, unknown = sorted(set(lines) - tested), sorted(tested - set(lines))
    assert not missing, f"{len(lines)} lines, {count} tests, none for {missing}"
    assert not unknown, f"tests name lines that do not exist: {unknown}"
