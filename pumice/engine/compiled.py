"""Evaluation through plans: find or build the plan of a graph, bind memory, run it."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from pumice.engine.execute import bind_and_run
from pumice.engine.families import families
from pumice.engine.faults import LineOf
from pumice.engine.keys import Walk
from pumice.engine.plan import Plan
from pumice.engine.realize import settle
from pumice.engine.single import evaluate_single, operands_of, remember_single, single_key
from pumice.engine.statistics import statistics
from pumice.graph.node import Node, Storage
from pumice.locks import ForkSafeLock
from pumice.ops import structure
from pumice.ops.attention import ATTENTION, ATTENTION_NORM
from pumice.ops.matrix_operations import MATRIX_OPERATIONS
from pumice.schedule.sources import IDENTITIES, resolve
from pumice.target import CPU, Device

MAXIMUM_PLANS = 1024


class PlanCache:
    """Plans by graph structure, least recently used dropped first."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._lock = ForkSafeLock()
        self._making = ForkSafeLock()

    def get(self, key: Any) -> Plan | None:
        """Return the plan kept for a key."""
        with self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
            return plan

    def make(self, key: Any, walk: Walk, device: Device) -> Plan:
        """Make the plan of a graph and keep it. Threads that make plans take turns."""
        with self._making:
            plan = self.get(key)
            if plan is None:
                entries, wanted = key[1]
                plan = families.plan(entries, walk.order, wanted, device)
                statistics.record_plan()
                with self._lock:
                    self._plans[key] = plan
                    while len(self._plans) > MAXIMUM_PLANS:
                        self._plans.popitem(last=False)
            return plan

    def __len__(self) -> int:
        return len(self._plans)


_plans = PlanCache()


def cached_plan_count() -> int:
    """Return how many plans are kept."""
    return len(_plans)


_graph = ForkSafeLock()
"""Held while graphs are walked or nodes settled, not while they are planned or kernels run."""


def realize_compiled(nodes: Sequence[Node]) -> None:
    """Give every node a value."""
    if len(nodes) == 1:
        (node,) = nodes
        operands = operands_of(node)
        if operands is not None:
            key = single_key(node, operands)
            storage = evaluate_single(node, operands, key)
            if storage is None:
                _evaluate_and_remember(node)
            else:
                with _graph:
                    node.value = storage
                    settle(node)
            return
    _realize_graph(nodes)


def _evaluate_and_remember(node: Node) -> None:
    """Evaluate one operation on evaluated operands, and keep its plan at hand."""
    with _graph:
        operands = operands_of(node)
        if node.value is not None or operands is None:  # another thread was faster
            return
        key = single_key(node, operands)
        walk = Walk((node,))
    plan, _ = plan_of(walk, (node,))
    bound = bindings(plan, walk.order)
    storages = bind_and_run(plan, *bound, lines_of(walk.order))
    remember_single(key, plan, walk.order, operands)
    with _graph:
        fill((node,), storages)


def _realize_graph(nodes: Sequence[Node]) -> None:
    with _graph:
        pending = []
        for node in nodes:
            source = resolve(node)
            if source.value is None and not _take_view(source):
                pending.append(source)
        if len(pending) > 1:
            pending = list(dict.fromkeys(pending))
    devices = {node.device or CPU for node in pending}
    if len(devices) == 1:
        _evaluate(pending)
    else:
        for device in dict.fromkeys(node.device or CPU for node in pending):
            _evaluate([node for node in pending if (node.device or CPU) == device])
    with _graph:
        for node in nodes:
            if node.value is None:
                node.value = resolve(node).value
            settle(node)


def _take_view(node: Node) -> bool:
    """Share the memory of an evaluated tensor when a view reads an unbroken piece of it."""
    if node.op is not structure.VIEW:
        return False
    source = resolve(node.sources[0])
    if source.value is None or not node.argument.is_contiguous() or node.numel == 0:
        return False
    storage = source.value
    offset = storage.offset + node.argument.offset * node.dtype.itemsize
    node.value = Storage(storage.allocation, offset, storage.device)
    return True


def _evaluate(wanted: list[Node]) -> None:
    with _graph:
        wanted = [node for node in wanted if node.value is None]
        if not wanted:  # another thread was faster
            return
        walk = Walk(wanted)
        # What is kept lies on the way already, so the order serves both.
        everything = wanted + _worth_keeping(walk.order, wanted)
    plan, _ = plan_of(walk, everything)
    storages = bind_and_run(plan, *bindings(plan, walk.order), lines_of(walk.order))
    with _graph:
        fill(everything, storages)
        for node in walk.order:
            node.passed = True


def plan_of(walk: Walk, wanted: Sequence[Node]) -> tuple[Plan, Any]:
    """Return the plan that evaluates nodes of a graph, and its key."""
    order = walk.order
    device = CPU
    for node in order:
        if node.device is not None:
            device = node.device
            break
    key = (device, walk.key(wanted))
    plan = _plans.get(key)
    return (_plans.make(key, walk, device) if plan is None else plan), key


_COSTLY = frozenset(
    (
        *(structure.CONTRACT, structure.ARGSORT, structure.SCATTER, ATTENTION, ATTENTION_NORM),
        *MATRIX_OPERATIONS,
    )
)
_FREE = frozenset(
    (
        structure.CONSTANT,
        structure.IOTA,
        structure.EMPTY,
        structure.VIEW,
        structure.AFTER,
        *IDENTITIES,
    )
)


def _worth_keeping(order: list[Node], wanted: list[Node]) -> list[Node]:
    """Return nodes on the way whose values will be asked for again.

    Those are products and other costly results that a later backward reads, and tensors that the
    user went on using after they had been computed once: without a value, a running total that is
    only looked at through other tensors would be a longer graph in every round of a loop.
    """
    gradients = any(node.requires_grad and not node.released for node in wanted)
    chosen = set(wanted)
    return [
        node
        for node in order
        if (node.reread or gradients)
        and node.value is None
        and node not in chosen
        and (
            (node.reread and node.op not in _FREE)
            or (gradients and node.requires_grad and not node.released and node.op in _COSTLY)
        )
    ]


def bindings(plan: Plan, order: Sequence[Node]) -> tuple[list[Storage], list[Any]]:
    """Return the memory and the numbers a plan takes from a graph."""
    inputs = [order[place].value for place in plan.inputs]
    numbers = [order[place].argument.value for _, place, _ in plan.numbers]
    return inputs, numbers  # type: ignore[return-value]


def lines_of(order: Sequence[Node]) -> LineOf:
    """Return the user's lines of a graph."""
    return lambda place: order[place].line


def fill(nodes: Sequence[Node], storages: Sequence[Storage]) -> None:
    """Give nodes their values."""
    for node, storage in zip(nodes, storages, strict=True):
        node.value = storage
        settle(node)


def run(plan: Plan, order: Sequence[Node], wanted: Sequence[Node]) -> None:
    """Run a plan on the memory of ``order`` and fill in the values of ``wanted``."""
    storages = bind_and_run(plan, *bindings(plan, order), lines_of(order))
    with _graph:
        fill(wanted, storages)
