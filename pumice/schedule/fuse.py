"""Fusion: which nodes share a kernel.

Nodes are visited from the results backwards. Every reader of a node leaves a `Reading`: the group
it belongs to and the view through which it reads. A node whose readers all sit in one group, and
whose view composes into a strided box, is computed where it is read; otherwise it gets memory and
starts a group of its own. A reduction joins its reader's group when each outer item of the group
needs one result of it (softmax, layer norm).
"""

from collections.abc import Sequence
from math import prod
from types import MappingProxyType

from pumice.graph.node import Node
from pumice.ops import structure
from pumice.ops.attention import ATTENTION, ATTENTION_GRADIENT, ATTENTION_NORM
from pumice.ops.matrix_operations import MATRIX_OPERATIONS
from pumice.ops.triangular import TRIANGULAR
from pumice.ops.view import View
from pumice.schedule import sources
from pumice.schedule.costs import feeds_product, is_cheap, is_done_per_row, is_repeated
from pumice.schedule.items import Group, GroupKind, Reading, Schedule, Space
from pumice.schedule.merge import (
    absorb_into_products,
    merge_outputs,
    merge_reductions,
    ordered,
    updates_in_place,
)
from pumice.schedule.siblings import merge_siblings
from pumice.schedule.waiting import Waits

MAXIMUM_WEIGHT = 3500
MAXIMUM_READINGS = 4
MAXIMUM_ROW = 1 << 17
MINIMUM_ROWS = 16
SMALL_PROBLEM = 1 << 14

_KINDS = {
    structure.CONTRACT: GroupKind.CONTRACT,
    structure.SCATTER: GroupKind.SCATTER,
    structure.ARGSORT: GroupKind.SORT,
    structure.UPDATE: GroupKind.UPDATE,
    ATTENTION: GroupKind.ATTENTION,
    ATTENTION_NORM: GroupKind.ATTENTION,
    ATTENTION_GRADIENT: GroupKind.ATTENTION_GRADIENT,
    **dict.fromkeys(MATRIX_OPERATIONS, GroupKind.MATRICES),
}
_ATTENTIONS = (GroupKind.ATTENTION, GroupKind.ATTENTION_GRADIENT)


