"""One group to its launches: which lowering each kind of group takes."""

from collections.abc import Callable

from pumice.lowering.attention import lower_attention
from pumice.lowering.contract import lower_contract
from pumice.lowering.expression import IsStored
from pumice.lowering.long_rows import lower_loop
from pumice.lowering.scan import lower_scan
from pumice.lowering.scatter import lower_scatter
from pumice.lowering.sort import lower_sort
from pumice.lowering.steps import Step
from pumice.lowering.update import lower_update
from pumice.schedule.items import Group, GroupKind, Schedule
from pumice.schedule.sources import is_available
from pumice.target import Target

_LOWERINGS: dict[GroupKind, Callable[[Group, IsStored, Target], list[Step]]] = {
    GroupKind.LOOP: lower_loop,
    GroupKind.CONTRACT: lower_contract,
    GroupKind.SCAN: lower_scan,
    GroupKind.SCATTER: lower_scatter,
    GroupKind.SORT: lower_sort,
    GroupKind.ATTENTION: lower_attention,
}


def lower(schedule: Schedule, target: Target) -> list[Step]:
    """Return the launches of a schedule in order."""
    steps: list[Step] = []

    def is_stored(node: object) -> bool:
        return is_available(node) or node in schedule.materialised  # type: ignore[arg-type]

    for group in schedule.groups:
        if group.kind is GroupKind.UPDATE:
            in_place = group.root in schedule.in_place
            steps += lower_update(group, is_stored, target, in_place)
        else:
            steps += _LOWERINGS[group.kind](group, is_stored, target)
    return steps
