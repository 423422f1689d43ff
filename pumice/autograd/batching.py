"""Batching: from a graph of one example to the graph of many.

A function that is mapped over a batch runs once, on placeholders of the shape of one example. The
graph it leaves is then rebuilt: every node that depends on a placeholder gets a leading axis for
the batch. There is one rule per operation of the graph, so whatever is written with operations can
be mapped, gradients included:

    placeholder (3,) * weight (3,)      becomes      batch (8, 3) * weight expanded to (8, 3)
"""

from collections.abc import Callable, Iterable, Mapping
from math import prod
from types import MappingProxyType

from pumice.autograd.levels import passed
from pumice.errors import InternalError
from pumice.graph import build
from pumice.graph.node import Node, gradient_mode
from pumice.ops import structure
from pumice.ops.attention import ATTENTION, ATTENTION_GRADIENT, ATTENTION_NORM
from pumice.ops.definition import Elementwise, OpDef, Reduction, Scan
from pumice.ops.matrix_operations import MATRIX_OPERATIONS, WITH_GRADIENTS
from pumice.ops.random import philox
from pumice.ops.structure import Contraction, Indexing
from pumice.ops.view import Shape, View, contiguous_strides

DRAW_STRIDE = 1 << 40
"""Positions of a random draw that one example may use."""


