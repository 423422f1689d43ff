"""``pumice tune``: measures tiles of products on a device and keeps the best for later runs."""

from rich.console import Console

from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.tuning import Timing, tune
from pumice.errors import InvalidArgument
from pumice.runtime.vulkan import VulkanRuntime
from pumice.runtime.vulkan.tuned import write_tiles
from pumice.target import ProductTile


def told(tile: ProductTile) -> str:
    """Return a tile in words."""
    rows, columns = tile.block
    of = "" if tile.matrix is None else f", matrices {tile.matrix}"
    return f"{rows} x {columns}, {tile.invocations} invocations, {tile.depth} steps{of}"


def run(name: str, console: Console) -> int:
    """Tune a device and return the exit status."""
    device = parse_device(name)
    runtime = runtime_of(device)
    if not isinstance(runtime, VulkanRuntime):
        raise InvalidArgument(f"{device}: only Vulkan devices are tuned")

    def report(timing: Timing) -> None:
        console.print(f"{told(timing.tile)}: {2 * timing.rate:.1f} GFLOP/s", markup=False)

    kept = tune(device, report)
    path = write_tiles(runtime.description, kept)
    console.print(f"kept for {runtime.name}: {'; '.join(map(told, kept))}", markup=False)
    console.print(f"in {path}", markup=False)
    return 0
