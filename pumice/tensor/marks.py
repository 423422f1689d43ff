"""Marks that tell ``tools/gen_api.py`` where a function is offered to users."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def public(function: Function) -> Function:
    """Offer a function as ``pumice.name``."""
    function.__dict__["public"] = True
    return function


def method(function: Function) -> Function:
    """Offer a function as ``pumice.name`` and as a method of its first parameter."""
    function.__dict__["public"] = True
    function.__dict__["tensor_method"] = True
    return function


def inplace_method(function: Function) -> Function:
    """Offer a function as `method` does, and as the in-place method ``name_``."""
    function.__dict__["inplace_method"] = True
    return method(function)


def functional(function: Function) -> Function:
    """Offer a function as ``pumice.nn.functional.name`` only."""
    function.__dict__["functional"] = True
    return function


def linear_algebra(function: Function) -> Function:
    """Offer a function as ``pumice.linalg.name``."""
    function.__dict__["linear_algebra"] = True
    return function
