"""Integers that know how they were computed, so that a plan for one shape serves others.

The compiler runs once on `Size` objects in place of plain sizes. Arithmetic builds expressions of
the graph's sizes; a comparison answers for the sizes at hand and leaves a *guard*: the condition
under which the answer, and so the code path taken, is the same. For other sizes that satisfy all
guards the compiler would take the same path, and what it computed follows from the expressions.

A `Size` is no `int`: whatever needs a plain number asks for it through ``__index__``, and that is
a guard too. So a size can never be built into a kernel unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from operator import index as as_number
from typing import Any

from pumice.trees import put_together, taken_apart

Monomial = tuple[str, ...]
Terms = Mapping[Monomial, int]

SMALLEST = 2
"""What a size of a graph is at least: 0 and 1 are part of its structure."""
MOST_GUARDS = 4000

_runs = count()


class TooManyGuards(Exception):
    """A graph decides too much by its sizes for its plan to serve other sizes."""


class Sizes:
    """The sizes of one graph, what is known of them and computed from them.

    Attributes
    ----------
    sizes : list of Size or int
        Numbers for those that are fixed.
    guards : dict of str to None
        Python conditions over the names of sizes and atoms.
    fixed : set of int
        Places of the sizes that can only be what they are.
    """

    __slots__ = (
        "_atoms",
        "_functions",
        "_least",
        "_lines",
        "_names",
        "_objects",
        "_run",
        "fixed",
        "guards",
        "sizes",
    )

    def __init__(self, values: Sequence[int], fixed: Iterable[int] = ()) -> None:
        self._run = hash(("sizes", next(_runs)))
        self._names = [f"v{place}" for place in range(len(values))]
        self._least: dict[str, int] = dict.fromkeys(self._names, SMALLEST)
        self._atoms: dict[str, str] = {}  # text to name
        self._lines: list[str] = []
        self._functions: dict[Callable[..., Any], str] = {}
        self._objects: list[Any] = []
        self.guards: dict[str, None] = {}
        self.fixed = set(fixed)
        self.sizes: list[Any] = []
        for place, (name, value) in enumerate(zip(self._names, values, strict=True)):
            if place in self.fixed:
                self.sizes.append(value)
                self.guard(f"{name} == {value}")
            else:
                self.sizes.append(Size(self, value, {(name,): 1}))

    def atom(self, text: str, value: int, least: int | None) -> Size:
        """Return a size that is computed by Python text."""
        name = self._atoms.get(text)
        if name is None:
            name = self._atoms[text] = f"t{len(self._atoms)}"
            self._lines.append(f"    {name} = {text}\n")
            if least is not None:
                self._least[name] = least
        return Size(self, value, {(name,): 1})

    def answer(self, text: str, found: Any, least: int | None, known: Mapping[int, Any]) -> Any:
        """Return what Python text of a tree gives, with a size in place of each integer.

        Where it is a value that is known, what is known takes its place, and must do so always.
        """
        values: list[int] = []
        form = taken_apart(found, values)
        name = self._atoms.get(text)
        if name is None:
            name = self._atoms[text] = f"t{len(self._atoms)}"
            self._objects.append(form)
            self._lines.append(f"    {name} = []\n")
            self._lines.append(f"    {name}.append({self.name_of(taken_apart)}({text}, {name}))\n")
            # Anything but the integers must be the same: it may decide what is done with them.
            self.guard(f"{name}[-1] == o{len(self._objects) - 1}")
        names = [f"{name}[{place}]" for place in range(len(values))]
        if least is not None:
            self._least.update(dict.fromkeys(names, least))
        sizes: list[Any] = []
        for each, value in zip(names, values, strict=True):
            size = known.get(value)
            if size is None:
                size = Size(self, value, {(each,): 1})
            else:
                self.guard(f"{each} == {_text_of(size)}")
            sizes.append(size)
        return put_together(form, iter(sizes))

    def name_of(self, function: Callable[..., Any]) -> str:
        """Return the name by which the text that is compiled calls a function."""
        return self._functions.setdefault(function, f"f{len(self._functions)}")

    def guard(self, condition: str) -> None:
        """Note what must hold for other sizes too."""
        if condition in self.guards:
            return
        self.guards[condition] = None
        # In the order of discovery: no later line is computed for sizes that fail here.
        self._lines.append(f"    if not {condition}: return None\n")
        if len(self.guards) > MOST_GUARDS:
            raise TooManyGuards

    def fix(self, terms: Terms) -> None:
        """Note that an expression must be a number; so must the sizes it is made of, if it is."""
        names = {name for monomial in terms for name in monomial}
        if names.issubset(self._names):
            self.fixed.update(int(name[1:]) for name in names)

    def least(self, terms: Terms) -> int | None:
        """Return a lower bound of an expression, None when none is known."""
        total = 0
        for monomial, factor in terms.items():
            if factor < 0:
                if monomial:
                    return None
                total += factor
                continue
            part = factor
            for name in monomial:
                known = self._least.get(name)
                if known is None or known < 0:
                    return None
                part *= known
            total += part
        return total

    def compiled(self, results: Any) -> Callable[..., Any]:
        """Return a function from sizes to ``results``, None for sizes that break a guard.

        ``results`` is nested lists and tuples of integers and sizes.
        """
        heading = f"def sizes({', '.join(self._names)}):\n"
        source = f"{heading}{''.join(self._lines)}    return {_text_of(results)}\n"
        scope: dict[str, Any] = {name: function for function, name in self._functions.items()}
        scope.update((f"o{place}", each) for place, each in enumerate(self._objects))
        exec(compile(source, "<sizes>", "exec"), scope)
        found: Callable[..., Any] = scope["sizes"]
        return found


def _text_of(results: Any) -> str:
    if isinstance(results, list):
        return f"[{', '.join([_text_of(each) for each in results])}]"
    if isinstance(results, tuple):
        return f"({''.join([_text_of(each) + ', ' for each in results])})"
    return results.text() if isinstance(results, Size) else repr(results)


class Size:
    """An integer polynomial of the sizes of a graph, with its value for the sizes at hand."""

    __slots__ = ("_sizes", "_terms", "_value")

    def __init__(self, sizes: Sizes, value: int, terms: Terms) -> None:
        self._sizes = sizes
        self._value = value
        self._terms = terms

    def text(self) -> str:
        """Return the expression as Python text."""
        parts = []
        for monomial, factor in sorted(self._terms.items()):
            factors = "*".join(monomial)
            if not monomial:
                parts.append(f"{factor:+d}")
            elif factor in (1, -1):
                parts.append(f"{'+' if factor > 0 else '-'}{factors}")
            else:
                parts.append(f"{factor:+d}*{factors}")
        return "".join(parts).removeprefix("+") or "0"

    # -- arithmetic -------------------------------------------------------------------------------

    def _made(self, value: int, terms: dict[Monomial, int]) -> Any:
        """Return a size, or the plain number when the expression is one."""
        terms = {monomial: factor for monomial, factor in terms.items() if factor}
        if not terms:
            return 0
        if len(terms) == 1 and () in terms:
            return value
        return Size(self._sizes, value, terms)

    def _sum(self, other: Any, sign: int) -> Any:
        terms = dict(self._terms)
        if isinstance(other, Size):
            for monomial, factor in other._terms.items():
                terms[monomial] = terms.get(monomial, 0) + sign * factor
            return self._made(self._value + sign * other._value, terms)
        if not isinstance(other, int):
            return NotImplemented
        terms[()] = terms.get((), 0) + sign * other
        return self._made(self._value + sign * other, terms)

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if not isinstance(other, int) else (-self) + other

    def __neg__(self) -> Any:
        return self * -1

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            if other == 1:
                return self
            terms = {monomial: factor * other for monomial, factor in self._terms.items()}
            return self._made(self._value * other, terms)
        if not isinstance(other, Size):
            return NotImplemented
        terms = {}
        for first, factor in self._terms.items():
            for second, times in other._terms.items():
                monomial = tuple(sorted(first + second)) if first and second else first + second
                terms[monomial] = terms.get(monomial, 0) + factor * times
        return self._made(self._value * other._value, terms)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return _quotient(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return NotImplemented if not isinstance(other, int) else _quotient(self._lift(other), self)

    def __mod__(self, other: Any) -> Any:
        return self - _quotient(self, other) * other

    def __rmod__(self, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        return other - _quotient(self._lift(other), self) * self

    def __divmod__(self, other: Any) -> Any:
        quotient = _quotient(self, other)
        return quotient, self - quotient * other

    def __rdivmod__(self, other: Any) -> Any:
        quotient = _quotient(self._lift(other), self)
        return quotient, other - quotient * self

    def __lshift__(self, other: Any) -> Any:
        return self * (1 << as_number(other))

    def __rlshift__(self, other: Any) -> Any:
        return other << as_number(self)

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << as_number(other))

    def _lift(self, other: int) -> Size:
        return Size(self._sizes, other, {(): other} if other else {})

    # -- questions, each of which leaves a guard --------------------------------------------------

    def _difference(self, other: Any) -> Any:
        return self._sum(other, -1)

    def _is_positive(self, or_zero: bool) -> bool:
        """Tell whether this is above 0 (or 0)."""
        least = self._sizes.least(self._terms)
        if least is not None and least >= (0 if or_zero else 1):
            return True
        opposite = self._sizes.least({each: -factor for each, factor in self._terms.items()})
        if opposite is not None and opposite >= (1 if or_zero else 0):
            return False
        answer = self._value >= 0 if or_zero else self._value > 0
        relation = (">=" if answer else "<") if or_zero else (">" if answer else "<=")
        self._sizes.guard(f"{self.text()} {relation} 0")
        return answer

    def _compare(self, other: Any, sign: int, or_zero: bool) -> Any:
        difference = self._difference(other)
        if difference is NotImplemented:
            return NotImplemented
        if isinstance(difference, Size):
            return (difference if sign > 0 else -difference)._is_positive(or_zero)
        return sign * difference >= 0 if or_zero else sign * difference > 0

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, 1, False)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, 1, True)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, -1, False)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, -1, True)

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, Size) and other._sizes is not self._sizes:
            return False  # in a cache, from another graph
        difference = self._difference(other)
        if difference is NotImplemented:
            return NotImplemented
        if not isinstance(difference, Size):
            return bool(difference == 0)
        least = difference._sizes.least(difference._terms)
        if least is not None and least > 0:
            return False
        opposite = -difference
        least = opposite._sizes.least(opposite._terms)
        if least is not None and least > 0:
            return False
        answer = difference._value == 0
        if answer and not isinstance(other, Size):
            self._sizes.fix(difference._terms)
        self._sizes.guard(f"{difference.text()} {'==' if answer else '!='} 0")
        return answer

    def __hash__(self) -> int:
        # The same for all sizes of a graph, so that looking one up compares it with the others.
        return self._sizes._run

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __index__(self) -> int:
        self._sizes.fix(self._terms)
        self._sizes.guard(f"{self.text()} == {self._value}")
        return self._value

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __repr__(self) -> str:
        return str(self.__index__())

    def bit_length(self) -> int:
        """Return the bits of the value, which must stay what they are."""
        bits: int = called(int.bit_length, self)  # type: ignore[arg-type]
        return bits


def _quotient(first: Size, second: Any) -> Any:
    """Return ``first // second`` for a divisor above 0."""
    sizes = first._sizes
    if not isinstance(second, int | Size):
        return NotImplemented
    if not second > 0:
        raise TypeError("sizes are divided by what is above 0 only")
    divisor = first._lift(second) if isinstance(second, int) else second
    least = sizes.least(first._terms)
    if least is not None and least >= 0:
        above = divisor - first
        if above > 0 if type(above) is int else (sizes.least(above._terms) or 0) > 0:
            return 0
    exact = _divided(first._terms, divisor._terms)
    value = first._value // divisor._value
    if exact is not None:
        return first._made(value, exact)
    if least is None:
        opposite = {each: -factor for each, factor in first._terms.items()}
        least = sizes.least(opposite)
        if least is not None:  # the idiom that rounds up
            text = f"-(-({Size(sizes, 0, opposite).text()}) // ({divisor.text()}))"
            return -sizes.atom(text, -value, min(max(least, 0), 1))
    elif isinstance(second, int):
        least //= second
    elif least >= 0:
        least = 0
    text = f"({first.text()}) // ({divisor.text()})"
    return sizes.atom(text, value, least)


