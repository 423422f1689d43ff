"""Text of a schedule: what each kernel computes and stores, and what was fused into it.

Example::

    loop out=%3 float32[4, 8] outer=[4] inner=[8]
      fused: exp amax sub sum div
"""

from pumice.graph.node import Node
from pumice.graph.printer import node_type
from pumice.ops import structure
from pumice.schedule.items import Group, Schedule
from pumice.schedule.sources import is_available


def members(group: Group, schedule: Schedule) -> list[Node]:
    """Return the nodes a group computes, its root last."""
    found: list[Node] = []
    seen: set[Node] = set()
    stack = [(group.root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            found.append(node)
            continue
        if node in seen or is_available(node):
            continue
        if node not in group.stored and node in schedule.materialised:
            continue
        seen.add(node)
        stack.append((node, True))
        stack.extend((source, False) for source in node.sources)
    return found


def print_schedule(schedule: Schedule) -> str:
    """Return one paragraph per group, in the order they run."""
    names = {node: f"%{number}" for number, node in enumerate(schedule.materialised)}
    lines = []
    for group in schedule.groups:
        root = group.root
        kind = group.kind.name.lower()
        shape = f"outer={list(group.main.outer_shape)} inner={list(group.main.inner_shape)}"
        place = " in place" if root in schedule.in_place else ""
        lines.append(f"{kind}{place} {names[root]} {node_type(root)} {shape}")
        inside = [
            node.op.name
            for node in members(group, schedule)
            if node.op not in (structure.CONSTANT, structure.VIEW)
        ]
        if len(group.stored) > 1:
            extra = " ".join(f"{names[node]} {node_type(node)}" for node in group.stored[:-1])
            lines.append(f"  also stores: {extra}")
        lines.append(f"  computes: {' '.join(inside) or root.op.name}")
        if root.line is not None:
            lines.append(f"  at: {root.line[0]}:{root.line[1]}")
    return "\n".join(lines)
