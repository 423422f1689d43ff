"""The operations on whole matrices that kernels of their own compute."""

from pumice.ops.definition import OpDef
from pumice.ops.triangular import CHOLESKY, LU, TRIANGULAR

MATRIX_OPERATIONS: tuple[OpDef, ...] = (TRIANGULAR, LU, CHOLESKY)
