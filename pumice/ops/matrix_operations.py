"""The operations on whole matrices that kernels of their own compute."""

from pumice.ops.definition import OpDef
from pumice.ops.orthogonal import EIGEN, QR, SINGULAR, SINGULAR_VALUES
from pumice.ops.solving import DETERMINANT, PSEUDO_INVERSE, SOLVED
from pumice.ops.triangular import CHOLESKY, LU, PERMUTATION, TRIANGULAR

MATRIX_OPERATIONS: tuple[OpDef, ...] = (TRIANGULAR, LU, CHOLESKY, PERMUTATION, QR, EIGEN, SINGULAR)

"""Each has kernels, and leading axes that are a batch."""

WITH_GRADIENTS: tuple[OpDef, ...] = (SOLVED, DETERMINANT, SINGULAR_VALUES, PSEUDO_INVERSE)
"""Identities of their first source that only gradients tell apart."""
