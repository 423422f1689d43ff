"""Reverse mode: from a graph to the graph of its gradients.

The gradient rules of the operator entries are written with graph operations, so what comes out
runs on every device and can be differentiated again.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pumice import dtypes
from pumice.autograd.accumulate import total
from pumice.autograd.anomaly import Watch
from pumice.autograd.hooks import hooked
from pumice.dtypes import DType
from pumice.errors import InternalError, PumiceError, UnsupportedOperation, describe
from pumice.graph import build
from pumice.graph.node import Line, Node, gradient_mode
from pumice.ops import reduction, scan, structure
from pumice.ops.definition import Elementwise, OpDef, Reduction

_LINEAR: frozenset[OpDef] = frozenset(
    (
        structure.LEAF,
        structure.CAST,
        structure.COPY,
        structure.AFTER,
        structure.VIEW,
        structure.UPDATE,
        reduction.SUM,
        scan.CUMSUM,
    )
)
"""Operations whose gradient reads no value of the forward pass."""


class GraphReleasedError(PumiceError, RuntimeError):
    """Backward ran through a graph that an earlier backward has given up."""


def gradients(
    roots: Sequence[Node],
    seeds: Sequence[Node],
    leaves: Sequence[Node],
    *,
    create_graph: bool = False,
    retain_graph: bool = False,
    watch: Watch | None = None,
) -> list[Node | None]:
    """Return the gradient of the roots with respect to each leaf.

    Parameters
    ----------
    roots : sequence of Node
        What is differentiated.
    seeds : sequence of Node
        The gradient that flows into each root, of its shape and dtype.
    leaves : sequence of Node
        Nodes anywhere below the roots.
    create_graph : bool
        Whether the gradients can be differentiated themselves.
    retain_graph : bool
        Whether another backward may pass through the same nodes.
    watch : callable, optional
        Shown each node, its gradient and those of its sources.

    Returns
    -------
    list of Node or None
        None for a leaf that the roots do not depend on.
    """
    order = checked_path(roots, leaves)
    token = gradient_mode.set(create_graph)
    try:
        found = _propagate(order, roots, seeds, leaves, watch)
    finally:
        gradient_mode.reset(token)
    if not retain_graph:
        for node in order:
            release(node)
    return found


def checked_path(roots: Sequence[Node], leaves: Sequence[Node]) -> list[Node]:
    """Return the differentiable nodes between leaves and roots, or raise for one that is not."""
    order = _path(roots, leaves)
    for node in order:
        _check_passable(node)
    return order


def _propagate(
    order: list[Node],
    roots: Sequence[Node],
    seeds: Sequence[Node],
    leaves: Sequence[Node],
    watch: Watch | None,
) -> list[Node | None]:
    """Visit ``order`` from its end; a node's gradient is complete when it is visited."""
    on_path = set(order)
    wanted = set(leaves)
    found: dict[Node, Node] = {}
    pending: dict[Node, list[Node]] = {}
    for root, seed in zip(roots, seeds, strict=True):
        pending.setdefault(root, []).append(seed)
    for node in reversed(order):
        arrived = pending.pop(node, None)
        if arrived is None:
            continue
        g = hooked(node, total(arrived))
        if node in wanted:
            found[node] = g
        if node.op is structure.LEAF or node.released:
            continue
        parts = source_gradients(g, node)
        if watch is not None:
            watch(node, g, parts)
        for source, part in zip(node.sources, parts, strict=True):
            if part is not None and source in on_path:
                pending.setdefault(source, []).append(_fit(part, source, node))
    return [found.get(leaf) for leaf in leaves]


