"""Every elementwise entry on every device: values, dtypes, broadcasting, layouts, bad operands.

The tests are made from the registry. A new entry is tested here without editing this file.
"""

from typing import Any

import numpy as np
import pytest

import pumice
from pumice import dtypes
from pumice.dtypes import DType
from pumice.engine.devices import parse_device, runtime_of
from pumice.errors import DTypeError, IntegerDivisionByZero, ShapeError, UnsupportedOperation
from pumice.numpy_types import to_numpy
from pumice.ops.definition import Elementwise, registry
from pumice.testing import cases
from pumice.testing.cases import ElementwiseCase
from pumice.testing.expect import check_elementwise
from pumice.testing.layouts import LAYOUTS
from pumice.testing.selftest import apply

ENTRIES = list(registry.elementwise())
SEVERAL = [entry for entry in ENTRIES if entry.arity > 1]
FAILING = [
    case
    for case in cases.elementwise_cases()
    if case.dtype.is_integral and cases.can_fail(case.entry, case.dtype)
]


def name_of(entry: Elementwise) -> str:
    return entry.name


def usual_dtype(entry: Elementwise) -> DType:
    """Return float32, or what an entry takes instead."""
    wanted = (dtypes.float32, dtypes.int32, dtypes.bool_)
    return next(dtype for dtype in wanted if cases.accepts(entry, dtype))


def run(entry: Elementwise, device: str, operands: list[Any]) -> Any:
    """Return the result as an array."""
    tensors = [pumice.tensor(operand, device=device) for operand in operands]
    return apply(entry, *tensors).cpu().numpy()


def check(case: ElementwiseCase, device: str, operands: list[Any]) -> None:
    """Compare with the reference, or require a refusal where the device lacks the dtype."""
    unsupported = runtime_of(parse_device(device)).target.unsupported
    if case.dtype in unsupported:
        with pytest.raises(UnsupportedOperation, match=case.dtype.name):
            run(case.entry, device, operands)
        return
    got = run(case.entry, device, operands)
    check_elementwise(case.entry, case.dtype, operands, got, f"{case} on {device}")


@pytest.mark.parametrize("case", cases.elementwise_cases(), ids=str)
def test_value(case: ElementwiseCase, device: str) -> None:
    shapes = [(cases.COUNT,)] * case.entry.arity
    check(case, device, cases.ordinary_operands(case.entry, case.dtype, shapes))


@pytest.mark.parametrize("case", cases.elementwise_cases(), ids=str)
def test_special_values(case: ElementwiseCase, device: str) -> None:
    check(case, device, cases.special_operands(case.entry, case.dtype))


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
@pytest.mark.parametrize("which", ["all operands", "last operand"])
def test_layouts(entry: Elementwise, which: str, device: str) -> None:
    dtype = usual_dtype(entry)
    for layout in LAYOUTS:
        arrays, tensors = [], []
        bases = cases.ordinary_operands(entry, dtype, [layout.base] * entry.arity)
        for position, base in enumerate(bases):
            part = np.ascontiguousarray(layout.of_array(base)).reshape(layout.of_array(base).shape)
            arrays.append(part)
            if which == "all operands" or position == entry.arity - 1:
                tensors.append(layout.of_tensor(pumice.tensor(base, device=device)))
            else:
                tensors.append(pumice.tensor(part, device=device))
        got = apply(entry, *tensors).cpu().numpy()
        check_elementwise(entry, dtype, arrays, got, f"{entry.name}, {layout} on {device}")


BROADCASTS: list[list[tuple[int, ...]]] = [
    [(2, 1), (3,), (1, 1)],
    [(3,), (2, 1), (2, 3)],
    [(4, 1, 3), (5, 1), ()],
    [(), (7,), (1,)],
    [(0, 3), (1,), (3,)],
    [(1, 5), (0, 1), (5,)],
]


@pytest.mark.parametrize("entry", SEVERAL, ids=name_of)
def test_broadcasting(entry: Elementwise, device: str) -> None:
    dtype = usual_dtype(entry)
    for shapes in BROADCASTS:
        given = (shapes * entry.arity)[: entry.arity]
        operands = cases.ordinary_operands(entry, dtype, given)
        got = run(entry, device, operands)
        whole = np.broadcast_shapes(*given)
        full = [np.broadcast_to(operand, whole) for operand in operands]
        check_elementwise(entry, dtype, full, got, f"{entry.name} of {given} on {device}")


@pytest.mark.parametrize("entry", SEVERAL, ids=name_of)
def test_python_number_takes_the_dtype_of_the_tensor(entry: Elementwise, device: str) -> None:
    dtype = usual_dtype(entry)
    operands = cases.ordinary_operands(entry, dtype, [(9,)] * entry.arity)
    number = operands[-1][4].item()
    tensors = [pumice.tensor(operand, device=device) for operand in operands[:-1]]
    got = apply(entry, *tensors, number).cpu().numpy()
    operands[-1] = np.full(9, operands[-1][4])
    check_elementwise(entry, dtype, operands, got, f"{entry.name} with a number on {device}")


@pytest.mark.parametrize("case", cases.refused_cases(), ids=str)
def test_refused_dtype_is_named(case: ElementwiseCase) -> None:
    operands = cases.operand_dtypes(case.entry, case.dtype)
    tensors = [pumice.tensor(np.zeros(3, to_numpy(dtype))) for dtype in operands]
    expected = f"{case.entry.name}: got {case.dtype.name}.*{case.entry.accepts.value}"
    with pytest.raises(DTypeError, match=expected):
        apply(case.entry, *tensors)


@pytest.mark.parametrize("entry", SEVERAL, ids=name_of)
def test_shapes_that_do_not_broadcast_are_named(entry: Elementwise) -> None:
    dtype = usual_dtype(entry)
    shapes = [(2, 3)] * (entry.arity - 1) + [(4,)]
    operands = cases.ordinary_operands(entry, dtype, shapes)
    tensors = [pumice.tensor(operand) for operand in operands]
    with pytest.raises(ShapeError, match=rf"{entry.name}.*\[2, 3\].*\[4\]"):
        apply(entry, *tensors)


@pytest.mark.parametrize("case", FAILING, ids=str)
def test_integer_zero_divisor_raises(case: ElementwiseCase, device: str) -> None:
    refused = case.dtype in runtime_of(parse_device(device)).target.unsupported
    operands = cases.ordinary_operands(case.entry, case.dtype, [(9,)] * case.entry.arity)
    operands[-1][5] = 0
    if refused:
        check(case, device, operands)
        return
    with pytest.raises(IntegerDivisionByZero, match=case.entry.name):
        run(case.entry, device, operands)
