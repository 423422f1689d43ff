"""Operands for tests, made from operator entries.

Nothing here names an operator: what to try follows from the entry's dtypes, domain and meaning.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from pumice import dtypes
from pumice.dtypes import DType, Kind
from pumice.errors import DTypeError
from pumice.kernel.ir import Instruction, Parameter, Role, Value
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Elementwise, Reduction, registry
from pumice.testing.tolerance import limits_of

Array = NDArray[Any]

COUNT = 517
"""Elements of an ordinary case: several vectors of any width, and a tail."""

_SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"))
_SPECIAL_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class ElementwiseCase:
    """One entry with the dtype of its operands."""

    entry: Elementwise
    dtype: DType

    def __str__(self) -> str:
        return f"{self.entry.name}-{self.dtype.name}"


@dataclass(frozen=True, slots=True)
class ReductionCase:
    """One fold with the dtype of its operand."""

    entry: Reduction
    dtype: DType

    def __str__(self) -> str:
        return f"{self.entry.name}-{self.dtype.name}"


def accepts(entry: Elementwise, dtype: DType) -> bool:
    """Return whether an entry takes operands of a dtype."""
    try:
        entry.computation_dtype(dtype)
    except DTypeError:
        return False
    return True


def elementwise_cases() -> list[ElementwiseCase]:
    """Return every entry with every dtype it accepts."""
    return [
        ElementwiseCase(entry, dtype)
        for entry in registry.elementwise()
        for dtype in dtypes.ALL
        if accepts(entry, dtype)
    ]


def refused_cases() -> list[ElementwiseCase]:
    """Return every entry with every dtype it refuses."""
    return [
        ElementwiseCase(entry, dtype)
        for entry in registry.elementwise()
        for dtype in dtypes.ALL
        if not accepts(entry, dtype)
    ]


def reduction_cases() -> list[ReductionCase]:
    """Return every fold with every dtype."""
    return [
        ReductionCase(entry, dtype)
        for entry in registry.entries.values()
        if isinstance(entry, Reduction)
        for dtype in dtypes.ALL
    ]


def generator(*names: object) -> np.random.Generator:
    """Return random numbers that depend on the names only."""
    return np.random.default_rng(crc32(" ".join(map(str, names)).encode()))


def operand_dtypes(entry: Elementwise, dtype: DType) -> list[DType]:
    """Return the dtype of each operand."""
    first = dtypes.bool_ if entry.condition_first else dtype
    return [first, *[dtype] * (entry.arity - 1)]


def ordinary_operands(
    entry: Elementwise, dtype: DType, shapes: list[tuple[int, ...]]
) -> list[Array]:
    """Return one array per operand, drawn from the entry's domain."""
    random = generator(entry.name, dtype.name, shapes)
    operands = []
    for position, each in enumerate(operand_dtypes(entry, dtype)):
        low, high = operand_domain(entry, position)
        operands.append(draw(random, each, shapes[position], low, high))
    return operands


def operand_domain(entry: Elementwise, position: int) -> tuple[float, float]:
    """Return the ordinary range of an operand; the last one given serves those after it."""
    domain = entry.samples.domain
    return domain[min(position, len(domain) - 1)]


def draw(
    random: np.random.Generator, dtype: DType, shape: tuple[int, ...], low: float, high: float
) -> Array:
    """Return elements in a range: half of them evenly spread, half evenly in magnitude."""
    if dtype.kind is Kind.BOOL:
        return random.integers(0, 2, shape).astype(bool)
    numpy_type = to_numpy(dtype)
    if dtype.is_integral:
        limits = np.iinfo(numpy_type)
        first = max(int(np.ceil(low)), int(limits.min))
        last = min(int(np.floor(high)), int(limits.max))
        return random.integers(first, max(first, last), shape, numpy_type, endpoint=True)
    largest = float(limits_of(dtype).max)
    low, high = max(low, -largest), min(high, largest)
    even = random.uniform(low, high, shape)
    magnitudes = np.exp2(random.uniform(-12.0, np.log2(max(abs(low), abs(high), 1e-3)), shape))
    signed = magnitudes * np.where(random.random(shape) < 0.5, -1.0, 1.0)
    chosen = np.where(random.random(shape) < 0.5, even, np.clip(signed, low, high))
    inside: Array = np.clip(chosen, low, high).astype(numpy_type)
    return inside


def special_operands(entry: Elementwise, dtype: DType) -> list[Array]:
    """Return operands that meet in every combination: edges, poles, zeros, NaN, infinities."""
    columns = []
    for position, each in enumerate(operand_dtypes(entry, dtype)):
        values = _special_values(entry, each, position)
        columns.append(values)
    combinations = list(product(*columns))
    if len(combinations) > _SPECIAL_LIMIT:
        chosen = generator(entry.name).permutation(len(combinations))[:_SPECIAL_LIMIT]
        combinations = [combinations[index] for index in chosen]
    return [
        np.array([combination[position] for combination in combinations], to_numpy(each))
        for position, each in enumerate(operand_dtypes(entry, dtype))
    ]


def _special_values(entry: Elementwise, dtype: DType, position: int) -> list[Any]:
    if dtype.kind is Kind.BOOL:
        return [False, True]
    low, high = operand_domain(entry, position)
    given = (low, high, *entry.samples.special)
    numpy_type = to_numpy(dtype)
    if dtype.is_integral:
        limits = np.iinfo(numpy_type)
        whole = {int(value) for value in given if abs(value) < 2**53 and value == int(value)}
        whole |= {0, 1, 2, 3, -1, -2} if not can_fail(entry, dtype) else {1, 2, 3, -1, -2}
        return sorted(value for value in whole if limits.min <= value <= limits.max)
    limit = float(limits_of(dtype).max)
    inside = [value for value in given if abs(value) <= limit]
    if can_fail(entry, dtype):
        return inside  # anything else may be an error to report
    return [*_SPECIAL_FLOATS, *inside]


def combine_instruction(entry: Reduction, dtype: DType) -> Instruction:
    """Return the instruction a fold combines two elements with (its outermost one)."""
    carried = entry.accumulator(dtype)
    x, y = _parameter("x", carried), _parameter("y", carried)
    if entry.with_index:
        return Instruction.SELECT
    result: Value = entry.combine(x, y)
    return result.instruction


def can_fail(entry: Elementwise, dtype: DType) -> bool:
    """Return whether evaluation may report a data error, such as an integer zero divisor."""
    operands = [
        _parameter(name, each if each.kind is Kind.BOOL else entry.computation_dtype(each))
        for name, each in zip(entry.parameters, operand_dtypes(entry, dtype), strict=True)
    ]
    pending: list[Value] = [entry.meaning(*operands)]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if value.instruction is Instruction.CHECKED:
            return True
        pending.extend(value.arguments)
    return False


def _parameter(name: str, dtype: DType) -> Value:
    return Value(Instruction.PARAMETER, dtype, (), Parameter(name, Role.SCALAR, dtype))
