"""Further functions of layers: bilinear forms, response norms, unpooling, random slopes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import contiguous_strides
from pumice.tensor.adaptive_pooling import adaptive_sizes
from pumice.tensor.axes import pair
from pumice.tensor.core import wrap
from pumice.tensor.einsum import einsum
from pumice.tensor.gathering import along, index_node
from pumice.tensor.generator import Draw
from pumice.tensor.marks import functional
from pumice.tensor.operands import call, replace, tensor_node
from pumice.tensor.reductions import float_node, pick_along
from pumice.tensor.windows import Sliding, batched, sliding_of, windows

if TYPE_CHECKING:
    from pumice.tensor.convolution import Sizes
    from pumice.tensor.tensor import Tensor


@functional
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``input1 @ weight[k] @ input2`` for every output k, plus bias.

    Parameters
    ----------
    input1, input2 : Tensor
        (..., first) and (..., second), equal leading axes.
    weight : Tensor
        (out, first, second)
    bias : Tensor, optional
        (out,)

    Returns
    -------
    Tensor
        (..., out)

    Examples
    --------
    >>> x, y = pumice.tensor([[1., 2.]]), pumice.tensor([[3., 4.]])
    >>> pumice.nn.functional.bilinear(x, y, pumice.ones(1, 2, 2))
    tensor([[21.]])
    """
    result = einsum("...i,kij,...j->...k", input1, weight, input2)
    return result if bias is None else result + bias


@functional
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide by a power of the mean square of neighbouring channels.

    Parameters
    ----------
    input : Tensor
        (N, C, ...)
    size : int
        Number of channels averaged.
    alpha, beta, k : float
        ``x / (k + alpha * mean_square)**beta``

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When there is no spatial axis.

    Examples
    --------
    >>> pumice.nn.functional.local_response_norm(pumice.ones(1, 2, 2), 2, alpha=1.0).tolist()
    [[[0.7377879619598389, 0.7377879619598389], [0.5946035385131836, 0.5946035385131836]]]
    """
    node = float_node("local_response_norm", tensor_node("local_response_norm", input))
    if len(node.shape) < 3:
        raise ShapeError(
            describe("local_response_norm", f"got shape {list(node.shape)}", "three axes at least")
        )
    if size < 1:
        raise InvalidArgument(describe("local_response_norm", f"got size {size}", "1 or more"))
    batch, channels = node.shape[:2]
    inner = prod(node.shape[2:])
    squares = build.reshape(node * node, (batch, channels, inner))
    padded = build.pad(squares, (0, size // 2, 0), (0, (size - 1) // 2, 0))
    moved = build.permute(padded, (0, 2, 1))
    patches = windows(build.copy(moved), Sliding((size,), (1,), (1,)))
    total = build.reduce(reduction.SUM, patches, (3,)) / float(size)
    mean = build.permute(build.reshape(total, (batch, inner, channels)), (0, 2, 1))
    scale = call("pow", mean * alpha + k, beta)
    return wrap(node / build.reshape(scale, node.shape))


@functional
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return x where positive, else x times a slope: random in training, the mean otherwise.

    Examples
    --------
    >>> pumice.nn.functional.rrelu(pumice.tensor([-1., 2.]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    if lower > upper:
        raise InvalidArgument(describe("rrelu", f"from {lower} to {upper}", "lower <= upper"))
    node = float_node("rrelu", tensor_node("rrelu", input))
    slope: Any = (lower + upper) / 2
    if training:
        drawn = Draw(node.shape, node.device, None).uniform(dtypes.float32)
        slope = build.cast(drawn * (upper - lower) + lower, node.dtype)
    result = (node > 0).select(node, node * slope)
    return replace(input, "rrelu_", result) if inplace else wrap(result)


# -- pooling to a given size, and back ------------------------------------------------------------


def _largest_part(node: Node, axis: int, size: int, places: Node) -> tuple[Node, Node]:
    """Keep the largest element of ``size`` parts of an axis, and where it stood."""
    extent = node.shape[axis]
    values, kept = [], []
    for part in range(size):
        start, end = part * extent // size, -(-(part + 1) * extent // size)
        piece = build.slice_axis(node, axis, start, end - start)
        best = build.reduce(reduction.ARGMAX, build.detach(piece), (axis,))
        values.append(pick_along(piece, best, axis))
        kept.append(pick_along(build.slice_axis(places, axis, start, end - start), best, axis))
    return build.concatenate(values, axis), build.concatenate(kept, axis)


def _adaptive_max(
    operator: str, count: int, input: Tensor, output_size: Any, return_indices: bool
) -> Any:
    given = tensor_node(operator, input)
    node = batched(operator, given, count)
    sizes = adaptive_sizes(operator, count, output_size)
    spatial = node.shape[2:]
    places = build.expand(
        build.reshape(build.iota((prod(spatial),), node.device), (1, 1, *spatial)), node.shape
    )
    # The last axis first: among equal elements the earliest in row-major order is kept.
    for axis in reversed(range(2, 2 + count)):
        wanted = sizes[axis - 2]
        size = node.shape[axis] if wanted is None else wanted
        node, places = _largest_part(node, axis, size, places)
    if len(given.shape) == count + 1:
        node, places = (build.reshape(each, each.shape[1:]) for each in (node, places))
    return (wrap(node), wrap(places)) if return_indices else wrap(node)


@functional
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Keep the largest element of parts of one axis; see `adaptive_avg_pool2d` for the parts.

    Examples
    --------
    >>> pumice.nn.functional.adaptive_max_pool1d(pumice.arange(6.0).reshape(1, 6), 3)
    tensor([[1., 3., 5.]])
    """
    return _adaptive_max("adaptive_max_pool1d", 1, input, output_size, return_indices)


