"""The Implementation table of each page."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from pumice import dtypes
from pumice.backends.llvm.backend import LlvmBackend
from pumice.backends.spirv.backend import SpirvBackend
from pumice.backends.spirv.operators import shared_module
from pumice.graph.node import Node
from pumice.lowering.operators import lower_operator
from pumice.ops import structure
from pumice.ops.definition import Elementwise, Reduction
from pumice.target import Target
from reference.catalogue import ROOT, Page, declared_at, place
from reference.links import methods
from reference.lowerings import entrances, writers
from reference.samples import Call, accepted, called_with, has_open_type, sample, tensors_of
from reference.targets import cpu, vulkan

MOST_SHOWN = 8
MOST_TESTS = 4
GENERATED_TESTS = {
    Elementwise: "tests/ops/test_generated_values.py",
    Reduction: "tests/ops/test_generated_reductions.py",
}


@lru_cache(maxsize=1024)
def facts(page: Page) -> dict[str, str]:
    """Return the rows of the implementation table."""
    return dict(_facts(page))


def _facts(page: Page) -> Iterator[tuple[str, str]]:
    yield "declared in", f"`{page.declared}`"
    forms = [f"`Tensor.{name}`" for name in methods(page)]
    yield "methods", ", ".join(forms) or "none"
    if page.aliases:
        yield "other names", ", ".join(f"`{alias}`" for alias in page.aliases)
    entry = page.entry
    if isinstance(entry, Elementwise):
        yield "operator", f"`{entry.symbol}`".replace("|", "\\|") if entry.symbol else "none"
        yield "meaning", f"`{place(entry.meaning.__code__)}`"
    yield "graph operations", operations(page)
    yield "CPU lowering", lowering(page, cpu, LlvmBackend.compile.__code__)
    found = lowering(page, _gpu, SpirvBackend.compile.__code__)
    yield "Vulkan lowering", f"{found}{module(page)}"
    yield from element_types(page)
    if isinstance(entry, Elementwise):
        yield "result", f"`{entry.result.name}`" if entry.result else "the computation dtype"
        bound = entry.samples.ulp
        yield "accuracy", f"{bound} units in the last place" if bound else "exact, rounded once"
    yield "gradient", gradient(page)
    yield "decisions", ", ".join(decisions(page)) or "none names it"
    yield "tests", tests(page)


def _listed(items: Iterable[str], most: int = MOST_SHOWN) -> str:
    items = list(items)
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


# -- graph and kernels ----------------------------------------------------------------------------


def operations(page: Page) -> str:
    """Return what the sample records, and what makes the nodes."""
    call = sample(page)
    if call is None or not call.nodes:
        return "none: it records nothing"
    named = [f"`{op.name}` (`{declared_at(op)}`)" for op in call.operations]
    makers = [code for code in call.builders if code.co_name != "constant"] or call.builders
    made = [f"`{code.co_name}` (`{place(code)}`)" for code in makers]
    return f"{_listed(named)}; made by {_listed(made)}"


def _gpu() -> Target:
    return vulkan(True)


def lowering(page: Page, target_of: Callable[[], Target], compiled: CodeType) -> str:
    """Return what lowers the operations, who writes the sample's kernels and what compiles them."""
    call, found = sample(page), writers(page, target_of)
    if call is None or not found:
        return "none: no kernel"
    starts = [f"`{code.co_qualname}` (`{place(code)}`)" for code in entrances(call.operations)]
    shown = [f"`{code.co_qualname}` (`{place(code)}`)" for code in found]
    writing = f"the example's kernels by {_listed(shown)}"
    return f"{_listed(starts)}; {writing}; compiled by `{place(compiled)}`"


def module(page: Page) -> str:
    """Return whether the kernels of a function by itself are part of a SPIR-V module of many."""
    call, found = sample(page), writers(page, _gpu)
    if call is None or not found:
        return ""
    if lower_operator.__code__ not in found:
        return "; a module of its own"
    names = dict.fromkeys(shared_module(op) for op in call.operations)
    listed = " and ".join(f"`{name}`" for name in names if name)
    return f"; alone in the module that {listed} operators share, fused in one of its own"


def element_types(page: Page) -> Iterator[tuple[str, str]]:
    """Yield which element types the sample takes, and how it refuses the others."""
    if not has_open_type(page):
        return
    calls = accepted(page)
    taken = [f"`{dtype.name}`" for dtype, call in calls.items() if isinstance(call, Call)]
    yield "takes", ", ".join(taken) or "none"
    refused: dict[str, list[str]] = defaultdict(list)
    for dtype, call in calls.items():
        if isinstance(call, Exception):
            refused[type(call).__name__].append(f"`{dtype.name}`")
    if refused:
        lines = [f"{', '.join(names)} (`{error}`)" for error, names in refused.items()]
        yield "refuses", "; ".join(lines)


