"""The whole kernel IR on one screen.

A `Kernel` is a list of parameters and a tree of statements over scalar `Value` expressions.
Values are immutable and identified by object; the same object is the same computation. Sizes are
parameters, so one kernel serves every shape of the same structure (design.md D6).

Example (printed form)::

    kernel(buffer f32 a, buffer f32 out, index n)
      grid i < n:
        store out[i] = add.f32(load a[i], 1.0)
"""

from dataclasses import dataclass, field, fields
from enum import Enum, auto
from operator import index as as_number
from typing import TYPE_CHECKING, Any

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.kernel.operator import Operator
from pumice.target import ProductTile

if TYPE_CHECKING:
    from pumice.ops.definition import Elementwise

INDEX = DType("index", Kind.SIGNED, 8)
"""Type of loop variables, extents and addresses; 64 bits on the CPU, 32 or 64 on a GPU."""


class Instruction(Enum):
    """Scalar instructions. Both backends and the interpreter implement each of them."""

    # leaves
    CONSTANT = auto()  # attribute: the Python number
    PARAMETER = auto()  # attribute: Parameter of role INDEX or SCALAR
    VARIABLE = auto()  # attribute: Variable of an enclosing loop
    LOAD = auto()  # arguments: (index,) or (index, mask); attribute: Parameter, BUFFER or LOCAL
    CARRIED = auto()  # attribute: Carry, inside its loop: the value so far
    RESULT = auto()  # attribute: Carry, after its loop: the final value
    ACCUMULATOR = auto()  # inside a Contract epilogue: the product's element
    # arithmetic (wraps for integers; IEEE, never reassociated, for floats)
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()  # floats only
    QUOTIENT = auto()  # integers, toward zero
    MODULUS = auto()  # integers, sign of the dividend
    HIGH_PRODUCT = auto()  # unsigned 32 or 64 bits
    MULTIPLY_ADD = auto()  # floats; one or two roundings
    PRODUCT_ERROR = auto()  # (floats x, y, x * y as rounded): by how much the exact one is more
    SCALE = auto()  # (float near 1, whole number n of its type): the float times 2**n
    NEG = auto()
    ABS = auto()
    SQRT = auto()
    FLOOR = auto()
    CEIL = auto()
    TRUNCATE = auto()
    ROUND_EVEN = auto()
    # comparison (result bool; ordered, except NE)
    EQ = auto()
    NE = auto()
    LT = auto()
    LE = auto()
    # on the bits of integers and bool:
    AND = auto()
    OR = auto()
    XOR = auto()
    NOT = auto()
    SHL = auto()  # count in 0..bits-1
    SHR = auto()  # arithmetic when signed
    # other
    SELECT = auto()  # (condition, chosen, other)
    RARELY = auto()  # the same; the chosen value need not be computed where nobody wants it
    CAST = auto()  # see `Value.cast`
    BITCAST = auto()  # same itemsize
    CHECKED = auto()  # (value, condition); attribute: FaultCode. Value, recording a fault if true


class FaultCode(Enum):
    """Data errors a kernel reports; raised on the host when the plan has run."""

    DIVISION_BY_ZERO = 1
    INDEX_OUT_OF_RANGE = 2
    SINGULAR = 3
    NOT_POSITIVE_DEFINITE = 4
    NOT_A_PROBABILITY = 5


