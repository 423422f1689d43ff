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
from pumice.ops.definition import Elementwise, registry
from pumice.ops.matrices import CHECKED_ENTRIES

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

ELEMENTWISE: tuple[Elementwise, ...] = tuple(
    entry for entry in registry.elementwise() if entry not in CHECKED_ENTRIES.values()
)
"""The entries of these modules, and none that anybody registers later."""
