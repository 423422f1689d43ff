"""Kernels that put rows in order, run by the kernel interpreter and compared with NumPy."""

from typing import Any

import numpy as np
import pytest

from pumice.engine.builder import PlanBuilder
from pumice.graph import build
from pumice.graph.walk import topological
from pumice.lowering import long_nth, long_radix, nth, sort
from pumice.lowering.steps import Step
from pumice.target import CPU
from tests.engine.graphs import Source
from tests.lowering.interpreted import Array, run


def expected(array: Array, descending: bool, count: int) -> Array:
    if not descending:
        return np.argsort(array, axis=-1, kind="stable")[..., :count]
    flipped = np.argsort(array[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return (array.shape[-1] - 1 - flipped)[..., :count]


def elements(kind: str, rows: int, length: int, dtype: Any) -> Array:
    random = np.random.default_rng(3)
    shape = (rows, length)
    match kind:
        case "random":
            values = random.standard_normal(shape) * 40
        case "ties":
            values = random.integers(0, 4, shape)
        case "rising":
            values = np.sort(random.standard_normal(shape) * 40, -1)
        case "falling":
            values = -np.sort(random.standard_normal(shape) * 40, -1)
        case _:
            values = np.full(shape, 1)
    result: Array = values.astype(dtype)
    if kind == "ties" and result.dtype.kind == "f":
        result[:, ::7] = np.nan
        result[:, 1::9] = -0.0
        result[:, 2::11] = -np.inf
    return result


WAYS = [
    (3, 5, 5),  # ranked
    (2, 71, 20),
    (3, 70, 3),  # one fold after the other
    (2, 90, 1),
    (2, 240, 30),  # selected and ranked
    (2, 258, 258),  # radix
]


def check_rank(array: Array, rank: int) -> list[Step]:
    source = Source(CPU).put(array)
    node = build.ranked(source, rank)
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    found = run(steps, {source: array}, node)
    order = np.argsort(array, axis=-1, kind="stable")
    np.testing.assert_array_equal(found, order[..., rank : rank + 1])
    return steps


def check(array: Array, descending: bool, count: int) -> list[Step]:
    source = Source(CPU).put(array)
    node = build.argsort(source, descending, count)
    steps = PlanBuilder(topological([node]), [node], CPU).steps
    found = run(steps, {source: array}, node)
    np.testing.assert_array_equal(found, expected(array, descending, count))
    return steps


@pytest.mark.parametrize("kind", ["random", "ties", "rising", "falling", "constant"])
@pytest.mark.parametrize(("dtype", "descending"), [(np.float32, True), (np.uint8, False)])
@pytest.mark.parametrize(("rows", "length", "count"), WAYS)
def test_values(
    kind: str, dtype: Any, descending: bool, rows: int, length: int, count: int
) -> None:
    check(elements(kind, rows, length, dtype), descending, count)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int64, np.int8, np.bool_])
@pytest.mark.parametrize(("rows", "length", "count"), WAYS[1:])
def test_dtypes(dtype: Any, rows: int, length: int, count: int) -> None:
    check(elements("ties", rows, length, dtype), True, count)


@pytest.mark.parametrize("kind", ["random", "falling"])
def test_many_of_a_row(kind: str) -> None:
    steps = check(elements(kind, 1, 2200, np.float32), False, 270)
    assert len(steps) == 2  # selected, then sorted


def test_long_rows_are_cut_into_pieces() -> None:
    array = np.random.default_rng(5).integers(0, 50, (1, 140_001)).astype(np.int16)
    assert max(step.items for step in check(array, True, 20)) > 1


@pytest.mark.parametrize("kind", ["ties", "random"])
def test_pieces_of_long_rows_are_sorted_together(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sort, "LONG_ROW", 300)
    monkeypatch.setattr(long_radix, "PIECE", 100)
    steps = check(elements(kind, 2, 330, np.float16), True, 200)
    assert max(step.items for step in steps) == 8


def test_a_digit_all_keys_share_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort, "LONG_ROW", 300)
    monkeypatch.setattr(long_radix, "PIECE", 150)
    array = np.random.default_rng(2).integers(0, 3, (1, 400)).astype(np.int32) << 8
    check(array, False, 400)


def test_launches_of_selection_do_not_depend_on_threads() -> None:
    """Rows are dealt to grid items by their number alone."""
    array = elements("random", 600, 200, np.float32)
    assert check(array, True, 25)[0].items == 200


@pytest.mark.parametrize("kind", ["random", "ties", "rising", "constant"])
@pytest.mark.parametrize(("dtype", "rank"), [(np.float32, 0), (np.int8, 35), (np.float64, 70)])
def test_one_rank(kind: str, dtype: Any, rank: int) -> None:
    check_rank(elements(kind, 3, 71, dtype), rank)


@pytest.mark.parametrize("kind", ["random", "ties", "constant"])
@pytest.mark.parametrize(("dtype", "rank"), [(np.float16, 150), (np.uint8, 1), (np.int32, 329)])
def test_one_rank_of_long_rows(
    kind: str, dtype: Any, rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sort, "LONG_ROW", 300)
    monkeypatch.setattr(long_radix, "PIECE", 100)
    monkeypatch.setattr(long_nth, "PIECE", 100)
    monkeypatch.setattr(long_nth, "SAMPLES", 64)
    assert len(check_rank(elements(kind, 2, 330, dtype), rank)) > 2


def misleading(stride: int, length: int) -> Array:
    """Return a row whose sample of every ``stride``-th element says nothing of the others."""
    row = np.arange(length, dtype=np.float32)
    row[::stride] = -row[::stride]
    return row[None]


@pytest.mark.parametrize("rank", [0, 150, 329])
def test_a_sample_may_mislead_about_long_rows(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort, "LONG_ROW", 300)
    for module in (long_radix, long_nth):
        monkeypatch.setattr(module, "PIECE", 100)
    monkeypatch.setattr(long_nth, "SAMPLES", 64)
    check_rank(misleading(330 // 64, 330), rank)


@pytest.mark.parametrize("kind", ["random", "ties", "constant", "misleading"])
@pytest.mark.parametrize(("dtype", "rank"), [(np.float32, 100), (np.int8, 0), (np.int64, 328)])
def test_one_rank_of_sampled_rows(
    kind: str, dtype: Any, rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nth, "SAMPLED_FROM", 300)
    monkeypatch.setattr(nth, "SAMPLES", 64)
    monkeypatch.setattr(nth, "EQUALS_BLOCK", 50)
    if kind == "misleading":
        check_rank(misleading(330 // 64, 330).astype(dtype), rank)
    else:
        check_rank(elements(kind, 2, 330, dtype), rank)
