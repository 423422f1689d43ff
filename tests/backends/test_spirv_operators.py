"""The modules that operators share: valid for every device, right for every layout."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from spirv_support import FULL, NARROW, Array, check, numpy_dtype, valid_module

import pumice
from pumice import dtypes
from pumice.backends.spirv import SpirvBackend
from pumice.backends.spirv.operators import shared_module
from pumice.dtypes import DType
from pumice.kernel.ir import Kernel
from pumice.kernel.operator import Operator
from pumice.kernel.operators import (
    BINARY,
    BLOCK,
    MOST_AXES,
    UNARY,
    WHERE,
    family,
    operand_dtypes,
    operator_kernel,
    stands_alone,
)
from pumice.ops.definition import Elementwise, registry
from pumice.target import Target

FAMILIES = (UNARY, BINARY, WHERE)


def without(*features: str) -> Target:
    limits = {name: number for name, number in FULL.limits.items() if name not in features}
    if "int64" in features:
        limits["index_bits"] = 32
    unsupported = frozenset((dtypes.float64,) if "float64" in features else ())
    identity = f"vulkan without {' '.join(features)}"
    return replace(FULL, identity=identity, limits=limits, unsupported=unsupported)


TARGETS = [
    FULL,
    NARROW,
    without("float64", "storage16"),
    without("storage8", "denorm32", "nan32", "rte32"),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.identity.replace(" ", "_"))
@pytest.mark.parametrize("name", FAMILIES)
def test_modules_are_valid(name: str, target: Target) -> None:
    assert valid_module(name, target)


def test_a_module_has_one_text() -> None:
    assert SpirvBackend().module(WHERE, FULL) == SpirvBackend().module(WHERE, FULL)


def test_operators_of_a_family_share_a_module() -> None:
    artifacts = {
        (op, dtype): SpirvBackend().compile(
            [operator_kernel(Operator(op, dtype, (False,) * op.arity))], FULL
        )[0]
        for name in FAMILIES
        for op in family(name)
        for dtype in dtypes.ALL
        if stands_alone(op, dtype)
    }
    assert {each.module for each in artifacts.values()} == set(FAMILIES)
    assert not any(each.code for each in artifacts.values())
    assert len({each.key for each in artifacts.values()}) == len(artifacts)
    assert all((2 + len(each.pushed_words)) * 8 <= 128 for each in artifacts.values())
    comparisons = [op for op in family(BINARY) if op.result is dtypes.bool_ and op.symbol]
    arithmetic = [registry.symbols[symbol] for symbol in ("+", "-", "*", "/", "//", "%")]
    assert len(comparisons) == 6
    assert {shared_module(op) for op in (*comparisons, *arithmetic)} == {BINARY}
    assert shared_module(registry["where"]) == WHERE
    assert shared_module(registry["sin"]) == UNARY
    assert shared_module(registry["clamp"]) == ""


# -- values ---------------------------------------------------------------------------------------

Axis = tuple[int, tuple[int, ...]]
"""Elements of an axis, and the operands' strides."""


