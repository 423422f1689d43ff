"""What the documentation shows is true: pages are current, examples run, links resolve."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import pumice
from pumice.ops.definition import registry
from pumice.testing.public import NAMESPACES, PACKAGES, package_members, public_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_blocks(path: Path) -> list[tuple[int, str]]:
    """Return the blocks marked as Python with the line they start on."""
    tokens = MarkdownIt().parse(path.read_text())
    return [
        (token.map[0] + 1 if token.map else 1, token.content)
        for token in tokens
        if token.type == "fence" and token.info == "python"
    ]


@pytest.mark.parametrize("script", ["gen_docs.py", "gen_api.py"])
def test_generated_files_are_current(script: str) -> None:
    command = [sys.executable, f"tools/{script}", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", [path for path in PAGES if python_blocks(path)], ids=name_of)
def test_blocks_run(path: Path) -> None:
    for line, source in python_blocks(path):
        code = compile("\n" * line + source, str(path), "exec")
        exec(code, {"__name__": "__main__"})


def test_the_readme_has_blocks() -> None:
    assert len(python_blocks(ROOT / "README.md")) >= 2


def documented() -> dict[str, str]:
    """Return the docstring of every public function and entry that holds an example."""
    found: dict[str, str] = {}
    for namespace in NAMESPACES:
        for name, value in public_names(namespace).items():
            found[f"{namespace}.{name}".strip(".")] = value.__doc__ or ""
    for path, package in PACKAGES.items():
        for name, value in package_members(package).items():
            found[f"{path}.{name}"] = value.__doc__ or ""
    for kind in (pumice.Tensor, pumice.nn.Module):
        for name in dir(kind):
            if "hook" in name or name == "retain_grad":
                found[f"{kind.__name__}.{name}"] = getattr(kind, name).__doc__ or ""
    found |= {entry.name: entry.doc for entry in registry.entries.values() if entry.doc}
    return {name: text for name, text in sorted(found.items()) if ">>>" in text}


@pytest.mark.parametrize("name", documented())
def test_example_prints_what_it_shows(name: str) -> None:
    text = documented()[name]
    names = {"pumice": pumice}
    test = doctest.DocTestParser().get_doctest(text, names, name, f"<doc of {name}>", 0)
    output: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=output.append)
    assert not output, "".join(output)


def test_the_site_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text().split()
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    pages |= {f"guide/{path.stem}" for path in (ROOT / "docs" / "guide").glob("*.md")}
    assert pages <= set(index), f"docs/index.md leaves out {sorted(pages - set(index))}"
    folders = {path.name for path in (ROOT / "docs").iterdir() if any(path.glob("*.md"))}
    listed = {each.removesuffix("/*") for each in index if each.endswith("/*")}
    assert folders - listed == {"operators", "guide"}  # families list those, and they are listed


def test_decisions_are_numbered_in_order() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    for number, record in enumerate(records, start=1):
        assert record.name.startswith(f"{number:04d}-"), record.name
        assert record.read_text().startswith(f"# {number}. "), record.name
