"""Windows of signals."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pumice.dtypes import DType, default_float
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.tensor.convert import device_of, upload
from pumice.tensor.marks import public

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

Shape = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _window(
    operator: str,
    length: int,
    periodic: bool,
    shape: Shape,
    dtype: DType | None,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    """Return a function of places from 0 to 1, computed in float64 on the host and rounded once."""
    if length < 0:
        raise InvalidArgument(describe(operator, f"got length {length}", "at least 0"))
    kind = dtype or default_float()
    if not kind.is_floating_point:
        raise DTypeError(describe(operator, f"got {kind.name}", "allowed are floating types"))
    length = int(length)
    last = length if periodic else length - 1
    values = np.ones(length) if length <= 1 else shape(np.arange(length) / last)
    result = upload(values, kind, device_of(device))
    return result.requires_grad_() if requires_grad else result


@public
def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hann window: ``sin(pi * n / N)**2``.

    Parameters
    ----------
    window_length : int
        Number of elements.
    periodic : bool
        Whether N is the length, for windows side by side; otherwise N is one less, and the
        window is symmetric.
    dtype : DType, optional
        Floating; the default float by default.
    device : str or Device, optional
        `set_default_device` chooses for None.
    requires_grad : bool
        Whether gradients are collected.

    Returns
    -------
    Tensor
        Of shape (window_length,); a window of one element is 1.

    Raises
    ------
    InvalidArgument
        When the length is negative.
    DTypeError
        For a dtype that is not floating.

    Examples
    --------
    >>> import pumice
    >>> pumice.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window(
        "hann_window",
        window_length,
        periodic,
        lambda place: np.sin(pi * place) ** 2,
        dtype,
        device,
        requires_grad,
    )


@public
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hamming window: ``alpha - beta * cos(2 * pi * n / N)``; see `hann_window`.

    Examples
    --------
    >>> pumice.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _window(
        "hamming_window",
        window_length,
        periodic,
        lambda place: alpha - beta * np.cos(2 * pi * place),
        dtype,
        device,
        requires_grad,
    )


@public
def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a triangle: ``1 - abs(2 * n / N - 1)``; see `hann_window`.

    Examples
    --------
    >>> pumice.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window(
        "bartlett_window",
        window_length,
        periodic,
        lambda place: 1 - np.abs(2 * place - 1),
        dtype,
        device,
        requires_grad,
    )


@public
def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Blackman window; see `hann_window`.

    Notes
    -----
    ``0.42 - 0.5 * cos(2 * pi * n / N) + 0.08 * cos(4 * pi * n / N)``.

    Examples
    --------
    >>> pumice.blackman_window(5, periodic=False)
    tensor([0.0000, 0.3400, 1.0000, 0.3400, 0.0000])
    """

    def shape(place: NDArray[np.float64]) -> NDArray[np.float64]:
        cosine = np.cos(2 * pi * place)
        return (1 - cosine) * (0.34 - 0.16 * cosine)  # exactly 0 at both ends

    return _window(
        "blackman_window",
        window_length,
        periodic,
        shape,
        dtype,
        device,
        requires_grad,
    )


@public
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Kaiser window, of the modified Bessel function ``i0``; see `hann_window`.

    Notes
    -----
    ``i0(beta * sqrt(1 - (2 * n / N - 1)**2)) / i0(beta)``.

    Examples
    --------
    >>> pumice.kaiser_window(4, beta=2.0)
    tensor([0.4387, 0.8348, 1.0000, 0.8348])
    """

    def shape(place: NDArray[np.float64]) -> NDArray[np.float64]:
        root = np.sqrt(np.maximum(1 - (2 * place - 1) ** 2, 0))
        return np.i0(beta * root) / np.i0(np.float64(beta))

    return _window("kaiser_window", window_length, periodic, shape, dtype, device, requires_grad)
