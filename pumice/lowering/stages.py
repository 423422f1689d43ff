"""The loops a group takes: its stages, its axes merged, and the axis vector lanes run along."""

from dataclasses import dataclass
from math import prod

from pumice.graph.node import Node
from pumice.lowering.expression import IsStored, affine_views, merge_axes, reading_order
from pumice.ops.definition import Reduction
from pumice.ops.view import Shape, View, contiguous_strides
from pumice.schedule import sources
from pumice.schedule.items import Group
from pumice.target import Target

SHORT_ROW = 16
SHORT_AXIS = 8
TILE_BYTES = 256
TILE_DEPTH_BYTES = 1024
MOST_TILE_DEPTH = 256
CROSSING_STRIDE = 8


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A loop nest of a group: what it evaluates over (outer axes, inner axes)."""

    nodes: tuple[Node, ...]  # reductions it folds; empty for the nest that stores
    shape: Shape
    readings: tuple[tuple[Node, View], ...]
    inner: tuple[tuple[int, ...], ...] = ()  # merged inner axes


class LoopAnalysis:
    """What is known of one loop group before its kernel is written."""

    def __init__(self, group: Group, is_stored: IsStored, target: Target) -> None:
        self.group = group
        self.target = target
        self.root = group.root
        inside = frozenset(group.stored)

        def stored_elsewhere(node: Node) -> bool:
            return node not in inside and is_stored(node)

        self._is_stored: IsStored = stored_elsewhere
        self.root_reduces = sources.is_reduction(self.root)
        main = group.main
        self.outer_shape = main.outer_shape
        self.rank = len(self.outer_shape)
        order = (*main.outer, *main.inner)
        natural = View.contiguous(main.shape)
        self.main_view = natural.permute(order)
        self.value_node = self.root
        self.store_view = self.main_view
        self.reductions = dict(group.reductions)
        if self.root_reduces:
            self.reductions[self.root] = self.main_view
        self.choose_target_of_store()
        self.stages = self._make_stages()
        self.outer = self._merge()

    def side_results(self) -> dict[Node, View]:
        """Return the reductions stored once per outer item, and where their elements lie."""
        places = dict(self.group.side)
        if self.root_reduces:
            places[self.root] = View.contiguous(self.outer_shape)
        return places

    def choose_target_of_store(self) -> None:
        """Let a subclass store something else than the root's elements in order."""

    def _is_leaf(self, node: Node) -> bool:
        return self._is_stored(node) or node in self.reductions

    def _make_stages(self) -> list[Stage]:
        """Order the fused reductions: those that need nothing from one another share loops."""
        level: dict[Node, int] = {}
        pending = dict(self.reductions)
        while pending:
            for node, view in list(pending.items()):
                order = reading_order([(node.sources[0], view)], self._is_leaf)
                needed = [each for each, _ in order if each in self.reductions]
                if all(each in level for each in needed):
                    level[node] = max((level[each] + 1 for each in needed), default=0)
                    del pending[node]
        batches: dict[tuple[int, Shape], list[Node]] = {}
        for node in self.reductions:
            shape = self.reductions[node].shape
            batches.setdefault((level[node], shape), []).append(node)
        stages = [
            Stage(
                tuple(nodes),
                shape,
                tuple((node.sources[0], self.reductions[node]) for node in nodes),
            )
            for (_, shape), nodes in sorted(batches.items(), key=lambda item: item[0][0])
        ]
        if not self.root_reduces:
            stored = (*self.group.extra, self.value_node)
            readings = tuple((node, self.main_view) for node in stored)
            stages.append(Stage((), self.main_view.shape, readings))
        return stages

    def _views(self, stage: Stage) -> list[View]:
        return affine_views(reading_order(stage.readings, self._is_leaf), self._is_stored)

    def _positions(self, stage: Stage) -> list[View]:
        """Return the views that number what a stage folds, where places are sought."""
        inner = stage.shape[self.rank :]
        positions = (0,) * self.rank + contiguous_strides(inner)
        return [
            View(stage.shape, positions)
            for node in stage.nodes
            if isinstance(node.op, Reduction) and node.op.with_index
        ]

    def _merge(self) -> list[tuple[int, ...]]:
        """Merge axes and fill in the inner axes of every stage; return the outer ones."""
        outer_views: list[View] = []
        memory_views: list[View] = []
        stages = []
        for stage in self.stages:
            views = self._views(stage)
            if not stage.nodes:
                views.append(self.store_view)
            memory_views += views
            views += self._positions(stage)
            outer_views += views
            inner = merge_axes(stage.shape, range(self.rank, len(stage.shape)), views)
            stages.append(Stage(stage.nodes, stage.shape, stage.readings, tuple(inner)))
        places = self.side_results().values()
        outer_views += places
        memory_views += places
        self.stages = stages
        self._all_views = memory_views
        outer = merge_axes(self.outer_shape, range(self.rank), outer_views)
        return outer if self.target.grid_lanes else self._long_axis_last(outer)

    def _long_axis_last(self, outer: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Give vector lanes a longer axis when the last one is too short to fill a vector.

        Best is one that most operands run along in steps of one element, then the longest.
        """
        lengths = [self._extent(self.outer_shape, members) for members in outer]
        if not outer or lengths[-1] >= SHORT_AXIS or max(lengths) < 2 * SHORT_AXIS:
            return outer

        def worth(place: int) -> tuple[int, int]:
            axis = outer[place][-1]
            near = sum(view.strides[axis] == 1 for view in self._all_views)
            return (near if lengths[place] >= SHORT_AXIS else -1, lengths[place])

        best = max(range(len(outer)), key=worth)
        return [*outer[:best], *outer[best + 1 :], outer[best]]

    def _lanes_inside(self) -> bool:
        """Tell whether lanes run along rows (True) or across outer items."""
        lengths = [
            self._extent(stage.shape, stage.inner[-1]) for stage in self.stages if stage.inner
        ]
        if not lengths:
            return False
        longest = max(lengths)
        if not self.outer:
            return True
        across = self._extent(self.outer_shape, self.outer[-1])
        inside = outside = 0
        for view in self._all_views:
            if len(view.shape) == self.rank:
                continue
            size = prod(
                extent for extent, stride in zip(view.shape, view.strides, strict=True) if stride
            )
            inside += size * any(
                stage.inner and stage.shape == view.shape and view.strides[stage.inner[-1][-1]] == 1
                for stage in self.stages
            )
            outside += size * (view.strides[self.outer[-1][-1]] == 1)
        if self.target.grid_lanes:
            return longest >= self.target.lanes and inside >= outside
        if longest < SHORT_ROW and longest <= across:
            return False
        return inside >= outside

    @staticmethod
    def _extent(shape: Shape, members: tuple[int, ...]) -> int:
        return prod(shape[axis] for axis in members)

    def _tile_extents(self) -> tuple[int, int]:
        """Return how far a tile reaches along the crossing axis and along the last one.

        Rows are long enough for memory to stream, and the turned tile stays in the cache.
        """
        size = min(node.dtype.itemsize for stage in self.stages for node, _ in stage.readings)
        return min(MOST_TILE_DEPTH, TILE_DEPTH_BYTES // size), TILE_BYTES // size

    def _crossing_axis(self) -> int | None:
        """Return the outer axis some operand runs along where the others run along the last one.

        Reading it for a whole row of the last axis would touch a new cache line per element.
        """
        last = self.outer[-1][-1]
        for place, members in enumerate(self.outer[:-1]):
            axis = members[-1]
            if self._extent(self.outer_shape, members) < SHORT_AXIS:
                continue
            if any(
                view.strides[axis] == 1 and abs(view.strides[last]) >= CROSSING_STRIDE
                for view in self._all_views
            ):
                return place
        return None
