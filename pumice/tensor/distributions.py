"""Filling tensors with random numbers of further distributions."""

from __future__ import annotations

from math import log1p, pi
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import DType
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.generator import Draw, Generator
from pumice.tensor.marks import method
from pumice.tensor.operands import call, replace

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _wide(dtype: DType) -> DType:
    """Return the type in which numbers are computed."""
    return dtype if dtype is dtypes.float64 else dtypes.float32


def _uniform(operator: str, input: Tensor, generator: Generator | None) -> Node:
    """Return uniform numbers from 0 up to, not including, 1."""
    if not input.dtype.is_floating_point:
        raise DTypeError(
            describe(operator, f"got {input.dtype.name}", "allowed are floating types")
        )
    return Draw(input.shape, input.device, generator).uniform(_wide(input.dtype))


def _filled(operator: str, input: Tensor, numbers: Node) -> Tensor:
    return replace(input, operator, build.cast(numbers, input.dtype), True)


@method
def exponential_(
    input: Tensor, lambd: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with exponentially distributed numbers.

    Parameters
    ----------
    input : Tensor
        Floating.
    lambd : float
        The rate, above 0; the mean is its reciprocal.
    generator : Generator, optional
        The stream to draw from.

    Returns
    -------
    Tensor
        The input.

    Raises
    ------
    InvalidArgument
        When the rate is not positive.

    Examples
    --------
    >>> import pumice
    >>> bool((pumice.exponential_(pumice.empty(3), 2.0) >= 0).all())
    True
    """
    if not lambd > 0:
        raise InvalidArgument(describe("exponential_", f"got lambd={lambd}", "it must be above 0"))
    shares = _uniform("exponential_", input, generator)
    return _filled("exponential_", input, call("log1p", -shares) * (-1 / lambd))


@method
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of trials up to the first success.

    Parameters
    ----------
    input : Tensor
        Any dtype but bool.
    p : float
        Probability of success in one trial, above 0 and below 1.
    generator : Generator, optional
        The stream to draw from.

    Returns
    -------
    Tensor
        The input: whole numbers from 1 on.

    Raises
    ------
    InvalidArgument
        When ``p`` is not between 0 and 1.

    Examples
    --------
    >>> import pumice
    >>> bool((pumice.geometric_(pumice.empty(3), 0.5) >= 1).all())
    True
    """
    if not 0 < p < 1:
        raise InvalidArgument(describe("geometric_", f"got p={p}", "between 0 and 1"))
    if input.dtype is dtypes.bool_:
        raise DTypeError(describe("geometric_", "got bool", "integer and floating types"))
    shares = Draw(input.shape, input.device, generator).uniform(_wide(input.dtype))
    trials = call("floor", call("log1p", -shares) * (1 / log1p(-p))) + 1
    return _filled("geometric_", input, trials)


@method
def cauchy_(
    input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers of a Cauchy distribution.

    Parameters
    ----------
    input : Tensor
        Floating.
    median, sigma : float
        Its middle and half its width at half its height.
    generator : Generator, optional
        The stream to draw from.

    Returns
    -------
    Tensor
        The input.

    Raises
    ------
    InvalidArgument
        When ``sigma`` is not positive.

    Examples
    --------
    >>> import pumice
    >>> pumice.cauchy_(pumice.empty(3)).isfinite().tolist()
    [True, True, True]
    """
    if not sigma > 0:
        raise InvalidArgument(describe("cauchy_", f"got sigma={sigma}", "it must be above 0"))
    shares = _uniform("cauchy_", input, generator)
    # Half a step away from 0 and 1, where the tangent has no end.
    half = 2.0 ** -(shares.dtype.mantissa + 2)
    return _filled("cauchy_", input, call("tan", (shares + (half - 0.5)) * pi) * sigma + median)


@method
def log_normal_(
    input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with exponentials of normal numbers of given mean and standard deviation.

    Parameters
    ----------
    input : Tensor
        Floating.
    mean, std : float
        Those of the logarithms; ``std`` is above 0.
    generator : Generator, optional
        The stream to draw from.

    Returns
    -------
    Tensor
        The input.

    Raises
    ------
    InvalidArgument
        When ``std`` is not positive.

    Examples
    --------
    >>> import pumice
    >>> bool((pumice.log_normal_(pumice.empty(3)) > 0).all())
    True
    """
    if not std > 0:
        raise InvalidArgument(describe("log_normal_", f"got std={std}", "it must be above 0"))
    if not input.dtype.is_floating_point:
        raise DTypeError(
            describe("log_normal_", f"got {input.dtype.name}", "allowed are floating types")
        )
    numbers = Draw(input.shape, input.device, generator).normal(_wide(input.dtype))
    return _filled("log_normal_", input, call("exp", numbers * std + mean))
