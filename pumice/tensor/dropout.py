"""Dropping elements at random, and draws from given chances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import Scalar
from pumice.engine.devices import lacks
from pumice.errors import DTypeError, InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import Shape
from pumice.target import CPU, Device
from pumice.tensor.axes import axis_of
from pumice.tensor.core import wrap
from pumice.tensor.generator import Draw, Generator
from pumice.tensor.marks import functional, method
from pumice.tensor.operands import call, replace, tensor_node
from pumice.tensor.reductions import float_node
from pumice.tensor.statistics import softmax_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def _gumbel_noise(shape: Shape, device: Device | None, generator: Generator | None) -> Node:
    """Return Gumbel noise, in float64 where the device has it."""
    draw = Draw(shape, device, generator)
    if not lacks(device or CPU, dtypes.float64):
        return -call("log", -call("log", draw.uniform(dtypes.float64) + 2.0**-54))
    # The largest noise decides and comes from small numbers, which float32 holds finely.
    fine = draw.uniform(dtypes.float32) * 2.0**-24
    return -call("log", -call("log1p", -(draw.uniform(dtypes.float32) + fine)))


def dropped_out(node: Node, p: float, shape: Shape | None = None) -> Node:
    """Zero elements with probability p and scale the others up."""
    if p == 1:
        return node * 0
    draw = Draw(node.shape if shape is None else shape, node.device, None)
    kept = build.expand(draw.uniform(dtypes.float32) >= p, node.shape)
    return kept.select(node * (1 / (1 - p)), 0)


def check_probability(operator: str, p: Scalar, name: str = "p") -> None:
    """Refuse what is no probability."""
    if not 0 <= p <= 1:
        raise InvalidArgument(describe(operator, f"got {name}={p}", "a number from 0 to 1"))


@functional
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements with probability p and scale the others by ``1 / (1 - p)``.

    Parameters
    ----------
    input : Tensor
        Floating.
    p : float
        Probability, 0 to 1.
    training : bool
        False returns the input.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When p is no probability.

    Examples
    --------
    >>> pumice.manual_seed(0) and pumice.nn.functional.dropout(pumice.ones(6), p=0.5)
    tensor([0., 2., 2., 2., 2., 0.])
    """
    check_probability("dropout", p)
    if not training or p == 0:
        return input
    node = dropped_out(tensor_node("dropout", input), p)
    return replace(input, "dropout_", node) if inplace else wrap(node)


def _channel_shape(shape: Shape, kept: int) -> Shape:
    return (*shape[:kept], *(1 for _ in shape[kept:]))


def _channels_dropped(
    operator: str, input: Tensor, p: float, training: bool, inplace: bool, count: int
) -> Tensor:
    check_probability(operator, p)
    if not training or p == 0:
        return input
    node = tensor_node(operator, input)
    kept = len(node.shape) - count
    result = dropped_out(node, p, _channel_shape(node.shape, kept))
    return replace(input, operator + "_", result) if inplace else wrap(result)


@functional
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, L) with probability p; see `dropout`.

    Examples
    --------
    >>> pumice.nn.functional.dropout1d(pumice.ones(4, 3, 5), p=0.5).shape
    (4, 3, 5)
    """
    return _channels_dropped("dropout1d", input, p, training, inplace, 1)


@functional
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, H, W) with probability p; see `dropout`.

    Examples
    --------
    >>> pumice.nn.functional.dropout2d(pumice.ones(1, 3, 2, 2), p=1.0).sum().item()
    0.0
    """
    return _channels_dropped("dropout2d", input, p, training, inplace, 2)


@functional
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, D, H, W) with probability p; see `dropout`.

    Examples
    --------
    >>> pumice.nn.functional.dropout3d(pumice.ones(1, 3, 2, 2, 2), p=1.0).sum().item()
    0.0
    """
    return _channels_dropped("dropout3d", input, p, training, inplace, 3)


@functional
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Set elements to the saturation of SELU with probability p, keeping mean and variance.

    Examples
    --------
    >>> pumice.nn.functional.alpha_dropout(pumice.ones(2, 3), p=0.5, training=True).shape
    (2, 3)
    """
    check_probability("alpha_dropout", p)
    if not training or p == 0:
        return input
    node = tensor_node("alpha_dropout", input)
    low = -1.7580993408473766
    scale = ((1 - p) * (1 + p * low * low)) ** -0.5 if p < 1 else 0.0
    kept = Draw(node.shape, node.device, None).uniform(dtypes.float32) >= p
    result = kept.select(node, low) * scale + -scale * low * p
    return replace(input, "alpha_dropout_", result) if inplace else wrap(result)


@method
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Draw positions of the last axis with probabilities proportional to its elements.

    Parameters
    ----------
    input : Tensor
        1-D or 2-D, not negative.
    num_samples : int
        Draws per row.
    replacement : bool
        Whether a position can be drawn again.
    generator : Generator, optional
        The stream to draw from.

    Returns
    -------
    Tensor
        int64

    Raises
    ------
    InvalidArgument
        When more distinct samples are asked for than there are positions.

    Examples
    --------
    >>> pumice.multinomial(pumice.tensor([0., 1., 0.]), 3, replacement=True)
    tensor([1, 1, 1])
    """
    node = float_node("multinomial", tensor_node("multinomial", input))
    if not 1 <= len(node.shape) <= 2:
        raise InvalidArgument(
            describe("multinomial", f"got shape {list(node.shape)}", "one or two axes")
        )
    if not tensor_node("multinomial", input).dtype.is_floating_point:
        raise DTypeError(
            describe("multinomial", f"got {input.dtype.name}", "floating probabilities")
        )
    extent = node.shape[-1]
    if num_samples < 1 or (not replacement and num_samples > extent):
        raise InvalidArgument(
            describe("multinomial", f"{num_samples} samples of {extent}", "1 to the extent")
        )
    lead = node.shape[:-1]
    draws = num_samples if replacement else 1
    shape = (*lead, draws, extent)
    # The largest of logarithms plus Gumbel noise falls on each position in proportion.
    gumbel = _gumbel_noise(shape, node.device, generator)
    logs = call("log", build.cast(build.reshape(node, (*lead, 1, extent)), gumbel.dtype))
    keys = call("add", gumbel, logs)
    if not replacement:
        order = build.argsort(build.reshape(keys, (*lead, extent)), True)
        return wrap(build.slice_axis(order, len(lead), 0, num_samples))
    found = build.reduce(reduction.ARGMAX, keys, (len(shape) - 1,))
    return wrap(build.reshape(found, (*lead, num_samples)))


@functional
def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return a random softmax, or (``hard``) its one-hot with the soft one's gradient.

    Examples
    --------
    >>> pumice.nn.functional.gumbel_softmax(pumice.zeros(2, 3), hard=True).sum(-1)
    tensor([1., 1.])
    """
    node = float_node("gumbel_softmax", tensor_node("gumbel_softmax", logits))
    gumbel = build.cast(_gumbel_noise(node.shape, node.device, None), node.dtype)
    axis = axis_of("gumbel_softmax", dim, len(node.shape))
    soft = softmax_node((node + gumbel) / tau, axis)
    if not hard:
        return wrap(soft)
    best = build.reduce(reduction.AMAX, soft, (axis,))
    chosen = build.cast(soft.eq(build.expand(best, soft.shape)), soft.dtype)
    return wrap(build.detach(chosen) - build.detach(soft) + soft)
