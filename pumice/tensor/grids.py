"""Coordinates and diagonals."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.ops.view import View, contiguous_strides
from pumice.tensor.axes import axis_of, check_extents
from pumice.tensor.convert import device_of, upload
from pumice.tensor.core import wrap
from pumice.tensor.gathering import index_node
from pumice.tensor.marks import method, public
from pumice.tensor.movement import broadcast_to, reshape
from pumice.tensor.operands import call, tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@public
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str = "ij") -> tuple[Tensor, ...]:
    """Return coordinate tensors of a grid.

    Parameters
    ----------
    tensors : Tensor
        1-D or 0-d.
    indexing : str
        ``"ij"`` puts the first along rows; ``"xy"`` swaps the first two axes.

    Returns
    -------
    tuple of Tensor
        Aliases, expanded.

    Raises
    ------
    InvalidArgument
        For another ``indexing``.

    Examples
    --------
    >>> import pumice
    >>> rows, columns = pumice.meshgrid(pumice.arange(2), pumice.arange(3))
    >>> columns.tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    several = len(tensors) == 1 and isinstance(tensors[0], (tuple, list))
    given: Any = tensors[0] if several else tensors
    if indexing not in ("ij", "xy"):
        raise InvalidArgument(
            describe("meshgrid", f"got indexing={indexing!r}", "allowed are 'ij' and 'xy'")
        )
    lines = [reshape(each, (-1,)) if not each.shape else each for each in given]
    if any(len(line.shape) != 1 for line in lines):
        raise ShapeError(describe("meshgrid", "got a tensor of several axes", "1-D or 0-d"))
    swap = indexing == "xy" and len(lines) > 1
    if swap:
        lines[0], lines[1] = lines[1], lines[0]
    shape = tuple(line.shape[0] for line in lines)
    grids = []
    for axis, line in enumerate(lines):
        thin = tuple(-1 if each == axis else 1 for each in range(len(lines)))
        grids.append(broadcast_to(reshape(line, thin), shape))
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _triangle_indices(
    row: int, col: int, offset: int, upper: bool, dtype: DType, device: Any
) -> Tensor:
    if row < 0 or col < 0:
        raise ShapeError(describe("tril_indices", f"got {row} x {col}", "not negative"))
    make = np.triu_indices if upper else np.tril_indices
    return upload(np.stack(make(row, offset, col)), dtype, device_of(device))


@public
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = dtypes.int64, device: Any = None
) -> Tensor:
    """Return the positions of a lower triangle as a matrix of two rows.

    Examples
    --------
    >>> pumice.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle_indices(row, col, offset, False, dtype, device)


@public
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = dtypes.int64, device: Any = None
) -> Tensor:
    """Return the positions of an upper triangle as a matrix of two rows.

    Examples
    --------
    >>> pumice.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return _triangle_indices(row, col, offset, True, dtype, device)


