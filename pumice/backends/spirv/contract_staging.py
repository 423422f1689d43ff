"""Products whose workgroups stage both operands in shared memory, twice.

While the steps in one half are multiplied, the next ones are on their way: they are read into
registers before the products and put into the other half after them, so one barrier per half is
enough. ::

    read steps 0 .. depth                    (registers)
    put them into half 0, barrier
    for each depth steps:
      read the next ones                     (registers)
      multiply this half
      put the next ones into the other half, barrier

How invocations multiply, and how operands lie in shared memory, the emitters made from this say.
"""

from collections.abc import Iterator, Sequence
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
from pumice.backends.spirv.vectors import WIDTH, VectorTypes
from pumice.kernel.ir import Contract, Instruction, Value, Variable
from pumice.kernel.walk import reached
from pumice.target import ProductTile


@dataclass(frozen=True, slots=True)
class Cut:
    """Specialisation constants that say how a tile cuts a product, and what follows, as ids."""

    invocations: int
    group_rows: int
    group_columns: int
    depth: int
    vectors: tuple[int, int]  # in a step of both operands
    shares: tuple[int, int]  # vectors an invocation reads at a time


class Constants:
    """Specialisation constants of a module, numbered from 1 on, and numbers made of them."""

    def __init__(self, module: Module, uint: int) -> None:
        self._module = module
        self._uint = uint
        self._count = 0

    def declare(self, value: int) -> int:
        """Declare the next constant."""
        made = self._module.declare(Op.SPEC_CONSTANT, self._uint, value)
        self._count += 1
        self._module.decorate(made, Decoration.SPEC_ID, self._count)
        return made

    def number(self, value: int) -> int:
        return self._module.intern_constant(Op.CONSTANT, self._uint, value)

    def combined(self, op: Op, first: int, second: int) -> int:
        return self._module.declare(Op.SPEC_CONSTANT_OP, self._uint, op, first, second)


