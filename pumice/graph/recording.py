"""The hook through which `jit` watches what a function reads, writes and depends on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from pumice.dtypes import DType
from pumice.graph.node import Node


class Watchable(Protocol):
    """An object of Python whose make-up decides what a function does: a module, an optimizer."""

    def _watched(self) -> list[Any]:
        """Return what it consists of now; another object in a place is a change."""
        ...

    def _held(self) -> Iterable["Watchable"]:
        """Return the others it holds."""
        ...


class Recorder(Protocol):
    """What a capture is told while the captured function runs.

    Attributes
    ----------
    evaluates : bool
        Whether values may be computed while it watches.
    """

    @property
    def evaluates(self) -> bool: ...

    def create(self, cell: Any) -> None:
        """A cell was made."""
        ...

    def made(self, cell: Any) -> bool:
        """Tell whether a cell was made while it watched."""
        ...

    def read(self, cell: Any) -> None:
        """The node of a cell is about to be read."""
        ...

    def require(self, tensor: Any) -> None:
        """Whether gradients flow to a tensor is about to be asked."""
        ...

    def write(self, cell: Any) -> None:
        """The node of a cell is about to be replaced."""
        ...

    def read_gradient(self, tensor: Any) -> None:
        """The ``grad`` of a tensor is about to be read."""
        ...

    def write_gradient(self, tensor: Any) -> None:
        """The ``grad`` of a tensor is about to be replaced."""
        ...

    def evaluate(self, nodes: Sequence[Node]) -> None:
        """Values are wanted; raises, because Python code could depend on them."""
        ...

    def watch(self, owner: Watchable) -> None:
        """What the function does follows from the make-up of an object."""
        ...

    def depend(self, current: Callable[[], Any], what: str) -> None:
        """The function depends on a Python value that ``current`` returns."""
        ...

    def draw(self, generator: Any, seed: Node, number: Node) -> None:
        """A generator made a draw; the constants hold its seed and the draw's number."""
        ...

    def number(self, current: Callable[[], float], dtype: DType) -> Node | None:
        """Return a constant that holds what ``current`` returns whenever what is recorded runs.

        None where it may stay the number it is; then the function depends on it.
        """
        ...


active: ContextVar[Recorder | None] = ContextVar("active_recorder", default=None)


def evaluates() -> bool:
    """Tell whether values may be computed now."""
    recorder = active.get()
    return recorder is None or recorder.evaluates


together: ContextVar[bool] = ContextVar("together", default=False)
"""Set inside `wanted_together`."""


@contextmanager
def wanted_together() -> Iterator[None]:
    """Make tensors that share most of their graph: none is evaluated before the last is there."""
    token = together.set(True)
    try:
        yield
    finally:
        together.reset(token)


def watch(owner: Watchable) -> None:
    """Tell the capture in progress, if any, about an object whose make-up decides the result."""
    recorder = active.get()
    if recorder is not None:
        recorder.watch(owner)


def depend(current: Callable[[], Any], what: str) -> None:
    """Tell the capture in progress, if any, about a Python value the result depends on."""
    recorder = active.get()
    if recorder is not None:
        recorder.depend(current, what)
