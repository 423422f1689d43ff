"""The NumPy type of each element type.

Stage: below all others.  Takes: DType.  Gives: numpy.dtype, and back.
"""

from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import DTypeError


@lru_cache(maxsize=64)
def to_numpy(dtype: DType) -> "np.dtype[Any]":
    """Return the NumPy type that stores a dtype bit for bit."""
    name = ml_dtypes.bfloat16 if dtype is dtypes.bfloat16 else dtype.name
    result: np.dtype[Any] = np.dtype(name)
    return result


@lru_cache(maxsize=64)
def from_numpy(numpy_type: "np.dtype[Any]") -> DType:
    """Return the dtype of a NumPy type, or raise for one pumice does not have."""
    found = dtypes.BY_NAME.get(numpy_type.newbyteorder("=").name)
    if found is None:
        allowed = ", ".join(dtype.name for dtype in dtypes.ALL)
        raise DTypeError(f"tensor: NumPy type {numpy_type} is not supported; allowed are {allowed}")
    return found
