"""Loops over lanes without masks where every condition holds.

A window, a pad or a shifted piece reads behind a comparison of positions with bounds, which fails
at the edges of an image only. Positions are affine in the lane and in the loops inside, so a
comparison holds for a whole vector if it holds at the corners of what that vector covers. Where all
do, a copy of the body runs that takes them for granted::

    lanes x: out[x] = sum over t < 3 of load in[x + t] if 0 <= x + t - 1 and x + t - 1 < n

    for each vector of x:
      if 0 <= x - 1 and 0 <= x + 1 and x + width - 2 < n and x + width < n:
        out[x] = load in[x] + load in[x + 1] + load in[x + 2]
      else:
        out[x] = masked loads
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from pumice import dtypes
from pumice.backends.llvm.emitter import Emitter, Operand, ScopeKind
from pumice.backends.llvm.evaluate import evaluate
from pumice.backends.llvm.widths import is_constant, values_in
from pumice.kernel.ir import INDEX, Instruction, Loop, LoopKind, Store, Value, Variable
from pumice.kernel.walk import all_statements, reached

MOST_CORNERS = 24
"""Comparisons for a vector; more would take as long as masks."""
LINEAR = (Instruction.ADD, Instruction.SUB, Instruction.NEG, Instruction.MUL)
COMPARED = (Instruction.LT, Instruction.LE)
CHANGING = (Instruction.LOAD, Instruction.CARRIED, Instruction.RESULT)
"""What may be another number in each iteration of a loop inside without its variable."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison of positions, and the loops inside whose positions it depends on."""

    condition: Value
    inside: tuple[Loop, ...]


def bounds_of(loop: Loop) -> tuple[Bound, ...]:
    """Return the comparisons that accesses of a loop wait for, if some differ between lanes."""
    serial = {each.variable: each for each in all_statements(loop.body) if isinstance(each, Loop)}
    found: list[Bound] = []
    moving = False
    for condition in _conditions(loop):
        variables = _variables(condition)
        own = tuple(serial[each] for each in variables if each in serial)
        if not all(_has_known_ends(each) for each in own):
            continue
        if not _is_linear(condition, {loop.variable, *(each.variable for each in own)}):
            continue
        moving |= loop.variable in variables
        found.append(Bound(condition, own))
    corners = sum(2 ** len(bound.inside) for bound in found)
    return tuple(found) if moving and corners <= MOST_CORNERS else ()


def all_hold(e: Emitter, loop: Loop, bounds: tuple[Bound, ...], position: str) -> str:
    """Return whether the comparisons hold in all lanes of the vector that begins at a position."""
    last = e.value(f"add i64 {position}, {e.width - 1}")
    width, e.width = e.width, 0
    tests: dict[str, None] = {}
    for bound in bounds:
        ends = [position, last] if loop.variable in _variables(bound.condition) else [position]
        for lane, places in product(ends, product(*[_ends(each) for each in bound.inside])):
            e.open(ScopeKind.PLAIN)
            e.bind(("variable", loop.variable), Operand(lane, INDEX, e.depth))
            for each, place in zip(bound.inside, places, strict=True):
                known = Operand(str(place), INDEX, e.depth, constant=True)
                e.bind(("variable", each.variable), known)
            tests[evaluate(e, bound.condition).text] = None
            lines = e.close()
            e.scopes[-1].lines += lines
    e.width = width
    every, *rest = tests
    for test in rest:
        every = e.value(f"and i1 {every}, {test}")
    return every


def take_for_granted(e: Emitter, bounds: tuple[Bound, ...]) -> None:
    """Make the comparisons true in the current scope."""
    for bound in bounds:
        e.bind(bound.condition, Operand("true", dtypes.bool_, e.depth, constant=True))


def _conditions(loop: Loop) -> Iterator[Value]:
    """Yield the comparisons of positions that loads and stores wait for."""
    roots = [
        value.arguments[1]
        for value in values_in(loop.body)
        if value.instruction is Instruction.LOAD and len(value.arguments) > 1
    ]
    roots += [
        each.mask
        for each in all_statements(loop.body)
        if isinstance(each, Store) and each.mask is not None
    ]
    seen = dict.fromkeys(roots)
    stack = list(seen)
    while stack:
        value = stack.pop()
        if value.instruction is Instruction.AND:
            fresh = [each for each in value.arguments if each not in seen]
            seen.update(dict.fromkeys(fresh))
            stack += fresh
        elif value.instruction in COMPARED and value.arguments[0].dtype is INDEX:
            yield value


def _variables(value: Value) -> tuple[Variable, ...]:
    return tuple(
        each.attribute for each in reached((value,)) if each.instruction is Instruction.VARIABLE
    )


def _ends(loop: Loop) -> tuple[int, int]:
    """Return the first and the last position of a loop between literals."""
    return int(loop.start.attribute), int(loop.stop.attribute) - 1


def _has_known_ends(loop: Loop) -> bool:
    """Tell whether a loop runs, from one literal to another."""
    return (
        loop.kind is not LoopKind.LANES
        and is_constant(loop.start)
        and is_constant(loop.stop)
        and _ends(loop)[0] <= _ends(loop)[1]
    )


def _is_linear(condition: Value, variables: set[Variable]) -> bool:
    """Tell whether both sides are sums of variables times what does not change with them."""
    moving: dict[Value, bool] = {}
    for each in reached(condition.arguments):
        if each.instruction in CHANGING:
            return False
        own = [operand for operand in each.arguments if moving[operand]]
        is_variable = each.instruction is Instruction.VARIABLE and each.attribute in variables
        moving[each] = bool(own) or is_variable
        if own and each.instruction not in LINEAR:
            return False
        if len(own) > 1 and each.instruction is Instruction.MUL:
            return False
    return True
