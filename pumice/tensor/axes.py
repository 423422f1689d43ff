"""Checks of axis and shape arguments."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

from pumice.errors import (
    DTypeError,
    IndexOutOfRange,
    InvalidArgument,
    PumiceError,
    ShapeError,
    describe,
)
from pumice.ops.view import Shape

Dims = int | Sequence[int] | None


def axis_of(operator: str, dim: int, rank: int) -> int:
    """Return a dimension counted from the front; 0-d tensors have one, as in PyTorch."""
    extent = max(rank, 1)
    try:
        dim = index(dim)
    except TypeError as error:
        raise DTypeError(
            describe(operator, f"dim must be an int, not {type(dim).__name__}")
        ) from error
    if not -extent <= dim < extent:
        raise IndexOutOfRange(
            describe(
                operator,
                f"dimension {dim} is out of range for a tensor of {rank} dimensions",
                f"allowed are {-extent} to {extent - 1}",
            )
        )
    return dim + extent if dim < 0 else dim


def axes_of(operator: str, dims: Dims, rank: int) -> Shape:
    """Return dimensions counted from the front; None and () mean all of them."""
    if dims is None:
        return tuple(range(rank))
    if not isinstance(dims, (tuple, list)):
        axis = axis_of(operator, dims, rank)  # type: ignore[arg-type]
        return (axis,) if rank else ()
    axes = tuple(axis_of(operator, dim, rank) for dim in dims)
    if len(set(axes)) != len(axes):
        raise InvalidArgument(
            describe(operator, f"a dimension appears twice in {list(dims)}", "name each once")
        )
    if not rank:
        return ()
    return axes or tuple(range(rank))


def shape_argument(operator: str, arguments: Sequence[Any]) -> Shape:
    """Return a shape given as one sequence or as separate numbers."""
    if len(arguments) == 1 and not hasattr(arguments[0], "__index__"):
        arguments = arguments[0]
    try:
        if isinstance(arguments, bytes):
            raise TypeError("bytes are numbers too, but no shape")
        return tuple(index(extent) for extent in arguments)
    except PumiceError:
        raise
    except TypeError as error:
        raise DTypeError(
            describe(operator, f"a shape is made of ints, got {arguments!r}")
        ) from error


def check_extents(operator: str, shape: Shape) -> Shape:
    """Refuse negative extents."""
    if any(extent < 0 for extent in shape):
        raise ShapeError(
            describe(operator, f"got shape {list(shape)}", "extents must not be negative")
        )
    return shape


def inferred_shape(operator: str, shape: Shape, numel: int) -> Shape:
    """Replace one -1 by what is left, and check the number of elements."""
    unknown = [axis for axis, extent in enumerate(shape) if extent == -1]
    known = prod(extent for extent in shape if extent != -1)
    bad = any(extent < -1 for extent in shape) or len(unknown) > 1
    if not bad and unknown:
        bad = known == 0 or numel % known != 0
        if not bad:
            axis = unknown[0]
            shape = (*shape[:axis], numel // known, *shape[axis + 1 :])
    if bad or prod(shape) != numel:
        raise ShapeError(
            describe(
                operator,
                f"shape {list(shape)} is invalid for {numel} elements",
                "the product must equal the number of elements, with at most one -1",
            )
        )
    return shape


def pair(operator: str, value: int | Sequence[int], count: int, name: str) -> Shape:
    """Return one number per spatial axis."""
    if not isinstance(value, (tuple, list)):
        return (index(value),) * count  # type: ignore[arg-type]
    values = tuple(index(part) for part in value)
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise ShapeError(
            describe(
                operator,
                f"{name} has {len(values)} numbers: {list(values)}",
                f"allowed are one or {count}",
            )
        )
    return values
