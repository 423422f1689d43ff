"""Cholesky factors, and what is solved with them."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.matrices import part
from pumice.ops.triangular import CHOLESKY, cholesky_packing, solved
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra, method
from pumice.tensor.matrix_operands import (
    CholeskyInfo,
    batched,
    check_rows,
    check_same_dtype,
    checked,
    identity_like,
    matrices,
    turned,
)
from pumice.tensor.results import shared

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def factor(value: Tensor, upper: bool, check_errors: bool) -> tuple[Node, Node]:
    """Return the factor, and the order of the first minor that is not positive."""
    node = matrices("cholesky", value, square=True)
    packing = cholesky_packing(node.shape)
    packed = shared(build.factored(CHOLESKY, turned(node) if upper else node, packing))
    found, problem = (part(build, packed, packing, name) for name in ("factor", "problem"))
    if check_errors:
        found = checked("cholesky", found, problem)
    return turned(found) if upper else found, build.cast(problem, dtypes.int32)


def cholesky_node(value: Tensor, upper: bool) -> Node:
    """Return the factor; a matrix that is not positive definite raises."""
    return factor(value, upper, True)[0]


@linear_algebra
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> CholeskyInfo:
    """Factor as `linalg.cholesky` does; `info` is the order of the first bad minor, or 0.

    Examples
    --------
    >>> factor, info = pumice.linalg.cholesky_ex(pumice.tensor([[4., 2.], [2., 5.]]))
    >>> factor.tolist(), info.item()
    ([[2.0, 0.0], [1.0, 2.0]], 0)
    """
    found, info = factor(A, upper, check_errors)
    return CholeskyInfo(wrap(found), wrap(info))


@method
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """Solve ``A X = input`` from the Cholesky factor of A.

    Parameters
    ----------
    input : Tensor
        (..., n, k), float32 or float64.
    L : Tensor
        (..., n, n), the factor.
    upper : bool
        The factor is the upper one.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> L = pumice.linalg.cholesky(pumice.tensor([[4., 0.], [0., 16.]]))
    >>> pumice.cholesky_solve(pumice.tensor([[4.], [32.]]), L)
    tensor([[1.],
            [2.]])
    """
    name = "cholesky_solve"
    right, found = matrices(name, input, "input"), matrices(name, L, "L", square=True)
    check_same_dtype(name, found, right)
    check_rows(name, found, right, True)
    found, right = batched(name, turned(found) if upper else found, right)
    middle = solved(build, found, right, lower=True)
    return wrap(solved(build, turned(found), middle, lower=False))


@method
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """Return the inverse of A from its Cholesky factor.

    Parameters
    ----------
    L : Tensor
        (..., n, n), the factor.
    upper : bool
        The factor is the upper one.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> L = pumice.linalg.cholesky(pumice.tensor([[4., 0.], [0., 16.]]))
    >>> pumice.cholesky_inverse(L)
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    node = matrices("cholesky_inverse", L, "L", square=True)
    return cholesky_solve(wrap(identity_like(node, node.shape[-1])), L, upper)
