"""Products whose workgroups stage both operands in shared memory, twice.

While the steps in one half are multiplied, the next ones are on their way: they are read into
registers before the products and put into the other half after them, so one barrier per half is
enough. A workgroup's block, the depth of a half and the shape of its subgroups are specialisation
constants; the tile of an invocation is written out. ::

    read steps 0 .. depth                    (registers)
    put them into half 0, barrier
    for each depth steps:
      read the next ones                     (registers)
      multiply this half
      put the next ones into the other half, barrier
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pumice.backends.spirv.affine import Neighbours, accesses
from pumice.backends.spirv.blocks import Block
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.contract import ProductEmitter
from pumice.backends.spirv.module import Module
from pumice.backends.spirv.opcodes import Decoration, Op, StorageClass
from pumice.backends.spirv.statements import Statements
from pumice.backends.spirv.values import Values
from pumice.backends.spirv.vectors import WIDTH
from pumice.kernel.ir import Contract, Instruction, Value, Variable
from pumice.kernel.walk import reached
from pumice.target import ProductTile

PAD = 1
"""Vectors by which a step in shared memory is longer, so that columns of it lie in other banks."""


def cut_constants(tile: ProductTile) -> tuple[int, ...]:
    """Return the specialisation constants behind the group: how a tile cuts a product."""
    if not tile.depth:
        return ()
    return tile.group_columns, tile.depth, tile.subgroup_columns, tile.subgroup_rows


@dataclass(frozen=True, slots=True)
class Cut:
    """The specialisation constants and what follows from them, as ids."""

    invocations: int
    group_rows: int
    group_columns: int
    depth: int
    subgroup_columns: int
    subgroup_rows: int
    pitches: tuple[int, int]  # of a step of both operands in shared memory, in vectors
    vectors: tuple[int, int]  # in a step
    halves: tuple[int, int]  # vectors of the memory of both halves
    shares: tuple[int, int]  # vectors an invocation reads at a time


def declare_cut(module: Module, uint: int, size: int, tile: ProductTile) -> Cut:
    """Declare the constants of a module."""
    columns, depth, subgroup_columns, subgroup_rows = (
        module.declare(Op.SPEC_CONSTANT, uint, value) for value in cut_constants(tile)
    )
    for number, each in enumerate((columns, depth, subgroup_columns, subgroup_rows), 1):
        module.decorate(each, Decoration.SPEC_ID, number)

    def number_of(value: int) -> int:
        return module.intern_constant(Op.CONSTANT, uint, value)

    def combined(op: Op, first: int, second: int) -> int:
        return module.declare(Op.SPEC_CONSTANT_OP, uint, op, first, second)

    rows = combined(Op.U_DIV, size, columns)
    pitches, vectors, halves, shares = [], [], [], []
    for invocations, elements in ((rows, tile.rows), (columns, tile.columns)):
        inside = combined(Op.I_MUL, invocations, number_of(elements // WIDTH))
        pitch = combined(Op.I_ADD, inside, number_of(PAD))
        whole = combined(Op.I_MUL, inside, depth)
        vectors.append(inside)
        pitches.append(pitch)
        halves.append(combined(Op.I_MUL, combined(Op.I_MUL, pitch, depth), number_of(2)))
        shares.append(combined(Op.U_DIV, whole, size))
    return Cut(
        size,
        rows,
        columns,
        depth,
        subgroup_columns,
        subgroup_rows,
        (pitches[0], pitches[1]),
        (vectors[0], vectors[1]),
        (halves[0], halves[1]),
        (shares[0], shares[1]),
    )


class StagedProduct(ProductEmitter):
    """Emits one `Contract` for a workgroup."""

    def __init__(
        self,
        code: Code,
        values: Values,
        statements: Statements,
        contract: Contract,
        faults: bool,
        cut: Cut,
        lane: int,
    ) -> None:
        super().__init__(code, values, statements, contract, faults)
        self._cut = cut
        self._lane = lane
        operands = ((contract.left, contract.row), (contract.right, contract.column))
        self._sides = [_Side(self, *each, place) for place, each in enumerate(operands)]

    def emit(self, item: int) -> None:
        """Compute the block and run the epilogue for each of its elements."""
        types, tile = self._types, self._contract.tile
        block = [
            self._widened(self._small(Op.I_MUL, vectors, types.unsigned(WIDTH)))
            for vectors in self._cut.vectors
        ]
        row, column = self._sizes(item, *block)
        left, right = self._sides
        left.first, left.extent = row, self._m
        right.first, right.extent = column, self._n
        sums = self._accumulate()
        thread_row, thread_column = self._thread()

        def place(number: int, four: int) -> tuple[int, int]:
            rows = self._cut.group_rows
            quad = self._small(Op.U_DIV, number, types.unsigned(WIDTH))
            within = self._small(Op.U_MOD, number, types.unsigned(WIDTH))
            quad = self._small(Op.I_ADD, thread_row, self._small(Op.I_MUL, quad, rows))
            at = self._small(Op.I_ADD, self._small(Op.I_MUL, quad, types.unsigned(WIDTH)), within)
            beside = self._small(Op.I_MUL, four, self._cut.group_columns)
            beside = self._small(Op.I_ADD, thread_column, beside)
            beside = self._small(Op.I_MUL, beside, types.unsigned(WIDTH))
            return (
                self._op(Op.I_ADD, row, self._widened(at)),
                self._op(Op.I_ADD, column, self._widened(beside)),
            )

        self._finish.tile(sums, tile.columns // WIDTH, place, self._m, self._n)

    def _thread(self) -> tuple[int, int]:
        """Return row and column of the invocation in its workgroup, subgroup by subgroup."""
        cut = self._cut
        size = self._small(Op.I_MUL, cut.subgroup_rows, cut.subgroup_columns)
        subgroup = self._small(Op.U_DIV, self._lane, size)
        within = self._small(Op.U_MOD, self._lane, size)
        across = self._small(Op.U_DIV, cut.group_columns, cut.subgroup_columns)
        row = self._small(Op.I_MUL, self._small(Op.U_DIV, subgroup, across), cut.subgroup_rows)
        column = self._small(
            Op.I_MUL, self._small(Op.U_MOD, subgroup, across), cut.subgroup_columns
        )
        return (
            self._small(Op.I_ADD, row, self._small(Op.U_DIV, within, cut.subgroup_columns)),
            self._small(Op.I_ADD, column, self._small(Op.U_MOD, within, cut.subgroup_columns)),
        )

    def _accumulate(self) -> list[int]:
        """Run over k, a half of shared memory at a time."""
        code, types, tile = self._code, self._types, self._contract.tile
        count = tile.rows * tile.columns // WIDTH
        depth = self._widened(self._cut.depth)
        with code.when(code.truth(Op.S_LESS_THAN, types.index(0), self._k)):
            for side in self._sides:
                side.read(types.index(0))
            for side in self._sides:
                side.put(types.unsigned(0))
        code.barrier()
        frame = code.loop(
            [
                (self._index, types.index(0)),
                (types.uint, types.unsigned(0)),
                *[(self._vector, self._zero)] * count,
            ]
        )
        step, half, *sums = frame.phis
        code.test(frame, code.truth(Op.S_LESS_THAN, step, self._k))
        ahead = self._op(Op.I_ADD, step, depth)
        other = self._small(Op.I_SUB, types.unsigned(1), half)
        more = code.truth(Op.S_LESS_THAN, ahead, self._k)
        with code.when(more):
            for side in self._sides:
                side.read(ahead)
        following = self._multiply(half, sums)
        with code.when(more):
            for side in self._sides:
                side.put(other)
        code.barrier()
        code.end(frame, [ahead, other, *following])
        return sums

    def _multiply(self, half: int, sums: list[int]) -> list[int]:
        """Multiply what a half holds, four steps in a row."""
        code, types = self._code, self._types
        starts = [side.start(half, place) for side, place in self._placed()]
        frame = code.loop(
            [(types.uint, types.unsigned(0)), *[(self._vector, each) for each in sums]]
        )
        step, *totals = frame.phis
        code.test(frame, code.truth(Op.U_LESS_THAN, step, self._cut.depth))
        for number in range(WIDTH):
            at = self._small(Op.I_ADD, step, types.unsigned(number))
            lefts, rights = (
                side.vectors(start, at) for side, start in zip(self._sides, starts, strict=True)
            )
            elements = [each for vector in lefts for each in self._components(vector)]
            totals = self._added(elements, rights, totals)
        running = frame.phis[1:]
        code.end(frame, [self._small(Op.I_ADD, step, types.unsigned(WIDTH)), *totals])
        return running

    def _placed(self) -> list[tuple["_Side", int]]:
        return list(zip(self._sides, self._thread(), strict=True))


class _Side:
    """One operand: its memory, and the way to it."""

    def __init__(self, product: StagedProduct, operand: Value, line: Variable, place: int) -> None:
        self._product = product
        self._operand = operand
        self._line = line
        code, types, cut = product._code, product._types, product._cut
        contract = product._contract
        self._pitch, self._vectors = cut.pitches[place], cut.vectors[place]
        self._count, self._share = (
            (contract.tile.rows, contract.tile.columns)[place],
            cut.shares[place],
        )
        self._across = (cut.group_rows, cut.group_columns)[place]
        module = code.module
        memory = module.intern_type(Op.TYPE_ARRAY, product._vector, cut.halves[place])
        pointer = types.pointer(StorageClass.WORKGROUP, memory)
        self._memory = module.declare(Op.VARIABLE, pointer, StorageClass.WORKGROUP)
        module.use_global(self._memory)
        self._registers = code.variable(
            module.intern_type(Op.TYPE_ARRAY, product._vector, self._share)
        )
        self.first = self.extent = 0
        self._along_steps, self._neighbours = self._direction()
        self._accesses = list(accesses(reached((operand,))))
        self._is_checked = any(
            each.instruction is Instruction.CHECKED for each in reached((operand,))
        )

    def _direction(self) -> tuple[bool, Neighbours]:
        """Return whether four steps are read at a time, else four lines, whichever memory does."""
        contract = self._product._contract
        known = (contract.batch, self._line, contract.step)
        by_line = Neighbours(self._line, known)
        by_step = Neighbours(contract.step, known)
        found = list(accesses(reached((self._operand,))))

        def count(neighbours: Neighbours) -> int:
            return sum(neighbours.is_contiguous(at) for _, at in found)

        along_steps = count(by_step) > count(by_line)
        return along_steps, by_step if along_steps else by_line

    # -- from memory to registers -----------------------------------------------------------------

    def _shares(self, unit: int) -> tuple[int, int]:
        """Return line and step, in vectors where they come by four, of a vector of the block."""
        product, types = self._product, self._product._types
        if not self._along_steps:
            return (
                product._small(Op.U_MOD, unit, self._vectors),
                product._small(Op.U_DIV, unit, self._vectors),
            )
        fours = product._small(Op.U_DIV, product._cut.depth, types.unsigned(WIDTH))
        return product._small(Op.U_DIV, unit, fours), product._small(Op.U_MOD, unit, fours)

    @contextmanager
    def _each(self) -> Iterator[tuple[int, int]]:
        """Loop over the vectors an invocation reads of a block: their numbers here and there."""
        product = self._product
        code, types = product._code, product._types
        frame = code.loop([(types.uint, types.unsigned(0))])
        number = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, number, self._share), unrolled=True)
        own = product._small(Op.I_MUL, number, product._cut.invocations)
        yield number, product._small(Op.I_ADD, own, product._lane)
        code.end(frame, [product._small(Op.I_ADD, number, types.unsigned(1))])

    def read(self, first_step: int) -> None:
        """Read the invocation's share of a block of steps into registers."""
        with self._each() as (number, unit):
            vector = self._vector_at(unit, first_step)
            self._product._code.effect(Op.STORE, self._register(number), vector)

    def _register(self, number: int) -> int:
        product = self._product
        pointer = product._types.pointer(StorageClass.FUNCTION, product._vector)
        return product._code.emit(Op.ACCESS_CHAIN, pointer, self._registers, number)

    def _vector_at(self, unit: int, first_step: int) -> int:
        product = self._product
        code, types, values = product._code, product._types, product._values
        line, step = self._shares(unit)
        fours = types.unsigned(WIDTH)
        if self._along_steps:
            step = product._small(Op.I_MUL, step, fours)
        else:
            line = product._small(Op.I_MUL, line, fours)
        line = product._op(Op.I_ADD, self.first, product._widened(line))
        step = product._op(Op.I_ADD, first_step, product._widened(step))
        ends = [0, WIDTH - 1] if self._along_steps else [WIDTH - 1, 0]
        inside = [
            code.truth(Op.S_LESS_THAN, product._op(Op.I_ADD, at, types.index(end)), extent)
            for at, end, extent in ((line, ends[0], self.extent), (step, ends[1], product._k))
        ]
        fast = code.truth(Op.LOGICAL_AND, *inside)
        with values.fresh_scope():
            self._bind(line, step)
            if not values.arguments.has_words or self._is_checked:
                return self._one_by_one(line, step)
            block = Block(code, values, self._accesses, self._neighbours)
            fast = code.truth(Op.LOGICAL_AND, fast, block.condition())

            def at_once() -> list[int]:
                self._bind(line, step)
                with values.scope():
                    return [block.value(self._operand)]

            vector = product._vector
            return code.either(fast, at_once, lambda: [self._one_by_one(line, step)], vector)[0]

    def _bind(self, line: int, step: int) -> None:
        values = self._product._values
        values.bind(self._line, line)
        values.bind(self._product._contract.step, step)

    def _one_by_one(self, line: int, step: int) -> int:
        """Evaluate four elements; lines behind the last are that one, steps behind it are 0."""
        product = self._product
        code, types, values = product._code, product._types, product._values
        zero = types.constant(0, product._dtype)
        last_line = product._op(Op.I_SUB, self.extent, types.index(1))
        last_step = product._op(Op.I_SUB, product._k, types.index(1))
        elements = []
        for number in range(WIDTH):
            ahead = types.index(number)
            own_line = line if self._along_steps else product._op(Op.I_ADD, line, ahead)
            own_step = product._op(Op.I_ADD, step, ahead) if self._along_steps else step
            with values.fresh_scope():
                self._bind(product._least(own_line, last_line), product._least(own_step, last_step))
                element = values.value(self._operand)
            exists = code.truth(Op.S_LESS_THAN, own_step, product._k)
            elements.append(code.select(product._register, exists, element, zero))
        return product._joined(elements)

    # -- from registers to shared memory, and back ------------------------------------------------

    def _half(self, half: int) -> int:
        product = self._product
        size = product._small(Op.I_MUL, self._pitch, product._cut.depth)
        return product._small(Op.I_MUL, half, size)

    def put(self, half: int) -> None:
        """Put what was read into a half of shared memory."""
        product = self._product
        code, types = product._code, product._types
        base = self._half(half)
        vectors = types.pointer(StorageClass.WORKGROUP, product._vector)
        elements = types.pointer(StorageClass.WORKGROUP, product._register)
        fours = types.unsigned(WIDTH)
        with self._each() as (number, unit):
            vector = code.emit(Op.LOAD, product._vector, self._register(number))
            line, step = self._shares(unit)
            if not self._along_steps:
                at = product._small(Op.I_ADD, self._at(base, step), line)
                code.effect(Op.STORE, code.emit(Op.ACCESS_CHAIN, vectors, self._memory, at), vector)
                return
            quad = product._small(Op.U_DIV, line, fours)
            within = product._small(Op.U_MOD, line, fours)
            first = product._small(Op.I_MUL, step, fours)
            for offset, element in enumerate(product._components(vector)):
                own = product._small(Op.I_ADD, first, types.unsigned(offset))
                at = product._small(Op.I_ADD, self._at(base, own), quad)
                place = code.emit(Op.ACCESS_CHAIN, elements, self._memory, at, within)
                code.effect(Op.STORE, place, element)

    def _at(self, base: int, step: int) -> int:
        product = self._product
        return product._small(Op.I_ADD, base, product._small(Op.I_MUL, step, self._pitch))

    def start(self, half: int, thread: int) -> int:
        """Return where an invocation's first vector of a half stands."""
        return self._product._small(Op.I_ADD, self._half(half), thread)

    def vectors(self, start: int, step: int) -> list[int]:
        """Return the invocation's vectors of a step."""
        product = self._product
        code, types = product._code, product._types
        pointer = types.pointer(StorageClass.WORKGROUP, product._vector)
        at = self._at(start, step)
        found = []
        for number in range(self._count // WIDTH):
            ahead = product._small(Op.I_MUL, self._across, types.unsigned(number))
            place = product._small(Op.I_ADD, at, ahead)
            slot = code.emit(Op.ACCESS_CHAIN, pointer, self._memory, place)
            found.append(code.emit(Op.LOAD, product._vector, slot))
        return found
