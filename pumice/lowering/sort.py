"""Order of rows: which of several ways suits the rows' length and how much of the order is wanted.

Short rows are ranked, the first few of a long row are selected, and whole rows go through a radix
sort; on a GPU the invocations of a workgroup share the work on a row or on a tile of it.
"""

from math import prod

from pumice import dtypes
from pumice.kernel.ir import Value, load
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.expression import IsStored
from pumice.lowering.group_sort import RANKED as GROUP_RANKED
from pumice.lowering.group_sort import lower_group_sort
from pumice.lowering.item_sort import lower_item_sort
from pumice.lowering.keys import KEY_TYPES, ElementAt, Ordering, ordered_key
from pumice.lowering.long_nth import LongNth
from pumice.lowering.long_radix import LongRadix
from pumice.lowering.nth import lower_firsts, lower_nth
from pumice.lowering.radix import RowRadix
from pumice.lowering.rank import lower_ranking
from pumice.lowering.selecting import lower_selection
from pumice.lowering.steps import Step
from pumice.lowering.tile_order import STEPS as LEAST_STEPS
from pumice.schedule.items import Group
from pumice.target import Target

RANKED = 128
SELECTED_FROM = 128
SELECTED_SHARE = 8
FEW_ROWS = 16
LONG_ROW = 1 << 17
MANY_ROWS = 256


def ordering_of(group: Group) -> Ordering:
    """Return what an ARGSORT puts in order."""
    node = group.root
    (source,) = node.sources
    length = source.shape[-1]
    place_type = dtypes.int32 if length < 1 << 31 else dtypes.int64

    def elements(builder: KernelBuilder) -> ElementAt:
        buffer = builder.readable(source, source.dtype)
        extent = builder.size(length, "length")

        def element(row: Value, at: Value) -> tuple[Value, Value]:
            value = load(buffer, row * extent + at)
            return ordered_key(value, node.argument.descending), at.cast(place_type)

        return element

    key_type = KEY_TYPES[source.dtype.itemsize]
    rows, start, count = prod(node.shape[:-1]), node.argument.start, node.argument.count
    return Ordering(node, rows, length, start, count, key_type, place_type, elements)


def _folds_suffice(ordering: Ordering) -> bool:
    """Tell whether one fold per wanted element costs less than what finds them all (in cycles)."""
    length, count = ordering.length, ordering.count
    ranking = length * length // 5 if length <= RANKED else length // 4 + 2500
    return count == 1 or count * (length // 2 + 60) < ranking


def lower_ordering(ordering: Ordering) -> list[Step]:
    """Return the launches that put rows in order on the CPU."""
    long = ordering.rows < FEW_ROWS and ordering.length >= LONG_ROW
    if ordering.start:
        return LongNth(ordering).lower() if long else [lower_nth(ordering)]
    if not long and _folds_suffice(ordering):
        return [lower_firsts(ordering)]
    few = ordering.count * SELECTED_SHARE <= ordering.length
    if ordering.length >= SELECTED_FROM and few:
        steps, rest = lower_selection(ordering)
        return steps if rest is None else [*steps, *lower_ordering(rest)]
    if ordering.length <= RANKED:
        return [lower_ranking(ordering)]
    if long:
        return LongRadix(ordering).lower()
    return RowRadix(ordering).lower()


def _by_items(ordering: Ordering, target: Target) -> bool:
    """Tell whether a GPU's invocations sort a row each: where nothing else is possible or quicker.

    Processors that run shaders pay for every access to shared memory and keep rows in caches.
    """
    if 0 < target.most_steps < LEAST_STEPS:
        return True
    whole = ordering.start > 0 or ordering.count * SELECTED_SHARE > ordering.length
    many = ordering.rows >= MANY_ROWS and ordering.length > GROUP_RANKED
    return target.is_software and whole and many


def lower_sort(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an argsort."""
    if group.root.numel == 0:
        return []
    ordering = ordering_of(group)
    if not target.grid_lanes:
        return lower_ordering(ordering)
    if _by_items(ordering, target):
        return lower_item_sort(ordering)
    return lower_group_sort(ordering, target.lanes)
