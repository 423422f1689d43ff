"""Rules of the source tree, checked on the syntax tree of every module."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pumice"
MODULES = sorted(PACKAGE.rglob("*.py"))
FILE_LINES = 400
FUNCTION_LINES = 60
GENERATED = "Written by tools/"

# Packages that may be imported only below some folders.
CONFINED = {
    "llvmlite": ("backends/llvm/", "runtime/cpu/"),
    "cffi": ("runtime/vulkan/",),
    "torch": ("interop/",),
}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@lru_cache(maxsize=512)
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def is_generated(path: Path) -> bool:
    return GENERATED in (ast.get_docstring(parse(path)) or "")


def code_lines(lines: list[str]) -> int:
    """Count lines that are neither blank nor only a comment."""
    stripped = (line.strip() for line in lines)
    return sum(1 for line in stripped if line and not line.startswith("#"))


def imports(path: Path) -> Iterator[str]:
    """Yield the top-level package of every import, also of those inside functions."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def environment_reads(tree: ast.Module) -> list[int]:
    """Return the lines that use the environment of the process."""
    names = {"environ", "environb", "getenv", "putenv"}
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=attribute) if attribute in names:
                found.append(node.lineno)
            case ast.ImportFrom(module="os", names=aliases):
                found += [node.lineno for alias in aliases if alias.name in names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_size(path: Path) -> None:
    if is_generated(path):
        return
    lines = path.read_text().splitlines()
    assert code_lines(lines) <= FILE_LINES, "split the module"
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = code_lines(lines[node.lineno - 1 : node.end_lineno])
            assert length <= FUNCTION_LINES, f"{node.name} (line {node.lineno}) is {length} lines"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_environment_is_read_in_config_only(path: Path) -> None:
    found = environment_reads(parse(path))
    if name_of(path) == "config.py":
        assert found
    else:
        assert not found, f"lines {found}: add a setting to config.py"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_confined_packages(path: Path) -> None:
    for package in set(imports(path)) & set(CONFINED):
        allowed = CONFINED[package]
        assert name_of(path).startswith(allowed), f"{package} belongs in {allowed}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(parse(path)), "the first statement says what the module is for"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path.name == "__init__.py"], ids=name_of
)
def test_package_says_its_stage(path: Path) -> None:
    docstring = ast.get_docstring(parse(path)) or ""
    starts = [line.partition(":")[0] for line in docstring.splitlines() if ":" in line]
    if path.parent == PACKAGE:
        return  # the whole, which docs/architecture.md describes
    opening = [start for start in starts if start in ("Stage", "Takes", "Gives")]
    assert opening == ["Stage", "Takes", "Gives"], f"the docstring is {docstring!r}"


def test_every_package_is_described() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    for folder in sorted(PACKAGE.iterdir()):
        if (folder / "__init__.py").exists():
            assert f"`{folder.name}/`" in text, (
                f"docs/architecture.md says nothing of {folder.name}"
            )


def test_environment_check_sees_each_spelling() -> None:
    source = "import os\nfrom os import getenv\nos.environ['A']\nos.getenv('B')\nprint(os.sep)\n"
    assert sorted(environment_reads(ast.parse(source))) == [2, 3, 4]
