"""Padding: the form with one pair per axis, and the pieces it shares with PyTorch's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pumice import dtypes
from pumice.dtypes import Scalar
from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.tensor.core import wrap
from pumice.tensor.marks import method
from pumice.tensor.operands import tensor_node
from pumice.tensor.reductions import check_string

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

Pair = tuple[int, int]
MODES = ("constant", "reflect", "replicate", "circular")


def padded(operator: str, node: Node, pairs: Sequence[Pair], mode: str, value: Scalar) -> Node:
    """Grow and then shrink each axis."""
    check_string(operator, "mode", mode, MODES)
    grown = [(max(before, 0), max(after, 0)) for before, after in pairs]
    if mode == "constant":
        fronts, backs = (tuple(pair[end] for pair in grown) for end in (0, 1))
        node = build.pad(node, fronts, backs, value)
    else:
        for axis, pair in enumerate(grown):
            node = _grown(operator, node, axis, pair, mode)
    for axis, (before, after) in enumerate(pairs):
        cut_front, cut_back = max(-before, 0), max(-after, 0)
        if cut_front or cut_back:
            length = node.shape[axis] - cut_front - cut_back
            if length < 0:
                raise ShapeError(
                    describe(
                        operator,
                        f"padding ({before}, {after}) leaves axis {axis} with {length} elements",
                        "a result must not be negative",
                    )
                )
            node = build.slice_axis(node, axis, cut_front, length)
    return node


def _grown(operator: str, node: Node, axis: int, pair: Pair, mode: str) -> Node:
    """Add elements made from the axis itself."""
    before, after = pair
    if not before and not after:
        return node
    extent = node.shape[axis]
    limit = extent - 1 if mode == "reflect" else extent
    if mode != "replicate" and max(before, after) > limit or extent == 0:
        raise InvalidArgument(
            describe(
                operator,
                f"padding ({before}, {after}) of an axis of {extent} in mode {mode!r}",
                f"at most {max(limit, 0)} at each end",
            )
        )
    if mode == "circular":
        front = build.slice_axis(node, axis, extent - before, before)
        back = build.slice_axis(node, axis, 0, after)
    elif mode == "reflect":
        front = build.slice_axis(node, axis, before, before, -1)
        back = build.slice_axis(node, axis, extent - 2, after, -1)
    else:
        front = _repeated(node, axis, 0, before)
        back = _repeated(node, axis, extent - 1, after)
    parts = [part for part in (front, node, back) if part.shape[axis]]
    return build.concatenate(parts, axis)


def _repeated(node: Node, axis: int, place: int, count: int) -> Node:
    edge = build.slice_axis(node, axis, place, 1)
    return build.expand(edge, (*node.shape[:axis], count, *node.shape[axis + 1 :]))


@method
def pad(
    input: Tensor,
    padding: Sequence[Pair | None],
    mode: str = "constant",
    value: Scalar = 0,
) -> Tensor:
    """Surround a tensor with further elements.

    Parameters
    ----------
    input : Tensor
        Any dtype.
    padding : sequence of (before, after) or None
        One per axis, in axis order. Negative counts remove elements after padding.
    mode : str
        ``"constant"``; ``"reflect"`` mirrors without the edge; ``"replicate"`` repeats the edge;
        ``"circular"`` continues at the other end.
    value : number
        For mode "constant"; one of a higher family promotes (an int tensor padded by 1.5 is
        floating).

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When there is not one pair per axis.
    InvalidArgument
        When a mode needs more elements than the axis has.

    Examples
    --------
    >>> import pumice
    >>> pumice.pad(pumice.tensor([1, 2, 3, 4]), [(-1, 2)], "circular").tolist()
    [2, 3, 4, 1, 2]
    """
    node = tensor_node("pad", input)
    pairs = [(0, 0) if pair is None else (int(pair[0]), int(pair[1])) for pair in padding]
    if len(pairs) != len(node.shape):
        raise ShapeError(
            describe(
                "pad",
                f"{len(pairs)} pairs for shape {list(node.shape)}",
                "one pair or None per axis",
            )
        )
    if mode == "constant" and value != 0:
        node = build.cast(node, dtypes.promote_scalar(node.dtype, value))
    return wrap(padded("pad", node, pairs, mode, value))


@method
def pad_constant(input: Tensor, padding: Sequence[Pair | None], value: Scalar = 0) -> Tensor:
    """Surround a tensor with one number; see `pad`.

    Examples
    --------
    >>> pumice.pad_constant(pumice.tensor([1, 2]), ((1, 2),), 9)
    tensor([9, 1, 2, 9, 9])
    """
    return pad(input, padding, "constant", value)
