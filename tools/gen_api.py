"""Write the Tensor methods and functions that follow from entries and composite functions.

    python tools/gen_api.py           writes the files
    python tools/gen_api.py --check   exits with 1 when they are stale

``pumice/tensor/_generated.py`` holds one method and one function per elementwise entry and the
Python operators; ``_methods.py`` one method per function marked with ``tensor.marks.method``;
``_public.py``, ``functional.py`` and ``linear_algebra.py`` the names of `pumice`,
`pumice.nn.functional` and `pumice.linalg`: functions that call those marked for it. Those that
compute tensors take ``out`` there, and all of them, and the methods, refuse wrong arguments
(``pumice/arguments.py``). The files are committed, so editors and type checkers see every name.
"""

from __future__ import annotations

import argparse
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# The package's own __init__ needs the files written here, so only its parts are imported.
sys.modules["pumice"] = package = ModuleType("pumice")
package.__path__ = [str(ROOT / "pumice")]

import pumice.ops.entries  # noqa: E402, F401 - fills the registry
from pumice.dtypes import DType  # noqa: E402
from pumice.ops.definition import Elementwise, registry  # noqa: E402
from pumice.tensor import matrix_operands, operands  # noqa: E402
from pumice.tensor.functions import MODULES  # noqa: E402
from pumice.tensor.outputs import documented  # noqa: E402

TARGET = ROOT / "pumice" / "tensor"
WIDTH = 100
PUBLIC = "pumice.tensor._public"

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
        if entry.method and entry.inplace and name + "_" not in taken:
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
        "from pumice.tensor.outputs import store\n"
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
            declared = [*operand_parameters(entry), "*", "out: Tensor | None = None"]
            parts.append("\n" + signature(name, declared, "Tensor", 0))
            shown = entry.doc.replace(f"pumice.{entry.name}(", f"pumice.{name}(")
            parts.append(docstring(documented(_with_import(shown)), 4))
            parts.append(f"    result = {applied(entry, entry.parameters[0])}")
            parts.append(f'    return result if out is None else store("{name}", result, out)\n')
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


