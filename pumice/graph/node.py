"""The graph node (design.md D2)."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from itertools import islice
from math import prod
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from pumice.dtypes import DType, Scalar
from pumice.errors import PACKAGE_ROOT, called
from pumice.ops.definition import OpDef, registry
from pumice.ops.view import Shape
from pumice.target import Device

if TYPE_CHECKING:
    from pumice.ops.definition import Elementwise

gradient_mode: ContextVar[bool] = ContextVar("gradient_mode", default=True)
"""Whether new nodes may require a gradient (``no_grad`` clears it)."""


class Line(NamedTuple):
    """A line of the user's program, and the public function it called where that is known."""

    file: str
    number: int
    called: str = ""


class Storage:
    """Device memory that holds the elements of a node in row-major order.

    Attributes
    ----------
    allocation : runtime.base.Allocation
        Keeps the memory alive.
    offset : int
        Byte offset of the first element.
    address : int
        Of the first element.
    device : Device
        Where it lives.
    """

    __slots__ = ("__weakref__", "address", "allocation", "device", "offset")

    def __init__(self, allocation: Any, offset: int, device: Device) -> None:
        self.allocation = allocation
        self.offset = offset
        self.address: int = allocation.address + offset
        self.device = device


class Node:
    """One operation of the graph. Immutable except for `value`, set once it is evaluated.

    Attributes
    ----------
    op : OpDef
        The entry; `argument` holds its static part (axes, a view ...), hashable.
    sources : tuple of Node
        Operands. Emptied when the node has been evaluated and no gradient can ask for them.
    device : Device or None
        None for constants, which live anywhere.
    requires_grad : bool
        Whether a gradient flows through this node to a leaf.
    depth : int
        Longest path of unevaluated nodes below, to bound graphs nobody looks at.
    code, instruction : code object or None, int
        The place in the user's program that made it; `line` says it in words.
    called : str
        The public function in which an operation was made that can report data errors; absent on
        others.
    hooks : callable
        Set by whoever wants to see the gradient of the node; absent on most.
    value : Storage or None
        The evaluated elements.
    released : bool
        Whether a backward that did not retain the graph has passed here; the next one raises.
    passed : bool
        Whether an evaluation computed this node on its way and did not keep the elements.
    reread : bool
        Whether a tensor was read after that: the next evaluation keeps the elements.
    """

    op: OpDef
    dtype: DType
    shape: Shape
    sources: tuple[Node, ...]
    argument: Any
    device: Device | None
    depth: int
    requires_grad: bool
    released: bool
    passed: bool
    reread: bool
    code: CodeType | None
    instruction: int
    called: str
    hooks: Any
    value: Storage | None

    __slots__ = (
        "__weakref__",
        "argument",
        "called",
        "code",
        "depth",
        "device",
        "dtype",
        "hooks",
        "instruction",
        "op",
        "passed",
        "released",
        "requires_grad",
        "reread",
        "shape",
        "sources",
        "value",
    )

    def __init__(
        self,
        op: OpDef,
        dtype: DType,
        shape: Shape,
        sources: tuple[Node, ...] = (),
        argument: Any = None,
        device: Device | None = None,
    ) -> None:
        self.op = op
        self.dtype = dtype
        self.shape = shape
        self.sources = sources
        self.argument = argument
        self.value = None
        self.released = self.passed = self.reread = False
        depth = -1
        requires = False
        for source in sources:
            if source.value is None and source.depth > depth:
                depth = source.depth
            if source.requires_grad:
                requires = True
            if device is None:
                device = source.device
        self.depth = depth + 1
        self.device = device
        self.requires_grad = requires and dtype.is_floating_point and gradient_mode.get()
        # The innermost position outside the package. Which line that is, is asked rarely.
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            internal = _internal.get(code.co_filename)
            if internal is None:
                internal = _is_internal(code.co_filename)
            if not internal:
                break
            frame = frame.f_back
        if frame is None:
            self.code, self.instruction = None, 0
        else:
            self.code, self.instruction = code, frame.f_lasti

    @property
    def line(self) -> Line | None:
        """The user's line that made the node."""
        if self.code is None:
            return None
        positions = islice(self.code.co_positions(), self.instruction // 2, None)
        line = next(positions, (None,))[0]
        number = line or self.code.co_firstlineno
        return Line(self.code.co_filename, number, getattr(self, "called", ""))

    def reporting(self) -> Node:
        """Remember what the user called: the operation can report data errors."""
        self.called = called()
        return self

    def stand_for(self, original: Node) -> None:
        """Take over the place in the user's program that made another node."""
        self.code, self.instruction = original.code, original.instruction
        if hasattr(original, "called"):
            self.called = original.called

    @property
    def numel(self) -> int:
        return prod(self.shape)

    def __repr__(self) -> str:
        return f"Node({self.op.name}, {self.dtype.name}, {list(self.shape)})"

    # -- the interface of `ops.vocabulary.Operand` ----------------------------------------------

    def apply(self, op: Elementwise, *others: Any) -> Node:
        from pumice.graph.build import elementwise

        return elementwise(op, self, *others)

    def const(self, value: Scalar) -> Node:
        from pumice.graph.build import constant

        return constant(value, self.dtype, self.shape, self.device)

    def cast(self, dtype: DType) -> Node:
        from pumice.graph.build import cast

        return cast(self, dtype)

    def select(self, chosen: Any, other: Any) -> Node:
        return self.apply(_entry("where"), chosen, other)

    def _lift(self, other: Any) -> Node:
        return other if isinstance(other, Node) else self.const(other)

    def __add__(self, other: Any) -> Node:
        return self.apply(registry.symbols["+"], other)

    def __radd__(self, other: Scalar) -> Node:
        return self.apply(registry.symbols["+"], other)

    def __sub__(self, other: Any) -> Node:
        return self.apply(registry.symbols["-"], other)

    def __rsub__(self, other: Scalar) -> Node:
        return self.const(other).apply(registry.symbols["-"], self)

    def __mul__(self, other: Any) -> Node:
        return self.apply(registry.symbols["*"], other)

    def __rmul__(self, other: Scalar) -> Node:
        return self.apply(registry.symbols["*"], other)

    def __truediv__(self, other: Any) -> Node:
        return self.apply(registry.symbols["/"], other)

    def __rtruediv__(self, other: Scalar) -> Node:
        return self.const(other).apply(registry.symbols["/"], self)

    def __neg__(self) -> Node:
        return self.apply(_entry("neg"))

    def __lt__(self, other: Any) -> Node:
        return self.apply(registry.symbols["<"], other)

    def __le__(self, other: Any) -> Node:
        return self.apply(registry.symbols["<="], other)

    def __gt__(self, other: Any) -> Node:
        return self.apply(registry.symbols[">"], other)

    def __ge__(self, other: Any) -> Node:
        return self.apply(registry.symbols[">="], other)

    def eq(self, other: Any) -> Node:
        return self.apply(registry.symbols["=="], other)

    def ne(self, other: Any) -> Node:
        return self.apply(registry.symbols["!="], other)

    def __and__(self, other: Any) -> Node:
        return self.apply(registry.symbols["&"], other)

    def __or__(self, other: Any) -> Node:
        return self.apply(registry.symbols["|"], other)

    def __xor__(self, other: Any) -> Node:
        return self.apply(registry.symbols["^"], other)

    def __invert__(self) -> Node:
        return self.apply(registry.symbols["~"])


def filled_node(op: OpDef, storage: Storage, dtype: DType, shape: Shape) -> Node:
    """Return a leaf over filled memory. Replays make many, so nothing is inferred."""
    node: Node = object.__new__(Node)
    node.op = op
    node.dtype = dtype
    node.shape = shape
    node.sources = ()
    node.argument = None
    node.device = storage.device
    node.requires_grad = False
    node.released = node.passed = node.reread = False
    node.depth = 0
    node.code = None
    node.instruction = 0
    node.value = storage
    return node


def constant_node(
    op: OpDef, dtype: DType, shape: Shape, argument: Any, device: Device | None
) -> Node:
    """Return a node without operands; who makes it says where."""
    node: Node = object.__new__(Node)
    node.op = op
    node.dtype = dtype
    node.shape = shape
    node.sources = ()
    node.argument = argument
    node.device = device
    node.requires_grad = False
    node.released = node.passed = node.reread = False
    node.depth = 0
    node.code = None
    node.instruction = 0
    node.value = None
    return node


def copied_node(
    original: Node, shape: Shape, sources: tuple[Node, ...], argument: Any, value: Any
) -> Node:
    """Return a node of the same operation outside any gradient, made at the same line."""
    node: Node = object.__new__(Node)
    node.op = original.op
    node.dtype = original.dtype
    node.shape = shape
    node.sources = sources
    node.argument = argument
    node.device = original.device
    node.requires_grad = False
    node.released = node.passed = node.reread = False
    node.depth = 0
    node.stand_for(original)
    node.value = value
    return node


def _entry(name: str) -> Elementwise:
    entry: Any = registry.entries[name]
    result: Elementwise = entry
    return result


def _is_internal(name: str) -> bool:
    """Tell whether a file is the package's own, and remember it."""
    if len(_internal) >= MAXIMUM_FILES:
        _internal.clear()
    _internal[name] = name.startswith(PACKAGE_ROOT)
    return _internal[name]


MAXIMUM_FILES = 4096

_internal: dict[str, bool] = {}
"""Files that code has run from, and whether they are the package's own."""
