"""Rearranging axes without moving elements: every function here returns an alias."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.ops.view import Shape, View
from pumice.tensor.axes import Dims, axes_of, axis_of, inferred_shape
from pumice.tensor.core import wrap
from pumice.tensor.marks import method, public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@public
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Reorder the axes.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dims : sequence of int
        For each axis of the result, the axis of the input it comes from.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    ShapeError
        When ``dims`` does not name every axis once.

    Examples
    --------
    >>> import pumice
    >>> pumice.permute(pumice.zeros(2, 3, 4), (2, 0, 1)).shape
    (4, 2, 3)
    """
    rank = len(input.shape)
    if len(dims) != rank:
        raise ShapeError(
            describe("permute", f"got {len(dims)} dims for a tensor of {rank} dimensions")
        )
    order = axes_of("permute", tuple(dims), rank)
    return input._derive(lambda view: view.permute(order))


@method
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two axes.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim0, dim1 : int
        The axes.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    IndexOutOfRange
        When an axis does not exist.

    Examples
    --------
    >>> import pumice
    >>> pumice.transpose(pumice.zeros(2, 3), 0, 1).shape
    (3, 2)
    """
    rank = len(input.shape)
    first = axis_of("transpose", dim0, rank)
    second = axis_of("transpose", dim1, rank)
    order = list(range(rank))
    if rank:
        order[first], order[second] = second, first
    return input._derive(lambda view: view.permute(tuple(order)))


@method
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap two axes; the NumPy name of `transpose`.

    Examples
    --------
    >>> pumice.swapaxes(pumice.ones(2, 3, 4), 0, 2).shape
    (4, 3, 2)
    """
    return transpose(input, axis0, axis1)