def declare_cut(constants: Constants, invocations: int, owners: int, tile: ProductTile) -> Cut:
    """Declare what every way of staging needs; `owners` of the workgroup own a tile each."""
    columns, depth = constants.declare(tile.group_columns), constants.declare(tile.depth)
    rows = constants.combined(Op.U_DIV, owners, columns)
    vectors, shares = [], []
    for across, elements in ((rows, tile.rows), (columns, tile.columns)):
        inside = constants.combined(Op.I_MUL, across, constants.number(elements // WIDTH))
        whole = constants.combined(Op.I_MUL, inside, depth)
        vectors.append(inside)
        shares.append(constants.combined(Op.U_DIV, whole, invocations))
    return Cut(invocations, rows, columns, depth, (vectors[0], vectors[1]), (shares[0], shares[1]))


class StagingProduct(ProductEmitter):
    """Emits one `Contract` for a workgroup, a half of shared memory after the other."""

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
        self.cut = cut
        self.lane = lane

    def _staged(self) -> "Sequence[StagedOperand]":
        """Return both operands."""
        raise NotImplementedError

    def _multiply(self, half: int, sums: list[int]) -> list[int]:
        """Multiply what a half holds and return the sums."""
        raise NotImplementedError

    def _begin(self, item: int) -> tuple[int, int]:
        """Return the first row and column of a grid item."""
        block = [
            self._widened(self._small(Op.I_MUL, vectors, self._types.unsigned(WIDTH)))
            for vectors in self.cut.vectors
        ]
        row, column = self._sizes(item, *block)
        left, right = self._staged()
        left.first, left.extent = row, self._m
        right.first, right.extent = column, self._n
        return row, column

    def _accumulate(self, initial: Sequence[int]) -> list[int]:
        """Run over k, a half of shared memory at a time; return the sums."""
        code, types = self._code, self._types
        depth = self._widened(self.cut.depth)
        with code.when(code.truth(Op.S_LESS_THAN, types.index(0), self._k)):
            for side in self._staged():
                side.read(types.index(0))
            for side in self._staged():
                side.put(types.unsigned(0))
        code.barrier()
        frame = code.loop(
            [
                (self._index, types.index(0)),
                (types.uint, types.unsigned(0)),
                *[(self._vector, each) for each in initial],
            ]
        )
        step, half, *sums = frame.phis
        code.test(frame, code.truth(Op.S_LESS_THAN, step, self._k))
        ahead = self._op(Op.I_ADD, step, depth)
        other = self._small(Op.I_SUB, types.unsigned(1), half)
        more = code.truth(Op.S_LESS_THAN, ahead, self._k)
        with code.when(more):
            for side in self._staged():
                side.read(ahead)
        following = self._multiply(half, sums)
        with code.when(more):
            for side in self._staged():
                side.put(other)
        code.barrier()
        code.end(frame, [ahead, other, *following])
        return sums


class StagedOperand:
    """One operand on its way from memory through registers to shared memory.

    Four elements are read at a time along whichever of line and step memory follows.
    """

    def __init__(self, product: StagingProduct, operand: Value, line: Variable, place: int) -> None:
        self._product = product
        self._operand = operand
        self._line = line
        self._code, self._values, self._types = product._code, product._values, product._types
        self._vectors, self._share = product.cut.vectors[place], product.cut.shares[place]
        self._register = self._types.register(operand.dtype)
        self._vector = VectorTypes(self._types).register(operand.dtype)
        self._held = self._held_type()
        self._registers = self._code.variable(
            self._code.module.intern_type(Op.TYPE_ARRAY, self._held, self._share)
        )
        self.first = self.extent = 0
        self._along_steps, self._neighbours = self._direction()
        self._accesses = list(accesses(reached((operand,))))
        self._is_checked = any(
            each.instruction is Instruction.CHECKED for each in reached((operand,))
        )

    # -- what emitters choose -------------------------------------------------------------------

    def _held_type(self) -> int:
        """Return the type in which four elements are held in registers."""
        return self._vector

    def _at_once(self, block: Block) -> int:
        """Return four neighbouring elements of aligned memory, as they are held."""
        return block.value(self._operand)

    def _joined(self, elements: list[int]) -> int:
        """Return four elements as they are held."""
        return self._code.emit(Op.COMPOSITE_CONSTRUCT, self._vector, *elements)

    def put(self, half: int) -> None:
        """Put what was read into a half of shared memory."""
        raise NotImplementedError

    # -- from memory to registers ---------------------------------------------------------------

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

    def _shares(self, unit: int) -> tuple[int, int]:
        """Return line and step, in vectors where they come by four, of a vector of the block."""
        product, types = self._product, self._types
        if not self._along_steps:
            return (
                product._small(Op.U_MOD, unit, self._vectors),
                product._small(Op.U_DIV, unit, self._vectors),
            )
        fours = product._small(Op.U_DIV, product.cut.depth, types.unsigned(WIDTH))
        return product._small(Op.U_DIV, unit, fours), product._small(Op.U_MOD, unit, fours)

    @contextmanager
    def _each(self) -> Iterator[tuple[int, int]]:
        """Loop over the vectors an invocation reads of a block: their numbers here and there."""
        product, code, types = self._product, self._code, self._types
        frame = code.loop([(types.uint, types.unsigned(0))])
        number = frame.phis[0]
        code.test(frame, code.truth(Op.U_LESS_THAN, number, self._share), unrolled=True)
        own = product._small(Op.I_MUL, number, product.cut.invocations)
        yield number, product._small(Op.I_ADD, own, product.lane)
        code.end(frame, [product._small(Op.I_ADD, number, types.unsigned(1))])

    def read(self, first_step: int) -> None:
        """Read the invocation's share of a block of steps into registers."""
        with self._each() as (number, unit):
            vector = self._vector_at(unit, first_step)
            self._code.effect(Op.STORE, self._slot(number), vector)

    def _slot(self, number: int) -> int:
        pointer = self._types.pointer(StorageClass.FUNCTION, self._held)
        return self._code.emit(Op.ACCESS_CHAIN, pointer, self._registers, number)

    def _taken(self, number: int) -> int:
        """Return what was read into a register."""
        return self._code.emit(Op.LOAD, self._held, self._slot(number))

    def _vector_at(self, unit: int, first_step: int) -> int:
        product, code, types, values = self._product, self._code, self._types, self._values
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
                    return [self._at_once(block)]

            return code.either(fast, at_once, lambda: [self._one_by_one(line, step)], self._held)[0]

    def _bind(self, line: int, step: int) -> None:
        self._values.bind(self._line, line)
        self._values.bind(self._product._contract.step, step)

    def _one_by_one(self, line: int, step: int) -> int:
        """Evaluate four elements; lines behind the last are that one, steps behind it are 0."""
        product, code, types, values = self._product, self._code, self._types, self._values
        zero = types.constant(0, self._operand.dtype)
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
            elements.append(code.select(self._register, exists, element, zero))
        return self._joined(elements)
