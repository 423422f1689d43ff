"""Functions of the user that are called around a module's forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pumice.arguments import Guarded
from pumice.autograd import Function, FunctionContext
from pumice.autograd.hooks import RemovableHandle
from pumice.errors import InvalidArgument, describe
from pumice.tensor.tensor import Tensor

if TYPE_CHECKING:
    from pumice.nn.module import Module

Hook = Callable[..., Any]
Gradients = tuple[Tensor | None, ...]


@dataclass(frozen=True, slots=True)
class Registered:
    """A hook of a forward and how it is called."""

    hook: Hook
    with_kwargs: bool = False
    always: bool = False


class ModuleHooks:
    """All hooks of one module, and a call of the module among them."""

    def __init__(self) -> None:
        self.before: dict[int, Registered] = {}
        self.after: dict[int, Registered] = {}
        self.backward_before: dict[int, Registered] = {}
        self.backward: dict[int, Registered] = {}

    def watched(self) -> list[Registered]:
        """Return all hooks, in one order."""
        kinds = (self.before, self.after, self.backward_before, self.backward)
        return [each for hooks in kinds for each in hooks.values()]

    def call(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the module's output as the hooks leave it."""
        called: set[int] = set()
        result = None
        try:
            args, kwargs = self._prepared(module, args, kwargs)
            gates = None
            if self.backward or self.backward_before:
                gates = _Gates(
                    module,
                    [each.hook for each in self.backward_before.values()],
                    [each.hook for each in self.backward.values()],
                )
                args = gates.enter(args)
            result = module.forward(*args, **kwargs)
            for number, each in list(self.after.items()):
                called.add(number)
                changed = _after(each, module, args, kwargs, result)
                result = result if changed is None else changed
            return result if gates is None else gates.leave(result)
        except BaseException:
            for number, each in list(self.after.items()):
                if each.always and number not in called:
                    _after(each, module, args, kwargs, result)
            raise

    def _prepared(
        self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for each in list(self.before.values()):
            if not each.with_kwargs:
                changed = each.hook(module, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
                continue
            changed = each.hook(module, args, kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise InvalidArgument(
                    describe(
                        "register_forward_pre_hook",
                        f"a hook with_kwargs returned a {type(changed).__name__}",
                        "None or a tuple of the new args and kwargs",
                    )
                )
            args, kwargs = changed
        return args, kwargs


def _after(
    each: Registered, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    if each.with_kwargs:
        return each.hook(module, args, kwargs, result)
    return each.hook(module, args, result)


class _Gate(Function):
    """Tensors as they are, whose gradients are handed to someone once all are there."""

    transparent = True

    @staticmethod
    def forward(ctx: FunctionContext, receive: Any, *tensors: Any) -> tuple[Any, ...]:
        ctx.set_materialize_grads(False)
        vars(ctx)["receive"] = receive
        return tensors

    @staticmethod
    def backward(ctx: FunctionContext, *grads: Any) -> tuple[Any, ...]:
        return (None, *vars(ctx)["receive"](grads))


class _Gates:
    """The inputs and outputs of one call, between which backward hooks see the gradients."""

    def __init__(self, module: Module, before: Sequence[Hook], hooks: Sequence[Hook]) -> None:
        self._module = module
        self._before = before
        self._hooks = hooks
        self._places: list[int] = []
        self._inputs = 0
        self._outputs: list[int] = []
        self._count = 0
        self._output: Gradients = ()

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return arguments whose gradients are seen."""
        self._inputs = len(args)
        self._places = _differentiable(args)
        return _through(self._received_input, args, self._places)

    def leave(self, result: Any) -> Any:
        """Return outputs whose gradients are seen."""
        outputs = result if isinstance(result, tuple) else (result,)
        self._count = len(outputs)
        self._outputs = _differentiable(outputs)
        if not any(isinstance(each, Tensor) for each in outputs):
            raise InvalidArgument(
                describe(
                    "register_full_backward_hook",
                    f"{type(self._module).__name__} returned a {type(result).__name__}",
                    "a Tensor or a tuple of Tensors",
                )
            )
        outputs = _through(self._received_output, outputs, self._outputs)
        return outputs if isinstance(result, tuple) else outputs[0]

    def _received_output(self, grads: Gradients) -> Gradients:
        found = _at(grads, self._outputs, self._count)
        for hook in self._before:
            changed = hook(self._module, found)
            if changed is not None:
                found = changed if isinstance(changed, tuple) else (changed,)
                _check_count("register_full_backward_pre_hook", found, self._count)
        self._output = found
        if not self._places:  # no gradient of an input will come
            for hook in self._hooks:
                hook(self._module, (None,) * self._inputs, found)
        return tuple([found[place] for place in self._outputs])

    def _received_input(self, grads: Gradients) -> Gradients:
        found = _at(grads, self._places, self._inputs)
        for hook in self._hooks:
            changed = hook(self._module, found, self._output)
            if changed is not None:
                found = changed if isinstance(changed, tuple) else (changed,)
                _check_count("register_full_backward_hook", found, self._inputs)
        return tuple([found[place] for place in self._places])


def _differentiable(values: tuple[Any, ...]) -> list[int]:
    return [
        place
        for place, each in enumerate(values)
        if isinstance(each, Tensor) and each.requires_grad
    ]


def _through(receive: Any, values: tuple[Any, ...], places: list[int]) -> tuple[Any, ...]:
    if not places:
        return values
    passed = _Gate.apply(receive, *[values[place] for place in places])
    replaced = list(values)
    for place, tensor in zip(places, passed, strict=True):
        replaced[place] = tensor
    return tuple(replaced)


def _at(grads: Gradients, places: list[int], count: int) -> Gradients:
    found: list[Tensor | None] = [None] * count
    for place, grad in zip(places, grads, strict=True):
        found[place] = grad
    return tuple(found)


def _check_count(operator: str, found: Gradients, count: int) -> None:
    if len(found) != count:
        raise InvalidArgument(
            describe(operator, f"a hook returned {len(found)} gradients", f"{count} are needed")
        )


class HookedModule(Guarded):
    """The methods of `Module` that register hooks."""

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Have a function called before each forward.

        Parameters
        ----------
        hook : callable
            ``hook(module, args)``; returns None or new arguments. With ``with_kwargs``
            ``hook(module, args, kwargs)``, which returns None or both.
        prepend : bool
            Call it before the hooks there are.
        with_kwargs : bool
            Show it the keyword arguments.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> import pumice
        >>> layer = pumice.nn.Identity()
        >>> _ = layer.register_forward_pre_hook(lambda module, args: args[0] * 2)
        >>> layer(pumice.tensor([1.0]))
        tensor([2.])
        """
        return _add(_hooks_of(self).before, Registered(hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Have a function called after each forward.

        Parameters
        ----------
        hook : callable
            ``hook(module, args, output)``; returns None or another output. With ``with_kwargs``
            ``hook(module, args, kwargs, output)``.
        prepend : bool
            Call it before the hooks there are.
        with_kwargs : bool
            Show it the keyword arguments.
        always_call : bool
            Call it also when the forward raises, with None for the output.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> import pumice
        >>> layer = pumice.nn.ReLU()
        >>> _ = layer.register_forward_hook(lambda module, args, output: print(output))
        >>> _ = layer(pumice.tensor([-1.0, 1.0]))
        tensor([0., 1.])
        """
        return _add(_hooks_of(self).after, Registered(hook, with_kwargs, always_call), prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have a function called when the gradients of the inputs are there.

        Parameters
        ----------
        hook : callable
            ``hook(module, grad_input, grad_output)``: tuples with one entry per positional argument
            and per output, None where there is no gradient. Returns None or another grad_input.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> import pumice
        >>> layer = pumice.nn.Identity()
        >>> _ = layer.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 2,))
        >>> x = pumice.ones(1, requires_grad=True)
        >>> layer(x).backward()
        >>> x.grad
        tensor([2.])
        """
        return _add(_hooks_of(self).backward, Registered(hook), prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have a function called when the gradients of the outputs are there.

        Parameters
        ----------
        hook : callable
            ``hook(module, grad_output)``; returns None or another grad_output.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> import pumice
        >>> layer = pumice.nn.Identity()
        >>> _ = layer.register_full_backward_pre_hook(lambda module, outputs: (outputs[0] * 3,))
        >>> x = pumice.ones(1, requires_grad=True)
        >>> layer(x).backward()
        >>> x.grad
        tensor([3.])
        """
        return _add(_hooks_of(self).backward_before, Registered(hook), prepend)


def _hooks_of(module: object) -> ModuleHooks:
    kept = vars(module)
    if "_hooks" not in kept:
        kept["_hooks"] = ModuleHooks()
    found: ModuleHooks = kept["_hooks"]
    return found


def _add(hooks: dict[int, Registered], entry: Registered, prepend: bool) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    if prepend:
        later = dict(hooks)
        hooks.clear()
        hooks[handle.id] = entry
        hooks.update(later)
    else:
        hooks[handle.id] = entry
    return handle
