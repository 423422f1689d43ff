"""Rows on a GPU: pumice through Vulkan and PyTorch through CUDA, each in a process of its own.

    python -m benchmarks.gpu FRAMEWORK DEVICE SECONDS [--small]

reads names of rows from its input and prints a line of JSON for each: the seconds of a call, what
the row has to move and to compute. The names of `LIMITS` measure what the device reaches at most;
for products pumice tells which cooperative matrices it multiplied.
"""

import argparse
import importlib
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from benchmarks.frameworks.torchlike import Torchlike
from benchmarks.row import Array, data_of
from benchmarks.rows import ROWS

CHECKED = (
    *("gelu_add", "compare_where", "floordiv_int", "add_row", "transposed_copy"),
    *("softmax", "layernorm", "sum_all", "sum_axis0", "argmax", "cumsum", "cross_entropy_grad"),
    *("matmul", "matmul_4096", "matmul_bf16", "matmul_vector", "bmm", "linear_gelu"),
    *("conv3x3", "depthwise", "maxpool", "sdpa", "sdpa_grad"),
    *("sort", "topk", "embedding", "scatter_add"),
    *("mlp_train", "cnn_train", "block_fwd", "gpt2_decode", "gpt2_train", "small_add", "chain100"),
)
"""The rows of the design, in the order they are run; those that time may cut off come last."""
PRODUCTS = {"products": "bfloat16", "products_f16": "float16", "products_int8": "int8"}
"""Large products, by the element type of their operands."""
LIMITS = ("copy", "multiply_adds", *PRODUCTS)
BATCH_SECONDS = 5e-3
"""Calls are given to the device together until they take so long, then waited for."""
MOST_CALLS = 100
STEPS = 64


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework on its device."""

    rows: Torchlike
    wait: Callable[[], Any]
    matrices: Callable[[str, int], str]
    """Which matrices large products of an element type are computed by, if that is known."""


def framework_of(name: str, device: str) -> Framework:
    """Return pumice or PyTorch on a device."""
    if name == "pumice":
        pumice: Any = importlib.import_module("pumice")
        tensor = partial(pumice.tensor, device=device)
        rows = Torchlike(pumice, "pumice", tensor, _host, pumice.jit, True, True)
        return Framework(rows, partial(pumice.synchronize, device), partial(_matrices, device))
    torch: Any = importlib.import_module("torch")

    def moved(array: Array) -> Any:
        if array.dtype == ml_dtypes.bfloat16:
            return torch.tensor(array.astype(np.float32)).to(device, torch.bfloat16)
        return torch.tensor(array).to(device)

    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    rows = Torchlike(torch, "torch", moved, _host, lambda f: f, False, False)
    return Framework(rows, wait, lambda dtype, size: "")


def _matrices(device: str, dtype: str, size: int) -> str:
    """Return which cooperative matrices pumice multiplies on a device, "none" if it does not."""
    dtypes: Any = importlib.import_module("pumice.dtypes")
    devices: Any = importlib.import_module("pumice.engine.devices")
    cuts: Any = importlib.import_module("pumice.lowering.product_cuts")
    operand = dtypes.BY_NAME[dtype]
    sums = dtypes.float32 if operand.is_floating_point else dtypes.int32
    target = devices.runtime_of(devices.parse_device(device)).target
    tile = cuts.choose_tile(target, (1, size, size), sums, operand)
    return str(tile.matrix or "none")


def _host(tensor: Any) -> Array:
    values: Array = tensor.detach().cpu().numpy()
    return values


def shortest(call: Callable[[], Any], wait: Callable[[], Any], seconds: float) -> float:
    """Return the shortest time of a call when many are under way at once."""
    for _ in range(3):  # captured functions are compiled by the second call
        call()
    wait()
    start = time.perf_counter()
    call()
    wait()
    once = time.perf_counter() - start
    calls = min(max(1, math.ceil(BATCH_SECONDS / max(once, 1e-7))), MOST_CALLS)
    best, begun = once, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def measure(framework: Framework, name: str, seconds: float, small: bool) -> dict[str, Any]:
    """Return what a row takes and costs."""
    if name in LIMITS:
        return _limit(framework, name, seconds, small)
    row = ROWS[name]
    data = data_of(row, small)
    prepared = framework.rows.prepare(row, data)
    with prepared.mode():
        best = shortest(prepared.call, framework.wait, seconds)
    moved, flop = data.cost(row)
    return {"seconds": best, "bytes": moved, "flop": flop}


def _limit(framework: Framework, name: str, seconds: float, small: bool) -> dict[str, Any]:
    """Return what the most of one kind of work takes and costs."""
    rows = framework.rows

    def realize(made: Any) -> Any:
        return made.realize() if rows.lazy else made

    if name == "copy":
        count = 1 << (20 if small else 26)
        x = rows.tensor(np.ones(count, np.float32))
        best = shortest(lambda: realize(x.clone()), framework.wait, seconds)
        return {"seconds": best, "bytes": 8.0 * count, "flop": 0.0}
    if name == "multiply_adds":
        count = 1 << (14 if small else 24)
        x = rows.tensor(np.full(count, 0.5, np.float32))
        chain = rows.capture(_chain)
        best = shortest(lambda: realize(chain(x)), framework.wait, seconds)
        return {"seconds": best, "bytes": 8.0 * count, "flop": 2.0 * STEPS * count}
    size, dtype = (128 if small else 8192), np.dtype(PRODUCTS[name])
    left, right = (rows.tensor(np.ones((size, size), dtype)) for _ in range(2))
    best = shortest(lambda: realize(left @ right), framework.wait, seconds)
    moved = 3.0 * dtype.itemsize * size * size
    said = {"seconds": best, "bytes": moved, "flop": 2.0 * size**3}
    return said | {"matrices": framework.matrices(PRODUCTS[name], size)}


def _chain(x: Any) -> Any:
    """Multiply and add many times in registers."""
    value = x
    for _ in range(STEPS):
        value = value * x + x
    return value


def main() -> None:
    """Run the rows that the input names."""
    parser = argparse.ArgumentParser(description="Time rows on a GPU.")
    parser.add_argument("framework", choices=("pumice", "torch"))
    parser.add_argument("device")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    framework = framework_of(options.framework, options.device)
    for line in sys.stdin:
        name = line.strip()
        try:
            said: dict[str, Any] = measure(framework, name, options.seconds, options.small)
        except Exception as problem:  # reported like any other outcome
            said = {"problem": f"{type(problem).__name__}: {problem}"[:300]}
        sys.stdout.write(json.dumps({"row": name, **said}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
