"""Write the operator pages of docs/ from the entries and functions themselves.

python tools/gen_docs.py            write docs/operators.md, docs/operators/*.md, docs/modules/*.md
python tools/gen_docs.py --check    write nothing; fail when a page is stale or missing, an
                                    operator is undocumented, or a link leads nowhere
"""

import argparse
import ast
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from class_pages import class_pages
from docstrings import body, code, sections, signature
from markdown_it import MarkdownIt

from pumice import dtypes
from pumice.errors import DTypeError
from pumice.ops.definition import Elementwise, OpDef, Reduction, Scan, registry
from pumice.tensor.tensor import Tensor
from pumice.testing.public import NAMESPACES, public_names

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = DOCS / "operators"
MODULES = DOCS / "modules"
NOTICE = "<!-- Written by tools/gen_docs.py. Change the source and run `make docs`. -->\n\n"
GENERATED_TESTS = {
    Elementwise: "tests/ops/test_generated_values.py",
    Reduction: "tests/ops/test_generated_reductions.py",
}


@dataclass(frozen=True, slots=True)
class Page:
    """What one page shows."""

    name: str
    namespace: str
    family: str
    function: Callable[..., Any]
    docstring: str
    declared: str
    entry: OpDef | None = None
    aliases: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The name with the namespaces that lead to it, but for the package's."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


# -- finding --------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def declarations() -> dict[str, str]:
    """Return ``file:line`` of every entry, by name."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "pumice" / "ops").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = _entry_name(node)
                if name in registry.entries:
                    found.setdefault(name, f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    return found


def _entry_name(call: ast.Call) -> str:
    """Return the name a call gives to the entry it makes, or an empty string."""
    candidates = [keyword.value for keyword in call.keywords if keyword.arg == "name"]
    candidates += call.args[:1]
    for value in candidates:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return ""


def collect() -> list[Page]:
    """Return a page for every public function that takes or makes tensors."""
    pages: dict[int, Page] = {}
    for namespace in NAMESPACES:
        for name, value in public_names(namespace).items():
            if not inspect.isfunction(value):
                continue
            known = pages.get(id(value))
            if known is not None:
                if known.namespace == namespace:
                    known.aliases.append(name)
                continue
            own = value.__name__ if value.__name__ in public_names(namespace) else name
            page = pages[id(value)] = _page(own, namespace, value)
            if page.name != name:
                page.aliases.append(name)
    return sorted(pages.values(), key=lambda page: (page.family, page.name, page.namespace))


def _page(name: str, namespace: str, function: Callable[..., Any]) -> Page:
    entry = registry.entries.get(name)
    if entry is not None and not isinstance(entry, Elementwise | Reduction | Scan):
        entry = None  # an internal operation that happens to share the name
    docstring = inspect.getdoc(function) or ""
    source = Path(inspect.getsourcefile(function) or "")
    if isinstance(entry, Elementwise) and source.name == "_generated.py":
        docstring = inspect.cleandoc(entry.doc) or docstring
        declared = declarations()[name]
    else:
        line = inspect.getsourcelines(function)[1]
        declared = f"{source.relative_to(ROOT).as_posix()}:{line}"
    family = Path(declared.partition(":")[0]).stem.strip("_").replace("_", " ")
    return Page(name, namespace, family, function, docstring, declared, entry)


@lru_cache(maxsize=1)
def tests_by_name() -> dict[str, set[str]]:
    """Return the test files that use each identifier or text that reads like one."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        where = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Attribute(value=ast.Name(id="np" | "numpy" | "torch" | "math")):
                    continue
                case ast.Attribute(attr=name):
                    found[name].add(where)
                case ast.Constant(value=str(name)) if name.isidentifier():
                    found[name].add(where)
    return found


# -- writing --------------------------------------------------------------------------------------


def render(page: Page) -> str:
    """Return the whole page."""
    parts = sections(page.docstring)
    calls = f"pumice.{page.path}{signature(page.function)}"
    lines = [f"# {page.path}", "", f"    {calls}", "", code(parts.pop("")), ""]
    for title, text in parts.items():
        lines += [f"## {title}", "", body(title, text), ""]
    lines += ["## Implementation", "", "| | |", "|---|---|"]
    lines += [f"| {left} | {right} |" for left, right in facts(page)]
    lines += ["", "[All operators](../operators.md)", ""]
    return NOTICE + "\n".join(lines)


