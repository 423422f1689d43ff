"""A lowered kernel and the bindings of its parameters."""

from dataclasses import dataclass
from math import prod

from pumice.graph.node import Node
from pumice.kernel.ir import Kernel
from pumice.ops.view import Shape


@dataclass(frozen=True, slots=True, eq=False)
class Scratch:
    """Temporary memory that belongs to no node (packed panels, partial sums)."""

    nbytes: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A buffer argument: the memory of a node or a scratch area, plus a byte offset."""

    owner: Node | Scratch
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar argument: the value of a CONSTANT node, in the parameter's dtype."""

    node: Node


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """The buffer a kernel reports data errors in."""


Binding = Memory | Number | FaultRecord | int


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One launch.

    Attributes
    ----------
    bindings : tuple of Binding
        One per kernel parameter; plain integers for sizes and strides.
    grid : tuple of int
        Extents of the grid.
    reads, writes : tuple of Node or Scratch
        Memory touched, for lifetimes.
    cost : int
        Rough nanoseconds per grid item.
    node : Node
        What it computes, for messages and profiles.
    suspects : tuple of Node
        Operations in it that can report a data error.
    """

    kernel: Kernel
    bindings: tuple[Binding, ...]
    grid: Shape
    writes: tuple[Node | Scratch, ...]
    cost: int
    node: Node
    suspects: tuple[Node, ...] = ()

    @property
    def items(self) -> int:
        return prod(self.grid)

    @property
    def touched(self) -> list[Node | Scratch]:
        """All memory the launch reads or writes."""
        return [binding.owner for binding in self.bindings if isinstance(binding, Memory)]
