"""Marks that tell ``tools/gen_api.py`` where a function is offered to users."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def _offered(function: Function, *names: str) -> Function:
    """Mark a function; errors look for ``offered`` to name what the user called."""
    function.__dict__.update(dict.fromkeys((*names, "offered"), True))
    return function


def public(function: Function) -> Function:
    """Offer a function as ``pumice.name``."""
    return _offered(function, "public")


def method(function: Function) -> Function:
    """Offer a function as ``pumice.name`` and as a method of its first parameter."""
    return _offered(function, "public", "tensor_method")


def inplace_method(function: Function) -> Function:
    """Offer a function as `method` does, and as the in-place method ``name_``."""
    return _offered(method(function), "inplace_method")


def functional(function: Function) -> Function:
    """Offer a function as ``pumice.nn.functional.name`` only."""
    return _offered(function, "functional")


def linear_algebra(function: Function) -> Function:
    """Offer a function as ``pumice.linalg.name``."""
    return _offered(function, "linear_algebra")
