"""State of code generation: scopes of text, operands, and where a value is computed.

A value is computed in the outermost scope that knows all of its arguments, so nothing that does
not change inside a loop is computed there. Text of an inner scope joins the outer one only when
the inner scope closes, so code added to an outer scope meanwhile stands before the inner loop.
Loads move out of a loop only to its preheader, which runs when the loop runs at least once.
"""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from pumice.backends.llvm.machine import Machine
from pumice.backends.llvm.types import (
    iota,
    literal,
    scalar_type,
    splat_constant,
    suffix,
    vector_of,
)
from pumice.dtypes import DType
from pumice.kernel.ir import Instruction, Parameter, Value


class ScopeKind(Enum):
    """What a scope is the text of."""

    PLAIN = auto()
    PREHEADER = auto()
    LOOP = auto()


@dataclass(slots=True)
class Operand:
    """A computed value.

    Attributes
    ----------
    text : str
        Name or constant: of a scalar, of a vector when `varying`, or of lane 0's scalar when
        `step` is set.
    level : int
        Index of the scope it was computed in.
    varying : bool
        Whether lanes differ.
    step : str or None
        Difference between neighbouring lanes, a scalar, for values affine in the lane.
    constant : bool
        Whether `text` is a literal.
    """

    text: str
    dtype: DType
    level: int
    varying: bool = False
    step: str | None = None
    constant: bool = False
    vectors: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Scope:
    """Text that is complete only when closed, and what was computed in it."""

    kind: ScopeKind
    lines: list[str] = field(default_factory=list)
    known: dict[Any, Operand] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asking:
    """Where a loop over lanes stands, for elements it asks for ahead.

    Attributes
    ----------
    start : str
        Its first iteration.
    shares : dict of int to str
        A quarter of the cache lines its iterations cover, by the size of elements in bytes.
    position : str
        The first iteration of the current vector.
    """

    start: str
    shares: dict[int, str]
    position: str = ""


