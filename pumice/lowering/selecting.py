"""Launches that find the first few of long rows, and put them in order.

Few and very long rows are cut into pieces first: what each piece offers is gathered, in the order
of the row, and the first few of that are found.
"""

from collections.abc import Callable

from pumice import dtypes
from pumice.kernel.ir import INDEX, Statement, Store, Value, Variable
from pumice.lowering.builder import KernelBuilder
from pumice.lowering.keys import Ordering
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.rank import item_rows, rank_rows, rows_per_item
from pumice.lowering.select import BLOCK, List, Selection, Sizes, group_count, list_capacity
from pumice.lowering.statements import lanes
from pumice.lowering.steps import Scratch, Step

RANKED_HERE = 128
FEW_ROWS = 16
LONG_ROW = 1 << 17
PIECE = 1 << 16
LEAST_SHARE = 16


def lower_selection(ordering: Ordering) -> tuple[list[Step], Ordering | None]:
    """Return launches, and what is left to be put in order after them."""
    pieces = 1
    if ordering.rows < FEW_ROWS and ordering.length >= LONG_ROW:
        pieces = max(1, ordering.length // max(PIECE, LEAST_SHARE * ordering.count))
    return SelectLowering(ordering, pieces).lower()


class SelectLowering:
    """Lowers one selection of ``count`` elements from each piece of each row."""

    def __init__(self, ordering: Ordering, pieces: int) -> None:
        self.ordering = ordering
        self.pieces = pieces
        self.per_item = rows_per_item(ordering.rows)
        self.items = -(-ordering.rows // self.per_item)
        self.finishes = pieces == 1 and ordering.count <= RANKED_HERE

    def lower(self) -> tuple[list[Step], Ordering | None]:
        """Return the launch, and the selected elements unless they are in order already."""
        ordering, count = self.ordering, self.ordering.count
        builder = KernelBuilder()
        element = ordering.elements(builder)
        sizes = Sizes(
            builder.size(count, "k"),
            builder.size(group_count(count), "groups"),
            builder.size(list_capacity(count), "full"),
        )
        item, piece = Variable("item"), Variable("piece")
        pieces = builder.size(self.pieces, "pieces")
        number = variable_value(item) * pieces + variable_value(piece)
        found = self._list(builder, number)
        start, length = self._range(builder, piece)
        finish, rest = self._finish(builder, found, sizes.k, piece, pieces)

        def select_row(row: Value) -> tuple[Statement, ...]:
            selection = Selection(
                ordering.key_type,
                lambda at: element(row, start + at)[0],
                lambda at: element(row, start + at)[1],
                length,
                sizes,
                found,
            )
            return (*selection.statements(), *finish(row))

        body = item_rows(builder, item, ordering.rows, select_row)
        grid = (
            (item, builder.size(self.items, "items"), self.items),
            (piece, pieces, self.pieces),
        )
        cost = self.per_item * (ordering.length // self.pieces // 4 + 20 * count + 1000)
        return [builder.finish(grid, (body,), cost, ordering.node)], rest

    def _list(self, builder: KernelBuilder, number: Value) -> List:
        ordering, count = self.ordering, self.ordering.count
        # A block may fill the list beyond the mark at which it is cut back.
        room, groups = list_capacity(count) + BLOCK, group_count(count)
        lists = self.items * self.pieces
        return List(
            builder.writable(Scratch(lists * room * ordering.key_type.itemsize), ordering.key_type),
            builder.writable(
                Scratch(lists * room * ordering.place_type.itemsize), ordering.place_type
            ),
            builder.writable(
                Scratch(lists * groups * ordering.key_type.itemsize), ordering.key_type
            ),
            number * builder.size(room, "room"),
            number * builder.size(groups, "groups"),
        )

    def _range(self, builder: KernelBuilder, piece: Variable) -> tuple[Value, Value]:
        """Return where this piece begins and how long it is."""
        length = self.ordering.length
        longest = -(-length // self.pieces)
        size = builder.size(longest, "piece")
        start = variable_value(piece) * size
        return start, minimum(size, builder.size(length, "length") - start)

    def _finish(
        self, builder: KernelBuilder, found: List, k: Value, piece: Variable, pieces: Value
    ) -> tuple[Callable[[Value], tuple[Statement, ...]], Ordering | None]:
        """Return what is done with a row's candidates, and what is left to be ordered."""
        ordering = self.ordering
        if self.finishes:
            output = builder.writable(ordering.node, dtypes.int64)

            def rank(row: Value) -> tuple[Statement, ...]:
                def write(at: Value, rank: Value) -> tuple[Statement, ...]:
                    place = found.place(at).cast(dtypes.int64)
                    return (Store(output, row * k + rank.cast(INDEX), place),)

                return (rank_rows(found.key, k, write),)

            return rank, None
        total = ordering.rows * self.pieces * ordering.count
        key_memory = Scratch(total * ordering.key_type.itemsize)
        place_memory = Scratch(total * ordering.place_type.itemsize)
        keys = builder.writable(key_memory, ordering.key_type)
        places = builder.writable(place_memory, ordering.place_type)

        def keep(row: Value) -> tuple[Statement, ...]:
            first = (row * pieces + variable_value(piece)) * k

            def write(at: Value) -> tuple[Statement, ...]:
                return (
                    Store(keys, first + at, found.key(at)),
                    Store(places, first + at, found.place(at)),
                )

            return (lanes("s", k, write),)

        length = self.pieces * ordering.count
        return keep, ordering.among(key_memory, place_memory, length)
