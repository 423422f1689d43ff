"""What this package asks of a tensor: it works on any handle over a `Node`."""

from typing import Any, Protocol, TypeGuard, runtime_checkable

from pumice.graph.node import Node


@runtime_checkable
class Handle(Protocol):
    """A tensor as this package sees it; `tensor.Tensor` is the one implementation."""

    grad: Any

    @property
    def node(self) -> Node:
        """The node that holds the present value."""
        ...

    @classmethod
    def from_node(cls, node: Node) -> Any:
        """Return a new tensor over a node."""
        ...

    def add_(self, other: Any) -> Any:
        """Add in place."""
        ...

    def numpy(self, *, force: bool = False) -> Any:
        """Evaluate and return the elements."""
        ...


def is_tensor(value: object) -> TypeGuard[Handle]:
    """Tell whether a value is a handle over a node."""
    return isinstance(getattr(value, "node", None), Node)
