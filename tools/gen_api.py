"""Write the Tensor methods and functions that follow from entries and composite functions.

    python tools/gen_api.py           writes the files
    python tools/gen_api.py --check   exits with 1 when they are stale

``pumice/tensor/_generated.py`` holds one method and one function per elementwise entry and the
Python operators; ``_methods.py`` one method per function marked with ``tensor.marks.method``;
``_public.py``, ``functional.py`` and ``linear_algebra.py`` the names of `pumice`,
`pumice.nn.functional` and `pumice.linalg`. All are committed, so editors and type checkers see
every name.
"""

from __future__ import annotations

import argparse
import inspect
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# The package's own __init__ needs the files written here, so only its parts are imported.
sys.modules["pumice"] = package = ModuleType("pumice")
package.__path__ = [str(ROOT / "pumice")]

import pumice.ops.entries  # noqa: E402, F401 - fills the registry
from pumice.ops.definition import Elementwise, registry  # noqa: E402
from pumice.tensor import operands  # noqa: E402
from pumice.tensor.functions import MODULES  # noqa: E402

TARGET = ROOT / "pumice" / "tensor"
WIDTH = 100

ARITHMETIC = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
UNARY = {"neg": "neg", "pos": "positive", "invert": "bitwise_not", "abs": "abs"}

HEADER = '''"""{summary}

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: {noqa}

from __future__ import annotations

{imports}
if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor
'''


def constant_name(entry: Elementwise) -> str:
    """Return the name an entry has in the generated module."""
    return "_" + entry.name.upper()


def indent(text: str, spaces: int) -> str:
    """Indent all lines but empty ones."""
    return textwrap.indent(text, " " * spaces)


def docstring(text: str, spaces: int) -> str:
    """Return a docstring statement."""
    text = text.strip()
    closing = '"""' if "\n" not in text else '\n"""'
    prefix = "r" if "\\" in text else ""
    return indent(f'{prefix}"""{text}{closing}', spaces)


def signature(name: str, parameters: list[str], result: str, spaces: int) -> str:
    """Return a ``def`` line, broken like the formatter does when it is too long."""
    flat = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(flat) + spaces <= WIDTH:
        return indent(flat, spaces)
    inner = f"    {', '.join(parameters)}"
    if len(inner) + spaces <= WIDTH and not any(part == "*" for part in parameters):
        return indent(f"def {name}(\n{inner}\n) -> {result}:", spaces)
    lines = "".join(f"    {part},\n" for part in parameters)
    return indent(f"def {name}(\n{lines}) -> {result}:", spaces)


def operand_parameters(entry: Elementwise) -> list[str]:
    """Return the parameters of an entry's function: the first is a tensor."""
    first, *others = entry.parameters
    return [f"{first}: Tensor", *(f"{other}: Tensor | Scalar" for other in others)]


def applied(entry: Elementwise, first: str) -> str:
    """Return the expression that applies an entry."""
    names = ", ".join((first, *entry.parameters[1:]))
    helper = "unary" if entry.arity == 1 else "elementwise"
    return f"{helper}({constant_name(entry)}, {names})"


def first_line(entry: Elementwise) -> str:
    """Return the summary of an entry's documentation."""
    return entry.doc.strip().split("\n", 1)[0]


def entry_methods(entry: Elementwise, taken: set[str]) -> Iterator[str]:
    """Yield the methods of an entry and its aliases, in-place forms included."""
    others = [f"{other}: Tensor | Scalar" for other in entry.parameters[1:]]
    names = ", ".join(("self.node", *_operands(entry)))
    for name in (entry.name, *entry.aliases):
        if entry.method and name not in taken:
            yield signature(name, ["self: Tensor", *others], "Tensor", 4)
            yield docstring(f"{first_line(entry)} Method form of `pumice.{name}`.", 8)
            yield f"        return {applied(entry, 'self')}\n"
        if entry.method and entry.inplace and entry.result is None and name + "_" not in taken:
            yield signature(name + "_", ["self: Tensor", *others], "Tensor", 4)
            yield docstring(f"{first_line(entry)} In-place form of `pumice.{name}`.", 8)
            yield (
                f'        return replace(self, "{name}_", '
                f"build.elementwise({constant_name(entry)}, {names}))\n"
            )


def _operands(entry: Elementwise) -> list[str]:
    return [f'operand("{entry.name}", {other})' for other in entry.parameters[1:]]


