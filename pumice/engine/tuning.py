"""Measuring tiles of products on a device: which ones a product should be cut by.

Every tile of the target's table is timed, with as many steps in shared memory as fit and with
fewer, on a product large enough to fill the device with it. Of each block the fastest depth is
kept, and of the blocks those that are faster than all smaller ones: where a larger block is no
faster, a smaller one leaves more workgroups. Tiles change no result, so neither does tuning.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from pumice import dtypes
from pumice.engine import memory
from pumice.engine.devices import backend_of, runtime_of
from pumice.errors import DeviceError
from pumice.graph import build
from pumice.kernel.passes.pipeline import optimise
from pumice.lowering.lower import lower
from pumice.lowering.memo import LoweringMemo
from pumice.lowering.steps import Memory
from pumice.numpy_types import to_numpy
from pumice.ops.structure import Contraction
from pumice.runtime.base import Allocation, Launch
from pumice.schedule.fuse import fuse
from pumice.target import Device, MatrixShape, ProductTile

DEPTHS = (4, 8, 16, 32, 64)
BLOCKS_ACROSS = 8
"""Blocks along each side of a product that is timed."""
STEPS = 480
"""Too few for parts of k."""
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """A tile and how many multiply-adds a nanosecond it gave."""

    tile: ProductTile
    rate: float


def depths_of(tile: ProductTile, shared: int) -> Iterator[ProductTile]:
    """Yield a tile with every depth that can be shared out and fits shared memory."""
    least = 1 if tile.matrix is None else tile.matrix.steps
    for depth in DEPTHS:
        other = replace(tile, depth=depth)
        if depth % least == 0 and other.is_even and other.shared_bytes(4) <= shared:
            yield other


def measure(device: Device, tile: ProductTile, blocks: int = BLOCKS_ACROSS) -> Timing:
    """Time products cut by one tile."""
    runtime = runtime_of(device)
    rows, columns = (blocks * size for size in tile.block)
    dtype, accumulator = dtypes.float32, dtypes.float32
    if tile.matrix is not None:
        dtype = dtypes.BY_NAME[tile.matrix.operand]
        accumulator = dtypes.float32 if dtype.is_floating_point else dtypes.int32
    shapes = [(rows, STEPS), (columns, STEPS)]
    nodes = [
        build.buffer(memory.upload(np.ones(shape, to_numpy(dtype)), device), dtype, shape)
        for shape in shapes
    ]
    left, right = nodes
    product = build.contract(left, right, Contraction(0, 1, 1, 1, accumulator))
    limits = runtime.target.limits | {"check_access": 0}  # checks would be timed too
    target = replace(runtime.target, products=(tile,), limits=limits)
    (step,) = lower(fuse([*nodes, product], [product]), target, LoweringMemo())
    (kernel,) = runtime.load(backend_of(device).compile([optimise(step.kernel)], target))
    result = memory.allocate(product.dtype, product.shape, device)
    words: list[int] = []
    keep: list[Allocation] = [result.allocation]
    for binding in step.bindings:
        if isinstance(binding, Memory):
            storage = getattr(binding.owner, "value", None) or result
            keep.append(storage.allocation)
            words.append(storage.address + binding.offset)
        else:
            assert isinstance(binding, int)
            words.append(binding)
    program = runtime.prepare([Launch(kernel, 0, len(words), step.items)])
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        runtime.run(program, np.array(words, np.int64), keep)
        runtime.synchronize()
        best = min(best, time.perf_counter() - start)
    return Timing(tile, rows * columns * STEPS / best / 1e9)


def chosen(timings: list[Timing]) -> list[ProductTile]:
    """Return the tiles to keep for each kind of matrices, largest first, given timings of all."""
    kinds: dict[MatrixShape | None, list[Timing]] = {}
    for each in timings:
        kinds.setdefault(each.tile.matrix, []).append(each)
    return [tile for kind in kinds.values() for tile in _chosen(kind)]


def _chosen(timings: list[Timing]) -> list[ProductTile]:
    fastest: dict[tuple[int, int], Timing] = {}
    for each in timings:
        known = fastest.get(each.tile.block)
        if known is None or each.rate > known.rate:
            fastest[each.tile.block] = each
    kept: list[Timing] = []
    for each in sorted(fastest.values(), key=lambda timing: np.prod(timing.tile.block)):
        if not kept or each.rate > max(timing.rate for timing in kept):
            kept.append(each)
    return [each.tile for each in reversed(kept)]


def tune(
    device: Device, report: Callable[[Timing], None], blocks: int = BLOCKS_ACROSS
) -> list[ProductTile]:
    """Measure every tile a device can take and return those to keep.

    Raises
    ------
    DeviceError
        When the device does not stage products.
    """
    target = runtime_of(device).target
    if not target.products:
        raise DeviceError(f"{device}: products are not staged there, so there is nothing to tune")
    timings = []
    for tile in target.products:
        for each in depths_of(tile, target.shared_bytes):
            timings.append(measure(device, each, blocks))
            report(timings[-1])
    return chosen(timings)
