"""The functions of `pumice.linalg`.

Written by tools/gen_api.py; do not edit.
"""

# Methods of a part of Tensor take the whole Tensor as self; == returns a tensor; operators may
# return NotImplemented, so their helpers return Any.
# mypy: disable-error-code="misc, override, no-any-return"
# ruff: noqa: F401, N803

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pumice.arguments import integer, lenient_truth, refuse, truth
from pumice.dtypes import DType
from pumice.tensor import cholesky_factors as _cholesky_factors
from pumice.tensor import decompositions as _decompositions
from pumice.tensor import determinants as _determinants
from pumice.tensor import matrix_functions as _matrix_functions
from pumice.tensor import matrix_norms as _matrix_norms
from pumice.tensor import orthogonal as _orthogonal
from pumice.tensor import solving as _solving
from pumice.tensor import spectral as _spectral
from pumice.tensor._public import (
    cross,
    matrix_exp,
)
from pumice.tensor.axes import Dims
from pumice.tensor.matrix_operands import (
    CholeskyInfo,
    InverseInfo,
    LeastSquares,
    LUFactors,
    LUFactorsInfo,
    LUResult,
    QRResult,
    ResultInfo,
    SignLogarithm,
    SingularValues,
    SymmetricEigen,
)
from pumice.tensor.outputs import chosen, store, takes_out
from pumice.tensor.spectral import Limit

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@takes_out(_decompositions.cholesky)
def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    try:
        if upper is not False:
            truth(upper)
        result = _decompositions.cholesky(A, upper=upper)
        return result if out is None else store("cholesky", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_cholesky_factors.cholesky_ex)
def cholesky_ex(
    A: Tensor,
    *,
    upper: bool = False,
    check_errors: bool = False,
    out: Sequence[Tensor] | None = None,
) -> CholeskyInfo:
    try:
        if upper is not False:
            truth(upper)
        if check_errors is not False:
            truth(check_errors)
        result = _cholesky_factors.cholesky_ex(A, upper=upper, check_errors=check_errors)
        return result if out is None else store("cholesky_ex", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_spectral.cond)
