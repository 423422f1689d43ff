"""Products whose invocations read for themselves: each owns one tile of sums."""

from collections.abc import Iterable

from pumice.backends.spirv.affine import Neighbours, accesses
from pumice.backends.spirv.blocks import Block
from pumice.backends.spirv.contract import ProductEmitter, with_variables
from pumice.backends.spirv.opcodes import Op
from pumice.backends.spirv.vectors import WIDTH
from pumice.kernel.ir import Instruction, Value, Variable
from pumice.kernel.walk import postorder, reached


class _Copy:
    """An operand for one line, or for four neighbouring ones."""

    def __init__(self, operand: Value, line: Variable) -> None:
        self.line = Variable(line.name)
        self.value = with_variables(operand, {line: self.line})


class _Lines:
    """An operand's lines in a tile, rows of the left one or columns of the right one."""

    def __init__(self, operand: Value, line: Variable, step: Variable, batch: Variable) -> None:
        self.operand = operand
        self.line = line
        self.step = step
        self.batch = batch

    def copies(self, count: int) -> list[_Copy]:
        return [_Copy(self.operand, self.line) for _ in range(count)]

    def neighbours(self, copy: _Copy) -> Neighbours:
        return Neighbours(copy.line, (self.batch, copy.line))

    def is_wide(self) -> bool:
        """Tell whether four lines may be one access."""
        found = Neighbours(self.line, (self.batch, self.line))
        return any(found.is_contiguous(at) for _, at in accesses(reached((self.operand,))))


class DirectProduct(ProductEmitter):
    """Emits one `Contract` for the grid item of an invocation."""

    def emit(self, item: int) -> None:
        """Compute the tile and run the epilogue for each of its elements."""
        contract, types, code = self._contract, self._types, self._code
        tile = contract.tile
        row, column = self._sizes(item, types.index(tile.rows), types.index(tile.columns))
        left = _Lines(contract.left, contract.row, contract.step, contract.batch)
        right = _Lines(contract.right, contract.column, contract.step, contract.batch)
        words = self._values.arguments.has_words
        wide = (
            words and tile.rows % WIDTH == 0 and left.is_wide(),
            words and tile.columns % WIDTH == 0 and right.is_wide(),
        )
        if any(wide):
            sides = [
                _Side(self, lines, first, count, each)
                for lines, first, count, each in zip(
                    (left, right), (row, column), (tile.rows, tile.columns), wide, strict=True
                )
            ]
            aligned = [side.aligned() for side in sides]
            if contract.packed:
                sums = self._accumulate(sides[0], sides[1])
            else:
                inside = self._ends_inside(row, tile.rows, self._m)
                within = self._ends_inside(column, tile.columns, self._n)
                fast = code.truth(Op.LOGICAL_AND, inside, within)
                for each in aligned:
                    fast = code.truth(Op.LOGICAL_AND, fast, each)
                sums = code.either(
                    fast,
                    lambda: self._accumulate(sides[0], sides[1]),
                    lambda: self._one_by_one(left, right, row, column),
                    self._vector,
                )
        else:
            sums = self._one_by_one(left, right, row, column)

        def place(number: int, four: int) -> tuple[int, int]:
            ahead = self._small(Op.I_MUL, four, types.unsigned(WIDTH))
            return (
                self._op(Op.I_ADD, row, self._widened(number)),
                self._op(Op.I_ADD, column, self._widened(ahead)),
            )

        self._finish.tile(sums, tile.columns // WIDTH, place, self._m, self._n)

    def _ends_inside(self, first: int, count: int, extent: int) -> int:
        last = self._op(Op.I_ADD, first, self._types.index(count - 1))
        return self._code.truth(Op.S_LESS_THAN, last, extent)

    def _one_by_one(self, left: _Lines, right: _Lines, row: int, column: int) -> list[int]:
        tile = self._contract.tile
        first = _Side(self, left, row, tile.rows, wide=False, extent=self._m)
        second = _Side(self, right, column, tile.columns, wide=False, extent=self._n)
        return self._accumulate(first, second)

    def _accumulate(self, left: "_Side", right: "_Side") -> list[int]:
        """Run over k."""
        code, types, values = self._code, self._types, self._values
        tile = self._contract.tile
        count = tile.rows * tile.columns // WIDTH
        with values.scope():
            left.prepare()
            right.prepare()
            frame = code.loop(
                [(self._index, types.index(0)), *[(self._vector, self._zero)] * count]
            )
            step, *sums = frame.phis
            code.test(frame, code.truth(Op.S_LESS_THAN, step, self._k))
            with values.scope():
                values.bind(self._contract.step, step)
                lefts, rights = left.elements(), right.vectors()
                following = self._added(lefts, rights, sums)
            code.end(frame, [self._op(Op.I_ADD, step, types.index(1)), *following])
        return sums


class _Side:
    """The elements of an operand in one way of running over k."""

    def __init__(
        self,
        product: DirectProduct,
        lines: _Lines,
        first: int,
        count: int,
        wide: bool,
        extent: int = 0,
    ) -> None:
        self._product = product
        self._lines = lines
        self._wide = wide
        self._copies = lines.copies(count // WIDTH if wide else count)
        self._blocks: list[Block] = []
        code, values, types = product._code, product._values, product._types
        for number, copy in enumerate(self._copies):
            ahead = types.index(number * (WIDTH if wide else 1))
            at = product._op(Op.I_ADD, first, ahead)
            if extent:  # a line behind the last one is that one, and its sums are left out
                last = product._op(Op.I_SUB, extent, types.index(1))
                at = product._least(at, last)
            values.bind(copy.line, at)
            if wide:
                found = list(accesses(reached((copy.value,))))
                self._blocks.append(Block(code, values, found, lines.neighbours(copy)))

    def aligned(self) -> int:
        """Return whether all vectors are aligned."""
        code = self._product._code
        result = code.types.truth(True)
        for block in self._blocks:
            result = code.truth(Op.LOGICAL_AND, result, block.condition())
        return result

    def prepare(self) -> None:
        """Emit in front of the loop what no step changes."""
        for copy in self._copies:
            for value in _settled(copy.value, self._lines.step):
                self._product._values.value(value)

    def elements(self) -> list[int]:
        """Return an element per line."""
        values = self._product._values
        if not self._wide:
            return [values.value(copy.value) for copy in self._copies]
        return [each for vector in self.vectors() for each in self._product._components(vector)]

    def vectors(self) -> list[int]:
        """Return a vector per four lines."""
        if self._wide:
            pairs = zip(self._blocks, self._copies, strict=True)
            return [block.value(copy.value) for block, copy in pairs]
        elements = self.elements()
        return [
            self._product._joined(elements[first : first + WIDTH])
            for first in range(0, len(elements), WIDTH)
        ]


def _settled(root: Value, step: Variable) -> Iterable[Value]:
    """Return the largest parts of an expression without the step and without memory accesses."""
    moving: dict[Value, bool] = {}
    unsafe = (Instruction.LOAD, Instruction.CHECKED)
    for value in postorder(root, moving):
        own = value.attribute is step or value.instruction in unsafe
        moving[value] = own or any(moving[each] for each in value.arguments)
    found: dict[Value, None] = {}
    stack: list[Value] = [root]
    seen: set[Value] = set()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if moving[value]:
            stack.extend(value.arguments)
        elif value.arguments:
            found[value] = None
    return list(found)
