"""The short way to evaluate one operation on evaluated tensors: no graph to walk, no schedule.

Its plan is the one the graph would get. It is found by what can be read off the node itself: the
operator, the shapes and dtypes, and which operands are the same tensor.
"""

from typing import Any

from pumice.engine.execute import run_plan
from pumice.engine.plan import Plan, number_bits
from pumice.graph.node import Node, Storage
from pumice.ops import structure
from pumice.schedule.sources import IDENTITIES, resolve

MAXIMUM_SINGLES = 2048

_GRAPHS = frozenset((structure.VIEW, structure.CONSTANT, structure.AFTER, *IDENTITIES))
"""Operations that other code looks at more closely."""


class SinglePlan:
    """A plan of one operation: which operands its inputs and numbers are."""

    __slots__ = ("inputs", "numbers", "plan")

    def __init__(self, plan: Plan, order: list[Node], operands: tuple[Node, ...]) -> None:
        self.plan = plan
        self.inputs = [operands.index(order[place]) for place in plan.inputs]
        self.numbers = [(operands.index(order[place]), dtype) for _, place, dtype in plan.numbers]


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
    key: list[Any] = [node.op, node.dtype, node.shape, node.argument, node.device]
    for operand in operands:
        if operand.value is None:
            key.append(None)
        key.append(operand.dtype)
        key.append(operand.shape)
    count = len(operands)
    if count == 2:
        key.append(operands[0] is operands[1])
    elif count > 2:
        key.append(tuple([operands.index(operand) for operand in operands]))
    return tuple(key)


def evaluate_single(node: Node, operands: tuple[Node, ...], key: Any) -> Storage | None:
    """Return the elements of a node by a plan known for its key; None when there is none."""
    found = _plans.get(key)
    if found is None:
        return None
    inputs = [operands[place].value for place in found.inputs]
    numbers = [number_bits(operands[place].argument.value, dtype) for place, dtype in found.numbers]
    plan = found.plan
    line_of = None if plan.fault_lock is None else lambda _: node.line
    return run_plan(plan, inputs, numbers, line_of)[0]  # type: ignore[arg-type]


def remember_single(key: Any, plan: Plan, order: list[Node], operands: tuple[Node, ...]) -> None:
    """Keep the plan of one operation."""
    if len(_plans) >= MAXIMUM_SINGLES:
        _plans.clear()
    _plans[key] = SinglePlan(plan, order, operands)
