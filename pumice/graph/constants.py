"""What numbers and element types nodes are made of."""

from typing import Any

from pumice.arguments import refusal
from pumice.dtypes import DType, Scalar
from pumice.errors import InvalidArgument, called, describe

NUMBERS = frozenset((bool, int, float))
"""The types of numbers that need no conversion."""

LOWEST, HIGHEST = -(1 << 63), (1 << 64) - 1
"""Integers beyond have no place in an integer tensor."""


def checked_number(value: Any, dtype: DType) -> Scalar:
    """Return the number a constant of a dtype is made of: NumPy's, and 0-d arrays, as Python's."""
    check_dtype(dtype)
    item = getattr(value, "item", None)
    number = item() if item is not None and getattr(value, "shape", None) == () else value
    if not isinstance(number, (bool, int, float)):
        raise refusal("a number", value, "allowed are Python's and NumPy's numbers")
    if not LOWEST <= number <= HIGHEST and type(number) is int and dtype.is_integral:
        raise InvalidArgument(
            describe(
                called() or "constant",
                f"the number {number} does not fit {dtype.name}",
                "allowed are numbers of 64 bits",
            )
        )
    return number


def check_dtype(dtype: DType) -> None:
    """Refuse what is no element type."""
    if type(dtype) is not DType:
        raise refusal("a dtype", dtype, "allowed are types such as pumice.float32")
