"""Forward mode: the tangent of each node from the tangents of its sources.

There is one rule per kind of operation. What is linear is applied to the tangents. An elementwise
operation computes each element from elements at the same place, so its gradient rule, given a
tangent instead of a gradient, is its forward rule. All others have a gradient rule that is linear
in the gradient: differentiated by it, the rule gives its own transpose, which is the forward rule.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from types import MappingProxyType

from pumice.autograd.function import gathers, inputs_of, passed_input
from pumice.autograd.levels import passed
from pumice.autograd.reverse import checked_path, gradients, source_gradients
from pumice.errors import UnsupportedOperation, describe
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.ops import reduction, scan, structure
from pumice.ops.definition import Elementwise, OpDef, registry
from pumice.ops.structure import Indexing, ScatterMode

Tangents = Sequence[Node | None]
Rule = Callable[[Node, Tangents], Node]


def tangents(roots: Sequence[Node], seeds: Mapping[Node, Node]) -> list[Node | None]:
    """Return how the roots change when nodes below them change by their seeds.

    Parameters
    ----------
    roots : sequence of Node
        What is differentiated.
    seeds : mapping of Node to Node
        Nodes that require a gradient, and the tangent of each.

    Returns
    -------
    list of Node or None
        None for a root that does not depend on them.
    """
    found = dict(seeds)
    token = gradient_mode.set(True)
    try:
        for node in checked_path(roots, list(seeds)):
            if node not in found and not gathers(node):
                inputs = inputs_of(node)
                if inputs is None:
                    moved = _tangent(node, [found.get(source) for source in node.sources])
                elif (same := passed_input(node)) is not None:
                    moved = found.get(same)
                else:
                    moved = _applied(node, inputs, [found.get(source) for source in inputs])
                if moved is not None:
                    found[node] = moved
    finally:
        gradient_mode.reset(token)
    return [found.get(root) for root in roots]


def _tangent(node: Node, arrived: Tangents) -> Node | None:
    if all(each is None for each in arrived):
        return None
    op = node.op
    rule = _RULES.get(op)
    if rule is not None:
        moved = rule(node, arrived)
    elif isinstance(op, Elementwise):
        moved = _elementwise(node, arrived)
    else:
        moved = _transposed(node, arrived)
    return build.cast(moved, node.dtype)


def _elementwise(node: Node, arrived: Tangents) -> Node:
    parts = []
    for place, tangent in enumerate(arrived):
        if tangent is not None:
            part = source_gradients(build.cast(tangent, node.dtype), node)[place]
            if part is not None:
                parts.append(part)
    return reduce(add, parts) if parts else _zeros(node)


def _zeros(like: Node) -> Node:
    return build.constant(0, like.dtype, like.shape, like.device)


def _given(node: Node, arrived: Tangents, place: int) -> Node:
    """Return the tangent of a source, zeros where it does not move."""
    tangent = arrived[place]
    return _zeros(node.sources[place]) if tangent is None else tangent


# -- what is linear -------------------------------------------------------------------------------


def _same(node: Node, arrived: Tangents) -> Node:
    return _given(node, arrived, 0)


def _view(node: Node, arrived: Tangents) -> Node:
    return build.view(_given(node, arrived, 0), node.argument)


def _update(node: Node, arrived: Tangents) -> Node:
    return build.update(_given(node, arrived, 0), _given(node, arrived, 1), node.argument)


def _sum(node: Node, arrived: Tangents) -> Node:
    return build.reduce(reduction.SUM, _given(node, arrived, 0), node.argument)


def _cumsum(node: Node, arrived: Tangents) -> Node:
    return build.scan(scan.CUMSUM, _given(node, arrived, 0), node.argument)


def _contract(node: Node, arrived: Tangents) -> Node:
    left, right = node.sources
    parts = []
    if arrived[0] is not None:
        parts.append(build.contract(arrived[0], right, node.argument, node.dtype))
    if arrived[1] is not None:
        parts.append(build.contract(left, arrived[1], node.argument, node.dtype))
    return reduce(add, parts)


def _gather(node: Node, arrived: Tangents) -> Node:
    indexing = Indexing(node.argument.axes, fill=True)
    return build.gather(_given(node, arrived, 0), node.sources[1:], indexing, node.shape)


def _scatter(node: Node, arrived: Tangents) -> Node:
    mode = node.argument.mode
    if mode not in (ScatterMode.SET, ScatterMode.ADD):
        return _transposed(node, arrived)
    indexing = Indexing(node.argument.axes, True, mode)
    base, source = _given(node, arrived, 0), _given(node, arrived, 1)
    return build.scatter(base, source, node.sources[2:], indexing)


def _custom(node: Node, arrived: Tangents) -> Node:
    return _given(node, arrived, 0) if node.argument is passed else _transposed(node, arrived)


# -- what is not ----------------------------------------------------------------------------------


def _logcumsumexp(node: Node, arrived: Tangents) -> Node:
    """Sum ``t * exp(x - out)`` over earlier places, as logarithms of either sign of t.

    The gradient rule takes logarithms of the gradient, so it does not transpose.
    """
    (x,) = node.sources
    tangent = _given(node, arrived, 0)
    log, exp = registry["log"], registry["exp"]
    assert isinstance(log, Elementwise) and isinstance(exp, Elementwise)
    none = float("-inf")
    reached = node.ne(none)

    def part(slope: Node) -> Node:
        taken = slope > 0
        weight = taken.select(log(taken.select(slope, 1)) + x, none)
        total = build.scan(scan.LOGCUMSUMEXP, weight, node.argument)
        moved: Node = reached.select(exp(total - reached.select(node, 0)), 0)
        return moved

    return part(tangent) - part(-tangent)


def _transposed(node: Node, arrived: Tangents) -> Node:
    """Differentiate the gradient rule by the gradient it is given."""
    given = build.leaf(build.empty(node.dtype, node.shape, node.device))
    return _transpose(node, given, source_gradients(given, node), arrived)


def _applied(node: Node, inputs: Sequence[Node], arrived: Tangents) -> Node:
    """Transpose the backward of a `Function`, one of whose results a node is."""
    given = build.leaf(build.empty(node.dtype, node.shape, node.device))
    wanted = [each for each, tangent in zip(inputs, arrived, strict=True) if tangent is not None]
    parts = gradients([node], [given], wanted, create_graph=True, retain_graph=True)
    return _transpose(node, given, parts, [each for each in arrived if each is not None])


def _transpose(node: Node, given: Node, parts: Tangents, arrived: Tangents) -> Node:
    roots, seeds = [], []
    for part, tangent in zip(parts, arrived, strict=True):
        if part is not None and tangent is not None and part.requires_grad:
            roots.append(part)
            seeds.append(build.cast(tangent, part.dtype))
    if not roots:
        return _zeros(node)
    (found,) = gradients(roots, seeds, [given], create_graph=True, retain_graph=True)
    if found is None:
        return _zeros(node)
    if _reads(found, given):
        raise UnsupportedOperation(
            describe(
                node.op.name,
                "its gradient rule is not linear in the gradient, so it gives no forward mode",
                "use reverse mode (grad, vjp, jacrev)",
            )
        )
    return found


def _reads(root: Node, wanted: Node) -> bool:
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node is wanted:
            return True
        if node not in seen:
            seen.add(node)
            # What only waits for it does not read it.
            stack.extend(node.sources[:1] if node.op is structure.AFTER else node.sources)
    return False


_RULES: Mapping[OpDef, Rule] = MappingProxyType(
    {
        structure.LEAF: _same,
        structure.CAST: _same,
        structure.COPY: _same,
        structure.AFTER: _same,
        structure.VIEW: _view,
        structure.UPDATE: _update,
        structure.CONTRACT: _contract,
        structure.GATHER: _gather,
        structure.SCATTER: _scatter,
        structure.CUSTOM: _custom,
        reduction.SUM: _sum,
        scan.CUMSUM: _cumsum,
        scan.LOGCUMSUMEXP: _logcumsumexp,
    }
)
