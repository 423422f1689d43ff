"""`jit`: run a Python function once or twice, then replay what it did as one compiled plan."""

from __future__ import annotations

import functools
import sys
from collections import OrderedDict
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

from pumice.config import config
from pumice.dtypes import defaults
from pumice.graph import recording
from pumice.graph.node import gradient_mode
from pumice.locks import ForkSafeLock
from pumice.target import default_device
from pumice.tensor.core import TensorBase
from pumice.tensor.structure import flatten

if TYPE_CHECKING:
    from pumice.tensor.quick import Quick
    from pumice.tensor.replay import Program

MAXIMUM_PROGRAMS = 64


def _kinds(tensors: list[TensorBase]) -> tuple[Any, ...]:
    """Return what a capture takes for granted of its tensors: type, layout, gradient, aliasing."""
    kinds: list[Any] = []
    places: dict[int, int] = {}
    for tensor in tensors:
        cell = tensor._cell
        node = cell.node
        alias = places.setdefault(id(cell), len(places))
        strand = tensor._detached
        own = None if strand is None else strand.node is not None
        gradient = (tensor._requires, own, tensor._through is None, node.requires_grad)
        kinds.append((node.shape, node.dtype, node.device, tensor._view, gradient, alias))
    return tuple(kinds)


class JitFunction:
    """A function that is captured and replayed; made by `jit`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._programs: OrderedDict[Any, Program] = OrderedDict()
        self._lock = ForkSafeLock()
        self._quick: Quick | None = None
        self._straight: Callable[[tuple[Any, ...]], Any] | None = None
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as a function does, so that methods can be captured."""
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> Any:
        """Pickle and copy without captures: a loaded function captures anew."""
        if self._is_global():
            return self._function.__qualname__
        return type(self), (self._function,)

    def _is_global(self) -> bool:
        """Tell whether a module or class holds it in place of the function (a decorator)."""
        name = getattr(self._function, "__qualname__", None)
        found: Any = sys.modules.get(getattr(self._function, "__module__", None) or "")
        for part in name.split(".") if name else ():
            found = getattr(found, part, None)
        return found is self

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        straight = self._straight
        if straight is not None and not keywords:
            result = straight(arguments)
            if result is not NotImplemented:
                return result
        quick = self._quick
        if quick is not None:
            result = quick.call(arguments, keywords)
            if result is not NotImplemented:
                return result
        return self._call(arguments, keywords)

    def _call(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if recording.active.get() is not None or config().interpret:
            return self._function(*arguments, **keywords)
        tensors: list[TensorBase] = []
        structure_ = flatten((arguments, keywords), tensors)
        key = (structure_, _kinds(tensors), gradient_mode.get(), defaults.float, default_device())
        with self._lock:
            program = self._programs.get(key)
            if program is None:
                # The compiler is imported when a captured function is first called.
                from pumice.tensor.replay import Program

                program = self._programs[key] = Program(self._function)
                while len(self._programs) > MAXIMUM_PROGRAMS:
                    self._programs.popitem(last=False)
            else:
                self._programs.move_to_end(key)
            result = program.call(structure_, tensors)
            if program.ready is not None:
                self._quick = program.quick
                self._straight = None if program.quick is None else program.quick.straight
            return result


def jit(function: Callable[..., Any]) -> JitFunction:
    """Capture what a function does, and replay it without running its Python code.

    The first calls run the function and compare what it did. When two calls in a row did the same,
    later calls with arguments of the same shapes replay it as one native call: tensors it reads
    and writes (parameters, optimizer state, gradients) are bound anew each time, and random
    numbers go on. Results are never overwritten by later calls.

    Looked at before every replay, and captured anew when they have changed: the modules the
    function called (attributes, parameters, submodules, training mode, hooks), the leaves it read
    (frozen or not, hooks; if it calls `backward`), and the optimizers it stepped (parameters,
    state, options). Learning rates, the momentum of `SGD` and the first of ``betas`` may change
    from call to call: each replay asks for them.

    Not followed are other Python values: variables, globals, closures, attributes of objects that
    are no modules. They are captured as they are; a number that changes between the first calls is
    noticed and refused, one that changes only later is not. Keep what changes in tensors. Python
    code, a hook for example, does not run in a replay; what it recorded is replayed.

    Parameters
    ----------
    function : callable
        Takes and returns tensors, in any nesting of lists, tuples and dicts; other arguments must
        be hashable and are part of what is captured. It may write to tensors, call `backward`
        and step an optimizer.

    Returns
    -------
    JitFunction
        Called like ``function``.

    Raises
    ------
    InvalidArgument
        At the call, when the function looks at a value (``item()``, ``if tensor``), does something
        else in every call, or returns a tensor that still needs its graph.

    Examples
    --------
    >>> import pumice
    >>> double = pumice.jit(lambda x: x * 2)
    >>> for _ in range(3):
    ...     result = double(pumice.tensor([1.0, 2.0]))
    >>> result
    tensor([2., 4.])
    """
    return JitFunction(function)
