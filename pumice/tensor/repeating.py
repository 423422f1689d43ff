"""Repeating and rotating elements, and copies of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from pumice.errors import IndexOutOfRange, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import Shape
from pumice.tensor.axes import Dims, axes_of, axis_of, shape_argument
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.marks import method
from pumice.tensor.slicing import narrow

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def tiled(node: Node, repeats: Shape) -> Node:
    """Repeat whole blocks along axes; new axes come in front."""
    lead = len(repeats) - len(node.shape)
    shape = (1,) * lead + node.shape
    split: list[int] = []
    for extent in shape:
        split += [1, extent]
    wide: list[int] = []
    for count, extent in zip(repeats, shape, strict=True):
        wide += [count, extent]
    spread = build.expand(build.reshape(node, tuple(split)), tuple(wide))
    final = tuple(count * extent for count, extent in zip(repeats, shape, strict=True))
    return build.copy(build.reshape(spread, final))


def repeated(input: Tensor, repeats: Sequence[int]) -> Tensor:
    """Repeat whole blocks along axes (the method ``repeat``).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    repeats : sequence of int
        At least one number per axis; more add axes in front.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When there are fewer numbers than axes.

    Examples
    --------
    >>> import pumice
    >>> pumice.tensor([1, 2]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    counts = tuple(repeats)
    if len(counts) < len(input.shape) or any(count < 0 for count in counts):
        raise ShapeError(
            describe(
                "repeat",
                f"got repeats {list(counts)} for shape {list(input.shape)}",
                "one non-negative number per axis at least",
            )
        )
    return wrap(tiled(input.node, counts))


@method
def repeat(input: Tensor, *repeats: int | Sequence[int]) -> Tensor:
    """Repeat whole blocks along axes; see `tile`.

    Examples
    --------
    >>> pumice.repeat(pumice.tensor([1, 2]), 2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    return repeated(input, shape_argument("repeat", repeats))


@method
def tile(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """Repeat whole blocks along axes; missing numbers in front count as 1.

    Examples
    --------
    >>> import pumice
    >>> pumice.tile(pumice.tensor([1, 2]), (2,)).tolist()
    [1, 2, 1, 2]
    """
    counts = shape_argument("tile", dims)
    return repeated(input, (1,) * (len(input.shape) - len(counts)) + counts)


@method
def repeat_interleave(
    input: Tensor, repeats: int | Tensor, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Repeat each element of an axis in place.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    repeats : int or Tensor
        How often; a 1-D integer tensor gives a number per element (it is evaluated).
    dim : int, optional
        The axis; all elements in one axis by default.
    output_size : int, optional
        Total length, if known; checked.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When ``repeats`` has another length than the axis.

    Examples
    --------
    >>> import pumice
    >>> pumice.repeat_interleave(pumice.tensor([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    """
    node = input.node
    if dim is None:
        node, axis = build.reshape(node, (node.numel,)), 0
    else:
        axis = axis_of("repeat_interleave", dim, len(node.shape))
    extent = node.shape[axis]
    if isinstance(repeats, TensorBase) and len(repeats.shape) > 1:
        raise ShapeError(
            describe("repeat_interleave", f"repeats have shape {list(repeats.shape)}", "1-D")
        )
    counts: Any = repeats.tolist() if isinstance(repeats, TensorBase) else repeats
    if isinstance(counts, list) and len(counts) == 1:
        counts = counts[0]
    total = extent * counts if isinstance(counts, int) else sum(counts)
    if output_size is not None and index(output_size) != total:
        raise ShapeError(
            describe("repeat_interleave", f"output_size={output_size}", f"the result has {total}")
        )
    if isinstance(counts, int):
        if counts < 0:
            raise InvalidArgument(describe("repeat_interleave", f"got {counts} repeats"))
        split = (*node.shape[: axis + 1], 1, *node.shape[axis + 1 :])
        wide = (*node.shape[: axis + 1], counts, *node.shape[axis + 1 :])
        final = (*node.shape[:axis], extent * counts, *node.shape[axis + 1 :])
        return wrap(
            build.copy(build.reshape(build.expand(build.reshape(node, split), wide), final))
        )
    if len(counts) != extent:
        raise ShapeError(
            describe("repeat_interleave", f"{len(counts)} repeats for an axis of {extent}")
        )
    from_place = [place for place, count in enumerate(counts) for _ in range(count)]
    return wrap(_taken(node, axis, from_place))


def _taken(node: Node, axis: int, places: list[int]) -> Node:
    """Read listed elements of an axis."""
    parts = [build.slice_axis(node, axis, place, 1) for place in places]
    if parts:
        return build.concatenate(parts, axis)
    return build.slice_axis(node, axis, 0, 0)


@method
def roll(input: Tensor, shifts: int | Sequence[int], dims: Dims = None) -> Tensor:
    """Move elements along axes; those leaving at one end enter at the other.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    shifts : int or sequence of int
        How far, one number per axis.
    dims : int or sequence of int, optional
        The axes; without any, all elements are one axis.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When the numbers of shifts and axes differ.

    Examples
    --------
    >>> import pumice
    >>> pumice.roll(pumice.arange(4), 1).tolist()
    [3, 0, 1, 2]
    """
    node = input.node
    amounts = tuple(shifts) if isinstance(shifts, (tuple, list)) else (shifts,)
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        if len(amounts) != 1:
            raise InvalidArgument(describe("roll", "several shifts without dims"))
        flat = build.reshape(node, (node.numel,))
        return wrap(build.reshape(_rolled(flat, 0, amounts[0]), node.shape))
    if not node.shape:
        raise IndexOutOfRange(describe("roll", f"got dims={dims}", "the tensor has no axes"))
    axes = [
        axis_of("roll", dim, len(node.shape))
        for dim in (dims if isinstance(dims, (tuple, list)) else (dims,))
    ]
    if len(axes) != len(amounts):
        raise InvalidArgument(
            describe("roll", f"{len(amounts)} shifts and {len(axes)} dims", "equal numbers")
        )
    for axis, amount in zip(axes, amounts, strict=True):
        node = _rolled(node, axis, amount)
    return wrap(node)


def _rolled(node: Node, axis: int, amount: int) -> Node:
    extent = node.shape[axis] if node.shape else 0
    if not extent or amount % extent == 0:
        return build.copy(node)
    cut = extent - amount % extent
    front = build.slice_axis(node, axis, cut, extent - cut)
    return build.concatenate([front, build.slice_axis(node, axis, 0, cut)], axis)


@method
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turn the plane of two axes by quarter turns, from the first axis to the second.

    Examples
    --------
    >>> pumice.rot90(pumice.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise InvalidArgument(describe("rot90", f"got dims={dims}", "two axes"))
    first, second = axes_of("rot90", tuple(dims), len(input.shape))
    node = input.node
    order = list(range(len(node.shape)))
    order[first], order[second] = second, first
    match k % 4:
        case 1:
            return wrap(build.permute(build.flip(node, (second,)), tuple(order)))
        case 2:
            return wrap(build.flip(node, (first, second)))
        case 3:
            return wrap(build.flip(build.permute(node, tuple(order)), (second,)))
        case _:
            return wrap(build.copy(node))


@method
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a copy of ``length`` elements of one axis; see `narrow`.

    Examples
    --------
    >>> pumice.narrow_copy(pumice.tensor([1, 2, 3]), 0, 1, 2)
    tensor([2, 3])
    """
    return narrow(input, dim, start, length).clone()
