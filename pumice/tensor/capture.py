"""What one run of a captured function read, wrote and returned."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from weakref import ref

from pumice.dtypes import DType
from pumice.engine.realize import realize
from pumice.errors import InvalidArgument, describe
from pumice.graph import build, recording
from pumice.graph.node import Node
from pumice.tensor.core import Cell, TensorBase, replaced


@dataclass(frozen=True, slots=True)
class Guard:
    """A Python value the capture depends on."""

    current: Callable[[], Any]
    expected: Any
    what: str

    def holds(self) -> bool:
        return bool(self.current() == self.expected)


@dataclass(slots=True, eq=False)
class Capture:
    """A `graph.recording.Recorder` that remembers everything a replay must repeat.

    Attributes
    ----------
    initial : dict of Cell to Node
        Cells that existed before, with the evaluated node they held.
    written : dict of Cell to None
        Those of them the function replaced.
    gradients_read : dict of Tensor
        The ``grad`` each had when the function first looked at it.
    gradients_written : dict of Tensor to None
        Tensors whose ``grad`` the function set.
    required : dict of int to (reference to Tensor, bool)
        Whether gradients flowed to each tensor the function read, by its identity. Tensors that
        the function makes itself are gone when it has returned.
    draws : list of (generator, constant of its seed, constant of the draw's number)
    running : bool
        Whether options that may be numbers of each run are.
    numbers : list of (constant, function)
        Those options.
    replaced : int
        `core.replaced` when the function began.
    """

    evaluates: ClassVar[bool] = False
    initial: dict[Cell, Node] = field(default_factory=dict)
    created: dict[Cell, None] = field(default_factory=dict)
    written: dict[Cell, None] = field(default_factory=dict)
    gradients_read: dict[TensorBase, Any] = field(default_factory=dict)
    gradients_written: dict[TensorBase, None] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    required: dict[int, tuple[ref[TensorBase], bool]] = field(default_factory=dict)
    draws: list[tuple[Any, Node, Node]] = field(default_factory=list)
    running: bool = False
    numbers: list[tuple[Node, Callable[[], float]]] = field(default_factory=list)
    replaced: int = field(default_factory=lambda: replaced.count)

    def create(self, cell: Cell) -> None:
        self.created[cell] = None

    def read(self, cell: Cell) -> None:
        if cell in self.initial or cell in self.created:
            return
        if cell.node.value is None:
            token = recording.active.set(None)
            try:
                realize((cell.node,))
            finally:
                recording.active.reset(token)
        self.initial[cell] = cell.node

    def require(self, tensor: TensorBase) -> None:
        if tensor._cell in self.created:
            return
        known = self.required.get(id(tensor))
        if known is None or known[0]() is not tensor:
            self.required[id(tensor)] = (ref(tensor), tensor._requires)

    def write(self, cell: Cell) -> None:
        if cell in self.created:
            return
        self.read(cell)
        self.written[cell] = None

    def read_gradient(self, tensor: TensorBase) -> None:
        if tensor not in self.gradients_written:
            self.gradients_read.setdefault(tensor, tensor._grad)

    def write_gradient(self, tensor: TensorBase) -> None:
        self.gradients_written[tensor] = None

    def evaluate(self, nodes: Sequence[Node]) -> None:
        raise InvalidArgument(
            describe(
                "jit",
                "the function looks at the value of a tensor, so what it does may depend on it",
                "keep values in tensors (where() instead of if), or leave this part outside jit",
            )
        )

    def depend(self, current: Callable[[], Any], what: str) -> None:
        self.guards.append(Guard(current, current(), what))

    def number(self, current: Callable[[], float], dtype: DType) -> Node | None:
        if not self.running:
            return None
        node = build.constant(current(), dtype)
        self.numbers.append((node, current))
        return node

    def draw(self, generator: Any, seed: Node, number: Node) -> None:
        self.draws.append((generator, seed, number))
