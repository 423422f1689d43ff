"""Copies of a tensor with a part replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import Scalar
from pumice.errors import DTypeError, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.scan import CUMSUM
from pumice.ops.structure import Indexing, ScatterMode
from pumice.ops.view import View
from pumice.tensor import indexing
from pumice.tensor.axes import axis_of
from pumice.tensor.core import expand_to, wrap
from pumice.tensor.counting import condition_node
from pumice.tensor.gathering import index_node
from pumice.tensor.marks import inplace_method, method
from pumice.tensor.operands import tensor_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@inplace_method
def index_put(
    input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Return a copy with elements at positions replaced, or added to.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    indices : sequence of Tensor or None
        One per axis, as in ``x[indices]``.
    values : Tensor
        Of the input's dtype; broadcasts to the positions.
    accumulate : bool
        Add, repeated positions included, instead of replacing.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        When dtypes differ.

    Examples
    --------
    >>> import pumice
    >>> where = (pumice.tensor([0, 0]),)
    >>> pumice.index_put(pumice.zeros(2), where, pumice.tensor([1., 2.]), True).tolist()
    [3.0, 0.0]
    """
    node, value = tensor_node("index_put", input), tensor_node("index_put", values, "values")
    if node.dtype is not value.dtype:
        raise DTypeError(
            describe("index_put", f"input is {node.dtype.name}, values {value.dtype.name}", "equal")
        )
    items = tuple(slice(None) if each is None else each for each in indices)
    prepared = indexing.prepare(items, node.shape)
    mode = ScatterMode.ADD if accumulate else ScatterMode.SET
    return wrap(indexing.scattered(node, prepared, value, mode))


@inplace_method
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return a copy with elements of the flattened input replaced, or added to.

    Examples
    --------
    >>> import pumice
    >>> pumice.put(pumice.zeros(2, 2), pumice.tensor([3]), pumice.tensor([5.])).tolist()
    [[0.0, 0.0], [0.0, 5.0]]
    """
    node, value = tensor_node("put", input), tensor_node("put", source, "source")
    place = index_node("put", index)
    if place.numel != value.numel:
        raise ShapeError(
            describe("put", f"{place.numel} positions and {value.numel} values", "equally many")
        )
    mode = ScatterMode.ADD if accumulate else ScatterMode.SET
    flat = build.reshape(node, (node.numel,))
    count = (place.numel,)
    done = build.scatter(
        flat, build.reshape(value, count), (build.reshape(place, count),), Indexing((0,), mode=mode)
    )
    return wrap(build.reshape(done, node.shape))


@inplace_method
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a copy with elements where a mask is true taken from ``source``, in order.

    Raises
    ------
    DTypeError
        When dtypes differ or the mask is not bool.

    Examples
    --------
    >>> import pumice
    >>> mask = pumice.tensor([False, True, True])
    >>> pumice.masked_scatter(pumice.zeros(3), mask, pumice.tensor([7., 8.])).tolist()
    [0.0, 7.0, 8.0]
    """
    operator = "masked_scatter"
    node, value = tensor_node(operator, input), tensor_node(operator, source, "source")
    truth = condition_node(operator, mask, "mask")
    if node.dtype is not value.dtype:
        raise DTypeError(
            describe(operator, f"input is {node.dtype.name}, source {value.dtype.name}", "equal")
        )
    shape = build.broadcast_shapes(operator, node.shape, truth.shape)
    count = View.contiguous(shape).numel
    flat = build.reshape(build.expand(truth, shape), (count,))
    rank = build.scan(CUMSUM, flat, 0) - 1
    line = build.reshape(value, (value.numel,))
    # Places without a mask read nothing; those that ask for more than there is raise.
    place = flat.select(rank, 0)
    if value.numel == 0:
        line = build.constant(0, node.dtype, (1,), node.device)
    taken = build.gather(line, (place,), Indexing((0,)), (count,))
    return wrap(
        build.reshape(flat, shape).select(build.reshape(taken, shape), build.expand(node, shape))
    )


def _replaced(operator: str, node: Node, source: Any, view: View) -> Tensor:
    value = expand_to(operator, build.cast(tensor_node(operator, source), node.dtype), view.shape)
    return wrap(build.update(node, value, view) if value.numel else build.copy(node))


def _box(input: Tensor, take: Callable[[Tensor], Tensor]) -> View:
    """Return where a part lies in the row-major elements of the whole."""
    whole = wrap(build.constant(0, dtypes.uint8, input.shape, input.device))
    return take(whole)._box


@method
def fill_diagonal_(input: Tensor, fill_value: Scalar, wrap: bool = False) -> Tensor:
    """Write a number along the main diagonal, in place.

    Parameters
    ----------
    input : Tensor
        A matrix; or more axes, all of one extent.
    fill_value : number
        What the diagonal becomes.
    wrap : bool
        Whether the diagonal of a tall matrix goes on in its later rows, one row apart.

    Returns
    -------
    Tensor
        The input.

    Raises
    ------
    ShapeError
        For fewer than two axes, or more than two of different extents.

    Examples
    --------
    >>> import pumice
    >>> pumice.fill_diagonal_(pumice.zeros(2, 3), 5)
    tensor([[5., 0., 0.],
            [0., 5., 0.]])
    """
    shape = input.shape
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ShapeError(
            describe(
                "fill_diagonal_",
                f"got shape {list(shape)}",
                "a matrix, or more axes of one extent",
            )
        )
    step = shape[1] + 1
    starts = range(0, shape[0], step) if wrap and len(shape) == 2 else (0,)
    for start in starts:
        part = input[start:] if start else input
        for _ in shape[1:]:
            part = part.diagonal()
        part.fill_(fill_value)
    return input


@method
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy with one element of an axis replaced; see `select`.

    Examples
    --------
    >>> pumice.select_scatter(pumice.zeros(2, 2), pumice.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    box = _box(input, lambda whole: whole.select(dim, index))
    return _replaced("select_scatter", input.node, src, box)


@method
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """Return a copy with a slice of an axis replaced.

    Examples
    --------
    >>> pumice.slice_scatter(pumice.zeros(4), pumice.ones(2), start=1, end=3)
    tensor([0., 1., 1., 0.])
    """
    items = [slice(None)] * len(input.shape)
    items[axis_of("slice_scatter", dim, len(input.shape))] = slice(start, end, step)
    box = _box(input, lambda whole: whole[tuple(items)])
    return _replaced("slice_scatter", input.node, src, box)


@method
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """Return a copy with a diagonal replaced; see `diagonal`.

    Examples
    --------
    >>> pumice.diagonal_scatter(pumice.zeros(2, 2), pumice.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    box = _box(input, lambda whole: whole.diagonal(offset, dim1, dim2))
    return _replaced("diagonal_scatter", input.node, src, box)