def _path(roots: Sequence[Node], leaves: Sequence[Node]) -> list[Node]:
    """Return the differentiable nodes between the leaves and the roots, sources first."""
    reaches: dict[Node, bool] = {}
    wanted = set(leaves)
    cut: Node | None = None
    order: list[Node] = []
    stack: list[tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            through = node in wanted
            if node.op is not structure.LEAF:
                through = through or any(reaches.get(source, False) for source in node.sources)
            reaches[node] = through
            if through:
                order.append(node)
            continue
        if node in reaches or not node.requires_grad:
            continue
        reaches[node] = False
        stack.append((node, True))
        if node.released:
            # It may end a path as a leaf that is asked for, but what lies below is gone.
            if node not in wanted:
                raise _released(node)
            cut = node
        elif node.op is not structure.LEAF:
            stack.extend((source, False) for source in reversed(node.sources))
    if cut is not None and not all(reaches.get(leaf, False) for leaf in wanted):
        raise _released(cut)
    return order


def _released(node: Node) -> GraphReleasedError:
    while node.sources and not _saves_values(node):
        below = next((source for source in node.sources if source.released), None)
        if below is None:
            break
        node = below
    return GraphReleasedError(
        describe(
            "backward",
            "Trying to backward through the graph a second time: an earlier backward freed what "
            f"{node.op.name}{_at(node.line)} had saved",
            "pass retain_graph=True to the earlier backward",
        )
    )


def _at(line: Line | None) -> str:
    return f" ({line[0]}:{line[1]})" if line else ""


def _check_passable(node: Node) -> None:
    if node.op.gradient is None:
        reason = node.op.no_gradient or "no gradient is defined"
        raise UnsupportedOperation(
            describe(node.op.name, f"backward cannot pass{_at(node.line)}", reason)
        )


def source_gradients(g: Node, node: Node) -> Sequence[Node | None]:
    """Return the gradient of each source from the gradient ``g`` of a node."""
    op = node.op
    rule = op.gradient
    assert rule is not None
    if isinstance(op, Elementwise):
        found = rule(g, node, *node.sources)
        parts = found if isinstance(found, tuple) else (found,)
        return [_without_singularity(g, part) for part in parts] if op.singular else parts
    if isinstance(op, Reduction):
        operand = node.sources[0]
        if op.gradient_needs_axes:
            wide = (build.expand(g, operand.shape), build.expand(node, operand.shape))
            return (rule(*wide, operand, node.argument, build),)
        return (rule(build.expand(g, operand.shape), build.expand(node, operand.shape), operand),)
    parts = rule(g, node, build)
    return parts if isinstance(parts, tuple) else tuple(parts)


def _without_singularity(g: Node, part: Node | None) -> Node | None:
    """Force the gradient to 0 where none arrives, whatever the local derivative is there."""
    if part is None or (g.op is structure.CONSTANT and g.argument.value != 0):
        return part
    return g.eq(0).select(g.const(0), part)


def _fit(part: Node, source: Node, node: Node) -> Node:
    if part.shape != source.shape:
        raise InternalError(
            f"the gradient rule of {node.op.name} returned shape {list(part.shape)} "
            f"for an operand of shape {list(source.shape)}"
        )
    return build.cast(part, source.dtype)


def release(node: Node) -> None:
    """Give up what only another backward through ``node`` would need.

    What stands on a released node is released too: no backward gets through, and a loss that is
    kept for its number must not keep the activations alive. A node that is still to be evaluated
    keeps its sources until then.
    """
    if node.released or node.op is structure.LEAF:
        return
    if not _saves_values(node) and not any(source.released for source in node.sources):
        return
    node.released = True
    if node.value is not None:
        node.sources = ()


def _saves_values(node: Node) -> bool:
    """Tell whether the gradient of a node reads values of the forward pass."""
    op = node.op
    if op in _LINEAR:
        return False
    if not isinstance(op, Elementwise):
        return True
    reads = _read_by_gradients(op, node.sources[-1].dtype)
    for source, positions in zip(node.sources, reads, strict=True):
        if not source.requires_grad:
            continue
        for position in positions:
            if position < 0 or node.sources[position].op is not structure.CONSTANT:
                return True
    return False


@lru_cache(maxsize=1024)
def _read_by_gradients(op: Elementwise, dtype: DType) -> tuple[tuple[int, ...], ...]:
    """Return, for the gradient of each operand, which operands it reads; -1 is the result."""
    probes = [
        build.cast(build.iota(()), dtypes.bool_ if op.condition_first and position == 0 else dtype)
        for position in range(op.arity)
    ]
    out = build.elementwise(op, *probes)
    g = build.cast(build.iota(()), out.dtype)
    assert op.gradient is not None
    found: Any = op.gradient(g, out, *probes)
    parts = found if isinstance(found, tuple) else (found,)
    operands = [out, *probes]
    return tuple(_positions(part, operands) for part in parts)


def _positions(part: Node | None, operands: list[Node]) -> tuple[int, ...]:
    reached = _below(part, stop=set(operands))
    return tuple(place for place, node in enumerate(operands, start=-1) if node in reached)


def _below(root: Node | None, stop: set[Node]) -> set[Node]:
    seen: set[Node] = set()
    stack = [] if root is None else [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node not in stop:
            stack.extend(node.sources)
    return seen
