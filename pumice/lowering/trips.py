"""How many loop steps one invocation takes for a grid item: what some devices put a limit on.

Sizes are known when a step is lowered, so bounds of loops are evaluated at the corners of the
grid and of the loops around them. They are built from minima, products and sums, which are
largest at a corner. In a plan for all sizes, what is compared with the limit leaves a guard.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product

from pumice import dtypes
from pumice.errors import InternalError
from pumice.kernel.ir import (
    Contract,
    If,
    Instruction,
    Loop,
    LoopKind,
    Multiply,
    Parameter,
    Statement,
    Value,
    Variable,
)
from pumice.kernel.walk import postorder
from pumice.lowering.steps import FaultRecord, Memory, Number, Step

Known = Mapping[Parameter | Variable, int]

FOLD_STEPS = 8
"""What combining the lanes of a loop takes: a step per halving of the lanes, and a test."""


def _apply(value: Value, arguments: Sequence[int | None]) -> int | None:
    if None in arguments:
        return None
    numbers = [each for each in arguments if each is not None]
    match value.instruction, numbers:
        case Instruction.ADD, [x, y]:
            return x + y
        case Instruction.SUB, [x, y]:
            return x - y
        case Instruction.MUL, [x, y]:
            return x * y
        case Instruction.QUOTIENT, [x, y]:
            return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        case Instruction.MODULUS, [x, y]:
            return x if y == 0 else abs(x) % abs(y) * (1 if x >= 0 else -1)
        case Instruction.EQ, [x, y]:
            return int(x == y)
        case Instruction.NE, [x, y]:
            return int(x != y)
        case Instruction.LT, [x, y]:
            return int(x < y)
        case Instruction.LE, [x, y]:
            return int(x <= y)
        case Instruction.SELECT, [condition, x, y]:
            return x if condition else y
        case Instruction.CAST, [x]:
            return x
    return None


class Trips:
    """Counts the steps of one kernel's statements, given the numbers bound to its parameters."""

    def __init__(self, step: Step, lanes: int) -> None:
        self._lanes = lanes
        self._sizes: dict[Parameter | Variable, int] = {
            parameter: binding
            for parameter, binding in zip(step.kernel.parameters, step.bindings, strict=True)
            if not isinstance(binding, Memory | Number | FaultRecord)
        }
        ends = [sorted({0, max(extent - 1, 0)}) for extent in step.grid]
        variables = step.kernel.grid.variables
        self.corners: list[Known] = [
            self._sizes | dict(zip(variables, corner, strict=False)) for corner in product(*ends)
        ]

    @cached_property
    def _longest(self) -> int:
        return max(self._sizes.values(), default=0)

    def steps(self, body: Sequence[Statement]) -> int:
        """Return the most steps some statements take for any item."""
        return max(self._body(body, known) for known in self.corners)

    def extents(self, loop: Loop) -> tuple[int, int]:
        """Return the fewest and most iterations of a loop at the top of the kernel, of all lanes.

        The fewest are 0 where bounds are read from memory.
        """
        found = [self._bounds(loop, known)[1] for known in self.corners]
        known = self._number(loop.start, self.corners[0]), self._number(loop.stop, self.corners[0])
        return 0 if None in known else min(found), max(found)

    def inside(self, loop: Loop) -> int:
        """Return the most steps of one iteration of a loop at the top of the kernel."""
        return max(self._iteration(loop, known) for known in self.corners)

    # -- one corner -------------------------------------------------------------------------------

    def _number(self, root: Value, known: Known) -> int | None:
        found: dict[Value, int | None] = {}
        for value in postorder(root, found):
            match value.instruction:
                case Instruction.CONSTANT:
                    found[value] = int(value.attribute)
                case Instruction.PARAMETER | Instruction.VARIABLE:
                    found[value] = known.get(value.attribute)
                case _:
                    found[value] = _apply(value, [found[each] for each in value.arguments])
        return found[root]

    def _bounds(self, loop: Loop, known: Known) -> tuple[int, int]:
        """Return where a loop starts and how many iterations it has."""
        start, stop = self._number(loop.start, known), self._number(loop.stop, known)
        if start is not None and stop is not None:
            return start, max(stop - start, 0)
        cast = loop.stop.instruction is Instruction.CAST
        if start == 0 and cast and loop.stop.arguments[0].dtype is dtypes.bool_:
            return 0, 1
        # A bound read from memory is a position in something whose size is an argument.
        return start or 0, self._longest

    def _body(self, body: Sequence[Statement], known: Known) -> int:
        total = 0
        for statement in body:
            match statement:
                case Loop():
                    total += self._loop(statement, known)
                case If(body=inside):
                    total += self._body(inside, known)
                case Contract(k=k, batch=batch):
                    total += self._depth(k, {**known, batch: 0})
                case Multiply(depth=depth):
                    # Devices take one step or several at a time, and some more for the rest.
                    total += self._depth(depth, known) + 2
        return total

    def _depth(self, depth: Value, known: Known) -> int:
        size = self._number(depth, known)
        if size is None:
            raise InternalError("trips: the depth of a product is not known")
        return size

    def _loop(self, loop: Loop, known: Known) -> int:
        _, extent = self._bounds(loop, known)
        own = 1
        if loop.kind is LoopKind.LANES:
            extent = -(-extent // self._lanes)
            own += FOLD_STEPS * bool(loop.folds)
        return extent * self._iteration(loop, known) + own

    def _iteration(self, loop: Loop, known: Known) -> int:
        if not any(isinstance(each, Loop | If) for each in loop.body):
            return 1
        start, extent = self._bounds(loop, known)
        ends = {start, start + max(extent - 1, 0)}
        return 1 + max(self._body(loop.body, {**known, loop.variable: end}) for end in ends)
