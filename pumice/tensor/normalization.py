"""Normalisation: layers, groups, batches, vectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from pumice.dtypes import DType, accumulation_dtype
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.ops.view import Shape
from pumice.tensor.axes import Dims, axes_of
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional, method
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.reductions import float_node
from pumice.tensor.statistics import mean_node, variance_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _affine(node: Node, weight: Tensor | None, bias: Tensor | None, shape: Shape) -> Node:
    """Multiply and add parameters reshaped to broadcast."""
    if weight is not None:
        node = call("mul", node, build.reshape(weight.node, shape))
    if bias is not None:
        node = call("add", node, build.reshape(bias.node, shape))
    return node


def standardised(node: Node, axes: Shape, eps: float) -> Node:
    """Subtract the mean and divide by the root of the biased variance plus eps."""
    wide = build.cast(node, accumulation_dtype(node.dtype))
    variance, average = variance_node(wide, axes, 0)
    scale = call("rsqrt", variance + eps)
    centred = wide - build.expand(average, wide.shape)
    return centred * build.expand(scale, wide.shape)


def _trailing(operator: str, node: Node, normalized_shape: Sequence[int]) -> Shape:
    shape = tuple(normalized_shape)
    if not shape or node.shape[-len(shape) :] != shape:
        raise ShapeError(
            describe(
                operator,
                f"normalized_shape is {list(shape)}, input has shape {list(node.shape)}",
                "it must equal the last axes of the input",
            )
        )
    return tuple(range(len(node.shape) - len(shape), len(node.shape)))


@functional
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Give the last axes mean 0 and variance 1, then scale and shift.

    Parameters
    ----------
    input : Tensor
        Floating.
    normalized_shape : sequence of int
        The last extents of the input.
    weight, bias : Tensor, optional
        Of that shape.
    eps : float
        Added to the biased variance.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the last extents differ.

    Examples
    --------
    >>> import pumice
    >>> pumice.nn.functional.layer_norm(pumice.tensor([1., 2., 3., 4.]), (4,))
    tensor([-1.3416, -0.4472,  0.4472,  1.3416])
    """
    node = float_node("layer_norm", tensor_node("layer_norm", input))
    axes = _trailing("layer_norm", node, normalized_shape)
    shape = tuple(normalized_shape)
    result = _affine(standardised(node, axes, eps), weight, bias, shape)
    return wrap(build.cast(result, node.dtype))


@method
def layernorm(input: Tensor, axis: Dims = -1, eps: float = 1e-5) -> Tensor:
    """Give axes mean 0 and variance 1.

    Parameters
    ----------
    input : Tensor
        Any shape; integers become the default float.
    axis : int or sequence of int
        The axes.
    eps : float
        Added to the biased variance.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import pumice
    >>> pumice.layernorm(pumice.tensor([1., 2., 3., 4.]))
    tensor([-1.3416, -0.4472,  0.4472,  1.3416])
    """
    node = float_node("layernorm", tensor_node("layernorm", input))
    axes = axes_of("layernorm", axis, len(node.shape))
    return wrap(build.cast(standardised(node, axes, eps), node.dtype))


def smallest_step(dtype: DType) -> float:
    """Return the distance from 1 to the next larger number."""
    return float(2.0**-dtype.mantissa)


