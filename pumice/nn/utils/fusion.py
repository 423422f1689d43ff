"""Batch norm in evaluation folded into the layer before it."""

import copy
from typing import Any, TypeVar

from pumice.arguments import guarded
from pumice.errors import InvalidArgument, describe
from pumice.nn.module import Module
from pumice.nn.parameter import Parameter
from pumice.tensor.creation import ones_like, zeros_like
from pumice.tensor.tensor import Tensor

Layer = TypeVar("Layer", bound=Module)


@guarded
def fuse_conv_bn_eval(conv: Layer, bn: Module, transpose: bool = False) -> Layer:
    """Return a convolution that does what a convolution and a batch norm after it do.

    Parameters
    ----------
    conv : Module
        A convolution layer in evaluation.
    bn : Module
        A batch norm layer in evaluation, with running statistics.
    transpose : bool
        Whether the convolution is transposed.

    Returns
    -------
    Module
        A copy of ``conv`` with other parameters.

    Raises
    ------
    InvalidArgument
        When a layer is in training or the norm has no running statistics.

    Examples
    --------
    >>> from pumice import nn
    >>> fused = nn.utils.fuse_conv_bn_eval(nn.Conv2d(3, 4, 3).eval(), nn.BatchNorm2d(4).eval())
    >>> fused.weight.shape
    (4, 3, 3, 3)
    """
    _check("fuse_conv_bn_eval", conv, bn)
    fused: Any = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight,
        fused.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
        transpose,
    )
    result: Layer = fused
    return result


@guarded
def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return the weight and bias that `fuse_conv_bn_eval` uses.

    Parameters
    ----------
    conv_w, conv_b : Tensor
        Of the convolution; the bias may be None.
    bn_rm, bn_rv, bn_eps, bn_w, bn_b
        Running mean and variance, epsilon, weight and bias of the norm; the last two may be None.
    transpose : bool
        Whether the output channels are axis 1 of the weight.

    Returns
    -------
    (Parameter, Parameter)
    """
    axis = 1 if transpose else 0
    shape = [-1 if each == axis else 1 for each in range(conv_w.ndim)]
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


@guarded
def fuse_linear_bn_eval(linear: Layer, bn: Module) -> Layer:
    """Return a linear layer that does what it and a batch norm after it do.

    Parameters
    ----------
    linear : Linear
        In evaluation.
    bn : Module
        A batch norm layer in evaluation, with running statistics.

    Returns
    -------
    Module
        A copy of ``linear`` with other parameters.

    Raises
    ------
    InvalidArgument
        When a layer is in training or the norm has no running statistics.
    """
    _check("fuse_linear_bn_eval", linear, bn)
    fused: Any = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    result: Layer = fused
    return result


@guarded
def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Return the weight and bias that `fuse_linear_bn_eval` uses; arguments as for convolutions."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _fused(
    weight: Tensor,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    eps: float,
    scale: Tensor | None,
    shift: Tensor | None,
    shape: list[int],
) -> tuple[Parameter, Parameter]:
    scale = ones_like(mean) if scale is None else scale
    shift = zeros_like(mean) if shift is None else shift
    bias = zeros_like(mean) if bias is None else bias
    factor = scale * (variance + eps).rsqrt()
    fused_weight = (weight * factor.reshape(shape)).to(weight.dtype).detach()
    fused_bias = ((bias - mean) * factor + shift).to(weight.dtype).detach()
    return Parameter(fused_weight), Parameter(fused_bias)


def _check(name: str, layer: Module, bn: Module) -> None:
    if layer.training or bn.training:
        raise InvalidArgument(describe(name, "a layer is in training", "call eval() on both"))
    if bn.running_mean is None or bn.running_var is None:
        raise InvalidArgument(describe(name, "the norm has no running statistics"))