class Role(Enum):
    """What one 64-bit word of a kernel's arguments holds."""

    BUFFER = auto()  # address of the first element
    INDEX = auto()  # a size, stride or offset (elements)
    SCALAR = auto()  # the bits of a number in the parameter's dtype, low bytes first
    LOCAL = auto()  # no argument: memory of one grid item, listed in `Kernel.locals`


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """One argument of a kernel, 64 bits wide, in the order of `Kernel.parameters`; or a local.

    A local has `extent` elements. A grid item must write an element before it reads it."""

    name: str
    role: Role
    dtype: DType
    writable: bool = False
    extent: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A loop variable."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A scalar expression."""

    instruction: Instruction
    dtype: DType
    arguments: tuple["Value", ...] = ()
    attribute: Any = None

    # -- building: the interface of `ops.vocabulary.ScalarOperand` ------------------------------

    def const(self, value: bool | int | float) -> "Value":
        return constant(value, self.dtype)

    def _lift(self, other: "Value | bool | int | float") -> "Value":
        return other if isinstance(other, Value) else constant(other, self.dtype)

    def _binary(self, instruction: Instruction, other: "Value | float", swap: bool) -> "Value":
        pair = (self._lift(other), self) if swap else (self, self._lift(other))
        return Value(instruction, self.dtype, pair)

    def _compare(self, instruction: Instruction, other: "Value | float", swap: bool) -> "Value":
        pair = (self._lift(other), self) if swap else (self, self._lift(other))
        return Value(instruction, dtypes.bool_, pair)

    def _unary(self, instruction: Instruction) -> "Value":
        return Value(instruction, self.dtype, (self,))

    def __add__(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.ADD, other, swap=False)

    def __radd__(self, other: float) -> "Value":
        return self._binary(Instruction.ADD, other, swap=True)

    def __sub__(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.SUB, other, swap=False)

    def __rsub__(self, other: float) -> "Value":
        return self._binary(Instruction.SUB, other, swap=True)

    def __mul__(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.MUL, other, swap=False)

    def __rmul__(self, other: float) -> "Value":
        return self._binary(Instruction.MUL, other, swap=True)

    def __truediv__(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.DIV, other, swap=False)

    def __rtruediv__(self, other: float) -> "Value":
        return self._binary(Instruction.DIV, other, swap=True)

    def quotient(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.QUOTIENT, other, swap=False)

    def modulus(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.MODULUS, other, swap=False)

    def high_product(self, other: "Value | float") -> "Value":
        return self._binary(Instruction.HIGH_PRODUCT, other, swap=False)

    def multiply_add(self, factor: "Value | float", addend: "Value | float") -> "Value":
        arguments = (self, self._lift(factor), self._lift(addend))
        return Value(Instruction.MULTIPLY_ADD, self.dtype, arguments)

    def product_error(self, factor: "Value", product: "Value") -> "Value":
        return Value(Instruction.PRODUCT_ERROR, self.dtype, (self, factor, product))

    def scaled(self, exponent: "Value") -> "Value":
        return Value(Instruction.SCALE, self.dtype, (self, exponent))

    def __neg__(self) -> "Value":
        return self._unary(Instruction.NEG)

    def absolute(self) -> "Value":
        return self._unary(Instruction.ABS)

    def square_root(self) -> "Value":
        return self._unary(Instruction.SQRT)

    def floor(self) -> "Value":
        return self._unary(Instruction.FLOOR)

    def ceil(self) -> "Value":
        return self._unary(Instruction.CEIL)

    def truncate(self) -> "Value":
        return self._unary(Instruction.TRUNCATE)

    def round_even(self) -> "Value":
        return self._unary(Instruction.ROUND_EVEN)

    def eq(self, other: "Value | float") -> "Value":
        return self._compare(Instruction.EQ, other, swap=False)

    def ne(self, other: "Value | float") -> "Value":
        return self._compare(Instruction.NE, other, swap=False)

    def __lt__(self, other: "Value | float") -> "Value":
        return self._compare(Instruction.LT, other, swap=False)

    def __le__(self, other: "Value | float") -> "Value":
        return self._compare(Instruction.LE, other, swap=False)

    def __gt__(self, other: "Value | float") -> "Value":
        return self._compare(Instruction.LT, other, swap=True)

    def __ge__(self, other: "Value | float") -> "Value":
        return self._compare(Instruction.LE, other, swap=True)

    def __and__(self, other: "Value | int") -> "Value":
        return self._binary(Instruction.AND, other, swap=False)

    def __or__(self, other: "Value | int") -> "Value":
        return self._binary(Instruction.OR, other, swap=False)

    def __xor__(self, other: "Value | int") -> "Value":
        return self._binary(Instruction.XOR, other, swap=False)

    def __invert__(self) -> "Value":
        return self._unary(Instruction.NOT)

    def __lshift__(self, other: "Value | int") -> "Value":
        return self._binary(Instruction.SHL, other, swap=False)

    def __rshift__(self, other: "Value | int") -> "Value":
        return self._binary(Instruction.SHR, other, swap=False)

    def select(self, chosen: Any, other: Any) -> "Value":
        like = chosen if isinstance(chosen, Value) else other
        if not isinstance(like, Value):
            raise TypeError("select needs at least one Value to know the dtype")
        arguments = (self, like._lift(chosen), like._lift(other))
        return Value(Instruction.SELECT, like.dtype, arguments)

    def rarely(self, chosen: "Value", other: "Value") -> "Value":
        return Value(Instruction.RARELY, chosen.dtype, (self, chosen, other))

    def cast(self, dtype: DType) -> "Value":
        """Convert. To integer: truncate; NaN and what does not fit give the least of 32 or 64 bits,
        then wrapped, as PyTorch on x86. To bool: not equal to zero. To float: to nearest even."""
        return self if dtype is self.dtype else Value(Instruction.CAST, dtype, (self,))

    def bitcast(self, dtype: DType) -> "Value":
        return self if dtype is self.dtype else Value(Instruction.BITCAST, dtype, (self,))

    def fail_if(self, condition: "Value", code: int) -> "Value":
        return Value(Instruction.CHECKED, self.dtype, (self, condition), FaultCode(code))

    def apply(self, op: "Elementwise", *others: Any) -> "Value":
        result: Value = op.meaning(self, *(self._lift(other) for other in others))
        return result


