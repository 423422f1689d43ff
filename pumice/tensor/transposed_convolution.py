"""Transposed convolution: the adjoint of convolution as an operator of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.tensor.axes import pair
from pumice.tensor.convolution import Sizes, check_operands, spread, with_bias
from pumice.tensor.core import wrap
from pumice.tensor.marks import public
from pumice.tensor.operands import tensor_node
from pumice.tensor.windows import Sliding, batched

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _convolve_transposed(
    operator: str,
    count: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    groups: int,
    dilation: Sizes,
) -> Tensor:
    given, w = tensor_node(operator, input), tensor_node(operator, weight, "weight")
    x = batched(operator, given, count)
    check_operands(operator, x, w, groups, w.shape[0], count)
    steps = pair(operator, stride, count, "stride")
    gaps = pair(operator, dilation, count, "dilation")
    pads = pair(operator, padding, count, "padding")
    extra = pair(operator, output_padding, count, "output_padding")
    for added, step, gap in zip(extra, steps, gaps, strict=True):
        if added >= max(step, gap):
            raise InvalidArgument(
                describe(
                    operator,
                    f"output_padding is {list(extra)}",
                    "it must be smaller than either stride or dilation",
                )
            )
    sliding = Sliding(w.shape[2:], steps, gaps)
    full = tuple(
        (extent - 1) * step + reach + added
        for extent, step, reach, added in zip(
            x.shape[2:], steps, sliding.reach(), extra, strict=True
        )
    )
    grouped = build.reshape(x, (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]))
    weights = build.reshape(w, (groups, w.shape[0] // groups, *w.shape[1:]))
    kept = []
    for extent, margin in zip(full, pads, strict=True):
        if extent - 2 * margin < 1:
            raise ShapeError(
                describe(operator, f"padding {list(pads)} leaves nothing of {list(full)}")
            )
        kept.append(extent - 2 * margin)
    result = spread(grouped, weights, sliding, tuple(kept), pads)
    result = build.reshape(result, (x.shape[0], groups * w.shape[1], *kept))
    result = with_bias(result, bias, operator, result.dtype)
    return wrap(
        result if len(given.shape) == count + 2 else build.reshape(result, result.shape[1:])
    )


@public
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Spread every input element through a kernel; parameters as in `conv_transpose2d`.

    Examples
    --------
    >>> pumice.conv_transpose1d(pumice.tensor([[1., 2.]]), pumice.ones(1, 1, 2))
    tensor([[1., 3., 2.]])
    """
    return _convolve_transposed(
        "conv_transpose1d",
        1,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@public
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Spread every input element through a kernel: the adjoint of `conv2d`.

    Parameters
    ----------
    input : Tensor
        (N, in, H, W), or without N.
    weight : Tensor
        (in, out / groups, kernel H, kernel W)
    bias : Tensor, optional
        (out,)
    stride, padding, dilation : int or pair of int
        Those of the convolution this is the adjoint of.
    output_padding : int or pair of int
        Elements added at one side of the result.
    groups : int
        Divides in and out.

    Returns
    -------
    Tensor
        ``H' = (H - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1``

    Examples
    --------
    >>> pumice.conv_transpose2d(pumice.ones(1, 2, 2), pumice.ones(1, 1, 2, 2)).tolist()
    [[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]
    """
    return _convolve_transposed(
        "conv_transpose2d",
        2,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@public
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Spread every input element through a kernel; parameters as in `conv_transpose2d`.

    Examples
    --------
    >>> pumice.conv_transpose3d(pumice.ones(1, 1, 1, 1), pumice.ones(1, 1, 2, 1, 1)).shape
    (1, 2, 1, 1)
    """
    return _convolve_transposed(
        "conv_transpose3d",
        3,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )
