"""Writing into part of a tensor: a copy of the base where it is still needed, then the write."""

from pumice.lowering.expression import IsStored
from pumice.lowering.loops import LoopLowering
from pumice.lowering.steps import Step
from pumice.schedule.items import Group, Space
from pumice.target import Target


class UpdateLowering(LoopLowering):
    """Lowers the write of an UPDATE: its value goes to a strided box of the node's memory."""

    def choose_target_of_store(self) -> None:
        self.value_node = self.root.sources[1]
        self.store_view = self.root.argument


class CopyLowering(LoopLowering):
    """Lowers the copy of an UPDATE's base into the node's memory."""

    def choose_target_of_store(self) -> None:
        self.value_node = self.root.sources[0]


def lower_update(group: Group, is_stored: IsStored, target: Target, in_place: bool) -> list[Step]:
    """Return the launches of an update: a copy of the base unless it is written in place."""
    node = group.root
    steps: list[Step] = []
    if not in_place:
        whole = Group(node, group.kind, Space(node.shape, ()), settled=True)
        steps += CopyLowering(whole, is_stored, target).lower()
    return steps + UpdateLowering(group, is_stored, target).lower()
