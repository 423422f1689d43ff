"""Tiles of products that were measured on a device, kept on disk for each device and driver."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pumice.config import config
from pumice.errors import InvalidArgument
from pumice.files import replace_file
from pumice.runtime.vulkan.physical import DeviceDescription
from pumice.target import MatrixShape, ProductTile


def _path(device: DeviceDescription) -> Path | None:
    told = (device.driver, device.api_version, sorted(device.limits.items()))
    digest = hashlib.sha256(repr(told).encode()).hexdigest()[:16]
    name = f"products-{device.vendor:x}-{device.device:x}-{digest}.json"
    root = config().cache_directory
    return None if root is None else root / name


def read_tiles(device: DeviceDescription) -> tuple[ProductTile, ...]:
    """Return the tiles measured on a device, none if it was not tuned or the file is damaged."""
    path = _path(device)
    if path is None:
        return ()
    try:
        listed = json.loads(path.read_text())
        tiles = tuple(_tile_of(each) for each in listed)
    except (OSError, ValueError, TypeError, KeyError):
        return ()
    return tiles if all(_is_possible(each, device) for each in tiles) else ()


def _tile_of(fields: dict[str, Any]) -> ProductTile:
    matrix = fields["matrix"]
    return ProductTile(**fields | {"matrix": None if matrix is None else MatrixShape(**matrix)})


def _is_possible(tile: ProductTile, device: DeviceDescription) -> bool:
    numbers = asdict(tile)
    del numbers["matrix"]
    if any(type(value) is not int or value < 1 for value in numbers.values()):
        return False
    limits, matrix = device.limits, tile.matrix
    if matrix is not None and (
        matrix not in device.matrices
        or tile.depth % matrix.steps
        or tile.rows % matrix.rows
        or tile.columns % matrix.columns
    ):
        return False
    return (
        tile.rows % 4 == tile.columns % 4 == tile.depth % 4 == 0
        and tile.group_rows % tile.subgroup_rows == tile.group_columns % tile.subgroup_columns == 0
        and tile.invocations <= limits["maxComputeWorkGroupInvocations"]
        and tile.shared_bytes(4) <= limits["maxComputeSharedMemorySize"]
        and tile.is_even
    )


def write_tiles(device: DeviceDescription, tiles: Sequence[ProductTile]) -> Path:
    """Keep tiles for a device, largest first; they count for runtimes that start later.

    Raises
    ------
    InvalidArgument
        When nothing is kept on disk.
    """
    path = _path(device)
    if path is None:
        raise InvalidArgument("tiles cannot be kept: PUMICE_DISK_CACHE is 0, or there is no home")
    replace_file(path, json.dumps([asdict(each) for each in tiles]).encode())
    return path
