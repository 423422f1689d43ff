"""The public functions, each with the family it belongs to and the place it is declared at."""

import ast
import importlib
import inspect
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from pumice.ops.definition import Elementwise, OpDef, Reduction, Scan, registry
from pumice.tensor.outputs import documented
from pumice.testing.public import NAMESPACES, public_names

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, eq=False)
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

    @property
    def computing(self) -> Callable[..., Any]:
        """The function that computes; one that only stores results in ``out`` calls it."""
        found = getattr(self.function, "computed_by", self.function)
        unwrapped: Callable[..., Any] = inspect.unwrap(found)
        return unwrapped

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.docstring.strip().partition("\n")[0]


@lru_cache(maxsize=1)
def declarations() -> dict[str, str]:
    """Return ``file:line`` of every entry, by name: of the call that names it or binds it."""
    found: dict[str, str] = {}
    bound: dict[str, str] = {}
    for path in sorted((ROOT / "pumice" / "ops").glob("*.py")):
        values = vars(importlib.import_module(f"pumice.ops.{path.stem}"))
        file = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call():
                    name = _entry_name(node)
                    if name in registry.entries:
                        found.setdefault(name, f"{file}:{node.lineno}")
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
                    if isinstance(values.get(name), OpDef):
                        bound.setdefault(values[name].name, f"{file}:{node.lineno}")
    return bound | found


def _entry_name(call: ast.Call) -> str:
    """Return the name a call gives to the entry it makes, or an empty string."""
    candidates = [keyword.value for keyword in call.keywords if keyword.arg == "name"]
    candidates += call.args[:1]
    for value in candidates:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return ""


def place(code: CodeType) -> str:
    """Return ``file:line`` of a function of the package."""
    path = Path(code.co_filename).relative_to(ROOT).as_posix()
    return f"{path}:{code.co_firstlineno}"


def declared_at(op: OpDef) -> str:
    """Return where an entry is declared; of those made in a loop, where their reference is."""
    reference: Any = op
    return declarations().get(op.name) or place(reference.reference.__code__)


def collect() -> list[Page]:
    """Return a page for every public function that takes or makes tensors."""
    pages: dict[int, Page] = {}
    for namespace in NAMESPACES:
        offered = public_names(namespace)
        for name, value in offered.items():
            if not inspect.isfunction(value):
                continue
            known = pages.get(id(value))
            if known is not None:
                if known.namespace == namespace:
                    known.aliases.append(name)
                continue
            own = value.__name__ if value.__name__ in offered else name
            page = pages[id(value)] = _page(own, namespace, value)
            if page.name != name:
                page.aliases.append(name)
    return sorted(pages.values(), key=lambda page: (page.family, page.name, page.namespace))


@lru_cache(maxsize=1)
def _by_alias() -> dict[str, OpDef]:
    """Return the entries by their further names."""
    return {alias: entry for entry in registry.elementwise() for alias in entry.aliases}


def _page(name: str, namespace: str, function: Callable[..., Any]) -> Page:
    entry = registry.entries.get(name) or _by_alias().get(name)
    if entry is not None and not isinstance(entry, Elementwise | Reduction | Scan):
        entry = None  # an internal operation that happens to share the name
    docstring = inspect.getdoc(function) or ""
    written = inspect.unwrap(getattr(function, "computed_by", function))
    source = Path(inspect.getsourcefile(written) or "")
    if isinstance(entry, Elementwise) and source.name == "_generated.py":
        docstring = documented(inspect.cleandoc(entry.doc)) if name == entry.name else docstring
        declared = declarations()[entry.name]
    else:
        line = inspect.getsourcelines(written)[1]
        declared = f"{source.relative_to(ROOT).as_posix()}:{line}"
    family = Path(declared.partition(":")[0]).stem.strip("_").replace("_", " ")
    return Page(name, namespace, family, function, docstring, declared, entry)


def families(pages: list[Page]) -> dict[str, list[Page]]:
    """Return the pages of each family."""
    found: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        found[page.family].append(page)
    return found


def count(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def counted(pages: list[Page]) -> str:
    """Return how many functions there are and how many are documented."""
    written = sum(1 for page in pages if page.docstring)
    return f"{count(len(pages), 'function')}, {written} documented."
