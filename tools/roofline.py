"""Bytes and operations of products on a GPU against the least possible, and what to expect.

For each product of the table the launches are lowered as for a GPU (nothing runs). A staged
product reads a block of both operands once per block of the other; the least is every operand
read and every result written once. Time is predicted as the longest of arithmetic, memory and
shared memory, for three described devices; `tools/gpu_check.py` measures the same products, so
each share can be refuted. Caches are left out, so traffic is an upper bound.

    python tools/roofline.py
"""

from dataclasses import dataclass

from pumice import dtypes
from pumice.lowering.product_cuts import Parts, choose_parts, choose_tile
from pumice.runtime.vulkan.limits import STEPS, product_tiles
from pumice.target import DeviceKind, ProductTile, Target

ITEM = 4
SHARED_BYTES_PER_FLOP = 0.5
"""Bytes of shared memory an invocation of the devices below can read per operation at full rate."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A device: float32 operations and bytes a second, its subgroup and shared memory."""

    name: str
    flops: float
    bandwidth: float
    subgroup: int
    shared: int


GPUS = (
    Gpu("integrated, 2 TFLOP/s, 80 GB/s", 2e12, 80e9, 32, 32768),
    Gpu("mid-range, 15 TFLOP/s, 350 GB/s", 15e12, 350e9, 32, 49152),
    Gpu("H200, 60 TFLOP/s, 4800 GB/s", 60e12, 4800e9, 32, 49152),
)

PRODUCTS: dict[str, tuple[int, int, int, int]] = {
    "matmul 1024": (1, 1024, 1024, 1024),
    "64 x 128 cubed": (64, 128, 128, 128),
    "linear 1024 x 1024 to 4096": (1, 1024, 4096, 1024),
    "conv 3x3 64 to 64, 8 x 56 x 56": (1, 64, 8 * 56 * 56, 576),
    "its weight gradient": (1, 64, 576, 8 * 56 * 56),
    "MLP 256 x 784 to 512": (1, 256, 512, 784),
    "GPT-2 token, 768 to 3072": (1, 1, 3072, 768),
}
"""Sizes of batch, rows, columns and steps."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a product does: operations, bytes of memory and of shared memory, and the least."""

    tile: ProductTile
    parts: Parts
    flops: int
    bytes_moved: int
    least_bytes: int
    shared_bytes: int


def target_for(gpu: Gpu) -> Target:
    """Return what the compiler would be told of a device."""
    limits = {"steps": STEPS, "shared_memory_bytes": gpu.shared}
    tiles = product_tiles(1024, gpu.shared, gpu.subgroup)
    return Target(DeviceKind.VULKAN, gpu.name, 64, 1, True, {}, limits=limits, products=tiles)


def work_of(sizes: tuple[int, int, int, int], target: Target) -> Work:
    """Count a float32 product as it would be cut for a target."""
    batches, m, n, k = sizes
    parts = choose_parts(batches * m * n, k, target.limits["steps"])
    tile = choose_tile(target, (batches * parts.count, m, n), dtypes.float32)
    rows, columns = tile.block
    row_blocks, column_blocks = -(-m // rows), -(-n // columns)
    elements = batches * m * n
    read = batches * k * (m * column_blocks + n * row_blocks)
    sums = 2 * parts.count * elements if parts.count > 1 else 0
    # What is past the last row or column of a block is multiplied too.
    flops = 2 * batches * row_blocks * rows * column_blocks * columns * k
    invocations = batches * row_blocks * column_blocks * tile.invocations
    shared = invocations * k * (tile.rows + tile.columns) * ITEM if tile.depth else 0
    least = batches * k * (m + n) + elements
    return Work(tile, parts, flops, (read + sums + elements) * ITEM, least * ITEM, shared)


def share(work: Work, sizes: tuple[int, int, int, int], gpu: Gpu) -> float:
    """Return the predicted share of the roofline."""
    batches, m, n, k = sizes
    least = max(2 * batches * m * n * k / gpu.flops, work.least_bytes / gpu.bandwidth)
    shared = work.shared_bytes / (gpu.flops * SHARED_BYTES_PER_FLOP)
    return least / max(work.flops / gpu.flops, work.bytes_moved / gpu.bandwidth, shared)


def main() -> None:
    """Print the table."""
    names = " | ".join(gpu.name for gpu in GPUS)
    print(f"| product | block | parts of k | bytes / least | operations / least | {names} |")
    print("|---|---|---|---|---|" + "---|" * len(GPUS))
    for name, sizes in PRODUCTS.items():
        works = [work_of(sizes, target_for(gpu)) for gpu in GPUS]
        work = works[-1]
        batches, m, n, k = sizes
        shares = " | ".join(
            f"{share(each, sizes, gpu):.0%}" for each, gpu in zip(works, GPUS, strict=True)
        )
        block = f"{work.tile.block[0]} x {work.tile.block[1]}"
        moved, done = work.bytes_moved / work.least_bytes, work.flops / (2 * batches * m * n * k)
        print(f"| {name} | {block} | {work.parts.count} | {moved:.1f} | {done:.2f} | {shares} |")


if __name__ == "__main__":
    main()
