"""Importing this module fills the registry with every elementwise entry."""

from pumice.ops import (
    activation,
    arithmetic,
    bitwise,
    comparison,
    domain,
    exponential,
    extremum,
    gamma,
    hyperbolic,
    random,
    rounding,
    special,
    trigonometric,
)

MODULES = (
    activation,
    arithmetic,
    bitwise,
    comparison,
    domain,
    exponential,
    extremum,
    gamma,
    hyperbolic,
    random,
    rounding,
    special,
    trigonometric,
)
