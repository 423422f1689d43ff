"""NumPy-style docstrings as Markdown."""

import inspect
import re
from collections.abc import Callable
from typing import Any


def sections(docstring: str) -> dict[str, str]:
    """Split a NumPy-style docstring at its underlined titles; the opening is ``""``."""
    parts: dict[str, list[str]] = {"": []}
    current = parts[""]
    lines = docstring.splitlines()
    for number, line in enumerate(lines):
        under = lines[number + 1] if number + 1 < len(lines) else ""
        if line and under and set(under) == {"-"} and len(under) == len(line):
            current = parts.setdefault(line, [])
        elif not (line and set(line) == {"-"}):
            current.append(line)
    return {title: "\n".join(body).strip() for title, body in parts.items()}


def definition_list(body: str) -> str:
    """Turn ``name : type`` with indented text below into list items."""
    items: list[str] = []
    for line in body.splitlines():
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            items.append(f"- `{name}`" + (f" ({code(kind)})" if kind else ""))
        elif line.strip():
            if items[-1].startswith("- "):
                items[-1] += ":"
            items.append(f"  {code(line.strip())}")
    return "\n".join(items)


def code(text: str) -> str:
    """Return text with reST's double backticks as Markdown's single ones."""
    return re.sub(r"``(.+?)``", r"`\1`", text)


def signature(function: Callable[..., Any]) -> str:
    """Return the parameters with defaults and without annotations."""
    found = inspect.signature(function)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r"<\w+ object at 0x[0-9a-f]+>", "...", text)


def body(title: str, text: str) -> str:
    """Return what a section holds."""
    if title == "Examples":
        start = "" if "import pumice" in text else ">>> import pumice\n"
        return f"```pycon\n{start}{text}\n```"
    if title in ("Parameters", "Returns", "Raises", "Attributes"):
        return definition_list(text)
    return code(text)
