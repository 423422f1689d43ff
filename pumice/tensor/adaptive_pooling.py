"""Pooling to a given size."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from pumice.errors import InvalidArgument, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.tensor.core import wrap
from pumice.tensor.marks import functional
from pumice.tensor.operands import tensor_node, widened
from pumice.tensor.reductions import float_node
from pumice.tensor.windows import batched

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


def adaptive_mean(node: Node, axis: int, size: int) -> Node:
    """Average an axis into ``size`` parts, equal where it divides."""
    extent = node.shape[axis]
    if size and extent % size == 0:
        split = (*node.shape[:axis], size, extent // size, *node.shape[axis + 1 :])
        total = build.reduce(reduction.SUM, build.reshape(node, split), (axis + 1,))
        return build.reshape(total, (*node.shape[:axis], size, *node.shape[axis + 1 :])) / float(
            extent // size
        )
    parts = []
    for place in range(size):
        start, end = place * extent // size, -(-(place + 1) * extent // size)
        part = build.slice_axis(node, axis, start, end - start)
        parts.append(build.reduce(reduction.SUM, part, (axis,)) / float(end - start))
    return build.concatenate(parts, axis)


def adaptive_sizes(operator: str, count: int, output_size: Any) -> tuple[int | None, ...]:
    """Return a size for each axis, None where it stays as it is."""
    several = isinstance(output_size, (tuple, list))
    sizes = tuple(output_size) if several else (output_size,) * count
    sizes = tuple(None if size is None else index(size) for size in sizes)
    if len(sizes) != count or any(size is not None and size < 0 for size in sizes):
        raise InvalidArgument(
            describe(operator, f"got output_size={output_size}", f"{count} sizes from 0 on")
        )
    return sizes


def _adaptive(operator: str, count: int, input: Tensor, output_size: Any) -> Tensor:
    given = float_node(operator, tensor_node(operator, input))
    node = batched(operator, widened(given), count)
    sizes = adaptive_sizes(operator, count, output_size)
    for axis, size in enumerate(sizes, start=2):
        node = adaptive_mean(node, axis, node.shape[axis] if size is None else size)
    node = build.cast(node, given.dtype)
    return wrap(node if len(given.shape) == count + 2 else build.reshape(node, node.shape[1:]))


@functional
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Average one axis into parts; parameters as in `adaptive_avg_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.adaptive_avg_pool1d(pumice.arange(6.0).reshape(1, 6), 3)
    tensor([[0.5000, 2.5000, 4.5000]])
    """
    return _adaptive("adaptive_avg_pool1d", 1, input, output_size)


@functional
def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Average two axes into ``output_size`` parts, from ``i * n // size`` on.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W), or without N.
    output_size : int or pair of int or None
        Parts per axis; None keeps the extent.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> pumice.nn.functional.adaptive_avg_pool2d(pumice.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """
    return _adaptive("adaptive_avg_pool2d", 2, input, output_size)


@functional
def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Average three axes into parts; parameters as in `adaptive_avg_pool2d`.

    Examples
    --------
    >>> pumice.nn.functional.adaptive_avg_pool3d(pumice.arange(8.0).reshape(1, 2, 2, 2), 1).tolist()
    [[[[3.5]]]]
    """
    return _adaptive("adaptive_avg_pool3d", 3, input, output_size)
