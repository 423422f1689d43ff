"""The arguments of operators by themselves, and where the elements of a grid item lie.

Push constants hold the address of the other words, the number of grid items, the length of the last
axis and, of as many axes as there is room for, extents and strides. In memory lie the operands
(addresses or numbers), the result's address, the other axes and the address of the fault record.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pumice import dtypes
from pumice.backends.spirv.arguments import DEFAULT_PUSH_BYTES, PUSHED_FIRST, WORD, Arguments
from pumice.backends.spirv.casts import Casts
from pumice.backends.spirv.code import Code
from pumice.backends.spirv.narrow import Narrow
from pumice.backends.spirv.opcodes import ALIGNED, Decoration, Op, StorageClass
from pumice.backends.spirv.pairs import Pairs
from pumice.backends.spirv.types import Register
from pumice.dtypes import DType
from pumice.kernel.ir import Grid, Kernel, Parameter, Role
from pumice.kernel.operators import BLOCK, MOST_AXES
from pumice.target import Target

_NO_KERNEL = Kernel((), Grid((), ()), ())
_ITEMS, _LENGTH, _AXES = 1, PUSHED_FIRST, PUSHED_FIRST + 1
"""Members of the push constants."""


def pushed_axes(operands: int, target: Target) -> int:
    """Return how many axes stand in push constants."""
    limit = target.limits.get("push_constant_bytes", DEFAULT_PUSH_BYTES)
    return min(MOST_AXES, (limit // WORD - _AXES) // (1 + operands))


class OperatorArguments(Arguments):
    """Loads arguments where they are needed, in any function of a module."""

    def __init__(self, code: Code, operands: int, target: Target) -> None:
        super().__init__(code, _NO_KERNEL, target, frozenset())
        self.operands = operands
        self._width = 1 + operands
        self._pushed_axes = pushed_axes(operands, target)
        self._fault = Parameter("fault", Role.BUFFER, dtypes.int64, writable=True)
        self._held = self._types.integer(64) if self._wide else self._types.uint

    def load(self, narrow: Narrow, casts: Casts) -> None:
        """Emit nothing: what is needed is loaded there."""

    def declare(self) -> int:
        """Declare the push constants, once in a module."""
        types, module = self._types, self._code.module
        count = types.unsigned(self._pushed_axes * self._width)
        axes = module.declare_array(Op.TYPE_ARRAY, self._held, count, stride=WORD)
        members = (self._address, self._held, self._held, axes)
        block = module.declare_struct(members, range(0, len(members) * WORD, WORD))
        pointer = types.pointer(StorageClass.PUSH_CONSTANT, block)
        return module.declare(Op.VARIABLE, pointer, StorageClass.PUSH_CONSTANT)

    def open(self, pushed: int) -> None:
        """Begin to use the arguments in a function."""
        self._root = pushed
        self._place = self._read(self._root, StorageClass.PUSH_CONSTANT, 0, self._address)
        self._words = self._stored_words()

    def _cut(self, word: int) -> int:
        """Return an index that was read, in the width of index arithmetic."""
        types = self._types
        if not self._wide or types.index_bits == 64:
            return word
        return self._code.emit(Op.U_CONVERT, types.uint, word)

    def read_items(self) -> int:
        """Return the number of grid items."""
        return self._cut(self._read(self._root, StorageClass.PUSH_CONSTANT, _ITEMS, self._held))

    def read_length(self) -> int:
        """Return the length of the last axis."""
        return self._cut(self._read(self._root, StorageClass.PUSH_CONSTANT, _LENGTH, self._held))

    def _stored_words(self) -> int:
        """Return a pointer to the words in memory; the record of faults is not always there."""
        types, module = self._types, self._code.module
        members = [self._address] * (self.operands + 1)
        offsets = [*range(0, len(members) * WORD, WORD)]
        rest = (MOST_AXES - self._pushed_axes) * self._width
        if rest:
            count = types.unsigned(rest)
            members.append(module.declare_array(Op.TYPE_ARRAY, self._held, count, stride=WORD))
            offsets.append(len(offsets) * WORD)
        members.append(self._address)
        offsets.append((self.operands + 1 + rest) * WORD)
        block = module.declare_struct(members, offsets)
        for position in range(len(members)):
            module.decorate_member(block, position, Decoration.NON_WRITABLE)
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, block)
        return self._code.emit(self._to_pointer, pointer, self._place)

    def word_of(self, position: int) -> int:
        """Return the address of an operand or, behind those, of the result; or a number's bits."""
        storage = StorageClass.PHYSICAL_STORAGE_BUFFER
        return self._read(self._words, storage, position, self._address)

    # -- operands -------------------------------------------------------------------------------

    def buffer(self, dtype: DType, word: int, writable: bool = False) -> Parameter:
        """Return the memory at an address, as elements of a type."""
        buffer = Parameter("memory", Role.BUFFER, dtype, writable)
        self.words[buffer] = word
        if not self._types.in_words(dtype):
            word = self._code.emit(self._to_pointer, self._pointer(buffer), word)
        self.ids[buffer] = word
        return buffer

    def number(self, dtype: DType, word: int, narrow: Narrow, casts: Casts) -> int:
        """Return the number that a word holds."""
        code, types = self._code, self._types
        kind = types.kind(dtype)
        if kind in (Register.INT64, Register.PAIR):
            return word
        if kind is Register.FLOAT64:
            return code.emit(Op.BITCAST, types.floating(64), word)
        low = code.emit(Op.U_CONVERT, types.uint, word) if self._wide else Pairs(code).low(word)
        if dtype is dtypes.float32:
            return code.emit(Op.BITCAST, types.floating(32), low)
        return self._scalar(low, dtype, narrow, casts)

    def record_fault(self, fault_code: int, low: int, high: int) -> None:
        """Store a fault unless one is stored already."""
        assert self._fault is not None
        rest = self._pushed_axes < MOST_AXES
        word = self.word_of(self.operands + 1 + rest)
        pointer = self._pointer(self._fault)
        self.ids[self._fault] = self._code.emit(self._to_pointer, pointer, word)
        super().record_fault(fault_code, low, high)

    # -- axes -----------------------------------------------------------------------------------

    def last_axis(self) -> list[int]:
        """Return the number of blocks of the last axis and the operands' strides."""
        zero = self._types.unsigned(0)
        return [self._pushed_word(zero, place) for place in range(self._width)]

    def axis(self, number: int) -> list[int]:
        """Return the extent of an axis and the operands' strides."""
        code, types = self._code, self._types
        index = types.integer(types.index_bits)
        if self._pushed_axes == MOST_AXES:
            return [self._pushed_word(number, place) for place in range(self._width)]
        limit = types.unsigned(self._pushed_axes)
        return code.either(
            code.truth(Op.U_LESS_THAN, number, limit),
            lambda: [self._pushed_word(number, place) for place in range(self._width)],
            lambda: self._stored_axis(code.emit(Op.I_SUB, types.uint, number, limit)),
            index,
        )

    def _word_at(self, axis: int, place: int) -> int:
        code, types = self._code, self._types
        first = code.emit(Op.I_MUL, types.uint, axis, types.unsigned(self._width))
        return code.emit(Op.I_ADD, types.uint, first, types.unsigned(place))

    def _pushed_word(self, axis: int, place: int) -> int:
        code, types = self._code, self._types
        pointer = types.pointer(StorageClass.PUSH_CONSTANT, self._held)
        at, whole = self._word_at(axis, place), types.unsigned(_AXES)
        chain = code.emit(Op.ACCESS_CHAIN, pointer, self._root, whole, at)
        return self._cut(code.emit(Op.LOAD, self._held, chain))

    def _stored_axis(self, axis: int) -> list[int]:
        code, types = self._code, self._types
        pointer = types.pointer(StorageClass.PHYSICAL_STORAGE_BUFFER, self._held)
        member = types.unsigned(self.operands + 1)
        found = []
        for place in range(self._width):
            at = self._word_at(axis, place)
            chain = code.emit(Op.ACCESS_CHAIN, pointer, self._words, member, at)
            found.append(self._cut(code.emit(Op.LOAD, self._held, chain, ALIGNED, WORD)))
        return found


