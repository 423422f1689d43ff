"""Contractions on a Vulkan device: every way of cutting and every layout gives the same bits."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.dtypes import DType
from pumice.kernel.ir import Contract, Instruction, Store, Value
from pumice.runtime.vulkan import VulkanRuntime, program
from pumice.target import ProductTile
from tests.backends.product_support import LAYOUTS, arguments_of, product
from tests.backends.spirv_support import FULL, NARROW, buffer, check, compile_valid, run_kernel

SMALL = ProductTile(4, 4, 4, 8, 2, 4, 8)
TALL = ProductTile(8, 4, 8, 4, 4, 2, 8)
LARGE = ProductTile(8, 8, 8, 8, 4, 8, 8)
DIRECT = (ProductTile(4, 4), ProductTile(1, 4), ProductTile(3, 8), ProductTile(8, 8))
STAGED = (SMALL, TALL, LARGE)
SIZES = ((1, 1, 1, 1), (2, 13, 9, 17), (1, 70, 33, 5), (3, 4, 40, 0), (1, 64, 64, 32))
F32 = dtypes.float32
RANDOM = np.random.default_rng(7)


def told(tile: ProductTile) -> str:
    return f"{tile.rows}x{tile.columns}:{tile.depth}"


@pytest.mark.parametrize("tile", (*DIRECT, SMALL, TALL), ids=told)
def test_sizes(vulkan_runtime: VulkanRuntime, tile: ProductTile) -> None:
    layouts = ("rows", "columns")
    code = product(tile, F32, F32, layouts)
    for sizes in SIZES:
        arguments, expected = arguments_of(code, sizes, layouts, RANDOM)
        result = check(vulkan_runtime, code, arguments)[3]
        np.testing.assert_array_equal(result.reshape(expected.shape), expected)


@pytest.mark.parametrize("tile", [ProductTile(4, 8), SMALL], ids=told)
@pytest.mark.parametrize("layouts", [*zip(LAYOUTS, reversed(LAYOUTS), strict=True)], ids="-".join)
def test_layouts(
    vulkan_runtime: VulkanRuntime, tile: ProductTile, layouts: tuple[str, str]
) -> None:
    code = product(tile, F32, F32, layouts)
    for sizes in ((2, 24, 36, 20), (1, 35, 18, 7)):
        arguments, expected = arguments_of(code, sizes, layouts, RANDOM)
        result = check(vulkan_runtime, code, arguments)[3]
        np.testing.assert_array_equal(result.reshape(expected.shape), expected)


@pytest.mark.parametrize("tile", [ProductTile(4, 4), SMALL], ids=told)
@pytest.mark.parametrize("shift", [1, 2])
def test_misaligned_memory(vulkan_runtime: VulkanRuntime, tile: ProductTile, shift: int) -> None:
    layouts = ("columns", "rows")
    code = product(tile, F32, F32, layouts)
    arguments, expected = arguments_of(code, (1, 32, 64, 16), layouts, RANDOM)
    result = check(vulkan_runtime, code, arguments, shift=shift)[3]
    np.testing.assert_array_equal(result.reshape(expected.shape), expected)


TYPES = (("bfloat16", "float32"), ("float64", "float64"), ("int8", "int8"), ("int64", "int64"))


@pytest.mark.parametrize("tile", [ProductTile(4, 4), SMALL], ids=told)
@pytest.mark.parametrize("types", TYPES, ids="-".join)
def test_types(vulkan_runtime: VulkanRuntime, tile: ProductTile, types: tuple[str, str]) -> None:
    dtype, accumulator = (dtypes.BY_NAME[name] for name in types)
    layouts = ("rows", "columns")
    code = product(tile, dtype, accumulator, layouts)
    arguments, expected = arguments_of(code, (2, 21, 32, 12), layouts, RANDOM)
    result = check(vulkan_runtime, code, arguments)[3]
    if accumulator.itemsize > 2:
        np.testing.assert_array_equal(result.reshape(expected.shape), np.abs(expected))


@pytest.mark.parametrize("tile", [ProductTile(4, 4), SMALL], ids=told)
@pytest.mark.parametrize("dtype", [dtypes.int8, dtypes.uint8, dtypes.int16], ids=str)
def test_narrow_sums_wrap(vulkan_runtime: VulkanRuntime, tile: ProductTile, dtype: DType) -> None:
    """They do before the epilogue sees them, though registers are wider."""
    code = product(tile, dtype, dtype)
    arguments, _ = arguments_of(code, (2, 24, 32, 12), ("rows", "columns"), RANDOM)
    for place in (0, 1):
        numbers = RANDOM.integers(0, 120, arguments[place].shape)
        arguments[place] = numbers.astype(arguments[place].dtype)
    (contract,) = code.body
    assert isinstance(contract, Contract)
    (store,) = contract.epilogue
    assert isinstance(store, Store)
    out = buffer("out", F32, writable=True)
    element = Value(Instruction.ACCUMULATOR, dtype).cast(F32)
    contract = replace(contract, epilogue=(Store(out, store.at, element),))
    parameters = (*code.parameters[:3], out, *code.parameters[4:])
    arguments[3] = np.zeros(arguments[3].shape, np.float32)
    check(vulkan_runtime, replace(code, parameters=parameters, body=(contract,)), arguments)


@pytest.mark.parametrize("tile", [ProductTile(4, 4), SMALL], ids=told)
def test_wide_indices(
    vulkan_runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch, tile: ProductTile
) -> None:
    monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    layouts = ("rows", "columns")
    code = product(tile, F32, F32, layouts)
    arguments, expected = arguments_of(code, (2, 19, 40, 24), layouts, RANDOM)
    result = check(vulkan_runtime, code, arguments)[3]
    np.testing.assert_array_equal(result.reshape(expected.shape), expected)


def test_every_cut_gives_the_same_bits(vulkan_runtime: VulkanRuntime) -> None:
    """Sums are taken in the order of the steps, whoever takes them."""
    results: set[bytes] = set()
    x, y = RANDOM.normal(size=(2, 40 * 52)).astype(np.float32)
    for tile in DIRECT + STAGED:
        code = product(tile, F32, F32, ("rows", "columns"))
        out = np.zeros(1600, np.float32)
        arguments: list[Any] = [x, y, np.zeros(40, np.float32), out, 1, 40, 40, 52, 52, 40, 0]
        results.add(run_kernel(vulkan_runtime, code, arguments)[3].tobytes())
    assert len(results) == 1


@pytest.mark.parametrize("target", [FULL, NARROW], ids=["full", "narrow"])
def test_modules_are_valid_for_any_target(target: Any) -> None:
    for tile in (ProductTile(4, 4), SMALL, LARGE):
        for layout in LAYOUTS:
            compile_valid(product(tile, F32, F32, (layout, layout)), target)


def test_cuts_share_a_module() -> None:
    """Workgroups and depths are specialisation constants, so they change no word of the code."""
    artifacts = [
        compile_valid(product(tile, F32, F32), FULL)
        for tile in (ProductTile(4, 4, 4, 8, 2, 4, 8), ProductTile(4, 4, 16, 16, 4, 8, 16))
    ]
    defaults = [each.constants for each in artifacts]
    assert defaults == [(8, 8, 4, 2), (16, 16, 8, 4)]
    first, second = (np.frombuffer(each.code, np.uint32) for each in artifacts)
    assert first.size == second.size
    assert np.count_nonzero(first != second) <= len(defaults[0]) + 3


@pytest.mark.parametrize("tile", [ProductTile(4, 4), SMALL], ids=told)
def test_without_optional_features(tile: ProductTile) -> None:
    runtime = VulkanRuntime(validation=True, without=("shaderInt64", "shaderFloat64"))
    layouts = ("rows", "columns")
    code = product(tile, F32, F32, layouts)
    arguments, expected = arguments_of(code, (1, 9, 21, 30), layouts, RANDOM)
    result = check(runtime, code, arguments)[3]
    np.testing.assert_array_equal(result.reshape(expected.shape), expected)
