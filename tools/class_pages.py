"""Pages of the classes and other names of pumice's packages, one page each."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from docstrings import body, code, sections, signature
from reference.catalogue import Page
from reference.links import module_form

from pumice.testing.public import PACKAGES, package_members


def class_pages(known: Mapping[str, Page]) -> tuple[dict[str, str], list[str]]:
    """Return the text of each page by name, and what lacks documentation."""
    functions = {module_form(page): page for page in known.values()}
    pages: dict[str, str] = {}
    lacking: list[str] = []
    for name, package in PACKAGES.items():
        members = package_members(package)
        documented = {each: value for each, value in members.items() if inspect.getdoc(value)}
        lacking += [f"{name}.{each} has no docstring" for each in members if each not in documented]
        head = (package.__doc__ or "").partition("\n")[0]
        lines = [f"# pumice.{name}", "", code(head), ""]
        lines += [f"{len(members)} names, {len(documented)} documented.", ""]
        lines += ["| name | meaning |", "|---|---|"]
        for each, value in documented.items():
            lines.append(f"| [{each}](#{each.lower()}) | {_summary(value)} |")
        for each, value in documented.items():
            lines += ["", f"## {each}", "", *_entry(name, each, value)]
            function = functions.get((name, each))
            if function is not None:
                link = f"[{function.path}](../operators/{function.path}.md)"
                lines += ["", f"As a function: {link}."]
        pages[name] = "\n".join(lines) + "\n"
    return pages, lacking


def _summary(value: Any) -> str:
    return code((inspect.getdoc(value) or "").partition("\n")[0]).replace("|", "\\|")


def _entry(package: str, name: str, value: Any) -> Iterator[str]:
    """Yield the lines of one class or function."""
    parts = sections(inspect.getdoc(value) or "")
    yield f"    pumice.{package}.{name}{_signature(value)}"
    yield ""
    yield code(parts.pop(""))
    base = value.__mro__[1] if inspect.isclass(value) else object
    if "Parameters" not in parts and base.__name__.startswith("_"):
        shared = sections(inspect.getdoc(base) or "")
        if "Parameters" in shared:
            parts = {"Parameters": shared["Parameters"], **parts}
    for title, text in parts.items():
        yield ""
        yield f"**{title}**"
        yield ""
        yield body(title, text)


def _signature(value: Any) -> str:
    if not inspect.isclass(value):
        return signature(value)
    text = signature(value.__init__)
    return text.replace("(self, ", "(").replace("(self)", "()")
