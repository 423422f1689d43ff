"""Pooling by the p-norm of windows."""

from __future__ import annotations

from math import inf, prod
from typing import TYPE_CHECKING, Any

from pumice.tensor import pooling
from pumice.tensor.marks import functional

if TYPE_CHECKING:
    from pumice.tensor.convolution import Sizes
    from pumice.tensor.tensor import Tensor


def _power_pool(
    count: int, input: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Any:
    max_pool: Any = getattr(pooling, f"max_pool{count}d")
    avg_pool: Any = getattr(pooling, f"avg_pool{count}d")
    if norm_type == inf:
        return max_pool(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -inf:
        return -max_pool(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    extents = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * count
    mean = avg_pool(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    # The root of zero has an infinite slope; the subgradient there is zero.
    total = (mean.sign() * mean.abs().relu()) * prod(extents)
    return total.pow(1.0 / norm_type)


@functional
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the p-norm of windows over one axis; parameters as in `lp_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.lp_pool1d(pumice.tensor([[3., 4., 0., 5.]]), 2, 2)
    tensor([[5., 5.]])
    """
    result: Tensor = _power_pool(1, input, norm_type, kernel_size, stride, ceil_mode)
    return result


@functional
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the p-norm of windows over two axes.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W), or without N.
    norm_type : float
        The p; infinity takes the largest magnitude, minus infinity the smallest.
    kernel_size, stride : int or pair of int
        The stride defaults to the kernel.
    ceil_mode : bool
        Whether a last, incomplete window counts; its mean is taken as that of a whole one.

    Returns
    -------
    Tensor
        ``sum(x ** p) ** (1 / p)`` of each window; the gradient is 0 where the sum is 0.

    Examples
    --------
    >>> import pumice
    >>> x = pumice.tensor([[[[3., 0.], [0., 4.]]]])
    >>> pumice.nn.functional.lp_pool2d(x, 2.0, 2).tolist()
    [[[[5.0]]]]
    """
    result: Tensor = _power_pool(2, input, norm_type, kernel_size, stride, ceil_mode)
    return result


@functional
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the p-norm of windows over three axes; parameters as in `lp_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.lp_pool3d(pumice.ones(1, 2, 2, 2), 1, 2).tolist()
    [[[[8.0]]]]
    """
    result: Tensor = _power_pool(3, input, norm_type, kernel_size, stride, ceil_mode)
    return result
