"""Many temporaries are placed quickly, apart while both are alive, and close together."""

import random
import time

import pytest

from pumice.schedule import lifetimes
from pumice.schedule.lifetimes import ALIGNMENT, place


def launches(count, generator, reach):
    """Return random lives: launch ``n`` makes temporary ``n`` and reads some of those before."""
    touched = []
    for number in range(count):
        before = [max(0, number - generator.randint(1, reach)) for _ in range(3)]
        touched.append(list(dict.fromkeys([number, *before])))
    return touched


@pytest.mark.parametrize("count", [1, 7, 299, 300, 301, 700])
@pytest.mark.parametrize("seed", range(3))
def test_no_two_living_temporaries_share_bytes(count, seed):
    generator = random.Random(seed)
    touched = launches(count, generator, 20)
    sizes = {number: generator.choice([0, 1, 255, 256, 1000, 5000]) for number in range(count)}
    offsets, arena = place(sizes, touched)
    assert set(offsets) == {item for items in touched for item in items}
    first, last = {}, {}
    for number, items in enumerate(touched):
        for item in items:
            first.setdefault(item, number)
            last[item] = number
    most = 0
    for number in range(count):
        alive = [item for item in offsets if first[item] <= number <= last[item]]
        pieces = sorted((offsets[item], offsets[item] + sizes[item]) for item in alive)
        for (_, stop), (start, end) in zip(pieces, pieces[1:], strict=False):
            assert stop <= start or start == end
        assert all(offset % ALIGNMENT == 0 and stop <= arena for offset, stop in pieces)
        most = max(most, sum(-(-sizes[item] // ALIGNMENT) * ALIGNMENT for item in alive))
    assert most <= arena <= 2 * most


def test_a_backward_pass_of_many_steps_takes_little_time():
    count = 4000  # each forward temporary lives until its turn in the backward pass
    touched = [[number] for number in range(count)]
    touched += [[number, count + number] for number in reversed(range(count))]
    started = time.process_time()
    offsets, arena = place(dict.fromkeys(range(2 * count), 1000), touched)
    assert time.process_time() - started < 2
    assert len(offsets) == 2 * count and arena <= 1024 * (count + 2)


def test_temporaries_of_one_size_fill_the_arena(monkeypatch):
    monkeypatch.setattr(lifetimes, "MANY", 0)
    touched = [[number, number + 1] for number in range(50)]
    _, arena = place(dict.fromkeys(range(51), 4096), touched)
    assert arena == 2 * 4096


def test_temporaries_set_apart_share_nothing_and_touch_nothing() -> None:
    sizes = {"a": 10, "b": 256, "c": 0, "unused": 7, "d": 600}
    offsets, arena = place(sizes, [["a"], ["b", "a"], ["c"], ["d"]], apart=True)
    assert offsets == {"a": 0, "b": 512, "c": 1024, "d": 1280} and arena == 1280 + 768 + 256
    assert place({}, [], apart=True) == ({}, 0)
