"""Einstein summation: products and sums written with one letter per axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pumice.errors import InvalidArgument, ShapeError, describe
from pumice.graph import build
from pumice.graph.node import Node
from pumice.ops import reduction
from pumice.ops.view import View
from pumice.tensor.core import wrap
from pumice.tensor.joining import promoted
from pumice.tensor.marks import public
from pumice.tensor.operands import call, tensor_node
from pumice.tensor.products import contraction
from pumice.tensor.reductions import dropped

if TYPE_CHECKING:
    from pumice.tensor.tensor import Tensor

Labels = tuple[str, ...]
"""A name per axis: a letter, or ``...2`` for the second axis from the end under an ellipsis."""


def _labels(text: str, rank: int) -> Labels:
    """Return the names of an operand's axes."""
    head, dots, tail = text.partition("...")
    named = len(head) + len(tail)
    if named > rank or (not dots and named != rank):
        raise ShapeError(
            describe(
                "einsum", f"subscript {text!r} for an operand of {rank} axes", "one letter each"
            )
        )
    hidden = tuple(f"...{rank - named - place}" for place in range(rank - named))
    return (*head, *hidden, *tail)


def _parsed(equation: str, ranks: list[int]) -> tuple[list[Labels], Labels]:
    """Return the names of all operands' axes and of the result's."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,")
    if len(terms) != len(ranks) or not set(left + right) <= allowed:
        raise InvalidArgument(
            describe(
                "einsum",
                f"equation {equation!r} for {len(ranks)} operands",
                "letters, '...', ',' and '->', one term per operand",
            )
        )
    operands = [_labels(term, rank) for term, rank in zip(terms, ranks, strict=True)]
    counts: dict[str, int] = {}
    for labels in operands:
        for label in labels:
            counts[label] = counts.get(label, 0) + 1
    hidden = sorted(
        (label for label in counts if label.startswith("...")), key=lambda label: -int(label[3:])
    )
    if not arrow:
        single = sorted(label for label, count in counts.items() if count == 1 and len(label) == 1)
        return operands, (*hidden, *single)
    head, dots, tail = right.partition("...")
    result = (*head, *(hidden if dots else ()), *tail)
    if len(set(result)) != len(result) or not set(result) <= set(counts):
        raise InvalidArgument(
            describe("einsum", f"result {right!r}", "letters of the operands, each once")
        )
    return operands, result


def _diagonal(node: Node, labels: Labels) -> tuple[Node, Labels]:
    """Read the diagonal of axes that share a letter."""
    view = View.contiguous(node.shape)
    kept: list[str] = []
    extents: list[int] = []
    strides: list[int] = []
    for label, extent, stride in zip(labels, view.shape, view.strides, strict=True):
        if label not in kept:
            kept.append(label)
            extents.append(extent)
            strides.append(stride)
            continue
        place = kept.index(label)
        if extents[place] != extent:
            raise ShapeError(
                describe("einsum", f"axis {label!r} is {extents[place]} and {extent}", "equal")
            )
        strides[place] += stride
    if len(kept) == len(labels):
        return node, labels
    return build.view(node, View(tuple(extents), tuple(strides))), tuple(kept)


def _summed(
    node: Node, labels: Labels, needed: set[str], keeps_dtype: bool = True
) -> tuple[Node, Labels]:
    """Sum axes that nothing else reads."""
    axes = tuple(axis for axis, label in enumerate(labels) if label not in needed)
    if not axes:
        return node, labels
    total = build.reduce(reduction.SUM, node, axes)
    if keeps_dtype:
        total = build.cast(total, node.dtype)
    return dropped(total, axes, False), tuple(label for label in labels if label in needed)


def _aligned(node: Node, labels: Labels, order: Labels, extents: dict[str, int]) -> Node:
    """Permute to an order of axes, axes of extent 1 broadcast."""
    moved = build.permute(node, tuple(labels.index(label) for label in order))
    return build.expand(moved, tuple(extents[label] for label in order))


def _combined(
    left: Node, left_labels: Labels, right: Node, right_labels: Labels, needed: set[str]
) -> tuple[Node, Labels]:
    """Multiply two operands and sum what nothing else reads."""
    extents: dict[str, int] = {}
    for node, labels in ((left, left_labels), (right, right_labels)):
        for label, extent in zip(labels, node.shape, strict=True):
            if extents.setdefault(label, extent) in (1, extent):
                extents[label] = extent
            elif extent != 1:
                raise ShapeError(
                    describe("einsum", f"axis {label!r} is {extents[label]} and {extent}", "equal")
                )
    left, left_labels = _summed(left, left_labels, needed | set(right_labels))
    right, right_labels = _summed(right, right_labels, needed | set(left_labels))
    shared = [label for label in left_labels if label in right_labels]
    batch = tuple(label for label in shared if label in needed)
    inner = tuple(label for label in shared if label not in needed)
    m = tuple(label for label in left_labels if label not in right_labels)
    n = tuple(label for label in right_labels if label not in left_labels)
    if not inner:
        order = (*batch, *m, *n)
        first = _placed(left, left_labels, order)
        second = _placed(right, right_labels, order)
        return call("mul", first, second), order
    result = contraction(
        _aligned(left, left_labels, (*batch, *m, *inner), extents),
        _aligned(right, right_labels, (*batch, *n, *inner), extents),
        len(batch),
        len(m),
        len(n),
        len(inner),
    )
    return result, (*batch, *m, *n)


def _placed(node: Node, labels: Labels, order: Labels) -> Node:
    """Permute to an order of axes, with extent 1 where the operand has none."""
    own = tuple(label for label in order if label in labels)
    moved = build.permute(node, tuple(labels.index(label) for label in own))
    extents = dict(zip(own, moved.shape, strict=True))
    return build.reshape(moved, tuple(extents.get(label, 1) for label in order))


@public
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Multiply and sum tensors along named axes.

    Parameters
    ----------
    equation : str
        One letter per axis and one term per operand, ``"ij,jk->ik"``. Letters missing from the
        result are summed; without ``->`` the result has the letters that appear once, sorted.
        ``...`` stands for axes that broadcast; a letter twice in one term reads the diagonal.
    operands : Tensor
        Dtypes promote.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgument
        When the equation does not parse.
    ShapeError
        When axes of one letter differ.

    Notes
    -----
    Operands are combined from left to right, each pair as one matrix product.

    Examples
    --------
    >>> import pumice
    >>> pumice.einsum("ij,ij->i", pumice.ones(2, 3), pumice.ones(2, 3))
    tensor([3., 3.])
    """
    given = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    )
    nodes = promoted([tensor_node("einsum", each, "operands") for each in given])
    terms, result = _parsed(equation, [len(node.shape) for node in nodes])
    pairs = [_diagonal(node, labels) for node, labels in zip(nodes, terms, strict=True)]
    node, labels = pairs[0]
    for place, (other, other_labels) in enumerate(pairs[1:], start=2):
        needed = set(result)
        for _, later in pairs[place:]:
            needed |= set(later)
        node, labels = _combined(node, labels, other, other_labels, needed)
    node, labels = _summed(node, labels, set(result), keeps_dtype=len(pairs) > 1)
    return wrap(build.permute(node, tuple(labels.index(label) for label in result)))
