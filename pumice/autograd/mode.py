"""Switching the recording of gradients on and off."""

from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from pumice.graph.node import gradient_mode

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class _Mode:
    """A context manager and decorator that holds the gradient mode at one value."""

    def __init__(self, mode: bool) -> None:
        self._mode = mode
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> Self:
        self._tokens.append(gradient_mode.set(self._mode))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gradient_mode.reset(self._tokens.pop())

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        mode = self._mode

        @wraps(function)
        def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            # A new instance for each call: the function may be recursive or run in many threads.
            with _Mode(mode):
                return function(*args, **kwargs)

        return wrapper


class no_grad(_Mode):  # noqa: N801 - PyTorch's name
    """Record no gradients inside; usable as ``with no_grad():`` and as ``@no_grad()``."""

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_Mode):  # noqa: N801 - PyTorch's name
    """Record gradients inside, even within `no_grad`."""

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_Mode):  # noqa: N801 - PyTorch's name
    """Switch recording on or off, at once or for the extent of a ``with`` statement."""

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self._before = gradient_mode.get()
        gradient_mode.set(mode)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gradient_mode.set(self._before)

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        gradient_mode.set(self._before)  # as a decorator it changes nothing outside
        return super().__call__(function)


_inference: ContextVar[bool] = ContextVar("inference", default=False)


class inference_mode(_Mode):  # noqa: N801 - PyTorch's name
    """Record no gradients inside; usable as `no_grad` is, and as ``@inference_mode``.

    In PyTorch this saves bookkeeping that `no_grad` still does. Here there is none: the tensors
    made inside are ordinary ones and may be used for gradients afterwards.

    Parameters
    ----------
    mode : bool
        False switches recording on inside.
    """

    def __new__(cls, mode: Any = True) -> Any:
        """Return a mode, or a function that runs in one."""
        if callable(mode):
            return cls()(mode)
        return super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)
        self._switched: list[Token[bool]] = []

    def __enter__(self) -> Self:
        self._switched.append(_inference.set(not self._mode))
        return super().__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        _inference.reset(self._switched.pop())

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        mode = not self._mode

        @wraps(function)
        def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with inference_mode(mode):
                return function(*args, **kwargs)

        return wrapper


def is_inference_mode_enabled() -> bool:
    """Tell whether `inference_mode` is on.

    Examples
    --------
    >>> pumice.is_inference_mode_enabled()
    False
    """
    return _inference.get()


def is_grad_enabled() -> bool:
    """Tell whether operations record what a gradient needs.

    Examples
    --------
    >>> with pumice.no_grad():
    ...     pumice.is_grad_enabled()
    False
    """
    return gradient_mode.get()