def operator_methods() -> Iterator[str]:
    """Yield the methods behind Python's operators."""
    for symbol, name in ARITHMETIC.items():
        entry = registry.symbols.get(symbol)
        if entry is None or entry.arity != 2:
            continue
        constant = constant_name(entry)
        yield f"    def __{name}__(self, other: Tensor | Scalar) -> Tensor:"
        yield f"        return binary({constant}, self, other)\n"
        yield f"    def __r{name}__(self, other: Scalar) -> Tensor:"
        yield f"        return binary({constant}, other, self)\n"
        yield f"    def __i{name}__(self: Tensor, other: Tensor | Scalar) -> Tensor:"
        yield f'        return binary_inplace({constant}, "{entry.name}_", self, other)\n'
    for symbol, name in COMPARISONS.items():
        entry = registry.symbols[symbol]
        yield f"    def __{name}__(self, other: object) -> Tensor:"
        yield f"        return binary({constant_name(entry)}, self, other)\n"
    yield "    __hash__ = object.__hash__\n"
    for name, operator in UNARY.items():
        found: Any = registry.entries[operator]
        yield f"    def __{name}__(self) -> Tensor:"
        yield f"        return unary({constant_name(found)}, self)\n"


def elementwise_module(taken: set[str]) -> str:
    """Return the text of ``_generated.py``."""
    entries = [
        entry for entry in registry.elementwise() if entry.method or entry.function or entry.symbol
    ]
    imports = (
        "from typing import TYPE_CHECKING\n\n"
        "import pumice.ops.entries  # fills the registry\n"
        "from pumice.dtypes import Scalar\n"
        "from pumice.graph import build\n"
        "from pumice.tensor.core import TensorBase\n"
        "from pumice.tensor.operands import (\n    binary,\n    binary_inplace,\n"
        "    elementwise,\n    entry,\n    operand,\n    replace,\n    unary,\n)\n"
    )
    noqa = "E501, F401"
    parts = [
        HEADER.format(
            summary="One method and function per elementwise entry.", imports=imports, noqa=noqa
        )
    ]
    parts += [f'{constant_name(entry)} = entry("{entry.name}")' for entry in entries]
    parts.append("\n\nclass ElementwiseMethods(TensorBase):")
    parts.append('    """Methods and operators of `Tensor` that come from entries."""\n')
    parts.append("    __slots__ = ()\n")
    for entry in entries:
        parts += entry_methods(entry, taken)
    parts += operator_methods()
    names = generated_names(taken)
    for entry in entries:
        for name in (entry.name, *entry.aliases):
            if name not in names:
                continue
            parts.append("\n" + signature(name, operand_parameters(entry), "Tensor", 0))
            shown = entry.doc.replace(f"pumice.{entry.name}(", f"pumice.{name}(")
            parts.append(docstring(_with_import(shown), 4))
            parts.append(f"    return {applied(entry, entry.parameters[0])}\n")
    parts.append("\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(names)) + "]")
    return "\n".join(parts) + "\n"


def generated_names(taken: set[str]) -> list[str]:
    """Return the names of the generated functions."""
    return [
        name
        for entry in registry.elementwise()
        if entry.function
        for name in (entry.name, *entry.aliases)
        if name not in taken
    ]


def names_module(summary: str, marks: tuple[str, ...], generated: list[str]) -> str:
    """Return the text of a module that only offers names."""
    lines = [f'"""{summary}\n\nWritten by tools/gen_api.py; do not edit.\n"""\n']
    homes = dict.fromkeys(generated, "pumice.tensor._generated")
    for mark in marks:  # a later mark wins where two functions share a name
        for module in (operands, *MODULES):
            for name, value in vars(module).items():
                own = getattr(value, "__module__", "") == module.__name__
                if own and getattr(value, mark, False):
                    homes[name] = module.__name__
    for home in sorted(set(homes.values())):
        lines.append(_import_lines(home, sorted(name for name in homes if homes[name] == home)))
    listed = "".join(f'    "{name}",\n' for name in sorted(homes))
    return "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n"


def _import_lines(module: str, names: list[str]) -> str:
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def _with_import(doc: str) -> str:
    """Make the examples of an entry self-contained."""
    title = "Examples\n--------\n"
    if title in doc and "import pumice" not in doc:
        return doc.replace(title, title + ">>> import pumice\n")
    return doc


