"""What computing a node again costs, against keeping it in memory."""

from collections.abc import Sequence

from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.definition import Accepts, Elementwise
from pumice.schedule import sources
from pumice.schedule.items import GroupKind, Reading

FEW = 16
"""A node is small for a reader of this many times as many elements."""
DEEPEST = 4
REPEATED_FROM = 1 << 14
FARTHEST = 64
"""Nodes looked at in search of a product."""


def is_cheap(node: Node, readers: int) -> bool:
    """Tell whether computing a node in each reader moves no more memory than storing it.

    It does when that takes a little arithmetic on one tensor of its size, whatever it needs of
    much smaller ones (``x - mean``). Two readers may as well read two tensors each: storing takes
    a write and a read more.
    """
    reads: dict[Node, None] = {}
    few = _reads_little(node, node.numel // FEW, reads, DEEPEST)
    return few and (len(reads) <= 1 or len(reads) == readers == 2)


def _reads_little(node: Node, small: int, reads: dict[Node, None], depth: int) -> bool:
    """Collect the large tensors a node is computed from; False when that is not cheap."""
    op = node.op
    if op not in (structure.CAST, structure.BITCAST) and (
        not isinstance(op, Elementwise) or op.accepts is Accepts.FLOAT
    ):
        return False
    for source in node.sources:
        while source.op is structure.VIEW and not sources.is_available(source):
            source = source.sources[0]
        if source.op in (structure.CONSTANT, structure.IOTA) or source.numel <= small:
            continue
        if sources.is_available(source) or source.op is structure.CONTRACT:
            reads[source] = None
        elif not depth or not _reads_little(source, small, reads, depth - 1):
            return False
    return True


def is_done_per_row(node: Node, readings: Sequence[Reading]) -> bool:
    """Tell whether readers need a node once per row only, however often they name it."""
    return isinstance(node.op, Elementwise) and all(
        node.numel * FEW <= reading.view.numel and _stands_still(reading) for reading in readings
    )


def is_repeated(node: Node, readings: Sequence[Reading]) -> bool:
    """Tell whether readers would compute a dear node over and over along their rows."""
    return sources.weight_of(node) >= FEW // 2 and any(
        node.numel * FEW <= reading.view.numel
        and reading.view.numel >= REPEATED_FROM
        and not _stands_still(reading)
        for reading in readings
    )


def _stands_still(reading: Reading) -> bool:
    """Tell whether a reading does not move along the last axis of its space."""
    long = [axis for axis, extent in enumerate(reading.view.shape) if extent > 1]
    return not long or reading.view.strides[long[-1]] == 0


def feeds_product(node: Node, readings: Sequence[Reading]) -> bool:
    """Tell whether a node between two products can be the epilogue of the first.

    It is then computed once, and the second finds it in memory.
    """
    if not any(reading.group.kind is GroupKind.CONTRACT for reading in readings):
        return False
    if not isinstance(node.op, Elementwise) and node.op is not structure.CAST:
        return False
    pending, seen = [node], {node}
    while pending and len(seen) < FARTHEST:
        for source in pending.pop().sources:
            if sources.is_available(source) or source in seen:
                continue
            if source.op is structure.CONTRACT:
                return True
            if sources.is_fusible(source):
                seen.add(source)
                pending.append(source)
    return False