# -- gradients ------------------------------------------------------------------------------------


def gradient(page: Page) -> str:
    """Return the rules a backward takes, or why there is none."""
    entry = page.entry
    if isinstance(entry, Elementwise):
        if entry.gradient is None:
            return _none(entry.no_gradient)
        note = "; exactly 0 where the incoming gradient is 0" if entry.singular else ""
        return f"yes, of any order (`{place(entry.gradient.__code__)}`){note}"
    call = called_with(page, dtypes.float32, differentiable=True)
    if isinstance(call, Exception):
        call = called_with(page, dtypes.float64, differentiable=True)
    if isinstance(call, Exception):
        return _none("it takes no floating tensor")
    results = [each for each in tensors_of(call.result) if each.dtype.is_floating_point]
    roots = [each.node for each in results if each.requires_grad]
    if not roots:
        known = "" if entry is None else entry.no_gradient
        return _none(known or _why_none(page, call))
    crossed = _crossed(roots, call)
    for node in crossed:
        if node.op.gradient is None and node.op.no_gradient:
            return _none(f"`{node.op.name}`: {node.op.no_gradient}")
    rules = dict.fromkeys(f"`{node.op.name}` (`{place(_rule(node))}`)" for node in crossed)
    return f"yes, of any order, by those of {_listed(rules)}" if rules else "yes: it is passed on"


def _rule(node: Node) -> CodeType:
    """Return the gradient rule of a node: of its operation, or one of its own."""
    rule: Any = node.argument if node.op is structure.CUSTOM else node.op.gradient
    rule = getattr(rule, "func", rule)
    rule = rule if hasattr(rule, "__code__") else type(rule).__call__
    code: CodeType = rule.__code__
    return code


def _none(reason: str) -> str:
    return f"none: backward through it raises: {reason}"


def _why_none(page: Page, call: Call) -> str:
    """Return why no gradient flows through a function that takes floating tensors."""
    first = sample(page)
    given = list(tensors_of(list(first.arguments.values()))) if first is not None else []
    if not given:
        return "it takes no tensor"
    results = list(tensors_of(call.result))
    if not results:
        return "it returns no tensor"
    kinds = sorted({each.dtype.name for each in results})
    if not any(each.dtype.is_floating_point for each in results):
        return f"its result is {' and '.join(kinds)}"
    return "its result requires no gradient"


def _crossed(roots: list[Node], call: Call) -> list[Node]:
    """Return the nodes that a gradient crosses on its way from results to operands."""
    found: list[Node] = []
    seen = set(call.given)
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        if node in seen or not node.requires_grad:
            continue
        seen.add(node)
        found.append(node)
        stack += node.sources
    return found


# -- decisions and tests --------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _records() -> dict[Path, frozenset[str]]:
    """Return the names that each decision record writes as code."""
    found = {}
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        spans = re.findall(r"`([^`\n]+)`", path.read_text())
        names = {re.sub(r"\(.*\)$", "", span).removeprefix("pumice.") for span in spans}
        found[path] = frozenset(names | {name.rpartition(".")[2] for name in names})
    return found


def decisions(page: Page) -> Iterator[str]:
    """Yield links to the decision records that name a function as code."""
    wanted = {page.name, page.path, *page.aliases}
    for path, names in _records().items():
        if wanted & names:
            number = int(path.name.partition("-")[0])
            yield f"[{number}](../decisions/{path.name})"


@lru_cache(maxsize=1)
def tests_by_name() -> dict[str, Counter[str]]:
    """Return how often test files use each identifier, or text that reads like one."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        where = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Attribute(value=ast.Name(id="np" | "numpy" | "torch" | "math")):
                    continue
                case ast.Attribute(attr=name):
                    found[name][where] += 1
                case ast.Constant(value=str(name)) if name.isidentifier():
                    found[name][where] += 1
    return found


def tests(page: Page) -> str:
    """Return the test files that name a function, those of its family first."""
    counts = Counter(tests_by_name().get(page.name, ()))
    first = {path for kind, path in GENERATED_TESTS.items() if isinstance(page.entry, kind)}
    family = set(page.family.split())

    def rank(path: str) -> tuple[bool, bool, int, str]:
        words = set(Path(path).stem.removeprefix("test_").split("_"))
        return (path not in first, not family & words, -counts[path], path)

    shown = sorted({*counts, *first}, key=rank)
    return _listed((f"`{path}`" for path in shown), MOST_TESTS) or "none found"
