"""The short way to evaluate one operation on evaluated tensors: no graph to walk, no schedule.

Its plan is the one the graph would get. It is found by what can be read off the node itself: the
operator, the shapes and dtypes, and which operands are the same tensor.
"""

from typing import Any

from pumice.engine import profile
from pumice.engine.execute import attend, run_plan
from pumice.engine.plan import Plan, number_bits
from pumice.engine.statistics import statistics
from pumice.graph.node import Node, Storage
from pumice.ops import structure
from pumice.schedule.sources import IDENTITIES, resolve

MAXIMUM_SINGLES = 2048

_GRAPHS = frozenset((structure.VIEW, structure.CONSTANT, structure.AFTER, *IDENTITIES))
"""Operations that other code looks at more closely."""


class SinglePlan:
    """A plan of one operation: which operands its inputs and numbers are.

    What a run needs of the plan is kept beside it: finding it takes as long as small kernels do.
    """

    __slots__ = (
        "_allocate",
        "_call",
        "_device",
        "_inputs",
        "_launches",
        "_nbytes",
        "_numbers",
        "_plan",
    )

    def __init__(self, plan: Plan, order: list[Node], operands: tuple[Node, ...]) -> None:
        self._plan = plan
        self._inputs = [operands.index(order[place]) for place in plan.inputs]
        self._numbers = [(operands.index(order[place]), dtype) for _, place, dtype in plan.numbers]
        short = plan.fault_lock is None and not plan.arena and len(plan.outputs) == 1
        self._call = plan.call if short else None
        self._allocate = plan.runtime.allocate
        self._nbytes = plan.outputs[0]
        self._launches = len(plan.launches)
        self._device = plan.device

    def run(self, node: Node, operands: tuple[Node, ...]) -> Storage:
        """Return the elements of the operation's result."""
        numbers = []
        if self._numbers:
            numbers = [
                number_bits(operands[place].argument.value, dtype) for place, dtype in self._numbers
            ]
        call = self._call
        if call is None or profile.active.get() is not None:
            inputs = [operands[place].value for place in self._inputs]
            line_of = None if self._plan.fault_lock is None else lambda _: node.line
            return run_plan(self._plan, inputs, numbers, line_of)[0]  # type: ignore[arg-type]
        addresses = [operands[place].value.address for place in self._inputs]  # type: ignore[union-attr]
        output = self._allocate(self._nbytes)
        statistics.record_run(self._launches)
        code = call(*addresses, output.address, *numbers)
        if code:
            attend(self._plan, code)
        return Storage(output, 0, self._device)


_plans: dict[Any, SinglePlan] = {}


def operands_of(node: Node) -> tuple[Node, ...] | None:
    """Return the operands of an operation, or None when they have to be computed first."""
    if node.op in _GRAPHS:
        return None
    found: list[Node] = []
    for source in node.sources:
        if source.value is None and source.op is not structure.CONSTANT:
            source = resolve(source)
            if source.value is None:
                return None
        found.append(source)
    return tuple(found)


def single_key(node: Node, operands: tuple[Node, ...]) -> Any:
    """Return what decides the code of one operation."""
    if len(operands) == 2:  # most have
        one, two = operands
        return (
            node.op,
            node.dtype,
            node.shape,
            node.argument,
            node.device,
            one.value is None,
            one.dtype,
            one.shape,
            two.value is None,
            two.dtype,
            two.shape,
            one is two,
        )
    key: list[Any] = [node.op, node.dtype, node.shape, node.argument, node.device]
    for operand in operands:
        if operand.value is None:
            key.append(None)
        key.append(operand.dtype)
        key.append(operand.shape)
    if len(operands) > 2:
        key.append(tuple([operands.index(operand) for operand in operands]))
    return tuple(key)


def evaluate_single(node: Node, operands: tuple[Node, ...], key: Any) -> Storage | None:
    """Return the elements of a node by a plan known for its key; None when there is none."""
    found = _plans.get(key)
    return None if found is None else found.run(node, operands)


def remember_single(key: Any, plan: Plan, order: list[Node], operands: tuple[Node, ...]) -> None:
    """Keep the plan of one operation."""
    if len(_plans) >= MAXIMUM_SINGLES:
        _plans.clear()
    _plans[key] = SinglePlan(plan, order, operands)
