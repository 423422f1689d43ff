"""What evaluating nodes would do, as text."""

from collections.abc import Sequence

from pumice.engine.devices import runtime_of
from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.schedule.fuse import fuse
from pumice.schedule.printer import print_schedule
from pumice.schedule.rewrite import rewrite
from pumice.schedule.sources import resolve
from pumice.schedule.waiting import without_waiting
from pumice.target import CPU


def explain(nodes: Sequence[Node]) -> str:
    """Return the kernels that the values of nodes would take, in order."""
    targets = [resolve(node) for node in nodes]
    pending = [node for node in targets if node.value is None]
    if not pending:
        return "already evaluated"
    target = runtime_of(pending[0].device or CPU).target
    rewritten = rewrite(topological(pending), pending, target)
    return print_schedule(fuse(*without_waiting(*rewritten)))
