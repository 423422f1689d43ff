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

__all__ = [
    "cholesky",
    "cholesky_ex",
    "cross",
    "det",
    "diagonal",
    "inv",
    "inv_ex",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "multi_dot",
    "norm",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "tensorinv",
    "vander",
    "vecdot",
    "vector_norm",
]