class Emitter:
    """Scopes and names of one function."""

    def __init__(self, machine: Machine, written: frozenset[Parameter]) -> None:
        self.machine = machine
        self.written = written
        self.scopes: list[Scope] = [Scope(ScopeKind.PLAIN)]
        self.declarations: dict[str, None] = {}
        self.allocas: list[str] = []
        self.functions: list[str] = []
        self.micro_functions: dict[Any, str] = {}  # names by what their code depends on
        self.width = 0  # lanes, 0 outside LANES loops
        self.mask: str | None = None  # active lanes as a vector of i1, None for all
        self.mask_level = 0  # scope the mask is known in
        self.remaining: str | None = None  # i64 count of active lanes when they are the first ones
        self.fault: Parameter | None = None
        self.floor = 0  # scope from which on values are computed, inside a branch
        self.streams = False  # whether some stores go past the caches
        self.tiles = False  # whether tile registers are used
        self.bindings: dict[Parameter, Operand] = {}
        self.opposites: dict[str, tuple[str, int, str]] = {}  # of comparisons, once emitted named
        self.asking: Asking | None = None  # what a loop over lanes asks for ahead
        self._count = 0
        self._zero: str | None = None
        self._idle: str | None = None

    # -- names and text -------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Index of the current scope."""
        return len(self.scopes) - 1

    def name(self, stem: str = "t") -> str:
        """Return a new name, without the percent sign."""
        self._count += 1
        return f"{stem}{self._count}"

    def line(self, text: str, level: int | None = None) -> None:
        """Append a line to a scope, the current one when no level is given."""
        self.scopes[-1 if level is None else level].lines.append(text)

    def value(self, expression: str, level: int | None = None) -> str:
        """Append ``%name = expression`` and return the name."""
        self._count += 1
        result = f"%t{self._count}"
        self.scopes[-1 if level is None else level].lines.append(f"{result} = {expression}")
        return result

    def declare(self, declaration: str) -> None:
        """Add a declaration of an intrinsic."""
        self.declarations[declaration] = None

    def intrinsic(
        self, name: str, element: str, width: int, arguments: tuple[str, ...], level: int
    ) -> str:
        """Call an intrinsic whose arguments and result have one type."""
        full, kind = f"@llvm.{name}.{suffix(element, width)}", vector_of(element, width)
        self.declare(f"declare {kind} {full}({', '.join([kind] * len(arguments))})")
        return self.value(
            f"call {kind} {full}({', '.join(f'{kind} {text}' for text in arguments)})", level
        )

    def open(self, kind: ScopeKind) -> Scope:
        """Enter a scope."""
        scope = Scope(kind)
        self.scopes.append(scope)
        return scope

    def close(self) -> list[str]:
        """Leave the current scope and return its text, for the caller to place."""
        return self.scopes.pop().lines

    def stack_slot(self, kind: str, count: int = 1) -> str:
        """Reserve stack memory for the whole function."""
        result = f"%{self.name('slot')}"
        self.allocas.append(f"{result} = alloca {kind}, i64 {count}, align 64")
        return result

    def zero_slot(self) -> str:
        """Return the address of eight zero bytes, for loads of inactive lanes."""
        if self._zero is None:
            self._zero = self.stack_slot("i64")
            self.allocas.append(f"store i64 0, ptr {self._zero}")
        return self._zero

    def idle_slot(self) -> str:
        """Return an address that inactive lanes may write to."""
        if self._idle is None:
            self._idle = self.stack_slot("i64")
        return self._idle

    # -- operands -------------------------------------------------------------------------------

    def find(self, key: Any) -> Operand | None:
        """Return what is known under a key in this scope or an outer one."""
        for scope in reversed(self.scopes):
            operand = scope.known.get(key)
            if operand is not None:
                return operand
        return None

    def bind(self, key: Any, operand: Operand) -> None:
        """Record an operand in the scope of its level."""
        self.scopes[operand.level].known[key] = operand

    def constant(self, value: bool | int | float, dtype: DType) -> Operand:
        return Operand(literal(value, dtype), dtype, 0, constant=True)

    def vector(self, operand: Operand, width: int | None = None) -> str:
        """Return the operand as a vector of the current width."""
        width = self.width if width is None else width
        if operand.varying and operand.step is None:
            return operand.text
        known = operand.vectors.get(width)
        if known is None:
            known = self._spread(operand, width)
            operand.vectors[width] = known
        return known

    def _spread(self, operand: Operand, width: int) -> str:
        element = scalar_type(operand.dtype)
        kind = vector_of(element, width)
        if operand.constant and operand.step is None:
            return splat_constant(element, operand.text, width)
        base = self.splat(operand.text, element, width, operand.level)
        if operand.step is None:
            return base
        lanes = iota(element, width)
        if operand.step != "1":
            step = self.splat(operand.step, element, width, operand.level)
            lanes = self.value(f"mul {kind} {step}, {lanes}", operand.level)
        return self.value(f"add {kind} {base}, {lanes}", operand.level)

    def splat(self, text: str, element: str, width: int, level: int) -> str:
        """Return a vector of one scalar."""
        if not text.startswith("%"):
            return splat_constant(element, text, width)
        kind = vector_of(element, width)
        single = self.value(f"insertelement {kind} poison, {element} {text}, i64 0", level)
        return self.value(
            f"shufflevector {kind} {single}, {kind} poison, <{width} x i32> zeroinitializer", level
        )

    def plain(self, operand: Operand) -> tuple[str, int]:
        """Return text and width of an operand as it is: affine ones become vectors."""
        if operand.varying:
            return self.vector(operand), self.width
        return operand.text, 0

    def together(self, operands: tuple[Operand, ...]) -> tuple[list[str], int, int]:
        """Return texts of one common width, that width, and the level to compute at."""
        level = max(operand.level for operand in operands)
        if any(operand.varying for operand in operands):
            return [self.vector(operand) for operand in operands], self.width, level
        return [operand.text for operand in operands], 0, level

    def result(self, text: str, dtype: DType, width: int, level: int) -> Operand:
        """Return the operand of something computed by instructions."""
        return Operand(text, dtype, level, varying=width > 0)


LEAF_KEYS = {
    Instruction.VARIABLE: "variable",
    Instruction.CARRIED: "carried",
    Instruction.RESULT: "result",
}


def key_of(value: Value) -> Any:
    """Return what identifies a value in `Scope.known`."""
    stem = LEAF_KEYS.get(value.instruction)
    return value if stem is None else (stem, value.attribute)
