"""Extremes along axes and where they stand."""

from __future__ import annotations

from math import prod as product
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.errors import DTypeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.definition import Reduction
from pumice.tensor.axes import axes_of, axis_of
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.marks import method
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.reductions import amax, amin, check_not_empty, dropped, fold, pick_along
from pumice.tensor.results import Located, located, shared

if TYPE_CHECKING:
    from pumice.tensor.axes import Dims
    from pumice.tensor.tensor import Tensor


@method
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest element; see `amin` and `amax`.

    Examples
    --------
    >>> pumice.aminmax(pumice.tensor([[3, 1], [2, 5]]))
    (tensor(1), tensor(5))
    """
    return amin(input, dim, keepdim), amax(input, dim, keepdim)


def _position(op: Reduction, input: Tensor, dim: int | None, keepdim: bool, last: bool) -> Node:
    node = tensor_node(op.name, input)
    if node.dtype is dtypes.bool_:
        raise DTypeError(describe(op.name, "got bool", "allowed are integer and floating types"))
    axes = axes_of(op.name, dim, len(node.shape))
    if dim is not None or product(node.shape) == 0:
        check_not_empty(op.name, node.shape, axes or (0,) if node.shape else ())
    if not last:
        return fold(op, node, dim, keepdim)
    count = product(node.shape[axis] for axis in axes)
    if len(axes) > 1:
        flat = build.reshape(node, (count,))
        found = fold(op, build.flip(flat, (0,)), None, False)
        shape = tuple(1 for _ in node.shape) if keepdim else ()
        return build.reshape(count - 1 - found, shape)
    if not axes:
        return fold(op, node, dim, keepdim)
    return count - 1 - fold(op, build.flip(node, axes), dim, keepdim)


@method
def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    select_last_index: bool = False,
) -> Tensor:
    """Return the position of the largest element.

    Parameters
    ----------
    input : Tensor
        Any shape; integer or floating.
    dim, axis : int or None
        The axis; None looks at all elements in row-major order.
    keepdim, keepdims : bool
        Keep reduced axes with extent 1.
    select_last_index : bool
        Among equal elements take the last instead of the first.

    Returns
    -------
    Tensor
        int64

    Raises
    ------
    IndexOutOfRange
        When there is nothing to choose from.

    Notes
    -----
    NaN counts as the largest; the first one wins.

    Examples
    --------
    >>> import pumice
    >>> pumice.argmax(pumice.tensor([1, 7, 7]))
    tensor(1)
    """
    chosen = axis if dim is None else dim
    return wrap(_position(reduction.ARGMAX, input, chosen, keepdim or keepdims, select_last_index))


@method
def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    select_last_index: bool = False,
) -> Tensor:
    """Return the position of the smallest element; see `argmax`.

    Examples
    --------
    >>> import pumice
    >>> pumice.argmin(pumice.tensor([3, 1, 1]))
    tensor(1)
    """
    chosen = axis if dim is None else dim
    return wrap(_position(reduction.ARGMIN, input, chosen, keepdim or keepdims, select_last_index))


def _extreme(
    operator: str, op: Reduction, position: Reduction, input: Tensor, dim: Any, keepdim: bool
) -> Tensor | Located:
    node = tensor_node(operator, input)
    if dim is None:
        check_not_empty(operator, node.shape, tuple(range(len(node.shape))))
        return wrap(fold(op, node, None, False, operator))
    axis = axis_of(operator, dim, len(node.shape))
    if not node.shape:
        return located(operator, wrap(node), wrap(build.constant(0, dtypes.int64, (), node.device)))
    check_not_empty(operator, node.shape, (axis,))
    index = shared(build.reduce(position, node, (axis,)))
    values = pick_along(node, index, axis)
    return located(
        operator, wrap(dropped(values, (axis,), keepdim)), wrap(dropped(index, (axis,), keepdim))
    )


@method
def max(input: Tensor, dim: Tensor | Dims = None, keepdim: bool = False) -> Any:
    """Return the largest element, the largest along an axis, or the larger of two tensors.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim : int, Tensor or None
        None folds everything; an int gives values and indices; a tensor acts as `maximum`.
    keepdim : bool
        Keep the reduced axis with extent 1.

    Returns
    -------
    Tensor or (values, indices)
        Indices are int64 and name the first largest element; NaN wins.

    Notes
    -----
    Gradient: to the element named by the index; without an axis shared among equal ones.

    Examples
    --------
    >>> import pumice
    >>> pumice.max(pumice.tensor([1, 7, 7]), 0).indices
    tensor(1)
    """
    if isinstance(dim, TensorBase):
        return wrap(call("maximum", tensor_node("max", input), dim.node))
    return _extreme("max", reduction.AMAX, reduction.ARGMAX, input, dim, keepdim)


@method
def min(input: Tensor, dim: Tensor | Dims = None, keepdim: bool = False) -> Any:
    """Return the smallest element, the smallest along an axis, or the smaller of two tensors.

    Parameters and results as in `max`.

    Examples
    --------
    >>> import pumice
    >>> pumice.min(pumice.tensor([3, 1, 1]), 0).indices
    tensor(1)
    """
    if isinstance(dim, TensorBase):
        return wrap(call("minimum", tensor_node("min", input), dim.node))
    return _extreme("min", reduction.AMIN, reduction.ARGMIN, input, dim, keepdim)
