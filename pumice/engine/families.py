"""Families of graphs that differ in sizes only: planned once with sizes as unknowns.

A graph's *skeleton* is its key with a token for each size: 0 and 1 stand for themselves, equal
sizes have equal tokens. The first graph of a skeleton is planned as it is. When a second one
comes, it is planned with `sizes.Size` objects for its sizes; that plan serves every graph of the
skeleton whose sizes satisfy the conditions the compiler met on its way. Others get variants.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pumice.engine.builder import PlanBuilder
from pumice.engine.plan import Extents, Layout, Plan
from pumice.graph.node import Node, copied_node
from pumice.locks import ForkSafeLock
from pumice.lowering.memo import LoweringMemo
from pumice.ops import structure
from pumice.ops.view import Shape, View
from pumice.sizes import Sizes, TooManyGuards
from pumice.target import Device

MAXIMUM_FAMILIES = 512
FIRST_VARIANTS = 4
SERVED_PER_VARIANT = 3
"""Graphs that the variants of a family must have served for another one: making one takes as long
as planning ten graphs, so a family whose variants suit nothing else must have few."""
SEEN_PER_VARIANT = 16
"""Graphs that must have come for another one, whatever served them."""
MOST_VARIANTS = 64

FIRST_TOKEN = 2
Entries = Sequence[tuple[Any, ...]]


def skeleton_of(entries: Entries) -> tuple[tuple[Any, ...], list[int]]:
    """Return the entries of a walk with tokens for sizes, and the size each token stands for."""
    values: list[int] = []
    tokens: dict[int, int] = {0: 0, 1: 1, -1: -1}
    shapes: dict[Shape, Shape] = {}

    def tokens_of(shape: Shape) -> Shape:
        known = shapes.get(shape)
        if known is None:
            found = []
            for extent in shape:
                token = tokens.get(extent)
                if token is None:
                    token = len(values) + FIRST_TOKEN
                    values.append(abs(extent))
                    if extent < 0:
                        token = -token
                    tokens[extent], tokens[-extent] = token, -token
                found.append(token)
            known = shapes[shape] = tuple(found)
        return known

    skeleton: list[Any] = []
    for entry in entries:
        if len(entry) == 5:
            op, dtype, shape, argument, operands = entry
            if isinstance(argument, View):
                argument = (
                    tokens_of(argument.shape),
                    tokens_of(argument.strides),
                    tokens_of((argument.offset,)),
                )
            skeleton.append((op, dtype, tokens_of(shape), argument, operands))
        elif len(entry) == 3:
            skeleton.append((None, entry[1], tokens_of(entry[2])))
        else:
            skeleton.append((entry[0], tokens_of(entry[1])))
    return tuple(skeleton), values


class _Evaluated:
    """Stands for the memory of an evaluated node while a copy of its graph is planned."""

    address = 0


_evaluated: Any = _Evaluated()


def copied_graph(
    entries: Entries, order: Sequence[Node], shape_of: Callable[[Shape], Shape] = tuple
) -> list[Node]:
    """Return a copy of a graph as it was when it was walked, whoever evaluates it meanwhile."""
    copies: list[Node] = []
    for entry, original in zip(entries, order, strict=True):
        argument, sources, value = original.argument, (), None
        if len(entry) == 5:
            shape, operands = entry[2], entry[4]
            sources = tuple([copies[place] for place in operands])
            if original.op in _VIEWED:
                given: Any = entry[3]
                (offset,) = shape_of(given[2]) if type(given) is tuple else (given[2],)
                argument = View(shape_of(given[0]), shape_of(given[1]), offset)
        elif len(entry) == 3:
            shape = entry[2]
        else:
            shape, value = entry[1], _evaluated
        copies.append(copied_node(original, shape_of(shape), sources, argument, value))
    return copies


_VIEWED = frozenset((structure.VIEW, structure.UPDATE))
"""Operations whose argument is a view."""


def planned(entries: Entries, order: Sequence[Node], wanted: Sequence[int], device: Device) -> Plan:
    """Return the plan of a graph, without regard to others."""
    copies = copied_graph(entries, order)
    return PlanBuilder(copies, [copies[place] for place in wanted], device).build()


@dataclass(slots=True)
class Variant:
    """A plan with sizes as unknowns."""

    layout: Layout
    extents_of: Callable[..., tuple[Any, ...] | None]

    def plan(self, values: Sequence[int], device: Device) -> Plan | None:
        """Return the plan for sizes, None when they would be planned otherwise."""
        found = self.extents_of(*values)
        return None if found is None else self.layout.plan(Extents(*found), device)


@dataclass(slots=True)
class Family:
    """What is known of a skeleton."""

    variants: list[Variant] = field(default_factory=list)
    seen: int = 0
    served: int = 0
    closed: bool = False

    def find(self, values: Sequence[int], device: Device) -> Plan | None:
        """Return a plan made by a variant that suits."""
        self.seen += 1
        for place, variant in enumerate(self.variants):
            plan = variant.plan(values, device)
            if plan is not None:
                self.served += 1
                if place:  # what served last is tried first
                    self.variants.insert(0, self.variants.pop(place))
                return plan
        return None

    def may_grow(self) -> bool:
        """Tell whether another variant is worth its time."""
        allowed = self.served // SERVED_PER_VARIANT + self.seen // SEEN_PER_VARIANT
        allowed += FIRST_VARIANTS
        return not self.closed and len(self.variants) < min(allowed, MOST_VARIANTS)


class Families:
    """Families by skeleton, least recently used dropped first."""

    def __init__(self) -> None:
        self._families: OrderedDict[Any, Family] = OrderedDict()
        self._lock = ForkSafeLock()

    def plan(
        self, entries: Entries, order: Sequence[Node], wanted: Sequence[int], device: Device
    ) -> Plan:
        """Return the plan of a graph."""
        skeleton, values = skeleton_of(entries)
        key = (device, tuple(wanted), skeleton)
        with self._lock:
            family = self._families.get(key)
            if family is None:
                self._families[key] = Family()
                while len(self._families) > MAXIMUM_FAMILIES:
                    self._families.popitem(last=False)
            else:
                self._families.move_to_end(key)
        if family is not None:
            plan = family.find(values, device)
            if plan is not None:
                return plan
            if family.may_grow():
                variant = _variant(skeleton, values, order, wanted, device)
                if variant is None:
                    family.closed = True
                else:
                    family.variants.insert(0, variant)
                    plan = variant.plan(values, device)
                    if plan is not None:
                        return plan
        return planned(entries, order, wanted, device)

    def __len__(self) -> int:
        return len(self._families)


def _variant(
    skeleton: Entries,
    values: Sequence[int],
    order: Sequence[Node],
    wanted: Sequence[int],
    device: Device,
) -> Variant | None:
    """Plan a skeleton with sizes as unknowns; None where the compiler needs them as numbers."""
    fixed: set[int] = set()
    try:
        while True:
            sizes = Sizes(values, fixed)
            copies = _graph_of_sizes(skeleton, order, sizes)
            roots = [copies[place] for place in wanted]
            builder = PlanBuilder(copies, roots, device, LoweringMemo())
            if sizes.fixed == fixed:
                layout, extents = builder.layout()
                return Variant(layout, sizes.compiled(extents.values()))
            # Part of the way they were unknown, and compared as such with what is built into
            # kernels. As numbers from the start they give the plan that the graph would get.
            fixed = sizes.fixed
    except (TypeError, TooManyGuards):
        # Something computes with sizes what only numbers can, or decides too much by them.
        return None


def _graph_of_sizes(skeleton: Entries, order: Sequence[Node], sizes: Sizes) -> list[Node]:
    """Return a copy of a graph with sizes in place of tokens."""
    known: dict[int, Any] = {0: 0, 1: 1, -1: -1}
    for place, size in enumerate(sizes.sizes, start=FIRST_TOKEN):
        known[place], known[-place] = size, -size
    shapes: dict[Shape, Shape] = {}

    def shape_of(tokens: Shape) -> Shape:
        found = shapes.get(tokens)
        if found is None:
            found = shapes[tokens] = tuple([known[token] for token in tokens])
        return found

    return copied_graph(skeleton, order, shape_of)


families = Families()
