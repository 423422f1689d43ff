"""Factorisations of whole matrices under the names of ``pumice.linalg``."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.tensor.cholesky_factors import cholesky_node
from pumice.tensor.core import wrap
from pumice.tensor.marks import linear_algebra

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@linear_algebra
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangle L with ``A = L @ L.T``.

    Parameters
    ----------
    A : Tensor
        (..., n, n), symmetric and positive definite, float32 or float64; one triangle is read.
    upper : bool
        Return the upper triangle ``L.T`` instead, and read that of A.

    Returns
    -------
    Tensor

    Raises
    ------
    LinAlgError
        When it is computed and a matrix is not positive definite.
    ShapeError
        When A is not square.

    Notes
    -----
    Gradient: with ``M`` the lower triangle of ``L.T g``, its diagonal halved, the symmetric part of
    ``L^-T M L^-1``.

    Examples
    --------
    >>> import pumice
    >>> pumice.linalg.cholesky(pumice.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return wrap(cholesky_node(A, upper))
