"""Data errors that kernels report: which operator, which value, which line of the user."""

from collections.abc import Sequence
from dataclasses import dataclass

from pumice.errors import IndexOutOfRange, IntegerDivisionByZero, PumiceError
from pumice.graph.node import Line
from pumice.kernel.ir import FaultCode
from pumice.ops.view import Shape


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operation of a launch that can report a fault."""

    name: str
    shape: Shape
    line: Line | None


@dataclass(frozen=True, slots=True)
class FaultSite:
    """What one fault record can be about."""

    suspects: tuple[Suspect, ...]

    @staticmethod
    def of(named: Sequence[tuple[str, Line | None]], shapes: Sequence[Shape]) -> "FaultSite":
        """Return the site of operations: name, line and the shape they look into."""
        return FaultSite(
            tuple(
                [
                    Suspect(name, shape, line)
                    for (name, line), shape in zip(named, shapes, strict=True)
                ]
            )
        )

    def error(self, code: int, value: int) -> PumiceError:
        """Return the exception for what a kernel recorded."""
        fault = FaultCode(code)
        named = " or ".join(dict.fromkeys(each.name for each in self.suspects))
        lines = [f"{each.line[0]}:{each.line[1]}" for each in self.suspects if each.line]
        where = f" (at {' or '.join(dict.fromkeys(lines))})" if lines else ""
        if fault is FaultCode.DIVISION_BY_ZERO:
            return IntegerDivisionByZero(
                f"{named}: integer division by zero; the divisor must not be 0{where}"
            )
        shapes = " or ".join(dict.fromkeys(str(list(each.shape)) for each in self.suspects))
        return IndexOutOfRange(
            f"{named}: index {value} is out of range for a tensor of shape {shapes}{where}"
        )