class Batching:
    """A batch: how many examples, and what is known to depend on which.

    Parameters
    ----------
    size : int
        The number of examples.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.draws: dict[Node, int] = {}
        self._known: dict[Node, Node | None] = {}
        self._spread: dict[Node, Node] = {}

    def place(self, placeholder: Node, batch: Node) -> None:
        """Say what stands for a placeholder: a node with the batch as its first axis."""
        self._known[placeholder] = batch

    def first_dependent(self, roots: Iterable[Node]) -> Node | None:
        """Return a root that differs between examples."""
        return next((root for root in roots if self.batched(root) is not None), None)

    def batched(self, root: Node) -> Node | None:
        """Return a node for all examples, or None when it is the same for each."""
        self._visit(root)
        return self._known[root]

    def full(self, root: Node) -> Node:
        """Return a node for all examples, repeated when it is the same for each."""
        found = self.batched(root)
        return self.repeated(root) if found is None else found

    # -- walking ----------------------------------------------------------------------------------

    def _visit(self, root: Node) -> None:
        """Settle every node below a root, sources first."""
        known = self._known
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            waiting = () if node.value is not None else node.sources
            missing = [source for source in waiting if source not in known]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            depends = any(known[source] is not None for source in waiting)
            known[node] = self._rebuilt(node) if depends or self._is_drawn(node) else None

    def _rebuilt(self, node: Node) -> Node:
        token = gradient_mode.set(node.requires_grad)
        try:
            made = rule_of(node.op)(self, node)
        finally:
            gradient_mode.reset(token)
        if hasattr(node, "hooks"):
            made = self._hooked(made, node)
        if made.shape != (self.size, *node.shape):
            raise InternalError(f"batching {node.op.name} gave shape {list(made.shape)}")
        if all(made is not self._known[source] for source in node.sources):
            made.stand_for(node)
        return made

    def _hooked(self, made: Node, node: Node) -> Node:
        """Give a node for all examples the hooks of that of one."""
        if not made.requires_grad:
            return made
        if any(made is self._known[source] for source in node.sources):
            made = Node(structure.CUSTOM, made.dtype, made.shape, (made,), passed)
        rule = _Each(self, node)
        made.hooks = rule.gradient
        return made

    # -- sources ----------------------------------------------------------------------------------

    def source(self, node: Node, place: int) -> Node:
        """Return a source for all examples."""
        source = node.sources[place]
        found = self._known[source]
        return self.repeated(source) if found is None else found

    def sources(self, node: Node) -> tuple[Node, ...]:
        """Return all sources for all examples."""
        return tuple([self.source(node, place) for place in range(len(node.sources))])

    def has(self, node: Node, place: int) -> bool:
        """Tell whether a source differs between examples."""
        return self._known[node.sources[place]] is not None

    def repeated(self, node: Node) -> Node:
        """Return a node that is the same for each example, with the leading axis."""
        found = self._spread.get(node)
        if found is None:
            shape = (self.size, *node.shape)
            if node.op is structure.EMPTY:
                found = build.empty(node.dtype, shape, node.device)
            else:
                found = build.view(node, View(shape, (0, *contiguous_strides(node.shape))))
            self._spread[node] = found
        return found

    # -- random numbers ---------------------------------------------------------------------------

    def _is_drawn(self, node: Node) -> bool:
        """Tell whether a node holds random bits that shall differ between examples."""
        return bool(self.draws) and node.op is philox and self.draw_of(node) in self.draws

    @staticmethod
    def draw_of(node: Node) -> Node:
        """Return the constant that holds the number of a draw."""
        number = node.sources[2]
        while number.op is structure.VIEW:
            number = number.sources[0]
        return number


Rule = Callable[[Batching, Node], Node]


def _shape(batch: Batching, node: Node) -> Shape:
    return (batch.size, *node.shape)


def _whole(batch: Batching, view: View, base: Shape) -> View:
    """Return a view of one example as a view of all."""
    return View((batch.size, *view.shape), (prod(base), *view.strides), view.offset)


# -- rules ----------------------------------------------------------------------------------------


def _elementwise(batch: Batching, node: Node) -> Node:
    if node.op is philox:
        return _random_bits(batch, node)
    sources = batch.sources(node)
    return Node(node.op, node.dtype, _shape(batch, node), sources, node.argument, node.device)


def _random_bits(batch: Batching, node: Node) -> Node:
    """Give each example positions of its own; the constants stay what a capture knows them by."""
    shape = _shape(batch, node)
    place = batch.source(node, 0)
    stride = batch.draws.get(batch.draw_of(node))
    if stride is not None:
        column = (batch.size, *(1 for _ in node.shape))
        offsets = build.iota(column, node.device) * stride
        place = place + build.expand(offsets, shape)
    box = View(shape, (0, *contiguous_strides(node.shape)))
    seed, number = (
        Node(structure.VIEW, each.dtype, shape, (each,), box, each.device)
        if batch._known[each] is None
        else batch.source(node, position)
        for position, each in enumerate(node.sources[1:], start=1)
    )
    return Node(philox, node.dtype, shape, (place, seed, number), None, node.device)


def _same_argument(batch: Batching, node: Node) -> Node:
    sources = batch.sources(node)
    return Node(node.op, node.dtype, _shape(batch, node), sources, node.argument, node.device)


def _leaf(batch: Batching, node: Node) -> Node:
    """Drop a leaf: the gradients by it have been taken inside the mapped function."""
    return batch.source(node, 0)


def _detach(batch: Batching, node: Node) -> Node:
    return build.detach(batch.source(node, 0))


def _custom(batch: Batching, node: Node) -> Node:
    if not node.requires_grad or node.argument is passed:
        return batch.source(node, 0)
    made = _same_argument(batch, node)
    made.argument = _Each(batch, node)
    return made


class _Each:
    """Gradient rule or hooks of a node for all examples: those of one example, batched."""

    def __init__(self, batch: Batching, node: Node) -> None:
        self._batch = batch
        self._node = node
        self.original = getattr(node.argument, "original", node.argument)

    def gradient(self, g: Node) -> Node:
        """Return the gradient for all examples as the hooks of the node leave it."""
        given = placeholder(g)
        self._batch.place(given, g)
        return self._batch.full(self._node.hooks(given))

    def __call__(self, g: Node, node: Node) -> tuple[Node | None, ...]:
        one = self._node
        given = placeholder(g)
        self._batch.place(given, g)
        parts = one.argument(given, one)
        return tuple([None if part is None else self._batch.full(part) for part in parts])


def _view(batch: Batching, node: Node) -> Node:
    return build.view(batch.source(node, 0), _whole(batch, node.argument, node.sources[0].shape))


def _update(batch: Batching, node: Node) -> Node:
    base, value = batch.sources(node)
    return build.update(base, value, _whole(batch, node.argument, node.shape))


def _reduction(batch: Batching, node: Node) -> Node:
    assert isinstance(node.op, Reduction)
    return build.reduce(node.op, batch.source(node, 0), tuple([axis + 1 for axis in node.argument]))


def _scan(batch: Batching, node: Node) -> Node:
    assert isinstance(node.op, Scan)
    return build.scan(node.op, batch.source(node, 0), node.argument + 1)


def _contract(batch: Batching, node: Node) -> Node:
    """Put the batch among the axes of whichever operand has it, so the other stays as it is."""
    spec: Contraction = node.argument
    left, right = node.sources
    count = spec.batch
    if batch.has(node, 0) and batch.has(node, 1):
        both = Contraction(count + 1, spec.m, spec.n, spec.k, spec.accumulator)
        return build.contract(batch.source(node, 0), batch.source(node, 1), both, node.dtype)
    if batch.has(node, 0):
        wide = Contraction(count, spec.m + 1, spec.n, spec.k, spec.accumulator)
        made = build.contract(_behind(batch.source(node, 0), count), right, wide, node.dtype)
        return _in_front(made, count)
    wide = Contraction(count, spec.m, spec.n + 1, spec.k, spec.accumulator)
    made = build.contract(left, _behind(batch.source(node, 1), count), wide, node.dtype)
    return _in_front(made, count + spec.m)


def _behind(node: Node, count: int) -> Node:
    """Move the first axis behind so many others."""
    rank = len(node.shape)
    return build.permute(node, (*range(1, count + 1), 0, *range(count + 1, rank)))


def _in_front(node: Node, axis: int) -> Node:
    """Move an axis to the front."""
    rank = len(node.shape)
    return build.permute(node, (axis, *(each for each in range(rank) if each != axis)))


def _shifted(argument: Indexing, lead: bool) -> Indexing:
    """Return how elements are found when positions, and the operand too, gain a first axis."""
    axes = tuple([axis if axis >= 0 else axis - 1 for axis in argument.axes])
    return Indexing((-1, *axes) if lead else axes, argument.fill, argument.mode)


def _gather(batch: Batching, node: Node) -> Node:
    lead = batch.has(node, 0)
    operand = batch.source(node, 0) if lead else node.sources[0]
    indices = [batch.source(node, place) for place in range(1, len(node.sources))]
    return build.gather(operand, indices, _shifted(node.argument, lead), _shape(batch, node))


def _scatter(batch: Batching, node: Node) -> Node:
    base, source, *indices = batch.sources(node)
    return build.scatter(base, source, indices, _shifted(node.argument, True))


def _attention(batch: Batching, node: Node) -> Node:
    """Batch all operands but the factor of the scores, which has no axes."""
    sources = list(batch.sources(node))
    scale = node.sources[3]
    if batch.has(node, 3):
        factor = build.reshape(sources[3], (batch.size, *(1 for _ in node.sources[0].shape)))
        query = sources[0] * build.expand(factor, sources[0].shape)
        sources[0] = build.cast(query, node.sources[0].dtype)
        scale = build.constant(1, scale.dtype, (), scale.device)
    sources[3] = scale
    shape = _shape(batch, node)
    return Node(node.op, node.dtype, shape, tuple(sources), node.argument, node.device)


def rule_of(op: OpDef) -> Rule:
    """Return how an operation is rebuilt for a batch."""
    rule = _RULES.get(op)
    if rule is not None:
        return rule
    if isinstance(op, Elementwise):
        return _elementwise
    if isinstance(op, Reduction):
        return _reduction
    if isinstance(op, Scan):
        return _scan
    raise InternalError(f"{op.name} has no batching rule")


_RULES: Mapping[OpDef, Rule] = MappingProxyType(
    {
        structure.LEAF: _leaf,
        structure.DETACH: _detach,
        structure.CUSTOM: _custom,
        structure.CAST: _same_argument,
        structure.BITCAST: _same_argument,
        structure.COPY: _same_argument,
        structure.AFTER: _same_argument,
        structure.VIEW: _view,
        structure.UPDATE: _update,
        structure.CONTRACT: _contract,
        structure.GATHER: _gather,
        structure.SCATTER: _scatter,
        structure.ARGSORT: _same_argument,
        ATTENTION: _attention,
        ATTENTION_NORM: _attention,
        ATTENTION_GRADIENT: _attention,
        **dict.fromkeys((*MATRIX_OPERATIONS, *WITH_GRADIENTS), _same_argument),
    }
)


def placeholder(batch: Node) -> Node:
    """Return what stands for one example of a batch while the mapped function runs.

    It is no bare `EMPTY`: another batching repeats those without looking whose place they hold.
    """
    one = build.empty(batch.dtype, batch.shape[1:], batch.device)
    if batch.requires_grad:
        return build.leaf(one)
    return Node(structure.DETACH, one.dtype, one.shape, (one,), None, one.device)


def identity_matrix(shape: Shape, like: Node) -> Node:
    """Return all tensors of a shape with a single 1, stacked in row-major order."""
    count = prod(shape)
    rows = build.expand(build.iota((count, 1), like.device), (count, count))
    columns = build.expand(build.iota((1, count), like.device), (count, count))
    ones = build.cast(rows.eq(columns), like.dtype)
    return build.reshape(ones, (count, *shape))
