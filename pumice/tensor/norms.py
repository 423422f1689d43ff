"""Norms of vectors and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.dtypes import DType, accumulation_dtype
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import Shape
from pumice.tensor.axes import Dims, axes_of, axis_of
from pumice.tensor.core import wrap
from pumice.tensor.grids import triu_indices
from pumice.tensor.joining import taken_by
from pumice.tensor.marks import functional, inplace_method, method
from pumice.tensor.operands import call, tensor_node, widened
from pumice.tensor.reductions import check_not_empty, dropped, float_node
from pumice.tensor.singular_norms import singular_norm

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def norm_node(node: Node, axes: Shape, order: float) -> Node:
    """Return a vector norm over axes, kept with extent 1; its gradient at 0 is 0."""
    size = call("abs", node)
    if order < 0 or order == float("inf"):
        check_not_empty("norm", node.shape, axes)
    if order == float("inf"):
        return build.reduce(reduction.AMAX, size, axes) if axes else size
    if order == float("-inf"):
        return build.reduce(reduction.AMIN, size, axes) if axes else size
    if order == 0:
        # The sign of zero is 0, and its gradient too.
        ones = node.ne(0).select(1, call("sign", node))
        return build.reduce(reduction.SUM, ones, axes) if axes else ones
    if order == 1 or not axes:
        return build.reduce(reduction.SUM, size, axes) if axes else size
    powers = node * node if order == 2 else call("pow", size, order)
    total = build.reduce(reduction.SUM, powers, axes)
    empty = total.eq(0)
    safe = empty.select(1, total)
    root = call("sqrt", safe) if order == 2 else call("pow", safe, 1.0 / order)
    return empty.select(build.detach(total), root)


@method
def norm(
    input: Tensor,
    p: float | str = 2,
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """Return the p-norm of elements along axes.

    Parameters
    ----------
    input : Tensor
        Floating.
    p : float, "fro" or "nuc"
        Order; "fro" is 2, "nuc" the sum of the singular values of matrices over two axes, inf
        the largest size, 0 counts elements that are not zero.
    dim : int, sequence of int or None
        The axes; all by default.
    keepdim : bool
        Keep reduced axes with extent 1.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor

    Notes
    -----
    ``sum(|x|**p) ** (1/p)``; the gradient at a zero vector is 0.

    Examples
    --------
    >>> import pumice
    >>> pumice.norm(pumice.tensor([3., 4.]))
    tensor(5.)
    """
    node = float_node("norm", tensor_node("norm", input), dtype)
    axes = axes_of("norm", dim, len(node.shape))
    if p == "nuc":
        if len(axes) != 2:
            raise ShapeError(describe("norm", f"'nuc' over {len(axes)} axes", "two axes"))
        wide = build.cast(node, accumulation_dtype(node.dtype))
        return wrap(build.cast(singular_norm("norm", wide, axes, p, keepdim), node.dtype))
    if isinstance(p, str) and p != "fro":
        raise InvalidArgument(describe("norm", f"got p={p!r}", "a number, 'fro' or 'nuc'"))
    order = 2.0 if p == "fro" else float(p)
    wide = build.cast(node, accumulation_dtype(node.dtype))
    return wrap(build.cast(dropped(norm_node(wide, axes, order), axes, keepdim), node.dtype))


@functional
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divide by the p-norm along an axis, by at least eps.

    Examples
    --------
    >>> pumice.nn.functional.normalize(pumice.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
    node = float_node("normalize", tensor_node("normalize", input))
    axis = axis_of("normalize", dim, len(node.shape))
    wide = build.cast(node, accumulation_dtype(node.dtype))
    size = call("clamp_min", norm_node(wide, (axis,) if node.shape else (), p), eps)
    return wrap(build.cast(wide / build.expand(size, node.shape), node.dtype))


@inplace_method
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Return a copy whose parts along an axis have at most a given norm.

    Parameters
    ----------
    input : Tensor
        Floating, at least two axes.
    p : float
        Order of the norm, above 0.
    dim : int
        The axis along which parts are told apart.
    maxnorm : float
        Parts of a larger norm are scaled down to it.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When ``p`` is not positive or ``maxnorm`` negative.
    ShapeError
        For fewer than two axes.

    Examples
    --------
    >>> import pumice
    >>> pumice.renorm(pumice.tensor([[3., 4.], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    node = float_node("renorm", tensor_node("renorm", input))
    if len(node.shape) < 2:
        raise ShapeError(describe("renorm", f"got shape {list(node.shape)}", "at least two axes"))
    if p <= 0 or maxnorm < 0:
        raise InvalidArgument(
            describe("renorm", f"got p={p} and maxnorm={maxnorm}", "p > 0 and maxnorm >= 0")
        )
    axis = axis_of("renorm", dim, len(node.shape))
    wide = build.cast(node, accumulation_dtype(node.dtype))
    size = norm_node(wide, tuple(each for each in range(len(node.shape)) if each != axis), p)
    scale = (size > maxnorm).select(maxnorm / (size + 1e-7), 1.0)
    return wrap(build.cast(call("mul", wide, scale), node.dtype))


@functional
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distances of all pairs of rows.

    Parameters
    ----------
    input : Tensor
        Floating, (N, M).
    p : float
        Order of the norm, from 0 to infinity.

    Returns
    -------
    Tensor
        ``N * (N - 1) / 2`` distances, in the order of (0, 1), (0, 2), ..., (1, 2), ...

    Raises
    ------
    ShapeError
        For another number of axes.
    InvalidArgument
        When ``p`` is negative.

    Notes
    -----
    Gradient: 0 where two rows are equal.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.pdist(pumice.tensor([[0., 0.], [3., 4.], [0., 1.]])).tolist()
    [5.0, 1.0, 4.242640495300293]
    """
    node = float_node("pdist", tensor_node("pdist", input))
    if len(node.shape) != 2:
        raise ShapeError(describe("pdist", f"got shape {list(node.shape)}", "(N, M)"))
    if not p >= 0:
        raise InvalidArgument(describe("pdist", f"got p={p}", "at least 0"))
    count = node.shape[0]
    first, second = triu_indices(count, count, 1, device=node.device).unbind()
    wide = build.cast(node, accumulation_dtype(node.dtype))
    rows = [taken_by(wide, 0, each.node) for each in (first, second)]
    if not first.shape[0] or not node.shape[1]:
        return wrap(build.constant(0, node.dtype, first.shape, node.device))
    return wrap(build.cast(dropped(norm_node(rows[0] - rows[1], (1,), p), (1,), False), node.dtype))


@method
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """Return the p-norm of a difference.

    Examples
    --------
    >>> pumice.dist(pumice.tensor([1., 1.]), pumice.tensor([4., 5.]))
    tensor(5.)
    """
    return norm(input - other, p)


@functional
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along an axis.

    Examples
    --------
    >>> pumice.nn.functional.cosine_similarity(pumice.tensor([[1., 0.]]), pumice.tensor([[1., 1.]]))
    tensor([0.7071])
    """
    nodes = tensor_node("cosine_similarity", x1, "x1"), tensor_node("cosine_similarity", x2, "x2")
    shape = build.broadcast_shapes("cosine_similarity", *(node.shape for node in nodes))
    kind = build.result_type(*nodes)
    first, second = (build.expand(widened(node), shape) for node in nodes)
    axis = (axis_of("cosine_similarity", dim, len(shape)),) if shape else ()
    product = call("mul", first, second)
    product = build.reduce(reduction.SUM, product, axis) if axis else product
    sizes = [call("clamp_min", norm_node(node, axis, 2), eps) for node in (first, second)]
    cosine = dropped(product / (sizes[0] * sizes[1]), axis, False)
    return wrap(build.cast(cosine, kind) if kind.is_small_float else cosine)
