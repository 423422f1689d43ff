"""Tensor methods that have backward call functions of the user."""

# Methods of a part of Tensor take the whole Tensor as self.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

from pumice.autograd.hooks import Hooks, RemovableHandle
from pumice.errors import InvalidArgument, describe
from pumice.graph.node import Node
from pumice.tensor.core import TensorBase

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


class HookMethods(TensorBase):
    """Hooks of `Tensor`."""

    __slots__ = ()

    def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Have a function called with the gradient of this tensor whenever it is computed.

        Parameters
        ----------
        hook : callable
            Takes the gradient; returns None, or another gradient to go on with.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Raises
        ------
        InvalidArgument
            When the tensor does not require grad.

        Notes
        -----
        Hooks are called in the order of registration, before `grad` of a leaf is added to. The hook
        of a view sees the gradients of what was derived from it afterwards.

        Examples
        --------
        >>> import pumice
        >>> x = pumice.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda g: g * 10)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
        """
        return self._backward_hooks("register_hook").add(hook)

    def register_post_accumulate_grad_hook(
        self: Tensor, hook: Callable[[Tensor], None]
    ) -> RemovableHandle:
        """Have a function called with this leaf after its ``grad`` was added to.

        Parameters
        ----------
        hook : callable
            Takes the tensor.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Raises
        ------
        InvalidArgument
            When the tensor is no leaf that requires grad.

        Examples
        --------
        >>> import pumice
        >>> x = pumice.ones(2, requires_grad=True)
        >>> _ = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
        >>> x.sum().backward()
        tensor([1., 1.])
        """
        hooks = self._backward_hooks("register_post_accumulate_grad_hook")
        if not self._requires:
            raise InvalidArgument(
                describe(
                    "register_post_accumulate_grad_hook",
                    "post accumulate grad hooks cannot be registered on non-leaf tensors",
                    "a leaf that requires grad",
                )
            )
        return hooks.add_after(hook)

    def retain_grad(self: Tensor) -> None:
        """Have `backward` keep the gradient of this result of an operation in its ``grad``.

        Raises
        ------
        InvalidArgument
            When the tensor does not require grad.

        Examples
        --------
        >>> import pumice
        >>> x = pumice.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> y.retain_grad()
        >>> (y * y).sum().backward()
        >>> y.grad
        tensor([6., 6.])
        """
        hooks = self._backward_hooks("retain_grad")
        if self._requires or hooks.retain is not None:
            return
        reference = ref(self)

        def keep(g: Tensor) -> None:
            tensor = reference()
            if tensor is not None:
                earlier = tensor.grad
                tensor.grad = g if earlier is None else earlier + g

        hooks.retain = keep
        held = [ref(self.node)]

        def move(node: Node) -> None:
            """Follow the tensor to the node it has after a write."""
            before = held[0]()
            if before is node or not node.requires_grad:
                return
            if before is not None:
                before.hooks.retain = None
            found = getattr(node, "hooks", None)
            if found is None:
                found = node.hooks = Hooks(TensorBase.concrete)
            found.retain = keep
            held[0] = ref(node)

        self._keep = move

    @property
    def retains_grad(self: Tensor) -> bool:
        """Whether `retain_grad` was called on this result of an operation."""
        hooks = None if self._requires else getattr(self.node, "hooks", None)
        return hooks is not None and hooks.retain is not None

    def _backward_hooks(self: Tensor, operator: str) -> Hooks:
        """Return where hooks of this tensor are kept."""
        node = self.node
        if not node.requires_grad:
            raise InvalidArgument(
                describe(
                    operator,
                    "cannot register a hook on a tensor that doesn't require gradient",
                    "call requires_grad_() on it, or make it from one that does",
                )
            )
        owner: Any = self if self._requires else node
        name = "_hooks" if self._requires else "hooks"
        found: Hooks | None = getattr(owner, name, None)
        if found is None:
            found = Hooks(TensorBase.concrete)
            setattr(owner, name, found)
            # What is derived from a view would otherwise read past it.
            self._hooked = True
        return found
