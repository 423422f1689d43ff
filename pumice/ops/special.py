"""Entries of special functions and of functions of several arguments that need care."""

from typing import Any

from pumice.ops import error_core, exponential_core, trigonometric_core
from pumice.ops.definition import Accepts, Elementwise, Samples, register
from pumice.ops.documentation import binary, document, unary
from pumice.ops.exponential import exp
from pumice.ops.scalar import (
    INFINITY,
    NAN,
    bits,
    choose,
    format_of,
    is_bool,
    is_float,
    is_nan,
    magnitude_bits,
    power_of_two,
)
from pumice.ops.trigonometric import cos
from pumice.ops.vocabulary import Operand, ScalarOperand

SPECIAL = (0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 1e-8, 1e-40, 3.0e38, INFINITY, -INFINITY, NAN)
TWO_OVER_ROOT_PI = 1.1283791670955126


def _vectorised(function: Any) -> Any:
    """Return a NumPy reference from a function of Python floats."""

    def reference(np: Any, x: Any) -> Any:
        return np.vectorize(function, otypes=[np.float64])(x.astype(np.float64)).astype(x.dtype)

    return reference