@method
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two axes; another name of `transpose`.

    Examples
    --------
    >>> pumice.swapdims(pumice.ones(2, 3, 4), 0, 2).shape
    (4, 3, 2)
    """
    return transpose(input, dim0, dim1)


@method
def t(input: Tensor) -> Tensor:
    """Transpose a matrix; tensors of fewer dimensions are returned as they are.

    Raises
    ------
    ShapeError
        For more than two dimensions.

    Examples
    --------
    >>> pumice.t(pumice.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    if len(input.shape) > 2:
        raise ShapeError(
            describe("t", f"got a tensor of {len(input.shape)} dimensions", "at most 2 are allowed")
        )
    return transpose(input, 0, 1) if len(input.shape) == 2 else input._derive(lambda view: view)


@public
def adjoint(input: Tensor) -> Tensor:
    """Swap the last two axes (no complex types).

    Raises
    ------
    ShapeError
        For fewer than two axes.

    Examples
    --------
    >>> pumice.adjoint(pumice.ones(2, 3, 4)).shape
    (2, 4, 3)
    """
    if len(input.shape) < 2:
        raise ShapeError(
            describe("adjoint", f"got a tensor of {len(input.shape)} dimensions", "at least 2")
        )
    return transpose(input, -2, -1)


@public
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Return a strided box over the whole storage of a tensor, in elements.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    size, stride : sequence of int
        Extents and strides of the box.
    storage_offset : int, optional
        Its first element; the input's by default.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    ShapeError
        When the box leaves the storage.

    Examples
    --------
    >>> pumice.as_strided(pumice.tensor([1, 2, 3, 4]), (3, 2), (1, 1))
    tensor([[1, 2],
            [2, 3],
            [3, 4]])
    """
    return input.as_strided(size, stride, storage_offset)


@method
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Move axes to new places; the others keep their order.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    source, destination : int or sequence of int
        Old and new places, equally many.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    InvalidArgument
        When the numbers of places differ or one is named twice.

    Examples
    --------
    >>> import pumice
    >>> pumice.movedim(pumice.zeros(2, 3, 4), 0, -1).shape
    (3, 4, 2)
    """
    rank = len(input.shape)
    old = axes_of("movedim", source if isinstance(source, int) else tuple(source), rank)
    new = axes_of(
        "movedim", destination if isinstance(destination, int) else tuple(destination), rank
    )
    if len(old) != len(new):
        raise InvalidArgument(
            describe("movedim", f"{len(old)} sources and {len(new)} destinations", "equal numbers")
        )
    places = dict(zip(new, old, strict=True))
    rest = iter(axis for axis in range(rank) if axis not in old)
    order = tuple(places[axis] if axis in places else next(rest) for axis in range(rank))
    return input._derive(lambda view: view.permute(order))


@method
def moveaxis(
    input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
) -> Tensor:
    """Move axes to new places; the NumPy name of `movedim`.

    Examples
    --------
    >>> pumice.moveaxis(pumice.ones(2, 3, 4), 0, 2).shape
    (3, 4, 2)
    """
    return movedim(input, source, destination)


@method
def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    """Drop axes of extent 1.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim : int, sequence of int or None
        The axes to look at; those of another extent stay. None means all.

    Returns
    -------
    Tensor
        An alias of the input.

    Examples
    --------
    >>> import pumice
    >>> pumice.squeeze(pumice.zeros(1, 3, 1)).shape
    (3,)
    """
    rank = len(input.shape)
    if isinstance(dim, (tuple, list)) and not dim:
        return input._derive(lambda view: view)
    axes = axes_of("squeeze", dim, rank)
    drop = [axis for axis in reversed(range(rank)) if axis in axes and input.shape[axis] == 1]

    def move(view: View) -> View:
        for axis in drop:
            view = view.remove_axis(axis)
        return view

    return input._derive(move)


@method
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Add an axis of extent 1.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim : int
        Its place in the result, from ``-rank - 1`` to ``rank``.

    Returns
    -------
    Tensor
        An alias of the input.

    Examples
    --------
    >>> import pumice
    >>> pumice.unsqueeze(pumice.zeros(3), -1).shape
    (3, 1)
    """
    axis = axis_of("unsqueeze", dim, len(input.shape) + 1)
    return input._derive(lambda view: view.insert_axis(axis))


@public
def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the same elements, in row-major order, in another shape.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    shape : sequence of int
        New extents; one may be -1.

    Returns
    -------
    Tensor
        An alias where strides can express it, a copy elsewhere.

    Raises
    ------
    ShapeError
        When the numbers of elements differ.

    Examples
    --------
    >>> import pumice
    >>> pumice.reshape(pumice.arange(6), (2, -1)).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    wanted = inferred_shape("reshape", tuple(shape), prod(input.shape))
    alias = input._reshaped(wanted)
    return wrap(build.reshape(input.node, wanted)) if alias is None else alias


@method
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Join neighbouring axes into one.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; a 0-d tensor becomes one element.
    start_dim, end_dim : int
        First and last axis to join.

    Returns
    -------
    Tensor
        An alias where strides can express it, a copy elsewhere.

    Raises
    ------
    ShapeError
        When the first axis lies behind the last.

    Examples
    --------
    >>> import pumice
    >>> pumice.flatten(pumice.zeros(2, 3, 4), 1).shape
    (2, 12)
    """
    shape = input.shape
    first = axis_of("flatten", start_dim, len(shape))
    last = axis_of("flatten", end_dim, len(shape))
    if first > last:
        raise ShapeError(
            describe("flatten", f"start_dim {start_dim} lies behind end_dim {end_dim}")
        )
    joined = prod(shape[first : last + 1])
    return reshape(input, (*shape[:first], joined, *shape[last + 1 :]))


@method
def ravel(input: Tensor) -> Tensor:
    """Return all elements in one axis; see `flatten`.

    Examples
    --------
    >>> pumice.ravel(pumice.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return reshape(input, (-1,)) if prod(input.shape) else reshape(input, (0,))


@method
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Split one axis into several.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim : int
        The axis.
    sizes : sequence of int
        Its new extents; one may be -1.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    ShapeError
        When the product of ``sizes`` is not the extent.

    Examples
    --------
    >>> import pumice
    >>> pumice.unflatten(pumice.zeros(2, 6), 1, (2, -1)).shape
    (2, 2, 3)
    """
    shape = input.shape
    axis = axis_of("unflatten", dim, len(shape))
    inner = inferred_shape("unflatten", tuple(sizes), shape[axis])
    return reshape(input, (*shape[:axis], *inner, *shape[axis + 1 :]))


def expanded_shape(operator: str, shape: Shape, wanted: Shape) -> Shape:
    """Return the extents of `expand`, -1 replaced."""
    lead = len(wanted) - len(shape)
    result = []
    for axis, extent in enumerate(wanted):
        own = shape[axis - lead] if axis >= lead else None
        if extent == -1 and own is not None:
            extent = own
        if lead < 0 or extent < 0 or (own is not None and own not in (1, extent)):
            raise ShapeError(
                describe(
                    operator,
                    f"a tensor of shape {list(shape)} does not expand to {list(wanted)}",
                    "each axis must be equal, 1, or -1 to keep it; new axes come in front",
                )
            )
        result.append(extent)
    if lead < 0:
        raise ShapeError(describe(operator, f"{list(wanted)} has fewer axes than {list(shape)}"))
    return tuple(result)


@public
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Repeat axes of extent 1 without copying (stride 0).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    size : sequence of int
        New extents; -1 keeps one, new axes come in front.

    Returns
    -------
    Tensor
        An alias of the input.

    Raises
    ------
    ShapeError
        When an axis is neither equal nor 1.

    Examples
    --------
    >>> import pumice
    >>> pumice.broadcast_to(pumice.arange(2), (2, 2)).tolist()
    [[0, 1], [0, 1]]
    """
    shape = expanded_shape("expand", input.shape, tuple(size))
    return input._derive(lambda view: view.expand(shape))