@functional
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Keep the largest element of parts of two axes; see `adaptive_avg_pool2d` for the parts.

    Examples
    --------
    >>> pumice.nn.functional.adaptive_max_pool2d(pumice.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """
    return _adaptive_max("adaptive_max_pool2d", 2, input, output_size, return_indices)


@functional
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Keep the largest element of parts of three axes; see `adaptive_avg_pool2d` for the parts.

    Examples
    --------
    >>> pumice.nn.functional.adaptive_max_pool3d(pumice.arange(8.0).reshape(1, 2, 2, 2), 1).tolist()
    [[[[7.0]]]]
    """
    return _adaptive_max("adaptive_max_pool3d", 3, input, output_size, return_indices)


def _unpooled(
    operator: str,
    count: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    output_size: Any,
) -> Tensor:
    given = tensor_node(operator, input)
    node = batched(operator, given, count)
    if tuple(indices.shape) != given.shape:
        raise ShapeError(
            describe(operator, f"indices have shape {list(indices.shape)}", f"{list(given.shape)}")
        )
    place = build.reshape(index_node(operator, indices, "indices"), node.shape)
    sliding = sliding_of(operator, kernel_size, stride, 1, count)
    pads = pair(operator, padding, count, "padding")
    if output_size is None:
        extents = tuple(
            (extent - 1) * step - 2 * pad + size
            for extent, step, pad, size in zip(
                node.shape[2:], sliding.stride, pads, sliding.kernel, strict=True
            )
        )
    else:
        extents = tuple(index(extent) for extent in output_size)[-count:]
    if any(extent < 1 for extent in extents):
        raise InvalidArgument(describe(operator, f"output size {list(extents)}", "positive"))
    lead = node.shape[:2]
    area, inner = prod(extents), contiguous_strides(node.shape)[1]
    base = build.constant(0, node.dtype, (*lead, area), node.device)
    flat = (*lead, inner)
    result = build.scatter(
        base, build.reshape(node, flat), (build.reshape(place, flat),), along(2, 3, False)
    )
    shape = (*lead, *extents) if len(given.shape) == count + 2 else (lead[1], *extents)
    return wrap(build.reshape(result, shape))


@functional
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put elements back where `max_pool1d` found them, zeros elsewhere.

    Examples
    --------
    >>> pumice.nn.functional.max_unpool1d(pumice.tensor([[[5., 7.]]]), pumice.tensor([[[1, 2]]]), 2)
    tensor([[[0., 5., 7., 0.]]])
    """
    return _unpooled("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


@functional
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put elements back where `max_pool2d` found them, zeros elsewhere.

    Examples
    --------
    >>> x, places = pumice.tensor([[[[5.]]]]), pumice.tensor([[[[3]]]])
    >>> pumice.nn.functional.max_unpool2d(x, places, 2).tolist()
    [[[[0.0, 0.0], [0.0, 5.0]]]]
    """
    return _unpooled("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


@functional
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put elements back where `max_pool3d` found them, zeros elsewhere.

    Examples
    --------
    >>> x, places = pumice.ones(1, 1, 1, 1, 1), pumice.zeros(1, 1, 1, 1, 1).long()
    >>> pumice.nn.functional.max_unpool3d(x, places, 2).ravel()
    tensor([1., 0., 0., 0., 0., 0., 0., 0.])
    """
    return _unpooled("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)
