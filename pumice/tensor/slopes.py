"""Slopes between neighbouring elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pumice.arguments import refusal
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.axes import Dims, axes_of
from pumice.tensor.core import TensorBase, wrap
from pumice.tensor.marks import public
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.reductions import float_node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


@public
def gradient(
    input: Tensor,
    *,
    spacing: float | Sequence[float | Tensor] = 1,
    dim: Dims = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Estimate the slope along axes from neighbouring elements.

    Parameters
    ----------
    input : Tensor
        Samples of a function; integers become the default float.
    spacing : number, or sequence of number or of Tensor
        The distance of samples, one for all axes or one for each; or the 1-D places of the
        samples along each axis.
    dim : int or sequence of int, optional
        The axes; all by default.
    edge_order : int
        1 takes two samples at either end, 2 takes three.

    Returns
    -------
    tuple of Tensor
        One of the input's shape for each axis.

    Raises
    ------
    InvalidArgument
        When the spacings are not as many as the axes, or ``edge_order`` is neither 1 nor 2.
    ShapeError
        When an axis has fewer than ``edge_order + 1`` elements.

    Notes
    -----
    Inside, the slope of the parabola through three neighbours; exact for polynomials of order 2
    (at the ends, of order ``edge_order``).

    Examples
    --------
    >>> import pumice
    >>> pumice.gradient(pumice.tensor([1., 4., 9., 16.]))
    (tensor([3., 4., 6., 7.]),)
    """
    node = float_node("gradient", tensor_node("gradient", input))
    axes = axes_of("gradient", dim, len(node.shape))
    if edge_order not in (1, 2):
        raise InvalidArgument(describe("gradient", f"edge_order is {edge_order}", "1 or 2"))
    for axis in axes:
        if node.shape[axis] <= edge_order:
            raise ShapeError(
                describe(
                    "gradient",
                    f"axis {axis} has {node.shape[axis]} elements",
                    f"at least {edge_order + 1} for edge_order={edge_order}",
                )
            )
    spacings = _spacings(spacing, len(axes))
    return tuple(
        wrap(_slopes(node, axis, _steps(each, node, axis), edge_order))
        for axis, each in zip(axes, spacings, strict=True)
    )


def _spacings(spacing: Any, count: int) -> Sequence[Any]:
    """Return one spacing per axis."""
    if spacing is None:
        spacing = 1
    if not isinstance(spacing, TensorBase) and getattr(spacing, "shape", None):
        raise refusal("spacing", spacing, "a number, a Tensor or a sequence of them")
    if isinstance(spacing, TensorBase) and spacing.shape:
        spacing = (spacing,)
    if not isinstance(spacing, (tuple, list)):
        return [spacing] * count
    if len(spacing) != count:
        raise InvalidArgument(
            describe("gradient", f"got {len(spacing)} spacings for {count} axes", "one for each")
        )
    return spacing


def _steps(spacing: Any, node: Node, axis: int) -> Node | float:
    """Return the distances between neighbours: one number, or one for each pair of an axis."""
    if not isinstance(spacing, TensorBase):
        return float(spacing)
    places = build.cast(tensor_node("gradient", spacing, "spacing"), node.dtype)
    if not places.shape:
        return places
    extent = node.shape[axis]
    if places.shape != (extent,):
        raise ShapeError(
            describe("gradient", f"places have shape {list(places.shape)}", f"[{extent}]")
        )
    steps = build.slice_axis(places, 0, 1, extent - 1) - build.slice_axis(places, 0, 0, extent - 1)
    return build.reshape(steps, (extent - 1, *(1 for _ in node.shape[axis + 1 :])))


def _slopes(node: Node, axis: int, steps: Node | float, edge_order: int) -> Node:
    """Return the slopes along one axis."""
    extent = node.shape[axis]

    def part(start: int, length: int) -> Node:
        return build.slice_axis(node, axis, start, length)

    def step(start: int, length: int) -> Any:
        if not isinstance(steps, Node) or not steps.shape:
            return steps
        return build.slice_axis(steps, 0, start, length)

    rises = call("div", part(1, extent - 1) - part(0, extent - 1), steps)
    first, last = (build.slice_axis(rises, axis, at, 1) for at in (0, extent - 2))
    inside = []
    if extent > 2:
        before, after = step(0, extent - 2), step(1, extent - 2)
        share = before / (before + after)
        earlier, later = (build.slice_axis(rises, axis, at, extent - 2) for at in (0, 1))
        inside = [call("add", call("mul", earlier, 1 - share), call("mul", later, share))]
    if edge_order == 2:
        # The parabola through three samples, at the outer one.
        second, former = (build.slice_axis(rises, axis, at, 1) for at in (1, extent - 3))
        share = step(0, 1) / (step(0, 1) + step(1, 1))
        first = first + call("mul", first - second, share)
        share = step(extent - 2, 1) / (step(extent - 2, 1) + step(extent - 3, 1))
        last = last + call("mul", last - former, share)
    return build.concatenate([first, *inside, last], axis)
