"""How often values occur: bins and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice.dtypes import accumulation_dtype
from pumice.errors import DTypeError, InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.structure import Indexing, ScatterMode
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.marks import method
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.results import Histogram
from pumice.tensor.sorting import searchsorted

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@method
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Histogram:
    """Count elements, or add up their weights, in bins.

    Parameters
    ----------
    input : Tensor
        Floating, any shape.
    bins : int or Tensor
        Number of equal bins, or the ascending edges between them.
    range : (float, float), optional
        Where equal bins begin and end; from the least to the largest element by default.
    weight : Tensor, optional
        What each element counts, of the input's shape and dtype.
    density : bool
        Divide by the total and by the widths of the bins.

    Returns
    -------
    (hist, bin_edges)
        Of the input's dtype. A bin holds its left edge, the last one its right edge too; what lies
        outside, and NaN, does not count.

    Raises
    ------
    DTypeError
        For other dtypes.
    InvalidArgument
        When there are no bins, or the range is empty.

    Notes
    -----
    Gradient: none.

    Examples
    --------
    >>> import pumice
    >>> found = pumice.histogram(pumice.tensor([1., 2., 2., 4.]), bins=3, range=(1., 4.))
    >>> found.hist.tolist(), found.bin_edges.tolist()
    ([1.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0])
    """
    node = build.detach(tensor_node("histogram", input))
    if not node.dtype.is_floating_point:
        raise DTypeError(
            describe("histogram", f"got {node.dtype.name}", "allowed are floating types")
        )
    flat = build.reshape(node, (node.numel,))
    edges = _given_edges(bins, node) if isinstance(bins, TensorBase) else _edges(flat, bins, range)
    amounts = build.constant(1, node.dtype, flat.shape, node.device)
    if weight is not None:
        amounts = build.reshape(_weights(weight, node), flat.shape)
    total = _counted(flat, edges, amounts)
    if density:
        count = edges.shape[0] - 1
        widths = build.slice_axis(edges, 0, 1, count) - build.slice_axis(edges, 0, 0, count)
        total = total / build.reduce(reduction.SUM, total, (0,)) / build.cast(widths, total.dtype)
    return Histogram(wrap(build.cast(total, node.dtype)), wrap(edges))


def _counted(flat: Node, edges: Node, amounts: Node) -> Node:
    """Add up amounts by the bins that elements fall into."""
    count = edges.shape[0] - 1
    place = searchsorted(wrap(edges), wrap(flat), right=True).node - 1
    last = build.expand(build.slice_axis(edges, 0, count, 1), flat.shape)
    place = flat.eq(last).select(count - 1, place)
    # What has no bin goes behind the last one, and is dropped.
    place = ((place < 0) | ~(flat <= last)).select(count, place)
    wide = accumulation_dtype(flat.dtype)
    total = build.constant(0, wide, (count,), flat.device)
    if not flat.numel:
        return total
    argument = Indexing((0,), fill=True, mode=ScatterMode.ADD)
    return build.scatter(total, build.cast(amounts, wide), (place,), argument)


def _given_edges(bins: Any, node: Node) -> Node:
    edges = tensor_node("histogram", bins, "bins")
    if edges.dtype is not node.dtype:
        raise DTypeError(
            describe("histogram", f"bins are {edges.dtype.name}", f"they must be {node.dtype.name}")
        )
    if len(edges.shape) != 1 or edges.shape[0] < 2:
        raise ShapeError(
            describe("histogram", f"bins have shape {list(edges.shape)}", "1-D, at least 2 edges")
        )
    return edges


def _edges(flat: Node, bins: int, limits: Sequence[float] | None) -> Node:
    """Return equal bins, from the least to the largest element where no range is given."""
    if bins < 1:
        raise InvalidArgument(describe("histogram", f"got {bins} bins", "at least 1"))
    wide = accumulation_dtype(flat.dtype)
    low, high = _limits(build.cast(flat, wide), limits)
    single = low.eq(high)
    low, high = single.select(low - 0.5, low), single.select(high + 0.5, high)
    place = build.iota((bins + 1,), flat.device)
    spread = build.cast(place, wide) * ((high - low) / bins) + low
    # Both ends are exact.
    return build.cast(call("where", place.eq(bins), high, spread), flat.dtype)


def _limits(flat: Node, limits: Sequence[float] | None) -> tuple[Node, Node]:
    if limits is None and flat.numel:
        low, high = (build.reduce(op, flat, (0,)) for op in (reduction.AMIN, reduction.AMAX))
        return low, high
    if limits is not None and len(limits) != 2:
        raise ShapeError(describe("histogram", f"range has {len(limits)} numbers", "two"))
    first, last = map(float, (0.0, 1.0) if limits is None else limits)
    if not first <= last or abs(first) == float("inf") or abs(last) == float("inf"):
        raise InvalidArgument(
            describe("histogram", f"the range is {first} to {last}", "finite, min <= max")
        )
    low, high = (build.constant(each, flat.dtype, (1,), flat.device) for each in (first, last))
    return low, high


def _weights(weight: Any, node: Node) -> Node:
    found = build.detach(tensor_node("histogram", weight, "weight"))
    if found.shape != node.shape or found.dtype is not node.dtype:
        raise ShapeError(
            describe(
                "histogram",
                f"weight is {found.dtype.name} of shape {list(found.shape)}",
                f"it must be {node.dtype.name} of shape {list(node.shape)}",
            )
        )
    return found
