"""The *See also* of each page: what its source says is near it."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pumice.tensor.tensor import Tensor
from pumice.testing.public import PACKAGES, package_members
from reference.catalogue import Page
from reference.inverses import inverses

MOST_RELATIVES = 6
Catalogue = Mapping[str, Page]
"""Pages by every name that leads to them."""


def by_name(pages: list[Page]) -> dict[str, Page]:
    """Return the pages by their paths, and by their other names where nothing else has them."""
    found = {page.path: page for page in pages}
    for page in pages:
        found.setdefault(page.name, page)
        for alias in page.aliases:
            found.setdefault(alias, page)
    return found


def link(page: Page) -> str:
    """Return a link from one page to another."""
    return f"[{page.path}]({page.path}.md)"


def has_method(name: str) -> bool:
    return callable(getattr(Tensor, name, None))


def methods(page: Page) -> list[str]:
    """Return the names of the method and of the in-place method."""
    if page.namespace:
        return []
    inplace = [] if page.name.endswith("_") else [f"{page.name}_"]
    return [name for name in (page.name, *inplace) if has_method(name)]


def _plain(name: str) -> str:
    """Return a name as classes and functions have in common."""
    return name.replace("_", "").lower()


@lru_cache(maxsize=1)
def _classes() -> dict[str, tuple[str, str]]:
    """Return package and name of each class by its plain name, losses also without *Loss*."""
    found: dict[str, tuple[str, str]] = {}
    for package, module in PACKAGES.items():
        for name, value in package_members(module).items():
            if inspect.isclass(value):
                plain = _plain(name)
                found.setdefault(plain, (package, name))
                found.setdefault(plain.removesuffix("loss"), (package, name))
    return found


def module_form(page: Page) -> tuple[str, str] | None:
    """Return the package and the name of the class that applies a function."""
    return _classes().get(_plain(page.name))


@lru_cache(maxsize=1024)
def _called(page: Page) -> frozenset[str]:
    """Return the names that a function's own code calls."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(page.computing)))
    except (OSError, SyntaxError):
        return frozenset()
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                found.add(name)
    return frozenset(found)


def named(page: Page, known: Catalogue) -> Iterator[Page]:
    """Yield the functions that a docstring names as code."""
    own = set(inspect.signature(page.function).parameters)
    for span in re.findall(r"`+([^`]+)`+", page.docstring):
        name = re.sub(r"\(.*\)$", "", span).removeprefix("pumice.").removeprefix("torch.")
        if name in known and name not in own:
            yield known[name]


def relatives(page: Page, family: list[Page]) -> list[Page]:
    """Return the nearest of a family: what it calls, what calls it, then what is named alike."""
    others = [each for each in family if each is not page]

    def distance(other: Page) -> tuple[bool, int, str]:
        related = other.name in _called(page) or page.name in _called(other)
        return (not related, -_common(page.name, other.name), other.path)

    return sorted(others, key=distance)[:MOST_RELATIVES]


def _common(first: str, second: str) -> int:
    """Return how many letters two names share at their beginnings and ends."""
    ahead = next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    behind = next(
        (at for at, (a, b) in enumerate(zip(first[::-1], second[::-1], strict=False)) if a != b),
        min(len(first), len(second)),
    )
    return max(ahead, behind)


def see_also(page: Page, known: Catalogue, family: list[Page]) -> Iterator[str]:
    """Yield the items of a page's *See also*."""
    forms = [f"[Tensor.{name}](../modules/tensor.md#{name})" for name in methods(page)]
    if forms:
        yield "as a method: " + ", ".join(forms)
    applied = module_form(page)
    if applied is not None:
        package, name = applied
        yield f"as a module: [{package}.{name}](../modules/{package}.md#{name.lower()})"
    undone = [known[name] for name in inverses().get(page.name, []) if name in known]
    if undone and page.entry is not None:
        yield "undone by, or undoing: " + ", ".join(map(link, undone))
    mentioned = [each for each in dict.fromkeys(named(page, known)) if each is not page]
    if mentioned:
        yield "named above: " + ", ".join(map(link, mentioned))
    near = [each for each in relatives(page, family) if each not in mentioned]
    if near:
        yield "of the same family: " + ", ".join(map(link, near))


def tensor_page(known: Catalogue) -> tuple[str, list[str]]:
    """Return the page of the methods of tensors, and which of them lack documentation."""
    names = [name for name in dir(Tensor) if not name.startswith("_")]
    summaries = {name: _summary(getattr(Tensor, name)) for name in names}
    lacking = [f"Tensor.{name} has no docstring" for name in names if not summaries[name]]
    written = sum(1 for summary in summaries.values() if summary)
    lines = ["# pumice.Tensor", "", _summary(Tensor), ""]
    lines += [f"{len(names)} names, {written} documented.", ""]
    lines += ["| name | meaning | function |", "|---|---|---|"]
    for name, summary in summaries.items():
        page = known.get(name) or known.get(name.removesuffix("_"))
        linked = page is not None and callable(getattr(Tensor, name))
        function = f"[{page.path}](../operators/{page.path}.md)" if page and linked else ""
        shown = re.sub(r"``(.+?)``", r"`\1`", summary).replace("|", "\\|")
        lines.append(f'| <a id="{name}"></a>`{name}` | {shown} | {function} |')
    return "\n".join(lines) + "\n", lacking


def _summary(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]
