"""The extent of a transformed function: what it writes to that was there before.

Inside `grad`, `jvp` and `vmap` a function works on stand-ins. Whatever it writes into a tensor from
outside stays there after the transform has returned, so a value made from stand-ins must not.
"""

from collections.abc import Callable, Sequence
from contextvars import Token
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from pumice.autograd.batching import DRAW_STRIDE, Batching
from pumice.autograd.levels import Level
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, describe
from pumice.graph import recording
from pumice.graph.node import Node, gradient_mode
from pumice.ops import structure
from pumice.tensor.core import Cell


class Scope:
    """A recorder that passes on what it hears and remembers which outer tensors are written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._outer: recording.Recorder | None = None
        self._token: Token[recording.Recorder | None] | None = None
        self._created: WeakSet[Cell] = WeakSet()
        self._written: dict[Cell, Node] = {}
        self._gradients: dict[Any, Any] = {}

    def __enter__(self) -> Self:
        self._outer = recording.active.get()
        self._token = recording.active.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._token is not None
        recording.active.reset(self._token)
        if error is not None:
            return
        for cell, before in self._written.items():
            if self.stands_in(cell.node):
                line, cell.node = _at(cell.node), before
                raise self._refusal(f"writes to a tensor from outside{line}")
        for tensor, before in self._gradients.items():
            if tensor._grad is not None and self.stands_in(tensor._grad.node):
                tensor._grad = before
                raise self._refusal("adds to the grad of a tensor from outside")

    def _refusal(self, what: str) -> InvalidArgument:
        return InvalidArgument(
            describe(
                self.name,
                f"the function {what} what it computed from its arguments",
                "return the value, or pass the tensor as an argument",
            )
        )

    def stands_in(self, node: Node) -> bool:
        """Tell whether a node is made from stand-ins."""
        raise NotImplementedError

    # -- what a recorder is told ------------------------------------------------------------------

    @property
    def evaluates(self) -> bool:
        return self._outer is None or self._outer.evaluates

    def create(self, cell: Cell) -> None:
        self._created.add(cell)
        if self._outer is not None:
            self._outer.create(cell)

    def made(self, cell: Cell) -> bool:
        return cell in self._created or (self._outer is not None and self._outer.made(cell))

    def read(self, cell: Cell) -> None:
        if self._outer is not None:
            self._outer.read(cell)

    def write(self, cell: Cell) -> None:
        if cell not in self._created:
            self._written.setdefault(cell, cell.node)
        if self._outer is not None:
            self._outer.write(cell)

    def require(self, tensor: Any) -> None:
        if self._outer is not None:
            self._outer.require(tensor)

    def watch(self, owner: recording.Watchable) -> None:
        if self._outer is not None:
            self._outer.watch(owner)

    def read_gradient(self, tensor: Any) -> None:
        if self._outer is not None:
            self._outer.read_gradient(tensor)

    def write_gradient(self, tensor: Any) -> None:
        if tensor._cell not in self._created:
            self._gradients.setdefault(tensor, tensor._grad)
        if self._outer is not None:
            self._outer.write_gradient(tensor)

    def evaluate(self, nodes: Sequence[Node]) -> None:
        if self._outer is not None:
            self._outer.evaluate(nodes)

    def depend(self, current: Callable[[], Any], what: str) -> None:
        if self._outer is not None:
            self._outer.depend(current, what)

    def draw(self, generator: Any, seed: Node, number: Node) -> None:
        if self._outer is not None:
            self._outer.draw(generator, seed, number)

    def number(self, current: Callable[[], float], dtype: DType) -> Node | None:
        return None if self._outer is None else self._outer.number(current, dtype)

    def widen(self, number: Node, positions: int) -> None:
        """Hear that a draw takes more positions than it did."""
        if isinstance(self._outer, Scope):
            self._outer.widen(number, positions)


class GradientScope(Scope):
    """The extent of a function that is differentiated."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.level = Level()
        self.markers: list[Node] = []
        self._mode: Token[bool] | None = None

    def __enter__(self) -> Self:
        self._mode = gradient_mode.set(True)
        return super().__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._mode is not None
        gradient_mode.reset(self._mode)
        try:
            super().__exit__(kind, error, trace)
        finally:
            self.level.closed = True

    def stands_in(self, node: Node) -> bool:
        markers = set(self.markers)
        seen: set[Node] = set()
        stack = [node]
        while stack:
            each = stack.pop()
            if each in markers:
                return True
            if each not in seen and each.requires_grad and each.op is not structure.LEAF:
                seen.add(each)
                stack.extend(each.sources)
        return False


class BatchScope(Scope):
    """The extent of a function that is mapped over a batch."""

    def __init__(self, name: str, batch: Batching, randomness: str) -> None:
        super().__init__(name)
        self.batch = batch
        self._randomness = randomness

    @property
    def evaluates(self) -> bool:
        return False

    def stands_in(self, node: Node) -> bool:
        return self.batch.batched(node) is not None

    def evaluate(self, nodes: Sequence[Node]) -> None:
        found = self.batch.first_dependent(nodes)
        if found is not None:
            raise InvalidArgument(
                describe(
                    self.name,
                    f"the function looks at a value that differs between examples{_at(found)}",
                    "keep values in tensors (where() instead of if)",
                )
            )
        super().evaluate(nodes)

    def draw(self, generator: Any, seed: Node, number: Node) -> None:
        if self._randomness == "error":
            raise InvalidArgument(
                describe(
                    self.name,
                    "the function draws random numbers and randomness is 'error'",
                    "randomness='different' draws for each example, 'same' once for all",
                )
            )
        super().draw(generator, seed, number)
        positions = DRAW_STRIDE
        if self._randomness == "different":
            self.batch.draws[number] = positions
            positions *= self.batch.size
        self._pass_on(number, positions)

    def widen(self, number: Node, positions: int) -> None:
        if self._randomness == "different":
            self.batch.draws[number] = positions
            positions *= self.batch.size
        self._pass_on(number, positions)

    def _pass_on(self, number: Node, positions: int) -> None:
        if isinstance(self._outer, Scope):
            self._outer.widen(number, positions)


def _at(node: Node) -> str:
    return f" ({node.line[0]}:{node.line[1]})" if node.line else ""
