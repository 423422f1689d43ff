"""Taking parts of a tensor: every function here returns aliases, except the flips."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from pumice.errors import DTypeError, IndexOutOfRange, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.ops.view import View
from pumice.tensor.axes import Dims, axes_of, axis_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import method, public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _part(input: Tensor, axis: int, start: int, length: int, step: int = 1) -> Tensor:
    return input._derive(lambda view: view.slice_axis(axis, start, length, step))


def _need_axes(operator: str, input: Tensor, rank: int = 1) -> None:
    if len(input.shape) < rank:
        raise ShapeError(
            describe(
                operator,
                f"got a tensor of {len(input.shape)} dimensions",
                f"at least {rank} {'is' if rank == 1 else 'are'} needed",
            )
        )


@method
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Take ``length`` elements of one axis.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    dim, start, length : int
        The axis, its first element (negative counts from the end) and how many.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    IndexOutOfRange
        When the part leaves the axis.

    Examples
    --------
    >>> import pumice
    >>> pumice.narrow(pumice.arange(5), 0, 1, 3).tolist()
    [1, 2, 3]
    """
    _need_axes("narrow", input)
    axis = axis_of("narrow", dim, len(input.shape))
    extent = input.shape[axis]
    kind: Any = getattr(start, "dtype", None)
    if kind is not None and not kind.is_integral:
        raise DTypeError(describe("narrow", f"start is {kind.name}", "it must be an integer"))
    first = int(start) + extent if int(start) < 0 else int(start)
    if length < 0 or first < 0 or first + length > extent:
        raise IndexOutOfRange(
            describe(
                "narrow",
                f"start {start} and length {length} leave the axis",
                f"axis {axis} has {extent} elements",
            )
        )
    return _part(input, axis, first, length)


@method
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Take one element of an axis and drop the axis.

    Parameters
    ----------
    input : Tensor
        At least one axis.
    dim, index : int
        The axis and the element; a negative one counts from the end.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    IndexOutOfRange
        When the element does not exist.

    Examples
    --------
    >>> import pumice
    >>> pumice.select(pumice.arange(6).reshape(2, 3), 1, -1).tolist()
    [2, 5]
    """
    _need_axes("select", input)
    axis = axis_of("select", dim, len(input.shape))
    extent = input.shape[axis]
    if not -extent <= index < extent:
        raise IndexOutOfRange(
            describe("select", f"index {index} is out of range", f"axis {axis} has {extent}")
        )
    place = int(index) % extent
    return input._derive(lambda view: view.slice_axis(axis, place, 1, 1).remove_axis(axis))


@method
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Take the diagonal of two axes as a new last axis.

    Parameters
    ----------
    input : Tensor
        At least two axes.
    offset : int
        Positive lies above the main diagonal.
    dim1, dim2 : int
        The axes.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    InvalidArgument
        When both axes are the same.

    Examples
    --------
    >>> import pumice
    >>> pumice.diagonal(pumice.arange(4).reshape(2, 2)).tolist()
    [0, 3]
    """
    _need_axes("diagonal", input, 2)
    rank = len(input.shape)
    first, second = axis_of("diagonal", dim1, rank), axis_of("diagonal", dim2, rank)
    if first == second:
        raise InvalidArgument(describe("diagonal", "dim1 and dim2 are the same axis"))
    down, right = max(-offset, 0), max(offset, 0)
    length = max(0, min(input.shape[first] - down, input.shape[second] - right))
    rest = [axis for axis in range(rank) if axis not in (first, second)]

    def move(view: View) -> View:
        start = down * view.strides[first] + right * view.strides[second] if length else 0
        return View(
            (*(view.shape[axis] for axis in rest), length),
            (*(view.strides[axis] for axis in rest), view.strides[first] + view.strides[second]),
            view.offset + start,
        )

    return input._derive(move)


def unfold_windows(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return overlapping windows of an axis as a new last axis (the method ``unfold``).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dimension, size, step : int
        The axis, the length of a window and the distance of their starts.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    InvalidArgument
        When a window is longer than the axis, or the step is not positive.

    Examples
    --------
    >>> import pumice
    >>> pumice.arange(4).unfold(0, 2, 1).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    axis = axis_of("unfold", dimension, len(input.shape))
    extent = input.shape[axis] if input.shape else 1
    if size < 0 or size > extent or step <= 0:
        raise InvalidArgument(
            describe(
                "unfold",
                f"size {size} and step {step} on an axis of {extent}",
                "size must be 0 to the extent and step positive",
            )
        )
    count = (extent - size) // step + 1

    def move(view: View) -> View:
        if not view.shape:
            return View((size,), (1,), view.offset)
        stride = view.strides[axis]
        shape = (*view.shape[:axis], count, *view.shape[axis + 1 :], size)
        strides = (*view.strides[:axis], stride * step, *view.strides[axis + 1 :], stride)
        return View(shape, strides, view.offset)

    return input._derive(move)


@public
def flip(input: Tensor, dims: Dims) -> Tensor:
    """Reverse axes.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dims : int or sequence of int
        The axes.

    Returns
    -------
    Tensor
        A new tensor.

    Raises
    ------
    InvalidArgument
        When an axis is named twice.

    Examples
    --------
    >>> import pumice
    >>> pumice.flip(pumice.arange(3), (0,)).tolist()
    [2, 1, 0]
    """
    if isinstance(dims, (tuple, list)) and not dims:
        return wrap(build.copy(input.node))
    return wrap(build.flip(input.node, axes_of("flip", dims, len(input.shape))))


@method
def fliplr(input: Tensor) -> Tensor:
    """Reverse the second axis; see `flip`.

    Examples
    --------
    >>> pumice.fliplr(pumice.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    _need_axes("fliplr", input, 2)
    return flip(input, (1,))


@method
def flipud(input: Tensor) -> Tensor:
    """Reverse the first axis; see `flip`.

    Examples
    --------
    >>> pumice.flipud(pumice.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    _need_axes("flipud", input)
    return flip(input, (0,))


def is_empty(input: Tensor) -> bool:
    """Tell whether a tensor has no elements."""
    return prod(input.shape) == 0
