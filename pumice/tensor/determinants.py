"""Determinants."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.solving import DETERMINANT, logarithm_of_pivots, product_of_pivots
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra, method
from pumice.tensor.matrix_operands import SignLogarithm, matrices
from pumice.tensor.operands import call
from pumice.tensor.solving import lu_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _with_gradient(value: Node, matrix: Node, packed: Node, logarithm: bool) -> Node:
    if not matrix.requires_grad:
        return value
    return build.solved(DETERMINANT, (value, matrix, packed), logarithm)


@linear_algebra
def det(A: Tensor) -> Tensor:
    """Return the determinant.

    Parameters
    ----------
    A : Tensor
        (..., n, n), float32 or float64.

    Returns
    -------
    Tensor
        (...); 1 for matrices without elements.

    Notes
    -----
    Gradient: ``g * det * inverse.T``. Where there is no inverse, tiny pivots stand for the zeros.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.det(pumice.tensor([[1., 2.], [4., 4.]]))
    tensor(-4.)
    """
    matrix = matrices("det", A, square=True)
    packed = build.detach(lu_node(matrix))
    value = product_of_pivots(build, packed, matrix.shape[-1])
    return wrap(_with_gradient(value, matrix, packed, False))


@linear_algebra
def slogdet(A: Tensor) -> SignLogarithm:
    """Return the sign of the determinant and the logarithm of its size.

    Parameters
    ----------
    A : Tensor
        (..., n, n), float32 or float64.

    Returns
    -------
    sign, logabsdet : Tensor
        0 and -inf for a singular matrix.

    Notes
    -----
    Gradient of the logarithm: ``g * inverse.T``; the sign has none.

    Examples
    --------
    >>> import pumice
    >>> sign, logarithm = pumice.linalg.slogdet(pumice.tensor([[0., 1.], [1., 0.]]))
    >>> sign, logarithm
    (tensor(-1.), tensor(0.))
    """
    matrix = matrices("slogdet", A, square=True)
    packed = build.detach(lu_node(matrix))
    sign, value = logarithm_of_pivots(build, packed, matrix.shape[-1])
    return SignLogarithm(wrap(sign), wrap(_with_gradient(value, matrix, packed, True)))


@method
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant: NaN where that is negative, -inf where it is 0.

    Parameters
    ----------
    input : Tensor
        (..., n, n), float32 or float64.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.logdet(pumice.tensor([[1., 0.], [0., 1.]]))
    tensor(0.)
    """
    sign, value = slogdet(input)
    return wrap(call("where", sign.node < 0, float("nan"), value.node))
