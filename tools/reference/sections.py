"""Sections that a docstring leaves to another one, or to the annotations of the function."""

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from docstrings import sections

from reference.catalogue import Page

_ORDER = ("", "Parameters", "Returns")
_LEFT_TO = re.compile(r"(?:as in|as|see|[Nn]ame of|form of)\s+`+([\w.]+)`+")


def completed(page: Page, parts: dict[str, str], known: Mapping[str, Page]) -> dict[str, str]:
    """Return the sections of a page with those added that it does not spell out itself."""
    found = dict(parts)
    shared = _shared(page, known)
    if "Parameters" not in parts:
        listed = "\n".join(_parameters(page, shared.get("Parameters", "")))
        if listed:
            found["Parameters"] = listed
    if "Returns" not in parts:
        annotated = _annotation(inspect.signature(page.function).return_annotation)
        returned = shared.get("Returns") or annotated
        if returned:
            found["Returns"] = returned
    for title in ("Raises", "Notes"):
        if title not in parts and title in shared:
            found[title] = shared[title]
    order = [*_ORDER, "Raises", "Notes"]
    titles = [*(title for title in order if title in found), *(t for t in found if t not in order)]
    return {title: found[title] for title in titles}


def _shared(page: Page, known: Mapping[str, Page]) -> dict[str, str]:
    """Return the sections of the function that a docstring refers to, if it does."""
    for name in _LEFT_TO.findall(page.docstring):
        other = known.get(name) or known.get(f"{page.namespace}.{name}")
        if other is not None and other is not page:
            return sections(other.docstring)
    return {}


def _parameters(page: Page, shared: str) -> Iterator[str]:
    """Yield a definition list of a function's parameters."""
    described = dict(_items(shared))
    shown: set[str] = set()
    for parameter in inspect.signature(page.function).parameters.values():
        if parameter.name in described:
            text = described[parameter.name]
            if text not in shown:
                yield text
            shown.add(text)
            continue
        kind = _annotation(parameter.annotation)
        optional = ", optional" if parameter.default is not parameter.empty else ""
        yield f"{parameter.name} : {kind}{optional}" if kind else parameter.name


def _items(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a definition list with the item that describes it."""
    for item in re.split(r"\n(?=\S)", text):
        names = item.partition("\n")[0].partition(" : ")[0]
        for name in names.split(","):
            yield name.strip().lstrip("*"), item


def _annotation(annotation: Any) -> str:
    """Return an annotation as documentation writes it."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    text = re.sub(r"\b(?:dtypes|pumice|collections\.abc)\.", "", text)
    return re.sub(r"\bAny\b", "any", text.replace("Scalar", "number")).replace(" | ", " or ")
