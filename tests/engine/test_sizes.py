"""Sizes that remember how they were computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pumice.choices import chosen, derived
from pumice.sizes import Size, Sizes, at_least, called

OPERATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a // 7,
    lambda a, b: -(-a // 14),
    lambda a, b: a % 5,
    lambda a, b: (a * b) // b if b > 0 else a,
    lambda a, b: divmod(a, b)[0] if b > 0 else b,
    lambda a, b: a << 1,
    lambda a, b: a >> 1,
    lambda a, b: at_least(3, a),
    lambda a, b: a if a < b else b,
    lambda a, b: a + 1 if a == b else a,
    lambda a, b: abs(a),
    lambda a, b: called(lambda x, y: (x * x) ^ y, a, b, least=-(1 << 62)),
    lambda a, b: 100 // a if a > 0 else a,
    lambda a, b: 3 - a,
)

numbers = st.integers(2, 40)


def computed(program: list[tuple[int, int, int]], values: list[Any]) -> list[Any]:
    values = list(values)
    for operation, first, second in program:
        found = OPERATIONS[operation](values[first % len(values)], values[second % len(values)])
        if abs(found) < 1 << 40:
            values.append(found)
    return values


steps = st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 20), st.integers(0, 20))


@settings(max_examples=100, deadline=None)
@given(st.lists(steps, max_size=9), st.tuples(numbers, numbers), st.tuples(numbers, numbers))
def test_what_is_computed_for_other_sizes_is_right(
    program: list[tuple[int, int, int]], sizes: tuple[int, int], others: tuple[int, int]
) -> None:
    unknown = Sizes(sizes)
    function = unknown.compiled(computed(program, unknown.sizes))
    assert function(*sizes) == computed(program, list(sizes))
    found = function(*others)
    assert found is None or found == computed(program, list(others))


def test_guards_are_the_conditions_of_the_way_taken() -> None:
    sizes = Sizes((6, 9))
    a, b = sizes.sizes
    assert a < b
    assert a * b == b * a
    assert a > 0
    function = sizes.compiled([a * b])
    assert function(6, 9) == [54]
    assert function(2, 3) == [6]
    assert function(9, 6) is None
    assert len(sizes.guards) == 1


def test_asking_for_the_number_fixes_it() -> None:
    sizes = Sizes((6, 9))
    a, b = sizes.sizes
    assert list(range(a)) == [0, 1, 2, 3, 4, 5]
    assert sizes.fixed == {0}
    assert sizes.compiled([b])(6, 4) == [4]
    assert sizes.compiled([b])(7, 4) is None


def test_exact_quotients_need_no_guard() -> None:
    sizes = Sizes((6, 9))
    a, b = sizes.sizes
    assert (a * b) // b == a
    assert (a * b * 4) % (2 * a) == 0
    assert 1 // a == 0
    assert not sizes.guards


def test_equal_sizes_are_found_in_dictionaries() -> None:
    a, b = Sizes((6, 12)).sizes
    assert {(a + a, 1): "found"}[2 * a, 1] == "found"
    assert {(b,): "found"}[(a * 2,)] == "found"  # here, and where the guard holds
    assert (Sizes((6,)).sizes[0],) not in {(a,): 0}


def test_what_is_no_size_is_refused() -> None:
    (a,) = Sizes((6,)).sizes
    assert a != "6"
    assert isinstance(a, Size)
    with pytest.raises(TypeError):
        a + 0.5
    with pytest.raises(TypeError):
        a // -2


@dataclass(frozen=True)
class Cut:
    """A choice: how many pieces of which length, and whether they are all as long."""

    pieces: int
    length: int
    even: bool


def cut(parts: tuple[int, ...], most: int) -> tuple[Cut, float] | None:
    total = sum(parts)
    if total > 200:
        return None
    pieces = -(-total // most)
    length = -(-total // pieces)
    return Cut(pieces, length, pieces * length == total), 0.5


def test_a_choice_of_many_numbers_is_made_anew_for_other_sizes() -> None:
    sizes = Sizes((20, 30))
    a, b = sizes.sizes
    found = chosen(cut, (a, b), 7, least=1)
    assert found is not None
    assert found[1] == 0.5
    assert not found[0].even
    function = sizes.compiled([found[0].pieces * a, found[0].length])
    assert function(20, 30) == [8 * 20, 7]
    assert function(50, 51) == [15 * 50, 7]
    assert function(20, 29) is None  # all pieces are as long
    assert function(150, 51) is None  # there is no choice
    assert chosen(cut, (20, 30), 7) == (Cut(8, 7, False), 0.5)


def pairs(first: tuple[int, ...], second: int) -> tuple[int, ...]:
    return (*first, second - first[0], second // first[0])


def test_what_is_derived_is_known_where_it_is_an_argument() -> None:
    sizes = Sizes((20, 21, 5))
    a, b, c = sizes.sizes
    first, last, one, quotient = derived(pairs, (a, c), b)
    assert first is a
    assert last is c
    assert type(one) is int
    assert type(quotient) is int
    assert one == quotient == 1
    function = sizes.compiled([first + last + one])
    assert function(20, 21, 9) == [30]
    assert function(22, 24, 5) is None
