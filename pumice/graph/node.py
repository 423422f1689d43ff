"""The graph node (design.md D2)."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from functools import lru_cache
from math import prod
from types import CodeType
from typing import TYPE_CHECKING, Any

from pumice.dtypes import DType, Scalar
from pumice.errors import PACKAGE_ROOT
from pumice.ops.definition import OpDef, registry
from pumice.ops.view import Shape
from pumice.target import Device

if TYPE_CHECKING:
    from pumice.ops.definition import Elementwise

gradient_mode: ContextVar[bool] = ContextVar("gradient_mode", default=True)
"""Whether new nodes may require a gradient (``no_grad`` clears it)."""

Line = tuple[str, int]


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
    line : (file, line) or None
        The user's line that made it.
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
    line: Line | None
    value: Storage | None

    __slots__ = (
        "__weakref__",
        "argument",
        "depth",
        "device",
        "dtype",
        "line",
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
        self.line = _user_position()

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
    node.line = None
    node.value = storage
    return node


def _entry(name: str) -> Elementwise:
    entry: Any = registry.entries[name]
    result: Elementwise = entry
    return result


@lru_cache(maxsize=4096)
def _is_internal(code: CodeType) -> bool:
    return code.co_filename.startswith(PACKAGE_ROOT)


def _user_position() -> Line | None:
    """Return the innermost position outside the package."""
    frame = sys._getframe(2)
    while _is_internal(frame.f_code):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno)