def _divided(terms: Terms, divisor: Terms) -> dict[Monomial, int] | None:
    """Return an expression divided by a single term, None when a remainder is possible."""
    if len(divisor) != 1:
        return {(): 1} if terms == divisor else None
    ((monomial, factor),) = divisor.items()
    found: dict[Monomial, int] = {}
    for each, times in terms.items():
        rest = list(each)
        for name in monomial:
            if name not in rest:
                return None
            rest.remove(name)
        if times % factor:
            return None
        found[tuple(rest)] = times // factor
    return found


def called(function: Callable[..., int], *arguments: int, least: int = 0) -> int:
    """Return what a function of sizes gives, without looking into how it decides.

    For choices that end in a number the kernel is told at run time. The function must have no
    other inputs than its arguments, and gives at least ``least``.
    """
    for each in arguments:
        if isinstance(each, Size):
            sizes = each._sizes
            break
    else:
        return function(*arguments)
    plain = [each._value if isinstance(each, Size) else each for each in arguments]
    text = f"{sizes.name_of(function)}({', '.join([_text_of(each) for each in arguments])})"
    return sizes.atom(text, function(*plain), least)


def at_least(smallest: int, value: int) -> int:
    """Return the larger of two sizes."""
    return called(max, smallest, value, least=smallest if isinstance(smallest, int) else 0)
