"""Time a few pieces of work in pumice and PyTorch, each in a process of its own, in turn.

    python benchmarks/quick.py [--rounds 3] [ROW ...]

Prints the best time of all rounds, in milliseconds, and how many times faster pumice is. Rounds
alternate between the two, so that a slow minute of the machine hits both.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SECONDS = 1.0
FRAMEWORKS = ("pumice", "torch")

_random = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return _random.standard_normal(shape).astype(np.float32)


def gelu_add(t: Any) -> Callable[[], Any]:
    x, y = t.tensor(normal(1 << 24)), t.tensor(normal(1 << 24))
    function = prepared(t, lambda x, y: t.nn.functional.gelu(x + y, approximate="tanh"))
    return lambda: function(x, y)


def softmax(t: Any) -> Callable[[], Any]:
    x = t.tensor(normal(4096, 4096))
    function = prepared(t, lambda x: t.softmax(x, -1))
    return lambda: function(x)


def layer_norm(t: Any) -> Callable[[], Any]:
    x, w, b = (t.tensor(each) for each in (normal(8192, 1024), normal(1024), normal(1024)))
    function = prepared(t, lambda x, w, b: t.nn.functional.layer_norm(x, (1024,), w, b))
    return lambda: function(x, w, b)


def compare_where(t: Any) -> Callable[[], Any]:
    x, y = t.tensor(normal(1 << 24)), t.tensor(normal(1 << 24))
    function = prepared(t, lambda x, y: t.where(x > y, x, t.where(t.eq(x, y), y * 0, y)))
    return lambda: function(x, y)


def sum_all(t: Any) -> Callable[[], Any]:
    x = t.tensor(normal(1 << 26))
    function = prepared(t, lambda x: x.sum())
    return lambda: function(x)


def sum_columns(t: Any) -> Callable[[], Any]:
    x = t.tensor(normal(8192, 8192))
    function = prepared(t, lambda x: x.sum(0))
    return lambda: function(x)


def matmul(t: Any) -> Callable[[], Any]:
    x, y = t.tensor(normal(1024, 1024)), t.tensor(normal(1024, 1024))
    function = prepared(t, lambda x, y: x @ y)
    return lambda: function(x, y)


def mlp_step(t: Any) -> Callable[[], Any]:
    nn = t.nn
    t.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    x, y = t.tensor(normal(256, 784)), t.tensor(_random.integers(0, 10, 256))
    function = t.jit(step) if t.__name__ == "pumice" else step
    return lambda: function(x, y)


def small_add(t: Any) -> Callable[[], Any]:
    x, y = t.tensor(normal(10)), t.tensor(normal(10))
    function = prepared(t, lambda x, y: x + y)
    return lambda: function(x, y)


ROWS = (
    gelu_add,
    softmax,
    layer_norm,
    compare_where,
    sum_all,
    sum_columns,
    matmul,
    mlp_step,
    small_add,
)


def prepared(t: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as a user would run it: captured in pumice, without grad in torch."""
    wrapped: Callable[..., Any] = (
        t.jit(function) if t.__name__ == "pumice" else t.no_grad()(function)
    )
    return wrapped


def measure(framework: str, row: Callable[[Any], Callable[[], Any]]) -> float:
    """Return the shortest run in milliseconds."""
    call = row(__import__(framework))
    for _ in range(3):
        call()
    best = float("inf")
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.rows or row.__name__ in options.rows]
    if options.child:
        print(json.dumps(measure(options.child, rows[0])))
        return
    print(f"{'milliseconds':14}{'pumice':>12}{'torch':>12}{'ratio':>8}")
    for row in rows:
        best = dict.fromkeys(FRAMEWORKS, float("inf"))
        for _ in range(options.rounds):
            for framework in FRAMEWORKS:
                command = [sys.executable, __file__, "--child", framework, row.__name__]
                result = subprocess.run(command, capture_output=True, text=True, check=True)
                best[framework] = min(best[framework], json.loads(result.stdout))
        ratio = best["torch"] / best["pumice"]
        print(
            f"{row.__name__:14}{best['pumice']:12.4f}{best['torch']:12.4f}{ratio:8.2f}", flush=True
        )


if __name__ == "__main__":
    main()
