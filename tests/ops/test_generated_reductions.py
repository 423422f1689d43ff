"""Every fold on every device: values, dtypes, axes, layouts, NaN, ties and sizes.

The tests are made from the registry. A new fold is tested here without editing this file.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine import memory
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.realize import realize
from pumice.errors import UnsupportedOperation
from pumice.graph import build
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Reduction
from pumice.testing import cases
from pumice.testing.cases import ReductionCase
from pumice.testing.expect import check_reduction
from pumice.testing.layouts import LAYOUTS
from pumice.testing.selftest import folded_operand as draw

CASES = cases.reduction_cases()
FLOATING = [case for case in CASES if case.dtype.is_floating_point]
USUAL = [case for case in CASES if case.dtype is dtypes.float32]


def fold(entry: Reduction, tensor: Any, axes: tuple[int, ...]) -> Any:
    """Return a fold over any axes as an array that keeps them with extent 1."""
    node = build.reduce(entry, tensor.node, axes)
    realize([node])
    assert node.value is not None
    return memory.download(node.value, node.dtype, node.shape)


def check(case: ReductionCase, device: str, array: Any, axes: tuple[int, ...]) -> None:
    """Compare with the reference, or require a refusal where the device lacks the dtype."""
    if case.dtype in runtime_of(parse_device(device)).target.unsupported:
        with pytest.raises(UnsupportedOperation, match=case.dtype.name):
            fold(case.entry, pumice.tensor(array, device=device), axes)
        return
    got = fold(case.entry, pumice.tensor(array, device=device), axes)
    check_reduction(case.entry, array, axes, case.dtype, got)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_value(case: ReductionCase, device: str) -> None:
    for shape, axes in (((517,), (0,)), ((7, 65), (1,)), ((65, 7), (0,)), ((5, 6, 7), (0, 2))):
        check(case, device, draw(case, shape), axes)


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_every_choice_of_axes(case: ReductionCase, device: str) -> None:
    shape = (3, 4, 2, 5)
    array = draw(case, shape)
    for count in range(1, len(shape) + 1):
        for axes in combinations(range(len(shape)), count):
            check(case, device, array, axes)


@pytest.mark.parametrize("case", USUAL, ids=str)
@pytest.mark.parametrize("length", [1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 1000, 4097])
def test_every_length(case: ReductionCase, length: int, device: str) -> None:
    check(case, device, draw(case, (length,)), (0,))
    check(case, device, draw(case, (3, length)), (1,))
    check(case, device, draw(case, (length, 3)), (0,))


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_layouts(case: ReductionCase, device: str) -> None:
    for layout in LAYOUTS:
        base = draw(case, layout.base)
        part = layout.of_array(base)
        if part.ndim == 0 or part.size == 0:
            continue  # test_nothing_to_fold has these
        tensor = layout.of_tensor(pumice.tensor(base, device=device))
        for axis in range(part.ndim):
            got = fold(case.entry, tensor, (axis,))
            check_reduction(case.entry, part, (axis,), case.dtype, got)


@pytest.mark.parametrize("case", FLOATING, ids=str)
@pytest.mark.parametrize("special", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_special_value_anywhere(case: ReductionCase, special: float, device: str) -> None:
    array = draw(case, (40, 37))
    for row in range(37):
        array[row, row] = special
    check(case, device, array, (1,))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equal_elements(case: ReductionCase, device: str) -> None:
    array = np.ones((4, 70), to_numpy(case.dtype))
    check(case, device, array, (1,))
    array[1, 3] = array[1, 60] = 0
    check(case, device, array, (1,))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_element_beats_the_identity(case: ReductionCase, device: str) -> None:
    lowest = case.entry.identity(case.entry.accumulator(case.dtype))
    array = np.full((3, 70), lowest, to_numpy(case.dtype))
    check(case, device, array, (1,))
    check(case, device, array, (0, 1))


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_nothing_to_fold(case: ReductionCase, device: str) -> None:
    empty = pumice.tensor(np.zeros((0, 3), np.float32), device=device)
    assert fold(case.entry, empty, (1,)).shape == (0, 1)
    if not case.entry.with_index:
        got = fold(case.entry, empty, (0,))
        identity = case.entry.identity(case.entry.accumulator(dtypes.float32))
        assert got.shape == (1, 3)
        assert np.all(got == np.array(identity).astype(got.dtype))


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_public_function(case: ReductionCase, device: str) -> None:
    function = getattr(pumice, case.entry.name)
    array = draw(case, (4, 5))
    tensor = pumice.tensor(array, device=device)
    kept = function(tensor, dim=1, keepdim=True).cpu().numpy()
    check_reduction(case.entry, array, (1,), case.dtype, kept)
    np.testing.assert_array_equal(function(tensor, dim=-1).cpu().numpy(), kept[:, 0])
    np.testing.assert_array_equal(getattr(tensor, case.entry.name)(dim=1).cpu().numpy(), kept[:, 0])
    whole = function(tensor).cpu().numpy()
    assert whole.shape == ()
    check_reduction(case.entry, array.reshape(-1), (0,), case.dtype, whole.reshape(1))


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_axis_out_of_range_is_named(case: ReductionCase) -> None:
    tensor = pumice.tensor(np.zeros((2, 3), np.float32))
    with pytest.raises(IndexError, match=rf"{case.entry.name}.*2"):
        getattr(pumice, case.entry.name)(tensor, dim=2)


def test_draw_covers_every_dtype() -> None:
    """A fold that is given only zeros would pass almost any test."""
    for case in CASES:
        values: DType = case.dtype
        assert len(np.unique(draw(case, (517,)))) >= (2 if values is dtypes.bool_ else 4)