def offered(marks: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """Return the marked functions by name; a later mark wins where two share a name."""
    return {
        name: value
        for mark in marks
        for module in (operands, *MODULES)
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and getattr(value, mark, False)
    }


def names_module(summary: str, marks: tuple[str, ...], generated: list[str]) -> str:
    """Return the text of a module that offers names: functions that call those marked.

    What is offered as ``pumice.name`` too is imported from there.
    """
    found = offered(marks)
    homes = dict.fromkeys(generated, "pumice.tensor._generated")
    written = {}
    for name, function in found.items():
        if marks != ("public",) and getattr(function, "public", False):
            homes[name] = PUBLIC
        elif is_called(name, function):
            homes[name], written[name] = "", function
        else:
            homes[name] = function.__module__
    listed = "".join(f'    "{name}",\n' for name in sorted(homes))
    tail = f"\n\n__all__ = [\n{listed}]\n"
    imports = "\n".join(
        _import_lines(home, sorted(name for name in homes if homes[name] == home))
        for home in sorted({*homes.values()} - {""})
    )
    text = "".join(line for name in sorted(written) for line in calling_text(written[name]))
    modules = sorted({function.__module__.rsplit(".", 1)[1] for function in written.values()})
    imports += "\nfrom typing import TYPE_CHECKING\n" + type_imports(text)
    imports += "".join(f"from pumice.tensor import {module} as _{module}\n" for module in modules)
    imports += "from pumice.arguments import integer, lenient_truth, refuse, truth\n"
    helpers = ("chosen", "made_as", "made_on", "stands_for", "store", "takes_out")
    used = [name for name in helpers if f"{name}(" in text]
    imports += f"from pumice.tensor.outputs import {', '.join(used)}\n"
    head = HEADER.format(summary=summary, imports=imports, noqa="F401, N803")
    return head + "\n\n" + text + tail


def is_called(name: str, function: Callable[..., Any]) -> bool:
    """Tell whether a function gets one that calls it, which other names and decorated ones do not.

    One that takes nothing, or only a device, can be given nothing that is not looked at there.
    """
    plain = inspect.isfunction(function) and not hasattr(function, "__wrapped__")
    taken = set(inspect.signature(function).parameters) if plain else set()
    return plain and function.__name__ == name and not taken <= {"device"}


def takes_out(function: Callable[..., Any]) -> bool:
    """Tell whether a function is offered with ``out``."""
    return not getattr(function, "functional", False) and bool(type_of_out(function))


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


TYPES = {
    "Any": "typing",
    "Callable": "collections.abc",
    "Device": "pumice.target",
    "DType": "pumice.dtypes",
    "Dims": "pumice.tensor.axes",
    "FloatLimits": "pumice.tensor.limits",
    "Generator": "pumice.tensor.generator",
    "Histogram": "pumice.tensor.results",
    "IntegerLimits": "pumice.tensor.limits",
    "Limit": "pumice.tensor.spectral",
    "Located": "pumice.tensor.results",
    "NDArray": "numpy.typing",
    "Pair": "pumice.tensor.padding",
    "Parts": "pumice.tensor.results",
    "Scalar": "pumice.dtypes",
    "Sequence": "collections.abc",
    "Sizes": "pumice.tensor.convolution",
    "dtypes": "pumice",
} | {
    name: matrix_operands.__name__
    for name, value in vars(matrix_operands).items()
    if inspect.isclass(value) and value.__module__ == matrix_operands.__name__
}
"""Where the names in signatures come from."""


def type_imports(text: str) -> str:
    """Return imports of the names that signatures in a text use."""
    used = [name for name in TYPES if re.search(rf"\b{name}\b", text)]
    return "".join(f"from {TYPES[name]} import {name}\n" for name in used)


SHARING = frozenset(
    ("convert", "dlpack", "inspection", "limits", "movement", "printing", "slicing", "splitting")
)
"""Modules whose functions share memory with what they are given, or compute no tensor."""


def declarations(
    parameters: Iterable[inspect.Parameter], replaced: dict[str, str]
) -> tuple[list[str], list[str], bool]:
    """Return parameters as declared and as passed on, and whether the last ones go by name.

    ``replaced`` holds what is passed in place of a parameter that is None by default.
    """
    declared: list[str] = []
    passed: list[str] = []
    by_name = False
    for parameter in parameters:
        text = f"{parameter.name}: {parameter.annotation}"
        if parameter.kind is parameter.VAR_POSITIONAL:
            declared.append("*" + text)
            passed.append("*" + parameter.name)
            by_name = True
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
            declared.append("*")
            by_name = True
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        declared.append(text)
        value = parameter.name
        if parameter.default is None:
            value = replaced.get(value, value)
        passed.append(
            f"{parameter.name}={value}" if parameter.kind is parameter.KEYWORD_ONLY else value
        )
    return declared, passed, by_name


def method_text(function: Callable[..., Any], module: str) -> Iterator[str]:
    """Yield the method that calls a function, and its in-place form."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    declared, passed, _ = declarations(parameters, {})
    declared, passed = ["self: Tensor", *declared], ["self", *passed]
    name = function.__name__
    result = str(inspect.signature(function).return_annotation)
    summary = (inspect.getdoc(function) or "").split("\n", 1)[0]
    call = f"{module}.{name}({', '.join(passed)})"
    checks = checks_of(parameters, "truth")
    yield signature(name, declared, result, 4)
    yield docstring(f"{summary} Method form of `pumice.{name}`.", 8)
    yield refusing(f"{checks}return {call}", 8)
    if getattr(function, "inplace_method", False):
        yield signature(name + "_", declared, "Tensor", 4)
        yield docstring(f"{summary} In-place form of `pumice.{name}`.", 8)
        yield refusing(f'{checks}return replace(self, "{name}_", {call}.node)', 8)


AXES = frozenset(("axis", "axis0", "axis1", "dim", "dim0", "dim1", "dim2"))
"""Parameters that `axes.axis_of` looks at."""


def checks_of(parameters: Iterable[inspect.Parameter], truth: str) -> str:
    """Return checks of flags and counts, which cost next to nothing where they are what they seem.

    Anything is true or false to Python, and numbers of all kinds compare and add, so a wrong
    argument would go unnoticed.
    """
    text = ""
    for each in parameters:
        name, usual = each.name, each.default
        if each.annotation in ("bool", "bool | None"):
            plain = [usual] if usual is not each.empty else [True, False]
            unusual = " and ".join(f"{name} is not {value}" for value in plain)
            text += f"if {unusual}:\n    {truth}({name})\n"
        elif each.annotation in ("int", "int | None") and name not in AXES:
            given = f"{name} is not None and " if usual is None else ""
            text += f"if {given}type({name}) is not int:\n    integer({name})\n"
    return text


def refusing(statements: str, spaces: int) -> str:
    """Return statements whose bare errors are compared with the arguments; see `arguments`."""
    body = indent(statements, 4)
    handler = "except Exception as error:\n    refuse(error)\n    raise\n"
    return indent(f"try:\n{body}\n{handler}", spaces)


def type_of_out(function: Callable[..., Any]) -> str:
    """Return the type of a function's ``out``, an empty text where it takes none."""
    result = str(inspect.signature(function).return_annotation)
    if function.__module__.rsplit(".", 1)[1] in SHARING or function.__name__.endswith("_"):
        return ""
    kind = function.__globals__.get(result)
    several = inspect.isclass(kind) and issubclass(kind, tuple) and kind.__name__ != "Tensor"
    if several or result == "tuple[Tensor, Tensor]":
        return "Sequence[Tensor] | None"
    if result in ("Any", "Tensor | Located"):
        return "Tensor | Sequence[Tensor] | None"
    return "Tensor | None" if result == "Tensor" else ""


def calling_text(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the function that calls another one and refuses wrong arguments."""
    if takes_out(function):
        yield from storing_text(function)
        return
    found = inspect.signature(function)
    declared, passed, _ = declarations(found.parameters.values(), {})
    name = function.__name__
    target = f"_{function.__module__.rsplit('.', 1)[1]}.{name}"
    yield f"@stands_for({target})\n"
    yield signature(name, declared, str(found.return_annotation), 0) + "\n"
    check = "lenient_truth" if getattr(function, "functional", False) else "truth"
    checks = checks_of(found.parameters.values(), check)
    yield refusing(f"{checks}return {target}({', '.join(passed)})", 4) + "\n\n"


def storing_text(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the function that calls another one and stores its results in ``out``."""
    found = inspect.signature(function)
    replaced = {"dtype": "chosen(dtype, out)"}
    if "device" in found.parameters:
        replaced = {"dtype": "made_as(dtype, out)", "device": "made_on(device, out)"}
    declared, passed, by_name = declarations(found.parameters.values(), replaced)
    declared += [] if by_name else ["*"]
    declared.append(f"out: {type_of_out(function)} = None")
    name = function.__name__
    target = f"_{function.__module__.rsplit('.', 1)[1]}.{name}"
    yield f"@takes_out({target})\n"
    yield signature(name, declared, str(found.return_annotation), 0) + "\n"
    computed = f"result = {target}({', '.join(passed)})"
    stored = f'return result if out is None else store("{name}", result, out)'
    checks = checks_of(found.parameters.values(), "truth")
    yield refusing(f"{checks}{computed}\n{stored}", 4) + "\n\n"


def _short(module: ModuleType) -> str:
    return module.__name__.rsplit(".", 1)[1]


def _default(value: Any) -> str:
    if isinstance(value, DType):
        return f"dtypes.{value.__reduce__()}"
    return repr(value)


def methods_module() -> str:
    """Return the text of ``_methods.py``."""
    modules = [module for module in MODULES if next(marked_functions(module), None)]
    listed = "".join(
        f"from {module.__name__.rsplit('.', 1)[0]} import {_short(module)} as _{_short(module)}\n"
        for module in modules
    )
    parts = ["\n\nclass FunctionMethods(TensorBase):"]
    parts.append('    """Methods of `Tensor` that call a function of the same name."""\n')
    parts.append("    __slots__ = ()\n")
    for module in modules:
        for function in marked_functions(module):
            parts += method_text(function, "_" + _short(module))
    text = "\n".join(parts).rstrip() + "\n"
    imports = (
        "from typing import TYPE_CHECKING\n"
        + listed
        + type_imports(text)
        + "from pumice.arguments import integer, refuse, truth\n"
        "from pumice.tensor.core import TensorBase\n"
        "from pumice.tensor.operands import replace\n"
    )
    summary = "One method per composite function."
    return HEADER.format(summary=summary, imports=imports, noqa="E501, F401, N803") + text


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