class Fusion:
    """One run of the fusion algorithm."""

    def __init__(self, order: Sequence[Node], wanted: Sequence[Node], waits: Waits) -> None:
        self.order = order
        self.waits = waits
        self.wanted = set(wanted)
        self.readings: dict[Node, dict[tuple[int, int, View], Reading]] = {
            node: {} for node in order
        }
        self.must_store: set[Node] = set(wanted)
        self.addressed: set[Node] = set()  # read at computed places
        self.groups: dict[Node, Group] = {}
        self.attentions: dict[tuple[GroupKind, tuple[Node, ...]], Group] = {}

    def run(self) -> Schedule:
        """Return the schedule of the whole graph."""
        for node in reversed(self.order):
            if not sources.is_available(node) and node.op is not structure.EMPTY:
                self._visit(node)
                if node in self.waits:
                    self._wait(node)
        readings = {node: list(found.values()) for node, found in self.readings.items()}
        absorb_into_products(self.groups, readings, self.wanted)
        merge_outputs(self.groups, readings)
        merge_reductions(self.groups, readings)
        merge_siblings(self.groups, readings)
        groups = ordered(self.groups, readings)
        materialised = {node: None for group in groups for node in group.stored}
        in_place = updates_in_place(self.groups, readings, self.wanted)
        return Schedule(groups, materialised, in_place)

    def _wait(self, node: Node) -> None:
        """Order the groups that compute a node behind those that store what it waits for."""
        own = self.groups.get(node)
        groups = [own] if own else [reading.group for reading in self._readings_of(node)]
        for awaited in map(_below_views, self.waits[node]):
            fixed = awaited.op in (structure.CONSTANT, structure.EMPTY)
            if awaited in self.readings and not (fixed or sources.is_available(awaited)):
                self._store(awaited)
                for group in groups:
                    space = Space(awaited.shape, ())
                    self._record(awaited, group, space, View.contiguous(awaited.shape))

    # -- one node ---------------------------------------------------------------------------------

    def _visit(self, node: Node) -> None:
        readings = self._readings_of(node)
        if not readings and node not in self.wanted:
            return
        if sources.is_reduction(node):
            group = self._reduction_group(node)
            if group is not None:
                self._read_reduction_source(node, group)
                return
        elif sources.is_fusible(node) and not self._needs_memory(node):
            for reading in readings:
                self._read_sources(node, reading)
            return
        self._start_group(node)

    def _start_group(self, node: Node) -> None:
        kind = _KINDS.get(node.op, GroupKind.LOOP)
        if sources.is_padding(node) and _pads_in_one_pass(node):
            kind = GroupKind.LOOP
        if sources.is_scan(node):
            kind = GroupKind.SCAN
        if kind in _ATTENTIONS and (kind, node.sources) in self.attentions:
            # What has the same sources comes from the same kernel.
            self.attentions[kind, node.sources].extra.append(node)
            return
        if sources.is_reduction(node):
            main = Space(node.sources[0].shape, node.argument)
            group = Group(node, kind, main, settled=True)
            self._record(node.sources[0], group, main, View.contiguous(main.shape))
        elif kind is GroupKind.UPDATE:
            main = Space(node.argument.shape, ())
            group = Group(node, kind, main, settled=True)
            base, value = node.sources
            self._store(base)
            self._record(base, group, Space(base.shape, ()), View.contiguous(base.shape))
            self._record(value, group, main, View.contiguous(main.shape))
        elif kind is GroupKind.LOOP:
            main = Space(node.shape, ())
            group = Group(node, kind, main)
            self._read_sources(node, Reading(group, main, View.contiguous(node.shape)))
        else:
            main = Space(node.shape, ())
            group = Group(node, kind, main, settled=True)
            for position, source in enumerate(node.sources):
                if self._operand_needs_memory(node, position):
                    self._store(source)
                elif _is_read_in_place(node, position):
                    self._store(_below_views(source))
                space = Space(source.shape, ())
                self._record(source, group, space, View.contiguous(source.shape))
        self.groups[node] = group
        if kind in _ATTENTIONS:
            self.attentions[kind, node.sources] = group

    def _operand_needs_memory(self, node: Node, position: int) -> bool:
        if node.op is structure.SCATTER:
            return position == 0
        return node.op is structure.ARGSORT

    def _store(self, node: Node) -> None:
        """Ask for memory, unless the node is a constant (a base that is filled)."""
        if node.op not in (structure.CONSTANT, structure.EMPTY):
            self.must_store.add(node)
            self.addressed.add(node)

    def _record(self, node: Node, group: Group, space: Space, view: View) -> None:
        # Space objects live as long as their readings, so their identities do not repeat.
        self.readings[node].setdefault((id(group), id(space), view), Reading(group, space, view))

    def _readings_of(self, node: Node) -> list[Reading]:
        return list(self.readings[node].values())

    def _read_sources(self, node: Node, reading: Reading) -> None:
        """Record how the sources of a fused node are read."""
        group, space = reading.group, reading.space
        group.weight += sources.code_size_of(node)
        if node.op is structure.VIEW:
            source = node.sources[0]
            composed = node.argument.compose(reading.view)
            if composed is None:
                raise AssertionError("a view that does not compose was given memory before")
            self._record(source, group, space, composed)
            return
        if sources.is_padding(node):
            self._read_box(node, reading)
            return
        for position, source in enumerate(node.sources):
            if node.op is structure.GATHER and position == 0:
                self.must_store.add(source)
                self.addressed.add(source)
                view = View.contiguous(source.shape)
                self._record(source, group, Space(source.shape, ()), view)
            else:
                self._record(source, group, space, reading.view)

    def _read_box(self, node: Node, reading: Reading) -> None:
        """Read a padded tensor where it lies; the padding is a masked read."""
        found = sources.box_reading(node, reading.view)
        assert found is not None
        value, _ = sources.boxed_value(node)
        self._store(value)
        self._record(value, reading.group, reading.space, found.view)
        self._record(node.sources[0], reading.group, reading.space, reading.view)

    # -- decisions --------------------------------------------------------------------------------

    def _needs_memory(self, node: Node) -> bool:
        readings = self._readings_of(node)
        if node in self.must_store:
            return True
        if node.op is structure.VIEW and any(
            node.argument.compose(reading.view) is None for reading in readings
        ):
            return True
        if node.op is structure.GATHER and not self._has_affine_coordinates(node):
            return True
        if sources.is_padding(node):
            return any(sources.box_reading(node, each.view) is None for each in readings)
        if node.op in sources.TRANSPARENT:
            return False
        if all(reading.group.kind in _ATTENTIONS for reading in readings):
            return False  # factors of weights, as large as the scores
        if any(reading.group.weight > MAXIMUM_WEIGHT for reading in readings):
            return True
        if is_repeated(node, readings) or feeds_product(node, readings):
            return True
        readers = len({id(reading.group) for reading in readings})
        if is_cheap(node, readers) or is_done_per_row(node, readings):
            return False
        if readers > 1:
            return True
        distinct = {(id(reading.space), reading.view) for reading in readings}
        return len(distinct) > MAXIMUM_READINGS

    def _has_affine_coordinates(self, node: Node) -> bool:
        axes = [-1 - axis for axis in node.argument.axes if axis < 0]
        return all(
            sources.coordinate(node.shape, axis, reading.view) is not None
            for axis in axes
            for reading in self._readings_of(node)
        )

    def _reduction_group(self, node: Node) -> Group | None:
        """Return the group a reduction can join, or None.

        A group among several readers stores the result for the others, which run after it. A small
        fold to one number, such as the count a mean divides by, is not worth that order.
        """
        if node in self.addressed:
            return None
        found = {reading.group: None for reading in self._readings_of(node)}
        if len(found) > 1 and node.numel == 1 and sources.reduced_extent(node) <= SMALL_PROBLEM:
            return None
        for group in reversed(found):
            others = [each for each in found if each is not group]
            if self._can_join(node, group) and not self._leads_to(others, group):
                return group
        return None

    def _can_join(self, node: Node, group: Group) -> bool:
        if group.kind is not GroupKind.LOOP:
            return False
        outer_views = set()
        for reading in self._readings_of(node):
            if reading.group is not group:
                continue
            inner = self._inner_axes(node, reading)
            if inner is None or (not group.settled and reading.space is not group.main):
                return False
            if sources.reduction_source_view(node, reading.view, inner) is None:
                return False
            if not inner and sources.folds_columns(node):
                return False
            outer_views.add(sources.without_axes(reading.view, inner))
        return len(outer_views) == 1

    def _leads_to(self, starts: Sequence[Group], goal: Group) -> bool:
        """Tell whether a group reads, perhaps through others, what one of some groups stores."""
        stack, seen = list(starts), set(starts)
        while stack:
            for stored in stack.pop().stored:
                for reading in self.readings[stored].values():
                    if reading.group is goal:
                        return True
                    if reading.group not in seen:
                        seen.add(reading.group)
                        stack.append(reading.group)
        return False

    def _inner_axes(self, node: Node, reading: Reading) -> tuple[int, ...] | None:
        """Return the axes of the reading's space along which the result does not change.

        None when joining would repeat work, starve the cores, or keep too long a row.
        """
        view, space, group = reading.view, reading.space, reading.group
        if group.settled:
            inner = space.inner
            if any(view.strides[axis] and view.shape[axis] > 1 for axis in inner):
                return None
        else:
            inner = tuple(
                axis
                for axis, (extent, stride) in enumerate(zip(view.shape, view.strides, strict=True))
                if stride == 0 and extent > 1
            )
        outer_view = sources.without_axes(view, inner)
        if outer_view.numel != node.numel or not outer_view.is_injective():
            return None
        row = max(sources.reduced_extent(node), prod(space.shape[axis] for axis in inner))
        if row * outer_view.numel > SMALL_PROBLEM and (
            row > MAXIMUM_ROW or outer_view.numel < MINIMUM_ROWS
        ):
            return None
        return inner

    def _read_reduction_source(self, node: Node, group: Group) -> None:
        readings = self._readings_of(node)
        reading = next(each for each in readings if each.group is group)
        inner = self._inner_axes(node, reading)
        assert inner is not None
        if not group.settled:
            group.main.inner = inner
            group.settled = True
        view = sources.reduction_source_view(node, reading.view, inner)
        assert view is not None
        group.reductions[node] = view
        if node in self.wanted or any(each.group is not group for each in readings):
            group.side[node] = sources.without_axes(reading.view, inner)
        group.weight += 1
        self._record(node.sources[0], group, group.space_of(node), view)


