"""Products of cooperative matrices: the modules of GPUs, run with loops in place of matrices."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pumice import dtypes
from pumice.kernel.ir import Contract, Kernel, Store
from pumice.runtime.vulkan import VulkanRuntime, program
from pumice.target import Artifact, MatrixShape, ProductTile, Target
from tests.backends.matrix_loops import EmulatingBackend, uses_matrices
from tests.backends.product_support import LAYOUTS, arguments_of, product
from tests.backends.spirv_support import (
    FULL,
    NARROW,
    at,
    buffer,
    check,
    compile_valid,
    numpy_dtype,
    run_kernel,
    validate,
)

F16, F32 = dtypes.float16, dtypes.float32
SIZES = ((1, 1, 1, 1), (2, 13, 9, 17), (1, 70, 33, 40), (3, 5, 40, 0), (1, 64, 64, 32))
RANDOM = np.random.default_rng(11)
SHAPES = {
    "float16": (16, 16, 16, "float16", "float32"),
    "flat": (8, 16, 16, "float16", "float32"),
    "tall": (16, 8, 8, "float16", "float32"),
    "bfloat16": (16, 16, 16, "bfloat16", "float32"),
    "int8": (16, 16, 32, "int8", "int32"),
    "uint8": (16, 16, 16, "uint8", "int32"),
    "unsigned": (16, 16, 16, "uint8", "uint32"),
}


def tile_of(name: str, subgroup: int, down: int = 1, across: int = 1, halves: int = 1) -> Any:
    """Return a tile of two subgroups beside each other with some matrices each."""
    shape = MatrixShape(*SHAPES[name], subgroup)
    rows, columns = down * shape.rows, across * shape.columns
    return ProductTile(rows, columns, 1, 2, depth=halves * shape.steps, matrix=shape)


def compile_emulated(code: Kernel, target: Target) -> Artifact:
    """Compile and validate a kernel, and put loops in place of its matrices."""
    artifact = compile_valid(code, target)
    assert artifact.subgroup
    validate(artifact.code, "vulkan1.3")
    made = EmulatingBackend().emulated(artifact)
    assert not uses_matrices(made)
    validate(made.code)
    return made


def checked(runtime: Any, code: Kernel, arguments: list[Any], shift: int = 0) -> Any:
    """Run a product and compare it with the interpreter, bit for bit; return the result."""
    return check(runtime, code, arguments, shift=shift, compiled=compile_emulated)[3]


def size_of(runtime: VulkanRuntime) -> int:
    return runtime.description.subgroup_sizes[0]


def product_of(tile: ProductTile, layouts: tuple[str, str] = ("rows", "columns")) -> Kernel:
    assert tile.matrix is not None
    operand = dtypes.BY_NAME[tile.matrix.operand]
    sums = F32 if operand.is_floating_point else dtypes.int32
    return product(tile, operand, sums, layouts)


@pytest.mark.parametrize("name", SHAPES)
def test_sizes(vulkan_runtime: VulkanRuntime, name: str) -> None:
    layouts = ("rows", "columns")
    down, across = {"float16": (2, 1), "flat": (1, 2), "tall": (1, 1)}.get(name, (1, 1))
    code = product_of(tile_of(name, size_of(vulkan_runtime), down, across), layouts)
    for sizes in SIZES:
        arguments, expected = arguments_of(code, sizes, layouts, RANDOM)
        result = checked(vulkan_runtime, code, arguments)
        if name not in ("uint8", "unsigned"):  # negative numbers wrap there
            np.testing.assert_array_equal(result.reshape(expected.shape), expected)


PAIRS = [("float16", each) for each in zip(LAYOUTS, reversed(LAYOUTS), strict=True)]
PAIRS += [("int8", ("columns", "rows"))]


@pytest.mark.parametrize(("name", "layouts"), PAIRS, ids=str)
def test_layouts(vulkan_runtime: VulkanRuntime, name: str, layouts: tuple[str, str]) -> None:
    code = product_of(tile_of(name, size_of(vulkan_runtime)), layouts)
    for sizes in ((2, 24, 36, 36), (1, 35, 18, 7)):
        arguments, expected = arguments_of(code, sizes, layouts, RANDOM)
        result = checked(vulkan_runtime, code, arguments)
        np.testing.assert_array_equal(result.reshape(expected.shape), expected)


def test_misaligned_memory(vulkan_runtime: VulkanRuntime) -> None:
    layouts = ("columns", "rows")
    code = product_of(tile_of("tall", size_of(vulkan_runtime)), layouts)
    arguments, expected = arguments_of(code, (1, 32, 64, 16), layouts, RANDOM)
    result = checked(vulkan_runtime, code, arguments, shift=1)
    np.testing.assert_array_equal(result.reshape(expected.shape), expected)


def test_wide_indices(vulkan_runtime: VulkanRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "NARROW_LIMIT", 1)
    code = product_of(tile_of("flat", size_of(vulkan_runtime)))
    arguments, _ = arguments_of(code, (2, 19, 40, 24), ("rows", "columns"), RANDOM)
    checked(vulkan_runtime, code, arguments)


@pytest.mark.parametrize("name", ["float16", "int8"])
def test_without_optional_features(name: str) -> None:
    """Elements are parts of words and addresses pairs there, and nothing is read by four."""
    lacking = ("shaderInt64", "shaderFloat64", "storageBuffer16BitAccess", "wideAccess")
    runtime = VulkanRuntime(validation=True, without=(*lacking, "storageBuffer8BitAccess"))
    code = product_of(tile_of(name, size_of(runtime)))
    arguments, expected = arguments_of(code, (1, 9, 21, 30), ("rows", "columns"), RANDOM)
    result = checked(runtime, code, arguments)
    np.testing.assert_array_equal(result.reshape(expected.shape), expected)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_values_of_every_kind(vulkan_runtime: VulkanRuntime, name: str) -> None:
    """Subnormal, infinite and NaN elements go through shared memory as they are."""
    code = product_of(tile_of(name, size_of(vulkan_runtime)))
    arguments, _ = arguments_of(code, (1, 33, 40, 36), ("rows", "columns"), RANDOM)
    kind = numpy_dtype(dtypes.BY_NAME[name])
    for place in (0, 1):
        found = RANDOM.normal(size=arguments[place].shape).astype(kind)
        found[::7] = np.array(3e-7 if name == "float16" else 1e-39, kind)
        found[3], found[50], found[-3] = np.inf, -np.inf, np.nan
        arguments[place] = found
    with np.errstate(invalid="ignore"):
        result = checked(vulkan_runtime, code, arguments)
    assert np.isnan(result).any() and not np.isnan(result).all()


def fused(code: Kernel) -> Kernel:
    """Return a product whose left operand is computed, whose right one is chosen from."""
    (contract,) = code.body
    assert isinstance(contract, Contract)
    left, right = contract.left.arguments[0], contract.right.arguments[0]
    zero = left.const(0)
    left = (left < zero).select(zero, left * left.const(0.5))
    right = at(contract.step).modulus(2).ne(0).select(right, right.const(0.75))
    changed = replace(contract, left=left.cast(F32), right=right.cast(F32))
    return replace(code, body=(changed,))


@pytest.mark.parametrize(
    ("name", "layouts"),
    [("float16", ("rows", "columns")), ("bfloat16", ("columns", "masked"))],
    ids=["float16", "bfloat16"],
)
def test_expressions(vulkan_runtime: VulkanRuntime, name: str, layouts: tuple[str, str]) -> None:
    code = fused(product_of(tile_of(name, size_of(vulkan_runtime)), layouts))
    for sizes in ((1, 40, 50, 20), (2, 21, 16, 32)):
        arguments, _ = arguments_of(code, sizes, layouts, RANDOM)
        checked(vulkan_runtime, code, arguments)


def test_narrow_results(vulkan_runtime: VulkanRuntime) -> None:
    """The epilogue casts, as that of a product of narrow tensors does."""
    code = product_of(tile_of("float16", size_of(vulkan_runtime)))
    (contract,) = code.body
    assert isinstance(contract, Contract)
    (store,) = contract.epilogue
    assert isinstance(store, Store)
    out = buffer("out", F16, writable=True)
    contract = replace(contract, epilogue=(Store(out, store.at, store.value.cast(F16)),))
    code = replace(code, parameters=(*code.parameters[:3], out, *code.parameters[4:]))
    code = replace(code, body=(contract,))
    arguments, expected = arguments_of(code, (1, 50, 36, 40), ("rows", "columns"), RANDOM)
    result = checked(vulkan_runtime, code, arguments)
    np.testing.assert_array_equal(result.reshape(expected.shape), expected.astype(np.float16))


def test_tiles_give_the_same_bits_in_loops(vulkan_runtime: VulkanRuntime) -> None:
    results: set[bytes] = set()
    x, y = RANDOM.normal(size=(2, 40 * 52)).astype(np.float16)
    for name, halves in (("float16", 2), ("tall", 4)):
        code = product_of(tile_of(name, size_of(vulkan_runtime), halves=halves))
        out = np.zeros(1600, np.float32)
        arguments: list[Any] = [x, y, np.zeros(40, np.float32), out, 1, 40, 40, 52, 52, 40, 0]
        found = run_kernel(vulkan_runtime, code, arguments, compiled=compile_emulated)
        results.add(found[3].tobytes())
    assert len(results) == 1


CHECKED = replace(FULL, limits=FULL.limits | {"check_access": 1})


@pytest.mark.parametrize("target", [FULL, NARROW, CHECKED], ids=["full", "narrow", "checked"])
@pytest.mark.parametrize("name", SHAPES)
def test_modules_are_valid_for_any_target(name: str, target: Target) -> None:
    for layout in LAYOUTS:
        for subgroup in (8, 32, 64):
            artifact = compile_valid(
                product_of(tile_of(name, subgroup, halves=4), (layout, layout)), target
            )
            assert artifact.subgroup == subgroup
            assert artifact.group == 2 * subgroup
            assert uses_matrices(artifact)


def test_cuts_share_a_module() -> None:
    """Workgroups, depths and the size of shared memory change no word but their defaults."""
    shape = MatrixShape(*SHAPES["float16"], 32)
    artifacts = [
        compile_valid(product_of(ProductTile(32, 32, *group, depth=depth, matrix=shape)), FULL)
        for group, depth in (((1, 2), 16), ((2, 4), 32))
    ]
    first, second = (np.frombuffer(each.code, np.uint32) for each in artifacts)
    assert first.size == second.size
    assert len(artifacts[0].constants) == 3
    assert np.count_nonzero(first != second) <= 3 + 3
