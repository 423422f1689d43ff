"""Check a schedule: everything read was stored before, and nothing is stored twice."""

from pumice.errors import InternalError
from pumice.graph.node import Node
from pumice.ops import structure
from pumice.schedule.items import GroupKind, Schedule
from pumice.schedule.printer import members
from pumice.schedule.sources import is_available, is_fusible


def verify_schedule(schedule: Schedule, wanted: list[Node]) -> None:
    """Raise `InternalError` naming the first group that cannot run where it stands."""
    stored: set[Node] = set()
    for group in schedule.groups:
        root = group.root
        if root in stored:
            raise InternalError(f"schedule: {root!r} is computed twice")
        if root not in schedule.materialised:
            raise InternalError(f"schedule: {root!r} has no memory")
        inside = set(members(group, schedule))
        for node in inside:
            if node not in group.stored and not _may_be_inside(
                node, group.contract, group.reductions
            ):
                raise InternalError(f"schedule: {node!r} cannot be fused into {root!r}")
            for source in node.sources:
                if source in inside or is_available(source) or source.op is structure.EMPTY:
                    continue
                if source not in stored:
                    raise InternalError(f"schedule: {root!r} reads {source!r} before it is stored")
        if group.kind is GroupKind.LOOP and not group.settled and group.main.inner:
            raise InternalError(f"schedule: the inner axes of {root!r} were never settled")
        stored.update(group.stored)
    for node in wanted:
        if node not in stored and not is_available(node):
            raise InternalError(f"schedule: {node!r} is wanted but never computed")


def _may_be_inside(node: Node, contract: Node | None, reductions: object) -> bool:
    if is_fusible(node) or node is contract:
        return True
    return isinstance(reductions, dict) and node in reductions or node.op is structure.EMPTY
