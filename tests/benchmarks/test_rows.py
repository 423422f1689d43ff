"""Each row computes the same in pumice and in PyTorch, and says what it costs."""

import math

import numpy as np
import pytest

from benchmarks.check import comparable, difference, outcomes
from benchmarks.networks import resnet
from benchmarks.row import Forward, Row, Source, data_of
from benchmarks.rows import GROUPS, ROWS, chosen

COMPARABLE = [row for row in ROWS.values() if comparable(row)]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.vulkan] if row.device == "vulkan" else [])
        for row in COMPARABLE
    ],
    ids=lambda row: row.name,
)
def test_computes_what_torch_computes(row: Row, request: pytest.FixtureRequest) -> None:
    if row.device == "vulkan":
        request.getfixturevalue("vulkan_device")
    assert difference(row, outcomes("pumice", row), outcomes("torch", row)) == ""


def test_a_difference_is_seen() -> None:
    row = ROWS["softmax"]
    wanted = outcomes("torch", row)
    assert "differs by" in difference(row, [wanted[0] + 0.01], wanted)
    assert "differs by" in difference(row, [wanted[0] * np.float32(np.nan)], wanted)
    assert "shape" in difference(row, [wanted[0][1:]], wanted)
    assert "results" in difference(row, [], wanted)


@pytest.mark.parametrize("row", COMPARABLE, ids=lambda row: row.name)
def test_inputs_are_the_same_each_time(row: Row) -> None:
    first, second = data_of(row, small=True), data_of(row, small=True)
    for left, right in (
        (first.inputs, second.inputs),
        (first.parameters, second.parameters),
    ):
        assert list(left) == list(right)
        for name in left:
            np.testing.assert_array_equal(left[name], right[name])


@pytest.mark.parametrize("row", COMPARABLE, ids=lambda row: row.name)
def test_costs_follow_from_the_inputs(row: Row) -> None:
    moved, flop = data_of(row, small=True).cost(row)
    assert math.isfinite(moved) and math.isfinite(flop)
    if row.group == "overheads":
        return
    assert moved > 0 or flop > 0
    if isinstance(row.task, Forward) and row.group in ("elementwise", "matrix"):
        inputs = sum(each.nbytes for each in data_of(row, small=True).inputs.values())
        assert moved > inputs  # the result moves too


def test_names_and_groups() -> None:
    assert sum(len(rows) for rows in GROUPS.values()) == len(ROWS)  # no name twice
    assert all(row.group == group for group, rows in GROUPS.items() for row in rows)
    assert [row.name for row in chosen(["matmul", "attention"])] == [
        "matmul",
        *(row.name for row in GROUPS["attention"]),
    ]
    assert chosen([]) == [row for row in ROWS.values() if row.group != "vulkan"]
    assert chosen(["vulkan"]) == list(GROUPS["vulkan"])
    with pytest.raises(KeyError):
        chosen(["matmull"])


def test_products_cost_two_operations_an_element() -> None:
    data = data_of(ROWS["matmul_odd"])
    moved, flop = data.cost(ROWS["matmul_odd"])
    assert flop == 2 * 17 * 1000 * 333
    assert moved == 4 * (17 * 1000 + 1000 * 333 + 17 * 333)


def test_resnet_has_the_operations_of_resnet_50() -> None:
    parameters = resnet.parameters(Source("resnet"))
    weights = sum(each.size for name, each in parameters.items() if name.endswith("weight"))
    assert weights == pytest.approx(25.5e6, rel=0.01)
    image = np.zeros((1, 3, 224, 224), np.float32)
    assert resnet.flop(parameters, image) == pytest.approx(2 * 4.09e9, rel=0.01)
