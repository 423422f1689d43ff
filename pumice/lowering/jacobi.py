"""Orthogonal columns by rotations of pairs: singular values, eigenvalues of symmetric matrices.

The matrix is scaled to elements of at most 1 and turned, so that its columns are rows of scratch
memory, along which lanes run. Sweeps over all pairs rotate two columns so that they become
orthogonal, until a sweep finds all pairs so, to rounding errors of their lengths. The rotations
together are the right vectors; lengths are the singular values. ::

    for each sweep, while the last one rotated:
      for each pair p < q:
        a = x_p . x_p, b = x_q . x_q, g = x_p . x_q
        if |g| > eps * sqrt(a * b):  rotate x_p and x_q, v_p and v_q

A symmetric matrix is made positive definite by adding a multiple of the unit matrix, so that its
singular values are its eigenvalues plus that; the eigenvalues themselves are what the vectors give
with the matrix as it was.
"""

from pumice import dtypes
from pumice.graph.node import Node
from pumice.kernel.ir import (
    INDEX,
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
from pumice.lowering.householder import largest_size
from pumice.lowering.loops import variable_value
from pumice.lowering.matrix_memory import Batch, Body, Element, Launch, Matrix, Row, dotted
from pumice.lowering.statements import count_where, lanes, serial
from pumice.lowering.steps import Scratch, Step
from pumice.ops.matrices import Packing
from pumice.ops.orthogonal import EIGEN, eigen_packing, singular_packing
from pumice.target import Target

SWEEPS = 40
CHANGED, SCALE, SHIFT = range(3)
STATES = 3


class JacobiLowering:
    """Lowers one problem: ``length`` elements in each of ``count`` columns, no more than that."""

    def __init__(self, node: Node, is_stored: IsStored) -> None:
        self.node, self.dtype = node, node.dtype
        self.batch = Batch(node.sources[0], is_stored)
        self.symmetric = node.op is EIGEN
        rows, columns = self.batch.rows, self.batch.columns
        self.wide = columns > rows  # then the rows are made orthogonal
        self.length, self.count = (columns, rows) if self.wide else (rows, columns)
        shape = node.sources[0].shape
        self.packing: Packing = eigen_packing(shape) if self.symmetric else singular_packing(shape)
        self.columns = self._scratch(self.count * self.length)
        self.kept = self._scratch(self.count * self.length if self.symmetric else 1)
        self.vectors = self._scratch(self.count * self.count)
        self.states = self._scratch(STATES)
        self.lengths = self._scratch(self.count)

    def _scratch(self, elements: int) -> Scratch:
        return Scratch(self.batch.count * elements * self.dtype.itemsize)

    def lower(self) -> list[Step]:
        """Return the launches."""
        return [self._begin(), self._rotate(), self._measure(), self._order()]

    # -- memory -----------------------------------------------------------------------------------

    def _columns(self, launch: Launch) -> Matrix:
        return launch.matrix(self.columns, self.dtype, self.count * self.length, self.length)

    def _kept(self, launch: Launch) -> Matrix:
        """Return a symmetric matrix as it was, scaled."""
        return launch.matrix(self.kept, self.dtype, self.count * self.length, self.length)

    def _vectors(self, launch: Launch) -> Matrix:
        return launch.matrix(self.vectors, self.dtype, self.count * self.count, self.count)

    def _row(self, launch: Launch, scratch: Scratch, size: int) -> Row:
        memory = launch.builder.writable(scratch, self.dtype)
        return Row(memory, launch.number * launch.builder.size(size, "apart"))

    def _given(self, launch: Launch) -> Element:
        """Return what reads the element of a column."""
        element = self.batch.elements(launch.builder, launch.number)
        if self.symmetric:
            # Only one triangle counts; the argument says whether it is the upper one.
            upper = bool(self.node.argument)

            def mirrored(column: Value, i: Value) -> Value:
                swaps = column < i if upper else i < column
                return element(swaps.select(column, i), swaps.select(i, column))

            return mirrored
        return element if self.wide else lambda column, i: element(i, column)

    def _begin(self) -> Step:
        launch = Launch.of(self.batch.count)
        given, columns, vectors = self._given(launch), self._columns(launch), self._vectors(launch)
        kept = self._kept(launch)
        states = self._row(launch, self.states, STATES)
        count = launch.builder.size(self.count, "count")
        length = launch.builder.size(self.length, "length")
        zero, unit = constant(0, self.dtype), constant(1, self.dtype)
        top = states.get(index(SCALE))

        def measure(column: Value) -> Body:
            loop, found = largest_size(length, index(0), lambda i: given(column, i).absolute())
            return (loop, *_raised(states, SCALE, found))

        def weigh(column: Value) -> Body:
            def size(i: Value) -> tuple[Value, ...]:
                return (given(column, i).absolute() / scale,)

            loop, (total,) = dotted(length, index(0), self.dtype, size)
            return (loop, *_raised(states, SHIFT, total * 1.25))

        def fill(column: Value) -> Body:
            def put(i: Value) -> Body:
                value = given(column, i) / scale
                if not self.symmetric:
                    return (columns.put(column, i, value),)
                moved = value + i.eq(column).select(shift, zero)
                return (kept.put(column, i, value), columns.put(column, i, moved))

            def unit_row(i: Value) -> Body:
                return (vectors.put(column, i, i.eq(column).select(unit, zero)),)

            return (lanes("i", length, put), lanes("v", count, unit_row))

        scale = top.eq(0).select(unit, top)
        shift = states.get(index(SHIFT))
        body = (
            states.put(index(CHANGED), unit),
            states.put(index(SCALE), zero),
            states.put(index(SHIFT), zero),
            serial("c", count, measure),
            Let(scale),
            # No eigenvalue is larger than the largest sum of the sizes of a column.
            *((serial("w", count, weigh),) if self.symmetric else ()),
            Let(shift),
            serial("f", count, fill),
            states.put(index(SCALE), scale),
        )
        return launch.finish(body, self.count * self.length // 2, self.node)

    # -- rotating ---------------------------------------------------------------------------------

    def _rotate(self) -> Step:
        launch = Launch.of(self.batch.count)
        columns, vectors = self._columns(launch), self._vectors(launch)
        states = self._row(launch, self.states, STATES)
        count = launch.builder.size(self.count, "count")
        length = launch.builder.size(self.length, "length")

        def pair(p: Value, q: Value) -> Body:
            return _pair(columns, vectors, states, (p, q), (length, count))

        def sweep(_: Value) -> Body:
            going = states.get(index(CHANGED))
            pairs = serial(
                "p", count, lambda p: (serial("q", count, lambda q: pair(p, q), start=p + 1),)
            )
            changed = states.put(index(CHANGED), constant(0, self.dtype))
            return (Let(going), If(going.ne(0), (changed, pairs)))

        body = (serial("s", launch.builder.size(SWEEPS, "sweeps"), sweep),)
        cost = self.count * self.count * self.length * 4
        return launch.finish(body, cost, self.node)

    # -- results ----------------------------------------------------------------------------------

    def _measure(self) -> Step:
        """Find the lengths of columns; for eigenvalues what a vector gives with the matrix."""
        launch = Launch.of(self.batch.count)
        p, _ = launch.axis(self.count, "columns")
        lengths = self._row(launch, self.lengths, self.count)
        length = launch.builder.size(self.length, "length")
        if not self.symmetric:
            columns = self._columns(launch)

            def square(i: Value) -> tuple[Value, ...]:
                value = columns.get(p, i)
                return (value * value,)

            loop, (total,) = dotted(length, index(0), self.dtype, square)
            body: Body = (loop, lengths.put(p, total.square_root()))
            return launch.finish(body, self.length // 2, self.node)
        kept, vectors = self._kept(launch), self._vectors(launch)
        variable = Variable("i")
        i = variable_value(variable)
        inner, (total,) = dotted(
            length, index(0), self.dtype, lambda j: (kept.get(i, j) * vectors.get(p, j),)
        )
        carry = Carry("value", self.dtype, constant(0, self.dtype))
        fold = Fold((carry,), (vectors.get(p, i).multiply_add(total, carry.now),))
        outer = Loop(variable, index(0), length, LoopKind.SERIAL, (inner,), (fold,))
        cost = self.length * self.length // 4
        return launch.finish((outer, lengths.put(p, carry.result)), cost, self.node)

    def _order(self) -> Step:
        """Write each column where its length ranks: descending, for eigenvalues ascending."""
        launch = Launch.of(self.batch.count)
        column, count = launch.axis(self.count, "columns")
        columns, vectors = self._columns(launch), self._vectors(launch)
        lengths = self._row(launch, self.lengths, self.count)
        states = self._row(launch, self.states, STATES)
        own = lengths.get(column)
        place = column.cast(dtypes.int32)

        def before(other: Value) -> Value:
            value = lengths.get(other)
            earlier = other.cast(dtypes.int32) < place
            # NaN is the largest.
            lost, own_lost = value.ne(value), own.ne(own)
            ahead = value < own if self.symmetric else value > own
            ahead = ahead | (own_lost & ~lost if self.symmetric else lost & ~own_lost)
            return ahead | ((value.eq(own) | (lost & own_lost)) & earlier)

        ranking, counted = count_where(count, before)
        rank = counted.cast(INDEX)
        scale = states.get(index(SCALE))
        part = launch.builder.size
        result = launch.matrix(self.node, self.dtype, self.packing.size, 1)

        def at(name: str, row: Value, column: Value) -> tuple[Value, Value]:
            """Return where an element of a part lies in the packed row."""
            pitch = part(self.packing.shape(name)[1], "pitch")
            return index(0), part(self.packing.offset(name), "offset") + row * pitch + column

        if self.symmetric:
            values = own * scale
            where = part(self.packing.offset("values"), "offset") + rank

            def write(i: Value) -> Body:
                return (result.put(*at("vectors", i, rank), vectors.get(column, i)),)

            loops: Body = (lanes("i", count, write),)
        else:
            values = own * scale
            where = part(self.packing.offset("S"), "offset") + rank
            safe = own.eq(0).select(own.const(1), own)
            length = part(self.length, "length")
            long, short = ("Vh", "U") if self.wide else ("U", "Vh")

            def spot(name: str, i: Value) -> tuple[Value, Value]:
                return at(name, i, rank) if name == "U" else at(name, rank, i)

            def unit(i: Value) -> Body:
                return (result.put(*spot(long, i), columns.get(column, i) / safe),)

            def rotation(i: Value) -> Body:
                return (result.put(*spot(short, i), vectors.get(column, i)),)

            loops = (lanes("i", length, unit), lanes("v", count, rotation))
        body = (ranking, result.put(index(0), where, values), *loops)
        return launch.finish(body, self.length + self.count, self.node)


def _raised(states: Row, place: int, found: Value) -> Body:
    """Keep the larger of what a place holds and a value."""
    before = states.get(index(place))
    larger = (before < found) | found.ne(found)
    return (Let(before), states.put(index(place), larger.select(found, before)))


def _pair(
    columns: Matrix,
    vectors: Matrix,
    states: Row,
    pair: tuple[Value, Value],
    extents: tuple[Value, Value],
) -> Body:
    """Rotate two columns so that they become orthogonal, unless they are."""
    p, q = pair
    dtype = columns.memory.dtype

    def terms(i: Value) -> tuple[Value, ...]:
        x, y = columns.get(p, i), columns.get(q, i)
        return x * x, y * y, x * y

    loop, (a, b, g) = dotted(extents[0], index(0), dtype, terms)
    rounding = 2.0**-24 if dtype is dtypes.float32 else 2.0**-53
    limit = extents[0].cast(dtypes.int32).cast(dtype).square_root() * rounding
    rotates = g.absolute() > (a.square_root() * b.square_root()) * limit
    ratio = (b - a) / (g + g)
    tangent = 1 / (ratio.absolute() + (ratio * ratio + 1).square_root())
    tangent = (ratio < 0).select(-tangent, tangent)
    cosine = 1 / (tangent * tangent + 1).square_root()
    sine = cosine * tangent

    def rotated(matrix: Matrix, i: Value) -> Body:
        x, y = matrix.get(p, i), matrix.get(q, i)
        return (
            Let(x),
            Let(y),
            matrix.put(p, i, cosine * x - sine * y),
            matrix.put(q, i, sine * x + cosine * y),
        )

    body = (
        Let(cosine),
        Let(sine),
        states.put(index(CHANGED), constant(1, dtype)),
        lanes("i", extents[0], lambda i: rotated(columns, i)),
        lanes("v", extents[1], lambda i: rotated(vectors, i)),
    )
    return (loop, If(rotates, body))


def lower_jacobi(node: Node, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches that find singular values, or eigenvalues."""
    return JacobiLowering(node, is_stored).lower()
