"""Sliding windows as strided views, shared by convolution and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops.view import Shape, View, contiguous_strides
from pumice.tensor.axes import pair


@dataclass(frozen=True, slots=True)
class Sliding:
    """How windows lie over the last axes, one number per axis each."""

    kernel: Shape
    stride: Shape
    dilation: Shape

    @property
    def count(self) -> int:
        """Number of spatial axes."""
        return len(self.kernel)

    def reach(self) -> Shape:
        """Return how many elements a window spans."""
        return tuple(
            dilation * (kernel - 1) + 1
            for kernel, dilation in zip(self.kernel, self.dilation, strict=True)
        )

    def places(self, extents: Shape) -> Shape:
        """Return how many windows fit into each axis."""
        return tuple(
            (extent - reach) // stride + 1
            for extent, reach, stride in zip(extents, self.reach(), self.stride, strict=True)
        )


def windows(node: Node, sliding: Sliding) -> Node:
    """Return (leading axes..., places..., kernel...) of a row-major node; nothing is copied."""
    lead = len(node.shape) - sliding.count
    strides = contiguous_strides(node.shape)
    spatial = strides[lead:]
    places = sliding.places(node.shape[lead:])
    return build.view(
        node,
        View(
            (*node.shape[:lead], *places, *sliding.kernel),
            (
                *strides[:lead],
                *(each * step for each, step in zip(spatial, sliding.stride, strict=True)),
                *(each * step for each, step in zip(spatial, sliding.dilation, strict=True)),
            ),
        ),
    )


def sliding_of(
    operator: str,
    kernel: int | Sequence[int],
    stride: int | Sequence[int] | None,
    dilation: int | Sequence[int],
    count: int,
) -> Sliding:
    """Return checked windows; the stride defaults to the kernel."""
    sizes = pair(operator, kernel, count, "kernel_size")
    empty = stride is None or (isinstance(stride, (tuple, list)) and not stride)
    steps = sizes if empty else pair(operator, stride, count, "stride")  # type: ignore[arg-type]
    gaps = pair(operator, dilation, count, "dilation")
    for name, values in (("kernel_size", sizes), ("stride", steps), ("dilation", gaps)):
        if any(value < 1 for value in values):
            raise InvalidArgument(
                describe(operator, f"{name} is {list(values)}", "positive numbers")
            )
    return Sliding(sizes, steps, gaps)


def check_fits(operator: str, sliding: Sliding, extents: Shape) -> None:
    """Refuse windows larger than the padded axes."""
    reach = sliding.reach()
    if any(size > extent for size, extent in zip(reach, extents, strict=True)):
        raise ShapeError(
            describe(
                operator,
                f"a window spans {list(reach)}, the padded input {list(extents)}",
                "the window must fit into the input",
            )
        )


def batched(operator: str, node: Node, count: int) -> Node:
    """Return a node with a batch axis in front of channel and spatial axes."""
    rank = len(node.shape)
    if rank not in (count + 1, count + 2):
        raise ShapeError(
            describe(
                operator,
                f"input has shape {list(node.shape)}",
                f"{count + 2} axes (N, C, spatial...), or {count + 1} without a batch",
            )
        )
    return node if rank == count + 2 else build.reshape(node, (1, *node.shape))
