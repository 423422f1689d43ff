"""The shape of an operator entry, and the registry of all entries.

An entry says everything about an operator: what it computes (as a scalar expression that every
backend compiles), what it returns for NumPy arrays (the reference), its gradient, which dtypes it
takes, where to test it, how exactly, and its documentation.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from pumice.dtypes import DType, Kind, bool_, default_float
from pumice.errors import DTypeError, InternalError, describe
from pumice.ops.vocabulary import Operand, Rule


class Accepts(Enum):
    """Which dtypes an elementwise entry takes and what it computes in.

    FLOAT: integers and bool become the default float first (``sin``).
    NUMERIC: bool is refused (``sub``); NUMERIC_BOOL: everything as it is (``add``).
    INTEGRAL: integers and bool (``bitwise_and``); INTEGER: integers only (shifts).
    BOOL: bool only, other dtypes are tested against zero first (``logical_and``).
    ONLY_FLOAT: integers are refused.
    """

    FLOAT = "float"
    NUMERIC = "numeric"
    NUMERIC_BOOL = "numeric or bool"
    INTEGRAL = "integer or bool"
    INTEGER = "integer"
    BOOL = "bool"
    ONLY_FLOAT = "floating"


_REFUSED: dict[Accepts, frozenset[Kind]] = {
    Accepts.FLOAT: frozenset((Kind.COMPLEX,)),
    Accepts.NUMERIC: frozenset((Kind.BOOL, Kind.COMPLEX)),
    Accepts.NUMERIC_BOOL: frozenset((Kind.COMPLEX,)),
    Accepts.INTEGRAL: frozenset((Kind.FLOAT, Kind.COMPLEX)),
    Accepts.INTEGER: frozenset((Kind.BOOL, Kind.FLOAT, Kind.COMPLEX)),
    Accepts.BOOL: frozenset((Kind.COMPLEX,)),
    Accepts.ONLY_FLOAT: frozenset((Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED, Kind.COMPLEX)),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class OpDef:
    """What every entry has.

    Attributes
    ----------
    name : str
        The public PyTorch name, or the internal name of a structural operation.
    doc : str
        NumPy-style docstring of the public function.
    gradient : Rule or None
        See the subclass for its arguments; None with `no_gradient` saying why.
    no_gradient : str
        Why backward through the operation raises, empty when it has a gradient.
    """

    name: str
    doc: str = ""
    gradient: Rule | None = None
    no_gradient: str = ""
    declared_at: str = ""

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, kw_only=True)
class Samples:
    """Where the generated tests probe an entry.

    Attributes
    ----------
    domain : tuple of (low, high) per operand
        Ordinary arguments, for values and gradients.
    special : tuple of floats
        Further arguments tried against the reference (edges, poles, huge values).
    ulp : int
        Largest error against the exact result, in units in the last place; 0 means exact.
    smooth : bool
        Whether finite differences are meaningful on the domain.
    """

    domain: tuple[tuple[float, float], ...]
    special: tuple[float, ...] = ()
    ulp: int = 0
    smooth: bool = True


@dataclass(frozen=True, eq=False, kw_only=True)
class Elementwise(OpDef):
    """An operator that computes each element from the elements at the same place.

    Attributes
    ----------
    parameters : tuple of str
        Names of the tensor operands as PyTorch spells them, ``("input", "other")``.
    meaning : Rule
        ``(x, ...) -> value`` on `ScalarOperand`, in the computation dtype. Small floats arrive as
        float32 and the result is rounded to them afterwards.
    reference : Rule
        ``(np, x, ...) -> array`` with NumPy, exact enough to test against.
    gradient : Rule or None
        ``(g, out, x, ...) -> gradient`` (or a tuple, one per operand, None where there is none),
        written with `Operand` arithmetic and other entries.
    singular : bool
        The local derivative can be infinite or NaN: gradients are forced to exactly 0 where the
        incoming gradient is 0 (contracts.md, section 1).
    result : DType or None
        Fixed result dtype (``bool_`` for comparisons), None for the computation dtype.
    symbol : str
        Python operator it implements, ``"+"``; "" for none.
    method, function : bool
        Whether the public Tensor method and function are generated.
    inplace : bool
        Whether the ``name_`` method is generated.
    aliases : tuple of str
        Further public names.
    condition_first : bool
        The first operand is a bool that takes no part in promotion (``where``).
    unrounded : tuple of int
        Operands that, as numbers beside 16-bit floats, are not rounded to these but taken as
        float32; the result is rounded once (decision 44).
    """

    parameters: tuple[str, ...]
    accepts: Accepts
    meaning: Rule
    reference: Rule
    samples: Samples
    singular: bool = False
    result: DType | None = None
    symbol: str = ""
    commutative: bool = False
    method: bool = True
    function: bool = True
    inplace: bool = True
    aliases: tuple[str, ...] = ()
    condition_first: bool = False
    unrounded: tuple[int, ...] = ()

    @property
    def arity(self) -> int:
        return len(self.parameters)

    def __call__(self, first: Operand, *others: Any) -> Any:
        return first.apply(self, *others)

    def computation_dtype(self, promoted: DType) -> DType:
        """Return the dtype operands are converted to, or raise for a refused one."""
        if promoted.kind in _REFUSED[self.accepts]:
            raise DTypeError(
                describe(
                    self.name, f"got {promoted.name}", f"allowed are {self.accepts.value} types"
                )
            )
        if self.accepts is Accepts.BOOL:
            return bool_
        if self.accepts is Accepts.FLOAT and not promoted.is_floating_point:
            return default_float()
        return promoted

    def result_dtype(self, computed: DType) -> DType:
        """Return the dtype of the result."""
        return computed if self.result is None else self.result


@dataclass(frozen=True, eq=False, kw_only=True)
class Reduction(OpDef):
    """A fold over axes, kept with extent 1.

    Attributes
    ----------
    identity : Rule
        ``(dtype) -> number`` that leaves the other operand unchanged.
    combine : Rule
        ``(x, y) -> value`` on scalars, associative and commutative. When `with_index` it takes
        ``(x, i, y, j)`` and returns a pair, and the result of the operation is the index.
    follow : Rule or None
        With an index: the same for an ``i`` that is below ``j``, or 0 with the identity.
    accumulator : Rule
        ``(dtype) -> dtype`` the fold is carried in.
    result : Rule
        ``(dtype) -> dtype`` of the result.
    reference : Rule
        ``(np, x, axes) -> array`` keeping the reduced axes with extent 1.
    gradient : Rule or None
        ``(g, out, x) -> gradient`` with ``g`` and ``out`` broadcast to ``x``'s shape, or
        ``(g, out, x, axes, build)`` when `gradient_needs_axes`.
    """

    identity: Callable[[DType], float | int | bool]
    combine: Rule
    accumulator: Callable[[DType], DType]
    result: Callable[[DType], DType]
    reference: Rule
    follow: Rule | None = None
    with_index: bool = False
    gradient_needs_axes: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Scan(OpDef):
    """A running fold along one axis; fields as in `Reduction`."""

    identity: Callable[[DType], float | int | bool]
    combine: Rule
    accumulator: Callable[[DType], DType]
    result: Callable[[DType], DType]
    reference: Rule


@dataclass(frozen=True, eq=False, kw_only=True)
class Structural(OpDef):
    """An operation of the graph with a lowering of its own (views, products, gathers ...).

    Attributes
    ----------
    reference : Rule
        ``(np, argument, *arrays) -> array``.
    gradient : Rule or None
        ``(g, node, build) -> tuple`` of gradients, one per source, None where there is none;
        ``build`` is `graph.build`.
    """

    reference: Rule


@dataclass(slots=True)
class Registry:
    """All entries by name. A second definition of a name is refused."""

    entries: dict[str, OpDef] = field(default_factory=dict)
    symbols: dict[str, Elementwise] = field(default_factory=dict)

    def add(self, entry: OpDef) -> None:
        if entry.name in self.entries:
            raise InternalError(f"operator {entry.name} is defined twice")
        self.entries[entry.name] = entry
        if isinstance(entry, Elementwise) and entry.symbol:
            self.symbols[entry.symbol] = entry

    def __getitem__(self, name: str) -> OpDef:
        return self.entries[name]

    def elementwise(self) -> Iterator[Elementwise]:
        for entry in self.entries.values():
            if isinstance(entry, Elementwise):
                yield entry


registry = Registry()

EntryType = TypeVar("EntryType", bound=OpDef)


def register(entry: EntryType) -> EntryType:
    """Add an entry to the registry and return it."""
    registry.add(entry)
    return entry
