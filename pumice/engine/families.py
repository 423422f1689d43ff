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

from pumice.engine.plan import Extents, Layout, Plan
from pumice.engine.stored import plan_key, read_plan, write_plan
from pumice.graph.node import Node
from pumice.locks import ForkSafeLock
from pumice.ops.view import Shape, View
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


@dataclass(slots=True)
class Variant:
    """A plan with sizes as unknowns."""

    layout: Layout
    extents_of: Callable[..., tuple[Any, ...] | None]

    def extents(self, values: Sequence[int]) -> Extents | None:
        """Return what depends on sizes, None for those that would be planned otherwise."""
        found = self.extents_of(*values)
        return None if found is None else Extents(*found)


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
            extents = variant.extents(values)
            if extents is not None:
                self.served += 1
                if place:  # what served last is tried first
                    self.variants.insert(0, self.variants.pop(place))
                return variant.layout.plan(extents, device)
        return None

    def add(self, variant: Variant | None, values: Sequence[int]) -> tuple[Layout, Extents] | None:
        """Take a variant in, and return its plan for sizes."""
        if variant is None:
            self.closed = True
            return None
        self.variants.insert(0, variant)
        extents = variant.extents(values)
        return None if extents is None else (variant.layout, extents)

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
        plan = None if family is None else family.find(values, device)
        if plan is not None:
            return plan
        stored = plan_key(entries, wanted, device)
        found = None if stored is None else read_plan(stored, order, device)
        if found is None:
            # Most processes run graphs that others ran before, and need nothing of the compiler.
            from pumice.engine.planning import layout_of, variant_of

            if family is not None and family.may_grow():
                variant = variant_of(skeleton, values, order, wanted, device)
                found = family.add(variant, values)
            if found is None:
                found = layout_of(entries, order, wanted, device)
            if stored is not None:
                write_plan(stored, *found)
        layout, extents = found
        return layout.plan(extents, device)

    def __len__(self) -> int:
        return len(self._families)


families = Families()