def bound(op: Elementwise, arrays: Sequence[Any], out: DType, axes: Sequence[Axis]) -> list[Any]:
    """Return the arguments of an operator's kernel, the last axis first."""
    (length, strides), *outer = axes
    count = length * int(np.prod([extent for extent, _ in outer], dtype=np.int64))
    missing = MOST_AXES - len(axes)
    words = [-(-length // BLOCK), *strides]
    for extent, steps in [*outer, *[(1, (0,) * op.arity)] * missing]:
        words += [extent, *steps]
    return [*arrays, np.zeros(count, numpy_dtype(out)), length, *words]


def drawn(random: np.random.Generator, dtype: DType, count: int) -> Array:
    if dtype is dtypes.bool_:
        return random.integers(0, 2, count).astype(bool)
    if dtype.is_floating_point:
        return random.normal(size=count).astype(numpy_dtype(dtype)) * 50
    low = -100 if dtype.is_signed else 0
    found = random.integers(low, 100, count)
    return np.where(found == 0, 7, found).astype(numpy_dtype(dtype))


def arguments(
    op: Elementwise,
    dtype: DType,
    axes: Sequence[Axis],
    numbers: Sequence[bool],
) -> tuple[Kernel, list[Any]]:
    random = np.random.default_rng(3)
    kernel = operator_kernel(Operator(op, dtype, tuple(numbers)))
    arrays: list[Any] = []
    for place, (each, number) in enumerate(zip(operand_dtypes(op, dtype), numbers, strict=True)):
        last = sum((extent - 1) * steps[place] for extent, steps in axes)
        array = drawn(random, each, last + 1)
        arrays.append(array[0].item() if number else array)
    words = bound(op, arrays, op.result_dtype(dtype), axes)
    if kernel.faults:
        words.append(np.zeros(2, np.int64))
    return kernel, words


LAYOUTS: dict[str, list[Axis]] = {
    "one": [(1, (1, 1))],
    "short": [(3, (1, 1))],
    "in order": [(203, (1, 1))],
    "blocks": [(256, (1, 1))],
    "repeated": [(97, (0, 1))],
    "both repeated": [(6, (0, 0)), (5, (1, 0))],
    "rows": [(16, (1, 1)), (9, (16, 0))],
    "odd rows": [(7, (1, 1)), (9, (7, 9))],
    "transposed": [(12, (5, 1)), (5, (1, 12))],
    "every second": [(40, (2, 3))],
    "narrow": [(2, (1, 1)), (50, (3, 2))],
    "five axes": [(4, (1, 60)), (3, (4, 0)), (2, (12, 30)), (3, (24, 4)), (2, (72, 1))],
    "eight axes": [(2, (1 << axis, 1 << (7 - axis))) for axis in range(8)],
}
CHOSEN = [
    ("add", "float32"),
    ("less", "int64"),
    ("mul", "float16"),
    ("floor_divide", "int32"),
    ("remainder", "uint8"),
    ("logical_and", "bool"),
    ("pow", "float32"),
]


@pytest.mark.vulkan
@pytest.mark.parametrize("name, dtype", CHOSEN)
@pytest.mark.parametrize("shift", [0, 1])
def test_layouts(vulkan_runtime: Any, name: str, dtype: str, shift: int) -> None:
    entry: Any = registry[name]
    if dtypes.BY_NAME[dtype] in vulkan_runtime.target.unsupported:
        return
    for axes in LAYOUTS.values():
        kernel, given = arguments(entry, dtypes.BY_NAME[dtype], axes, (False, False))
        check(vulkan_runtime, kernel, given, exact=name != "pow", shift=shift)


@pytest.mark.vulkan
@pytest.mark.parametrize("numbers", [(True, False), (False, True), (True, True)], ids=str)
def test_numbers(vulkan_runtime: Any, numbers: tuple[bool, bool]) -> None:
    for name, dtype in CHOSEN:
        if dtypes.BY_NAME[dtype] in vulkan_runtime.target.unsupported:
            continue
        entry: Any = registry[name]
        axes = [(13, tuple(int(not each) for each in numbers)), (3, (0, 0))]
        kernel, given = arguments(entry, dtypes.BY_NAME[dtype], axes, numbers)
        check(vulkan_runtime, kernel, given, exact=name != "pow")


@pytest.mark.vulkan
@pytest.mark.parametrize(
    "name, dtype", [("neg", "int8"), ("exp", "float32"), ("digamma", "float64")]
)
def test_unary_layouts(vulkan_runtime: Any, name: str, dtype: str) -> None:
    entry: Any = registry[name]
    if dtypes.BY_NAME[dtype] in vulkan_runtime.target.unsupported:
        dtype = "float32"
    for axes in LAYOUTS.values():
        alone = [(extent, steps[:1]) for extent, steps in axes]
        kernel, given = arguments(entry, dtypes.BY_NAME[dtype], alone, (False,))
        check(vulkan_runtime, kernel, given, exact=name == "neg")


@pytest.mark.vulkan
def test_where_layouts(vulkan_runtime: Any) -> None:
    entry: Any = registry["where"]
    for axes in LAYOUTS.values():
        three = [(extent, (steps[1], *steps)) for extent, steps in axes]
        for dtype in (dtypes.float32, dtypes.int64, dtypes.bfloat16):
            check(vulkan_runtime, *arguments(entry, dtype, three, (False, False, False)))
        check(vulkan_runtime, *arguments(entry, dtypes.float32, three, (False, True, False)))


@pytest.mark.vulkan
def test_invocations_without_elements_look_at_no_axis(vulkan_device: str) -> None:
    """A group has more invocations than a short tensor has blocks, and as many items of an axis."""
    for extent in (2, 3, 5, 7, 13, 513):
        array = np.arange(1, extent + 1, dtype=np.float32)
        for operator in (pumice.neg, pumice.abs):
            result = operator(pumice.tensor(array, device=vulkan_device))
            assert np.array_equal(abs(result.cpu().numpy()), array)
