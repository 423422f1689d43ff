"""The operations on whole matrices that kernels of their own compute."""

from pumice.ops.definition import OpDef
from pumice.ops.solving import DETERMINANT, SOLVED
from pumice.ops.triangular import CHOLESKY, LU, PERMUTATION, TRIANGULAR

MATRIX_OPERATIONS: tuple[OpDef, ...] = (TRIANGULAR, LU, CHOLESKY, PERMUTATION)

"""Each has kernels, and leading axes that are a batch."""

WITH_GRADIENTS: tuple[OpDef, ...] = (SOLVED, DETERMINANT)
"""Identities of their first source that only gradients tell apart."""