def facts(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the rows of the implementation table."""
    yield "declared in", f"`{page.declared}`"
    methods = () if page.namespace else (page.name, f"{page.name}_")
    forms = [f"`Tensor.{name}`" for name in methods if has_method(name)]
    yield "methods", ", ".join(forms) or "none"
    if page.aliases:
        yield "other names", ", ".join(f"`{alias}`" for alias in page.aliases)
    entry = page.entry
    if isinstance(entry, Elementwise):
        yield "operator", f"`{entry.symbol}`".replace("|", "\\|") if entry.symbol else "none"
        yield "takes", ", ".join(f"`{name}`" for name in accepted(entry))
        yield "result", f"`{entry.result.name}`" if entry.result else "the computation dtype"
        bound = entry.samples.ulp
        yield "accuracy", f"{bound} units in the last place" if bound else "exact, rounded once"
    if entry is None:
        yield "made of", "other operators; differentiable where they are"
    else:
        yield "gradient", gradient(entry)
    named = set(tests_by_name().get(page.name, set()))
    named |= {path for kind, path in GENERATED_TESTS.items() if isinstance(entry, kind)}
    yield "tests", ", ".join(f"`{path}`" for path in sorted(named)) or "none found"


def has_method(name: str) -> bool:
    return callable(getattr(Tensor, name, None))


def accepted(entry: Elementwise) -> Iterator[str]:
    """Yield the names of the dtypes an entry takes."""
    for dtype in dtypes.ALL:
        try:
            entry.computation_dtype(dtype)
        except DTypeError:
            continue
        yield dtype.name


def gradient(entry: OpDef) -> str:
    """Return whether there is a gradient, or why there is none."""
    if entry.gradient is None:
        return f"none, backward through it raises: {entry.no_gradient}"
    line = f"{entry.gradient.__code__.co_firstlineno}"
    path = Path(entry.gradient.__code__.co_filename).relative_to(ROOT).as_posix()
    singular = getattr(entry, "singular", False)
    note = "; exactly 0 where the incoming gradient is 0" if singular else ""
    return f"yes, of any order (`{path}:{line}`){note}"


def overview(pages: list[Page]) -> str:
    """Return docs/operators.md."""
    lines = ["# Operators", ""]
    families: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        families[page.family].append(page)
    written = sum(1 for page in pages if page.docstring)
    lines += [f"{len(pages)} functions, {written} documented.", ""]
    for family, members in families.items():
        documented = sum(1 for page in members if page.docstring)
        lines += [f"## {family.capitalize()}", ""]
        lines += [f"{len(members)} functions, {documented} documented.", ""]
        lines += ["| function | meaning | gradient |", "|---|---|---|"]
        for page in members:
            summary = code(page.docstring.strip().partition("\n")[0]).replace("|", "\\|")
            kind = "of its parts"
            if page.entry is not None:
                kind = "yes" if page.entry.gradient is not None else "none"
            lines.append(f"| [{page.path}](operators/{page.path}.md) | {summary} | {kind} |")
        lines.append("")
    return NOTICE + "\n".join(lines)


# -- checking -------------------------------------------------------------------------------------


def stale(wanted: dict[Path, str]) -> Iterator[str]:
    """Yield what differs between the files and what they should hold."""
    for path, text in wanted.items():
        if not path.exists():
            yield f"{path.relative_to(ROOT)} is missing"
        elif path.read_text() != text:
            yield f"{path.relative_to(ROOT)} is stale"
    for path in sorted([*PAGES.glob("*.md"), *MODULES.glob("*.md")]):
        if path not in wanted:
            yield f"{path.relative_to(ROOT)} describes nothing"


def undocumented(pages: list[Page]) -> Iterator[str]:
    """Yield what lacks documentation."""
    for page in pages:
        if not page.docstring:
            yield f"{page.path} ({page.declared}) has no docstring"
    for entry in registry.elementwise():
        if not entry.doc:
            yield f"{entry.name} ({declarations().get(entry.name)}) has no doc"


def broken_links(overlay: dict[Path, str]) -> Iterator[str]:
    """Yield relative links of README.md and docs/ that lead to no file."""
    for path in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]:
        text = overlay.get(path) or path.read_text()
        for token in MarkdownIt("commonmark").enable("table").parse(text):
            for child in token.children or []:
                target = str(child.attrs.get("href", ""))
                if child.type != "link_open" or re.match(r"[a-z]+:|#", target):
                    continue
                place = (path.parent / target.partition("#")[0]).resolve()
                if not place.exists() and place not in overlay:
                    yield f"{path.relative_to(ROOT)} links to {target}, which does not exist"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail when stale")
    check = parser.parse_args().check
    pages = collect()
    wanted = {PAGES / f"{page.path}.md": render(page) for page in pages}
    wanted[DOCS / "operators.md"] = overview(pages)
    classes, lacking = class_pages()
    wanted |= {MODULES / f"{name}.md": NOTICE + text for name, text in classes.items()}
    problems = [*undocumented(pages), *lacking]
    if check:
        problems += stale(wanted)
    else:
        for folder in (PAGES, MODULES):
            folder.mkdir(exist_ok=True)
        for path in [*PAGES.glob("*.md"), *MODULES.glob("*.md")]:
            if path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            path.write_text(text)
    problems += broken_links(wanted)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems and check:
        print("run `make docs` and commit what it writes", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
