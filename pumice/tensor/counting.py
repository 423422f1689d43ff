"""Masks whose count decides a shape."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice import dtypes
from pumice.dtypes import DType, Scalar
from pumice.engine import memory
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import Indexing
from pumice.ops.view import contiguous_strides
from pumice.target import DeviceKind
from pumice.tensor.axes import check_extents
from pumice.tensor.conversion import host_view
from pumice.tensor.core import wrap
from pumice.tensor.marks import method
from pumice.tensor.operands import call, tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


FEW = 1 << 15
"""Elements up to which the host picks them one by one as fast as a kernel is called."""


def condition_node(operator: str, condition: Any, name: str = "condition") -> Node:
    """Return the node of an argument that must be a bool tensor."""
    node = tensor_node(operator, condition, name)
    if node.dtype is not dtypes.bool_:
        raise DTypeError(
            describe(operator, f"{name} is {node.dtype.name}", "it must be bool; compare first")
        )
    return node


def _ordered_places(truth: Node, size: int) -> tuple[Node, Node]:
    """Return the first ``size`` true places of a flat mask, and which of them exist."""
    total = truth.shape[0]
    order = build.argsort(~truth, False)
    check_extents("size", (size,))
    taken = min(size, total)
    places = build.slice_axis(order, 0, 0, taken)
    if taken < size:
        places = build.pad(places, (0,), (size - taken,))
    count = build.reduce(reduction.SUM, truth, (0,))
    return places, build.iota((size,), truth.device) < build.expand(count, (size,))


@method
def masked_select(
    input: Tensor, mask: Tensor, *, size: int | None = None, fill_value: Scalar = 0
) -> Tensor:
    """Return the elements where a mask is true, in row-major order.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    mask : Tensor
        bool; both broadcast.
    size : int, optional
        Length of the result: padded with ``fill_value``, excess dropped. Without it the mask is
        evaluated first.
    fill_value : number
        Pads the result.

    Returns
    -------
    Tensor
        1-D

    Raises
    ------
    DTypeError
        When the mask is not bool.

    Examples
    --------
    >>> import pumice
    >>> pumice.masked_select(pumice.tensor([1, 2, 3]), pumice.tensor([True, False, True]))
    tensor([1, 3])
    """
    node = tensor_node("masked_select", input)
    truth = condition_node("masked_select", mask, "mask")
    shape = build.broadcast_shapes("masked_select", node.shape, truth.shape)
    if size is None and prod(shape) <= FEW and not node.requires_grad and _on_host(node):
        array, chosen = host_view(input), host_view(mask)
        if node.shape != truth.shape:
            array, chosen = np.broadcast_to(array, shape), np.broadcast_to(chosen, shape)
        return wrap(_adopted(array.reshape(-1)[chosen.reshape(-1).nonzero()[0]], node))
    flat = build.reshape(build.expand(node, shape), (build.expand(node, shape).numel,))
    flat_truth = build.reshape(build.expand(truth, shape), flat.shape)
    if size is None:
        mask_array = host_view(wrap(flat_truth))
        places = _adopted(mask_array.nonzero()[0], node, dtypes.int64)
        return wrap(build.gather(flat, (places,), Indexing((0,)), places.shape))
    places, exists = _ordered_places(flat_truth, size)
    values = build.gather(flat, (places,), Indexing((0,)), places.shape)
    return wrap(exists.select(values, fill_value))


def _on_host(node: Node) -> bool:
    return (node.device or wrap(node).device).kind is DeviceKind.CPU


def _adopted(array: Any, like: Node, dtype: DType | None = None) -> Node:
    """Return a new array of the host's on the device of a node."""
    device = like.device or wrap(like).device
    return build.buffer(memory.adopt(array, device), dtype or like.dtype, array.shape)


@method
def nonzero(
    input: Tensor, *, as_tuple: bool = False, size: int | None = None, fill_value: int = 0
) -> Any:
    """Return the positions of elements that are not zero, in row-major order.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    as_tuple : bool
        One 1-D tensor per axis instead of a matrix of positions.
    size : int, optional
        Number of rows: padded with ``fill_value``, excess dropped. Without it the tensor is
        evaluated first.
    fill_value : int
        Pads the result.

    Returns
    -------
    Tensor or tuple of Tensor
        int64

    Examples
    --------
    >>> import pumice
    >>> pumice.nonzero(pumice.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    node = tensor_node("nonzero", input)
    shape = node.shape or (1,)
    if size is None:
        found = host_view(input).reshape(shape).nonzero()
        if node.shape and not as_tuple:
            rows = np.stack(found, 1) if len(found) > 1 else found[0].reshape(-1, 1)
            return wrap(_adopted(rows, node, dtypes.int64))
        columns = [_adopted(places, node, dtypes.int64) for places in found]
    else:
        places, exists = _ordered_places(build.reshape(node, (node.numel,)).ne(0), size)
        columns = [
            exists.select(
                call("remainder", call("floor_divide", places, max(step, 1)), max(extent, 1)),
                fill_value,
            )
            for extent, step in zip(shape, contiguous_strides(shape), strict=True)
        ]
    if as_tuple:
        return tuple(wrap(column) for column in columns)
    count = columns[0].shape[0]
    if not node.shape:
        return wrap(build.constant(0, dtypes.int64, (count, 0), node.device))
    return wrap(build.concatenate([build.reshape(each, (count, 1)) for each in columns], 1))


@method
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the positions of the first elements that are not zero, as many rows as asked for.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    size : int
        Number of rows; excess is dropped.
    fill_value : int
        What missing rows hold.

    Returns
    -------
    Tensor
        int64, of shape (size, number of axes); `nonzero` with a ``size`` is the same.

    Raises
    ------
    InvalidArgument
        When ``size`` is negative.

    Examples
    --------
    >>> pumice.nonzero_static(pumice.tensor([0, 5, 6]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    if size < 0:
        raise InvalidArgument(describe("nonzero_static", f"size is {size}", "at least 0"))
    found: Tensor = nonzero(input, size=size, fill_value=fill_value)
    return found


@method
def argwhere(input: Tensor) -> Tensor:
    """Return the positions of elements that are not zero; see `nonzero`.

    Examples
    --------
    >>> pumice.argwhere(pumice.tensor([[1, 0], [0, 2]]))
    tensor([[0, 0],
            [1, 1]])
    """
    found: Tensor = nonzero(input)
    return found
