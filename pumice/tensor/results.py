"""Named pairs that reductions and sorts return."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pumice.graph.node import Node

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor


class Extreme(NamedTuple):
    """Values along an axis and where they stand."""

    values: Tensor
    indices: Tensor


class Sorted(NamedTuple):
    """Ordered values and where each came from."""

    values: Tensor
    indices: Tensor


def shared(node: Node) -> Node:
    """Mark what several results are made of: whichever is looked at first, it is kept."""
    node.reread = True
    return node