def marked_functions(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """Yield a module's own functions that become methods, in source order."""
    for function in vars(module).values():
        if getattr(function, "tensor_method", False) and function.__module__ == module.__name__:
            yield function


def method_text(function: Callable[..., Any], module: str) -> Iterator[str]:
    """Yield the method that calls a function, and its in-place form."""
    declared: list[str] = ["self: Tensor"]
    passed: list[str] = ["self"]
    keyword_only = False
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        text = f"{parameter.name}: {parameter.annotation}"
        if parameter.kind is parameter.VAR_POSITIONAL:
            declared.append("*" + text)
            passed.append("*" + parameter.name)
            keyword_only = True
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            declared.append("*")
            keyword_only = True
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        declared.append(text)
        by_name = parameter.kind is parameter.KEYWORD_ONLY
        passed.append(f"{parameter.name}={parameter.name}" if by_name else parameter.name)
    name = function.__name__
    result = str(inspect.signature(function).return_annotation)
    summary = (inspect.getdoc(function) or "").split("\n", 1)[0]
    call = f"{module}.{name}({', '.join(passed)})"
    yield signature(name, declared, result, 4)
    yield docstring(f"{summary} Method form of `pumice.{name}`.", 8)
    yield f"        return {call}\n"
    if getattr(function, "inplace_method", False):
        yield signature(name + "_", declared, "Tensor", 4)
        yield docstring(f"{summary} In-place form of `pumice.{name}`.", 8)
        yield f'        return replace(self, "{name}_", {call}.node)\n'


def _short(module: ModuleType) -> str:
    return module.__name__.rsplit(".", 1)[1]


def _default(value: Any) -> str:
    return str(value) if type(value).__name__ in ("DType", "Device") else repr(value)


def methods_module() -> str:
    """Return the text of ``_methods.py``."""
    modules = [module for module in MODULES if next(marked_functions(module), None)]
    listed = "".join(
        f"from {module.__name__.rsplit('.', 1)[0]} import {_short(module)} as _{_short(module)}\n"
        for module in modules
    )
    imports = (
        "from collections.abc import Sequence\n"
        "from typing import TYPE_CHECKING, Any\n\n"
        "from pumice.dtypes import DType, Scalar\n"
        + listed
        + "from pumice.tensor.axes import Dims\n"
        "from pumice.tensor.core import TensorBase\n"
        "from pumice.tensor.matrix_operands import (\n"
        "    QRResult,\n    Reflections,\n    SignLogarithm,\n"
        "    SingularColumns,\n    TriangularSolution,\n)\n"
        "from pumice.tensor.operands import replace\n"
        "from pumice.tensor.padding import Pair\n"
        "from pumice.tensor.generator import Generator\n"
        "from pumice.tensor.results import Located\n"
    )
    parts = [
        HEADER.format(
            summary="One method per composite function.",
            imports=imports,
            noqa="E501, F401, N803",
        )
    ]
    parts.append("\nclass FunctionMethods(TensorBase):")
    parts.append('    """Methods of `Tensor` that call a function of the same name."""\n')
    parts.append("    __slots__ = ()\n")
    for module in modules:
        for function in marked_functions(module):
            parts += method_text(function, "_" + _short(module))
    return "\n".join(parts).rstrip() + "\n"


def written_names() -> set[str]:
    """Return the names of hand-written functions; they win over generated ones."""
    names = set()
    for module in MODULES:
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__:
                names.add(name)
                if getattr(value, "inplace_method", False):
                    names.add(name + "_")
    return names


def formatted(text: str) -> str:
    """Sort imports and lay text out as the project's formatter does."""
    for command in (["check", "--fix", "--exit-zero", "--quiet"], ["format"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", "pumice/x.py", "-"],
            input=text,
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        if done.returncode:
            raise SystemExit(done.stderr)
        text = done.stdout
    return text


def main() -> int:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    texts = {
        TARGET / "_generated.py": elementwise_module(written_names()),
        TARGET / "_methods.py": methods_module(),
        TARGET / "_public.py": names_module(
            "The functions of `pumice`.", ("public",), generated_names(written_names())
        ),
        TARGET / "functional.py": names_module(
            "The functions of `pumice.nn.functional`.",
            ("public", "functional"),
            generated_names(written_names()),
        ),
        TARGET / "linear_algebra.py": names_module(
            "The functions of `pumice.linalg`.", ("linear_algebra",), []
        ),
    }
    texts = {path: formatted(text) for path, text in texts.items()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is stale; run python tools/gen_api.py")
        else:
            path.write_text(texts[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