@method
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Write the last axis onto the diagonal of new axes, zeros elsewhere.

    Examples
    --------
    >>> pumice.diag_embed(pumice.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    node = tensor_node("diag_embed", input)
    rank = len(node.shape) + 1
    first, second = axis_of("diag_embed", dim1, rank), axis_of("diag_embed", dim2, rank)
    if first == second:
        raise InvalidArgument(describe("diag_embed", f"got axis {first} twice", "two axes"))
    size = node.shape[-1] + abs(offset)
    shape = (*node.shape[:-1], size, size)
    whole = View.contiguous(shape)
    start = max(-offset, 0) * size + max(offset, 0)
    diagonal = View(node.shape, (*whole.strides[:-2], size + 1), start)
    zeros = build.constant(0, node.dtype, shape, node.device)
    result = build.update(zeros, node, diagonal) if node.numel else zeros
    rest = iter(range(rank - 2))
    order = tuple(
        rank - 2 if axis == first else rank - 1 if axis == second else next(rest)
        for axis in range(rank)
    )
    return wrap(build.permute(result, order))


@method
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or a matrix with a vector on its diagonal.

    Examples
    --------
    >>> import pumice
    >>> pumice.diag(pumice.tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    if len(input.shape) == 1:
        return diag_embed(input, diagonal)
    if len(input.shape) != 2:
        raise ShapeError(describe("diag", f"got shape {list(input.shape)}", "1-D or 2-D"))
    return wrap(build.copy(input.diagonal(diagonal).node))


@public
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Return positions in a shape from places in its elements in row-major order.

    Parameters
    ----------
    indices : Tensor
        Integer, any shape.
    shape : int or sequence of int
        The shape that the places are in.

    Returns
    -------
    tuple of Tensor
        One of the shape and dtype of ``indices`` for each axis.

    Raises
    ------
    DTypeError
        When ``indices`` are not integers.
    ShapeError
        When an extent is negative.

    Examples
    --------
    >>> import pumice
    >>> pumice.unravel_index(pumice.tensor([0, 4, 5]), (2, 3))
    (tensor([0, 1, 1]), tensor([0, 1, 2]))
    """
    node = index_node("unravel_index", indices, "indices")
    extents = check_extents("unravel_index", (shape,) if isinstance(shape, int) else tuple(shape))
    found = []
    for step, extent in zip(contiguous_strides(extents), extents, strict=True):
        whole = call("floor_divide", node, step) if step > 1 else node
        found.append(wrap(call("remainder", whole, max(extent, 1))))
    return tuple(found)


@public
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all combinations of elements of 1-D tensors as rows.

    Examples
    --------
    >>> pumice.cartesian_prod(pumice.tensor([1, 2]), pumice.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    if len(tensors) == 1:
        tensor_node("cartesian_prod", tensors[0])
        return tensors[0]
    columns = [reshape(each, (-1, 1)) for each in meshgrid(*tensors)]
    nodes = [each.node for each in columns]
    return wrap(build.concatenate(nodes, 1))


@public
def block_diag(*tensors: Tensor) -> Tensor:
    """Return a matrix with the given matrices along its diagonal, zeros elsewhere.

    Examples
    --------
    >>> pumice.block_diag(pumice.tensor([[1, 2]]), pumice.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    blocks = [tensor_node("block_diag", each) for each in tensors]
    rows = [node.shape[0] if len(node.shape) > 1 else 1 for node in blocks]
    columns = [node.shape[-1] if node.shape else 1 for node in blocks]
    dtype = blocks[0].dtype if blocks else dtypes.default_float()
    for node in blocks:
        dtype = dtypes.promote_types(dtype, node.dtype)
    shape = (sum(rows), sum(columns))
    device = blocks[0].device if blocks else device_of(None)
    result = build.constant(0, dtype, shape, device)
    row = column = 0
    for node, height, width in zip(blocks, rows, columns, strict=True):
        place = View((height, width), (shape[1], 1), row * shape[1] + column)
        result = build.update(result, build.reshape(node, (height, width)), place)
        row, column = row + height, column + width
    return wrap(result)


@method
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with all elements of a tensor on its diagonal.

    Examples
    --------
    >>> pumice.diagflat(pumice.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag_embed(reshape(input, (prod(input.shape),)), offset)


@public
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of r elements of a 1-D tensor as rows.

    Raises
    ------
    ShapeError
        When the tensor is not 1-D.

    Examples
    --------
    >>> pumice.combinations(pumice.tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    if len(input.shape) != 1 or r < 0:
        raise ShapeError(describe("combinations", f"shape {list(input.shape)}, r={r}", "1-D"))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(input.shape[0]), int(r))), np.int64).reshape(-1, int(r))
    if not r:
        return wrap(build.constant(0, input.dtype, (0,), input.device))
    found: Tensor = input[upload(rows, dtypes.int64, input.device)]
    return found


@public
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:  # noqa: N803
    """Return the powers of a 1-D tensor as columns, the highest first unless ``increasing``.

    Examples
    --------
    >>> pumice.vander(pumice.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    node = tensor_node("vander", x)
    count = node.shape[0] if N is None else check_extents("vander", (N,))[0]
    powers = build.iota((count,), node.device)
    if not increasing:
        powers = count - 1 - powers
    kind = node.dtype if node.dtype.is_floating_point else dtypes.int64
    column = build.reshape(build.cast(node, kind), (node.shape[0], 1))
    return wrap(call("pow", column, build.cast(powers, kind)))
