"""Data errors that kernels report: which operator, which value, which line of the user."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pumice.errors import (
    IndexOutOfRange,
    IntegerDivisionByZero,
    InternalError,
    InvalidArgument,
    LinAlgError,
    PumiceError,
)
from pumice.graph.node import Line
from pumice.ops.view import Shape
from pumice.target import BUFFER_SHIFT, Access

LineOf = Callable[[int], Line | None]
"""The user's line of the node at a place in a graph's order."""


REPORTS = (
    IndexOutOfRange,
    IntegerDivisionByZero,
    InternalError,
    InvalidArgument,
    LinAlgError,
)
"""What `FaultSite.error` returns."""
_OUTSIDE = {Access.READ.value: "read", Access.WRITE.value: "written"}


def number_of(bits: int) -> float:
    """Return the number whose bits a record holds: those of float64 are far from 32-bit ones."""
    narrow = -(1 << 31) <= bits < 1 << 32
    raw = struct.pack("<I" if narrow else "<Q", bits & (0xFFFFFFFF if narrow else (1 << 64) - 1))
    found: float = struct.unpack("<f" if narrow else "<d", raw)[0]
    return found


class Named(NamedTuple):
    """An operation that can report a fault: its name, its line where the plan was made, and the
    first place in the graph's order that has that line."""

    name: str
    line: Line | None
    place: int | None


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operation of a launch that can report a fault, and the shape it looks into."""

    named: Named
    shape: Shape

    def origin(self, line_of: LineOf | None) -> tuple[str, str]:
        """Return what the user called in a run, and in which line."""
        line = self.named.line
        if line_of is not None and self.named.place is not None:
            line = line_of(self.named.place)
        if line is None:
            return self.named.name, ""
        return line.called or self.named.name, f"{line.file}:{line.number}"


@dataclass(frozen=True, slots=True)
class FaultSite:
    """What one fault record can be about."""

    suspects: tuple[Suspect, ...]

    @staticmethod
    def of(named: Sequence[Named], shapes: Sequence[Shape]) -> "FaultSite":
        """Return the site of operations and the shapes they look into."""
        return FaultSite(
            tuple([Suspect(name, shape) for name, shape in zip(named, shapes, strict=True)])
        )

    def error(self, code: int, value: int, runs: Sequence[LineOf | None]) -> PumiceError:
        """Return the exception for what a kernel recorded in one of some runs of the plan."""
        found = [each.origin(line_of) for line_of in runs for each in self.suspects]
        named = " or ".join(dict.fromkeys(name for name, _ in found))
        lines = [line for line in dict.fromkeys(line for _, line in found) if line]
        where = f" (at {' or '.join(lines)})" if lines else ""
        buffer, kind = code >> BUFFER_SHIFT, code & ((1 << BUFFER_SHIFT) - 1)
        if kind in _OUTSIDE:
            return InternalError(
                f"{named}: element {value} of buffer p{buffer} was to be {_OUTSIDE[kind]}, but "
                f"lies outside of it and was left alone{where}"
            )
        from pumice.kernel.ir import FaultCode  # with the rest of the compiler, when first needed

        fault = FaultCode(code)
        if fault is FaultCode.DIVISION_BY_ZERO:
            return IntegerDivisionByZero(
                f"{named}: integer division by zero; the divisor must not be 0{where}"
            )
        if fault is FaultCode.NOT_A_PROBABILITY:
            return InvalidArgument(
                f"{named}: an element of the input is {number_of(value)}; all must be between 0 "
                f"and 1{where}"
            )
        if fault is FaultCode.SINGULAR:
            return LinAlgError(
                f"{named}: a matrix is singular: pivot {value} is 0; it must be invertible{where}"
            )
        if fault is FaultCode.NOT_POSITIVE_DEFINITE:
            return LinAlgError(
                f"{named}: a matrix is not positive definite: its leading minor of order {value} "
                f"is not; all must be{where}"
            )
        shapes = " or ".join(dict.fromkeys(str(list(each.shape)) for each in self.suspects))
        return IndexOutOfRange(
            f"{named}: index {value} is out of range for a tensor of shape {shapes}{where}"
        )
