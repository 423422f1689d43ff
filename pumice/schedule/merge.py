"""Merging groups once it is known who reads what: epilogues, shared loops, writes in place."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.view import Shape, View, contiguous_strides
from pumice.schedule import sources
from pumice.schedule.items import Group, GroupKind, Reading

MAXIMUM_OUTPUTS = 8
MAXIMUM_WEIGHT = 1500
MAXIMUM_SEARCH = 400

Readings = Mapping[Node, list[Reading]]


def absorb_into_products(
    groups: dict[Node, Group], readings: Readings, wanted: Iterable[Node]
) -> None:
    """Turn an elementwise group that alone reads a product into the product's epilogue."""
    by_group = by_reader(readings)
    for node, product in list(groups.items()):
        if product.kind is not GroupKind.CONTRACT or node in wanted or len(readings[node]) != 1:
            continue
        reader = readings[node][0].group
        inverse = _inverse(readings[node][0].view, node)
        if (
            inverse is None
            or readings[node][0].space is not reader.main
            or reader.kind is not GroupKind.LOOP
            or reader.reductions
            or sources.is_reduction(reader.root)
            or not _all_compose(reader, inverse, by_group[reader])
        ):
            continue
        reader.contract = node
        reader.inverse = inverse
        reader.kind = GroupKind.CONTRACT
        del groups[node]
        for _, reading in by_group[product]:
            reading.group = reader
        by_group[reader] += by_group.pop(product)


class Readers:
    """Which groups read each group, found once and again after a merge."""

    def __init__(self, groups: Mapping[Node, Group], readings: Readings) -> None:
        self._readings = readings
        self._owners = {node: group for group in groups.values() for node in group.stored}
        self._known: dict[Group, list[Group]] = {}

    def of(self, group: Group) -> list[Group]:
        """Return the groups that read what a group stores, itself left out."""
        found = self._known.get(group)
        if found is None:
            found = self._known[group] = readers_of(group, self._readings)
        return found

    def merged(self, lost: Group, into: Group, own: Iterable[tuple[Node, Reading]]) -> None:
        """Note that a group, which made these readings, is part of another one now."""
        for node in lost.stored:
            self._owners[node] = into
        for group in (lost, into, *[self._owners.get(node) for node, _ in own]):
            if group is not None:
                self._known.pop(group, None)


def by_reader(readings: Readings) -> dict[Group, list[tuple[Node, Reading]]]:
    """Return the readings of each group, with what is read."""
    found: dict[Group, list[tuple[Node, Reading]]] = defaultdict(list)
    for node, each in readings.items():
        for reading in each:
            found[reading.group].append((node, reading))
    return found


def _all_compose(reader: Group, inverse: View, own: list[tuple[Node, Reading]]) -> bool:
    return all(
        _composes(node, reading.view.compose(inverse))
        for node, reading in own
        if reading.space is reader.main
    )


def _composes(node: Node, view: View | None) -> bool:
    if view is None:
        return False
    return not sources.is_padding(node) or sources.box_reading(node, view) is not None


def _inverse(view: View, node: Node) -> View | None:
    """Return the view that undoes a permutation of a whole tensor, or None."""
    if view.numel != node.numel or view.offset or not view.is_injective():
        return None
    if node.numel == 0:  # strides say nothing
        return None
    order = [axis for axis in range(len(view.shape)) if view.shape[axis] != 1]
    order.sort(key=lambda axis: -view.strides[axis])
    expected = node.numel
    for axis in order:
        expected //= view.shape[axis]
        if view.strides[axis] != expected:
            return None
    place = contiguous_strides(view.shape)
    straight = View(
        tuple(view.shape[axis] for axis in order), tuple(place[axis] for axis in order), 0
    )
    return straight.reshape(node.shape)


def merge_outputs(groups: dict[Node, Group], readings: Readings) -> None:
    """Let a group compute and store what it reads element by element from another one.

    Before::

        loop %1 = 0.9 * momentum + gradient
        loop %2 = weight - rate * %1

    After, one pass over memory::

        loop %2 (also stores %1)
    """
    by_group = by_reader(readings)
    graph = Readers(groups, readings)
    for node in list(groups):
        producer = groups.get(node)
        if producer is None:
            continue
        for reader in readers_of(producer, readings):
            if is_elementwise(producer) and _can_merge(producer, reader, readings, graph):
                del groups[producer.root]
                join(producer, reader, by_group)
                graph.merged(producer, reader, by_group[reader])
                producer = reader  # which may itself be part of the next one


def is_elementwise(group: Group) -> bool:
    """Tell whether a group is a loop over the elements of its root and nothing else."""
    return (
        group.kind is GroupKind.LOOP
        and not group.reductions
        and not group.main.inner
        and not sources.is_reduction(group.root)
    )


def join(group: Group, other: Group, by_group: dict[Group, list[tuple[Node, Reading]]]) -> None:
    """Make an elementwise group part of another one over as many elements."""
    other.extra += group.stored  # without reductions there is no side result
    _hand_over(group, other, by_group)


def _hand_over(
    group: Group, other: Group, by_group: dict[Group, list[tuple[Node, Reading]]]
) -> None:
    """Make the readings and the weight of a group those of another one."""
    other.weight += group.weight
    for _, reading in by_group[group]:
        reading.group = other
        if reading.space is group.main:
            reading.space = other.main
    by_group[other] += by_group.pop(group)


