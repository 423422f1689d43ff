"""Marks that tell ``tools/gen_api.py`` which functions are Tensor methods too."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def method(function: Function) -> Function:
    """Mark a function whose first parameter becomes ``self`` of a method."""
    function.__dict__["tensor_method"] = True
    return function


def inplace_method(function: Function) -> Function:
    """Mark a function that also has an in-place method, ``name_``."""
    function.__dict__["tensor_method"] = True
    function.__dict__["inplace_method"] = True
    return function
