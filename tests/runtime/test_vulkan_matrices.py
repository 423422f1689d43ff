"""Cooperative matrices: what a driver lists, what is used of it, and how a device is opened."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from pumice import dtypes
from pumice.cli.devices import details
from pumice.lowering.product_cuts import choose_tile
from pumice.runtime.vulkan import tuned
from pumice.runtime.vulkan.constants import Component, Structure
from pumice.runtime.vulkan.limits import matrix_tiles, target_of, used_matrices
from pumice.runtime.vulkan.matrices import best_shapes
from pumice.runtime.vulkan.switches import features_off
from pumice.target import MatrixShape, Target
from pumice.testing.devices import described_device
from tests.runtime.test_vulkan_selection import REQUIRED, Driver, described, opened

F16, F32, BF16 = Component.FLOAT16, Component.FLOAT32, Component.BFLOAT16
S8, S32, U8, U32 = Component.SINT8, Component.SINT32, Component.UINT8, Component.UINT32
SUBGROUP, WORKGROUP = 3, 2
LISTED: tuple[tuple[int, ...], ...] = (
    (16, 8, 16, F16, F16, F32, F32, 0, SUBGROUP),
    (16, 16, 16, F16, F16, F32, F32, 0, SUBGROUP),
    (64, 64, 64, F16, F16, F32, F32, 0, WORKGROUP),
    (16, 16, 32, F16, F16, F16, F16, 0, SUBGROUP),
    (16, 16, 32, F16, F16, F32, F16, 0, SUBGROUP),
    (16, 16, 32, F16, BF16, F32, F32, 0, SUBGROUP),
    (16, 16, 16, BF16, BF16, F32, F32, 0, SUBGROUP),
    (16, 16, 64, S8, S8, S32, S32, 1, SUBGROUP),
    (16, 16, 32, S8, S8, S32, S32, 0, SUBGROUP),
    (16, 16, 32, S8, U8, S32, S32, 0, SUBGROUP),
    (16, 16, 32, U8, U8, U32, U32, 0, SUBGROUP),
    (8, 8, 64, 77, 77, S32, S32, 0, SUBGROUP),
)
HALF = MatrixShape(16, 16, 16, "float16", "float32", 32)
NARROW = replace(HALF, operand="bfloat16")
BYTES = MatrixShape(16, 16, 32, "int8", "int32", 32)
EXTENSIONS = ("VK_KHR_cooperative_matrix", "VK_KHR_shader_bfloat16", "VK_EXT_subgroup_size_control")
MODEL = {"vulkanMemoryModel": 1, "vulkanMemoryModelDeviceScope": 1}
NEEDED = REQUIRED | MODEL | {"shaderFloat16": 1, "shaderInt8": 1}
LIMITS = {
    "maxComputeWorkGroupInvocations": 1024,
    "maxComputeSharedMemorySize": 49152,
}


def device(**known: Any) -> Any:
    """Return a device with matrices of two types."""
    found = described_device("Arc", **{"matrices": (HALF, BYTES), **known})
    return replace(found, limits=found.limits | LIMITS)


def driver(api: tuple[int, int] = (1, 3), extensions: tuple[str, ...] = EXTENSIONS) -> Driver:
    made = Driver(api, extensions, **NEEDED)
    made.listed = LISTED
    return made


def operands(target: Target) -> set[str]:
    return {tile.matrix.operand for tile in target.products if tile.matrix}


def test_shapes_for_subgroups_of_known_types_are_listed() -> None:
    found = described(driver())
    known = [(each.rows, each.columns, each.steps, each.operand) for each in found.matrices]
    assert known == [
        (16, 8, 16, "float16"),
        (16, 16, 16, "float16"),
        (16, 16, 16, "bfloat16"),
        (16, 16, 32, "int8"),
        (16, 16, 32, "uint8"),
    ]
    assert {each.subgroup for each in found.matrices} == {32}
    used = used_matrices(found)
    assert [(each.operand, each.columns) for each in used] == [
        ("float16", 16),
        ("bfloat16", 16),
        ("int8", 16),
        ("uint8", 16),
    ]
    assert described(driver(), minimum=True).matrices == ()


@pytest.mark.parametrize("api", [(1, 2), (1, 3)])
def test_a_device_is_opened_with_what_matrices_need(
    api: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    features = {
        Structure.COOPERATIVE_MATRIX_FEATURES,
        Structure.BFLOAT16_FEATURES,
        Structure.SUBGROUP_SIZE_CONTROL_FEATURES,
    }
    created = opened(driver(api), monkeypatch)
    assert set(created["extensions"]) == set(EXTENSIONS)
    assert features <= created["chain"]
    off = tuple(features_off(["cooperative_matrix"]))
    created = opened(driver(api), monkeypatch, off)
    assert created["extensions"] == ["VK_EXT_subgroup_size_control"]
    assert (
        not {Structure.COOPERATIVE_MATRIX_FEATURES, Structure.BFLOAT16_FEATURES} & created["chain"]
    )


def test_without_the_size_of_subgroups_matrices_are_not_used() -> None:
    found = described(driver((1, 2), EXTENSIONS[:2]))
    assert found.matrices and not used_matrices(found)


def test_a_memory_model_that_other_kernels_break_is_not_asked_for() -> None:
    made = Driver((1, 3), EXTENSIONS, **NEEDED | {"vulkanMemoryModelDeviceScope": 0})
    made.listed = LISTED
    found = described(made)
    assert found.matrices and not found.features["vulkanMemoryModel"]
    assert not used_matrices(found)


@pytest.mark.parametrize(
    ("lacking", "left"),
    [
        ((), {"float16", "int8"}),
        (("cooperativeMatrix",), set()),
        (("vulkanMemoryModel",), set()),
        (("subgroupSizeControl",), set()),
        (("shaderFloat16",), {"int8"}),
        (("shaderInt8",), {"float16"}),
    ],
)
def test_what_a_device_lacks_decides(lacking: tuple[str, ...], left: set[str]) -> None:
    assert operands(target_of(device(lacking=lacking))) == left


def test_bfloat16_is_a_feature_of_its_own() -> None:
    shapes = (HALF, NARROW)
    assert operands(target_of(device(matrices=shapes))) == {"float16", "bfloat16"}
    lacking = ("shaderBFloat16CooperativeMatrix",)
    assert operands(target_of(device(matrices=shapes, lacking=lacking))) == {"float16"}


def test_the_switch_turns_matrices_off() -> None:
    off = device().without(features_off(["cooperative_matrix"]))
    assert operands(target_of(off)) == set()
    assert target_of(off).products == target_of(device(matrices=())).products


def test_the_most_multiply_adds_win() -> None:
    listed = [
        replace(HALF, steps=8),
        HALF,
        replace(HALF, rows=8, columns=32),
        replace(HALF, rows=8, columns=8, steps=4),
        replace(BYTES, rows=8, columns=8),
    ]
    assert best_shapes(listed) == (HALF,)
    assert best_shapes(reversed(listed)) == (HALF,)


@pytest.mark.parametrize("shared", [16384, 32768, 49152, 65536])
@pytest.mark.parametrize("invocations", [128, 256, 1024])
@pytest.mark.parametrize("subgroup", [8, 16, 32, 64])
@pytest.mark.parametrize("sides", [(16, 16, 16), (8, 16, 16), (16, 8, 8), (32, 32, 8)], ids=str)
def test_tiles_fit_their_device(
    sides: tuple[int, int, int], subgroup: int, invocations: int, shared: int
) -> None:
    shape = MatrixShape(*sides, "float16", "float32", subgroup)
    tiles = matrix_tiles(shape, invocations, shared)
    assert tiles and tiles[-1].block == (32, 32)
    for tile in tiles:
        assert tile.invocations <= invocations and tile.invocations % subgroup == 0
        assert tile.shared_bytes(0) <= shared
        assert tile.rows % sides[0] == tile.columns % sides[1] == tile.depth % sides[2] == 0
        assert tile.is_even
        assert tile.rows * tile.columns // subgroup <= 128


def test_large_products_take_large_tiles() -> None:
    target = target_of(device())
    half, single = dtypes.float16, dtypes.float32

    def block(*sizes: int, operand: Any = half) -> tuple[int, int]:
        m, n = sizes
        tile = choose_tile(target, (1, m, n), single, operand)
        assert (tile.matrix is not None) is (operand is half and min(m, n) > 4)
        return tile.block

    assert block(4096, 4096) == (128, 128)
    assert block(512, 512) == (64, 64)
    assert block(40, 40) == (32, 32)
    assert block(4096, 4096, operand=single) == (128, 128)
    assert block(4096, 4096, operand=dtypes.bfloat16) == (128, 128)
    block(3, 4096)
    for dtype in (dtypes.int8, dtypes.uint8):
        tile = choose_tile(target, (1, 512, 512), dtypes.int32, dtype)
        assert (tile.matrix is not None) is (dtype is dtypes.int8)


def test_measured_tiles_take_the_place_of_others_of_their_kind(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = replace(tuned.config(), cache_directory=tmp_path)
    monkeypatch.setattr(tuned, "config", lambda: place)
    of = device()
    usual = target_of(of).products
    (best,) = [tile for tile in usual if tile.matrix == HALF and tile.block == (64, 64)]
    path = tuned.write_tiles(of, [best])
    assert tuned.read_tiles(of) == (best,)
    changed = target_of(of, tuned=tuned.read_tiles(of)).products
    assert [tile for tile in changed if tile.matrix == HALF] == [best]
    assert {*changed} == {best, *(tile for tile in usual if tile.matrix != HALF)}
    path.write_text(path.read_text().replace('"depth": 32', '"depth": 24'))
    assert tuned.read_tiles(of) == ()
    tuned.write_tiles(of, [best])
    assert tuned.read_tiles(replace(of, matrices=(BYTES,))) == ()
    off = of.without(features_off(["cooperative_matrix"]))
    assert operands(target_of(off, tuned=(best,))) == set()


def test_matrices_are_printed() -> None:
    shapes = (HALF, replace(HALF, columns=8), BYTES)
    console = Console(width=120, file=StringIO())
    console.print(details(device(matrices=shapes, lacking=("shaderInt8",))))
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [
        line.split()
        for line in printed.splitlines()
        if " to float32" in line or " to int32" in line
    ]
    assert ["yes" in line for line in lines] == [True, False, False]
