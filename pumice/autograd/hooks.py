"""Functions of the user that backward calls with the gradient of a tensor.

Hooks on the result of an operation are kept by its node: whoever read the tensor, before or after
the hook was registered, passes its gradient through there. Hooks on a leaf are kept by the tensor,
because a leaf gets a new node when it is written to.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Any, Self

from pumice.autograd.protocol import Handle, is_tensor
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode

Hook = Callable[..., Any]
_numbers = count()


class RemovableHandle:
    """What registering a hook returns: takes the hook away again.

    Also a context manager that does so at its end.

    Attributes
    ----------
    id : int
        A number of its own.
    """

    def __init__(self, *hooks: dict[int, Any]) -> None:
        self.id = next(_numbers)
        self._hooks = hooks

    def remove(self) -> None:
        """Take the hook away; again has no effect."""
        for hooks in self._hooks:
            hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


class Hooks:
    """The hooks of one tensor.

    Attributes
    ----------
    before : dict
        What may change the gradient, in the order of registration.
    after : dict
        What is called with the tensor once a gradient has been added to its ``grad``.
    retain : callable or None
        Called with the gradient after all others.
    """

    def __init__(self, handle: type[Any]) -> None:
        self._handle = handle
        self.before: dict[int, Hook] = {}
        self.after: dict[int, Hook] = {}
        self.retain: Hook | None = None

    def add(self, hook: Hook) -> RemovableHandle:
        """Register a hook that may change the gradient."""
        handle = RemovableHandle(self.before)
        self.before[handle.id] = hook
        return handle

    def add_after(self, hook: Hook) -> RemovableHandle:
        """Register a hook that is called with the tensor."""
        handle = RemovableHandle(self.after)
        self.after[handle.id] = hook
        return handle

    def __call__(self, g: Node) -> Node:
        """Return the gradient as the hooks leave it."""
        for hook in list(self.before.values()):
            result = hook(self._handle.from_node(g))
            if result is not None:
                g = _checked(result, g)
        if self.retain is not None:
            self.retain(self._handle.from_node(g))
        return g


def _checked(result: Any, g: Node) -> Node:
    if not is_tensor(result):
        raise DTypeError(
            describe("register_hook", f"a hook returned {result!r}", "a Tensor or None")
        )
    if result.node.shape != g.shape:
        raise ShapeError(
            describe(
                "register_hook",
                f"a hook returned a gradient of shape {list(result.node.shape)}",
                f"it must keep the shape {list(g.shape)}",
            )
        )
    return build.cast(result.node, g.dtype)


def hooked(node: Node, g: Node) -> Node:
    """Return the gradient of a node as its hooks leave it."""
    hooks = getattr(node, "hooks", None)
    return g if hooks is None else hooks(g)


def leaf_hooked(tensor: Handle, g: Node | None, create_graph: bool) -> Node | None:
    """Return the gradient of a leaf as its hooks leave it."""
    hooks = getattr(tensor, "_hooks", None)
    if hooks is None or g is None:
        return g
    token = gradient_mode.set(create_graph)
    try:
        found: Node = hooks(g)
        return found
    finally:
        gradient_mode.reset(token)


def after_accumulation(tensor: Handle) -> None:
    """Call what waits for the ``grad`` of a leaf."""
    hooks = getattr(tensor, "_hooks", None)
    if hooks is not None:
        for hook in list(hooks.after.values()):
            hook(tensor)
