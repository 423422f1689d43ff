"""Planning a graph: with the sizes it has, or with sizes as unknowns."""

from collections.abc import Callable, Sequence
from typing import Any

from pumice.engine.builder import PlanBuilder
from pumice.engine.families import FIRST_TOKEN, Entries, Variant
from pumice.engine.plan import Extents, Layout
from pumice.graph.node import Node, copied_node
from pumice.lowering.memo import LoweringMemo
from pumice.ops import structure
from pumice.ops.view import Shape, View
from pumice.sizes import Sizes, TooManyGuards
from pumice.target import Device


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


def layout_of(
    entries: Entries, order: Sequence[Node], wanted: Sequence[int], device: Device
) -> tuple[Layout, Extents]:
    """Return the plan of a graph, without regard to others."""
    copies = copied_graph(entries, order)
    return PlanBuilder(copies, [copies[place] for place in wanted], device).layout()


def variant_of(
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
