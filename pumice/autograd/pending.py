"""Values that will be wanted sooner or later, to be computed along with the next evaluation.

A loss is looked at after its gradients have been used, and running statistics only at the end of
training. Computed on their own they would cost the forward pass again, and while they wait they
keep the whole graph below them alive. Whoever evaluates a training step takes them along.
"""

from collections.abc import Iterable
from contextvars import ContextVar
from weakref import ReferenceType, ref

from pumice.graph.node import Node

LIMIT = 4096

_expected: ContextVar[tuple[ReferenceType[Node], ...]] = ContextVar("expected", default=())
"""At most `LIMIT` nodes of this context; those that die are of no interest any more."""


def expect(nodes: Iterable[Node]) -> None:
    """Say that the values of nodes will be wanted."""
    _expected.set((*_expected.get(), *map(ref, nodes))[-LIMIT:])


def take_expected() -> list[Node]:
    """Return the nodes announced since the last call that live and have no value yet."""
    references = _expected.get()
    _expected.set(())
    nodes = [reference() for reference in references]
    return [node for node in nodes if node is not None and node.value is None]
