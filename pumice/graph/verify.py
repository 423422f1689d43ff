"""Check that a graph is well formed: what `build` guarantees, and rewrites must keep."""

from collections.abc import Sequence
from math import prod

from pumice import dtypes
from pumice.errors import InternalError
from pumice.graph.node import Node
from pumice.graph.printer import node_type
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.ops.attention import (
    ATTENTION,
    ATTENTION_GRADIENT,
    ATTENTION_NORM,
    operands_of,
)
from pumice.ops.definition import Elementwise, Reduction, Scan
from pumice.ops.triangular import TRIANGULAR


def verify_graph(roots: Sequence[Node]) -> None:
    """Raise `InternalError` naming the first ill-formed node."""
    for node in topological(roots):
        if node.value is None:
            problem = _problem(node)
            if problem:
                operands = ", ".join(node_type(source) for source in node.sources)
                raise InternalError(
                    f"graph: {node.op.name} {node_type(node)} of ({operands}): {problem}"
                )


def _problem(node: Node) -> str:
    op = node.op
    match op:
        case Elementwise():
            return _elementwise_problem(op, node)
        case Reduction():
            wanted = tuple(
                1 if axis in node.argument else extent
                for axis, extent in enumerate(node.sources[0].shape)
            )
            return "" if node.shape == wanted else f"the shape must be {list(wanted)}"
        case Scan():
            return "" if node.shape == node.sources[0].shape else "a scan keeps the shape"
    return _structural_problem(node)


def _elementwise_problem(op: Elementwise, node: Node) -> str:
    if len(node.sources) != op.arity:
        return f"it takes {op.arity} operands"
    if any(source.shape != node.shape for source in node.sources):
        return "operands must have the result's shape"
    first = 1 if op.condition_first else 0
    kinds = {source.dtype for source in node.sources[first:]}
    if len(kinds) != 1:
        return "operands must have one dtype"
    if op.result_dtype(kinds.pop()) is not node.dtype:
        return "the result has the wrong dtype"
    if first and node.sources[0].dtype is not dtypes.bool_:
        return "the condition must be bool"
    return ""


_SAME_SHAPE = (
    structure.AFTER,
    structure.CAST,
    structure.COPY,
    structure.DETACH,
    structure.LEAF,
)


def _structural_problem(node: Node) -> str:
    if node.op is structure.VIEW:
        view, size = node.argument, prod(node.sources[0].shape)
        if view.shape != node.shape:
            return "the view has another shape"
        if view.numel:
            low, high = view.bounds()
            if low < 0 or high >= size:
                return f"the view reads elements {low} to {high} of {size}"
        if node.dtype is not node.sources[0].dtype:
            return "a view keeps the dtype"
    if node.op is structure.UPDATE:
        base, value = node.sources
        if not node.argument.is_injective():
            return "it writes an element twice"
        if value.shape != node.argument.shape or base.shape != node.shape:
            return "shapes do not match"
        if not base.dtype is value.dtype is node.dtype:
            return "dtypes differ"
    if node.op in _SAME_SHAPE:
        return "" if node.shape == node.sources[0].shape else "it keeps the shape"
    if node.op is structure.CONTRACT:
        left, right = node.sources
        spec = node.argument
        if left.shape[: spec.batch] != right.shape[: spec.batch]:
            return "batch axes differ"
        if left.shape[spec.batch + spec.m :] != right.shape[spec.batch + spec.n :]:
            return "contracted axes differ"
    if node.op in (ATTENTION, ATTENTION_NORM, ATTENTION_GRADIENT):
        return _attention_problem(node)
    if node.op is TRIANGULAR:
        matrix, right = node.sources
        if matrix.shape != (*right.shape[:-1], right.shape[-2]) or node.shape != right.shape:
            return "the matrix must be square, with the rows of the right side"
    return ""


def _attention_problem(node: Node) -> str:
    spec = node.argument.attention if node.op is ATTENTION_GRADIENT else node.argument
    query, key, value, scale, *wide = operands_of(node.sources, spec)
    lead = query.shape[:-2]
    if not lead == key.shape[:-2] == value.shape[:-2]:
        return "leading axes differ"
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        return "queries, keys and values do not fit"
    if scale.shape or scale.dtype is not spec.accumulator:
        return "the scale must be one number of the accumulator's type"
    scores = (*lead, query.shape[-2], key.shape[-2])
    if any(each is not None and each.shape != scores for each in wide):
        return "a mask or factors have another shape than the scores"
    return ""
