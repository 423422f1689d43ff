"""Norms of vectors and matrices, and products of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.dtypes import DType, accumulation_dtype
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.ops import reduction
from pumice.tensor.axes import Dims, axes_of, axis_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra, method
from pumice.tensor.matrix_operands import matrices
from pumice.tensor.norms import norm_node
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.reductions import dropped, float_node, fold
from pumice.tensor.singular_norms import fold_of, singular_norm

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@linear_algebra
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """Return the norm of elements along axes, all by default; the gradient at 0 is 0.

    Parameters
    ----------
    x : Tensor
        Any shape.
    ord : float
        Order of the norm.
    dim : int, sequence of int or None
        The axes.
    keepdim : bool
        Keep reduced axes with extent 1.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.vector_norm(pumice.tensor([3., 4.]))
    tensor(5.)
    """
    node = float_node("vector_norm", tensor_node("vector_norm", x), dtype)
    axes = axes_of("vector_norm", dim, len(node.shape))
    wide = build.cast(node, accumulation_dtype(node.dtype))
    return wrap(build.cast(dropped(norm_node(wide, axes, float(ord)), axes, keepdim), node.dtype))


@linear_algebra
def matrix_norm(
    A: Tensor,  # noqa: N803 - PyTorch's name
    ord: str | float = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """Return a norm of matrices.

    Parameters
    ----------
    A : Tensor
        Floating; float32 or float64 where singular values are needed.
    ord : int, float or str
        "fro" (root of the sum of squares), "nuc" (sum of the singular values), 2 or -2 (the
        largest, the smallest of them), 1, -1, inf or -inf (sums of columns, or rows).
    dim : pair of int
        The axes of the matrices.
    keepdim : bool
        Keep them with extent 1.
    dtype : DType, optional
        Convert to it first.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        For another order.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.matrix_norm(pumice.tensor([[3., 0.], [0., 4.]]), "nuc")
    tensor(7.)
    """
    if isinstance(ord, str) and ord == "fro":
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    infinity = float("inf")
    if ord not in ("nuc", 2, -2, 1, -1, infinity, -infinity):
        raise InvalidArgument(
            describe(
                "matrix_norm",
                f"got ord={ord!r}",
                "allowed are 'fro', 'nuc', 2, -2, 1, -1, inf and -inf",
            )
        )
    node = float_node("matrix_norm", tensor_node("matrix_norm", A), dtype)
    first, second = axes_of("matrix_norm", tuple(dim), len(node.shape))
    if ord in ("nuc", 2, -2):
        matrices("matrix_norm", wrap(node))
        return wrap(singular_norm("matrix_norm", node, (first, second), ord, keepdim))
    summed, chosen = (first, second) if abs(float(ord)) == 1 else (second, first)
    sizes = build.reduce(reduction.SUM, call("abs", node), (summed,))
    found = build.reduce(fold_of(ord, sizes, chosen), sizes, (chosen,))
    return wrap(dropped(found, (first, second), keepdim))


@linear_algebra
def norm(
    A: Tensor,  # noqa: N803 - PyTorch's name
    ord: str | float | None = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """Return a vector or matrix norm, as the axes and the order ask for.

    Examples
    --------
    >>> pumice.linalg.norm(pumice.tensor([3., 4.]))
    tensor(5.)
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    pair = isinstance(dim, (tuple, list)) and len(dim) == 2
    if isinstance(ord, str) or pair or (dim is None and len(A.shape) == 2):
        axes = tuple(dim) if pair and isinstance(dim, (tuple, list)) else (-2, -1)
        return matrix_norm(A, ord, (axes[0], axes[1]), keepdim, dtype=dtype)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


@linear_algebra
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the sums of products along an axis.

    Examples
    --------
    >>> pumice.linalg.vecdot(pumice.tensor([[1., 2.], [3., 4.]]), pumice.tensor([5., 6.]))
    tensor([17., 39.])
    """
    product = call("mul", tensor_node("vecdot", x), tensor_node("vecdot", y))
    axis = axis_of("vecdot", dim, len(product.shape))
    return wrap(build.cast(fold(reduction.SUM, product, axis, False), product.dtype))


@method
@linear_algebra
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Return the vector product along an axis of extent 3.

    Raises
    ------
    ShapeError
        When the axis has another extent.

    Examples
    --------
    >>> pumice.cross(pumice.tensor([1., 0., 0.]), pumice.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    first, second = tensor_node("cross", input), tensor_node("cross", other)
    if len(first.shape) != len(second.shape):
        raise ShapeError(
            describe("cross", f"shapes {list(first.shape)} and {list(second.shape)}", "equal ranks")
        )
    shape = build.broadcast_shapes("cross", first.shape, second.shape)
    first, second = build.expand(first, shape), build.expand(second, shape)
    axis = axis_of("cross", dim, len(shape))
    for given in (input, other):
        if given.shape[axis] != 3:
            raise ShapeError(
                describe("cross", f"axis {axis} has {given.shape[axis]} elements", "3")
            )
    a, b = (
        [build.slice_axis(node, axis, place, 1) for place in range(3)] for node in (first, second)
    )
    parts = [
        a[(place + 1) % 3] * b[(place + 2) % 3] - a[(place + 2) % 3] * b[(place + 1) % 3]
        for place in range(3)
    ]
    return wrap(build.concatenate(parts, axis))