@functional
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide the last axes by their root mean square.

    Parameters
    ----------
    input : Tensor
        Floating.
    normalized_shape : sequence of int
        The last extents of the input.
    weight : Tensor, optional
        Of that shape.
    eps : float, optional
        Added to the mean square; the smallest step at 1 of the dtype it is computed in by default.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> pumice.nn.functional.rms_norm(pumice.tensor([3., 4.]), (2,))
    tensor([0.8485, 1.1314])
    """
    node = float_node("rms_norm", tensor_node("rms_norm", input))
    axes = _trailing("rms_norm", node, normalized_shape)
    wide = build.cast(node, accumulation_dtype(node.dtype))
    added = smallest_step(wide.dtype) if eps is None else eps
    scale = call("rsqrt", mean_node(wide * wide, axes) + added)
    if weight is not None and tuple(weight.shape) != tuple(normalized_shape):
        raise ShapeError(
            describe(
                "rms_norm",
                f"weight has shape {list(weight.shape)}",
                f"it must be {list(normalized_shape)}",
            )
        )
    result = _affine(wide * build.expand(scale, wide.shape), weight, None, tuple(normalized_shape))
    return wrap(build.cast(result, node.dtype))


def _channel_shape(node: Node) -> Shape:
    return (node.shape[1], *(1 for _ in node.shape[2:]))


@functional
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Give each group of channels mean 0 and variance 1, then scale and shift channels.

    Parameters
    ----------
    input : Tensor
        (N, C, ...)
    num_groups : int
        Divides C.
    weight, bias : Tensor, optional
        (C,)
    eps : float
        Added to the biased variance.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the channels cannot be divided.

    Examples
    --------
    >>> pumice.nn.functional.group_norm(pumice.tensor([[1., 3., 5., 9.]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    node = float_node("group_norm", tensor_node("group_norm", input))
    if len(node.shape) < 2 or num_groups < 1 or node.shape[1] % num_groups:
        raise ShapeError(
            describe(
                "group_norm",
                f"input has shape {list(node.shape)}, num_groups is {num_groups}",
                "the second extent must be divisible by it",
            )
        )
    batch, channels = node.shape[:2]
    # Channels stay an axis of their own, so that weights and statistics meet in one kernel.
    members = channels // num_groups
    groups = build.reshape(node, (batch, num_groups, members, *node.shape[2:]))
    channel = (num_groups, members, *(1 for _ in node.shape[2:]))
    axes = tuple(range(2, len(groups.shape)))
    result = _affine(standardised(groups, axes, eps), weight, bias, channel)
    return wrap(build.reshape(build.cast(result, node.dtype), node.shape))


@functional
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise every channel of every sample by itself; parameters as in `batch_norm`.

    Examples
    --------
    >>> pumice.nn.functional.instance_norm(pumice.tensor([[[1., 3.], [5., 9.]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    node = float_node("instance_norm", tensor_node("instance_norm", input))
    axes = tuple(range(2, len(node.shape)))
    for name, kept in (("running_mean", running_mean), ("running_var", running_var)):
        if kept is not None:
            tensor_node("instance_norm", kept, name)
    if running_mean is not None and running_var is not None:
        variance, average = variance_node(build.detach(node), axes, 1)
        _update_running(running_mean, mean_node(average, (0,)), momentum)
        _update_running(running_var, mean_node(variance, (0,)), momentum)
    result = _affine(standardised(node, axes, eps), weight, bias, _channel_shape(node))
    return wrap(build.cast(result, node.dtype))


def _update_running(running: Tensor, current: Node, momentum: float) -> None:
    """Move a running statistic toward the current one; no gradient is recorded."""
    token = gradient_mode.set(False)
    try:
        new = build.cast(build.reshape(current, running.shape), running.dtype)
        old = running.node
        running._write(old * (1 - momentum) + new * momentum, "batch_norm")
    finally:
        gradient_mode.reset(token)


def _batch_statistics(
    wide: Node, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> tuple[Node, Node]:
    """Return variance and mean of every channel, and move the running ones toward them."""
    axes = (0, *range(2, len(wide.shape)))
    count = prod(wide.shape[axis] for axis in axes)
    if count == 1:
        raise ShapeError(
            describe(
                "batch_norm",
                "expected more than 1 value per channel when training, got input size "
                f"{list(wide.shape)}",
            )
        )
    variance, average = variance_node(wide, axes, 0)
    if count == 0:
        # An empty batch has an empty result, and tells nothing of the running statistics.
        return variance, average
    if running_mean is not None:
        _update_running(running_mean, average, momentum)
    if running_var is not None:
        _update_running(running_var, variance * (count / (count - 1)), momentum)
    return variance, average


@functional
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Give every channel mean 0 and variance 1 over the batch, then scale and shift.

    Parameters
    ----------
    input : Tensor
        (N, C, ...)
    running_mean, running_var : Tensor or None
        (C,); updated in place when training, used otherwise.
    weight, bias : Tensor, optional
        (C,)
    training : bool
        Whether statistics come from the input.
    momentum : float
        Share of the current statistics in the running ones.
    eps : float
        Added to the variance: biased for the input, unbiased in the running one.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When there is one value per channel in training, or no channel axis.
    InvalidArgument
        When running statistics are missing in evaluation.

    Examples
    --------
    >>> pumice.nn.functional.batch_norm(pumice.tensor([[1.], [3.]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    node = float_node("batch_norm", tensor_node("batch_norm", input))
    if len(node.shape) < 2:
        raise ShapeError(describe("batch_norm", f"got shape {list(node.shape)}", "(N, C, ...)"))
    shape = _channel_shape(node)
    wide = build.cast(node, accumulation_dtype(node.dtype))
    if training:
        variance, average = _batch_statistics(wide, running_mean, running_var, momentum)
    elif running_mean is None or running_var is None:
        raise InvalidArgument(
            describe("batch_norm", "running statistics are missing", "needed in evaluation")
        )
    else:
        average = build.cast(build.reshape(running_mean.node, shape), wide.dtype)
        variance = build.cast(build.reshape(running_var.node, shape), wide.dtype)
    scale = call("rsqrt", variance + eps)
    result = call("mul", call("sub", wide, average), scale)
    return wrap(build.cast(_affine(result, weight, bias, shape), node.dtype))


# -- norms ----------------------------------------------------------------------------------------
