"""Functions of linear algebra under the names they have in ``pumice`` itself."""

# ruff: noqa: N803 - matrices have PyTorch's names

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.graph import build
from pumice.tensor import determinants, matrix_functions, solving
from pumice.tensor.cholesky_factors import cholesky_node
from pumice.tensor.core import wrap
from pumice.tensor.marks import method, public
from pumice.tensor.matrix_operands import (
    LUResult,
    SignLogarithm,
    TriangularSolution,
    matrices,
    turned,
)

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@method
def inverse(input: Tensor) -> Tensor:
    """Return the inverse, as `pumice.linalg.inv` does.

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
    >>> pumice.inverse(pumice.tensor([[4.]]))
    tensor([[0.2500]])
    """
    return solving.inv(input)


@method
def det(input: Tensor) -> Tensor:
    """Return the determinant, as `pumice.linalg.det` does.

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
    >>> pumice.det(pumice.tensor([[1., 2.], [4., 4.]]))
    tensor(-4.)
    """
    return determinants.det(input)


@method
def slogdet(input: Tensor) -> SignLogarithm:
    """Return the sign of the determinant and the logarithm of its size.

    Parameters
    ----------
    input : Tensor
        (..., n, n), float32 or float64.

    Returns
    -------
    sign, logabsdet : Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.slogdet(pumice.tensor([[-1.]])).sign
    tensor(-1.)
    """
    return determinants.slogdet(input)


@method
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Return square matrices multiplied by themselves, as `pumice.linalg.matrix_power` does.

    Parameters
    ----------
    input : Tensor
        (..., n, n).
    n : int
        The power; a negative one inverts first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.matrix_power(pumice.tensor([[1., 1.], [0., 1.]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    return matrix_functions.matrix_power(input, n)


@method
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Return the lower triangle L with ``input = L @ L.T``, as `pumice.linalg.cholesky` does.

    Parameters
    ----------
    input : Tensor
        (..., n, n), symmetric and positive definite, float32 or float64; one triangle is read.
    upper : bool
        Return the upper triangle ``L.T`` instead, and read that of the input.

    Returns
    -------
    Tensor

    Raises
    ------
    LinAlgError
        When it is computed and a matrix is not positive definite.

    Examples
    --------
    >>> import pumice
    >>> pumice.cholesky(pumice.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return wrap(cholesky_node(input, upper))


@method
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Solve ``A X = input`` from what `pumice.linalg.lu_factor` gave for A.

    Parameters
    ----------
    input : Tensor
        (..., n, k), float32 or float64.
    LU_data, LU_pivots : Tensor
        The factors.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> LU, pivots = pumice.linalg.lu_factor(pumice.tensor([[2.]]))
    >>> pumice.lu_solve(pumice.tensor([[6.]]), LU, pivots)
    tensor([[3.]])
    """
    return solving.lu_solve(LU_data, LU_pivots, input)


@public
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> LUResult:
    """Return ``P, L, U`` from what `pumice.linalg.lu_factor` gives.

    Parameters
    ----------
    LU_data, LU_pivots : Tensor
        The factors.
    unpack_data, unpack_pivots : bool
        Whether L and U, and P, are wanted; others come without elements.

    Returns
    -------
    P, L, U : Tensor

    Examples
    --------
    >>> import pumice
    >>> P, L, U = pumice.lu_unpack(*pumice.linalg.lu_factor(pumice.tensor([[2.]])))
    >>> P @ L @ U
    tensor([[2.]])
    """
    node = matrices("lu_unpack", LU_data, "LU_data")
    empty = wrap(build.constant(0, node.dtype, (0,), node.device))
    P, L, U = (wrap(each) for each in solving.unpacked("lu_unpack", node, LU_pivots))  # noqa: N806
    return LUResult(
        P if unpack_pivots else empty, L if unpack_data else empty, U if unpack_data else empty
    )


@method
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> TriangularSolution:
    """Solve ``A X = input`` for a matrix of which one triangle is read.

    Parameters
    ----------
    input : Tensor
        (..., n, k), float32 or float64.
    A : Tensor
        (..., n, n).
    upper, transpose, unitriangular : bool
        Read the upper triangle; transpose it; take ones for its diagonal.

    Returns
    -------
    solution, cloned_coefficient : Tensor
        The solution, and A.

    Examples
    --------
    >>> import pumice
    >>> pumice.triangular_solve(pumice.tensor([[6.]]), pumice.tensor([[2.]])).solution
    tensor([[3.]])
    """
    node = matrices("triangular_solve", A, square=True)
    matrix = wrap(turned(node)) if transpose else A
    found = solving.solve_triangular(
        matrix, input, upper=upper is not transpose, unitriangular=unitriangular
    )
    return TriangularSolution(found, wrap(node))
