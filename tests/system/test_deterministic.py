"""Same program, same bits: run to run, for any number of threads; devices agree closely."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

PROGRAM = """
import hashlib, sys
import numpy as np
import pumice

pumice.manual_seed(0)
device = sys.argv[1]
nn, functional = pumice.nn, pumice.nn.functional
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Dropout(0.1), nn.Linear(128, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10),
).to(device)
optimizer = pumice.optim.AdamW(model.parameters(), lr=3e-3)

def step(x, y):
    optimizer.zero_grad()
    loss = functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss

run = pumice.jit(step)
random = np.random.default_rng(0)
for _ in range(12):
    x = pumice.tensor(random.standard_normal((64, 1, 8, 8)).astype(np.float32), device=device)
    y = pumice.tensor(random.integers(0, 10, 64), device=device)
    print(repr(run(x, y).item()))
bits = b"".join(value.cpu().numpy().tobytes() for value in model.state_dict().values())
big = pumice.rand(1 << 20, device=device)
bits += big.sum().cpu().numpy().tobytes() + big.reshape(1024, 1024).sum(0).cpu().numpy().tobytes()
parts = [pumice.rand(1, 2, 300, 16, device=device).requires_grad_() for _ in range(3)]
mixed = functional.scaled_dot_product_attention(*parts, is_causal=True)
mixed.sum().backward()
for value in (mixed.detach(), *(part.grad for part in parts)):
    bits += value.cpu().numpy().tobytes()
print(hashlib.sha256(bits).hexdigest())
"""


def run(device: str, threads: int) -> list[str]:
    environment = {**os.environ, "PUMICE_THREADS": str(threads)}
    command = [sys.executable, "-c", PROGRAM, device]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=250
    )
    return result.stdout.split()


@pytest.fixture(scope="module")
def reference() -> list[str]:
    return run("cpu", 1)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_same_bits_for_any_number_of_threads(threads: int, reference: list[str]) -> None:
    assert run("cpu", threads) == reference


@pytest.mark.vulkan
def test_devices_agree(vulkan_device: str, reference: list[str]) -> None:
    found = run(vulkan_device, 2)
    losses = [np.array([float(each) for each in lines[:-1]]) for lines in (found, reference)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    assert run(vulkan_device, 2) == found


def test_code_does_not_depend_on_the_hash_seed(tmp_path: object) -> None:
    program = (
        "from tests.engine.graphs import CASES, Source\n"
        "from pumice.engine.builder import PlanBuilder\n"
        "from pumice.graph.walk import topological\n"
        "from pumice.kernel.printer import print_kernel\n"
        "from pumice.target import CPU\n"
        "for case in CASES:\n"
        "    nodes = case.make(Source(CPU))\n"
        "    for step in PlanBuilder(topological(nodes), nodes, CPU).steps:\n"
        "        print(print_kernel(step.kernel))\n"
    )
    texts = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for seed in ("1", "2")
    }
    assert len(texts) == 1
