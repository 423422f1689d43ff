"""The functions of `pumice.linalg`.

Written by tools/gen_api.py; do not edit.
"""

from pumice.tensor.cholesky_factors import (
    cholesky_ex,
)
from pumice.tensor.decompositions import (
    cholesky,
)
from pumice.tensor.determinants import (
    det,
    slogdet,
)
from pumice.tensor.matrix_functions import (
    diagonal,
    matmul,
    matrix_exp,
    matrix_power,
    multi_dot,
    tensorinv,
    vander,
)
from pumice.tensor.matrix_norms import (
    cross,
    matrix_norm,
    norm,
    vecdot,
    vector_norm,
)
from pumice.tensor.orthogonal import (
    eig,
    eigh,
    eigvals,
    eigvalsh,
    householder_product,
    qr,
    svd,
    svdvals,
)
from pumice.tensor.solving import (
    inv,
    inv_ex,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    solve,
    solve_ex,
    solve_triangular,
)
from pumice.tensor.spectral import (
    cond,
    lstsq,
    matrix_rank,
    pinv,
)

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
