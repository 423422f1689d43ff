"""Activation functions."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, replace, tensor_node, widened
from pumice.tensor.reductions import check_string, float_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946
ROOT_HALF = 0.70710678118654752440
SUBNORMAL_32, SUBNORMAL_64 = -87.0, -708.0
"""Below these the exponential is no normal float32 or float64."""

TANH_SCALE = 0.79788456080286535588
TANH_CUBE = 0.044715


def _finished(input: Tensor, operator: str, node: Node, inplace: bool = False) -> Tensor:
    if node.dtype is not input.dtype and node.dtype.is_floating_point:
        kind = input.dtype if input.dtype.is_floating_point else dtypes.default_float()
        node = build.cast(node, kind)
    return replace(input, operator + "_", node) if inplace else wrap(node)


def _float(operator: str, input: Tensor) -> Node:
    """Return an operand in the type it is computed in; 16-bit floats are rounded at the end."""
    return widened(float_node(operator, tensor_node(operator, input)))


def _open_clamp(node: Node, low: float, high: float) -> Node:
    """Limit to a range; at the bounds the gradient is 0 already."""
    inside = (node > low) & (node < high)
    return inside.select(node, call("clamp", build.detach(node), low, high))


@functional
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``min(max(x, 0), 6)``; gradient g strictly between, 0 elsewhere.

    Examples
    --------
    >>> pumice.nn.functional.relu6(pumice.tensor([-1., 3., 8.]))
    tensor([0., 3., 6.])
    """
    node = tensor_node("relu6", input)
    return _finished(input, "relu6", _open_clamp(node, 0, 6), inplace)


