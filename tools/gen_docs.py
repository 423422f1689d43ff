"""Write the pages of docs/ that follow from the source: functions, families, classes, types.

python tools/gen_docs.py            write docs/operators.md, docs/element_types.md,
                                    docs/families/*.md, docs/operators/*.md, docs/modules/*.md
python tools/gen_docs.py --check    write nothing; fail when a page is stale or missing, a
                                    function lacks documentation or an example that calls it, or
                                    a link leads nowhere

Examples are run by the graph interpreter, so nothing is compiled and no device is needed.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from class_pages import class_pages
from docstrings import body, code, sections, signature
from markdown_it import MarkdownIt
from reference import element_types
from reference.catalogue import ROOT, Page, collect, counted, declarations, families
from reference.facts import facts
from reference.links import by_name, see_also, tensor_page
from reference.samples import sample
from reference.sections import completed

from pumice.ops.definition import registry

DOCS = ROOT / "docs"
PAGES = DOCS / "operators"
FAMILIES = DOCS / "families"
MODULES = DOCS / "modules"
WRITTEN_WHOLE = (PAGES, FAMILIES, MODULES)
"""Folders in which every page is written here."""
NOTICE = "<!-- Written by tools/gen_docs.py. Change the source and run `make docs`. -->\n\n"


# -- writing --------------------------------------------------------------------------------------


def render(page: Page, known: dict[str, Page], family: list[Page]) -> str:
    """Return the whole page of a function."""
    parts = completed(page, sections(page.docstring), known)
    calls = f"pumice.{page.path}{signature(page.function)}"
    lines = [f"# {page.path}", "", f"    {calls}", "", code(parts.pop("")), ""]
    for title, text in parts.items():
        lines += [f"## {title}", "", body(title, text), ""]
    lines += ["## Implementation", "", "| | |", "|---|---|"]
    lines += [f"| {left} | {right} |" for left, right in facts(page).items()]
    lines += ["", "## See also", ""]
    lines += [f"- {item}" for item in see_also(page, known, family)]
    lines.append(f"- all of them: [{page.family}](../families/{_file(page.family)})")
    return NOTICE + "\n".join(lines) + "\n"


def _file(family: str) -> str:
    return f"{family.replace(' ', '_')}.md"


def _cell(text: str) -> str:
    return code(text).replace("|", "\\|")


def family_page(family: str, members: list[Page]) -> str:
    """Return the page of a family: one row per function."""
    lines = [f"# {family.capitalize()}", "", counted(members), ""]
    lines += ["| function | meaning | gradient |", "|---|---|---|"]
    for page in members:
        gradient = facts(page)["gradient"].partition(":")[0].partition(",")[0]
        link = f"[{page.path}](../operators/{page.path}.md)"
        lines.append(f"| {link} | {_cell(page.summary)} | {gradient} |")
    lines += ["", "[All families](../operators.md)", ""]
    return NOTICE + "\n".join(lines)


def overview(pages: list[Page]) -> str:
    """Return docs/operators.md."""
    lines = ["# Functions", "", counted(pages), ""]
    lines += ["Each has a page, and so has each family; the element types that they take on each"]
    lines += ["device are [one table](element_types.md).", ""]
    lines += ["| family | | functions |", "|---|---|---|"]
    for family, members in families(pages).items():
        listed = ", ".join(f"[{page.path}](operators/{page.path}.md)" for page in members)
        link = f"[{family}](families/{_file(family)})"
        lines.append(f"| {link} | {counted(members)} | {listed} |")
    return NOTICE + "\n".join(lines) + "\n"


def all_pages(pages: list[Page]) -> tuple[dict[Path, str], list[str]]:
    """Return the text of every file, and what lacks documentation."""
    known = by_name(pages)
    wanted = {DOCS / "operators.md": overview(pages)}
    for family, members in families(pages).items():
        wanted[FAMILIES / _file(family)] = family_page(family, members)
        for page in members:
            wanted[PAGES / f"{page.path}.md"] = render(page, known, members)
    wanted[DOCS / "element_types.md"] = NOTICE + element_types.page(pages)
    classes, lacking = class_pages(known)
    classes["tensor"], lacking_methods = tensor_page(known)
    wanted |= {MODULES / f"{name}.md": NOTICE + text for name, text in classes.items()}
    return wanted, [*undocumented(pages), *lacking, *lacking_methods]


# -- checking -------------------------------------------------------------------------------------


def stale(wanted: dict[Path, str]) -> Iterator[str]:
    """Yield what differs between the files and what they should hold."""
    for path, text in wanted.items():
        if not path.exists():
            yield f"{path.relative_to(ROOT)} is missing"
        elif path.read_text() != text:
            yield f"{path.relative_to(ROOT)} is stale"
    for path in superfluous(wanted):
        yield f"{path.relative_to(ROOT)} describes nothing"


def superfluous(wanted: dict[Path, str]) -> list[Path]:
    """Return the pages of folders written here that nothing asks for."""
    found = (path for folder in WRITTEN_WHOLE for path in sorted(folder.glob("*.md")))
    return [path for path in found if path not in wanted]


def undocumented(pages: list[Page]) -> Iterator[str]:
    """Yield what lacks documentation."""
    for page in pages:
        if not page.docstring:
            yield f"{page.path} ({page.declared}) has no docstring"
        elif ">>>" not in page.docstring:
            yield f"{page.path} ({page.declared}) has no example"
        elif sample(page) is None:
            yield f"{page.path} ({page.declared}) is not called by its example"
    for entry in registry.elementwise():
        if not entry.doc:
            yield f"{entry.name} ({declarations().get(entry.name)}) has no doc"


def broken_links(overlay: dict[Path, str]) -> Iterator[str]:
    """Yield relative links of README.md and docs/ that lead to no file or no part of it."""
    parser = MarkdownIt("commonmark").enable("table")
    anchors: dict[Path, frozenset[str]] = {}
    for path in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]:
        text = overlay.get(path) or path.read_text()
        for target in _targets(parser, text):
            name, _, part = target.partition("#")
            place = (path.parent / name).resolve() if name else path
            if not place.exists() and place not in overlay:
                yield f"{path.relative_to(ROOT)} links to {target}, which does not exist"
            elif part and place.suffix == ".md":
                if place not in anchors:
                    anchors[place] = _anchors(overlay.get(place) or place.read_text())
                if part not in anchors[place]:
                    yield f"{path.relative_to(ROOT)} links to {target}, which has no such part"


def _targets(parser: MarkdownIt, text: str) -> Iterator[str]:
    """Yield the relative links of a page."""
    shown = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in shown.splitlines() if "](" in line]
    for token in parser.parse("\n\n".join(lines)):
        for child in token.children or []:
            target = str(child.attrs.get("href", ""))
            if child.type == "link_open" and not re.match(r"[a-z]+:", target):
                yield target


def _anchors(text: str) -> frozenset[str]:
    """Return what links may name in a page: headings as GitHub and Sphinx spell them, and ids."""
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return frozenset(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail when stale")
    check = parser.parse_args().check
    os.environ["PUMICE_INTERPRET"] = "1"
    wanted, problems = all_pages(collect())
    if check:
        problems += stale(wanted)
    else:
        for path in superfluous(wanted):
            path.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    problems += broken_links(wanted)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems and check:
        print("run `make docs` and commit what it writes", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