@dataclass(frozen=True, slots=True)
class Place:
    """Where the elements of a grid item lie: up to four neighbours along the last axis.

    Attributes
    ----------
    offsets, steps : list of int
        Of each operand, the first element and the distance between neighbours.
    output : int
        The first element of the result.
    count : int
        How many elements there are, a 32-bit integer.
    """

    offsets: list[int]
    steps: list[int]
    output: int
    count: int


def place_of(code: Code, arguments: OperatorArguments, item: int) -> Place:
    """Emit the arithmetic that finds the elements of a grid item."""
    types = code.types
    index = types.integer(types.index_bits)
    extent, *steps = arguments.last_axis()
    exists = code.truth(Op.U_LESS_THAN, item, arguments.read_items())
    item = code.select(index, exists, item, types.index(0))  # else past the axes that there are
    first, row, *offsets = _found(code, arguments, item, extent, steps)
    length = arguments.read_length()
    start = code.emit(Op.I_MUL, index, row, length)
    left = code.emit(Op.I_SUB, index, length, first)
    few = code.truth(Op.U_LESS_THAN, left, types.index(BLOCK))
    count = code.select(index, few, left, types.index(BLOCK))
    count = code.select(index, exists, count, types.index(0))
    if types.index_bits == 64:
        count = code.emit(Op.U_CONVERT, types.uint, count)
    return Place(offsets, steps, code.emit(Op.I_ADD, index, start, first), count)