def constant(value: bool | int | float, dtype: DType) -> Value:
    """Return a constant, converted to the Python type of its dtype."""
    converted: bool | int | float
    if dtype.kind is Kind.BOOL:
        converted = bool(value)
    elif dtype.is_floating_point:
        converted = float(value)
    else:
        converted = int(value)
        if converted > (1 << (dtype.bits - 1)) - 1 and dtype.is_signed:
            converted -= 1 << dtype.bits
        elif not dtype.is_signed:
            converted &= (1 << dtype.bits) - 1
    return Value(Instruction.CONSTANT, dtype, (), converted)


def index(value: int) -> Value:
    """Return a constant of the index type."""
    return Value(Instruction.CONSTANT, INDEX, (), as_number(value))


def load(buffer: Parameter, at: Value, mask: Value | None = None) -> Value:
    """Read one element. A false mask gives 0 and touches no memory."""
    arguments = (at,) if mask is None else (at, mask)
    return Value(Instruction.LOAD, buffer.dtype, arguments, buffer)


RUNNING_GROUP = 16
"""Iterations of a RUNNING loop that are folded together."""


class LoopKind(Enum):
    """How the iterations of a `Loop` may run."""

    # One after the other; carries hold the running value.
    SERIAL = auto()
    # In any order, many at a time. On the CPU iterations become vector lanes; on a GPU the
    # invocations of a workgroup. Carries are combined in a fixed tree: virtual lane ``l`` folds
    # iterations ``l, l + L, l + 2L ...`` for the target's lane count L, then lanes ``l`` and
    # ``l + L/2`` are combined and so on down to one, so the result depends on L and the extent
    # only.
    LANES = auto()
    # All running values of a fold, for targets with serial grid items. `Fold.next` is what an
    # iteration adds, and inside the body a carry stands for the running value with it; it has no
    # result after the loop. Of each 16 iterations, iteration ``i >= d`` takes in iteration
    # ``i - d``, for d = 1, 2, 4 and 8; then each takes in all that came before the 16.
    RUNNING = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Carry:
    """A value threaded through a loop."""

    name: str
    dtype: DType
    initial: Value

    @property
    def now(self) -> Value:
        return Value(Instruction.CARRIED, self.dtype, (), self)

    @property
    def result(self) -> Value:
        return Value(Instruction.RESULT, self.dtype, (), self)


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Carries updated together: ``next`` from the running values, in every iteration.

    ``combine`` merges two partial results (first and second tuples of values) and is needed for
    LANES loops; ``initial`` of each carry must be an identity of it."""

    carries: tuple[Carry, ...]
    next: tuple[Value, ...]
    combine: Any = None  # Callable[[tuple[Value, ...], tuple[Value, ...]], tuple[Value, ...]]


class Statement:
    """Base of the statements."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Let(Statement):
    """Evaluate a value here; later uses in this scope and below read it.

    Needed where order matters (a load that must come before a store) and used by `hoist`.
    """

    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Store(Statement):
    """Write one element; a false mask writes nothing.

    `streamed` hints at a buffer larger than the caches: what is written may go past them."""

    buffer: Parameter
    at: Value
    value: Value
    mask: Value | None = None
    streamed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Loop(Statement):
    """``for variable in range(start, stop)``; folds give RESULT values after the loop."""

    variable: Variable
    start: Value
    stop: Value
    kind: LoopKind
    body: tuple[Statement, ...]
    folds: tuple[Fold, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """Run the body when a scalar condition holds. Not inside LANES loops."""

    condition: Value
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Contract(Statement):
    """A matrix product of expressions, with an epilogue per element, for GPUs. Top level only.

    ``product[batch, row, column] = sum over step < k of left * right`` in order and in their dtype.
    They are expressions of batch, step and a line, for any place inside the sizes and as often as
    need be; `k` is one of the batch. The grid is ``batches x row blocks x column blocks`` of the
    tile. In the epilogue, run per element, ACCUMULATOR is the finished one; lanes along columns.
    `packed` operands exist for whole blocks, in buffers aligned to 16 bytes."""

    left: Value
    right: Value
    batches: Value
    m: Value
    n: Value
    k: Value
    batch: Variable
    row: Variable
    column: Variable
    step: Variable
    tile: ProductTile
    epilogue: tuple[Statement, ...]
    packed: bool = False


class TileStatement(Statement):
    """Base of the statements that work on local memory. They stand outside of LANES loops."""

    __slots__ = ()

    @property
    def operands(self) -> tuple[Value, ...]:
        """Every value the statement uses, in the order of its fields."""
        found = (getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]
        listed = (each if isinstance(each, tuple) else (each,) for each in found)
        return tuple(each for group in listed for each in group if isinstance(each, Value))


@dataclass(frozen=True, slots=True, eq=False)
class Multiply(TileStatement):
    """A small matrix product added to a tile of local memory.

    ``tile[i, j] = (0 if fresh else tile[i, j]) + sum over p < depth of left[i, p] * right[p, j]``,
    summed in the order of p in the tile's dtype, at ``tile_at + i * pitch + j``, ``left_at + i *
    left_row + p * left_step`` and ``right_at + p * right_step + j``; constant strides are built in.
    Columns of `right` from `width` on are not read and count as 0. Operands are of the tile's dtype
    or a narrower one of its kind. `repeats` are loops around p, outermost first, a count and two
    strides each. A `result` gets the sums instead of the tile: `result_at` is a place and a
    distance of rows. Lines of `ahead` are asked for, ``2 ** shift`` of each row: `ahead_at` has a
    place, row distance, a shift and a number of lines each. GPUs take those to `columns`."""

    tile: Parameter
    tile_at: Value
    pitch: int
    fresh: Value
    left: Parameter
    left_at: Value
    left_row: Value
    left_step: Value
    right: Parameter
    right_at: Value
    right_step: Value
    depth: Value
    rows: int
    columns: int
    width: Value | None = None
    repeats: tuple[Value, ...] = ()
    result: Parameter | None = None
    result_at: tuple[Value, ...] = ()
    ahead: tuple[Parameter, ...] = ()
    ahead_at: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MultiplyWords(TileStatement):
    """A product of tiles whose k goes by words of 32 bits, for targets with instructions for it.

    A word holds G neighbours along k: two of bfloat16, summed in float32, or four bytes, summed in
    int32. ``tile[i, j] = (0 if fresh else tile[i, j]) + sum over q < depth and g < G of
    left[i, G * q + g] * right[q, j][g]``; rows of the tile have no gaps. ``left[i, p]`` lies at
    ``left_at + i * left_row + p``; `right` holds words as uint32, elements of type `kind`, the
    first lowest, rows of ``columns`` without gaps. Integers wrap; order and roundings of other sums
    are the target's, subnormal numbers may count as 0. `depth` is a multiple of a tile's `step`."""

    tile: Parameter
    tile_at: Value
    fresh: Value
    left: Parameter
    left_at: Value
    left_row: Value
    right: Parameter
    right_at: Value
    depth: Value
    kind: DType
    rows: int
    columns: int


@dataclass(frozen=True, slots=True, eq=False)
class Transpose(TileStatement):
    """Rows of memory turned into columns of local memory, for targets with serial grid items.

    ``target[p, j] = source[j, p]`` for ``p < depth`` and ``j < columns``, in the target's dtype, at
    ``target_at + p * pitch + j`` and ``source_at + j * source_row + p``. With a `width`, at least
    1, only so many rows of `source` are read, the others count as 0."""

    target: Parameter
    target_at: Value
    pitch: int
    source: Parameter
    source_at: Value
    source_row: Value
    depth: Value
    columns: int
    width: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Prefetch(Statement):
    """A hint that an element, anywhere, will soon be read; lanes may ask in another order."""

    buffer: Parameter
    at: Value


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The parallel iterations of a kernel, row-major over its variables."""

    variables: tuple[Variable, ...]
    extents: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A kernel: independent grid iterations, each running the body.

    Attributes
    ----------
    parameters : tuple of Parameter
        In order, one 64-bit word each.
    grid : Grid
        No variables means a single iteration.
    body : tuple of Statement
        A `Contract` stands alone in the body, with an empty grid.
    locals : tuple of Parameter
        Memory each grid item has for itself, of role LOCAL.
    """

    parameters: tuple[Parameter, ...]
    grid: Grid
    body: tuple[Statement, ...]
    faults: bool = False
    operator: Operator | None = None  # what all of it is, in the form of kernel/operators.py
    locals: tuple[Parameter, ...] = field(default=())
