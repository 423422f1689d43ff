"""What one run of a captured function read, wrote and returned."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, ClassVar
from weakref import ref

from pumice.dtypes import DType
from pumice.engine.realize import realize
from pumice.errors import InvalidArgument, describe
from pumice.graph import build, recording
from pumice.graph.node import Node
from pumice.graph.recording import Watchable
from pumice.tensor.core import Cell, TensorBase
from pumice.tensor.replaced import replaced


@dataclass(frozen=True, slots=True)
class Guard:
    """A Python value the capture depends on."""

    current: Callable[[], Any]
    expected: Any
    what: str

    def holds(self) -> bool:
        return bool(self.current() == self.expected)


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """An object the capture went through, and what it consisted of when the function returned."""

    owner: Watchable
    expected: list[Any]

    def holds(self) -> bool:
        now = self.owner._watched()
        return len(now) == len(self.expected) and all(map(is_, now, self.expected))


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A tensor the capture read, and what backward does with it; nothing when it is gone."""

    reference: ref[TensorBase]
    expected: tuple[Any, ...]

    def holds(self) -> bool:
        tensor = self.reference()
        return tensor is None or _treatment(tensor) == self.expected


def _treatment(tensor: TensorBase) -> tuple[Any, ...]:
    """Return whether gradients flow to a tensor, and the hooks they pass."""
    hooks = getattr(tensor, "_hooks", None)
    if hooks is None:
        return (tensor._requires,)
    return (tensor._requires, hooks.retain, *hooks.before, *hooks.after)


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
    watched : dict of Watchable
        Modules and optimizers the function called.
    required : dict of int to reference to Tensor
        The tensors the function read, by their identity. Those that it makes itself are gone when
        it has returned.
    draws : list of (generator, constant of its seed, constant of the draw's number)
    running : bool
        Whether options that may be numbers of each run are.
    numbers : list of (constant, function)
        Those options.
    replaced : int
        `replaced.replaced` when the function began.
    """

    evaluates: ClassVar[bool] = False
    initial: dict[Cell, Node] = field(default_factory=dict)
    created: dict[Cell, None] = field(default_factory=dict)
    written: dict[Cell, None] = field(default_factory=dict)
    gradients_read: dict[TensorBase, Any] = field(default_factory=dict)
    gradients_written: dict[TensorBase, None] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    watched: dict[Watchable, None] = field(default_factory=dict)
    required: dict[int, ref[TensorBase]] = field(default_factory=dict)
    draws: list[tuple[Any, Node, Node]] = field(default_factory=list)
    running: bool = False
    numbers: list[tuple[Node, Callable[[], float]]] = field(default_factory=list)
    replaced: int = field(default_factory=lambda: replaced.count)

    def create(self, cell: Cell) -> None:
        self.created[cell] = None

    def made(self, cell: Cell) -> bool:
        return cell in self.created

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
        if known is None or known() is not tensor:
            self.required[id(tensor)] = ref(tensor)

    def watch(self, owner: Watchable) -> None:
        self.watched[owner] = None

    def objects(self) -> list[Watched]:
        """Return the objects that must be as the function left them when a replay begins.

        What the function itself changes in each run, it has changed by then.
        """
        reached: dict[Watchable, None] = {}
        pending = list(self.watched)
        while pending:
            owner = pending.pop()
            if owner not in reached:
                reached[owner] = None
                pending.extend(owner._held())
        return [Watched(owner, owner._watched()) for owner in reached]

    def leaves(self, arguments: Sequence[TensorBase]) -> list[Leaf]:
        """Return the tensors read, but for arguments, whose kinds are compared at each call."""
        given = set(map(id, arguments))
        found = []
        for each in self.required.values():
            tensor = each()
            if tensor is not None and id(tensor) not in given:
                found.append(Leaf(each, _treatment(tensor)))
        return found

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
