"""What the host does for a replayed training step on a Vulkan device.

Usage: python tools/host_cost.py [--device vulkan:0] [--steps 2000]

The step is captured and run as usual. Then the functions by which work is submitted and waited for
are replaced by ones that do nothing and are done at once, as if the device took no time, and steps
are timed. What is left is the cost of pumice: finding the capture, giving out memory, writing
arguments, and one call into the driver, whose own cost depends on the driver.
"""

import argparse
import cProfile
import pstats
import statistics
from time import perf_counter
from typing import Any

import numpy as np

import pumice
from pumice import nn
from pumice.engine.devices import parse_device, runtime_of

functional = nn.functional
SUCCESS = 0


class NullDriver:
    """A table of functions whose device is always done."""

    def __init__(self, table: Any, queue: Any) -> None:
        self._table, self._queue = table, queue
        self.submissions = 0
        self.vkQueueSubmit = self._submit
        self.vkWaitSemaphores = lambda *_: SUCCESS
        self.vkGetSemaphoreCounterValue = self._progress

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def _submit(self, *_: Any) -> int:
        self.submissions += 1
        return SUCCESS

    def _progress(self, _device: Any, _semaphore: Any, value: Any) -> int:
        value[0] = self._queue.submitted
        return SUCCESS


def training_step(device: str, batch: int = 64) -> Any:
    """Return a captured step of a classifier 784-128-10 by descent with momentum."""
    source = np.random.default_rng(0)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    optimizer = pumice.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = pumice.tensor(source.random((batch, 784), np.float32)).to(device)
    labels = pumice.tensor(source.integers(0, 10, batch)).to(device)

    @pumice.jit
    def step(images: Any, labels: Any) -> Any:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(4):
        step(images, labels).item()
    return lambda: step(images, labels)


def measure(device: str, steps: int, profile: bool) -> None:
    runtime: Any = runtime_of(parse_device(device))
    step = training_step(device)
    runtime.synchronize()
    queue = runtime._queue
    healthy = queue._functions
    queue._functions = null = NullDriver(healthy, queue)
    times = []
    profiler = cProfile.Profile()
    try:
        if profile:
            profiler.enable()
        for _ in range(steps):
            begun = perf_counter()
            step()
            times.append(perf_counter() - begun)
        profiler.disable()
    finally:
        queue._functions = healthy
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    assert null.submissions == steps
    print(
        f"{device}: {min(times) * 1e6:.1f} us at best, {statistics.median(times) * 1e6:.1f} us "
        f"in the middle, one submission a step"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="vulkan")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    given = parser.parse_args()
    measure(given.device, given.steps, given.profile)


if __name__ == "__main__":
    main()
