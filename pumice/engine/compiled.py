"""Evaluation through plans: find or build the plan of a graph, bind memory, run it."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from pumice.engine.execute import bind_and_run
from pumice.engine.plan import Plan, PlanBuilder
from pumice.engine.realize import settle
from pumice.engine.statistics import statistics
from pumice.graph.node import Node, Storage
from pumice.graph.walk import topological
from pumice.locks import ForkSafeLock
from pumice.ops import structure
from pumice.schedule.sources import IDENTITIES, resolve
from pumice.target import CPU, Device

MAXIMUM_PLANS = 1024


class PlanCache:
    """Plans by graph structure, least recently used dropped first."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._lock = ForkSafeLock()

    def find(self, key: Any, order: Sequence[Node], wanted: Sequence[Node], device: Device) -> Plan:
        with self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
                return plan
            plan = PlanBuilder(order, wanted, device).build()
            statistics.record_plan()
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


def structural_key(order: Sequence[Node], wanted: Sequence[Node]) -> Any:
    """Return what decides the code of a graph: everything but addresses and numbers."""
    position: dict[Node, int] = {}
    entries: list[Any] = []
    for place, node in enumerate(order):
        position[node] = place
        if node.value is not None:
            entries.append((node.dtype, node.shape))
        elif node.op is structure.CONSTANT:
            entries.append((None, node.dtype, node.shape))
        else:
            argument = None if node.op is structure.CUSTOM else node.argument
            operands = tuple([position[source] for source in node.sources])
            entries.append((node.op, node.dtype, node.shape, argument, operands))
    return (tuple(entries), tuple([position[node] for node in wanted]))


_graph = ForkSafeLock()
"""Held while graphs are walked or nodes settled, not while kernels run."""


def realize_compiled(nodes: Sequence[Node]) -> None:
    """Give every node a value."""
    with _graph:
        targets = list(dict.fromkeys(resolve(node) for node in nodes))
        pending = [node for node in targets if node.value is None and not _take_view(node)]
    for device in dict.fromkeys(node.device or CPU for node in pending):
        _evaluate([node for node in pending if (node.device or CPU) == device])
    with _graph:
        for node in nodes:
            source = resolve(node)
            if node.value is None:
                node.value = source.value
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
        order = topological(wanted)
        # What is kept lies on the way already, so the order serves both.
        everything = wanted + _worth_keeping(order, wanted)
        plan, _ = plan_of(order, everything)
        bound = bindings(plan, order)
    storages = bind_and_run(plan, *bound)
    with _graph:
        fill(everything, storages)
        for node in order:
            node.passed = True


def plan_of(order: Sequence[Node], wanted: Sequence[Node]) -> tuple[Plan, Any]:
    """Return the plan that evaluates nodes, whose positions refer to ``order``, and its key."""
    device = next((node.device for node in order if node.device is not None), CPU)
    key = (device, structural_key(order, wanted))
    return _plans.find(key, order, wanted, device), key


_COSTLY = frozenset((structure.CONTRACT, structure.ARGSORT, structure.SCATTER))
_FREE = frozenset(
    (structure.CONSTANT, structure.IOTA, structure.EMPTY, structure.VIEW, *IDENTITIES)
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
        if node.value is None
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


def fill(nodes: Sequence[Node], storages: Sequence[Storage]) -> None:
    """Give nodes their values."""
    for node, storage in zip(nodes, storages, strict=True):
        node.value = storage
        settle(node)


def run(plan: Plan, order: Sequence[Node], wanted: Sequence[Node]) -> None:
    """Run a plan on the memory of ``order`` and fill in the values of ``wanted``."""
    storages = bind_and_run(plan, *bindings(plan, order))
    with _graph:
        fill(wanted, storages)