def _pads_in_one_pass(node: Node) -> bool:
    """Tell whether writing a padded tensor element by element costs less than filling it first."""
    value, _ = sources.boxed_value(node)
    known = sources.is_available(value) or not sources.is_fusible(value)
    return known and sources.box_reading(node, View.contiguous(node.shape)) is not None


def _is_read_in_place(node: Node, position: int) -> bool:
    """Tell whether a source is read many times, through whatever views it has."""
    if _KINDS.get(node.op) in _ATTENTIONS:
        return not _is_recomputed(node, position)
    return node.op is TRIANGULAR and position == 0


def _is_recomputed(node: Node, position: int) -> bool:
    """Tell whether a source of an attention is an expression that each kernel computes again."""
    spec = node.argument.attention if node.op is ATTENTION_GRADIENT else node.argument
    return bool(spec.dropped) and position == (5 if spec.masked else 4)


def _below_views(node: Node) -> Node:
    """Return what a chain of views reads."""
    while node.op is structure.VIEW and not sources.is_available(node):
        node = node.sources[0]
    return node


def fuse(
    order: Sequence[Node], wanted: Sequence[Node], waits: Waits = MappingProxyType({})
) -> Schedule:
    """Group the nodes of a graph into kernels."""
    return Fusion(order, wanted, waits).run()
