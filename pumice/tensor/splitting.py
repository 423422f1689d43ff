"""Cutting a tensor into parts that are aliases of it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as whole
from typing import TYPE_CHECKING, Any

from pumice.errors import InvalidArgument, describe
from pumice.tensor.axes import axis_of
from pumice.tensor.core import TensorBase
from pumice.tensor.marks import method
from pumice.tensor.slicing import _need_axes, _part, select

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@method
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return every element of an axis, the axis dropped.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        Aliases of the input.

    Examples
    --------
    >>> import pumice
    >>> [part.tolist() for part in pumice.unbind(pumice.arange(4).reshape(2, 2))]
    [[0, 1], [2, 3]]
    """
    _need_axes("unbind", input)
    axis = axis_of("unbind", dim, len(input.shape))
    return tuple(select(input, axis, place) for place in range(input.shape[axis]))


@method
def split(
    input: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Cut an axis into parts of given lengths.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    split_size_or_sections : int or sequence of int
        Length of each part (the last may be shorter), or all lengths.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        Aliases of the input.

    Raises
    ------
    InvalidArgument
        When lengths are negative or do not add up.

    Examples
    --------
    >>> import pumice
    >>> [part.tolist() for part in pumice.split(pumice.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    _need_axes("split", input)
    axis = axis_of("split", dim, len(input.shape))
    extent = input.shape[axis]
    if isinstance(split_size_or_sections, (tuple, list)):
        lengths = list(split_size_or_sections)
        if any(length < 0 for length in lengths) or sum(lengths) != extent:
            raise InvalidArgument(
                describe(
                    "split",
                    f"lengths {lengths} do not add up to {extent}",
                    "they must be non-negative and sum to the extent of the axis",
                )
            )
    else:
        size = whole(split_size_or_sections)  # type: ignore[arg-type]
        if size < 0 or (size == 0 and extent):
            raise InvalidArgument(
                describe("split", f"got split size {size}", "it must be positive")
            )
        count = max(1, -(-extent // size)) if size else 1
        lengths = [min(size, extent - part * size) for part in range(count)]
    parts = []
    start = 0
    for length in lengths:
        parts.append(_part(input, axis, start, length))
        start += length
    return tuple(parts)


@method
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Cut an axis into parts of all given lengths; see `split`.

    Examples
    --------
    >>> pumice.split_with_sizes(pumice.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    return split(input, list(split_sizes), dim)


@method
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Cut an axis into at most ``chunks`` equal parts; the last may be shorter.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    chunks, dim : int
        Number of parts and the axis.

    Returns
    -------
    tuple of Tensor
        Aliases of the input.

    Raises
    ------
    InvalidArgument
        When ``chunks`` is not positive.

    Examples
    --------
    >>> import pumice
    >>> [part.tolist() for part in pumice.chunk(pumice.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    _need_axes("chunk", input)
    if chunks <= 0:
        raise InvalidArgument(describe("chunk", f"got {chunks} chunks", "a positive number"))
    axis = axis_of("chunk", dim, len(input.shape))
    extent = input.shape[axis]
    if extent == 0:
        return split(input, [0] * chunks, axis)
    return split(input, -(-extent // chunks), axis)


@method
def tensor_split(
    input: Tensor, indices_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Cut an axis into a number of nearly equal parts, or at given places.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    indices_or_sections : int or sequence of int
        Number of parts, or the places where parts begin.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        Aliases of the input.

    Raises
    ------
    InvalidArgument
        When the number of parts is not positive.

    Examples
    --------
    >>> import pumice
    >>> [part.tolist() for part in pumice.tensor_split(pumice.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    """
    _need_axes("tensor_split", input)
    axis = axis_of("tensor_split", dim, len(input.shape))
    extent = input.shape[axis]
    if isinstance(indices_or_sections, TensorBase):
        places: Any = indices_or_sections
        indices_or_sections = places.tolist()
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise InvalidArgument(describe("tensor_split", f"got {count} sections", "at least 1"))
        small, larger = divmod(extent, count)
        lengths = [small + 1] * larger + [small] * (count - larger)
        return split(input, lengths, axis)
    if isinstance(indices_or_sections, bytes):
        raise TypeError("bytes are numbers too, but no places")
    parts = []
    begin = 0
    for place in (*indices_or_sections, None):
        start, end, _ = slice(begin, place).indices(extent)
        parts.append(_part(input, axis, start, max(end - start, 0)))
        begin = 0 if place is None else int(place)
    return tuple(parts)


@method
def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Cut the second axis (the first of a 1-D tensor); see `tensor_split`.

    Examples
    --------
    >>> pumice.hsplit(pumice.tensor([1, 2, 3, 4]), 2)
    (tensor([1, 2]), tensor([3, 4]))
    """
    _need_axes("hsplit", input)
    return tensor_split(input, indices_or_sections, 1 if len(input.shape) > 1 else 0)


@method
def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Cut the first axis of a tensor with at least two; see `tensor_split`.

    Examples
    --------
    >>> pumice.vsplit(pumice.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1, 2]]), tensor([[3, 4]]))
    """
    _need_axes("vsplit", input, 2)
    return tensor_split(input, indices_or_sections, 0)


@method
def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Cut the third axis; see `tensor_split`.

    Examples
    --------
    >>> [part.shape for part in pumice.dsplit(pumice.ones(2, 2, 4), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    _need_axes("dsplit", input, 3)
    return tensor_split(input, indices_or_sections, 2)