@functional
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Limit to a range; gradient g strictly between the bounds, 0 elsewhere.

    Examples
    --------
    >>> pumice.nn.functional.hardtanh(pumice.tensor([-3., 0.5, 2.]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise InvalidArgument(
            describe("hardtanh", f"from {min_val} to {max_val}", "min_val <= max_val")
        )
    node = tensor_node("hardtanh", input)
    if node.dtype.is_integral:
        min_val, max_val = int(min_val), int(max_val)
    return _finished(input, "hardtanh", _open_clamp(node, min_val, max_val), inplace)


@functional
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x where it is positive, ``negative_slope * x`` elsewhere.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.leaky_relu(pumice.tensor([-1., 2.]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    node = _float("leaky_relu", input)
    result = (node > 0).select(node, node * negative_slope)
    return _finished(input, "leaky_relu", result, inplace)


@functional
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x where it is positive, ``weight * x`` elsewhere.

    Parameters
    ----------
    input : Tensor
        (N, C, ...) or any shape for one weight.
    weight : Tensor
        (C,) or one element.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the number of weights is neither 1 nor C.

    Examples
    --------
    >>> pumice.nn.functional.prelu(pumice.tensor([-2., 3.]), pumice.tensor([0.25]))
    tensor([-0.5000,  3.0000])
    """
    node, slope = _float("prelu", input), tensor_node("prelu", weight, "weight")
    if slope.numel != 1:
        channels = node.shape[1] if len(node.shape) > 1 else 1
        if slope.shape != (channels,):
            raise ShapeError(
                describe(
                    "prelu",
                    f"weight has shape {list(slope.shape)} for {channels} channels",
                    "one weight, or one per channel",
                )
            )
        slope = build.reshape(slope, (channels, *(1 for _ in node.shape[2:])))
    else:
        slope = build.reshape(slope, ())
    return _finished(input, "prelu", (node > 0).select(node, call("mul", slope, node)))


def _elu(node: Node, alpha: float, scale: float, input_scale: float) -> Node:
    negative = call("expm1", call("clamp_max", node, 0) * input_scale) * (alpha * scale)
    return (node > 0).select(node if scale == 1 else node * scale, negative)


@functional
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where it is positive, ``alpha * (exp(x) - 1)`` elsewhere.

    Examples
    --------
    >>> pumice.nn.functional.elu(pumice.tensor([-1., 0., 2.]))
    tensor([-0.6321,  0.0000,  2.0000])
    """
    return _finished(input, "elu", _elu(_float("elu", input), alpha, 1.0, 1.0), inplace)


@functional
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the scaled `elu` that keeps mean 0 and variance 1.

    Examples
    --------
    >>> pumice.nn.functional.selu(pumice.tensor([-1., 0., 2.]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
    node = _elu(_float("selu", input), SELU_ALPHA, SELU_SCALE, 1.0)
    return _finished(input, "selu", node, inplace)


@functional
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where it is positive, ``alpha * (exp(x / alpha) - 1)`` elsewhere.

    Examples
    --------
    >>> pumice.nn.functional.celu(pumice.tensor([-1., 0., 2.]), alpha=2.0)
    tensor([-0.7869,  0.0000,  2.0000])
    """
    node = _elu(_float("celu", input), alpha, 1.0, 1.0 / alpha)
    return _finished(input, "celu", node, inplace)


@functional
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Weight x by the normal distribution function.

    Parameters
    ----------
    input : Tensor
        Any shape.
    approximate : str
        ``"none"`` uses erf, ``"tanh"`` the cubic approximation.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        For another ``approximate``.

    Notes
    -----
    ``0.5 * x * (1 + erf(x / sqrt(2)))``.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.gelu(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.8413])
    """
    check_string("gelu", "approximate", approximate, ("none", "tanh"))
    node = _float("gelu", input)
    if approximate == "none":
        share = call("erf", node * ROOT_HALF)
    else:
        # (1 + tanh(z)) / 2 is sigmoid(2 z), which loses nothing where tanh is near -1.
        cubic = node * node * (2 * TANH_SCALE * TANH_CUBE) + 2 * TANH_SCALE
        scaled = node * cubic
        # A share that is no normal number is 0, nearer than PyTorch's: to underflow is slow.
        lowest = SUBNORMAL_64 if node.dtype is dtypes.float64 else SUBNORMAL_32
        scaled = (scaled < lowest).select(-inf, scaled)
        return _finished(input, "gelu", node * call("sigmoid", scaled))
    return _finished(input, "gelu", node * 0.5 * (share + 1))


@functional
def quick_gelu(input: Tensor) -> Tensor:
    """Return ``x * sigmoid(1.702 * x)``.

    Examples
    --------
    >>> pumice.nn.functional.quick_gelu(pumice.tensor([-1., 0., 2.]))
    tensor([-0.1542,  0.0000,  1.9357])
    """
    node = _float("quick_gelu", input)
    return _finished(input, "quick_gelu", node * call("sigmoid", node * 1.702))


@functional
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``x * sigmoid(x)``.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.silu(pumice.tensor([0., 1.]))
    tensor([0.0000, 0.7311])
    """
    node = _float("silu", input)
    return _finished(input, "silu", node * call("sigmoid", node), inplace)


def softplus_node(node: Node, beta: float = 1.0, threshold: float = 20.0) -> Node:
    """Return log(1 + exp(beta * x)) / beta, x itself above the threshold."""
    scaled = node if beta == 1 else node * beta
    curved = call("log1p", call("exp", call("clamp_max", scaled, threshold)))
    return (scaled > threshold).select(node, curved if beta == 1 else curved / beta)


@functional
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return ``log(1 + exp(beta * x)) / beta``, x itself where ``beta * x > threshold``.

    Examples
    --------
    >>> pumice.nn.functional.softplus(pumice.tensor([-1., 0., 30.]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    return _finished(input, "softplus", softplus_node(_float("softplus", input), beta, threshold))


@functional
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``x * tanh(softplus(x))``.

    Examples
    --------
    >>> pumice.nn.functional.mish(pumice.tensor([-1., 0., 2.]))
    tensor([-0.3034,  0.0000,  1.9440])
    """
    node = _float("mish", input)
    return _finished(input, "mish", node * call("tanh", softplus_node(node)), inplace)


@functional
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``min(max(x + 3, 0), 6) / 6``.

    Examples
    --------
    >>> pumice.nn.functional.hardsigmoid(pumice.tensor([-4., 0., 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    node = _float("hardsigmoid", input)
    return _finished(input, "hardsigmoid", _open_clamp(node + 3, 0, 6) / 6, inplace)


@functional
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``x * min(max(x + 3, 0), 6) / 6``.

    Examples
    --------
    >>> pumice.nn.functional.hardswish(pumice.tensor([-1., 0., 1.5]))
    tensor([-0.3333,  0.0000,  1.1250])
    """
    node = _float("hardswish", input)
    return _finished(input, "hardswish", node * call("clamp", node + 3, 0, 6) / 6, inplace)


def logsigmoid_node(node: Node) -> Node:
    """Return log(sigmoid(x)) without underflow."""
    # `minimum` shares the slope at 0 between its operands, which makes it right there.
    low = call("minimum", node, build.constant(0, node.dtype, (), node.device))
    return low - call("log1p", call("exp", -call("abs", node)))


@functional
def logsigmoid(input: Tensor) -> Tensor:
    """Return ``log(sigmoid(x))`` without underflow.

    Examples
    --------
    >>> pumice.nn.functional.logsigmoid(pumice.tensor([-200., 0.]))
    tensor([-200.0000,   -0.6931])
    """
    return _finished(input, "logsigmoid", logsigmoid_node(_float("logsigmoid", input)))


@functional
def softsign(input: Tensor) -> Tensor:
    """Return ``x / (1 + |x|)``.

    Examples
    --------
    >>> pumice.nn.functional.softsign(pumice.tensor([-1., 0., 3.]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    node = _float("softsign", input)
    return _finished(input, "softsign", node / (call("abs", node) + 1))


@functional
def tanhshrink(input: Tensor) -> Tensor:
    """Return ``x - tanh(x)``.

    Examples
    --------
    >>> pumice.nn.functional.tanhshrink(pumice.tensor([-1., 0., 2.]))
    tensor([-0.2384,  0.0000,  1.0360])
    """
    node = _float("tanhshrink", input)
    return _finished(input, "tanhshrink", node - call("tanh", node))


@functional
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x outside ``[-lambd, lambd]``, 0 inside.

    Examples
    --------
    >>> pumice.nn.functional.hardshrink(pumice.tensor([-1., 0.25, 2.]))
    tensor([-1.,  0.,  2.])
    """
    node = _float("hardshrink", input)
    return _finished(input, "hardshrink", ((node >= -lambd) & (node <= lambd)).select(0, node))


@functional
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Move x toward 0 by ``lambd``, to 0 at most.

    Examples
    --------
    >>> pumice.nn.functional.softshrink(pumice.tensor([-1., 0.25, 2.]))
    tensor([-0.5000,  0.0000,  1.5000])
    """
    if not lambd >= 0:
        raise InvalidArgument(describe("softshrink", f"got lambd={lambd}", "not negative"))
    node = _float("softshrink", input)
    below = (node < -lambd).select(node + lambd, node * 0)
    return _finished(input, "softshrink", (node > lambd).select(node - lambd, below))


@functional
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x above a threshold, a number elsewhere.

    Examples
    --------
    >>> pumice.nn.functional.threshold(pumice.tensor([-1., 0.25, 2.]), 0.5, 9.0)
    tensor([9., 9., 2.])
    """
    node = tensor_node("threshold", input)
    below = widened(node) <= threshold
    return _finished(input, "threshold", below.select(value, node), inplace)


@functional
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Halve an axis and return ``first * sigmoid(second)``.

    Parameters
    ----------
    input : Tensor
        The axis has an even extent.
    dim : int
        The axis.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the extent is odd.

    Examples
    --------
    >>> pumice.nn.functional.glu(pumice.tensor([1., 2., 0., 0.]))
    tensor([0.5000, 1.0000])
    """
    node = _float("glu", input)
    axis = axis_of("glu", dim, len(node.shape))
    extent = node.shape[axis] if node.shape else 1
    if extent % 2:
        raise ShapeError(describe("glu", f"axis {axis} has {extent} elements", "an even number"))
    first = build.slice_axis(node, axis, 0, extent // 2)
    second = build.slice_axis(node, axis, extent // 2, extent // 2)
    return _finished(input, "glu", first * call("sigmoid", second))
