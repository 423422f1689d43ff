"""One group to its launches: which lowering each kind of group takes."""

from collections.abc import Callable
from functools import partial

from pumice.graph.node import Node
from pumice.lowering.attention_choice import lower_attention, lower_gradient
from pumice.lowering.contract import lower_contract
from pumice.lowering.expression import IsStored
from pumice.lowering.long_rows import lower_loop
from pumice.lowering.matrices import lower_matrices
from pumice.lowering.memo import LoweringMemo
from pumice.lowering.operators import lower_operator
from pumice.lowering.pieces import within_limit
from pumice.lowering.scan import lower_scan
from pumice.lowering.scatter_sorted import lower_scatter
from pumice.lowering.sort import lower_sort
from pumice.lowering.steps import Step
from pumice.lowering.update import lower_update
from pumice.schedule.items import Group, GroupKind, Schedule
from pumice.target import Target

_LOWERINGS: dict[GroupKind, Callable[[Group, IsStored, Target], list[Step]]] = {
    GroupKind.LOOP: lower_loop,
    GroupKind.CONTRACT: lower_contract,
    GroupKind.SCAN: lower_scan,
    GroupKind.SCATTER: lower_scatter,
    GroupKind.SORT: lower_sort,
    GroupKind.ATTENTION: lower_attention,
    GroupKind.ATTENTION_GRADIENT: lower_gradient,
    GroupKind.MATRICES: lower_matrices,
}


_memo = LoweringMemo()


def lower(schedule: Schedule, target: Target, memo: LoweringMemo | None = None) -> list[Step]:
    """Return the launches of a schedule in order; groups seen before come from a memo."""
    memo = _memo if memo is None else memo
    steps: list[Step] = []
    materialised = schedule.materialised

    def is_stored(node: Node) -> bool:
        return node.value is not None or node in materialised

    for group in schedule.groups:
        in_place = group.kind is GroupKind.UPDATE and group.root in schedule.in_place
        work = partial(_lower_group, group, is_stored, target, in_place)
        steps += memo.steps(group, is_stored, target, in_place, work)
    return steps


def _lower_group(group: Group, is_stored: IsStored, target: Target, in_place: bool) -> list[Step]:
    if group.kind is GroupKind.LOOP and target.shares_operators:
        alone = lower_operator(group, is_stored, target)
        if alone is not None:
            return alone
    if group.kind is GroupKind.UPDATE:
        steps = lower_update(group, is_stored, target, in_place)
    else:
        steps = _LOWERINGS[group.kind](group, is_stored, target)
    return within_limit(steps, target)