def merge_reductions(groups: dict[Node, Group], readings: Readings) -> None:
    """Let a group fold on the way what another one folds over the same rows.

    Before::

        loop %1 = sum(gradient, 0)
        loop %2 = sum(gradient * x, 0)

    After, one pass over memory::

        loop %2 (also stores %1)
    """
    by_group = by_reader(readings)
    graph = Readers(groups, readings)
    stored = {node for group in groups.values() for node in group.stored}
    alike: dict[tuple[Shape, Shape], list[Group]] = defaultdict(list)
    for group in groups.values():
        if group.kind is GroupKind.LOOP and group.settled:
            alike[group.main.shape, group.main.inner].append(group)
    for node, folder in list(groups.items()):
        if folder.kind is not GroupKind.LOOP or not sources.is_reduction(node):
            continue
        same_rows = alike[folder.main.shape, folder.main.inner]
        own = whole_reads(by_group[folder], stored)
        for group in same_rows:
            if group is folder or not has_room(folder, group):
                continue
            common = not own.keys().isdisjoint(whole_reads(by_group[group], stored))
            if not common or _runs_after(folder, group, readings, graph):
                continue
            graph.merged(folder, group, by_group[folder])
            _fold_into(folder, group, by_group)
            same_rows.remove(folder)
            del groups[node]
            break


def has_room(first: Group, second: Group) -> bool:
    """Tell whether two groups together are still one of a bounded size."""
    return (
        len(first.stored) + len(second.stored) <= MAXIMUM_OUTPUTS
        and first.weight + second.weight <= MAXIMUM_WEIGHT
    )


def whole_reads(
    own: Iterable[tuple[Node, Reading]], stored: Container[Node]
) -> dict[tuple[Node, View], None]:
    """Return the large tensors a group reads, and how, in their order."""
    return {
        (node, reading.view): None
        for node, reading in own
        if reading.view.numel == node.numel and (sources.is_available(node) or node in stored)
    }


def _fold_into(
    folder: Group, group: Group, by_group: dict[Group, list[tuple[Node, Reading]]]
) -> None:
    place = View.contiguous(folder.main.shape).permute((*folder.main.outer, *folder.main.inner))
    group.side |= folder.side
    group.side[folder.root] = View.contiguous(folder.main.outer_shape)
    group.reductions |= folder.reductions
    group.reductions[folder.root] = place
    group.spaces |= folder.spaces
    _hand_over(folder, group, by_group)


def _runs_after(folder: Group, group: Group, readings: Readings, graph: Readers) -> bool:
    """Tell whether one needs what the other stores, apart from what a row's own folds give it."""
    inner = group.main.inner
    for node in group.stored:
        for reading in readings[node]:
            if reading.group is not folder:
                continue
            still = all(not reading.view.strides[axis] for axis in inner)
            place = sources.without_axes(reading.view, inner)
            if reading.space is not folder.main or not still or place != group.side.get(node):
                return True
    return (
        group in graph.of(folder)
        or _reaches_through_others(folder, group, graph)
        or _reaches_through_others(group, folder, graph)
    )


def _can_merge(
    producer: Group,
    reader: Group,
    readings: Readings,
    graph: Readers,
) -> bool:
    if (
        reader.kind is not GroupKind.LOOP
        or reader.main.shape != producer.main.shape
        or sources.is_reduction(reader.root)
        or len(reader.extra) + len(producer.extra) + 1 > MAXIMUM_OUTPUTS
        or reader.weight + producer.weight > MAXIMUM_WEIGHT
    ):
        return False
    identity = View.contiguous(reader.main.shape)
    for stored in producer.stored:
        for reading in readings[stored]:
            if reading.group is reader and (
                reading.space is not reader.main or reading.view != identity
            ):
                return False
    return not _reaches_through_others(producer, reader, graph)


def _reaches_through_others(producer: Group, reader: Group, graph: Readers) -> bool:
    """Tell whether the reader needs the producer through a third group."""
    stack = [each for each in graph.of(producer) if each is not reader]
    seen: set[Group] = set()
    while stack:
        group = stack.pop()
        if group is reader:
            return True
        if group in seen:
            continue
        if len(seen) >= MAXIMUM_SEARCH:
            return True  # so it might: not merging is never wrong
        seen.add(group)
        stack += graph.of(group)
    return False


def readers_of(group: Group, readings: Readings) -> list[Group]:
    """Return the groups that read what a group stores, itself left out."""
    found = {reading.group: None for node in group.stored for reading in readings[node]}
    found.pop(group, None)
    return list(found)


def ordered(groups: Mapping[Node, Group], readings: Readings) -> list[Group]:
    """Return the groups so that each comes after those it reads from."""
    waiting = dict.fromkeys(groups.values(), 0)
    for group in waiting:
        for reader in readers_of(group, readings):
            waiting[reader] += 1
    ready = [group for group, count in waiting.items() if count == 0]
    result = []
    while ready:
        # Depth first, so that what was just computed is used while it is still in the cache.
        group = ready.pop()
        result.append(group)
        for reader in readers_of(group, readings):
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready.append(reader)
    return result


def updates_in_place(
    groups: Mapping[Node, Group], readings: Readings, wanted: Iterable[Node]
) -> set[Node]:
    """Return updates whose base nobody reads but the update itself, at the same places."""
    wanted = set(wanted)
    stored = {node for group in groups.values() for node in group.stored}
    result = set()
    for node, group in groups.items():
        if group.kind is not GroupKind.UPDATE:
            continue
        base = node.sources[0]
        if base.op is structure.EMPTY:
            result.add(node)
            continue
        if base in wanted or base not in stored:
            continue
        own = View.contiguous(base.shape)
        whole = [reading for reading in readings[base] if reading.view == own]
        if len(whole) == 1 and all(
            reading.group is group and reading.view in (node.argument, own)
            for reading in readings[base]
        ):
            result.add(node)
    return result
