"""Order of rows on devices whose workgroups share memory.

Short rows are ranked, an invocation for a few elements; rows that fit a tile are sorted in shared
memory, a workgroup each. Of longer rows the first few are selected: every tile offers its
smallest keys, and what all tiles of a row offer is put in order. A bound spares most of that work.
The row is dealt out into many groups; at least k keys are not larger than the k-th of the groups'
smallest keys, so a tile that has no more than k such keys need not be sorted.
"""

from pumice.kernel.ir import (
    INDEX,
    Fold,
    If,
    Let,
    Store,
    Value,
    Variable,
    constant,
    index,
    load,
)
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.group_radix import GroupRadix
from pumice.lowering.keys import Ordering
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.statements import Body, carried, lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.lowering.tile_order import EXTENT, SMALL_EXTENT, TileOrder

RANKED = 256
RANKED_AT_ONCE = 4
SELECTED_SHARE = 4
BOUND_FROM = 8
"""Tiles of a row from which on a bound pays."""


def lower_group_sort(ordering: Ordering, width: int) -> list[Step]:
    """Return the launches that put rows in order by workgroups of ``width`` invocations."""
    if ordering.length <= RANKED:
        return lower_ranks(ordering)
    if ordering.length <= EXTENT:
        return [lower_tiles(ordering, width)]
    if not ordering.start and ordering.count * SELECTED_SHARE <= EXTENT:
        steps, rest = GroupSelection(ordering, width).lower()
        return [*steps, *lower_group_sort(rest, width)]
    return GroupRadix(ordering, width).lower()


def keys_of(ordering: Ordering) -> tuple[Step, Scratch]:
    """Return the launch that writes all keys, and where they are."""
    builder = KernelBuilder()
    row, place = Variable("row"), Variable("i")
    length, rows = builder.size(ordering.length, "length"), builder.size(ordering.rows, "rows")
    key, _ = ordering.elements(builder)(variable_value(row), variable_value(place))
    memory = Scratch(ordering.rows * ordering.length * ordering.key_type.itemsize)
    keys = builder.writable(memory, ordering.key_type)
    store = Store(keys, variable_value(row) * length + variable_value(place), key)
    grid = ((row, rows, ordering.rows), (place, length, ordering.length))
    return builder.finish(grid, (store,), 2, ordering.node), memory