def cond(A: Tensor, p: str | float | None = None, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _spectral.cond(A, p)
        return result if out is None else store("cond", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_determinants.det)
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _determinants.det(A)
        return result if out is None else store("det", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.diagonal)
def diagonal(
    A: Tensor,
    *,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(offset) is not int:
            integer(offset)
        result = _matrix_functions.diagonal(A, offset=offset, dim1=dim1, dim2=dim2)
        return result if out is None else store("diagonal", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.eig)
def eig(A: Tensor, *, out: Sequence[Tensor] | None = None) -> SymmetricEigen:
    try:
        result = _orthogonal.eig(A)
        return result if out is None else store("eig", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.eigh)
def eigh(A: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> SymmetricEigen:
    try:
        result = _orthogonal.eigh(A, UPLO)
        return result if out is None else store("eigh", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.eigvals)
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _orthogonal.eigvals(A)
        return result if out is None else store("eigvals", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.eigvalsh)
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    try:
        result = _orthogonal.eigvalsh(A, UPLO)
        return result if out is None else store("eigvalsh", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.householder_product)
def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _orthogonal.householder_product(A, tau)
        return result if out is None else store("householder_product", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.inv)
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _solving.inv(A)
        return result if out is None else store("inv", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.inv_ex)
def inv_ex(
    A: Tensor,
    *,
    check_errors: bool = False,
    out: Sequence[Tensor] | None = None,
) -> InverseInfo:
    try:
        if check_errors is not False:
            truth(check_errors)
        result = _solving.inv_ex(A, check_errors=check_errors)
        return result if out is None else store("inv_ex", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_spectral.lstsq)
def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> LeastSquares:
    try:
        result = _spectral.lstsq(A, B, rcond, driver=driver)
        return result if out is None else store("lstsq", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.lu)
def lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> LUResult:
    try:
        if pivot is not True:
            truth(pivot)
        result = _solving.lu(A, pivot=pivot)
        return result if out is None else store("lu", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.lu_factor)
def lu_factor(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> LUFactors:
    try:
        if pivot is not True:
            truth(pivot)
        result = _solving.lu_factor(A, pivot=pivot)
        return result if out is None else store("lu_factor", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.lu_factor_ex)
def lu_factor_ex(
    A: Tensor,
    *,
    pivot: bool = True,
    check_errors: bool = False,
    out: Sequence[Tensor] | None = None,
) -> LUFactorsInfo:
    try:
        if pivot is not True:
            truth(pivot)
        if check_errors is not False:
            truth(check_errors)
        result = _solving.lu_factor_ex(A, pivot=pivot, check_errors=check_errors)
        return result if out is None else store("lu_factor_ex", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.lu_solve)
def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if left is not True:
            truth(left)
        if adjoint is not False:
            truth(adjoint)
        result = _solving.lu_solve(LU, pivots, B, left=left, adjoint=adjoint)
        return result if out is None else store("lu_solve", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.matmul)
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_functions.matmul(input, other)
        return result if out is None else store("matmul", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_norms.matrix_norm)
def matrix_norm(
    A: Tensor,
    ord: str | float = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _matrix_norms.matrix_norm(A, ord, dim, keepdim, dtype=chosen(dtype, out))
        return result if out is None else store("matrix_norm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.matrix_power)
def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(n) is not int:
            integer(n)
        result = _matrix_functions.matrix_power(A, n)
        return result if out is None else store("matrix_power", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_spectral.matrix_rank)
def matrix_rank(
    A: Tensor,
    tol: Limit = None,
    *,
    atol: Limit = None,
    rtol: Limit = None,
    hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if hermitian is not False:
            truth(hermitian)
        result = _spectral.matrix_rank(A, tol, atol=atol, rtol=rtol, hermitian=hermitian)
        return result if out is None else store("matrix_rank", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.multi_dot)
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_functions.multi_dot(tensors)
        return result if out is None else store("multi_dot", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_norms.norm)
def norm(
    A: Tensor,
    ord: str | float | None = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _matrix_norms.norm(A, ord, dim, keepdim, dtype=chosen(dtype, out))
        return result if out is None else store("norm", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_spectral.pinv)
def pinv(
    A: Tensor,
    rcond: Limit = None,
    *,
    atol: Limit = None,
    rtol: Limit = None,
    hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if hermitian is not False:
            truth(hermitian)
        result = _spectral.pinv(A, rcond, atol=atol, rtol=rtol, hermitian=hermitian)
        return result if out is None else store("pinv", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.qr)
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> QRResult:
    try:
        result = _orthogonal.qr(A, mode)
        return result if out is None else store("qr", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_determinants.slogdet)
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> SignLogarithm:
    try:
        result = _determinants.slogdet(A)
        return result if out is None else store("slogdet", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.solve)
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    try:
        if left is not True:
            truth(left)
        result = _solving.solve(A, B, left=left)
        return result if out is None else store("solve", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.solve_ex)
def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    check_errors: bool = False,
    out: Sequence[Tensor] | None = None,
) -> ResultInfo:
    try:
        if left is not True:
            truth(left)
        if check_errors is not False:
            truth(check_errors)
        result = _solving.solve_ex(A, B, left=left, check_errors=check_errors)
        return result if out is None else store("solve_ex", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_solving.solve_triangular)
def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if upper is not True and upper is not False:
            truth(upper)
        if left is not True:
            truth(left)
        if unitriangular is not False:
            truth(unitriangular)
        result = _solving.solve_triangular(
            A, B, upper=upper, left=left, unitriangular=unitriangular
        )
        return result if out is None else store("solve_triangular", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.svd)
def svd(
    A: Tensor,
    full_matrices: bool = True,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> SingularValues:
    try:
        if full_matrices is not True:
            truth(full_matrices)
        result = _orthogonal.svd(A, full_matrices, driver=driver)
        return result if out is None else store("svd", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_orthogonal.svdvals)
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    try:
        result = _orthogonal.svdvals(A, driver=driver)
        return result if out is None else store("svdvals", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.tensorinv)
def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(ind) is not int:
            integer(ind)
        result = _matrix_functions.tensorinv(A, ind)
        return result if out is None else store("tensorinv", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_functions.vander)
def vander(x: Tensor, N: int | None = None, *, out: Tensor | None = None) -> Tensor:
    try:
        if N is not None and type(N) is not int:
            integer(N)
        result = _matrix_functions.vander(x, N)
        return result if out is None else store("vander", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_norms.vecdot)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    try:
        result = _matrix_norms.vecdot(x, y, dim=dim)
        return result if out is None else store("vecdot", result, out)
    except Exception as error:
        refuse(error)
        raise


@takes_out(_matrix_norms.vector_norm)
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if keepdim is not False:
            truth(keepdim)
        result = _matrix_norms.vector_norm(x, ord, dim, keepdim, dtype=chosen(dtype, out))
        return result if out is None else store("vector_norm", result, out)
    except Exception as error:
        refuse(error)
        raise


__all__ = [
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "vander",
    "vecdot",
    "vector_norm",
]