def _found(
    code: Code, arguments: OperatorArguments, item: int, extent: int, steps: Sequence[int]
) -> list[int]:
    """Return the first element of a block of the last axis, its row, and the operands' elements.

    The item's number is divided by the extents of the axes. That ends at the axis whose extent is
    greater than what is left: the last one at the latest, as there are so many items. Whatever the
    numbers are, it ends at the last axis a kernel may have, so that wrong ones lose no device.
    """
    types = code.types
    index = types.integer(types.index_bits)
    zero = types.index(0)
    frame = code.loop(
        [
            (types.uint, types.unsigned(0)),
            *((index, each) for each in (item, zero, zero, extent, *steps)),
            *((index, zero) for _ in steps),
        ]
    )
    axis, rest, first, row, extent, *more = frame.phis
    strides, offsets = more[: len(steps)], more[len(steps) :]

    def moved(place: int) -> tuple[int, int]:
        """Return whether this is the last axis, whose place is one of a block, and the element."""
        last = code.truth(Op.I_EQUAL, axis, types.unsigned(0))
        factor = code.select(index, last, types.index(BLOCK), types.index(1))
        return last, code.emit(Op.I_MUL, index, place, factor)

    def advanced(place: int) -> list[int]:
        products = [code.emit(Op.I_MUL, index, place, stride) for stride in strides]
        return [
            code.emit(Op.I_ADD, index, offset, product)
            for offset, product in zip(offsets, products, strict=True)
        ]

    beyond = code.truth(Op.U_GREATER_THAN_EQUAL, rest, extent)
    inner = code.truth(Op.U_LESS_THAN, axis, types.unsigned(MOST_AXES - 1))
    code.test(frame, code.truth(Op.LOGICAL_AND, beyond, inner))
    quotient = code.emit(Op.U_DIV, index, rest, extent)
    product = code.emit(Op.I_MUL, index, quotient, extent)
    last, place = moved(code.emit(Op.I_SUB, index, rest, product))
    following = code.emit(Op.I_ADD, types.uint, axis, types.unsigned(1))
    carried = [
        following,
        quotient,
        code.select(index, last, place, first),
        code.select(index, last, quotient, row),
        *arguments.axis(following),
        *advanced(place),
    ]
    code.end(frame, carried)
    last, place = moved(rest)
    return [
        code.select(index, last, place, first),
        code.select(index, last, zero, row),
        *advanced(place),
    ]