def lower_ranks(ordering: Ordering) -> list[Step]:
    """Return the launches that count for each element how many stand before it."""
    first, memory = keys_of(ordering)
    builder = KernelBuilder()
    row, part = Variable("row"), Variable("part")
    own_row = variable_value(row)
    element = ordering.elements(builder)
    keys = builder.readable(memory, ordering.key_type)
    length = builder.size(ordering.length, "length")
    output = ordering.output(builder)
    parts = -(-ordering.length // RANKED_AT_ONCE)
    start = variable_value(part) * index(RANKED_AT_ONCE)
    own = [minimum(start + number, length - 1) for number in range(RANKED_AT_ONCE)]
    mine = [load(keys, own_row * length + place) for place in own]
    ranks = [carried(f"rank{number}", index(0)) for number in range(RANKED_AT_ONCE)]

    def folds(other: Value) -> tuple[Fold, ...]:
        key = load(keys, own_row * length + other)
        before = [
            ((key < value) | (key.eq(value) & (other < place))).cast(INDEX)
            for value, place in zip(mine, own, strict=True)
        ]
        following = (rank.now + each for rank, each in zip(ranks, before, strict=True))
        return (Fold(tuple(ranks), tuple(following)),)

    loop = serial("j", length, lambda _: (), folds)
    begin, wanted = builder.size(ordering.start, "start"), builder.size(ordering.count, "count")
    stores = []
    for number, (place, rank) in enumerate(zip(own, ranks, strict=True)):
        to = rank.result - begin
        mask = (start + number < length) & (to >= 0) & (to < wanted)
        given = element(own_row, place)[1].cast(output.dtype)
        stores.append(Store(output, own_row * wanted + to, given, mask))
    grid = (
        (row, builder.size(ordering.rows, "rows"), ordering.rows),
        (part, builder.size(parts, "parts"), parts),
    )
    body = (*(Let(each) for each in mine), loop, *stores)
    return [first, builder.finish(grid, body, 4 * ordering.length, ordering.node)]


def lower_tiles(ordering: Ordering, width: int) -> Step:
    """Return the launch that sorts each row as one tile."""
    builder = KernelBuilder()
    row = Variable("row")
    own = variable_value(row)
    element = ordering.elements(builder)
    length = builder.size(ordering.length, "length")
    output = ordering.output(builder)
    extent = SMALL_EXTENT if ordering.length <= SMALL_EXTENT else EXTENT
    tile = TileOrder(builder, ordering.key_type, lambda at: element(own, at)[0], extent, width)
    found = tile.compare(length)
    sorting, copy = tile.sort(length, found.differ)
    start, wanted = builder.size(ordering.start, "start"), builder.size(ordering.count, "count")

    def give(at: Value) -> Body:
        place = tile.place(copy, start + at)
        given = element(own, place)[1].cast(output.dtype)
        return (Store(output, own * wanted + at, given),)

    body = (found.loop, *sorting, lanes("o", wanted, give))
    grid = ((row, builder.size(ordering.rows, "rows"), ordering.rows),)
    return builder.finish(grid, body, 20 * ordering.length, ordering.node)


class GroupSelection:
    """Lowers the selection of the first few keys of each tile of long rows."""

    def __init__(self, ordering: Ordering, width: int) -> None:
        self.ordering = ordering
        self.width = width
        self.tiles = -(-ordering.length // EXTENT)
        total = ordering.rows * self.tiles * ordering.count
        self.keys = Scratch(total * ordering.key_type.itemsize)
        self.places = Scratch(total * ordering.place_type.itemsize)

    def lower(self) -> tuple[list[Step], Ordering]:
        """Return the launches, and the offers that are left to be put in order."""
        steps: list[Step] = []
        bounds = None
        if self.tiles >= BOUND_FROM:
            least = Scratch(self.ordering.rows * EXTENT * self.ordering.key_type.itemsize)
            bounds = Scratch(self.ordering.rows * self.ordering.key_type.itemsize)
            steps = [self._least(least), self._bound(least, bounds)]
        offers = self.ordering.among(self.keys, self.places, self.tiles * self.ordering.count)
        return [*steps, self._offer(bounds)], offers

    def _least(self, memory: Scratch) -> Step:
        """Write the smallest key of each group of a row."""
        builder = KernelBuilder()
        ordering, groups = self.ordering, index(EXTENT)
        row, group = Variable("row"), Variable("group")
        own, place = variable_value(row), variable_value(group)
        element = ordering.elements(builder)
        length = builder.size(ordering.length, "length")
        output = builder.writable(memory, ordering.key_type)
        ones = (1 << ordering.key_type.bits) - 1
        least = carried("least", constant(ones, ordering.key_type))

        def folds(at: Value) -> tuple[Fold, ...]:
            key = element(own, place + at * groups)[0]
            return (Fold((least,), ((key < least.now).select(key, least.now),)),)

        rounds = (length - place + (EXTENT - 1)).quotient(groups)
        loop = serial("r", rounds, lambda _: (), folds)
        store = Store(output, own * groups + place, least.result)
        rows = builder.size(ordering.rows, "rows")
        grid = ((row, rows, ordering.rows), (group, groups, EXTENT))
        return builder.finish(grid, (loop, store), 2 * self.tiles, ordering.node)

    def _bound(self, memory: Scratch, bounds: Scratch) -> Step:
        """Write the key that at least as many as are wanted do not exceed."""
        builder = KernelBuilder()
        ordering, groups = self.ordering, index(EXTENT)
        row = Variable("row")
        own = variable_value(row)
        least = builder.readable(memory, ordering.key_type)
        output = builder.writable(bounds, ordering.key_type)

        def key(at: Value) -> Value:
            return load(least, own * groups + at)

        tile = TileOrder(builder, ordering.key_type, key, EXTENT, self.width)
        found = tile.compare(groups)
        sorting, copy = tile.sort(groups, found.differ)
        last = tile.place(copy, builder.size(ordering.count, "count") - 1)
        body = (found.loop, *sorting, Store(output, own, key(last)))
        grid = ((row, builder.size(ordering.rows, "rows"), ordering.rows),)
        return builder.finish(grid, body, 20 * EXTENT, ordering.node)

    def _offer(self, bounds: Scratch | None) -> Step:
        """Write the first few keys of each tile."""
        builder = KernelBuilder()
        ordering = self.ordering
        row, number = Variable("row"), Variable("tile")
        own, which = variable_value(row), variable_value(number)
        element = ordering.elements(builder)
        start = which * index(EXTENT)
        length = minimum(builder.size(ordering.length, "length") - start, index(EXTENT))
        wanted, tiles = builder.size(ordering.count, "count"), builder.size(self.tiles, "tiles")
        keys = builder.writable(self.keys, ordering.key_type)
        places = builder.writable(self.places, ordering.place_type)

        def key(at: Value) -> Value:
            return element(own, start + at)[0]

        tile = TileOrder(builder, ordering.key_type, key, EXTENT, self.width)
        body, copy = self._firsts(builder, tile, length, wanted, (bounds, own) if bounds else None)
        ones = constant((1 << ordering.key_type.bits) - 1, ordering.key_type)

        def give(at: Value) -> Body:
            inside = at < length
            place = tile.place(copy, inside.select(at, index(0)))
            found, where = element(own, start + place)
            to = (own * tiles + which) * wanted + at
            return (
                Let(place),
                Store(keys, to, inside.select(found, ones)),
                Store(places, to, where),
            )

        grid = (
            (row, builder.size(ordering.rows, "rows"), ordering.rows),
            (number, tiles, self.tiles),
        )
        return builder.finish(grid, (*body, lanes("o", wanted, give)), 10 * EXTENT, ordering.node)

    def _firsts(
        self,
        builder: KernelBuilder,
        tile: TileOrder,
        length: Value,
        wanted: Value,
        bound_of: tuple[Scratch, Value] | None,
    ) -> tuple[Body, Value]:
        """Return what puts a tile's first few in front, and the copy that holds it then.

        Keys within a row's bound come first; if there are more than are wanted, all are sorted.
        """
        if bound_of is None:
            found = tile.compare(length)
            sorting, copy = tile.sort(length, found.differ)
            return (found.loop, *sorting), copy
        memory, row = bound_of
        bound = load(builder.readable(memory, self.ordering.key_type), row)
        found = tile.compare(length, lambda key: bound < key)
        crowded = wanted < length - found.marked.result.cast(INDEX)
        sorting, copy = tile.sort(length, found.differ)
        either = (If(~crowded, tile.split(length)), If(crowded, sorting))
        return (Let(bound), found.loop, *either), crowded.select(copy, index(1))
