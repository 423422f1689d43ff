"""Launches side by side touch no memory that one of them writes, and see what they saw in order."""

import random

import pytest

from pumice.schedule.batches import Accesses, batches_of


def launch(reads, writes):
    return Accesses(frozenset(reads), frozenset(writes))


def random_launches(seed, count=60, places=12):
    generator = random.Random(seed)

    def some(most):
        return generator.sample(range(places), generator.randint(0, most))

    return [launch(some(3), some(2)) for _ in range(count)]


def contents(launches, order):
    """Return what each place holds in the end when a launch writes a hash of what it reads."""
    memory = dict.fromkeys(range(12), 0)
    for number in order:
        each = launches[number]
        found = tuple(memory[place] for place in sorted(each.reads | each.writes))
        for place in each.writes:
            memory[place] = hash((number, place, found))
    return memory


@pytest.mark.parametrize("window", [1, 2, 5, 16, 100])
@pytest.mark.parametrize("seed", range(5))
def test_any_order_within_batches_gives_the_same(seed, window):
    launches = random_launches(seed)
    batches = batches_of(launches, window)
    assert sorted(number for batch in batches for number in batch) == list(range(len(launches)))
    assert all(len(batch) <= window for batch in batches)
    expected = contents(launches, range(len(launches)))
    assert contents(launches, [n for batch in batches for n in batch]) == expected
    assert contents(launches, [n for batch in batches for n in reversed(batch)]) == expected


def test_chains_side_by_side_wait_as_often_as_one():
    launches = [
        launch({(chain, step)}, {(chain, step + 1)}) for chain in "abc" for step in range(4)
    ]
    assert batches_of(launches, 16) == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]


def test_a_short_window_keeps_to_the_order_given():
    launches = [launch({(chain, step)}, {(chain, step + 1)}) for chain in "ab" for step in range(3)]
    assert batches_of(launches, 1) == [[number] for number in range(6)]
    assert batches_of(launches, 3) == [[0], [1, 3], [2, 4], [5]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (launch("a", "b"), launch("b", "c")),
        (launch("a", "b"), launch("c", "a")),
        (launch("a", "b"), launch("c", "b")),
    ],
)
def test_reading_after_writing_and_writing_after_either_wait(first, second):
    assert batches_of([first, second], 16) == [[0], [1]]


def test_readers_of_the_same_memory_do_not_wait():
    assert batches_of([launch("a", "b"), launch("a", "c"), launch("a", "d")], 16) == [[0, 1, 2]]
