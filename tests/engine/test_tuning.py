"""Measured tiles of products: which are kept, and that they come back from disk."""

import json
from dataclasses import replace
from typing import Any

import pytest

from pumice.engine import devices, tuning
from pumice.engine.devices import parse_device
from pumice.engine.tuning import Timing, chosen, depths_of
from pumice.errors import DeviceError, InvalidArgument
from pumice.runtime.vulkan import tuned
from pumice.runtime.vulkan.limits import product_tiles, target_of

TILES = product_tiles(256, 32768, 32)
LARGE, MIDDLE, SQUARE, SMALL = TILES


def test_depths_fit_shared_memory() -> None:
    for tile in TILES:
        found = list(depths_of(tile, 32768))
        assert tile in found
        assert all(each.shared_bytes(4) <= 32768 for each in found)
    assert list(depths_of(LARGE, 16384)) == []
    assert [each.depth for each in depths_of(SMALL, 16384)] == [8, 16]


def test_a_larger_block_must_be_faster() -> None:
    deep = replace(SQUARE, depth=16)
    timings = [Timing(LARGE, 5.0), Timing(MIDDLE, 4.0), Timing(SQUARE, 3.0), Timing(deep, 4.5)]
    assert chosen([*timings, Timing(SMALL, 2.0)]) == [LARGE, deep, SMALL]


def test_a_tile_is_timed(vulkan_device: str) -> None:
    found = tuning.measure(parse_device(vulkan_device), SMALL, 1)
    assert found.tile == SMALL
    assert found.rate > 0


def test_software_devices_have_nothing_to_tune(vulkan_device: str) -> None:
    device = parse_device(vulkan_device)
    if not devices.runtime_of(device).target.products:
        with pytest.raises(DeviceError, match="nothing to tune"):
            tuning.tune(device, lambda _: None)


def test_tiles_come_back_from_disk(
    vulkan_device: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime: Any = devices.runtime_of(parse_device(vulkan_device))
    description = runtime.description
    place = replace(tuned.config(), cache_directory=tmp_path)
    monkeypatch.setattr(tuned, "config", lambda: place)
    assert tuned.read_tiles(description) == ()
    path = tuned.write_tiles(description, [MIDDLE, SMALL])
    assert tuned.read_tiles(description) == (MIDDLE, SMALL)
    changed = target_of(description, as_gpu=True, tuned=(MIDDLE, SMALL))
    assert changed.products == (MIDDLE, SMALL)
    assert changed.identity != target_of(description, as_gpu=True).identity
    listed = json.loads(path.read_text())
    listed[0]["group_rows"] = 4096
    for broken in (json.dumps(listed), "{", "[1]", '[{"rows": 4}]', json.dumps([{"deep": 1}])):
        path.write_text(broken)
        assert tuned.read_tiles(description) == ()


def test_without_a_place_tiles_are_refused(
    vulkan_device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime: Any = devices.runtime_of(parse_device(vulkan_device))
    nowhere = replace(tuned.config(), cache_directory=None)
    monkeypatch.setattr(tuned, "config", lambda: nowhere)
    assert tuned.read_tiles(runtime.description) == ()
    with pytest.raises(InvalidArgument, match="cannot be kept"):
        tuned.write_tiles(runtime.description, [SMALL])
