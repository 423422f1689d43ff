"""What attention kernels share on devices whose workgroups share memory.

A workgroup owns a panel of rows of one head and goes over blocks of other rows: of queries over
keys, or of keys over queries. What it sums stays in shared memory. Blocks lie there row by row,
panels across. Rows beyond the last are read as the last one: what they give is never summed or
stored. Where a launch may take few steps only, several take a range of the blocks each, and what
has been summed rests in memory in between.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

from pumice.errors import UnsupportedOperation
from pumice.graph.node import Node
from pumice.kernel.ir import (
    If,
    Parameter,
    Statement,
    Store,
    Value,
    Variable,
    index,
    load,
)
from pumice.lowering.attention_space import (
    AttentionSpace,
    Tiled,
    lanes,
    larger,
    serial,
    smaller,
)
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import variable_value
from pumice.lowering.pieces import rebound
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.trips import Trips
from pumice.ops.attention import Attention
from pumice.schedule.items import Group
from pumice.schedule.shared_blocks import Blocks, SharedNeed, shared_blocks
from pumice.target import MOST_PART_ELEMENTS, Target, Tile


@dataclass(frozen=True, slots=True)
class Summed:
    """Local memory whose contents outlive a launch, and where they rest."""

    memory: Parameter
    resting: Parameter
    size: int
    initial: float


class SharedSpace(AttentionSpace):
    """What the kernels that sweep over blocks in shared memory have in common.

    The panel and the blocks are rows of queries or of keys; `owned` and `swept` count them.
    """

    def __init__(
        self, group: Group, is_stored: IsStored, target: Target, spec: Attention, rests: bool
    ) -> None:
        super().__init__(group, is_stored, target, spec)
        self.block = self.rows
        self.pitch = self.panel + 1
        self.rests = rests
        self.stage_pitch = 0
        self.summed: list[Summed] = []
        outer = self.outer_grid()
        owned, count = self._owned()
        self.panels = -(-owned // self.panel)
        place = Variable("panel")
        number = self.builder.size(self.panels, "panels")
        self.grid = (*outer, (place, number, self.panels))
        own = variable_value(place)
        if self._longest_last():  # the longest first, so that the cores end together
            own = number - 1 - own
        self.first = own * self.panel
        self.owned = count
        self.item = index(0)
        for variable, extent, _ in self.grid:
            self.item = self.item * extent + variable_value(variable)

    # -- what kernels say of themselves -----------------------------------------------------------

    def lower(self) -> list[Step] | None:
        """Return the launches; None if sums have to rest in memory between some."""
        raise NotImplementedError

    def _need(self) -> SharedNeed:
        """Return what is kept in shared memory."""
        raise NotImplementedError

    def _owned(self) -> tuple[int, Value]:
        """Return the rows that are shared out over workgroups."""
        return self.queries, self.query_count

    def _swept(self) -> int:
        """Return the rows each workgroup goes over."""
        return int(self.keys)

    def _longest_last(self) -> bool:
        return self.spec.causal

    def tile_of(self, target: Target) -> Tile:
        blocks = shared_blocks(self._need(), self._rows_owned(), target)
        assert blocks is not None, "the schedule keeps attentions that fit"
        return self._tile(blocks)

    def _rows_owned(self) -> int:
        rows: int = self.nodes.query.shape[-2]
        return rows

    def _tile(self, blocks: Blocks) -> Tile:
        return Tile(blocks.block, blocks.panel)

    # -- sweeping ---------------------------------------------------------------------------------

    def sums(self, name: str, size: int, initial: float = 0) -> Parameter:
        """Return local memory for what the sweep sums."""
        memory = self.local(name, size)
        if self.rests:
            items = prod(extent for _, _, extent in self.grid)
            scratch = Scratch(items * size * self.accumulator.itemsize)
            resting = self.builder.writable(scratch, self.accumulator)
            self.summed.append(Summed(memory, resting, size, initial))
        else:
            self.summed.append(Summed(memory, memory, size, initial))
        return memory

    def sweep(
        self,
        first: Value,
        stop: Value,
        body: Callable[[Value], Iterator[Statement]],
        finish: Iterator[Statement],
    ) -> tuple[Statement, ...]:
        """Return the loop over blocks, with what begins and ends it."""
        number = Variable("block")
        if not self.rests:
            loop = serial(number, stop, *body(variable_value(number)), start=first)
            return (*self._begin(), loop, *finish)
        begin = larger(first, self.begin)
        end = smaller(stop, self.begin + self.reach)
        loop = serial(number, end, *body(variable_value(number)), start=begin)
        last = self.begin + self.reach >= self.blocks
        return (*self._begin(), loop, If(last, tuple(finish)), If(~last, tuple(self._rest())))

    def _begin(self) -> Iterator[Statement]:
        for each in self.summed:
            item = Variable("item")
            at = variable_value(item)
            value = self.number(each.initial)
            if self.rests:
                later = self.begin > 0
                before = load(each.resting, self.item * each.size + at, later)
                value = later.select(before, value)
            yield lanes(item, index(each.size), Store(each.memory, at, value))

    def _rest(self) -> Iterator[Statement]:
        for each in self.summed:
            item = Variable("item")
            at = variable_value(item)
            store = Store(each.resting, self.item * each.size + at, load(each.memory, at))
            yield lanes(item, index(each.size), store)

    def declare_range(self) -> None:
        """Add the arguments that say which blocks a launch goes over."""
        self.count = -(-self._swept() // self.block)
        if self.rests:
            self.begin = self.builder.size(0, "begin")
            self.reach = self.builder.size(self.count, "reach")
            self.blocks = self.builder.size(self.count, "blocks")

    def launches(self, body: tuple[Statement, ...], cost: int) -> list[Step] | None:
        """Return the launches; None if sums have to rest in memory between some."""
        step = self.builder.finish(self.grid, body, cost, self.group.root)
        limit = self.target.most_steps
        if not self.rests:
            fits = not limit or Trips(step, self.target.lanes).steps(body) <= limit
            return [step] if fits else None
        begin, reach = self.begin.attribute, self.reach.attribute
        one, two = (
            Trips(rebound(step, reach, most), self.target.lanes).steps(body) for most in (1, 2)
        )
        most = 1 + (limit - one) // max(two - one, 1)
        if most < 1:
            node = self.group.root
            raise UnsupportedOperation(
                f"{node.op.name}: a block of a tensor of shape {list(node.shape)} takes more steps "
                f"than one launch on {self.target.kind.value} may run; use the CPU"
            )
        piece = rebound(step, reach, most)
        return [rebound(piece, begin, done) for done in range(0, self.count, most)]

    # -- statements -----------------------------------------------------------------------------

    def stage(self, memory: Parameter, node: Node, first: Value, limit: Value) -> Statement:
        """Copy a block of rows, rows down."""
        width = node.shape[-1]
        item = Variable("item")
        row, column = variable_value(item).quotient(width), variable_value(item).modulus(width)
        element = self.element(node, smaller(first + row, limit - 1), column)
        store = Store(memory, row * self.stage_pitch + column, element)
        return lanes(item, index(self.block * width), store)

    def settle(self, memory: Parameter, node: Node, factor: Value | None) -> Statement:
        """Copy the rows of the panel, rows across."""
        width = node.shape[-1]
        item = Variable("item")
        row, column = variable_value(item).quotient(width), variable_value(item).modulus(width)
        element = self.element(node, smaller(self.first + row, self.owned - 1), column)
        if factor is not None:
            element = element * factor
        store = Store(memory, column * self.pitch + row, element)
        return lanes(item, index(self.panel * width), store)

    def across(self, tile: Parameter, left: Parameter, right: Parameter, depth: int) -> Statement:
        """Multiply the rows of a block by those of the panel."""
        rows = Tiled(left, index(0), self.stage_pitch, 1)
        panel = (right, index(0), self.pitch)
        return self.multiply(
            tile, index(0), self.panel, rows, panel, index(depth), self.block, fresh=True
        )

    def gather_up(
        self, sums: Parameter, left: Parameter, right: Parameter, rows: int, count: Value
    ) -> list[Statement]:
        """Add the products of the columns of a block with a tile to sums of ``rows`` rows."""
        most = self.target.lanes * MOST_PART_ELEMENTS // self.panel
        body: list[Statement] = []
        for begin in range(0, rows, most):
            height = min(most, rows - begin)
            columns = Tiled(left, index(begin), 1, self.stage_pitch)
            tile = (right, index(0), self.panel)
            at = index(begin * self.pitch)
            body.append(
                self.multiply(sums, at, self.pitch, columns, tile, count, height, fresh=False)
            )
        return body

    def results(
        self,
        node: Node,
        sums: Parameter,
        factor: Value | Callable[[Value], Value] | None,
    ) -> Statement:
        """Store sums as rows of a result, times a factor or one for each row."""
        width = node.shape[-1]
        item = Variable("item")
        row, column = variable_value(item).quotient(width), variable_value(item).modulus(width)
        value = load(sums, column * self.pitch + row)
        if factor is not None:
            value = value * (factor if isinstance(factor, Value) else factor(row))
        own = self.first + row
        memory = self.builder.writable(node, node.dtype)
        store = Store(
            memory, self.place(node, own, column), value.cast(node.dtype), own < self.owned
        )
        return lanes(item, index(self.panel * width), store)

    def hidden(self, score: Value, query: Value, key: Value) -> Value:
        """Return a score, or -inf where the mask or the order hides the key."""
        if self.nodes.mask is not None:
            score = self.with_mask(score, self.element(self.nodes.mask, query, key))
        if self.spec.causal:
            score = (key <= query).select(score, self.number(float("-inf")))
        return score


def swept(
    kind: Callable[[Group, IsStored, Target, bool], SharedSpace],
    group: Group,
    is_stored: IsStored,
    target: Target,
) -> list[Step]:
    """Return the launches of a kernel: one if it takes few steps, else as many as it needs."""
    steps = kind(group, is_stored, target, False).lower()
    if steps is None:
        steps = kind(group, is_stored, target, True).lower()
    assert steps is not None
    return steps
