"""Norms of matrices that are made of their singular values."""

from typing import Any

from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.definition import Reduction
from pumice.ops.view import Shape
from pumice.tensor.orthogonal import singular_nodes
from pumice.tensor.reductions import check_not_empty


def fold_of(order: Any, sizes: Node, axis: int) -> Reduction:
    """Return what finds the largest or the smallest size; the largest of nothing is 0."""
    if order > 0:
        return reduction.AMAX if sizes.shape[axis] else reduction.SUM
    check_not_empty("matrix_norm", sizes.shape, (axis,))
    return reduction.AMIN


def singular_norm(operator: str, node: Node, axes: Shape, order: Any, keepdim: bool) -> Node:
    """Return the sum ("nuc"), the largest (2) or the smallest (-2) of the singular values."""
    rank = len(node.shape)
    outer = tuple(axis for axis in range(rank) if axis not in axes)
    values = singular_nodes(operator, build.permute(node, (*outer, *axes)), False)[1]
    last = len(values.shape) - 1
    fold = reduction.SUM if order == "nuc" else fold_of(order, values, last)
    found = build.reduce(fold, values, (last,))
    kept = tuple(1 if axis in axes else node.shape[axis] for axis in range(rank))
    return build.reshape(found, kept if keepdim else tuple(node.shape[axis] for axis in outer))
