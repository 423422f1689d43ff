"""What a row is: inputs, a function written once for all frameworks, and what it costs."""

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Arrays = dict[str, Array]


class Source:
    """Sizes and numbers for the inputs of one row.

    The numbers depend on the name of the row only, so every framework gets the same.
    """

    def __init__(self, name: str, small: bool = False) -> None:
        self._random = np.random.default_rng(zlib.crc32(name.encode()))
        self._small = small

    def __call__(self, full: int, small: int) -> int:
        """Return the size to use: the one that is timed, or the one that is checked."""
        return small if self._small else full

    def normal(self, *shape: int, scale: float = 1.0) -> Array:
        """Return normal float32 numbers."""
        numbers = self._random.standard_normal(shape, dtype=np.float32)
        if scale != 1.0:
            numbers *= np.float32(scale)
        return numbers

    def double(self, *shape: int) -> Array:
        """Return normal float64 numbers."""
        return self._random.standard_normal(shape)

    def brain(self, *shape: int) -> Array:
        """Return normal bfloat16 numbers."""
        return self.normal(*shape).astype(ml_dtypes.bfloat16)

    def integers(self, low: int, high: int, *shape: int, dtype: Any = np.int64) -> Array:
        """Return whole numbers from ``low`` up to but not including ``high``."""
        return self._random.integers(low, high, shape).astype(dtype)


@dataclass(frozen=True, slots=True)
class Forward:
    """Call the function, without gradients.

    ``captured`` is false where capturing is not what is timed or not possible; ``evaluated`` is
    false where only the recording of a lazy framework is timed. ``several`` says that the
    function returns more than one tensor.
    """

    captured: bool = True
    evaluated: bool = True
    several: bool = False


@dataclass(frozen=True, slots=True)
class Gradient:
    """Call the function and differentiate it by the inputs in ``of``.

    The input ``upstream`` is the gradient of the result; without one the result is a scalar.
    """

    of: tuple[str, ...]
    upstream: str | None = None


@dataclass(frozen=True, slots=True)
class Training:
    """The function returns a loss; one step of an optimizer over all parameters."""

    optimizer: str


@dataclass(frozen=True, slots=True)
class Update:
    """One step of an optimizer; the input of the same name is the gradient of a parameter."""

    optimizer: str


@dataclass(frozen=True, slots=True)
class Shapes:
    """Call the function once for each of ``count`` shapes; compilation counts."""

    count: int


@dataclass(frozen=True, slots=True)
class FirstCall:
    """The first call of another row in a fresh process, imports and inputs not counted.

    ``warm`` tells whether an earlier process left its compiled code on disk.
    """

    of: str
    warm: bool


@dataclass(frozen=True, slots=True)
class Import:
    """Importing the framework in a fresh process."""


Task = Forward | Gradient | Training | Update | Shapes | FirstCall | Import


def nothing(_: Source) -> Arrays:
    """Return no inputs."""
    return {}


def unknown(*_: Any) -> float:
    """Return the cost of a row whose cost says nothing."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Quoted:
    """Milliseconds of a framework that is not run here, and of PyTorch in the run they are from."""

    framework: str
    milliseconds: float
    torch: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work.

    Attributes
    ----------
    name : str
        How the row is asked for.
    title : str
        What it does, for tables.
    group : str
        The module it is in.
    function : callable
        Takes the namespace of a framework, the parameters if the row has any, and the inputs.
        The namespace has PyTorch's names in every framework.
    inputs : callable
        Makes the inputs, in the order the function takes them.
    moved, flop : callable
        Bytes that have to be moved at the least, and floating-point operations (an FMA is two),
        of the inputs (after the parameters if the row has any).
    parameters : callable or None
        Makes the parameters of a model.
    task : Task
        What is done with the function.
    variants : mapping
        A function for frameworks that would write it differently, by ``pumice``, ``torch`` or
        ``jax``, and for ``numpy`` where it takes part.
    arithmetic : str
        Which measured peak bounds it: ``float32`` or ``float64``.
    device : str
        Where pumice works; the other frameworks stay on the CPU.
    quoted : Quoted or None
        What another framework was measured to take.
    """

    name: str
    title: str
    group: str
    function: Callable[..., Any] = unknown
    inputs: Callable[[Source], Arrays] = nothing
    moved: Callable[..., float] = unknown
    flop: Callable[..., float] = unknown
    parameters: Callable[[Source], Arrays] | None = None
    task: Task = field(default_factory=Forward)
    variants: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    arithmetic: str = "float32"
    device: str = "cpu"
    quoted: Quoted | None = None

    @property
    def once(self) -> bool:
        """Whether the first call is what is timed."""
        return isinstance(self.task, Shapes | FirstCall)

    def runs_in(self, framework: str) -> bool:
        """Tell whether a framework takes part."""
        return framework != "numpy" or "numpy" in self.variants

    def function_for(self, family: str) -> Callable[..., Any]:
        """Return the function as the family of a framework writes it."""
        return self.variants.get(family, self.function)


@dataclass(frozen=True, slots=True)
class Data:
    """The numbers of a row."""

    inputs: Arrays
    parameters: Arrays

    def cost(self, row: Row) -> tuple[float, float]:
        """Return the bytes moved and the floating-point operations."""
        first = (self.parameters,) if row.parameters else ()
        values = tuple(self.inputs.values())
        return float(row.moved(*first, *values)), float(row.flop(*first, *values))


def data_of(row: Row, small: bool = False) -> Data:
    """Make the inputs and parameters of a row."""
    source = Source(row.name, small)
    parameters = row.parameters(source) if row.parameters else {}
    return Data(row.inputs(source), parameters)


def nbytes(*arrays: Array) -> float:
    """Return the size of all arrays, each moved once."""
    return float(sum(array.nbytes for array in arrays))


def total(arrays: Arrays) -> float:
    """Return the size of all parameters in bytes."""
    return nbytes(*arrays.values())


def product_flop(rows: int, inner: int, columns: int, batch: int = 1) -> float:
    """Return the operations of a matrix product."""
    return 2.0 * batch * rows * inner * columns


def elements(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a shape."""
    return math.prod(shape)
