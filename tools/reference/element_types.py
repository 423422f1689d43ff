"""What each function does with each element type on each device, as a page.

A function takes an element type if its sample can be called with it. What that asks of a device
follows from the types of the nodes it records and of the values inside their meanings; what a
device does with a type follows from its `Target` and from how its backend holds the type.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache

from pumice import dtypes
from pumice.backends.llvm.types import scalar_type
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.types import Register, Types
from pumice.dtypes import DType, Kind
from pumice.graph.node import Node
from pumice.kernel.ir import INDEX, Instruction, Value
from pumice.kernel.walk import postorder
from pumice.ops.definition import Elementwise, Reduction, Scan
from pumice.target import DeviceKind
from reference.catalogue import Page, families
from reference.samples import Call, accepted, has_open_type
from reference.targets import DEVICES


class Way(IntEnum):
    """How a device computes with an element type; the greatest of several counts."""

    NATIVE = 0
    WIDENED = 1
    EMULATED = 2
    REFUSED = 3


LETTERS = {Way.NATIVE: "n", Way.WIDENED: "w", Way.EMULATED: "e", Way.REFUSED: "r"}
MEANINGS = {
    Way.NATIVE: "in registers and memory of its own",
    Way.WIDENED: "in float32, rounded after each operation",
    Way.EMULATED: "in words of 32 bits: pairs of them, or parts of one",
    Way.REFUSED: "refused by the device, with an error that names it",
}


@lru_cache(maxsize=256)
def way(dtype: DType, device: str) -> Way:
    """Return how one of `DEVICES` computes with an element type."""
    target = DEVICES[device]()
    if dtype in target.unsupported:
        return Way.REFUSED
    if target.kind is DeviceKind.CPU:
        single = scalar_type(dtype).startswith("i") and dtype.kind is Kind.FLOAT
        return Way.WIDENED if single else Way.NATIVE
    types = Types(Module(), target, target.limits["index_bits"])
    register = types.kind(dtype)
    if register is Register.PAIR or types.in_words(dtype):
        return Way.EMULATED
    wider = register is Register.FLOAT32 and dtype.bits < register.bits
    return Way.WIDENED if wider else Way.NATIVE


@lru_cache(maxsize=4096)
def _inside(op: Elementwise, operands: tuple[DType, ...]) -> frozenset[DType]:
    """Return the types of the values inside a meaning, which 16-bit floats enter as float32."""
    wide = [dtypes.float32 if each.is_small_float else each for each in operands]
    known: dict[Value, None] = {}
    root = op.meaning(*(Value(Instruction.VARIABLE, each) for each in wide))
    for value in postorder(root, known):
        known[value] = None
    return frozenset(value.dtype for value in known if value.dtype is not INDEX)


def _types_of(node: Node, operands: tuple[DType, ...]) -> Iterator[DType]:
    yield node.dtype
    yield from operands
    if isinstance(node.op, Elementwise):
        yield from _inside(node.op, operands)
    elif isinstance(node.op, Reduction | Scan):
        yield node.op.accumulator(operands[0])


def used(call: Call) -> frozenset[DType]:
    """Return every element type that a call computes with."""
    found: set[DType] = set()
    for node, operands in zip(call.nodes, call.operands, strict=True):
        found.update(_types_of(node, operands))
    return frozenset(found)


def cell(call: Call | Exception) -> str:
    """Return a letter per device, or a dot where the function does not take the type."""
    if not isinstance(call, Call):
        return "·"
    types = used(call)
    ways = [max((way(each, device) for each in types), default=Way.NATIVE) for device in DEVICES]
    return "".join(LETTERS[each] for each in ways)


def page(pages: Iterable[Page]) -> str:
    """Return the table as a page."""
    shown = [each for each in pages if has_open_type(each)]
    lines = ["# Element types", ""]
    kinds = f"{len(dtypes.ALL)} element types"
    lines += [f"{len(shown)} functions, {kinds}, {len(DEVICES)} devices.", ""]
    named = ", ".join(f"**{name}**" for name in DEVICES)
    lines += [f"Each cell has a letter for each of {named}, in this order:", ""]
    lines += ["| letter | the device computes |", "|---|---|"]
    lines += [f"| `{LETTERS[each]}` | {MEANINGS[each]} |" for each in Way]
    lines += ["| `·` | the function does not take the type; the call raises |", ""]
    lines += [
        "A function is as its worst step: one that gives places is emulated where int64 is.",
        "Derived by calling the example of each function with each element type and looking at",
        "what it records; functions that neither take tensors nor a dtype are left out.",
        "",
        "## What devices do with element types",
        "",
    ]
    head = "| | " + " | ".join(each.name for each in dtypes.ALL) + " |"
    rule = "|---|" + ":-:|" * len(dtypes.ALL)
    lines += [head, rule]
    for name in DEVICES:
        letters = [LETTERS[way(each, name)] for each in dtypes.ALL]
        lines.append(f"| {name} | " + " | ".join(f"`{each}`" for each in letters) + " |")
    for family, members in families(shown).items():
        lines += ["", f"## {family.capitalize()}", "", head, rule]
        for member in members:
            cells = [f"`{cell(call)}`" for call in accepted(member).values()]
            link = f"[{member.path}](operators/{member.path}.md)"
            lines.append(f"| {link} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
