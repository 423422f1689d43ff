"""QR factorisation by reflections, and the orthogonal matrices they make.

The matrix is turned first: its columns are rows of scratch memory, along which lanes run. A panel
of columns is factored by one item per matrix; then the others are reflected, four at a time and in
parallel, each staying in the cache while it meets all reflections of the panel. ::

    reflection j of column x:   size = norm(x[j:]), with the sign opposite to x[j]
                                v = x[j+1:] / (x[j] - size), 1 in front
                                tau = (size - x[j]) / size;  x[j] = size
    column y reflected:         y -= tau * (v . y) * v
"""

from collections.abc import Callable

from pumice.graph.node import Node
from pumice.kernel.ir import (
    Carry,
    Fold,
    If,
    Let,
    Loop,
    LoopKind,
    Value,
    Variable,
    constant,
    index,
)
from pumice.lowering.expression import IsStored
from pumice.lowering.loops import minimum, variable_value
from pumice.lowering.matrix_memory import (
    WIDTH,
    Batch,
    Body,
    Launch,
    Matrix,
    Repeated,
    Row,
    dotted,
)
from pumice.lowering.statements import lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.ops.orthogonal import Mode, qr_packing
from pumice.target import Target

TOGETHER = 4


class QRLowering:
    """Lowers one factorisation."""

    def __init__(self, node: Node, is_stored: IsStored) -> None:
        self.node, self.dtype = node, node.dtype
        self.mode: Mode = node.argument
        self.batch = Batch(node.sources[0], is_stored)
        self.rows, self.columns = self.batch.rows, self.batch.columns
        self.size = min(self.rows, self.columns)
        self.packing = qr_packing(node.sources[0].shape, self.mode)
        self.turned_columns = self.columns + TOGETHER
        self.turned = self._scratch(self.turned_columns * self.rows)
        self.factors = self._scratch(self.size)

    def _scratch(self, elements: int) -> Scratch:
        return Scratch(self.batch.count * elements * self.dtype.itemsize)

    def lower(self) -> list[Step]:
        """Return the launches."""
        steps = [self._turn()]
        panel, others = self._panel(), self._others()
        for first in range(0, self.size, WIDTH):
            width = min(WIDTH, self.size - first)
            steps.append(panel.at(first, width))
            rest = self.columns - first - width
            if rest:
                steps.append(others.at(first, width, (-(-rest // TOGETHER), 1)))
        return [*steps, *self._results()]

    # -- memory -----------------------------------------------------------------------------------

    def _turned(self, launch: Launch) -> Matrix:
        apart = self.turned_columns * self.rows
        return launch.matrix(self.turned, self.dtype, apart, self.rows)

    def _factors(self, launch: Launch) -> Row:
        memory = launch.builder.writable(self.factors, self.dtype)
        return Row(memory, launch.number * launch.builder.size(self.size, "size"))

    def _turn(self) -> Step:
        launch = Launch.of(self.batch.count)
        column, _ = launch.axis(self.columns, "columns")
        element = self.batch.elements(launch.builder, launch.number)
        turned = self._turned(launch)
        rows = launch.builder.size(self.rows, "rows")
        body = lanes("i", rows, lambda i: (turned.put(column, i, element(i, column)),))
        return launch.finish((body,), self.rows // 2, self.node)

    # -- factoring --------------------------------------------------------------------------------

    def _panel(self) -> Repeated:
        launch = Launch.of(self.batch.count)
        turned, factors = self._turned(launch), self._factors(launch)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        rows = launch.builder.size(self.rows, "rows")

        def column(j: Value) -> Body:
            return (
                *_reflection(turned, factors, j, rows),
                serial(
                    "c",
                    first + width,
                    lambda c: _reflected(turned, factors, j, turned, (c,), rows),
                    start=j + 1,
                ),
            )

        body = (serial("j", first + width, column, start=first),)
        step = launch.finish(body, self.rows * WIDTH * WIDTH // 4, self.node)
        return Repeated(step, first, width)

    def _others(self) -> Repeated:
        """Reflect the columns behind a panel."""
        launch = Launch.of(self.batch.count)
        group, _ = launch.axis(1, "groups")
        turned, factors = self._turned(launch), self._factors(launch)
        first, width = launch.builder.size(0, "first"), launch.builder.size(0, "width")
        across = launch.builder.size(1, "across")
        rows = launch.builder.size(self.rows, "rows")
        begin = first + width + group * TOGETHER * across
        columns = tuple(begin + number for number in range(TOGETHER))
        body = serial(
            "j",
            first + width,
            lambda j: _reflected(turned, factors, j, turned, columns, rows),
            start=first,
        )
        step = launch.finish((body,), self.rows * WIDTH, self.node)
        return Repeated(step, first, width, across)

    # -- results ----------------------------------------------------------------------------------

    def _results(self) -> list[Step]:
        names = dict(self.packing.parts)
        steps = []
        if "Q" in names:
            steps += self._orthogonal(names["Q"][1])
        if "R" in names:
            zero = constant(0, self.dtype)
            steps.append(
                self._written("R", self._turned, lambda value, r, c: (c >= r).select(value, zero))
            )
        if "factors" in names:
            steps.append(self._written("factors", self._turned, lambda value, r, c: value))
            steps.append(self._written_factors())
        return steps

    def _written(
        self,
        name: str,
        source: Callable[[Launch], Matrix],
        change: Callable[[Value, Value, Value], Value],
    ) -> Step:
        """Return the launch that turns scratch memory into a part of the result."""
        height, wide = self.packing.shape(name)
        launch = Launch.of(self.batch.count)
        row, _ = launch.axis(height, "rows")
        turned = source(launch)
        offset = self.packing.offset(name)
        result = launch.matrix(self.node, self.dtype, self.packing.size, wide, offset)
        columns = launch.builder.size(wide, "columns")

        def body(column: Value) -> Body:
            return (result.put(row, column, change(turned.get(column, row), row, column)),)

        return launch.finish((lanes("c", columns, body),), wide // 2, self.node)

    def _written_factors(self) -> Step:
        launch = Launch.of(self.batch.count)
        factors = self._factors(launch)
        offset = self.packing.offset("tau")
        result = launch.matrix(self.node, self.dtype, self.packing.size, 1, offset)
        count = launch.builder.size(self.size, "size")

        def body(j: Value) -> Body:
            return (result.put(index(0), j, factors.get(j)),)

        return launch.finish((lanes("j", count, body),), self.size // 8, self.node)

    def _orthogonal(self, wide: int) -> list[Step]:
        """Reflect the columns of a unit matrix, the last reflection first."""
        groups = -(-wide // TOGETHER)
        apart = groups * TOGETHER * self.rows
        scratch = self._scratch(apart)

        def memory(launch: Launch) -> Matrix:
            return launch.matrix(scratch, self.dtype, apart, self.rows)

        launch = Launch.of(self.batch.count)
        group, _ = launch.axis(groups, "groups")
        turned, factors, columns = self._turned(launch), self._factors(launch), memory(launch)
        rows = launch.builder.size(self.rows, "rows")
        begin = group * TOGETHER
        chosen = tuple(begin + number for number in range(TOGETHER))
        zero, unit = constant(0, self.dtype), constant(1, self.dtype)
        count = minimum(launch.builder.size(self.size, "size"), begin + TOGETHER)

        def fill(i: Value) -> Body:
            return tuple(columns.put(c, i, i.eq(c).select(unit, zero)) for c in chosen)

        def reflect(step: Value) -> Body:
            return _reflected(turned, factors, count - 1 - step, columns, chosen, rows)

        body = (lanes("i", rows, fill), serial("j", count, reflect))
        step = launch.finish(body, self.rows * self.size // 2, self.node)
        return [step, self._written("Q", memory, lambda value, r, c: value)]


def largest_size(stop: Value, start: Value, size: Callable[[Value], Value]) -> tuple[Loop, Value]:
    """Return a loop of lanes that finds the largest of some sizes: 0 for none, NaN if one is."""
    variable = Variable("i")
    found = size(variable_value(variable))
    carry = Carry("largest", found.dtype, constant(0, found.dtype))

    def merge(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
        larger = (first[0] < second[0]) | second[0].ne(second[0])
        return (larger.select(second[0], first[0]),)

    fold = Fold((carry,), merge((carry.now,), (found,)), merge)
    return Loop(variable, start, stop, LoopKind.LANES, (), (fold,)), carry.result


def _reflection(turned: Matrix, factors: Row, j: Value, rows: Value) -> Body:
    """Make the reflection of column j; its vector takes the place of the column below row j."""
    below, largest = largest_size(rows, j + 1, lambda i: turned.get(j, i).absolute())
    first = turned.get(j, j)
    height = first.absolute()
    scale = (height < largest).select(largest, height)
    safe = scale.eq(0).select(scale.const(1), scale)

    def square(i: Value) -> tuple[Value, ...]:
        part = turned.get(j, i) / safe
        return (part * part,)

    squares, (total,) = dotted(rows, j + 1, first.dtype, square)
    part = first / safe
    norm = safe * (part * part + total).square_root()
    size = (first < 0).select(norm, -norm)
    # NaN is no zero, so that it spreads.
    empty = largest.eq(0) & total.eq(0)
    tau = empty.select(first.const(0), (size - first) / size)
    divisor = empty.select(first.const(1), first - size)

    def divide(i: Value) -> Body:
        return (turned.put(j, i, turned.get(j, i) / divisor),)

    return (
        below,
        Let(first),
        squares,
        Let(tau),
        Let(divisor),
        lanes("i", rows, divide, start=j + 1),
        factors.put(j, tau),
        turned.put(j, j, empty.select(first, size)),
    )


def _reflected(
    vectors: Matrix, factors: Row, j: Value, target: Matrix, columns: tuple[Value, ...], rows: Value
) -> Body:
    """Reflect some columns by reflection j."""

    def terms(i: Value) -> tuple[Value, ...]:
        vector = vectors.get(j, i)
        return tuple(vector * target.get(column, i) for column in columns)

    loop, totals = dotted(rows, j + 1, target.memory.dtype, terms)
    tau = factors.get(j)
    heads = [target.get(column, j) for column in columns]
    shares = [tau * (head + total) for head, total in zip(heads, totals, strict=True)]

    def take(i: Value) -> Body:
        vector = vectors.get(j, i)
        values = [
            target.get(column, i) - share * vector
            for column, share in zip(columns, shares, strict=True)
        ]
        return (
            *(Let(value) for value in values),
            *(target.put(c, i, value) for c, value in zip(columns, values, strict=True)),
        )

    stores = [
        target.put(column, j, head - share)
        for column, head, share in zip(columns, heads, shares, strict=True)
    ]
    body = (
        *(Let(share) for share in shares),
        lanes("i", rows, take, start=j + 1),
        *stores,
    )
    return (Let(tau), loop, If(tau.ne(0), body))


def lower_qr(node: Node, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a QR factorisation."""
    return QRLowering(node, is_stored).lower()
