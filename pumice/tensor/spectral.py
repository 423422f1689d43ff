"""What follows from singular values: rank, condition, pseudo-inverse, least squares."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.matrices import lower, product
from pumice.ops.solving import PSEUDO_INVERSE
from pumice.tensor.core import expand_to, wrap
from pumice.tensor.marks import linear_algebra
from pumice.tensor.matrix_norms import matrix_norm
from pumice.tensor.matrix_operands import (
    LeastSquares,
    batched,
    check_same_dtype,
    matrices,
    turned,
)
from pumice.tensor.operands import tensor_node
from pumice.tensor.orthogonal import eigvalsh, singular_nodes
from pumice.tensor.solving import inv

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

Limit = Any


def _column(value: Limit, like: Node) -> Node:
    """Return a limit as a node of shape (..., 1)."""
    if isinstance(value, (int, float)):
        return build.constant(float(value), like.dtype, (1,), like.device)
    node = build.cast(tensor_node("limit", value), like.dtype)
    return build.reshape(node, (*node.shape, 1))


def _is_two(p: str | float | None) -> bool:
    return p is None or (isinstance(p, (int, float)) and p in (2, -2))


def _limits(values: Node, shape: tuple[int, int], atol: Limit, rtol: Limit) -> Node:
    """Return what singular values must exceed: the larger of atol and rtol times the largest.

    Without rtol that is the rounding error of the matrix, or 0 where atol says something.
    """
    size = (*values.shape[:-1], 1)
    if not values.shape[-1]:
        return build.constant(0, values.dtype, size, values.device)
    fixed = _column(0.0 if atol is None else atol, values)
    if rtol is None:
        rounding = 2.0**-23 if values.dtype is dtypes.float32 else 2.0**-52
        factor = (fixed > 0).select(0, fixed.const(max(shape) * rounding))
    else:
        factor = _column(rtol, values)
    largest = build.reduce(reduction.AMAX, values, (len(values.shape) - 1,))
    lead = build.broadcast_shapes("matrix_rank", factor.shape, fixed.shape, size)
    factor, fixed, largest = (build.expand(each, lead) for each in (factor, fixed, largest))
    relative = factor * largest
    return (relative < fixed).select(fixed, relative)


def _sizes(node: Node, hermitian: bool) -> Node:
    """Return singular values; of symmetric matrices in no order."""
    if not hermitian:
        return singular_nodes("matrix_rank", node, False)[1]
    values = eigvalsh(wrap(node)).node
    return (values < 0).select(-values, values)


@linear_algebra
def matrix_rank(
    A: Tensor,
    tol: Limit = None,
    *,
    atol: Limit = None,
    rtol: Limit = None,
    hermitian: bool = False,
) -> Tensor:
    """Return how many singular values exceed a limit, int64.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    tol : float or Tensor, optional
        The same as ``atol`` with ``rtol=0``.
    atol, rtol : float or Tensor, optional
        The limit is the larger of atol and rtol times the largest singular value. Without both,
        rtol is the larger of m and n times the dtype's epsilon.
    hermitian : bool
        A is symmetric.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.matrix_rank(pumice.tensor([[1., 2.], [2., 4.]]))
    tensor(1)
    """
    node = build.detach(matrices("matrix_rank", A, square=hermitian))
    if tol is not None:
        atol, rtol = tol, 0.0
    values = _sizes(node, hermitian)
    limits = _limits(values, (node.shape[-2], node.shape[-1]), atol, rtol)
    shape = build.broadcast_shapes("matrix_rank", values.shape, limits.shape)
    above = build.expand(values, shape) > build.expand(limits, shape)
    count = build.reduce(reduction.SUM, build.cast(above, dtypes.int64), (len(shape) - 1,))
    return wrap(build.reshape(count, shape[:-1]))


def _inverted(node: Node, atol: Limit, rtol: Limit) -> tuple[Node, Node, Node, Node]:
    """Return right vectors over the singular values kept, transposed left ones, values, rank."""
    left, values, right = singular_nodes("pinv", node, False)
    limits = _limits(build.detach(values), (node.shape[-2], node.shape[-1]), atol, rtol)
    kept = values > expand_to("pinv", limits, values.shape)
    inverse = kept.select(1 / kept.select(values, 1), 0)
    columns = turned(right)
    across = build.reshape(inverse, (*inverse.shape[:-1], 1, inverse.shape[-1]))
    last = len(values.shape) - 1
    rank = build.reduce(reduction.SUM, build.cast(kept, dtypes.int64), (last,))
    rank = build.reshape(rank, values.shape[:-1])
    return columns * build.expand(across, columns.shape), turned(left), values, rank


@linear_algebra
def pinv(
    A: Tensor,
    rcond: Limit = None,
    *,
    atol: Limit = None,
    rtol: Limit = None,
    hermitian: bool = False,
) -> Tensor:
    """Return the pseudo-inverse.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    rcond : float or Tensor, optional
        The same as ``rtol``.
    atol, rtol : float or Tensor, optional
        Singular values up to the larger of atol and rtol times the largest count as 0; see
        `matrix_rank`.
    hermitian : bool
        A is symmetric, and its lower triangle is read.

    Returns
    -------
    Tensor
        (..., n, m).

    Notes
    -----
    Gradient for matrices of constant rank, P the pseudo-inverse:
    ``-P.T g P.T + (1 - A P) g.T P P.T + P.T P g.T (1 - P A)``.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.pinv(pumice.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    node = matrices("pinv", A, square=hermitian)
    if rcond is not None:
        rtol = rcond
    return wrap(pseudo_inverse(node, atol, rtol, hermitian))


def pseudo_inverse(node: Node, atol: Limit, rtol: Limit, hermitian: bool = False) -> Node:
    """Return the pseudo-inverse, with the gradient of matrices of constant rank."""
    read = build.detach(node)
    if hermitian:
        read = lower(build, read) + turned(lower(build, read, -1))
    right, left, _, _ = _inverted(read, atol, rtol)
    value = build.detach(product(build, right, left))
    if not node.requires_grad:
        return value
    return build.solved(PSEUDO_INVERSE, (value, node), False)


def _least_squares_operands(A: Tensor, B: Tensor, driver: str | None) -> tuple[Node, Node, bool]:
    """Return both operands as equally batched matrices, and whether B was a vector."""
    name = "lstsq"
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise InvalidArgument(
            describe(name, f"got driver={driver!r}", "allowed are gels, gelsy, gelsd and gelss")
        )
    node, right = matrices(name, A), tensor_node(name, B, "B")
    check_same_dtype(name, node, right)
    vector = len(right.shape) == len(node.shape) - 1
    if vector:
        right = build.reshape(right, (*right.shape, 1))
    if len(right.shape) < 2 or right.shape[-2] != node.shape[-2]:
        raise ShapeError(
            describe(
                name,
                f"A has shape {list(node.shape)} and B {list(B.shape)}",
                "B must have as many rows as A",
            )
        )
    node, right = batched(name, node, right)
    return node, right, vector


@linear_algebra
def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> LeastSquares:
    """Return what minimises ``|A X - B|``, the shortest X where several do.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64.
    B : Tensor
        (..., m, k), or (..., m) with A's leading axes.
    rcond : float, optional
        Singular values up to this times the largest count as 0; by default the larger of m and n
        times the dtype's epsilon.
    driver : str, optional
        "gelsy" (default), "gels", "gelsd" or "gelss". All give the same solution.

    Returns
    -------
    solution, residuals, rank, singular_values : Tensor
        The sums of squares that are left, where m is larger than n and the driver is not "gelsy";
        ranks (int64) but with "gels"; singular values with "gelsd" and "gelss". Others are empty.

    Examples
    --------
    >>> import pumice
    >>> A = pumice.tensor([[1., 0.], [1., 1.], [1., 2.]])
    >>> found = pumice.linalg.lstsq(A, pumice.tensor([[1.], [3.], [5.]]))
    >>> found.rank
    tensor(2)
    """
    node, right, vector = _least_squares_operands(A, B, driver)
    plain = build.detach(node)
    _, _, values, rank = _inverted(plain, None, rcond)
    inverse = pseudo_inverse(node, None, rcond)
    found = product(build, inverse, right)
    rows, columns = node.shape[-2:]
    empty = build.constant(0, node.dtype, (0,), node.device)
    residuals = empty
    if rows > columns and driver not in (None, "gelsy"):
        rest = right - product(build, node, found)
        total = build.reduce(reduction.SUM, rest * rest, (len(rest.shape) - 2,))
        residuals = build.reshape(total, (*rest.shape[:-2], rest.shape[-1]))
    if vector:
        found = build.reshape(found, found.shape[:-1])
    if driver == "gels":
        rank = build.cast(empty, dtypes.int64)
    if driver not in ("gelsd", "gelss"):
        values = empty
    return LeastSquares(wrap(found), wrap(residuals), wrap(rank), wrap(values))


@linear_algebra
def cond(A: Tensor, p: str | float | None = None) -> Tensor:
    """Return the condition number: the product of the norms of a matrix and its inverse.

    Parameters
    ----------
    A : Tensor
        (..., m, n), float32 or float64; square unless p is None, 2 or -2.
    p : int, float or str, optional
        Order of the norm: None or 2 (ratio of the largest and smallest singular value), -2 (its
        reciprocal), "fro", "nuc", 1, -1, inf or -inf.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.cond(pumice.tensor([[4., 0.], [0., 2.]]))
    tensor(2.)
    """
    node = matrices("cond", A, square=not _is_two(p))
    if not _is_two(p):
        if not node.numel:
            return wrap(build.constant(0, node.dtype, node.shape[:-2], node.device))
        return matrix_norm(A, p) * matrix_norm(inv(A), p)  # type: ignore[arg-type]
    values = singular_nodes("cond", node, False)[1]
    count, last = values.shape[-1], len(values.shape) - 1
    if not count:
        raise ShapeError(describe("cond", f"A has shape {list(node.shape)}", "it has no elements"))
    largest, smallest = (build.slice_axis(values, last, at, 1) for at in (0, count - 1))
    ratio = smallest / largest if p == -2 else largest / smallest
    return wrap(build.reshape(ratio, values.shape[:-1]))
